package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/inquiry"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// The lanes of a warp look a table through together: each reads an entry, a vote or a shuffle says where what they look
// for is (a scheduler that finds the sequence that a tile is of). What a lane read is data. But a call that reads
// nothing except what does not change, and its arguments, finds the same wherever it is given the same: its result, and
// what it leaves in its object, are unknowns of their own, named by all that it was told. So roles that look for their
// work in the same way agree on it, as they do on tiles of a scheduler of the library (notes/cutedsl.md R7, R10).

// lookup is how a function looks something up.
type lookup int

const (
	noLookup       lookup = iota
	lookedTogether        // the lanes of a warp do it: it asks for its lane itself, and speaks with the other lanes
	lookedAlone           // each thread goes through a table for itself, so all that are told the same find the same
)

// looksUp tells how a function looks something up. One that is given its lane does not say what a warp finds, nor does one that
// synchronizes.
func (l *lowering) looksUp(mod *value.Module, fn *program.Function) lookup {
	how, known := l.asking[fn]
	if !known {
		lane, speaks, does, loops := false, false, false, false
		for _, st := range fn.Body {
			for op := range l.opsDeep(mod, st) {
				switch op.Kind {
				case dialect.ClusterIdx, dialect.ClusterCount, dialect.ClusterCoord, dialect.ClusterShape: // asks decides
				default:
					does = does || !op.Kind.Query()
				}
			}
			program.Walk(st, func(n program.Node) bool {
				switch n := n.(type) {
				case *program.Call:
					short := value.LastWord(program.DumpExpr(n.Fun))
					lane, speaks = lane || short == "lane_idx", speaks || l.converges(mod, n)
				case *program.While:
					loops = true
				}
				return true
			})
		}
		switch {
		case lane && speaks && !does:
			how = lookedTogether
		case loops && !lane && !speaks && !does && !mod.Library:
			how = lookedAlone
		}
		if l.asking == nil {
			l.asking = map[*program.Function]lookup{}
		}
		l.asking[fn] = how
	}
	return how
}

// inquire executes the body of a function.
func (m *machine) inquire(f *value.Closure, inner *value.Scope, work func() value.Value) value.Value {
	if m.host || m.sampling || f.Fn == nil || f.Fn.Kernel || f.Env == nil || f.Env.Parent != nil {
		return work()
	}
	how := m.in.low.looksUp(m.mod, f.Fn)
	if together, known := m.in.low.inquiries[f.Fn]; how == noLookup || known && !together {
		return work()
	}
	prefix := "what " + f.Fn.Name + " finds"
	q := inquiry.Begin(f.Mod.Name + "." + f.Fn.Qualified)
	q.Before.Scopes[inner] = inner.Hold()
	for _, p := range f.Fn.Params {
		if l, ok := inner.Vars[p.Name]; ok {
			q.Before.Place(l)
			q.Tell(p.Name, l.Get())
		}
	}
	if how == lookedAlone {
		q.Alone, q.Short = inner, func(what, long string) string { return m.in.low.shortName(prefix+what, long) }
	}
	m.spend((value.MaxHeap - q.Before.Left) / 8)
	m.inquiry = q
	mark := m.mark()
	// Which way the lanes go does not matter: that all of them come here is what unlikeInquiries looks at.
	_, v, ok := m.speculate(mark, func() (control, value.Value) { return next, work() })
	m.inquiry = nil
	if !ok || q.Lane != (how == lookedTogether) || q.Speaks != q.Lane || q.Other || !q.Looks && how == lookedAlone || q.Before.Left < 0 {
		q.Before.Restore()
		m.undo(mark)
		if ok && how == lookedAlone && !q.Looks && !q.Other { // it has come to no table this time
			return work()
		}
		m.refuse(f.Fn)
		return work()
	}
	m.in.low.inquiries[f.Fn] = true
	m.settleMaybes(mark.maybes)
	name := m.in.low.shortName(prefix+map[lookup]string{lookedAlone: " in all"}[how], q.Told())
	if how == lookedTogether {
		m.inquired = append(m.inquired, name)
		m.in.assumed["the lanes of a warp agree on "+prefix] = inWords
	}
	for _, p := range f.Fn.Params {
		if l, ok := inner.Vars[p.Name]; ok {
			if o, ok := l.Get().(*value.Object); ok {
				q.Left(o, name+": "+p.Name, 0)
			}
		}
	}
	return q.Found(v, name, 0)
}

// refuse notes that a function is no inquiry, whatever other lanes did with it before: one of them may take a number from a
// counter for all.
func (m *machine) refuse(fn *program.Function) {
	together := m.in.low.inquiries[fn]
	if m.in.low.inquiries[fn] = false; together {
		panic(restart{})
	}
}

// asks notes what an operation says of the call around it.
func (m *machine) asks(kind dialect.Kind) {
	if m.inquiry == nil {
		return
	}
	switch kind {
	case dialect.LaneIdx:
		m.inquiry.Lane = true
	case dialect.Uniform, dialect.Pure, dialect.BlockDim, dialect.GridDim:
	case dialect.BlockIdx, dialect.ClusterIdx, dialect.ClusterCount, dialect.ClusterShape, dialect.ClusterSize:
		m.inquiry.Other = m.inquiry.Other || m.in.ctas > 1 // another CTA finds something else
	default:
		m.inquiry.Other = true
	}
}

// calls notes what a library's function says of the call around it.
func (m *machine) calls(name string) {
	if m.inquiry == nil {
		return
	}
	m.inquiry.Speaks = m.inquiry.Speaks || m.effect(name) == dialect.Converges
	if effect := m.effect(name); effect != dialect.Computes && effect != dialect.Converges && !inquiry.Plain[name] {
		m.inquiry.Other = true
	}
}

// looksAt notes that an element of global memory is read: of an input it is the same for all who read it.
func (m *machine) looksAt(base string, input bool) {
	if m.inquiry == nil {
		return
	}
	from := root(base)
	if !input || !m.in.params[from] || m.in.low.written[from] || m.in.flagBlocks[base] {
		m.inquiry.Other = true
		return
	}
	m.inquiry.Looks = true
	m.in.low.inputs[from] = true
	m.in.assumed["what is read of "+from+" does not change while the kernel runs"] = inWords
}

// follows decides the test of a loop that goes round as long as a call finds work. What is found first is the beginning of
// a row; the test after it is whether there is more. That there is says how many there are, one unknown for all who go
// along the row; somebody who goes another way than the others is not understood.
func (m *machine) follows(test value.Value, last string, n program.Node) string {
	s, ok := test.(value.Symbol)
	if !ok || s.Expr.Op != "" || !strings.HasPrefix(s.Expr.Atom, "what ") || m.host {
		return ""
	}
	l, name := m.in.low, s.Expr.Atom
	at, known := l.rows[name]
	want := rowPlace{name, 0}
	if !slices.Contains(m.worked, name) {
		m.worked = append(m.worked, name)
	}
	if before, ok := l.rows[last]; ok {
		want = rowPlace{before.row, before.index + 1}
	} else if known {
		return name
	}
	switch {
	case known && at == want:
		return name
	case known && (at.row == want.row || at.row != name) || len(l.rows) > maxRow:
		m.stop(n, limit.Operation, "threads that look for their work do not go through it in the same order")
	}
	for other, p := range l.rows { // what was the beginning of a row goes on another one
		if p.row == name {
			l.rows[other] = rowPlace{want.row, want.index + p.index}
		}
	}
	l.rows[name] = want
	for other, p := range l.rows {
		count := value.Atom("pieces of work from " + p.row)
		l.domains[count.Expr.Atom] = value.TileCounts
		l.meanings[other] = &value.Expr{Op: "<", X: value.Const(p.index), Y: count.Expr, Size: 1}
	}
	if _, given := m.in.values[name]; given || known {
		panic(restart{})
	}
	return name
}

// rowPlace is the place of something found in a row of such.
type rowPlace struct {
	row   string // its first
	index int64
}

// maxRow bounds what is found in all rows, of all instances.
const maxRow = 1024

// unlikeInquiries says in which way groups look for work so that what they find cannot be compared, "" where they do not: lanes
// of one warp look for different things, which they do not do together then, or two groups find work where the other does not
// look. Whether that is as much is not known.
func (w *sweep) unlikeInquiries(groups []*machine) string {
	for i, a := range groups {
		for _, b := range groups[i+1:] {
			if a.cta == b.cta && !slices.Equal(a.inquired, b.inquired) && sharesWarp(a.threads, b.threads) {
				return "lanes of a warp look for different things"
			}
			if x, y := w.rowsOf(a), w.rowsOf(b); !isPartOf(x, y) && !isPartOf(y, x) {
				return "threads look for their work in different ways"
			}
		}
	}
	return ""
}

// rowsOf lists the rows that a group goes along.
func (w *sweep) rowsOf(m *machine) (out []string) {
	for _, name := range m.worked {
		if row := w.l.rows[name].row; !slices.Contains(out, row) {
			out = append(out, row)
		}
	}
	return out
}

func isPartOf(some, all []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

func sharesWarp(a, b []int64) bool {
	return slices.ContainsFunc(a, func(t int64) bool { return slices.ContainsFunc(b, func(u int64) bool { return u/32 == t/32 }) })
}
