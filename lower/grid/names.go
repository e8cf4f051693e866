package grid

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// scope holds names of a block, or of a function.
type scope struct {
	parent  *scope
	names   map[string]symbol
	returns *returns // of a function
}

// returns is where return goes.
type returns struct {
	slot int
	from []int
}

// symbol is what a name stands for: a number of the thread, an object in memory, or an expression of the host.
type symbol struct {
	slot   int
	kind   wrap
	object bool
	base   int
	value  expr // not nil: a constant
	array  bool // of the thread's own: not followed
	alias  bool // an array: a reference to something
	strong bool // points to volatile
	extent bool // of an object that is declared: an array, whose name is its address
	whole  bool // a variable of the file: its name is its value
}

func (s *scope) find(name string) (symbol, bool) {
	for ; s != nil; s = s.parent {
		if v, ok := s.names[name]; ok {
			return v, true
		}
	}
	return symbol{}, false
}

// readConstants notes the constants of the file, and enumerators.
func (c *compiler) readConstants() {
	note := func(a *program.Assign) {
		for _, t := range a.Targets {
			if n, ok := t.(*program.Name); ok && a.Value != nil && len(a.Dims) == 0 {
				c.constants[n.Ident] = a.Value
			}
		}
	}
	for _, s := range c.file.Body {
		if a, ok := s.(*program.Assign); ok && (a.Const || strings.Contains(a.Type, "const") || c.file.Language == program.CuTe) {
			note(a)
		}
	}
}

// readVariables notes the variables of the file in global memory: the tree has no place for __device__, so the text before
// the declaration tells.
func (c *compiler) readVariables() {
	data := c.file.Source.Data
	for _, s := range c.file.Body {
		a, ok := s.(*program.Assign)
		if !ok || !a.Decl || a.Shared || a.Const || a.Span.Start > len(data) {
			continue
		}
		before := string(data[max(0, a.Span.Start-200):a.Span.Start])
		before = before[strings.LastIndexAny(before, ";{}")+1:]
		if !strings.Contains(before, "__device__") || strings.Contains(before, "__constant__") {
			continue
		}
		for _, t := range a.Targets {
			if n, isName := t.(*program.Name); isName {
				c.variables[n.Ident] = a
			}
		}
	}
}

// variable makes an object of a variable in global memory. What it holds at first is known where that is 0.
func (c *compiler) variable(a *program.Assign, name string) symbol {
	if a.Value != nil {
		if v := c.pure(a.Value)(nil); v != 0 {
			return symbol{array: true}
		}
	}
	v := symbol{object: true, base: c.base(name, false, kindOf(a.Type)), extent: len(a.Dims) > 0, strong: strings.Contains(a.Type, "volatile"), whole: true}
	c.declared[name] = v
	return v
}

// find is what a name stands for where the compiler is.
func (c *compiler) find(name string) (symbol, bool) {
	if v, ok := c.scope.find(name); ok {
		return v, true
	}
	if v, ok := c.declared[name]; ok {
		return v, true
	}
	if a := c.variables[name]; a != nil && c.program.kernel != nil {
		return c.variable(a, name), true
	}
	return symbol{}, false
}

// base is the object of a name.
func (c *compiler) base(name string, shared bool, kind wrap) int {
	if b, ok := c.bases[name]; ok {
		return b
	}
	if len(c.program.bases) == maxBases {
		return 0
	}
	b := len(c.program.bases)
	c.bases[name] = b
	c.program.bases = append(c.program.bases, base{name, shared, kind})
	return b
}

// kindOf is how the integers of a declared type overflow.
func kindOf(typ string) wrap {
	for _, w := range strings.FieldsFunc(typ, func(r rune) bool { return strings.ContainsRune(" *&<>,", r) }) {
		switch strings.TrimPrefix(w, "std::") {
		case "unsigned", "uint", "uint32_t", "Uint32":
			if strings.Contains(typ, "long") || strings.Contains(typ, "64") {
				return asIs
			}
			return uint32s
		case "int", "int32_t", "Int32":
			if strings.Contains(typ, "long") {
				return asIs
			}
			return int32s
		}
	}
	return asIs
}

func (c *compiler) declare(name string, kind wrap) symbol {
	if v, ok := c.scope.names[name]; ok && v.value == nil && !v.object && !v.array {
		return v
	}
	v := symbol{slot: c.temporary(), kind: kind}
	c.scope.names[name] = v
	return v
}

func constant(v int64) expr { return func(*env) int64 { return v } }

func local(slot int) expr { return func(e *env) int64 { return e.s[e.local+slot] } }

func lastWord(name string) string {
	if i := strings.LastIndexAny(name, ".:"); i >= 0 {
		return name[i+1:]
	}
	return name
}
