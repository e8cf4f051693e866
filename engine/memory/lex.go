package memory

import (
	"fmt"
	"strings"
)

// Bounds on a test, which may come from a stranger.
const (
	maxFile    = 1 << 20
	maxThreads = 64
	maxCode    = 512 // instructions a thread
	maxNames   = 128
	maxRegs    = 256 // a thread
	maxDepth   = 64  // nesting of a condition
)

// token is a word (letters, digits, dots, underscores) or a sign. end has an empty text.
type token struct {
	text string
	line int
}

func (t token) String() string {
	if t.text == "" {
		return "the end of the file"
	}
	if len(t.text) > 40 {
		return fmt.Sprintf("%q", t.text[:40]+"…")
	}
	return fmt.Sprintf("%q", t.text)
}

func errorAt(line int, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
}

// signs that have more than one character, longest first.
var signs = []string{"/\\", "\\/", "==", "!=", "<=", ">="}

func isWord(c byte) bool {
	return c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// joins reports whether text has at i the double colon inside a qualifier such as shared::cta.
func joins(text string, i int) bool {
	return text[i] == ':' && (text[i-1] == ':' || i+2 < len(text) && text[i+1] == ':' && isWord(text[i+2]))
}

// header takes the language, the name and the free text off the front: everything before the first brace that stands
// outside quotes.
func header(text string) (title, rest string, line int, err error) {
	line = 1
	i := 0
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		if text[i] == '\n' {
			line++
		}
		i++
	}
	first, _, _ := strings.Cut(text[i:], "\n")
	words := strings.Fields(first)
	if len(words) == 0 || !strings.EqualFold(words[0], "PTX") {
		return "", "", line, errorAt(line, "a litmus test begins with PTX and its name")
	}
	if len(words) > 1 {
		title = words[1]
	}
	quoted := false
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			line++
		case c == '"':
			quoted = !quoted
		case c == '{' && !quoted:
			return title, text[i:], line, nil
		}
	}
	return "", "", line, errorAt(line, "no initial state: { and } are missing, or a quote is left open")
}

// tokens splits what follows the header. Comments are (* … *).
func tokens(text string, line int) ([]token, error) {
	var out []token
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case strings.HasPrefix(text[i:], "(*"):
			end := strings.Index(text[i+2:], "*)")
			if end < 0 {
				return nil, errorAt(line, "a comment does not end")
			}
			line += strings.Count(text[i:i+2+end], "\n")
			i += end + 4
		case isWord(c):
			j := i
			for j < len(text) && (isWord(text[j]) || joins(text, j)) {
				j++
			}
			out = append(out, token{text[i:j], line})
			i = j
		case strings.IndexByte("{}();:|,@=<>~[]&-/\\!", c) >= 0:
			n := 1
			for _, s := range signs {
				if strings.HasPrefix(text[i:], s) {
					n = len(s)
					break
				}
			}
			out = append(out, token{text[i : i+n], line})
			i += n
		default:
			return nil, errorAt(line, "unexpected character %q", c)
		}
	}
	return append(out, token{"", line}), nil
}
