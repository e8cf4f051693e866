package source

import (
	"bytes"
	"sort"
	"sync"
	"unicode/utf16"
)

// File is one source file, decoded. Data is UTF-8 with the byte count of what the decoder produced; Name is the
// slash-separated path shown to the user, relative to the root that was opened. A File is used by pointer.
type File struct {
	Name string
	Data []byte
	BOM  bool // the text began with a byte order mark, which is not part of Data

	made  []Made // what stands in Data behind the text itself, in order
	whole int    // bytes of the text itself, where there is more

	once      sync.Once
	starts    []int // offset of the first byte of each line
	onceUnits sync.Once
	before    []int // UTF-16 code units before each block of bytes
}

// Made is text that a reader put behind that of a file, such as what the use of a macro stands for.
type Made struct {
	Text string
	From int  // what it comes from in the file
	Copy bool // byte by byte; else all of it comes from that one place
}

// With is the file with text behind its own. Places in that are those which it comes from.
func (f *File) With(made []Made) *File {
	out := &File{Name: f.Name, Data: bytes.Clone(f.Data), BOM: f.BOM, made: made, whole: len(f.Data)}
	for _, m := range made {
		out.Data = append(out.Data, m.Text...)
	}
	return out
}

// Written is the text of the file itself.
func (f *File) Written() []byte {
	if f.made == nil {
		return f.Data
	}
	return f.Data[:f.whole]
}

// Stands reports whether a span is one of the file itself.
func (f *File) Stands(s Span) bool { return s.End <= len(f.Written()) }

// origin is the place in the file itself that an offset comes from.
func (f *File) origin(offset int) int {
	if offset = min(max(offset, 0), len(f.Data)); f.made == nil || offset < f.whole {
		return offset
	}
	at := f.whole
	for _, m := range f.made {
		if at += len(m.Text); offset < at || offset == at && m.Copy || at == len(f.Data) { // where a copy ends is its own place
			if m.Copy {
				return min(m.From+offset-(at-len(m.Text)), f.whole)
			}
			return min(m.From, f.whole)
		}
	}
	return f.whole
}

// A line ends at "\n": git and GitHub count lines so, and a finding must land on the line they show. A carriage
// return before it belongs to the terminator; a lone one does not end a line.
func (f *File) index() []int {
	f.once.Do(func() {
		f.starts = make([]int, 1, 1+bytes.Count(f.Written(), []byte{'\n'}))
		for i, b := range f.Written() {
			if b == '\n' {
				f.starts = append(f.starts, i+1)
			}
		}
	})
	return f.starts
}

// Lines returns the number of lines. A final terminator does not begin another line; an empty file has one.
func (f *File) Lines() int {
	starts := f.index()
	if n := len(starts); n > 1 && starts[n-1] == len(f.Written()) {
		return n - 1
	}
	return len(starts)
}

// LineSpan returns the span of line n (1-based) without its terminator, or an empty span if there is no such line.
func (f *File) LineSpan(n int) Span {
	starts := f.index()
	if n < 1 || n > len(starts) {
		return Span{}
	}
	s := Span{Start: starts[n-1], End: len(f.Written())}
	if n < len(starts) {
		s.End = starts[n] - 1
		if s.End > s.Start && f.Data[s.End-1] == '\r' {
			s.End--
		}
	}
	return s
}

// Line returns line n (1-based) without its terminator, or "" if there is no such line.
func (f *File) Line(n int) string { return f.Text(f.LineSpan(n)) }

// Text returns the text of a span, cut to what the file has.
func (f *File) Text(s Span) string {
	start := min(max(s.Start, 0), len(f.Data))
	end := min(max(s.End, start), len(f.Data))
	return string(f.Data[start:end])
}

// Position returns the place of a byte offset, which is cut to the file. The column counts UTF-16 code units, as
// SARIF and GitHub do.
func (f *File) Position(offset int) Position {
	starts := f.index()
	offset = f.origin(offset)
	line := f.LineAt(offset)
	return Position{Line: line, Column: 1 + f.units(starts[line-1], offset)}
}

// LineAt is the line of a byte offset.
func (f *File) LineAt(offset int) int {
	starts := f.index()
	offset = f.origin(offset)
	return sort.Search(len(starts), func(i int) bool { return starts[i] > offset })
}

// Offset is the byte offset of a position, which Position gives back. There is none for a place that the file does not have.
func (f *File) Offset(p Position) (int, bool) {
	if p.Line < 1 || p.Line > len(f.index()) || p.Column < 1 {
		return 0, false
	}
	span := f.LineSpan(p.Line)
	left := p.Column - 1
	for at, c := range f.Text(span) {
		if left <= 0 {
			return span.Start + at, left == 0
		}
		left -= max(utf16.RuneLen(c), 1)
	}
	return span.End, left == 0
}

// block is how many bytes are counted for one position at most: a minified file has a line of megabytes, and a position for
// every token of it.
const block = 1024

// units counts the UTF-16 code units between two offsets.
func (f *File) units(from, to int) int {
	if to-from <= block {
		return utf16Length(f.Data[from:to])
	}
	f.onceUnits.Do(func() {
		f.before = make([]int, 1+len(f.Data)/block)
		for k := 1; k < len(f.before); k++ {
			f.before[k] = f.before[k-1] + utf16Length(f.Data[(k-1)*block:k*block])
		}
	})
	at := func(offset int) int {
		k := offset / block
		return f.before[k] + utf16Length(f.Data[k*block:offset])
	}
	return at(to) - at(from)
}

// utf16Length counts code units by the bytes that begin characters, so that the lengths of parts add up wherever a text
// is cut. Decode leaves no invalid UTF-8.
func utf16Length(b []byte) int {
	n := 0
	for _, c := range b {
		switch {
		case c >= 0xF0:
			n += 2 // beyond the basic plane: a surrogate pair
		case c < 0x80 || c >= 0xC0:
			n++
		}
	}
	return n
}
