package cuda

// kind is the class of a token, as coarse as the blanking pass needs.
type kind uint8

const (
	word kind = iota
	number
	text // string or character literal
	punct
)

// token is one live token of the file: comments, directives and dead branches leave none.
type token struct {
	kind       kind
	start, end int
}

// lexer walks the file once. It blanks comments, directives and the branches of #if groups that are not kept, and
// collects the tokens of what stays. Every replacement keeps the length, so offsets stay those of the file.
type lexer struct {
	undefined string     // the last name that a condition asked for and that may be defined elsewhere
	library   bool       // that is so only because a library of others may define it, and it is asked for nothing but whether it is defined
	apart     bool       // what a library of others may define is taken not to be defined
	lacking   []string   // names that a condition asked for and that nothing defines
	elsewhere *Elsewhere // nil: nothing is known of other files
	src       []byte
	words     string // src as a string, "" where few tokens are asked for
	out       []byte
	tokens    []token
	groups    []group
	met       func(start, end int) // told of directives, which are not interpreted then
	unclosed  int                  // one more than where a comment begins that has no end; 0: none does
	pre       preprocessor
	branches  map[int]*branch // see there; nil: not looked for yet
}

// scan fills out and tokens.
func (l *lexer) scan() {
	fresh := true // nothing but blanks since the line began: a # here is a directive
	for i := 0; i < len(l.src); {
		c := l.src[i]
		switch {
		case c == '\n':
			fresh = true
			i++
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			i++
			continue
		case c == '\\' && i+1 < len(l.src) && (l.src[i+1] == '\n' || l.src[i+1] == '\r'):
			l.blank(i, i+1)
			i++
			continue
		case c == '#' && fresh:
			end := l.directiveEnd(i)
			if l.met != nil {
				l.met(i, end)
			} else {
				l.directive(i, end)
			}
			l.blank(i, end)
			i = end
			continue
		case c == '/' && i+1 < len(l.src) && l.src[i+1] == '/':
			end := lineEnd(l.src, i)
			l.blank(i, end)
			i = end
			continue
		case c == '/' && i+1 < len(l.src) && l.src[i+1] == '*':
			end := commentEnd(l.src, i)
			if end == len(l.src) && (end < i+4 || l.src[end-2] != '*' || l.src[end-1] != '/') && l.live() {
				l.unclosed = i + 1
			}
			l.blank(i, end)
			i = end
			continue
		}
		fresh = false
		t := l.token(i)
		if l.live() {
			l.tokens = append(l.tokens, t)
		} else {
			l.blank(t.start, t.end)
		}
		i = t.end
	}
}

// token reads the token at i, which is no blank.
func (l *lexer) token(i int) token {
	c := l.src[i]
	switch {
	case isLetter(c):
		end := i + 1
		for end < len(l.src) && (isLetter(l.src[end]) || isDigit(l.src[end])) {
			end++
		}
		if end < len(l.src) && (l.src[end] == '"' || l.src[end] == '\'') && end-i <= 3 && literalPrefix(string(l.src[i:end])) {
			if l.src[end-1] == 'R' && l.src[end] == '"' {
				return token{text, i, rawEnd(l.src, end)}
			}
			return token{text, i, quoteEnd(l.src, end)}
		}
		return token{word, i, end}
	case isDigit(c) || c == '.' && i+1 < len(l.src) && isDigit(l.src[i+1]):
		return token{number, i, numberEnd(l.src, i)}
	case c == '"' || c == '\'':
		return token{text, i, quoteEnd(l.src, i)}
	}
	return token{punct, i, i + 1}
}

// blank overwrites [start, end) with spaces, keeping line breaks.
func (l *lexer) blank(start, end int) { blank(l.out, start, end) }

func blank(b []byte, start, end int) {
	for i := start; i < end && i < len(b); i++ {
		if b[i] != '\n' && b[i] != '\r' {
			b[i] = ' '
		}
	}
}

func isLetter(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func literalPrefix(p string) bool {
	switch p {
	case "R", "L", "u", "U", "u8", "LR", "uR", "UR", "u8R":
		return true
	}
	return false
}

// lineEnd is the end of the logical line at i: a backslash before the line break continues it.
func lineEnd(b []byte, i int) int {
	for ; i < len(b); i++ {
		if b[i] == '\n' && !continued(b, i) {
			return i
		}
	}
	return len(b)
}

func continued(b []byte, newline int) bool {
	j := newline - 1
	if j >= 0 && b[j] == '\r' {
		j--
	}
	return j >= 0 && b[j] == '\\'
}

func commentEnd(b []byte, i int) int {
	for j := i + 2; j+1 < len(b); j++ {
		if b[j] == '*' && b[j+1] == '/' {
			return j + 2
		}
	}
	return len(b)
}

// quoteEnd ends at the closing quote or, for an unclosed literal, at the line's end.
func quoteEnd(b []byte, open int) int {
	for j := open + 1; j < len(b); j++ {
		switch b[j] {
		case '\\':
			j++
			if j < len(b) && b[j] == '\r' && j+1 < len(b) && b[j+1] == '\n' {
				j++
			}
		case '\n':
			return j
		case b[open]:
			return j + 1
		}
	}
	return len(b)
}

// rawEnd ends a raw string R"delim( … )delim" whose quote is at open.
func rawEnd(b []byte, open int) int {
	paren := open + 1
	for paren < len(b) && b[paren] != '(' {
		if b[paren] == '\n' || paren-open > 17 {
			return quoteEnd(b, open)
		}
		paren++
	}
	if paren >= len(b) {
		return len(b)
	}
	closing := ")" + string(b[open+1:paren]) + "\""
	for j := paren + 1; j+len(closing) <= len(b); j++ {
		if b[j] == ')' && string(b[j:j+len(closing)]) == closing {
			return j + len(closing)
		}
	}
	return len(b)
}

// numberEnd ends a preprocessing number, digit separators and exponents included.
func numberEnd(b []byte, i int) int {
	j := i + 1
	for j < len(b) {
		c := b[j]
		switch {
		case isLetter(c) && c < 0x80 || isDigit(c) || c == '.':
		case c == '\'' && j+1 < len(b) && (isLetter(b[j+1]) || isDigit(b[j+1])):
		case (c == '+' || c == '-') && (b[j-1] == 'e' || b[j-1] == 'E') && !hex(b, i):
		case (c == '+' || c == '-') && (b[j-1] == 'p' || b[j-1] == 'P'):
		default:
			return j
		}
		j++
	}
	return j
}

func hex(b []byte, i int) bool {
	return b[i] == '0' && i+1 < len(b) && (b[i+1] == 'x' || b[i+1] == 'X')
}
