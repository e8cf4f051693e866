// Package source reads kernel files safely and knows where things stand in them: decoding, line index, UTF-16
// columns, suppression comments, and the lines a change touched. It knows no syntax.
package source

// Span is a half-open range [Start, End) of byte offsets into File.Data.
type Span struct{ Start, End int }

// Position is a place a person can find: 1-based line, 1-based column in UTF-16 code units (SARIF 2.1.0, 3.30.6).
type Position struct{ Line, Column int }

// Join returns the smallest span that covers both.
func (s Span) Join(t Span) Span {
	if s == (Span{}) {
		return t
	}
	if t == (Span{}) {
		return s
	}
	return Span{Start: min(s.Start, t.Start), End: max(s.End, t.End)}
}
