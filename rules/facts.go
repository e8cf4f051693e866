package rules

import (
	"bytes"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// fileFacts is what rules need to know of a whole file.
type fileFacts struct {
	file      *program.File
	table     *dialect.Table
	constants map[string]program.Expr                    // module-level names with one value
	fields    map[*program.Class]map[string]program.Expr // class-level and self.x constants with one value
	types     map[string]string                          // struct field → declared type, where all structs agree
	byName    map[string][]*program.Function             // by unqualified name
	blocks    map[string]int64                           // kernel → threads a CTA, where every launch in the file agrees; -1 where they differ
	pointers  map[string]bool                            // struct fields that are arrays of pointers
	globals   map[string]string                          // __device__ variables → type
	grids     map[string]int64                           // kernel → CTAs, in the same way
	functions map[*program.Function]*function            // those looked at so far
	bodies    [][]*site                                  // of every function
	arrivals  map[string]int
	polled    map[string]bool                // see evidence.go
	pollers   map[string][]*program.Function // of these flags: the functions that no other is seen to call
	pollScope map[string]int                 // widest scope it is polled with
	residency *bool                          // see residency.go
	turn      int                            // how many times a rule has begun to look at a function
	around    Around
	beside    map[*program.File]*fileFacts  // of the files that around gave
	walked    map[*program.Function][]*site // of such a file, see body
	enums     map[string]map[string]int64   // see enum

}

// definition is one assignment to a name.
type definition struct {
	op    string
	value program.Expr // nil for x++ and for what cannot be told
	node  program.Node
}

// function is a function with its local definitions.
type function struct {
	file   *fileFacts
	fn     *program.Function
	defs   map[string][]definition
	decls  map[string][]declaration // C++ locals
	scopes []source.Span            // blocks of a C++ function, outer ones first
	bound  map[string]bool          // parameters and loop targets
	types  map[string]string        // declared types of parameters and locals
	lams   map[string]*program.Lambda
	dims   map[string]bool         // __shared__ arrays and variables
	iters  map[string]program.Expr // what a Python loop variable runs over
	inits  map[program.Node]bool   // initialisations of C-style loops

	// Names may be defined through each other many times over; steps bounds the work of following them, for one rule and
	// for all together, and active holds the names being followed.
	uses   map[string][]int // where a plain name occurs, in order
	steps  int
	total  int
	turn   int // see fileFacts
	active map[string]bool
}

// maxSteps bounds the steps of one rule in a function, maxTotal those of all: what one rule uses up, the next one lacks.
const (
	maxSteps = 1 << 20
	maxTotal = 8 * maxSteps
)

// spent counts one step and reports whether the budget of the function is used up.
func (g *function) spent() bool {
	if g.turn != g.file.turn {
		g.steps, g.turn = 0, g.file.turn
	}
	g.steps++
	g.total++
	return g.steps > maxSteps || g.total > maxTotal
}

func newFacts(file *program.File, table *dialect.Table) *fileFacts {
	f := &fileFacts{
		file: file, table: table,
		constants: map[string]program.Expr{}, fields: map[*program.Class]map[string]program.Expr{}, types: map[string]string{},
		byName: map[string][]*program.Function{}, blocks: map[string]int64{}, grids: map[string]int64{}, globals: map[string]string{}, pointers: map[string]bool{}, functions: map[*program.Function]*function{},
		enums:  map[string]map[string]int64{},
		beside: map[*program.File]*fileFacts{}, walked: map[*program.Function][]*site{},
	}
	f.readConstants()
	f.readGlobals()
	f.readLaunches()
	for _, c := range file.Classes {
		f.fields[c] = classFields(c)
		for _, field := range c.Fields {
			for _, t := range field.Targets {
				name := lastWord(path(t))
				f.pointers[name] = f.pointers[name] || strings.Contains(field.Type, "*") && len(field.Dims) > 0
				if old, seen := f.types[name]; seen && old != field.Type {
					f.types[name] = ""
				} else if name != "" {
					f.types[name] = field.Type
				}
			}
		}
	}
	for _, fn := range file.Functions {
		f.byName[fn.Name] = append(f.byName[fn.Name], fn)
	}
	return f
}

func (f *fileFacts) readConstants() {
	twice := map[string]bool{}
	for _, s := range f.file.Body {
		a, ok := s.(*program.Assign)
		if !ok {
			continue
		}
		for _, t := range a.Targets {
			name := lastWord(path(t))
			if _, seen := f.constants[name]; seen || a.Op != "=" && a.Op != "" || a.Value == nil {
				twice[name] = true
			}
			f.constants[name] = a.Value
		}
	}
	f.reassigned(twice)
	for name := range twice {
		delete(f.constants, name)
	}
}

// reassigned adds the names of a module that its functions may give other values. Those of C++ have no way to say so.
func (f *fileFacts) reassigned(names map[string]bool) {
	if f.file.Language != program.CuTe || !bytes.Contains(f.file.Source.Data, []byte("global")) {
		return
	}
	look := func(n program.Node) bool {
		switch n := n.(type) {
		case *program.Outer:
			if n.Global {
				for _, name := range n.Names {
					names[name] = true
				}
			}
		case *program.Index:
			if c, isCall := n.X.(*program.Call); isCall && len(n.Args) == 1 && path(c.Fun) == "globals" {
				if key, isText := n.Args[0].(*program.String); isText {
					names[key.Value] = true
				}
			}
		}
		return true
	}
	for _, fn := range f.file.Functions {
		for _, s := range fn.Body {
			program.Walk(s, look)
		}
	}
}

// classFields collects what a class fixes: constants of its body, and self.x assigned exactly once by its methods.
func classFields(c *program.Class) map[string]program.Expr {
	out, times := map[string]program.Expr{}, map[string]int{}
	for _, a := range c.Fields {
		for _, t := range a.Targets {
			if a.Value != nil {
				out[lastWord(path(t))] = a.Value
				times[lastWord(path(t))]++
			}
		}
	}
	for _, m := range c.Methods {
		program.WalkStmts(m.Body, func(s program.Stmt) bool {
			if a, ok := s.(*program.Assign); ok {
				for _, t := range a.Targets {
					if name, isSelf := strings.CutPrefix(path(t), "self."); isSelf {
						out[name] = a.Value
						times[name]++
					}
				}
			}
			return true
		})
	}
	for name, n := range times {
		if n > 1 || out[name] == nil {
			delete(out, name)
		}
	}
	return out
}

// function returns the facts of one function.
func (f *fileFacts) function(fn *program.Function) *function {
	if known := f.functions[fn]; known != nil {
		return known
	}
	g := &function{
		file: f, fn: fn, defs: map[string][]definition{}, decls: map[string][]declaration{}, bound: map[string]bool{}, types: map[string]string{},
		lams: map[string]*program.Lambda{}, dims: map[string]bool{}, iters: map[string]program.Expr{}, inits: map[program.Node]bool{}, active: map[string]bool{}, uses: map[string][]int{},
	}
	f.functions[fn] = g
	for outer := fn; outer != nil; outer = outer.Outer {
		for _, p := range append(outer.Params, outer.Template...) {
			if outer == fn || g.types[p.Name] == "" {
				g.bound[p.Name], g.types[p.Name] = true, p.Type
			}
		}
	}
	for _, s := range fn.Body {
		program.Walk(s, func(n program.Node) bool {
			if f.file.Language == program.CUDA {
				g.enter(n)
			}
			return g.collect(n)
		})
	}
	return g
}

func (g *function) collect(n program.Node) bool {
	switch n := n.(type) {
	case *program.Name:
		g.uses[n.Ident] = append(g.uses[n.Ident], n.Span.Start)
	case *program.Assign:
		op := n.Op
		if op == "" {
			op = "="
		}
		if n.Value != nil {
			for _, t := range n.Targets {
				g.define(t, op, n.Value, n)
			}
		}
		for _, t := range n.Targets {
			name := path(t)
			if n.Decl && g.file.file.Language == program.CUDA && name != "" {
				g.declare(name, n)
			}
			if n.Type != "" {
				g.types[name] = n.Type
			}
			if n.Shared {
				g.dims[name] = true
			}
			if l, ok := n.Value.(*program.Lambda); ok {
				g.lams[name] = l
			}
		}
	case *program.AssignExpr:
		g.define(n.Target, n.Op, n.Value, n)
	case *program.IncDec:
		g.define(n.X, n.Op, nil, n)
	case *program.For:
		for _, i := range n.Init {
			g.inits[i] = true
		}
		if n.Target != nil {
			g.bind(n.Target)
			g.iters[path(n.Target)] = n.Iter
		}
	case *program.With:
		for _, item := range n.Items {
			if item.As != nil {
				g.bind(item.As)
			}
		}
	case *program.Lambda:
		for _, p := range n.Params {
			if _, outer := g.types[p.Name]; !outer {
				g.bound[p.Name], g.types[p.Name] = true, p.Type
			}
		}
	case *program.Asm:
		for _, o := range n.Outputs {
			g.define(o.X, "=", nil, n)
		}
	}
	return true
}

func (g *function) bind(x program.Expr) {
	if t, ok := x.(*program.Tuple); ok {
		for _, e := range t.Elems {
			g.bind(e)
		}
		return
	}
	if name := path(x); name != "" {
		g.bound[name] = true
	}
}

func (g *function) define(target program.Expr, op string, value program.Expr, at program.Node) {
	if t, ok := target.(*program.Tuple); ok {
		values, pairwise := value.(*program.Tuple)
		for i, e := range t.Elems {
			switch {
			case pairwise && len(values.Elems) == len(t.Elems):
				g.define(e, op, values.Elems[i], at)
			default:
				g.define(e, op, &program.Index{Place: program.Place{Span: e.Where()}, X: value, Args: []program.Expr{&program.Int{Value: int64(i)}}}, at)
			}
		}
		return
	}
	name := path(target)
	if name == "" {
		return
	}
	switch e := target.(type) {
	case *program.Index:
		name += "[]" // an element, not the variable
	case *program.Unary:
		if e.Op == "*" {
			name += "[]" // what it points to
		}
	}
	g.defs[name] = append(g.defs[name], definition{op: op, value: value, node: at})
}

// typeOf gives the declared type of a receiver for the dialect.
func (g *function) typeOf(x program.Expr) string { return g.typeAt(x, 0) }

func (g *function) typeAt(x program.Expr, depth int) string {
	if depth > 8 || x == nil {
		return ""
	}
	switch e := x.(type) {
	case *program.Cast:
		return e.Type
	case *program.Index:
		return g.typeAt(e.X, depth+1)
	case *program.Unary:
		return g.typeAt(e.X, depth+1)
	case *program.Binary:
		return g.typeAt(e.X, depth+1)
	case *program.Cond:
		return g.typeAt(e.Then, depth+1)
	case *program.Lambda:
		for _, s := range e.Body {
			if r, ok := s.(*program.Return); ok {
				return g.typeAt(r.Value, depth+1)
			}
		}
	case *program.Call:
		name := path(e.Fun)
		if l := g.lams[name]; l != nil {
			return g.typeAt(l, depth+1)
		}
		if len(e.Args) == 1 { // DeepGEMM's PatternVisitor([&](i) { return base + i; })
			if l, ok := e.Args[0].(*program.Lambda); ok {
				return g.typeAt(l, depth+1)
			}
		}
		return name // a constructor
	case *program.Name, *program.Attr:
		name := path(x)
		typ, known := g.types[name]
		if known && typ != "auto" && !strings.HasPrefix(typ, "auto ") && typ != "auto*" && typ != "auto&" && typ != "const auto" {
			return typ
		}
		if defs := g.visible(name, x.Where().Start); len(defs) == 1 {
			return g.typeAt(defs[0].value, depth+1)
		}
		if !known {
			return g.file.types[lastWord(name)]
		}
	}
	return ""
}

// text is the text of a function, not to be written to.
func (f *fileFacts) text(fn *program.Function) []byte {
	data := f.file.Source.Data
	return data[min(fn.Span.Start, len(data)):min(fn.Span.End, len(data))]
}

// defines reports whether the file holds the body of a function, not only its declaration.
func (f *fileFacts) defines(fn *program.Function) bool {
	return fn.Span.End <= len(f.file.Source.Data) && bytes.HasSuffix(f.text(fn), []byte("}"))
}
