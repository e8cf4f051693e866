package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// readGlobals notes the variables of a CUDA file that lie in global memory, with their types: the tree has no place for
// __device__, so the text before the declaration tells.
func (f *fileFacts) readGlobals() {
	data := f.file.Source.Data
	for _, s := range f.file.Body {
		a, ok := s.(*program.Assign)
		if !ok || f.file.Language != program.CUDA || !a.Decl || a.Shared || a.Span.Start > len(data) {
			continue
		}
		before := string(data[max(0, a.Span.Start-200):a.Span.Start])
		before = before[strings.LastIndexAny(before, ";{}")+1:]
		if !strings.Contains(before, "__device__") || strings.Contains(before, "__constant__") {
			continue
		}
		for _, t := range a.Targets {
			if name := path(t); name != "" {
				f.globals[name] = strings.TrimSpace(a.Type + " ")
				delete(f.constants, name)
			}
		}
	}
}

// element is a piece of global memory as a site names it.
type element struct {
	name  string
	index program.Expr
}

// globalElement is the global memory that an address is in: an array that a pointer parameter or a __device__ variable
// names, or, in CuTe DSL, the tensor that a view was made of.
func (p *Pass) globalElement(x program.Expr) (element, bool) {
	b := p.fn.barrierOf(x)
	base := b.base
	if p.File.Language == program.CuTe {
		base = p.tensorOf(x, 0)
	}
	if v := p.madeOf(base, x); v != nil { // another view of an array
		c := p.fn.barrierOf(v)
		if isAddress(v) && !p.isGlobal(c.base) {
			return element{}, false // of a local
		}
		if p.isGlobal(c.base) && !p.fn.dims[c.base] {
			base = c.base
			switch {
			case b.index == nil:
				b.index = c.index
			case c.index != nil:
				b.index = added("+", c.index, b.index)
			}
		}
	}
	if base == "" || strings.HasPrefix(base, marked) || p.fn.dims[base] {
		return element{}, false
	}
	if !p.isGlobal(base) {
		return element{}, false
	}
	return element{lastWord(base), b.index}, true
}

// madeOf is what a local pointer was made of, nil for other names. Writes through it do not change it.
func (p *Pass) madeOf(base string, at program.Expr) program.Expr {
	if p.File.Language != program.CUDA || base == "" || p.fn.bound[base] {
		return nil
	}
	var value program.Expr
	for _, d := range p.fn.visible(base, at.Where().Start) {
		switch {
		case d.op != "=" || value != nil:
			return nil
		default:
			value = d.value
		}
	}
	if c, ok := value.(*program.Cast); ok {
		return c.X
	}
	return value
}

// isAddress reports whether an expression takes the address of something.
func isAddress(x program.Expr) bool {
	u, ok := x.(*program.Unary)
	return ok && u.Op == "&"
}

// isGlobal reports whether a name is a pointer or tensor parameter, a local pointer, or a variable in global memory.
func (p *Pass) isGlobal(base string) bool {
	if _, ok := p.fn.file.globals[base]; ok && p.fn.types[base] == "" {
		return true
	}
	first, _, dotted := strings.Cut(base, ".")
	if calledShared(first) {
		return false
	}
	for _, q := range p.fn.fn.Params {
		if q.Name == first {
			return p.File.Language != program.CUDA || dotted || strings.Contains(q.Type, "*")
		}
	}
	return p.File.Language == program.CUDA && strings.Contains(p.fn.types[base], "*")
}

// calledShared reports whether a pointer is called after shared memory: its fields lie there, not where parameters point.
func calledShared(name string) bool { return strings.Contains(strings.ToLower(name), "smem") }

// holdsPointer reports whether an element is of a local array of pointers: a register, not the memory it points to.
func (g *function) holdsPointer(x *program.Index) bool {
	depth := 1
	for inner, ok := x.X.(*program.Index); ok; inner, ok = inner.X.(*program.Index) {
		depth++
	}
	for _, d := range g.decls[path(x)] {
		a, ok := d.node.(*program.Assign)
		if ok && !a.Shared && strings.Contains(a.Type, "*") && len(a.Dims) >= depth {
			return true
		}
	}
	return false
}

// registers are words in the names of functions that make a tensor of registers, not a view.
var registers = []string{"fragment", "rmem", "like", "alloc", "zeros", "full", "smem", "shared", "load", "atomic"}

// tensorOf follows views of a CuTe tensor to the name that they are made of.
func (p *Pass) tensorOf(x program.Expr, depth int) string {
	if depth > 12 || x == nil {
		return ""
	}
	switch e := x.(type) {
	case *program.Index:
		return p.tensorOf(e.X, depth+1)
	case *program.Cast:
		return p.tensorOf(e.X, depth+1)
	case *program.Binary:
		if e.Op == "+" {
			return p.tensorOf(e.X, depth+1)
		}
	case *program.Call:
		name := strings.ToLower(lastWord(path(e.Fun)))
		if a, ok := e.Fun.(*program.Attr); ok && name == "" {
			name = strings.ToLower(a.Name)
		}
		for _, w := range registers {
			if strings.Contains(name, w) {
				return ""
			}
		}
		if len(e.Args) > 0 {
			return p.tensorOf(e.Args[0], depth+1)
		}
		if a, ok := e.Fun.(*program.Attr); ok { // data.data_ptr()
			return p.tensorOf(a.X, depth+1)
		}
	case *program.Attr:
		switch e.Name {
		case "iterator", "ptr", "llvm_ptr":
			return p.tensorOf(e.X, depth+1)
		}
		return path(e)
	case *program.Name:
		if v := p.fn.definition(e); v != nil && !p.fn.bound[e.Ident] {
			return p.tensorOf(v, depth+1)
		}
		return e.Ident
	}
	return ""
}

// copies are the calls that move tensors, with the places of source and destination among the arguments.
var copies = map[string][2]int{"copy": {1, 2}, "autovec_copy": {0, 1}, "basic_copy": {0, 1}, "basic_copy_if": {1, 2}}

// copied gives an operand of a copy between tensors: what it reads (0) or writes (1).
func copied(s *site, which int) program.Expr {
	if s.op.Kind != unknownCall || s.op.Call == nil {
		return nil
	}
	at, ok := copies[lastWord(s.op.Name)]
	if !ok || len(s.op.Call.Args) <= at[which] {
		return nil
	}
	return s.op.Call.Args[at[which]]
}

// flagOf is the flag in global memory that a site works on.
func (p *Pass) flagOf(s *site) (element, bool) {
	if s.named || s.op.Text("space", "") == "cta" {
		return element{}, false
	}
	return p.globalElement(s.arg("ptr"))
}

// written is the global memory that a site writes data to.
func (p *Pass) writtenTo(o *site) (element, bool) {
	if o.named || o.spin != nil || o.op.Text("space", "") == "cta" {
		return element{}, false
	}
	switch o.op.Kind {
	case plainStore, dialect.Store, dialect.AtomicAdd, dialect.AtomicMax, dialect.Reduce, dialect.AtomicExch:
		return p.globalElement(o.arg("ptr"))
	}
	if x := copied(o, 1); x != nil && p.File.Language == program.CuTe {
		return p.globalElement(x)
	}
	return element{}, false
}

// makesView reports whether an index of CuTe DSL slices a tensor: then nothing is read yet.
func (p *Pass) makesView(x program.Expr) bool {
	e, ok := x.(*program.Index)
	if !ok || p.File.Language != program.CuTe {
		return false
	}
	return slices.ContainsFunc(e.Args, func(a program.Expr) bool { return p.slices(a, 0) })
}

func (p *Pass) slices(x program.Expr, depth int) bool {
	if depth > 4 {
		return true
	}
	switch e := p.fn.value(x).(type) {
	case *program.None, *program.SliceExpr:
		return true
	case *program.Tuple:
		return slices.ContainsFunc(e.Elems, func(a program.Expr) bool { return p.slices(a, depth+1) })
	}
	return false
}

// readFrom is the global memory that a site reads data from.
func (p *Pass) readFrom(r *site) (element, bool) {
	if r.named || r.spin != nil || r.op.Text("space", "") == "cta" {
		return element{}, false
	}
	switch {
	case r.op.Kind == dialect.TmaLoad:
		return p.globalElement(r.arg("src"))
	case r.op.Kind == plainLoad, r.op.Kind == dialect.Load, r.op.Kind == argumentLoad:
		if p.makesView(r.arg("ptr")) {
			return element{}, false
		}
		return p.globalElement(r.arg("ptr"))
	case r.op.Kind == plainStore && r.assign != nil && r.assign.Op != "=" && r.assign.Op != "":
		return p.globalElement(r.arg("ptr"))
	}
	if x := copied(r, 0); x != nil && p.File.Language == program.CuTe {
		return p.globalElement(x)
	}
	return element{}, false
}
