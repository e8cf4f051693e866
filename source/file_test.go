package source

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func TestDecode(t *testing.T) {
	for _, test := range []struct {
		name, raw, want string
		bom             bool
	}{
		{"plain", "a = 1\n", "a = 1\n", false},
		{"byte order mark", "\xEF\xBB\xBFa", "a", true},
		{"bad bytes keep their places", "a\xff\xc3(b", "a??(b", false},
		{"latin-1 comment", "# gr\xfc\xdfe", "# gr??e", false},
		{"NUL stays", "a\x00b", "a\x00b", false},
		{"UTF-16 little endian", "\xFF\xFEa\x00\xb5\x00", "aµ", true},
		{"UTF-16 big endian", "\xFE\xFF\x00a\x00\xb5", "aµ", true},
		{"surrogate pair", "\xFF\xFE\x3d\xd8\x00\xdeb\x00", "😀b", true},
		{"lone surrogate", "\xFF\xFE\x3d\xd8b\x00", "?b", true},
		{"half a unit", "\xFF\xFEa\x00b", "a?", true},
		{"empty", "", "", false},
	} {
		f := Decode("k.py", []byte(test.raw))
		if string(f.Data) != test.want || f.BOM != test.bom {
			t.Errorf("%s: %q, BOM %v; want %q, BOM %v", test.name, f.Data, f.BOM, test.want, test.bom)
		}
	}
}

func TestPosition(t *testing.T) {
	f := &File{Data: []byte("ab\r\nµ😀c\n\nlast")}
	for _, test := range []struct {
		offset int
		want   Position
	}{
		{0, Position{1, 1}}, {2, Position{1, 3}}, {4, Position{2, 1}}, {6, Position{2, 2}}, {10, Position{2, 4}},
		{12, Position{3, 1}}, {13, Position{4, 1}}, {17, Position{4, 5}}, {99, Position{4, 5}}, {-1, Position{1, 1}},
	} {
		if got := f.Position(test.offset); got != test.want {
			t.Errorf("Position(%d) = %v, want %v", test.offset, got, test.want)
		}
	}
	for n, want := range []string{"", "ab", "µ😀c", "", "last", ""} {
		if got := f.Line(n); got != want {
			t.Errorf("Line(%d) = %q, want %q", n, got, want)
		}
	}
	for text, want := range map[string]int{"": 1, "a": 1, "a\n": 1, "a\nb": 2, "\n\n": 2} {
		if got := (&File{Data: []byte(text)}).Lines(); got != want {
			t.Errorf("Lines(%q) = %d, want %d", text, got, want)
		}
	}
}

// TestPositionOnOneLine: columns far into a long line are those that counting it from its start gives.
func TestPositionOnOneLine(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var text []rune
	for range 8 * block {
		text = append(text, []rune("aµ€😀 ")[rnd.IntN(5)])
	}
	f := &File{Data: []byte("first\n" + string(text))}
	for range 2000 {
		k := rnd.IntN(len(text))
		offset := len("first\n") + len(string(text[:k]))
		if got, want := f.Position(offset), (Position{2, 1 + len(utf16.Encode(text[:k]))}); got != want {
			t.Fatalf("Position(%d) = %v, want %v", offset, got, want)
		}
		if back, ok := f.Offset(f.Position(offset)); !ok || back != offset {
			t.Fatalf("Offset(Position(%d)) = %d, %v", offset, back, ok)
		}
	}
	for _, p := range []Position{{0, 1}, {1, 0}, {1, 7}, {3, 1}, {2, 1 << 30}} {
		if offset, ok := f.Offset(p); ok {
			t.Errorf("Offset(%v) = %d", p, offset)
		}
	}
}

// BenchmarkPositionOnOneLine: a position costs the same wherever it is on a line.
func BenchmarkPositionOnOneLine(b *testing.B) {
	for _, size := range []int{1 << 12, 1 << 16, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			f := &File{Data: bytes.Repeat([]byte("x"), size)}
			for i := range b.N {
				f.Position(size - 1 - i%100)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\xFF\xFEa\x00\x3d\xd8"))
	f.Add([]byte("\xEF\xBB\xBFa\r\n\xffb\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		file := Decode("k", raw)
		if !utf8.Valid(file.Data) {
			t.Fatalf("%q decodes to %q, which is not UTF-8", raw, file.Data)
		}
		if !file.BOM && len(file.Data) != len(raw) {
			t.Fatalf("%q: %d bytes became %d", raw, len(raw), len(file.Data))
		}
		for n := 1; n <= file.Lines(); n++ {
			span := file.LineSpan(n)
			if got := file.Position(span.Start); got != (Position{Line: n, Column: 1}) {
				t.Fatalf("%q: line %d starts at %v", raw, n, got)
			}
			if bytes.ContainsRune(file.Data[span.Start:span.End], '\n') {
				t.Fatalf("%q: line %d holds a terminator", raw, n)
			}
		}
	})
}
