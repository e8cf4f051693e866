package lower

import (
	"crypto/sha256"
	"fmt"
	"maps"
	slash "path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// A watched evaluation is the evaluation of a combination in which the loops whose rounds follow unknowns are run with
// symbols: at the head of each round the loop's counter, and whatever else grows from round to round, is a fresh leaf with
// a value. So all that is computed of it is an expression, and each time that evaluation asks what an expression is worth
// shows in the record. What the record proves is told in certificate.go.

// watcher is what the groups of a watched instance have in common.
type watcher struct {
	unknowns []string
	grows    map[string]bool         // places of numbers that grow from round to round; found by earlier runs
	loops    map[program.Stmt]string // the unknown that the test of each round of a loop follows; found by earlier runs
	again    bool                    // this run found more of them
	means    map[string]*value.Expr  // leaf → what it was set to, over older leaves
	nameless int
	reason   string // why there is no certificate
	logs     []*watch
	outer    map[string]bool // the unknowns in rounds of whose loops others were executed, in this run or before
	seen     map[any]int     // survey.seen and survey.b, for the next
	bytes    []byte
	surveyed int       // values that surveys have visited
	only     repeating // surveys are made only at the heads of rounds that these may begin and end at; nil: at all
}

// watch is the record of one group.
type watch struct {
	*watcher
	m       *machine
	quiet   bool           // what is asked for is part of a question that is in the record
	frames  []*value.Scope // of the calls around the running function
	scope   *value.Scope   // of the running statement
	running program.Stmt
	file    *program.File // it is in
	via     viaCall
	steps   []step
	holders map[*value.Scope][]value.Value // containers of libraries' modules
	names   map[any][]string               // the names that scopes and objects have, in order
	ids     map[any]int64
	waits   map[string]value.Value // machine.waits of the mbarriers that responses are told by (clc.go)
	open    []*turns               // the loops that are being executed
	meant   map[following]bool
	answers
	finished bool // the group was evaluated to its end, not told apart
}

// following is the question whether an unknown is part of what a short name means.
type following struct{ name, unknown string }

// step is something evaluation did, in order.
type step struct {
	asked *value.Expr // what was asked for
	at    viaCall     // where
	head  *head       // or a round began
	left  *turns      // or a loop was left
}

// turns is one execution of a loop that follows an unknown.
type turns struct {
	of      program.Stmt
	unknown int
	heads   []*head
	end     int // the location at which it is left, -1 as long as it is not
}

// head is the beginning of a round.
type head struct {
	of     *turns
	index  int
	at     int               // location
	seen   bool              // there was a survey
	state  [sha256.Size]byte // what evaluation depends on from here on, but for what the leaves in it are worth
	leaves []string          // in the order in which state names them
	fresh  []string          // those that were made for it
	joints map[joint]int     // machine.joints
	counts map[string]int64  // the numbers at places that may turn out to grow
}

// LeafMark begins the names of leaves, namelessMark those of unknowns that were named after leaves.
const (
	namelessMark = "¤"
)

// leaf is a fresh symbol for a value that an expression has. All names have one length, so that texts that have them in it do.
func (w *watch) leaf(of *value.Expr) *value.Expr {
	name := w.leafName()
	v, ok := w.value(of)
	if !ok {
		w.fail("a value that is not known is carried from round to round")
	}
	w.means[name], w.m.in.values[name] = of, v
	return &value.Expr{Atom: name}
}

// leafName is the name of the next leaf.
func (w *watcher) leafName() string { return numbered(value.LeafMark, len(w.means)) }

const nameDigits = 7

func numbered(mark string, n int) string {
	digits := strconv.Itoa(n)
	return mark + "0000000"[:max(nameDigits-len(digits), 0)] + digits
}

// spelled is an expression as people would have it, with what is carried from round to round for leaves.
func (w *watcher) spelled(e *value.Expr) string {
	return madeNames.ReplaceAllString(e.String(), "a count")
}

// madeName reports whether a text is the name of a leaf or of a nameless unknown.
func madeName(s string) bool {
	digits, ok := strings.CutPrefix(s, value.LeafMark)
	if !ok {
		digits, ok = strings.CutPrefix(s, namelessMark)
	}
	for _, d := range []byte(digits) {
		ok = ok && '0' <= d && d <= '9'
	}
	return ok && len(digits) == nameDigits
}

var madeNames = regexp.MustCompile("[" + value.LeafMark + namelessMark + "][0-9]{7}")

// value is what an expression is worth, without a record of the question.
func (w *watch) value(e *value.Expr) (int64, bool) {
	old := w.quiet
	w.quiet = true
	defer func() { w.quiet = old }()
	return w.m.peek(e)
}

func (w *watcher) fail(format string, args ...any) {
	if w.reason == "" {
		w.reason = fmt.Sprintf(format, args...)
	}
}

// answer is worth, with a record of the question.
func (w *watch) answer(e *value.Expr, yesNo bool) (int64, *combination.Need) {
	w.quiet = true
	defer func() { w.quiet = false }()
	v, missing := w.m.worth(e, yesNo)
	if missing != nil && slices.Contains(w.unknowns, missing.Key) && !value.HasLeaf(e) {
		return v, missing // nobody has given the unknown a value yet: whatever it will be, that is the answer
	}
	if value.HasLeaf(e) || len(w.follows(e)) > 0 {
		w.steps = append(w.steps, step{asked: e, at: w.place()})
	}
	return v, missing
}

// at notes the statement that is executed.
func (w *watch) at(st program.Stmt, s *value.Scope) {
	if w != nil {
		w.scope, w.running, w.file, w.via = s, st, w.m.file, w.m.via
	}
}

// place is where the running statement stands.
func (w *watch) place() viaCall {
	if w.via.file != nil || w.running == nil {
		return w.via
	}
	return viaCall{w.file, w.running.Where()}
}

func (at viaCall) String() string {
	if at.file == nil {
		return "the beginning"
	}
	return fmt.Sprintf("%s:%d", slash.Base(at.file.Source.Name), at.file.Source.Position(at.span.Start).Line)
}

// follows lists the unknowns that are part of an expression.
func (w *watch) follows(e *value.Expr) (out []string) {
	old := w.quiet
	w.quiet = true
	defer func() { w.quiet = old }()
	for _, u := range w.unknowns {
		if w.m.hasUnknown(e, u, 0) {
			out = append(out, u)
		}
	}
	return out
}

// hasUnknown reports whether an unknown is part of an expression.
func (m *machine) hasUnknown(e *value.Expr, key string, depth int) bool {
	switch {
	case e.IsConst || depth > 2*value.MaxOperators:
		return false
	case e.String() == key:
		return true
	case e.Op == "":
		if of, ok := m.in.same[e.Atom]; ok && m.hasUnknown(&value.Expr{Atom: of}, key, depth+1) {
			return true
		}
		meant := m.in.low.meanings[e.Atom]
		if meant == nil {
			return false
		}
		// What is meant is made of other short names, each of them more than once.
		has, asked := m.watch.meant[following{e.Atom, key}]
		if !asked {
			has = m.hasUnknown(meant, key, depth+1)
			m.watch.meant[following{e.Atom, key}] = has
		}
		return has
	}
	if value.IsComparison(e.Op) && e.Y != nil {
		if w, ok := m.strided(e); ok && w.steps.String() == key {
			return true
		}
	}
	return m.hasUnknown(e.X, key, depth+1) || e.Y != nil && m.hasUnknown(e.Y, key, depth+1) || e.C != nil && m.hasUnknown(e.C, key, depth+1)
}

// changes notes that a class gets an attribute. Surveys do not look at those of libraries.
func (w *watch) changes(c *value.Class) {
	if w != nil && c.Mod != nil && c.Mod.Library {
		w.fail("a class of a library is changed")
	}
}

// waited notes a wait on an mbarrier.
func (w *watch) waited(name string) {
	if w == nil {
		return
	}
	for _, bars := range w.m.in.low.responses {
		if slices.Contains(bars, name) {
			n, counted := w.waits[name]
			if !counted {
				n = value.Int(w.m.waits[name] - 1)
			}
			w.waits[name] = value.Binary("+", n, value.Int(1))
		}
	}
}

// call notes that a function is called; the result ends the call.
func (w *watch) call() (end func()) {
	if w == nil {
		return func() {}
	}
	caller := w.scope
	w.frames = append(w.frames, caller)
	return func() { w.frames, w.scope = w.frames[:len(w.frames)-1], caller }
}

// enter begins the execution of a loop.
func (w *watch) enter(of program.Stmt, unknown string) *turns {
	t := &turns{of: of, unknown: slices.Index(w.unknowns, unknown), end: -1}
	if slices.ContainsFunc(w.open, func(o *turns) bool { return o.unknown == t.unknown }) {
		w.fail("a loop goes round in each round of another that goes round as often")
	}
	for _, o := range w.open {
		w.outer[w.unknowns[o.unknown]] = true
	}
	w.open = append(w.open, t)
	return t
}

// begins notes that a round of a loop begins. What grows, the loop's counter with it, is a leaf from here on, unless nobody
// will look at this round.
func (w *watch) begins(t *turns, counter *value.Value, extra string) {
	h := &head{of: t, index: len(t.heads), at: len(w.m.ops)}
	t.heads = append(t.heads, h)
	w.steps = append(w.steps, step{head: h})
	if h.seen = w.only == nil || w.only.at(t.of, h.index, w.outer[w.unknowns[t.unknown]]); !h.seen {
		return
	}
	h.joints = maps.Clone(w.m.joints)
	if w.only == nil {
		h.counts = map[string]int64{}
	}
	from, _ := value.AsExpr(*counter)
	first := w.leafName()
	*counter = value.Symbol{Expr: w.leaf(from)}
	v := w.survey(h)
	v.number((*counter).(value.Symbol).Expr)
	v.text(extra)
	v.machine()
	h.state, w.bytes = sha256.Sum256(v.b), v.b
	for _, name := range h.leaves {
		if name >= first {
			h.fresh = append(h.fresh, name)
		}
	}
	if len(h.fresh) > maxFresh {
		w.fail("more than %d numbers are carried from round to round", maxFresh)
	}
}

// maxFresh bounds the leaves of one head.
const maxFresh = 64

func (w *watch) leaves(t *turns) {
	t.end, w.open = len(w.m.ops), slices.DeleteFunc(w.open, func(o *turns) bool { return o == t })
	w.steps = append(w.steps, step{left: t})
}

// ranged is a loop over a range of which an unknown says how many elements it has.
type ranged struct {
	of      *program.For
	r       value.RangeValue
	span    *value.Expr
	unknown string
}

// over reports whether a loop that is executed is over a range of which the unknown says how many elements it has.
func (w *watch) over(it value.Value, st *program.For) (l ranged, ok bool) {
	r, ok := it.(value.RangeValue)
	if w == nil || !ok || w.m.host {
		return l, false
	}
	n, ok := r.Span().(value.Symbol)
	if !ok {
		return l, false
	}
	u := w.follows(n.Expr)
	if len(u) != 1 {
		return l, false
	}
	_, known := w.value(n.Expr)
	return ranged{st, r, n.Expr, u[0]}, known || w.m.syncs(st) || syntax.Leaves(st.Body)
}

// each runs a loop over a range that follows the unknown.
func (w *watch) each(l ranged, s *value.Scope) (control, value.Value) {
	t, m, st := w.enter(l.of, l.unknown), w.m, l.of
	var counter value.Value = value.Int(0)
	for {
		m.burn(st)
		w.begins(t, &counter, "")
		if !m.truth(value.Binary("<", counter, value.Symbol{Expr: l.span}), st) {
			break
		}
		m.assign(st.Target, value.Binary("+", l.r.Lo, value.Binary("*", counter, l.r.Step)), s)
		if c, v := m.run(st.Body, s); c == breaks || c == returns {
			w.leaves(t)
			if c == breaks {
				c, v = next, nil
			}
			return c, v
		}
		counter = value.Binary("+", counter, value.Int(1))
	}
	w.leaves(t)
	return m.run(st.Else, s)
}

// tests notes the test of a loop: one that follows the unknown is run by rounds the next time.
func (w *watch) tests(st program.Stmt, test value.Value) {
	if w == nil || w.loops[st] != "" {
		return
	}
	if s, ok := test.(value.Symbol); ok {
		if u := w.follows(s.Expr); len(u) == 1 {
			w.loops[st], w.again = u[0], true
		}
	}
}

// repeats reports whether a loop is run by rounds.
func (w *watch) repeats(st program.Stmt) bool { return w != nil && w.loops[st] != "" && !w.m.host }

// of is the record of a group of a watched instance.
func (w *watcher) of(m *machine) *watch {
	if w == nil {
		return nil
	}
	out := &watch{watcher: w, m: m, ids: map[any]int64{}, holders: map[*value.Scope][]value.Value{}, names: map[any][]string{}, waits: map[string]value.Value{}, meant: map[following]bool{}, answers: answers{map[*value.Expr]*int64{}, map[*value.Expr]*walked{}}}
	w.logs = append(w.logs, out)
	return out
}

func (w *watch) finish() {
	if w != nil {
		w.finished = true
	}
}

// repeat runs a loop by rounds, as many as an unknown says where its test is none of each round. It answers whether its test ended it.
func (w *watch) repeat(st *program.While, s *value.Scope) (ended bool, c control, v value.Value) {
	t, m := w.enter(st, w.loops[st]), w.m
	var counter value.Value = value.Int(0)
	var counted *value.Expr // the unknown that says how many rounds there are, where the test is no test of each
	last := ""
	for {
		w.at(st, s)
		w.begins(t, &counter, fmt.Sprint(counted != nil, last))
		test := m.eval(st.Cond, s)
		if sym, ok := test.(value.Symbol); ok && counted == nil && !m.in.low.modelled(sym.Expr) {
			if opaqueTest(sym.Expr) && !value.HasLeaf(sym.Expr) || sym.Expr.String() == last {
				counted = &value.Expr{Atom: "trips of " + sym.Expr.String()}
			}
			if last = sym.Expr.String(); value.HasLeaf(sym.Expr) {
				last = "" // no other test is like it
			}
		}
		if counted != nil {
			test = value.Binary("<", counter, value.Symbol{Expr: counted})
		}
		if !m.truth(test, st.Cond) {
			w.leaves(t)
			return true, next, nil
		}
		if c, v := m.run(st.Body, s); c == breaks || c == returns {
			w.leaves(t)
			if c == breaks {
				c, v = next, nil
			}
			return false, c, v
		}
		counter = value.Binary("+", counter, value.Int(1))
	}
}
