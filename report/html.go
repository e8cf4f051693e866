package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
)

// The page is one file that fetches nothing. Its style and script are the constants below, and its policy lets a browser take
// nothing but them; all else passes Clean and the template's escaping. What is drawn carries its own colours and places, so that it
// can be read where a server's policy forbids styles.
var (
	//go:embed page/page.html
	pageText string
	//go:embed page/page.css
	pageStyle string
	//go:embed page/page.js
	pageScript string

	pageParts = template.Must(template.New("page").Parse(pageText))
)

// Bounds of the page: a browser opens it, and a person may read it.
const (
	maxHTML     = 8 << 20
	maxContents = 500  // findings listed at the top
	maxText     = 4000 // of one text
	maxExcerpt  = 60   // lines of source for one finding
	around      = 2    // lines shown before and after a marked one
)

// HTML writes a page to look at: the findings with their source, repairs and counterexamples, drawn, then every kernel with its
// verdict. What does not fit is counted.
func HTML(w io.Writer, r finding.Report, o Options) error {
	if o.Snippet == nil {
		o.Snippet = func(string, int) string { return "" }
	}
	p := &htmlPage{room: maxHTML - len(pageStyle) - len(pageScript) - 64<<10, line: o.Snippet} // the head, and what was left out, fit too
	p.add("head", headOf(r))
	findings := shown(r)
	if len(findings) > 1 {
		p.add("contents", contents(findings))
	}
	p.findings(findings)
	p.kernels(r.Kernels)
	p.notes(r.Notes)
	if len(p.left) > 0 {
		p.room = math.MaxInt
		p.add("left", strings.Join(p.left, ", "))
	}
	p.room = math.MaxInt
	p.add("foot", template.JS(pageScript)) //nolint:gosec // a constant
	if p.err != nil {
		return fmt.Errorf("write html: %w", p.err)
	}
	_, err := w.Write(p.b.Bytes())
	return err
}

type htmlPage struct {
	b    bytes.Buffer
	room int
	line func(path string, n int) string
	left []string
	err  error
}

// add writes a part whole or, when there is no room for it, not at all.
func (p *htmlPage) add(part string, data any) bool {
	var b bytes.Buffer
	if err := pageParts.ExecuteTemplate(&b, part, data); err != nil {
		p.err = err
		return true
	}
	if b.Len() > p.room {
		return false
	}
	p.room -= b.Len()
	p.b.Write(b.Bytes())
	return true
}

func (p *htmlPage) dropped(n int, what string) {
	p.left = append(p.left, fmt.Sprintf("%d %s", n, what))
}

// plain is a text as it may stand on the page.
func plain(s string) string { return Clean(clip(s, maxText)) }

func plains(list []string) (out []string) {
	for _, s := range list[:min(len(list), 200)] {
		out = append(out, plain(s))
	}
	return out
}

// known is a class of the page's style, "" for what is none of its verdicts.
func known(verdict string) string {
	if slices.Contains(verdictOrder, verdict) {
		return verdict
	}
	return ""
}

var ruleID = regexp.MustCompile(`^FP[0-9]{3}$`)

type pageHead struct {
	Policy, Title string
	Style         template.CSS
	Summary       string
	Tiles         []tile
}

// tile is a number that matters, with what it counts.
type tile struct {
	Class, What string
	N           int
}

func headOf(r finding.Report) pageHead {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	s := r.Summary
	h := pageHead{
		Policy:  "default-src 'none'; style-src " + hash(pageStyle) + "; script-src " + hash(pageScript) + "; base-uri 'none'; form-action 'none'",
		Title:   "fencepost: " + count(s.Errors, "error", "errors") + ", " + count(s.Warnings, "warning", "warnings"),
		Style:   template.CSS(pageStyle), //nolint:gosec // a constant
		Summary: summary(r),
		Tiles:   []tile{{"error", "errors", s.Errors}, {"warning", "warnings", s.Warnings}},
	}
	for i := range h.Tiles {
		if h.Tiles[i].N == 1 {
			h.Tiles[i].What = h.Tiles[i].Class
		}
	}
	for _, v := range verdictOrder {
		class, what := v, "kernels "+map[string]string{"violated": "violated", "inconclusive": "inconclusive", "holds": "that hold"}[v]
		if s.Verdicts[v] == 1 {
			what = map[string]string{"violated": "kernel violated", "inconclusive": "kernel inconclusive", "holds": "kernel that holds"}[v]
		}
		h.Tiles = append(h.Tiles, tile{class, what, s.Verdicts[v]})
	}
	return h
}

type contentsOf struct {
	Entries []entryOf
	More    int
}

type entryOf struct {
	ID                               int
	Severity, Rule, Message, Verdict string
	Where                            string
}

func contents(fs []finding.Finding) contentsOf {
	c := contentsOf{More: len(fs) - min(len(fs), maxContents)}
	for i, f := range fs[:min(len(fs), maxContents)] {
		c.Entries = append(c.Entries, entryOf{i + 1, f.Severity.String(), plain(f.Rule), plain(f.Message), plain(f.Verdict), fmt.Sprintf("%s:%d", plain(f.Path), f.Line)})
	}
	return c
}

type findingOf struct {
	entryOf
	Name, Kernel, Page string
	Class              string // of the verdict
	Excerpts           []excerpt
	Labels             []string // those whose line cannot be had
	Notes              []string
	Help               string
	Fix                string
	Changes            []change
	Litmus             string
	Picture            *picture
	Steps              []string
	Cycle, Final       []string
	Undrawn            bool
}

// excerpt is some lines of a file.
type excerpt struct {
	Path  string
	Lines []sourceLine
}

type sourceLine struct {
	N      string
	Pieces []piece
	Labels []labelOf
}

type piece struct{ Class, Text string }

type labelOf struct{ Class, Text string }

// change is a repair of one place: the lines before and after.
type change struct {
	Where string
	Lines []piece // of class "del", "add" or "stay"
}

func (p *htmlPage) findings(fs []finding.Finding) {
	for i, f := range fs {
		if i == 0 || fs[i-1].Path != f.Path {
			in := 1
			for in < len(fs)-i && fs[i+in].Path == f.Path {
				in++
			}
			if !p.add("file", map[string]string{"Path": plain(f.Path), "Count": count(in, "finding", "findings")}) {
				p.dropped(len(fs)-i, "findings")
				return
			}
		}
		v := p.finding(i+1, f)
		if p.add("finding", v) {
			continue
		}
		if v.Picture, v.Undrawn = nil, v.Picture != nil; !p.add("finding", v) {
			p.dropped(len(fs)-i, "findings")
			return
		}
	}
}

func (p *htmlPage) finding(id int, f finding.Finding) findingOf {
	v := findingOf{
		entryOf: entryOf{id, f.Severity.String(), plain(f.Rule), plain(f.Message), plain(f.Verdict), where(f.Location)},
		Name:    plain(f.Name), Kernel: plain(f.Kernel), Class: known(f.Verdict), Notes: plains(f.Notes), Help: plain(f.Help), Final: plains(f.Final),
		Steps: steps(f), Picture: drawn(f, p.line),
	}
	if ruleID.MatchString(f.Rule) {
		v.Page = RulePage(f.Rule)
	}
	for _, s := range f.Cycle[:min(len(f.Cycle), tailSteps)] {
		v.Cycle = append(v.Cycle, plain(step(f.Path, s)))
	}
	for _, line := range strings.Split(clip(f.Litmus, maxText), "\n") {
		v.Litmus += Clean(line) + "\n"
	}
	v.Litmus = strings.TrimSpace(v.Litmus)
	v.Excerpts, v.Labels = p.excerpts(f)
	p.fix(&v, f.Fix)
	return v
}

// excerpts shows the lines of a finding and of its labels, with what is around them; labels whose line cannot be had are told.
func (p *htmlPage) excerpts(f finding.Finding) (out []excerpt, told []string) {
	rs := regions(f)
	for i := 0; i < len(rs); {
		j := i
		for j < len(rs) && rs[j].Path == rs[i].Path {
			j++
		}
		e := excerpt{Path: plain(rs[i].Path)}
		for k := i; k < j; {
			first := rs[k]
			if strings.TrimSpace(p.line(first.Path, first.Line)) == "" || len(e.Lines) > maxExcerpt {
				if first.text != "" {
					told = append(told, where(first.Location)+": "+plain(first.text))
				}
				k++
				continue
			}
			end := k // the last region that is near
			for end+1 < j && rs[end+1].Line-rs[end].Line <= 2*around+2 {
				end++
			}
			if len(e.Lines) > 0 {
				e.Lines = append(e.Lines, sourceLine{N: "⋯"})
			}
			for n := max(first.Line-around, 1); n <= rs[end].Line+around; n++ {
				text := p.line(first.Path, n)
				if text == "" && n > rs[end].Line {
					break // the end of the file, perhaps
				}
				e.Lines = append(e.Lines, marked(n, text, rs[k:end+1]))
			}
			k = end + 1
		}
		if len(e.Lines) > 0 {
			out = append(out, e)
		}
		i = j
	}
	return out, told
}

// marked is a line with the parts marked that regions are of, and their words under it.
func marked(n int, text string, rs []region) sourceLine {
	l := sourceLine{N: fmt.Sprint(n)}
	cs := draw(text)
	class := make([]string, len(cs))
	start := 0
	for _, r := range rs {
		if r.Line != n {
			continue
		}
		kind := "other"
		if r.primary {
			kind = "primary"
		}
		from, to := max(r.Column-1, 0), r.EndColumn-1
		if r.EndLine > r.Line || r.EndLine == 0 && r.EndColumn == 0 {
			to = len(cs)
		}
		if from = min(from, len(cs)); to <= from {
			to = from + 1
		}
		for i := from; i < min(to, len(cs)); i++ {
			if r.primary || class[i] == "" {
				class[i] = kind
			}
		}
		if len(cs) > maxWidth && start == 0 {
			start = max(0, min(from-maxWidth/4, len(cs)-maxWidth))
		}
		if r.text != "" {
			l.Labels = append(l.Labels, labelOf{kind, plain(r.text)})
		}
	}
	end := min(len(cs), start+maxWidth)
	if start > 0 {
		l.Pieces = append(l.Pieces, piece{"", "…"})
	}
	for i := start; i < end; {
		j := i
		for j < end && class[j] == class[i] {
			j++
		}
		l.Pieces = append(l.Pieces, piece{class[i], finding.NoCommand(strings.Join(cs[i:j], ""))})
		i = j
	}
	if end < len(cs) {
		l.Pieces = append(l.Pieces, piece{"", "…"})
	}
	return l
}

// fix shows a repair as lines that go and come; in words where the lines cannot be had.
func (p *htmlPage) fix(v *findingOf, fix *finding.Fix) {
	if fix == nil {
		return
	}
	v.Fix = plain(fix.Text)
	for _, e := range fix.Edits[:min(len(fix.Edits), 40)] {
		last := max(e.EndLine, e.Line)
		if last-e.Line > maxExcerpt {
			last = e.Line
		}
		c := change{Where: where(e.Location)}
		before, after := p.line(e.Path, e.Line), p.line(e.Path, last)
		pure := e.EndLine == e.Line && e.EndColumn == e.Column && e.Column <= 1 && strings.HasSuffix(e.Text, "\n") // whole lines put in
		for n := e.Line; n <= last && !pure; n++ {
			if text := p.line(e.Path, n); text != "" || before != "" {
				c.Lines = append(c.Lines, piece{"del", drawnLine(text)})
			}
		}
		text := upTo(before, e.Column) + e.Text + from(after, e.EndColumn)
		if before == "" || pure {
			text = e.Text
		}
		var adds []piece
		for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
			if strings.TrimSpace(line) != "" || len(c.Lines) == 0 {
				adds = append(adds, piece{"add", drawnLine(line)})
			}
		}
		c.Lines = difference(c.Lines, adds)
		v.Changes = append(v.Changes, c)
	}
}

func drawnLine(text string) string {
	return clip(finding.NoCommand(strings.Join(draw(text), "")), maxText)
}

// difference puts lines that come after those that go, and those that stay at the ends around them.
func difference(dels, adds []piece) (out []piece) {
	var stay []piece
	for len(dels) > 0 && len(adds) > 0 && dels[0].Text == adds[0].Text {
		out, dels, adds = append(out, piece{"stay", dels[0].Text}), dels[1:], adds[1:]
	}
	for len(dels) > 0 && len(adds) > 0 && dels[len(dels)-1].Text == adds[len(adds)-1].Text {
		stay = append(stay, piece{"stay", dels[len(dels)-1].Text})
		dels, adds = dels[:len(dels)-1], adds[:len(adds)-1]
	}
	slices.Reverse(stay)
	return slices.Concat(out, dels, adds, stay)
}

// upTo is a line before a column, and from is it from there on; columns count units of UTF-16.
func upTo(line string, column int) string {
	at, _ := cut(line, column)
	return at
}

func from(line string, column int) string {
	_, rest := cut(line, column)
	return rest
}

func cut(line string, column int) (string, string) {
	units := 1
	for i, r := range line {
		if units >= column {
			return line[:i], line[i:]
		}
		if units++; r > 0xFFFF {
			units++
		}
	}
	return line, ""
}

type kernelOf struct {
	Verdict, Class, Where, Name, Bad, How string
	Bounds, Open, Reasons                 []string
	Stopped                               []stopOf
}

type stopOf struct{ Where, Why, Code string }

func (p *htmlPage) kernels(ks []finding.Kernel) {
	if len(ks) == 0 {
		return
	}
	ks = slices.Clone(ks)
	slices.SortStableFunc(ks, func(a, b finding.Kernel) int {
		return slices.Index(verdictOrder, a.Verdict) - slices.Index(verdictOrder, b.Verdict)
	})
	p.add("kernels", count(len(ks), "kernel", "kernels"))
	for i, k := range ks {
		v := kernelOf{Verdict: plain(k.Says()), Class: known(k.Verdict), Where: fmt.Sprintf("%s:%d", plain(k.Path), k.Line), Name: plain(k.Name), Bad: notHolding(k),
			Reasons: plains(k.Reasons)}
		k.States, k.Millis = max(k.States, 0), max(k.Millis, 0)
		if len(k.Engines) > 0 {
			v.How = fmt.Sprintf("by %s, %s, %.1f ms", plain(strings.Join(k.Engines, " and ")), count(k.States, "state", "states"), k.Millis)
		}
		for _, e := range finding.Equations(k.Bounds, func(string) bool { return true }) {
			v.Bounds = append(v.Bounds, plain(e))
		}
		for _, o := range k.Open[:min(len(k.Open), 50)] {
			v.Open = append(v.Open, plain(open(o)))
		}
		for _, s := range k.Stopped[:min(len(k.Stopped), 50)] {
			v.Stopped = append(v.Stopped, stopOf{fmt.Sprintf("%s:%d", plain(s.Path), s.Line), plain(s.Why), plain(strings.TrimSpace(p.line(s.Path, s.Line)))})
		}
		if !p.add("kernel", v) {
			p.dropped(len(ks)-i, "kernels")
			break
		}
	}
	p.add("endkernels", nil)
}

func (p *htmlPage) notes(notes []string) {
	if len(notes) == 0 {
		return
	}
	p.add("notes", nil)
	for i, n := range notes {
		if !p.add("note", plain(n)) {
			p.dropped(len(notes)-i, "notes")
			break
		}
	}
	p.add("endnotes", nil)
}
