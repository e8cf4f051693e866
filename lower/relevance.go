package lower

import (
	"iter"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// syncs reports whether a piece of the kernel holds a synchronization operation, its own or one of a function of the
// file that it calls.
func (m *machine) syncs(n program.Node) bool { return m.in.low.relevance(m.in, m.file, n).syncs }

// touches reports whether it synchronizes or touches memory that is tracked.
func (m *machine) touches(n program.Node) bool {
	r := m.in.low.relevance(m.in, m.file, n)
	return r.syncs || r.touches
}

func (m *machine) opsIn(n program.Node) iter.Seq[dialect.Op] { return m.in.low.opsIn(m.file, n) }

func (l *lowering) relevance(in *instance, f *program.File, n program.Node) relevance {
	if r, ok := in.relevant[n]; ok {
		return r
	}
	in.relevant[n] = relevance{} // a recursive call adds nothing
	var r relevance
	flags := len(in.flagBlocks) > 0
	for op := range l.opsIn(f, n) {
		switch op.Kind {
		case dialect.AtomicAdd, dialect.AtomicSub, dialect.AtomicMax, dialect.AtomicExch, dialect.AtomicCas, dialect.Reduce, dialect.Store:
			r.syncs = r.syncs || flags
			r.touches = true
		case dialect.Load:
			r.touches = true
		case dialect.GridDepWait, dialect.GridDepLaunch, dialect.SetMaxRegister, dialect.MmaAsync, dialect.WgmmaCommit, dialect.WgmmaWait, dialect.Trap:
		default:
			r.syncs = r.syncs || !isQuery(op.Kind)
		}
	}
	program.Walk(n, func(n program.Node) bool {
		switch n := n.(type) {
		case *program.Index:
			r.touches = true
		case *program.While:
			r.syncs = r.syncs || len(n.Body) == 0 // an empty loop can only be a spin
		case *program.Call:
			for _, fn := range l.callees(f, n) {
				for _, st := range fn.Body {
					c := l.relevance(in, f, st)
					r.syncs, r.touches = r.syncs || c.syncs, r.touches || c.touches
				}
			}
		}
		return true
	})
	in.relevant[n] = r
	return r
}

// opsIn yields the canonical operations in a piece of a file, calls and inline PTX alike; not those of callees.
func (l *lowering) opsIn(f *program.File, n program.Node) iter.Seq[dialect.Op] {
	return func(yield func(dialect.Op) bool) {
		t, types := l.tables(f.Language), l.typeOf(f)
		more := true
		emit := func(asm *program.Asm) {
			for i := range asm.Instrs {
				for _, op := range t.Instr(&asm.Instrs[i], asm) {
					more = more && yield(op)
				}
			}
		}
		program.Walk(n, func(n program.Node) bool {
			if !more {
				return false
			}
			switch n := n.(type) {
			case *program.Call:
				if op, ok := t.Call(n, types); ok {
					more = yield(op)
				} else if asm, ok := l.inlineCall(n); ok && f.Language == program.CuTe {
					emit(asm)
				}
			case *program.Asm:
				emit(n)
			}
			return more
		})
	}
}

// opsDeep also yields the operations of the functions of the file that are called.
func (l *lowering) opsDeep(f *program.File, n program.Node, depth int) iter.Seq[dialect.Op] {
	return func(yield func(dialect.Op) bool) {
		for op := range l.opsIn(f, n) {
			if !yield(op) {
				return
			}
		}
		if depth > 8 {
			return
		}
		more := true
		program.Walk(n, func(n program.Node) bool {
			if c, ok := n.(*program.Call); ok && more {
				for _, fn := range l.callees(f, c) {
					for op := range l.opsDeep(f, &program.Block{Body: fn.Body}, depth+1) {
						if more = more && yield(op); !more {
							return false
						}
					}
				}
			}
			return more
		})
	}
}

// callees are the functions of the file that a call may mean, by name.
func (l *lowering) callees(f *program.File, c *program.Call) []*program.Function {
	name := ""
	switch fun := c.Fun.(type) {
	case *program.Name:
		name = lastWord(fun.Ident)
	case *program.Attr:
		name = fun.Name
	}
	return l.byName(f)[name]
}

// mentionsSync reports whether the text of a span holds a word that could be synchronization.
func (m *machine) mentionsSync(at source.Span) bool {
	d := m.file.Source.Data
	if at.Start < 0 || at.End > len(d) || at.Start >= at.End {
		return false
	}
	return source.HasSync(d[at.Start:at.End])
}
