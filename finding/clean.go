package finding

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text from a source file, a file name or a report fit to print on one line of a terminal or a workflow log
// (notes/anchors.md C1 rows 7 and 8). Control characters, escape sequences with them, become pictures; characters
// that turn or hide text (Trojan Source) and bytes that are no UTF-8 become U+FFFD; a tab becomes a blank; and what the
// Actions runner would take for a command, "::" at the start of a line and "##[" anywhere, gets a backslash into it.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for _, r := range s {
		b.WriteRune(CleanRune(r))
	}
	return NoCommand(b.String())
}

// plain is the quick way out: printable ASCII without a character that a command needs.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == ':' || c == '#' {
			return false
		}
	}
	return true
}

// CleanRune is Clean for one character, which it replaces by exactly one.
func CleanRune(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case r < 0x20:
		return 0x2400 + r
	case r == 0x7F:
		return 0x2421
	case hidden(r):
		return utf8.RuneError
	}
	return r
}

// hidden reports characters that print as nothing or change how others print: C1 controls, format characters (all the
// bidirectional ones among them), line and paragraph separators, and what is no character at all.
func hidden(r rune) bool {
	return 0x80 <= r && r <= 0x9F || r == 0x2028 || r == 0x2029 || unicode.In(r, unicode.Cf, unicode.Cs, unicode.Co)
}

// NoCommand breaks up what the Actions runner would read as a command in a line: it looks for "::" after any blanks at
// its start, and for "##[" anywhere in it (actions/runner, ActionCommand.cs).
func NoCommand(line string) string {
	if text := strings.TrimLeftFunc(line, unicode.IsSpace); strings.HasPrefix(text, "::") {
		line = line[:len(line)-len(text)] + `\` + text
	}
	return strings.ReplaceAll(line, "##[", `##\[`)
}

// EscapeJSON rewrites encoded JSON so that it means the same and is fit to print: what Clean would replace is escaped.
// All of it can only stand inside of strings.
func EscapeJSON(encoded []byte) []byte {
	var b strings.Builder
	b.Grow(len(encoded))
	for i, r := range string(encoded) {
		switch {
		case r == '[' && i >= 2 && encoded[i-1] == '#' && encoded[i-2] == '#':
			b.WriteString(`\u005b`)
		case r == 0x7F || hidden(r) && r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		case hidden(r):
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			b.WriteRune(r)
		}
	}
	return []byte(b.String())
}
