package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
)

// cells is a source line as it will show: one entry a UTF-16 code unit of the source, so that columns index it.
type cells []string

// tabWidth is how wide a tab is drawn.
const tabWidth = 4

// maxWidth is how much of a long line is drawn around the marked part.
const maxWidth = 140

func draw(line string) cells {
	var cs cells
	for _, r := range line {
		switch {
		case r == '\t':
			cs = append(cs, strings.Repeat(" ", tabWidth))
		case r > 0xFFFF:
			cs = append(cs, string(finding.CleanRune(r)), "")
		default:
			cs = append(cs, string(finding.CleanRune(r)))
		}
	}
	return cs
}

// width is how many columns of a terminal a text takes: wide characters (CJK, emoji) take two.
func width(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r >= 0x1100 && (r <= 0x115F || 0x2E80 <= r && r <= 0xA4CF || 0xAC00 <= r && r <= 0xD7A3 || 0xF900 <= r && r <= 0xFAFF ||
			0xFE30 <= r && r <= 0xFE6F || 0xFF00 <= r && r <= 0xFF60 || 0x1F300 <= r && r <= 0x1F9FF || 0x20000 <= r && r <= 0x3FFFD) {
			n++
		}
	}
	return n
}

// mark returns the line as shown and the blanks and marks that go under columns [from, to), 1-based.
func mark(cs cells, from, to int, sign string) (shown, under string) {
	from = min(max(from-1, 0), len(cs))
	to = min(max(to-1, from), len(cs))
	if to == from && to < len(cs) {
		to++
	}
	start, end := 0, len(cs)
	if len(cs) > maxWidth {
		start = max(0, min(from-maxWidth/4, len(cs)-maxWidth))
		end = start + maxWidth
		to = min(to, end)
	}
	before, marked, after := strings.Join(cs[start:from], ""), strings.Join(cs[from:to], ""), strings.Join(cs[to:end], "")
	if start > 0 {
		before = "…" + before
	}
	if end < len(cs) {
		after += "…"
	}
	return before + marked + after, strings.Repeat(" ", width(before)) + strings.Repeat(sign, max(width(marked), 1))
}

// region is a marked part of a file with a few words.
type region struct {
	finding.Location
	text    string
	primary bool
}

// regions returns the finding's own region and its labels in the order they are shown: by line, the finding's file first.
func regions(f finding.Finding) []region {
	rs := []region{{Location: f.Location, primary: true}}
	for _, l := range f.Labels {
		rs = append(rs, region{Location: l.Location, text: l.Text})
	}
	elsewhere := func(r region) int {
		if r.Path == f.Path {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(rs, func(a, b region) int {
		return cmp.Or(elsewhere(a)-elsewhere(b), strings.Compare(a.Path, b.Path), a.Line-b.Line)
	})
	return rs
}

// snippet prints the lines of the finding and its labels with the parts marked. It returns the gutter, blanks as wide as the line
// numbers, for what is printed below.
func (p *page) snippet(f finding.Finding, line func(path string, n int) string) (gutter string) {
	rs := regions(f)
	digits := 1
	for _, r := range rs {
		digits = max(digits, len(strconv.Itoa(r.Line)))
	}
	gutter = strings.Repeat(" ", digits)
	place := where(f.Location)
	if f.Kernel != "" {
		place += " in " + Clean(f.Kernel)
	}
	p.line("%s%s %s", gutter, p.paint(blue, "-->"), place)
	above := region{Location: finding.Location{Path: f.Path}} // the one printed last
	for _, r := range rs {
		text := line(r.Path, r.Line)
		if strings.TrimSpace(text) == "" {
			if r.text != "" {
				p.line("%s %s %s: %s", gutter, p.paint(blue, "="), where(r.Location), Clean(r.text))
			}
			continue
		}
		if r.Path != above.Path {
			p.line("%s%s %s", gutter, p.paint(blue, "-->"), where(r.Location))
			above.Line = 0
		}
		p.region(gutter, r, above, text, severityStyle(f.Severity))
		above = r
	}
	return gutter
}

// region prints one line, unless it is the one above already, and the marks under it.
func (p *page) region(gutter string, r, above region, text string, s style) {
	sign := "^"
	if !r.primary {
		sign, s = "-", blue
	}
	to := r.EndColumn
	if r.EndLine > r.Line || r.EndLine == 0 && to == 0 {
		to = math.MaxInt32 // the rest of the line
	}
	if p.above.text != text || p.above.cells == nil {
		p.above.text, p.above.cells = text, draw(text)
	}
	shown, under := mark(p.above.cells, r.Column, to, sign)
	switch {
	case above.Line == 0:
		p.line("%s %s", gutter, p.paint(blue, "|"))
	case r.Line > above.Line+1:
		p.line("%s", p.paint(blue, "..."))
	}
	if r.Line != above.Line || len(p.above.cells) > maxWidth { // a long line is cut around each mark
		p.line("%*d %s %s", len(gutter), r.Line, p.paint(blue, "|"), shown)
	}
	blanks := strings.TrimRight(under, sign)
	marks := under[len(blanks):]
	if r.text != "" {
		marks += " " + Clean(r.text)
	}
	p.line("%s %s %s%s", gutter, p.paint(blue, "|"), blanks, p.paint(s, marks))
}
