package ptx

import "strings"

// scanner walks PTX text. PTX is free-form: statements end with ";", scopes are braces, and a few directives
// (.loc, .file, .version, .target) end with the line (PTX ISA, section 4).
type scanner struct {
	text string
	pos  int
}

func (s *scanner) peek(ahead int) byte {
	if s.pos+ahead < len(s.text) {
		return s.text[s.pos+ahead]
	}
	return 0
}

func (s *scanner) done() bool { return s.pos >= len(s.text) }

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'
}

// skip passes white space and comments.
func (s *scanner) skip() {
	for !s.done() {
		switch c := s.text[s.pos]; {
		case isSpace(c):
			s.pos++
		case s.comment():
		default:
			return
		}
	}
}

// comment passes one comment, if one starts here.
func (s *scanner) comment() bool {
	rest := s.text[s.pos:]
	switch {
	case strings.HasPrefix(rest, "//"):
		s.line()
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			s.pos = len(s.text)
		} else {
			s.pos += 2 + end + 2
		}
	default:
		return false
	}
	return true
}

// line passes the rest of the line and returns it.
func (s *scanner) line() string {
	start := s.pos
	if end := strings.IndexByte(s.text[s.pos:], '\n'); end >= 0 {
		s.pos += end
	} else {
		s.pos = len(s.text)
	}
	return s.text[start:s.pos]
}

// quoted passes a string literal; an unfinished one ends with the line.
func (s *scanner) quoted() string {
	start := s.pos
	for s.pos++; !s.done() && s.text[s.pos] != '\n'; s.pos++ {
		if s.text[s.pos] == '\\' {
			s.pos++
			continue
		}
		if s.text[s.pos] == '"' {
			s.pos++
			break
		}
	}
	s.pos = min(s.pos, len(s.text))
	return s.text[start:s.pos]
}

// word passes an opcode with its modifiers, a name, a register or a number. "::" belongs to a word (shared::cta), a
// single ":" does not (it ends a label). A word that starts elsewhere than at a letter may be empty.
func (s *scanner) word() string {
	start := s.pos
	for !s.done() {
		c := s.text[s.pos]
		if c == ':' && s.peek(1) == ':' {
			s.pos += 2
			continue
		}
		if c == '=' && s.pos > start && s.text[s.pos-1] == '%' { // LAB_%=, the unique number of GCC and clang
			s.pos++
			continue
		}
		if isSpace(c) || strings.IndexByte(`;:{}[](),@"!|+<>=`, c) >= 0 || c == '/' && (s.peek(1) == '/' || s.peek(1) == '*') {
			break
		}
		s.pos++
	}
	return s.text[start:s.pos]
}

// operandsUntilEnd passes the operands of an instruction up to its ";" (or to a "}" that closes the scope, or to the
// end), and returns them without white space, cut at the commas outside brackets.
func (s *scanner) operandsUntilEnd() []string {
	var out []string
	var b strings.Builder
	depth := 0
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	for !s.done() {
		c := s.text[s.pos]
		switch {
		case isSpace(c):
			s.pos++
			continue
		case c == '/' && s.comment():
			continue
		case c == '"':
			b.WriteString(s.quoted())
			continue
		case c == ';':
			flush()
			s.pos++
			return out
		case c == '}' && depth == 0:
			flush()
			return out
		case c == '{' || c == '[' || c == '(':
			// Operands may be glued: tcgen05.ld…{%0},[%1] and call (r),f.
			depth++
		case c == '}' || c == ']' || c == ')':
			depth = max(depth-1, 0)
		case c == ',' && depth == 0:
			flush()
			s.pos++
			continue
		}
		b.WriteByte(c)
		s.pos++
	}
	flush()
	return out
}

// braces passes a balanced {…} group.
func (s *scanner) braces() {
	depth := 0
	for !s.done() {
		switch c := s.text[s.pos]; {
		case c == '"':
			s.quoted()
			continue
		case c == '/' && s.comment():
			continue
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth <= 0 {
				s.pos++
				return
			}
		}
		s.pos++
	}
}
