package cutedsl

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

func integer(n *syntax, text string) program.Expr {
	digits := strings.ReplaceAll(strings.TrimRight(text, "lL"), "_", "")
	if strings.HasSuffix(digits, "j") || strings.HasSuffix(digits, "J") {
		return &program.Float{Place: at(n), Text: text}
	}
	base := 10
	if len(digits) > 2 && digits[0] == '0' {
		if b := map[byte]int{'x': 16, 'o': 8, 'b': 2}[digits[1]|0x20]; b != 0 {
			base, digits = b, digits[2:]
		}
	}
	v, err := strconv.ParseInt(digits, base, 64)
	if err != nil {
		return &program.OpaqueExpr{Place: at(n), Why: "integer of more than 63 bits"}
	}
	return &program.Int{Place: at(n), Value: v}
}

// str reads a string, an f-string, or several of them side by side.
func (r *reader) str(n *syntax) program.Expr {
	pieces := []*syntax{n}
	if n.kind == "concatenated_string" {
		pieces = n.names()
	}
	var parts []program.Expr
	plain, why := true, "f-string"
	var joined strings.Builder
	for _, p := range pieces {
		for _, e := range r.stringParts(p, &why) {
			if s, ok := e.(*program.String); ok {
				joined.WriteString(s.Value)
			} else {
				plain = false
			}
			parts = append(parts, e)
		}
	}
	if plain {
		return &program.String{Place: at(n), Value: joined.String()}
	}
	return &program.OpaqueExpr{Place: at(n), Why: why, Parts: parts}
}

// stringParts splits one string into its text and its interpolations. An interpolation with a conversion or a format
// changes why, since its value is then not the text of the expression alone.
func (r *reader) stringParts(n *syntax, why *string) []program.Expr {
	text := r.text(n)
	quote := strings.IndexAny(text, `"'`)
	if n.kind != "string" || quote < 0 {
		return []program.Expr{r.opaqueExpr(n, "string")}
	}
	prefix := strings.ToLower(text[:quote])
	raw, format := strings.Contains(prefix, "r"), strings.Contains(prefix, "f")
	width := 1
	if q := text[quote]; strings.HasPrefix(text[quote:], strings.Repeat(string(q), 3)) {
		width = 3
	}
	from, to := n.start+quote+width, n.end-width
	var out []program.Expr
	literal := func(start, end int) {
		if start >= end {
			return
		}
		s := string(r.src[start:end])
		if !raw {
			s = unescape(s)
		}
		if format {
			s = strings.NewReplacer("{{", "{", "}}", "}").Replace(s)
		}
		out = append(out, &program.String{Place: program.Place{Span: source.Span{Start: start, End: end}}, Value: s})
	}
	for _, c := range n.names() {
		if c.kind != "interpolation" {
			continue
		}
		literal(from, c.start)
		from = c.end
		out = append(out, r.expr(c.child("expression")))
		if c.child("format_specifier") != nil || c.child("type_conversion") != nil {
			*why = "f-string with a format"
		}
	}
	literal(from, to)
	return out
}

var simpleEscapes = map[byte]byte{'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r',
	't': '\t', 'v': '\v'}

// unescape decodes Python's escape sequences; one it does not know stays as written, as in Python.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		c := s[i]
		if c != '\\' || i+1 == len(s) {
			b.WriteByte(c)
			i++
			continue
		}
		e := s[i+1]
		if v, ok := simpleEscapes[e]; ok {
			b.WriteByte(v)
			i += 2
			continue
		}
		switch {
		case e == '\n':
			i += 2
		case e == '\r' && i+2 < len(s) && s[i+2] == '\n':
			i += 3
		case e == 'x' || e == 'u' || e == 'U':
			i += codePoint(&b, s[i:], map[byte]int{'x': 2, 'u': 4, 'U': 8}[e])
		case e >= '0' && e <= '7':
			end := i + 1
			for end < len(s) && end < i+4 && s[end] >= '0' && s[end] <= '7' {
				end++
			}
			v, _ := strconv.ParseUint(s[i+1:end], 8, 32)
			b.WriteRune(rune(v))
			i = end
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// codePoint decodes \xHH, \uHHHH or \UHHHHHHHH at the start of s and returns how many bytes it took.
func codePoint(b *strings.Builder, s string, digits int) int {
	if len(s) >= 2+digits {
		if v, err := strconv.ParseUint(s[2:2+digits], 16, 32); err == nil && v <= utf8.MaxRune {
			b.WriteRune(rune(v))
			return 2 + digits
		}
	}
	b.WriteByte('\\')
	return 1
}
