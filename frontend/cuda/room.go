package cuda

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// Objects in shared memory of classes that nothing read declares, as those of a header that is not there. What the text names of such an object has room of its own: members are apart from
// each other, which a union's are not, so what is found is as if the class had no union. How large it is, is not known, so nothing is proved.

// room says of a type of which nothing is known that an object of it has room for what may be named of it.
type room uint8

const (
	noRoom    room = iota
	single         // the object is one by itself
	ofSeveral      // it is an element of an array
)

// Where these objects lie, above all other shared memory (see ir.RankBits).
const (
	roomAt   = 1 << 20
	roomBits = 21
	maxRooms = 7
	cellBits = 6  // of a member that is a number
	rowsBits = 17 // of one that has elements
	rowBits  = 12 // of one that has two indices: the elements of a row
)

// apartFrom is taken for granted of a class that is not read.
const apartFrom = " has members apart from each other"

// roomFor is the type of objects that have room, as many as are told apart; nil: there is none for it.
func (c *compiler) roomFor(t *ctype, name string) *ctype {
	of, kind := t, single
	if t.array {
		of, kind = t.to, ofSeveral
	}
	if !of.opaque || of.partly || of.fields != nil || of.class != nil || of.closure != nil || of.groups != 0 || of.guessed || of.room != noRoom || c.inModel() || !c.usages().objects[name] {
		return nil
	}
	if c.rooms++; c.rooms > maxRooms {
		return nil
	}
	own := *of
	own.room = kind
	return &own
}

// usages is what the files that are read do with members, whosever they are, and with what calls give.
func (c *compiler) usages() *usage {
	if c.usage != nil {
		return c.usage
	}
	u := &usage{members: map[string]memberUse{}, objects: map[string]bool{}, places: map[string]bool{}, led: map[string]bool{}, gives: map[string]bool{}}
	for _, f := range c.files {
		if c.modelled(f) {
			continue
		}
		for _, fn := range f.Functions {
			u.read(fn)
		}
	}
	c.usage = u
	return u
}

type usage struct {
	members map[string]memberUse // by name
	objects map[string]bool      // names of what has members, or whose address is taken, or that is called or has elements
	places  map[string]bool      // names of what is called, and stands for what is assigned to
	led     map[string]bool      // names of arrays that pointers lead into: &x[i], T* p = x, f(x)
	gives   map[string]bool      // methods that give something which members or elements are asked of, or that a pointer or a reference leads to
}

type memberUse struct{ set, elements, members, pointer, awaited bool }

// read notes what a function does.
func (u *usage) read(fn *program.Function) {
	note := func(x program.Expr, how func(*memberUse)) {
		if a, is := x.(*program.Attr); is {
			m := u.members[a.Name]
			how(&m)
			u.members[a.Name] = m
		}
	}
	gives := func(x program.Expr) {
		if call, is := x.(*program.Call); is {
			if fun, is := call.Fun.(*program.Attr); is {
				u.gives[fun.Name] = true
			}
		}
	}
	set := func(x program.Expr) {
		gives(x)
		note(x, func(m *memberUse) { m.set = true })
		if call, is := x.(*program.Call); is {
			switch fun := call.Fun.(type) {
			case *program.Name:
				u.places[fun.Ident] = true
			case *program.Attr:
				u.places["."+fun.Name] = true
				u.objects[root(fun.X)] = true
			}
		}
	}
	asked := map[*program.Attr]bool{} // methods
	awaited := func(x program.Expr) {
		program.WalkExprs(&program.ExprStmt{X: x}, func(e program.Expr) bool {
			note(e, func(m *memberUse) { m.awaited = true })
			return true
		})
	}
	for _, st := range fn.Body {
		program.Walk(st, func(n program.Node) bool {
			switch x := n.(type) {
			case *program.Assign:
				for _, t := range x.Targets {
					set(t)
				}
				if x.Decl && strings.ContainsAny(x.Type, "*") || strings.HasPrefix(x.Type, "auto") {
					u.leads(x.Value)
				}
				if x.Decl && strings.Contains(x.Type, "*") { // T* p = x.m
					note(x.Value, func(m *memberUse) { m.elements = true })
				}
				if x.Decl && strings.ContainsAny(x.Type, "*&") || strings.HasPrefix(x.Type, "auto") {
					gives(x.Value)
				}
			case *program.AssignExpr:
				set(x.Target)
			case *program.IncDec:
				set(x.X)
			case *program.While:
				if idles(x.Body) {
					awaited(x.Cond)
				}
			case *program.For:
				if x.Cond != nil && len(x.Post) == 0 && idles(x.Body) {
					awaited(x.Cond)
				}
			case *program.Index:
				gives(x.X)
				note(x.X, func(m *memberUse) { m.elements = true })
				if of := root(x.X); of != "" {
					u.objects[of] = true
				}
			case *program.Unary:
				if x.Op == "*" {
					note(x.X, func(m *memberUse) { m.pointer = true })
				}
				if x.Op == "&" {
					if of := root(x.X); of != "" {
						u.objects[of], u.led[of] = true, true
					}
				}
			case *program.Attr:
				gives(x.X)
				note(x.X, func(m *memberUse) { m.members = true })
				if x.Arrow {
					note(x.X, func(m *memberUse) { m.pointer = true })
				}
				if of := root(x.X); of != "" && !asked[x] {
					u.objects[of] = true
				}
			case *program.Cast:
				u.leads(x.X)
			case *program.Call:
				for _, a := range x.Args {
					u.leads(a)
				}
				switch fun := x.Fun.(type) {
				case *program.Name:
					u.objects[fun.Ident] = true
				case *program.Attr:
					asked[fun] = true
				}
			}
			return true
		})
	}
}

// leads notes the array whose name stands where a pointer to its elements does.
func (u *usage) leads(x program.Expr) {
	switch x := x.(type) {
	case *program.Name:
		u.led[x.Ident] = true
	case *program.Binary:
		u.leads(x.X)
		u.leads(x.Y)
	case *program.Cast:
		u.leads(x.X)
	}
}

// idles reports whether the body of a loop does nothing but call something: what ends the loop is what others write.
func idles(body []program.Stmt) bool {
	return !slices.ContainsFunc(body, func(st program.Stmt) bool {
		if b, is := st.(*program.Block); is {
			return !idles(b.Body)
		}
		x, is := st.(*program.ExprStmt)
		if !is {
			return true
		}
		_, is = x.X.(*program.Call)
		return !is
	})
}

// root is the name of the object that an expression is an element, or a part of; "" where it is of none.
func root(x program.Expr) string {
	for {
		switch e := x.(type) {
		case *program.Name:
			return e.Ident
		case *program.Index:
			x = e.X
		case *program.Attr:
			if e.Arrow {
				return ""
			}
			x = e.X
		default:
			return ""
		}
	}
}

// memberApart is a member of an object that has room.
func (c *compiler) memberApart(of *place, name string) *place {
	use := c.usages().members[name]
	part := opaqueType(name)
	part.untold = of.t.untold
	switch {
	case use.pointer || use.elements && use.set:
		part = pointerTo(realType, ir.Generic)
	case use.elements:
		part = arrayOf(realType, -1)
	case use.members:
		part.room = of.t.room
	default:
		part = intType
	}
	if use.awaited || of.t.strong { // a class that has something to wait for has it volatile, as a rule
		own := *part
		own.strong, part = true, &own
	}
	return c.partApart(of, "."+name, part)
}

// mostCells is how many members are told apart of an element that has four bytes at the least, as sizes of types that are not known are tried: each has one of them, and who sets the element
// as a whole sets all.
const mostCells = 4

// memberInCell is a member that is a number, of an element of an array of objects of which nothing is known but what the text calls their type, and that has no room of its own: one that a pointer
// leads to, or that is in memory whose size the launch says.
func (c *compiler) memberInCell(of *place, name string) *place {
	use := c.usages().members[name]
	m := *of.memory
	m.cells = false
	key := of.t.written + "." + name
	if _, known := c.cellOf[key]; !known {
		if c.cellOf == nil {
			c.cellOf, c.cellsOf = map[string]int64{}, map[string]int64{}
		}
		c.cellOf[key] = c.cellsOf[of.t.written]
		c.cellsOf[of.t.written]++
	}
	if use.pointer || use.elements || use.members || c.cellOf[key] >= mostCells {
		m.lost = true
		part := opaqueType(name)
		part.untold = of.t.untold
		return &place{t: part, memory: &m}
	}
	m.offset += c.cellOf[key]
	part := *realType
	part.number.Bits, part.size, part.align, part.strong = 8, 1, 1, use.awaited || of.t.strong
	c.unsure(limit.Source, "how large %s is, is not known", of.t.written)
	c.taking("what is not read of a class" + apartFrom)
	return &place{t: &part, memory: &m}
}

// shares notes that there are so many more objects of a type in shared memory.
func (c *compiler) shares(t *ctype, n int) {
	switch {
	case t.array:
		c.shares(t.to, 2*n)
	case t.class != nil && t.partly:
		if c.inShared == nil {
			c.inShared = map[string]int{}
		}
		if c.inShared[t.class.Qualified] += n; c.inShared[t.class.Qualified] > 1 {
			for home := range c.homes {
				if class, _, _ := strings.Cut(home, "."); class == t.class.Qualified { // which was taken for the only one
					c.refuse(limit.Source, "several objects of %s, of which not all is read", t.class.Name)
				}
			}
		}
		for _, f := range t.fields {
			c.shares(f.t, n)
		}
	}
}

// memberAtHome is a member of a member whose class is not read, of an object of a class that is: it has room elsewhere, where that object is the only one of its class.
func (c *compiler) memberAtHome(of *place, name string) *place {
	class, member, _ := strings.Cut(of.memory.home, ".")
	if c.inShared[class] != 1 {
		return &place{t: opaqueType(name), memory: &memory{space: ir.Shared, lost: true}}
	}
	home := c.homes[of.memory.home]
	if home == nil {
		if c.rooms++; c.rooms > maxRooms {
			return &place{t: opaqueType(name), memory: &memory{space: ir.Shared, lost: true}}
		}
		v := &ir.Variable{Name: c.unique(member), Space: "shared", Elem: 4, At: roomAt + int64(c.rooms-1)<<roomBits, Size: 1 << roomBits}
		c.code.Variables[v.Name] = v
		c.numbers++
		c.order[v] = c.numbers
		c.roomy = append(c.roomy, v)
		t := opaqueType(of.t.name)
		t.room = single
		home = &place{t: t, memory: &memory{space: ir.Shared, base: ir.Operand{Reg: -1, Imm: v.At, Of: uint16(c.numbers)}}}
		if c.homes == nil {
			c.homes = map[string]*place{}
		}
		c.homes[of.memory.home] = home
	}
	return c.memberApart(home, name)
}

// partApart is a part of an object that has room, by its name.
func (c *compiler) partApart(of *place, name string, part *ctype) *place {
	m := *of.memory
	several := of.t.room == ofSeveral
	if m.path = of.memory.path + name; several && part.array {
		m.lost = true // how far apart the objects are is not known
		return &place{t: part, memory: &m}
	}
	at, before := c.roomOf(m.path, several || part.array), c.roomOf(of.memory.path, several)
	if at == nil || before == nil {
		m.lost = true
		return &place{t: part, memory: &m}
	}
	m.within, m.whole = part.number.Bits > 0, of.memory.offset-before.At
	m.offset += at.At - before.At
	c.taking("what is not read of a class" + apartFrom)
	return &place{t: part, memory: &m}
}

// roomOf is where a part of an object lies in it; nil where there is no room for it.
func (c *compiler) roomOf(path string, wide bool) *ir.Part {
	if path == "" {
		return &ir.Part{}
	}
	key := path
	if wide {
		key += "[]"
	}
	if p, known := c.parts[key]; known {
		return p
	}
	if c.parts == nil {
		c.parts = map[string]*ir.Part{}
	}
	p := &ir.Part{Name: strings.NewReplacer("[]", "", "()", "").Replace(path)}
	if wide {
		c.rows++
		p.At, p.Elem = c.rows<<rowsBits, realType.size
	} else {
		c.cells++
		p.At = c.cells << cellBits
	}
	if !wide && p.At >= 1<<rowsBits || p.At+1<<rowsBits > 1<<roomBits {
		p = nil
	}
	c.parts[key] = p
	return p
}

// viewed is an element of what a kernel is handed an object for of a class that is not read, by two indices or three, or by a call that is assigned to somewhere: one of an array in global
// memory, whose rows are far apart.
func (c *compiler) viewed(of *place, indices []program.Expr, called bool) (*place, bool) {
	if of.input == "" || !of.t.opaque || of.t.class != nil || of.t.fields != nil || c.called(of.input) || len(indices) < 2 && !called {
		return nil, false
	}
	pitch := [][]int64{{4}, {1 << 20, 4}, {1 << 26, 1 << 16, 4}}[len(indices)-1]
	at := &place{t: realType, memory: &memory{space: ir.Global, base: c.as(of.input, pointerTo(realType, ir.Global)).op}}
	for k, x := range indices {
		i := c.integer(c.expr(x))
		at.memory = c.offsetBy(at.memory, c.plain(i), pitch[k])
	}
	c.unsure(limit.Source, "where %s has its elements, is not known", of.input)
	c.taking("what " + of.input + " has elements of, is one array")
	return at, true
}

// nameParts says what the parts of objects that have room are called.
func (c *compiler) nameParts() {
	var list []ir.Part
	for _, p := range c.parts {
		if p != nil {
			list = append(list, *p)
		}
	}
	slices.SortFunc(list, func(a, b ir.Part) int { return cmp.Compare(a.At, b.At) })
	for _, v := range c.roomy {
		v.Parts = list
	}
}

// elementApart is the element of an object that has room, or of what is named of it, by one index or two: x[i], x[i][j], and x(i, j), x.at(i, j) where such a call is assigned to somewhere.
func (c *compiler) elementApart(x program.Expr) (*place, bool) {
	var indices []program.Expr
	name := "[]"
	of := x
	switch e := x.(type) {
	case *program.Index:
		for {
			i, is := of.(*program.Index)
			if !is || len(i.Args) != 1 {
				break
			}
			indices, of = append(indices, i.Args[0]), i.X
		}
		slices.Reverse(indices)
	case *program.Call:
		indices = e.Args
		switch fun := e.Fun.(type) {
		case *program.Name:
			of, name = fun, "()"
			if !c.usages().places[fun.Ident] {
				return nil, false
			}
		case *program.Attr:
			if of, name = fun.X, "."+fun.Name+"()"; fun.Arrow || !c.usages().places["."+fun.Name] {
				return nil, false
			}
		}
	}
	if len(indices) == 0 || len(indices) > 3 || slices.ContainsFunc(indices, isList) {
		return nil, false
	}
	switch e := of.(type) {
	case *program.Name:
		v := c.scope.find(e.Ident)
		if v == nil || v.macro != nil || v.function != "" {
			return nil, false
		}
		if input := cmp.Or(v.input, inputOf(v.alias)); input != "" && slices.Contains(c.code.Formals, strings.SplitN(input, ".", 2)[0]) {
			return c.viewed(c.placeOf(v), indices, name != "[]")
		}
		if t := v.t; t == nil || t.room == noRoom && !(t.array && v.alias != nil && v.alias.memory != nil && v.alias.memory.path != "") {
			return nil, false
		}
	case *program.Attr:
		if root(e) == "" && !e.Arrow || len(indices) == 1 && name == "[]" {
			return nil, false
		}
	default:
		return nil, false
	}
	if len(indices) > 2 {
		return nil, false
	}
	at := c.lvalue(of)
	if at.memory == nil || at.memory.lost || at.memory.space != ir.Shared {
		return nil, false
	}
	switch {
	case at.t.room != noRoom:
		at = c.partApart(at, name, arrayOf(realType, -1))
	case at.t.array && at.memory.path != "" && at.t.to == realType:
	default:
		return nil, false
	}
	if at.memory.lost {
		return at, true
	}
	i := c.integer(c.expr(indices[0]))
	if len(indices) == 2 {
		i = c.convert(i, intType)
		if p := c.roomOf(at.memory.path, true); p != nil {
			p.Row = 1 << rowBits
		}
		j := c.convert(c.integer(c.expr(indices[1])), intType)
		i = c.operate("+", c.operate("*", i, value{t: intType, op: constant(1 << (rowBits - 2))}), j)
	}
	return c.elementOf(at, i), true
}

// arrayIf is an array of so many dimensions, whatever its extents are.
func arrayIf(t *ctype, dimensions int) *ctype {
	if dimensions == 0 {
		return t
	}
	return arrayOf(t, 1)
}
