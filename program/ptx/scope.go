package ptx

import (
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// scopes keeps what each brace scope of a body declares. Scope 0 is the body itself.
type scopes struct {
	list    []scope
	stack   []int
	seen    map[string]int // how often a name was declared so far
	renamed int
}

type scope struct {
	parent int
	names  map[string]string // declared name → its name after flattening
}

func (s *scopes) start() {
	if s.list == nil {
		s.list, s.stack, s.seen = []scope{{parent: -1}}, []int{0}, map[string]int{}
	}
}

func (s *scopes) current() int {
	s.start()
	return s.stack[len(s.stack)-1]
}

func (s *scopes) open() {
	s.start()
	if len(s.list) >= maxScopes || len(s.stack) >= maxNesting {
		s.stack = append(s.stack, s.current()) // beyond the limit scopes share their names
		return
	}
	s.list = append(s.list, scope{parent: s.current()})
	s.stack = append(s.stack, len(s.list)-1)
}

// close leaves the current scope and reports whether there was one.
func (s *scopes) close() bool {
	s.start()
	if len(s.stack) == 1 {
		return false
	}
	s.stack = s.stack[:len(s.stack)-1]
	return true
}

func (s *scopes) declare(name string) {
	sc := &s.list[s.current()]
	if _, again := sc.names[name]; again {
		return
	}
	if sc.names == nil {
		sc.names = map[string]string{}
	}
	final := name
	if n := s.seen[name]; n > 0 {
		final = name + "$" + strconv.Itoa(n)
		s.renamed++
	}
	s.seen[name]++
	sc.names[name] = final
}

// resolve returns the flattened name of a name used in a scope.
func (s *scopes) resolve(name string, at int) string {
	for ; at >= 0 && name != ""; at = s.list[at].parent {
		if final, ok := s.list[at].names[name]; ok {
			return final
		}
	}
	return name
}

// rename resolves every name in an operand's text.
func (s *scopes) rename(text string, at int) string {
	return eachName(text, func(name string) string { return s.resolve(name, at) })
}

// Substitute puts other text in the place of names of an operand: the numbers that operands of an asm statement are.
func Substitute(o program.Operand, by map[string]string) program.Operand {
	return operand(eachName(o.Text, func(name string) string {
		if text, is := by[name]; is {
			return text
		}
		return name
	}))
}

// eachName is a text with its names replaced.
func eachName(text string, by func(name string) string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && isNameByte(text[j]) {
			j++
		}
		if j == i {
			b.WriteByte(text[i])
			i++
			continue
		}
		b.WriteString(by(text[i:j]))
		i = j
	}
	return b.String()
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c == '%' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
