package lower

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// structAt lays a class of the file over shared memory: each field becomes a block of its own.
func (m *machine) structAt(c *class, name string, at source.Span) value {
	defer m.enter(c.mod)()
	o := &object{class: c, fields: map[string]value{}}
	for _, f := range c.decl.Fields {
		for _, t := range f.Targets {
			if id, ok := t.(*program.Name); ok {
				o.fields[id.Ident] = m.fieldAt(c, f, name+"."+id.Ident, at)
			}
		}
	}
	return o
}

func (m *machine) fieldAt(of *class, f *program.Assign, name string, at source.Span) value {
	if m.depth++; m.depth > maxDepth {
		m.stop(f, limit.Size, "structs nested deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	if c := m.mod.classes[strings.TrimSpace(f.Type)]; c != nil {
		return m.structAt(&class{decl: c, mod: m.mod}, name, at)
	}
	if f.Annotation != nil {
		return m.rangeAt(f.Annotation, of, name, at)
	}
	return pointer{block: m.in.sharedBlock(m.file, name, at, 1, sizes[f.Type]), offset: integer(0)}
}

// rangeAt is a field of a CuTe struct: another struct, MemRange[type, count], Align[field, bytes], or a scalar type.
func (m *machine) rangeAt(annotation program.Expr, of *class, name string, at source.Span) value {
	ix, ok := annotation.(*program.Index)
	for ; ok && (namedExpr(ix.X, "Align") && len(ix.Args) > 0 || marks(ix)); ix, ok = annotation.(*program.Index) {
		annotation = subscripts(ix)[0]
	}
	var dtype, count value
	if ok && namedExpr(ix.X, "MemRange") && len(subscripts(ix)) == 2 {
		dtype, count = m.eval(subscripts(ix)[0], m.scopeOf(of)), m.eval(subscripts(ix)[1], m.scopeOf(of))
	} else {
		dtype, count = m.eval(annotation, m.scopeOf(of)), integer(1)
		switch named := dtype.(type) {
		case *class:
			return m.structAt(named, name, at)
		case *object:
			if named.fields["range"] != nil {
				dtype, count = named.fields["range"], named.fields["count"]
			}
		}
	}
	n, _ := m.settle(count).(integer)
	b := m.in.sharedBlock(m.file, name, at, max(0, int64(n)), sizes[lastWord(canonical(dtype))])
	b.elem = dtype
	return pointer{block: b, offset: integer(0), elem: dtype}
}

// genericType is a generic type of the DSL with its arguments. Of those of cute.struct, MemRange[type, count] is told from
// others, with Align[…, bytes] around it or not: a field may have it by the name of a variable.
func (m *machine) genericType(of path, e *program.Index, s *scope) value {
	if !strings.HasSuffix(string(of), "struct.Align") && !strings.HasSuffix(string(of), "struct.MemRange") {
		return of
	}
	args := subscripts(e)
	switch what := m.eval(args[0], s); {
	case lastWord(string(of)) == "Align":
		return what
	case len(args) == 2:
		return &object{fields: map[string]value{"range": what, "count": m.eval(args[1], s)}}
	}
	return of
}

// marks reports whether x[t] says something about a field, such as where it goes, whose type t is.
func marks(x *program.Index) bool {
	if len(x.Args) != 1 || namedExpr(x.X, "MemRange") {
		return false
	}
	t, ok := x.Args[0].(*program.Index)
	return ok && (namedExpr(t.X, "Align") || namedExpr(t.X, "MemRange"))
}

func namedExpr(e program.Expr, name string) bool {
	switch e := e.(type) {
	case *program.Name:
		return e.Ident == name
	case *program.Attr:
		return e.Name == name
	}
	return false
}

// subscripts are the parts of x[a, b], which may be one tuple.
func subscripts(ix *program.Index) []program.Expr {
	if t, ok := ix.Args[0].(*program.Tuple); ok && len(ix.Args) == 1 {
		return t.Elems
	}
	return ix.Args
}

// allocate is a call that reserves shared memory. The same call in every thread gives the same block; a call that runs
// again gives a new one.
func (m *machine) allocate(o operands) value {
	elements, size := int64(0), int64(8)
	var dims []int64
	var dtype value
	count := o.value("count")
	if o.op.Kind == dialect.AllocMbarrier {
		elements = 1
	} else {
		dtype = o.or("dtype", data{})
		size = sizes[lastWord(canonical(dtype))]
	}
	switch c := m.settleAll(count).(type) {
	case integer:
		elements = int64(c)
	case *sequence:
		elements = 1
		for _, d := range c.elems {
			n, ok := d.(integer)
			if !ok {
				elements, dims = 0, nil
				break
			}
			dims = append(dims, int64(n))
			elements *= int64(n)
		}
	}
	b := m.newBlock(o.node, elements, size)
	b.mbarrier = b.mbarrier || o.op.Kind == dialect.AllocMbarrier
	p := pointer{block: b, offset: integer(0), dims: dims, elem: dtype}
	if l := o.value("layout"); l != nil {
		return m.tensorAt(p, l, dtype)
	}
	return p
}

// newBlock is the shared memory that a call reserves.
func (m *machine) newBlock(n program.Node, elements, size int64) *block {
	key := allocKey{mod: m.mod, span: n.Where(), name: m.in.low.allocName(m.file, n)}
	k := m.allocs[key]
	m.allocs[key]++
	name := key.name
	if k > 0 {
		name = fmt.Sprintf("%s#%d", name, k)
	}
	return m.in.sharedBlock(m.file, name, n.Where(), elements, size)
}

func (m *machine) settleAll(v value) value {
	if seq, ok := v.(*sequence); ok {
		out := &sequence{}
		for _, e := range seq.elems {
			out.elems = append(out.elems, m.settleAll(e))
		}
		return out
	}
	return m.settle(v)
}

// lastWord is the last part of a dotted name.
func lastWord(s string) string {
	if i := strings.LastIndexAny(s, ".:"); i >= 0 {
		return s[i+1:]
	}
	return s
}
