package cuda

import (
	"maps"
	"slices"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// fileScope declares constants and variables of namespaces.
func (c *compiler) fileScope(f *program.File) {
	defer func() { c.declares = "" }()
	for _, st := range f.Body {
		a, ok := st.(*program.Assign)
		if !ok || !a.Decl {
			continue
		}
		c.declares = a.Scope
		for _, t := range a.Targets {
			id, ok := t.(*program.Name)
			if !ok || builtins[id.Ident] { // an editor has a declaration of these
				continue
			}
			if a.Type != "using" {
				c.object(a.Scope, id.Ident, c.membersOf(a))
			}
			if a.Shared { // each CTA has one of its own, if its kernel uses it
				c.arrays[id.Ident] = a
				continue
			}
			if a.Type == "using" {
				c.aliases[id.Ident] = append(c.aliases[id.Ident], &alias{params: a.Template, value: a.Value, space: a.Scope})
				continue
			}
			if a.Type == "" && a.Const && a.Value != nil {
				c.declare(a.Scope, id.Ident, &variable{t: intType, reg: -1, macro: a.Value})
				continue
			}
			of := c.typeOf(a.Type)
			fixed := len(a.Dims) == 0 && (a.Const || slices.Contains(tokens(a.Type).list, "const"))
			if n, known := c.folded(unlisted(a.Value, of)); known && fixed {
				if of == nil && c.automatic(a.Type) {
					of = typeOfNumber(n.Type)
				}
				if of != nil {
					c.declare(a.Scope, id.Ident, &variable{t: of, reg: -1, number: &n.N})
				}
				continue
			}
			if fixed && a.Value != nil && a.Space == "" && of != nil && of.integer() && !of.boolean { // made of what is not read: a number all the same, and no memory
				c.declare(a.Scope, id.Ident, &variable{t: of, reg: -1, input: id.Ident})
				continue
			}
			for k := len(a.Dims) - 1; k >= 0 && of != nil; k-- {
				n, known := c.constant(a.Dims[k])
				if !known {
					of = nil
					break
				}
				of = arrayOf(of, n)
			}
			if of != nil { // __device__ and __constant__ variables, or the host's
				v := &variable{t: of, reg: -1, memory: &memory{space: ir.Global}}
				v.global = &ir.Variable{Name: id.Ident, Space: "global", Size: of.size, Elem: innermost(of).size, Init: c.atFirst(a, of)}
				if c.globals[id.Ident] = v; a.Scope != "" {
					c.globals[a.Scope+"::"+id.Ident] = v
				}
			}
		}
	}
}

// object notes a variable of a namespace, with its members if it is a constant one whose members are known. By a name that several have nothing is known.
func (c *compiler) object(space, name string, members map[string]ints.Number) {
	if old, again := c.objects[name]; again && !maps.Equal(old, members) {
		members = nil
	}
	if c.objects[name] = members; space != "" {
		c.object("", space+"::"+name, members)
	}
}

// membersOfStatic are the members of a constant object of a class, or of one that it is derived from.
func (c *compiler) membersOfStatic(of *ctype, name string) map[string]ints.Number {
	if of == nil || of.class == nil || of.env == nil {
		return nil
	}
	for _, f := range of.class.Fields {
		if len(f.Targets) == 1 && f.Static && identOf(f.Targets[0]) == name {
			before := c.scope
			defer func() { c.scope = before }()
			c.scope = of.env
			return c.membersOf(f)
		}
	}
	for _, b := range of.env.bases {
		if members := c.membersOfStatic(b, name); members != nil {
			return members
		}
	}
	return nil
}

// membersOf are the members of a constant object of an aggregate, or of a vector of CUDA, whose initializer lists numbers for all of them (C++17 [dcl.init.aggr]); nil:
// they are not known.
func (c *compiler) membersOf(a *program.Assign) map[string]ints.Number {
	if !a.Const && !isConst(a.Type) || len(a.Dims) > 0 {
		return nil
	}
	of := c.typeOf(a.Type)
	var list []program.Expr
	switch x := a.Value.(type) {
	case *program.List:
		list = x.Elems
	case *program.Call:
		if t := c.typeOf(identOf(x.Fun)); t != nil && t == of {
			list = x.Args
		}
	}
	if of == vectors["dim3"] && len(list) > 0 { // extents that are not said are 1
		list = slices.Clone(list)
		for len(list) < len(of.fields) {
			list = append(list, &program.Int{Value: 1})
		}
	}
	if of == nil || len(list) == 0 || len(list) != len(of.fields) {
		return nil
	}
	if k := of.class; k != nil && (len(k.Bases) > 0 || k.Union || slices.ContainsFunc(k.Methods, func(m *program.Function) bool { return m.Name == k.Name && !m.Destructor })) {
		return nil
	}
	members := map[string]ints.Number{}
	for n, f := range of.fields {
		v, known := c.constant(list[n])
		if !known || !f.t.integer() {
			return nil
		}
		members[f.name] = ints.Number{Type: numberOf(f.t), N: f.t.number.Store(v)}
	}
	return members
}

// innermost is the type of an array's elements, which may be arrays.
func innermost(t *ctype) *ctype {
	for t.array && t.to != nil {
		t = t.to
	}
	return t
}

// atFirst is what a variable of a namespace holds before anything is written to it: zero where nothing is said (C++17 [basic.start.static]/2); nil: that is not known.
func (c *compiler) atFirst(a *program.Assign, t *ctype) []int64 {
	if a.Value == nil && innermost(t).scalarLike() {
		return []int64{}
	}
	if n, known := c.constant(a.Value); known && !t.array {
		return []int64{n}
	}
	return nil
}

// addressed is the register that holds the address of a variable of a namespace.
func (c *compiler) addressed(v *variable) {
	name := c.unique(v.global.Name)
	g := *v.global
	g.Name = name
	if c.code.Globals == nil {
		c.code.Globals = map[string]int32{}
	}
	c.code.Globals[name] = c.register("&"+name, ir.Type{Bits: 64})
	c.code.Variables[name] = &g
	v.memory.base = ir.Operand{Reg: c.code.Globals[name]}
	v.global = nil
}

// declare puts a constant in scope: by its qualified name, and by its own where no other namespace has one that is different.
func (c *compiler) declare(space, name string, v *variable) {
	if space == "" {
		c.scope.names[name] = v
		return
	}
	full := space + "::" + name
	if c.scope.names[full] == nil {
		c.constants[name] = append(c.constants[name], full)
	}
	c.scope.names[full] = v
	if len(c.constants[name]) == 1 && c.scope.names[name] == nil || len(c.constants[name]) == 1 && c.single[name] {
		c.scope.names[name], c.single[name] = v, true
	} else if c.single[name] {
		delete(c.scope.names, name)
		delete(c.single, name)
	}
}
