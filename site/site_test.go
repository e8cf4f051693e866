package main

import (
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
)

// markup is what a page has: its headings' ids, what it links to, and how often it has a title.
type markup struct {
	ids    map[string]bool
	links  []string
	titles int
	text   string
}

// parse reads a page, which has to be well-formed.
func parse(t *testing.T, name string) markup {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	m := markup{ids: map[string]bool{}, text: string(data)}
	d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(m.text, "<!DOCTYPE html>")))
	d.Entity = xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return m
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "h1":
			m.titles++
		case "script", "iframe", "object", "form":
			t.Errorf("%s has a %s", name, e.Name.Local)
		}
		for _, a := range e.Attr {
			switch {
			case a.Name.Local == "id" && m.ids[a.Value]:
				t.Errorf("%s has two elements with the id %s", name, a.Value)
			case a.Name.Local == "id":
				m.ids[a.Value] = true
			case a.Name.Local == "href" || a.Name.Local == "src":
				m.links = append(m.links, a.Value)
			case strings.HasPrefix(a.Name.Local, "on"):
				t.Errorf("%s has a handler", name)
			}
		}
	}
}

// TestSite: every page is well-formed, has one title, and every link leads to a page, a heading or a file that there is; what leads
// elsewhere is https.
func TestSite(t *testing.T) {
	out := t.TempDir()
	if err := Build("..", out); err != nil {
		t.Fatal(err)
	}
	pages := map[string]markup{}
	err := filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".html" {
			pages[name] = parse(t, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{filepath.Join(out, "index.html"): true}
	for name, m := range pages {
		if m.titles != 1 {
			t.Errorf("%s has %d titles", name, m.titles)
		}
		for _, link := range m.links {
			if strings.HasPrefix(link, "https://") {
				continue
			}
			file, id, _ := strings.Cut(link, "#")
			target := name
			if file != "" {
				target = filepath.Join(filepath.Dir(name), filepath.FromSlash(file))
			}
			if linked[target] = true; strings.Contains(link, ":") {
				t.Errorf("%s links to %s", name, link)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link to %s is dead", name, link)
			} else if id != "" && !pages[target].ids[id] {
				t.Errorf("%s: %s has no #%s", name, target, id)
			}
		}
	}
	for name := range pages {
		if !linked[name] {
			t.Errorf("nothing links to %s", name)
		}
	}
	if want := len(rules.All()) + len(limit.All()) + 20; len(pages) < want {
		t.Errorf("%d pages, want at least %d", len(pages), want)
	}
}

// The links of the README, and those of pages that are read in the repository alone, lead somewhere too.
func TestReadme(t *testing.T) {
	list, err := collect("..")
	if err != nil {
		t.Fatal(err)
	}
	b := &builder{repository: "..", pages: map[string]*page{}, files: map[string]bool{}}
	data, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(list, &page{from: "README.md", to: "README.html", text: string(data)}) {
		b.pages[p.from] = p
	}
	for _, p := range b.pages {
		err = errors.Join(err, b.render(p))
	}
	if err = errors.Join(err, b.fragments()); err != nil {
		t.Error(err)
	}
}

// A link that leads nowhere fails the build.
func TestDeadLinks(t *testing.T) {
	for name, text := range map[string]string{
		"a file":        "[x](../nothere.md)",
		"a heading":     "[x](#nothere)",
		"out of here":   "[x](../../../etc/passwd)",
		"another site":  "[x](http://example.com)",
		"a script":      "[x](javascript:alert(1))",
		"a page's head": "[x](../docs/order.md#nothere)",
	} {
		b := &builder{repository: "..", pages: map[string]*page{"docs/order.md": {from: "docs/order.md", to: "docs/order.html"}}, files: map[string]bool{}}
		p := &page{from: "docs/k.md", to: "docs/k.html", text: text}
		b.pages[p.from] = p
		if errors.Join(b.render(p), b.fragments()) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Markup in Markdown is left out.
func TestNoMarkup(t *testing.T) {
	b := &builder{repository: "..", pages: map[string]*page{}, files: map[string]bool{}}
	p := &page{from: "docs/k.md", to: "docs/k.html", text: "<script>x</script> and <b onclick=x>y</b>\n"}
	if err := b.render(p); err != nil || strings.Contains(string(p.html), "script") || strings.Contains(string(p.html), "onclick") {
		t.Errorf("%v: %s", err, p.html)
	}
}

// The tables have what there is.
func TestTables(t *testing.T) {
	calls := callTables()
	for _, l := range languages {
		rows := dialect.Rows(l.lang)
		if len(rows) < 10 {
			t.Errorf("%s has %d rows", l.name, len(rows))
		}
		for _, r := range rows {
			if !strings.Contains(calls, strings.ReplaceAll(r.Call, "|", `\|`)) {
				t.Errorf("no %s", r.Call)
			}
		}
	}
	if len(dialect.Rows(program.CuTe)) == len(dialect.Rows(program.CUDA)) {
		t.Error("two languages have the same rows")
	}
	table := ruleTable()
	for _, r := range rules.All() {
		if strings.Count(table, "["+r.ID+"](") != 1 {
			t.Errorf("%s is not in the table once", r.ID)
		}
	}
	known := map[string]bool{}
	for _, p := range finding.Properties {
		known[p.Name] = true
	}
	for _, p := range protocol.Properties {
		if !known[string(p)] {
			t.Errorf("%s has no words", p)
		}
	}
	for _, p := range finding.Beside {
		if !known[p] {
			t.Errorf("%s has no words", p)
		}
	}
}
