package lsp

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/source"
)

func TestLinesAndUnits(t *testing.T) {
	text := newText("a\rb\r\n🚧é\n")
	for _, c := range []struct {
		at int
		in map[encoding]position
	}{
		{0, map[encoding]position{utf8Units: {0, 0}, utf16Units: {0, 0}, utf32Units: {0, 0}}},
		{2, map[encoding]position{utf8Units: {1, 0}, utf16Units: {1, 0}, utf32Units: {1, 0}}},
		{5, map[encoding]position{utf8Units: {2, 0}, utf16Units: {2, 0}, utf32Units: {2, 0}}},
		{9, map[encoding]position{utf8Units: {2, 4}, utf16Units: {2, 2}, utf32Units: {2, 1}}},
		{11, map[encoding]position{utf8Units: {2, 6}, utf16Units: {2, 3}, utf32Units: {2, 2}}},
		{12, map[encoding]position{utf8Units: {3, 0}, utf16Units: {3, 0}, utf32Units: {3, 0}}},
	} {
		for units, want := range c.in {
			if got := text.position(c.at, units); got != want {
				t.Errorf("%s: offset %d is %+v, want %+v", units, c.at, got, want)
			}
			if got := text.offset(want, units); got != c.at {
				t.Errorf("%s: %+v is offset %d, want %d", units, want, got, c.at)
			}
		}
	}
	for p, want := range map[position]int{{2, 1}: 5, {2, 99}: 11, {9, 0}: 12, {-1, 5}: 0, {2, -4}: 5} { // inside of a pair, behind the end
		if got := text.offset(p, utf16Units); got != want {
			t.Errorf("%+v is offset %d, want %d", p, got, want)
		}
	}
}

func TestPlace(t *testing.T) {
	f := &source.File{Name: "k.cu", Data: []byte("ab\ncdé\n")}
	for _, c := range []struct {
		l    finding.Location
		want string
	}{
		{finding.Location{Line: 2, Column: 2, EndLine: 2, EndColumn: 3}, "d"},
		{finding.Location{Line: 2, Column: 2}, "dé"},
		{finding.Location{Line: 2}, "cdé"},
		{finding.Location{Line: 2, Column: 3, EndLine: 2, EndColumn: 3}, "é"},
		{finding.Location{Line: 1, Column: 2, EndLine: 2, EndColumn: 2}, "b\nc"},
		{finding.Location{Line: 1, Column: 9, EndLine: 1, EndColumn: 9}, "ab"},
		{finding.Location{Line: 9, Column: 1, EndLine: 9, EndColumn: 2}, "cdé"},
		{finding.Location{}, "ab"},
	} {
		if s := place(f, c.l); string(f.Data[s.from:s.to]) != c.want {
			t.Errorf("%+v is %q, want %q", c.l, f.Data[s.from:s.to], c.want)
		}
	}
	if s := place(&source.File{}, finding.Location{Line: 4, Column: 4}); s != (span{}) {
		t.Errorf("of nothing: %+v", s)
	}
}

// FuzzText: an offset at a character is the offset of its position, and a replacement leaves what stands around it in its place.
func FuzzText(f *testing.F) {
	f.Add("a\rb\r\n🚧é\n", "x", 3, 2)
	f.Add("aaaa", "aa", 1, 1)
	f.Fuzz(func(t *testing.T, data, put string, at, length int) {
		data, put = strings.ToValidUTF8(data, "?"), strings.ToValidUTF8(put, "?")
		text := newText(data)
		for i := range data + "." {
			if i > 0 && i < len(data) && data[i-1] == '\r' && data[i] == '\n' {
				continue // within the end of a line
			}
			for _, units := range []encoding{utf8Units, utf16Units, utf32Units} {
				if p := text.position(i, units); text.offset(p, units) != i {
					t.Errorf("%q: offset %d is %+v, which is offset %d", data, i, p, text.offset(p, units))
				}
			}
		}
		at = min(max(at, 0), len(data))
		end := min(max(length, 0)+at, len(data))
		after := data[:at] + put + data[end:]
		how := replaced(data, after)
		if got := data[:how.from] + after[how.from:how.from+how.length] + data[how.to:]; got != after {
			t.Errorf("%q to %q: %+v makes %q", data, after, how, got)
		}
		for i := range data {
			_, size := utf8.DecodeRuneInString(data[i:])
			if s, ok := how.moved(span{i, i + size}); ok && after[s.from:s.to] != data[i:i+size] {
				t.Errorf("%q to %q: %q at %d moved to %q", data, after, data[i:i+size], i, after[s.from:s.to])
			}
		}
	})
}
