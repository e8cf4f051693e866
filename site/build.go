package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/rules"
)

// source is where files of the repository that are no pages are read.
const source = "https://github.com/fencepost-dev/fencepost/blob/main/"

//go:embed page.html
var layout string

//go:embed style.css
var style string

// page is one page: Markdown, where it stands in the repository, and where it goes.
type page struct {
	from  string // in the repository; what is made here stands in the folder of the pages
	to    string
	title string
	about string // a line of facts under the title
	text  string
	html  template.HTML
	ids   map[string]bool
}

// Build writes the site of a repository into a folder. A link that leads nowhere is an error.
func Build(repository, out string) error {
	pages, err := collect(repository)
	if err != nil {
		return err
	}
	b := &builder{repository: repository, pages: map[string]*page{}, files: map[string]bool{}}
	for _, p := range pages {
		b.pages[p.from] = p
	}
	for _, p := range pages {
		if err := b.render(p); err != nil {
			return fmt.Errorf("%s: %w", p.from, err)
		}
	}
	if err := b.fragments(); err != nil {
		return err
	}
	frame, err := template.New("page").Parse(layout)
	if err != nil {
		return err
	}
	for _, p := range pages {
		var text bytes.Buffer
		err := frame.Execute(&text, map[string]any{"Title": p.title, "About": p.about, "Body": p.html, "Up": strings.Repeat("../", strings.Count(p.to, "/")), "Home": p.to == "index.html"})
		if err == nil {
			err = write(filepath.Join(out, p.to), text.Bytes())
		}
		if err != nil {
			return err
		}
	}
	for name := range b.files {
		data, err := os.ReadFile(filepath.Join(repository, name))
		if err == nil {
			err = write(filepath.Join(out, "docs", path.Base(name)), data)
		}
		if err != nil {
			return err
		}
	}
	return write(filepath.Join(out, "style.css"), []byte(style))
}

func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

// collect gathers the pages: those that are written for the site, the documents, those of rules and reasons, and the tables.
func collect(repository string) (pages []*page, err error) {
	read := func(pattern, to string) error {
		names, err := filepath.Glob(filepath.Join(repository, pattern))
		if err != nil || len(names) == 0 {
			return errors.Join(err, fmt.Errorf("no file is called %s", pattern))
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			base := strings.ToLower(strings.TrimSuffix(filepath.Base(name), ".md")) + ".html"
			pages = append(pages, &page{from: path.Join(path.Dir(pattern), filepath.Base(name)), to: path.Join(to, base), text: string(data)})
		}
		return nil
	}
	if err := errors.Join(read("site/pages/*.md", ""), read("docs/*.md", "docs"), read("SECURITY.md", "docs")); err != nil {
		return nil, err
	}
	for _, r := range rules.All() {
		pages = append(pages, &page{from: "rules/doc/" + r.ID + ".md", to: "rules/" + r.ID + ".html", text: r.Page(), about: about(r)})
	}
	for _, c := range limit.All() {
		pages = append(pages, &page{from: "limit/doc/" + c.String() + ".md", to: "reasons/" + c.String() + ".html", text: c.Page(), about: "a reason of inconclusive"})
	}
	made := func(name, text string) {
		pages = append(pages, &page{from: "site/pages/" + name + ".md", to: name + ".html", text: text})
	}
	made("rules", ruleTable())
	made("reasons", reasonTable())
	made("calls", callTables())
	made("guides", guides(pages))
	for _, p := range pages {
		p.text = strings.ReplaceAll(p.text, "{{properties}}", propertyTable())
		if p.title = heading.FindString(p.text); p.title == "" {
			return nil, fmt.Errorf("%s: no title", p.from)
		}
		p.title = strings.NewReplacer("`", "", "*", "").Replace(strings.TrimSpace(strings.TrimPrefix(p.title, "# ")))
	}
	return pages, nil
}

var heading = regexp.MustCompile(`(?m)^# .*$`)

type builder struct {
	repository string
	pages      map[string]*page
	files      map[string]bool // pictures that pages show
	wanted     []fragment
}

// fragment is a link to a heading.
type fragment struct{ from, to, id string }

// render makes HTML of a page, its links as the site has them.
func (b *builder) render(p *page) error {
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()), goldmark.WithRendererOptions(html.WithXHTML()))
	src := []byte(comment.ReplaceAllString(p.text, ""))
	doc := md.Parser().Parse(text.NewReader(src))
	p.ids = map[string]bool{}
	var wrong []error
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if id, ok := n.AttributeString("id"); ok {
			p.ids[string(id.([]byte))] = true
		}
		var err error
		switch n := n.(type) {
		case *ast.Link:
			n.Destination, err = b.link(p, string(n.Destination))
		case *ast.Image:
			n.Destination, err = b.link(p, string(n.Destination))
		}
		wrong = append(wrong, err)
		return ast.WalkContinue, nil
	})
	if err := errors.Join(append(wrong, err)...); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := md.Renderer().Render(&out, src, doc); err != nil {
		return err
	}
	p.html = template.HTML(out.String()) // raw HTML in the Markdown is left out by the renderer
	return nil
}

// comment is one in HTML, as tools that renew parts of a document leave them.
var comment = regexp.MustCompile(`(?m)^<!--.*-->\n?`)

// link is what a link of a page is on the site: to another page, to a picture, or to the source.
func (b *builder) link(p *page, to string) ([]byte, error) {
	if strings.HasPrefix(to, "https://") {
		return util.URLEscape([]byte(to), true), nil
	}
	name, id, _ := strings.Cut(to, "#")
	target := p.from
	if name != "" {
		target = path.Join(path.Dir(p.from), name)
	}
	q := b.pages[target]
	switch {
	case q != nil:
		if id != "" {
			b.wanted = append(b.wanted, fragment{p.from, target, id})
			id = "#" + id
		}
		if q == p && id != "" {
			return []byte(id), nil
		}
		rel, err := filepath.Rel(path.Dir(p.to), q.to)
		return []byte(filepath.ToSlash(rel) + id), err
	case strings.HasPrefix(target, ".."):
		return nil, fmt.Errorf("the link to %s leaves the repository", to)
	}
	if _, err := os.Stat(filepath.Join(b.repository, target)); err != nil {
		return nil, fmt.Errorf("the link to %s leads nowhere", to)
	}
	if path.Ext(target) == ".svg" {
		b.files[target] = true
		rel, err := filepath.Rel(path.Dir(p.to), path.Join("docs", path.Base(target)))
		return []byte(filepath.ToSlash(rel)), err
	}
	return []byte(source + target), nil
}

// fragments reports links to headings that there are not.
func (b *builder) fragments() error {
	var wrong []error
	for _, f := range b.wanted {
		if !b.pages[f.to].ids[f.id] {
			ids := make([]string, 0, len(b.pages[f.to].ids))
			for id := range b.pages[f.to].ids {
				ids = append(ids, id)
			}
			sort.Strings(ids)
			wrong = append(wrong, fmt.Errorf("%s: %s has no heading #%s, but %s", f.from, f.to, f.id, strings.Join(ids, ", ")))
		}
	}
	return errors.Join(wrong...)
}

// guides lists the documents.
func guides(pages []*page) string {
	var lines []string
	for _, p := range pages {
		if strings.HasPrefix(p.to, "docs/") {
			title := strings.TrimSpace(strings.TrimPrefix(heading.FindString(p.text), "# "))
			lines = append(lines, fmt.Sprintf("- [%s](../../%s)", title, p.from))
		}
	}
	slices.Sort(lines)
	return "# Guides\n\n" + strings.Join(lines, "\n") + "\n"
}
