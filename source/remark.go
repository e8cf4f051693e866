package source

import (
	"bytes"
	"regexp"
	"strings"
)

// WithoutRemarks cuts comments, blank lines and blanks at the ends of lines. A comment that may not be one stays; so does one that says something to fencepost. On lines that a string goes on over nothing is cut.
func WithoutRemarks(text []byte, begin string, inside map[int]bool) string {
	var out strings.Builder
	number := 0
	for line := range bytes.Lines(text) {
		if number++; !inside[number] && !inside[number+1] {
			if at := remark(line, begin); at >= 0 && !comment.Match(line) && !bytes.HasSuffix(bytes.TrimRight(line, "\r\n"), []byte("\\")) {
				line = line[:at]
			}
			if line = bytes.TrimRight(line, " \t\r\n"); len(line) == 0 {
				continue
			}
		}
		out.Write(bytes.TrimRight(line, "\r\n"))
		out.WriteByte('\n')
	}
	return out.String()
}

// remark is where a comment begins on a line that no string goes on over; -1 where there is none, or where it is not plain: in a string
// that is formatted there may be others, with the same quotes.
func remark(line []byte, begin string) int {
	if !bytes.Contains(line, []byte(begin)) {
		return -1
	}
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quote != 0:
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			if bytes.HasPrefix(line[i:], bytes.Repeat([]byte{c}, 3)) || i > 0 && WordByte(line[i-1]) {
				return -1
			}
			quote = c
		case bytes.HasPrefix(line[i:], []byte(begin)):
			return i
		}
	}
	return -1
}

// comment is what keeps a line whole: what is said to fencepost, and a comment that may end on the line.
var comment = regexp.MustCompile(`fencepost|/\*|\*/`)

// WithinStrings are the lines of a Python file that a string of several lines goes on over, or that a backslash continues.
func WithinStrings(text []byte) map[int]bool {
	inside := map[int]bool{}
	line, quote := 1, ""
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			if i++; text[i] == '\n' {
				line++
				inside[line] = true
			}
		case c == '\n':
			line++
			if len(quote) == 1 {
				quote = ""
			}
			if quote != "" {
				inside[line] = true
			}
		case quote != "":
			if bytes.HasPrefix(text[i:], []byte(quote)) {
				i += len(quote) - 1
				quote = ""
			}
		case c == '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == '"' || c == '\'':
			quote = string(c)
			if triple := strings.Repeat(quote, 3); bytes.HasPrefix(text[i:], []byte(triple)) {
				quote = triple
				i += 2
			}
		}
	}
	return inside
}

// WordByte reports whether a byte is one of a word of the languages that are read: a letter, a digit or an underscore.
func WordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
