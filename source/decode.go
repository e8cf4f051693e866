package source

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Decode makes a File of raw bytes. UTF-16 is recognised by its byte order mark; everything else is UTF-8, and a
// byte that is not becomes '?', so that offsets and columns stay those an editor shows. NUL bytes stay.
func Decode(name string, raw []byte) *File {
	switch {
	case bytes.HasPrefix(raw, []byte{0xEF, 0xBB, 0xBF}):
		return &File{Name: name, Data: validUTF8(raw[3:]), BOM: true}
	case bytes.HasPrefix(raw, []byte{0xFF, 0xFE}):
		return &File{Name: name, Data: fromUTF16(raw[2:], 0), BOM: true}
	case bytes.HasPrefix(raw, []byte{0xFE, 0xFF}):
		return &File{Name: name, Data: fromUTF16(raw[2:], 1), BOM: true}
	}
	return &File{Name: name, Data: validUTF8(raw)}
}

func validUTF8(raw []byte) []byte {
	if utf8.Valid(raw) {
		return raw
	}
	out := bytes.Clone(raw)
	for i := 0; i < len(out); {
		r, size := utf8.DecodeRune(out[i:])
		if r == utf8.RuneError && size == 1 {
			out[i] = '?'
		}
		i += size
	}
	return out
}

// fromUTF16 decodes code units whose low byte stands at index low (0: little endian reads high from 1, and so on).
// A surrogate without its partner, and half a unit at the end, become '?'.
func fromUTF16(raw []byte, low int) []byte {
	unit := func(i int) rune { return rune(raw[i+low]) | rune(raw[i+1-low])<<8 }
	out := make([]byte, 0, len(raw))
	i := 0
	for ; i+1 < len(raw); i += 2 {
		r := unit(i)
		if utf16.IsSurrogate(r) {
			pair := rune(utf8.RuneError)
			if i+3 < len(raw) {
				pair = utf16.DecodeRune(r, unit(i+2))
			}
			if r = '?'; pair != utf8.RuneError {
				r = pair
				i += 2
			}
		}
		out = utf8.AppendRune(out, r)
	}
	if i < len(raw) {
		out = append(out, '?')
	}
	return out
}
