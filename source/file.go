package source

import (
	"bytes"
	"sort"
	"sync"
	"unicode/utf8"
)

// File is one source file, decoded. Data is UTF-8 with the byte count of what the decoder produced; Name is the
// slash-separated path shown to the user, relative to the root that was opened. A File is used by pointer.
type File struct {
	Name string
	Data []byte
	BOM  bool // the text began with a byte order mark, which is not part of Data

	once   sync.Once
	starts []int // offset of the first byte of each line
}

// A line ends at "\n": git and GitHub count lines so, and a finding must land on the line they show. A carriage
// return before it belongs to the terminator; a lone one does not end a line.
func (f *File) index() []int {
	f.once.Do(func() {
		f.starts = make([]int, 1, 1+bytes.Count(f.Data, []byte{'\n'}))
		for i, b := range f.Data {
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
	if n := len(starts); n > 1 && starts[n-1] == len(f.Data) {
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
	s := Span{Start: starts[n-1], End: len(f.Data)}
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
	offset = min(max(offset, 0), len(f.Data))
	line := sort.Search(len(starts), func(i int) bool { return starts[i] > offset })
	return Position{Line: line, Column: 1 + utf16Length(f.Data[starts[line-1]:offset])}
}

func utf16Length(b []byte) int {
	n := 0
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		i += size
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
