package lower

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// The lanes of a warp look a table through together: each reads an entry, a vote or a shuffle says where what they look
// for is (a scheduler that finds the sequence that a tile is of). What a lane read is data. But a call that reads
// nothing except what does not change, and its arguments, finds the same wherever it is given the same: its result, and
// what it leaves in its object, are unknowns of their own, named by all that it was told. So roles that look for their
// work in the same way agree on it, as they do on tiles of a scheduler of the library (notes/cutedsl.md R7, R10).

// inquiry is such a call as far as it got.
type inquiry struct {
	before *value.Heap     // what the arguments reached when it began
	told   strings.Builder // the arguments, and every field that was read, in order
	asked  map[askedField]bool
	known  map[string]bool // the unknowns that it was told

	lane, together, other bool // it asks for its lane; it speaks with the other lanes; it does what is not looking up
}

type askedField struct {
	of   *value.Object
	name string
}

// looksTogether reports whether a function asks for its lane itself, and speaks with the other lanes. One that is given
// its lane does not say what a warp finds, nor does one that synchronizes.
func (l *lowering) looksTogether(mod *value.Module, fn *program.Function) bool {
	yes, known := l.asking[fn]
	if !known {
		lane, speaks, does := false, false, false
		for _, st := range fn.Body {
			for op := range l.opsDeep(mod, st) {
				switch op.Kind {
				case dialect.ClusterIdx, dialect.ClusterCount, dialect.ClusterCoord, dialect.ClusterShape: // asks decides
				default:
					does = does || !op.Kind.Query()
				}
			}
			program.Walk(st, func(n program.Node) bool {
				if c, call := n.(*program.Call); call {
					short := value.LastWord(program.DumpExpr(c.Fun))
					lane, speaks = lane || short == "lane_idx", speaks || l.converges(mod, c)
				}
				return true
			})
		}
		if l.asking == nil {
			l.asking = map[*program.Function]bool{}
		}
		yes = lane && speaks && !does
		l.asking[fn] = yes
	}
	return yes
}

// inquire executes the body of a function.
func (m *machine) inquire(f *value.Closure, inner *value.Scope, work func() value.Value) value.Value {
	if m.host || m.sampling || f.Fn == nil || f.Fn.Kernel || f.Env == nil || f.Env.Parent != nil || !m.in.low.looksTogether(m.mod, f.Fn) {
		return work()
	}
	if together, known := m.in.low.inquiries[f.Fn]; known && !together {
		return work()
	}
	q := &inquiry{before: value.EmptyHeap(), asked: map[askedField]bool{}, known: map[string]bool{}}
	q.told.WriteString(f.Mod.Name + "." + f.Fn.Qualified)
	q.before.Scopes[inner] = inner.Hold()
	for _, p := range f.Fn.Params {
		if l, ok := inner.Vars[p.Name]; ok {
			q.before.Place(l)
			q.tell(p.Name, l.Get())
		}
	}
	m.spend((value.MaxHeap - q.before.Left) / 8)
	m.inquiry = q
	mark := m.mark()
	// Which way the lanes go does not matter: that all of them come here is what unlikeInquiries looks at.
	_, v, ok := m.speculate(mark, func() (control, value.Value) { return next, work() })
	m.inquiry = nil
	if !ok || !q.lane || !q.together || q.other || q.before.Left < 0 {
		q.before.Restore()
		m.undo(mark)
		m.refuse(f.Fn)
		return work()
	}
	m.in.low.inquiries[f.Fn] = true
	m.settleMaybes(mark.maybes)
	prefix := "what " + f.Fn.Name + " finds"
	name := m.in.low.shortName(prefix, q.told.String())
	m.inquired = append(m.inquired, name)
	m.in.assumed["the lanes of a warp agree on "+prefix] = inWords
	for _, p := range f.Fn.Params {
		if l, ok := inner.Vars[p.Name]; ok {
			if o, ok := l.Get().(*value.Object); ok {
				q.left(o, name+": "+p.Name, 0)
			}
		}
	}
	return q.found(v, name, 0)
}

// refuse notes that a function is no inquiry, whatever other lanes did with it before: one of them may take a number from a
// counter for all.
func (m *machine) refuse(fn *program.Function) {
	together := m.in.low.inquiries[fn]
	if m.in.low.inquiries[fn] = false; together {
		panic(restart{})
	}
}

// tell notes something that the call is told. What cannot be spelled may be anything.
func (q *inquiry) tell(name string, v value.Value) {
	q.told.WriteString("\x00" + name + "=")
	if q.told.Len() > maxTold || !q.spell(v, 0) {
		q.other = true
	}
}

const (
	// maxTold bounds what a call is told, maxParts how deep its result is taken apart.
	maxTold  = 4096
	maxParts = 4
)

func (q *inquiry) spell(v value.Value, depth int) bool {
	if depth > maxParts {
		return false
	}
	switch v := v.(type) {
	case value.Int, value.Float, value.Text, value.None, value.Path, *value.EnumMember, *value.Class:
		q.told.WriteString(value.Canonical(v))
	case value.Symbol:
		q.known[v.Expr.String()] = true
		q.told.WriteString(v.Expr.String())
	case *value.Sequence:
		for _, e := range v.Elems {
			q.told.WriteByte(',')
			if !q.spell(e, depth+1) {
				return false
			}
		}
	case *value.Object: // its fields are told when they are read
		_, there := q.before.Objects[v]
		return there
	case *cute.Tensor:
		q.told.WriteString(v.Name)
		return v.Input && v.Block == nil && v.Values == nil
	default:
		return false
	}
	return true
}

// reads notes that a field of an object is read.
func (m *machine) reads(o *value.Object, name string) {
	q := m.inquiry
	if q == nil {
		return
	}
	fields, there := q.before.Objects[o]
	if at := (askedField{o, name}); there && !q.asked[at] {
		q.asked[at] = true
		if v, set := fields.All[name]; set {
			q.tell(name, v)
		}
	}
}

// asks notes what an operation says of the call around it.
func (m *machine) asks(kind dialect.Kind) {
	if m.inquiry == nil {
		return
	}
	switch kind {
	case dialect.LaneIdx:
		m.inquiry.lane = true
	case dialect.Uniform, dialect.Pure, dialect.BlockDim, dialect.GridDim:
	case dialect.BlockIdx, dialect.ClusterIdx, dialect.ClusterCount, dialect.ClusterShape, dialect.ClusterSize:
		m.inquiry.other = m.inquiry.other || m.in.ctas > 1 // another CTA finds something else
	default:
		m.inquiry.other = true
	}
}

// calls notes what a library's function says of the call around it.
func (m *machine) calls(name string) {
	if m.inquiry == nil {
		return
	}
	m.inquiry.together = m.inquiry.together || m.effect(name) == dialect.Converges
	if effect := m.effect(name); effect != dialect.Computes && effect != dialect.Converges {
		m.inquiry.other = true
	}
}

// looksAt notes that an element of global memory is read: of an input it is the same for all who read it.
func (m *machine) looksAt(base string, input bool) {
	if m.inquiry == nil {
		return
	}
	from := root(base)
	if !input || !m.in.params[from] || m.in.low.written[from] || m.in.flagBlocks[base] {
		m.inquiry.other = true
		return
	}
	m.in.low.inputs[from] = true
	m.in.assumed["what is read of "+from+" does not change while the kernel runs"] = inWords
}

// found is the result of the call: what it was not told is unknown.
func (q *inquiry) found(v value.Value, name string, depth int) value.Value {
	switch v := v.(type) {
	case value.Data:
		return value.Atom(name)
	case value.Symbol:
		if !q.known[v.Expr.String()] {
			return value.Atom(name)
		}
	case *value.Sequence:
		if depth > maxParts {
			break
		}
		out := &value.Sequence{Elems: make([]value.Value, len(v.Elems)), List: v.List, Lost: v.Lost}
		for i, e := range v.Elems {
			out.Elems[i] = q.found(e, fmt.Sprintf("%s[%d]", name, i), depth+1)
		}
		return out
	case *value.Object:
		if _, there := q.before.Objects[v]; !there {
			q.left(v, name, depth)
		}
	}
	return v
}

// left names what the call left in an object that is new or that it was given.
func (q *inquiry) left(o *value.Object, name string, depth int) {
	if depth > maxParts {
		return
	}
	names := make([]string, 0, len(o.Fields))
	for f := range o.Fields {
		names = append(names, f)
	}
	sort.Strings(names)
	for _, f := range names {
		v, old := o.Fields[f], q.before.Objects[o].All[f]
		if part, ok := v.(*value.Object); ok && old == v {
			q.left(part, name+"."+f, depth+1)
		} else if !value.Same(v, old) {
			o.Put(f, q.found(v, name+"."+f, depth+1))
		}
	}
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
