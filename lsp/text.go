package lsp

import (
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/source"
)

// encoding is what a position's character counts (LSP 3.17, PositionEncodingKind).
type encoding string

const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16"
	utf32Units encoding = "utf-32"
)

// width is how many units a character takes.
func (e encoding) width(r rune) int {
	switch e {
	case utf8Units:
		return utf8.RuneLen(r)
	case utf32Units:
		return 1
	}
	return utf16.RuneLen(r)
}

// text is a text with its lines. They end as the protocol has it, at a lone carriage return too, where a source.File's do not:
// places go from one to the other by offsets of bytes.
type text struct {
	data   string
	starts []int
}

func newText(data string) *text {
	t := &text{data, []int{0}}
	for i := range len(data) {
		if data[i] == '\n' || data[i] == '\r' && (i+1 == len(data) || data[i+1] != '\n') {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// line is what stands on a line, counted from 0, without its end.
func (t *text) line(n int) (from, to int) {
	from, to = t.starts[n], len(t.data)
	if n+1 < len(t.starts) {
		to = t.starts[n+1]
	}
	return from, from + len(strings.TrimRight(t.data[from:to], "\r\n"))
}

// position is where an offset stands.
func (t *text) position(offset int, e encoding) position {
	offset = min(max(offset, 0), len(t.data))
	n := sort.SearchInts(t.starts, offset+1) - 1
	from, to := t.line(n)
	p := position{Line: n}
	for _, r := range t.data[from:min(offset, to)] {
		p.Character += e.width(r)
	}
	return p
}

// offset is where a position stands. One behind the end of its line is that end, one inside of a character its beginning.
func (t *text) offset(p position, e encoding) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(t.starts) {
		return len(t.data)
	}
	from, to := t.line(p.Line)
	left := p.Character
	for i, r := range t.data[from:to] {
		if left -= e.width(r); left < 0 {
			return from + i
		}
	}
	return to
}

// span is a part of a text, by its bytes.
type span struct{ from, to int }

func (t *text) extent(s span, e encoding) extent {
	return extent{t.position(s.from, e), t.position(s.to, e)}
}

// place is the part of a file that a location means. What has no end goes to that of its line; what is empty takes in a character,
// for editors to mark.
func place(f *source.File, l finding.Location) span {
	line := min(max(l.Line, 1), f.Lines())
	at := f.LineSpan(line)
	s := span{at.Start, at.End}
	if from, ok := f.Offset(source.Position{Line: line, Column: max(l.Column, 1)}); ok {
		s.from = from
	}
	if l.EndLine >= line && l.EndColumn > 0 {
		s.to = f.LineSpan(min(l.EndLine, f.Lines())).End
		if to, ok := f.Offset(source.Position{Line: l.EndLine, Column: l.EndColumn}); ok {
			s.to = to
		}
	}
	if s.to = max(s.from, s.to); s.to == s.from && s.to < at.End {
		_, size := utf8.DecodeRune(f.Data[s.to:])
		s.to += size
	}
	return s
}

// exact is place of what is replaced: it may be empty, and has to be there.
func exact(f *source.File, l finding.Location) (s span, ok bool) {
	from, ok := f.Offset(source.Position{Line: l.Line, Column: l.Column})
	to, also := f.Offset(source.Position{Line: l.EndLine, Column: l.EndColumn})
	return span{from, to}, ok && also && from <= to
}

// replacement is what became of a text: the bytes of a part were replaced by so many others.
type replacement struct {
	span
	length int
}

// moved is where a part of the text is after that; ok is false where it was changed itself.
func (c replacement) moved(s span) (span, bool) {
	switch {
	case s.to <= c.from:
		return s, true
	case s.from >= c.to:
		by := c.length - (c.to - c.from)
		return span{s.from + by, s.to + by}, true
	}
	return s, false
}

// replaced is the smallest replacement between two texts.
func replaced(before, after string) replacement {
	from := 0
	for from < min(len(before), len(after)) && before[from] == after[from] {
		from++
	}
	end := 0
	for end < min(len(before), len(after))-from && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	return replacement{span{from, len(before) - end}, len(after) - end - from}
}
