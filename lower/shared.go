package lower

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// structAt lays a class of the file over shared memory: each field becomes a block of its own.
func (m *machine) structAt(c *value.Class, name string, at source.Span) value.Value {
	defer m.enter(c.Mod)()
	o := &value.Object{Class: c, Fields: map[string]value.Value{}}
	var before *value.Block
	for _, f := range c.Decl.Fields {
		for _, t := range f.Targets {
			if id, ok := t.(*program.Name); ok {
				v := m.fieldAt(c, f, name+"."+id.Ident, at)
				o.Put(id.Ident, v)
				p, _ := v.(value.Pointer)
				if p.Block != nil && before != nil && before.Size == p.Block.Size && syntax.Unaligned(f.Annotation) {
					before.Next = p.Block
				}
				before = p.Block
			}
		}
	}
	return o
}

func (m *machine) fieldAt(of *value.Class, f *program.Assign, name string, at source.Span) value.Value {
	if m.depth++; m.depth > maxDepth {
		m.stop(f, limit.Size, "structs nested deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	if c := m.mod.Classes[strings.TrimSpace(f.Type)]; c != nil {
		return m.structAt(&value.Class{Decl: c, Mod: m.mod}, name, at)
	}
	if f.Annotation != nil {
		return m.rangeAt(f.Annotation, of, name, at)
	}
	return value.Pointer{Block: m.in.sharedBlock(m.file, name, at, 1, value.Sizes[f.Type]), Offset: value.Int(0)}
}

// rangeAt is a field of a CuTe struct: another struct, MemRange[type, count], Align[field, bytes], or a scalar type.
func (m *machine) rangeAt(annotation program.Expr, of *value.Class, name string, at source.Span) value.Value {
	ix, ok := annotation.(*program.Index)
	for ; ok && (syntax.NamedExpr(ix.X, "Align") && len(ix.Args) > 0 || syntax.MarksField(ix)); ix, ok = annotation.(*program.Index) {
		annotation = syntax.Subscripts(ix)[0]
	}
	var dtype, count value.Value
	if ok && syntax.NamedExpr(ix.X, "MemRange") && len(syntax.Subscripts(ix)) == 2 {
		dtype, count = m.eval(syntax.Subscripts(ix)[0], m.scopeOf(of)), m.eval(syntax.Subscripts(ix)[1], m.scopeOf(of))
	} else {
		dtype, count = m.eval(annotation, m.scopeOf(of)), value.Int(1)
		switch named := dtype.(type) {
		case *value.Class:
			return m.structAt(named, name, at)
		case *value.Object:
			if named.Fields["range"] != nil {
				dtype, count = named.Fields["range"], named.Fields["count"]
			}
		}
	}
	n, _ := m.settle(count).(value.Int)
	b := m.in.sharedBlock(m.file, name, at, max(0, int64(n)), value.Sizes[value.LastWord(value.Canonical(dtype))])
	b.Elem = dtype
	return value.Pointer{Block: b, Offset: value.Int(0), Elem: dtype}
}

// genericType is a generic type of the DSL with its arguments. Of those of cute.struct, MemRange[type, count] is told from
// others, with Align[…, bytes] around it or not: a field may have it by the name of a variable.
func (m *machine) genericType(of value.Path, e *program.Index, s *value.Scope) value.Value {
	if !strings.HasSuffix(string(of), "struct.Align") && !strings.HasSuffix(string(of), "struct.MemRange") {
		return of
	}
	args := syntax.Subscripts(e)
	switch what := m.eval(args[0], s); {
	case value.LastWord(string(of)) == "Align":
		return what
	case len(args) == 2:
		return &value.Object{Fields: map[string]value.Value{"range": what, "count": m.eval(args[1], s)}}
	}
	return of
}

// allocate is a call that reserves shared memory. The same call in every thread gives the same block; a call that runs
// again gives a new one.
func (m *machine) allocate(o operands) value.Value {
	elements, size := int64(0), int64(8)
	var dims []int64
	var dtype value.Value
	count := o.value("count")
	if o.op.Kind == dialect.AllocMbarrier {
		elements = 1
	} else {
		dtype = o.or("dtype", value.Data{})
		size = value.Sizes[value.LastWord(value.Canonical(dtype))]
	}
	switch c := m.settleAll(count).(type) {
	case value.Int:
		elements = int64(c)
	case *value.Sequence:
		elements = 1
		for _, d := range c.Elems {
			n, ok := d.(value.Int)
			if !ok {
				elements, dims = 0, nil
				break
			}
			dims = append(dims, int64(n))
			elements *= int64(n)
		}
	}
	b := m.newBlock(o.node, elements, size)
	b.Mbarrier = b.Mbarrier || o.op.Kind == dialect.AllocMbarrier
	p := value.Pointer{Block: b, Offset: value.Int(0), Dims: dims, Elem: dtype}
	if l := o.value("layout"); l != nil {
		return m.tensorAt(p, l, dtype)
	}
	return p
}

// newBlock is the shared memory that a call reserves.
func (m *machine) newBlock(n program.Node, elements, size int64) *value.Block {
	key := allocKey{mod: m.mod, span: n.Where(), name: m.in.low.allocName(m.file, n)}
	k := m.allocs[key]
	m.allocs[key]++
	name := key.name
	if k > 0 {
		name = fmt.Sprintf("%s#%d", name, k)
	}
	return m.in.sharedBlock(m.file, name, n.Where(), elements, size)
}

func (m *machine) settleAll(v value.Value) value.Value {
	if seq, ok := v.(*value.Sequence); ok {
		out := &value.Sequence{}
		for _, e := range seq.Elems {
			out.Elems = append(out.Elems, m.settleAll(e))
		}
		return out
	}
	return m.settle(v)
}
