package lower

import (
	"fmt"
	slash "path"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// The host side runs with values that nobody gives: parameters without default, properties of devices and tensors.
// What it needs to know of them is assumed, once for each unknown, and printed with the bounds (notes/cutedsl.md 3.2,
// R1 to R3).

// assumption is what something is that is taken for granted, and printed with the bounds.
type assumption uint8

const (
	inWords  assumption = iota
	asNumber            // that stands for what nothing gives
	madeUp              // an object for an option that no host code gives
)

// guesses is what a host run takes for granted besides in.assumed.
type guesses struct {
	hints   map[string]int64       // what a driver gave for an argument of the compiled program
	types   map[string]value.Value // element types of tensors that the driver made
	dynamic map[string]bool        // unknowns that are only known when the program runs
	guessed map[string]bool        // how conditions were decided that no value decides
	repairs int                    // how often the driver started again
	typed   map[string]bool        // unknowns for which a number type was assumed
	loose   map[string]bool        // parameters whose declared default the host's checks do not accept
	given   map[string]bool        // parameters that have their declared default
	asked   bool                   // what the target is was asked
	blamed  map[string]bool        // what the check that failed last speaks of
}

func newGuesses() guesses {
	return guesses{hints: map[string]int64{}, types: map[string]value.Value{}, dynamic: map[string]bool{}, guessed: map[string]bool{}, typed: map[string]bool{},
		loose: map[string]bool{}, given: map[string]bool{}}
}

// assume gives a host-side unknown the value it has for this launch.
func (m *machine) assume(e *value.Expr, yesNo bool) int64 {
	key := e.String()
	v, hinted := m.in.hints[key]
	yesNo = yesNo || strings.HasSuffix(key, " is None")
	switch {
	case hinted:
	case yesNo, strings.Contains(key, ` == "`): // a text that is not known is none of those it is compared with
		v = 0
	case len(m.in.low.domains[key]) > 0:
		v = m.in.low.domains[key][0]
	default:
		v = combination.Plausible(key)
	}
	m.in.give(key, v)
	if !yesNo || !strings.HasSuffix(key, " is None") { // an argument is there: nothing worth saying
		m.in.assumed[fmt.Sprintf("%s = %d", clip(key), v)] = asNumber
	}
	return v
}

// assumeValue gives a symbol of the host side a value by the values of its unknowns. A comparison with something that
// is only known when the program runs is an unknown by itself: its numbers are free for the kernel.
func (m *machine) assumeValue(e *value.Expr, yesNo bool) int64 {
	switch {
	case e.Op == "" || e.Op == "!" && e.Y == nil && e.X.Op == "":
		if e.Op == "!" {
			return int64(value.Bool(m.resolve(e.X, true) == 0))
		}
		return m.assume(e, yesNo)
	case e.Y == nil:
		return int64(value.Unary(e.Op, value.Int(m.resolve(e.X, e.Op == "!"))).(value.Int))
	}
	logic := e.Op == "&&" || e.Op == "||"
	if value.IsComparison(e.Op) && (m.runTime(e.X) || m.runTime(e.Y)) {
		return m.assume(e, true)
	}
	if logic {
		x := m.resolve(e.X, true)
		if (x != 0) == (e.Op == "||") {
			return int64(value.Bool(x != 0))
		}
		return m.resolve(e.Y, true)
	}
	if r, ok := value.ToInteger(m.evaluate(e)).(value.Int); ok {
		return int64(r)
	}
	return m.assume(e, yesNo)
}

// concrete is a value with what the host side assumes for its unknowns, fractions kept; what is only known when the
// program runs stays as it is.
func (m *machine) concrete(v value.Value) value.Value {
	switch v := v.(type) {
	case value.Symbol:
		if m.runTime(v.Expr) {
			return v
		}
		return m.evaluate(v.Expr)
	case *value.Sequence:
		out := &value.Sequence{}
		for _, e := range v.Elems {
			out.Elems = append(out.Elems, m.concrete(e))
		}
		return out
	}
	return v
}

func (m *machine) evaluate(e *value.Expr) value.Value {
	switch {
	case e.IsConst:
		return value.Int(e.Num)
	case e.Op == "":
		return value.Int(m.resolve(e, false))
	case e.Y == nil:
		return value.Unary(e.Op, m.evaluate(e.X))
	}
	return value.Binary(e.Op, m.evaluate(e.X), m.evaluate(e.Y))
}

// runTime reports whether a symbol depends on something that is only known when the program runs and has no value yet.
func (m *machine) runTime(e *value.Expr) bool {
	if e == nil || e.IsConst {
		return false
	}
	if _, ok := m.in.values[e.String()]; ok {
		return false
	}
	if e.Op == "" {
		return m.in.dynamic[root(e.Atom)]
	}
	return m.runTime(e.X) || m.runTime(e.Y)
}

// tookFor notes how a condition of the host side over values that are not known at all was decided.
func (m *machine) tookFor(n program.Node, choice bool) {
	m.in.guessed[fmt.Sprintf("%s:%d %t", slash.Base(m.file.Source.Name), m.file.Source.Position(n.Where().Start).Line, choice)] = true
}

// hostChoice decides a branch of the host side that values do not decide. An arm that ends the function, raises, or
// leaves the process is a check that failed: the launch is on the other one. Then an arm that names what leads to the
// launch is taken, then the one where the condition is false.
func (m *machine) hostChoice(st *program.If, test value.Value) bool {
	why := ""
	choice := false
	switch {
	case m.wanted(st.Then) != m.wanted(st.Else):
		choice = m.wanted(st.Then)
	case m.endless > 0 && syntax.EndsLoop(st.Then) != syntax.EndsLoop(st.Else): // a search ends
		choice = syntax.EndsLoop(st.Then)
	case m.leads(st.Then) != m.leads(st.Else):
		choice = m.leads(st.Then)
	case m.found(st):
		if s, ok := test.(value.Symbol); ok {
			return m.resolve(s.Expr, true) != 0
		}
		choice = true // nothing that is known speaks against the first candidate
	case len(st.Else) == 0 && syntax.ReturnsFrom(st.Then) && !m.hinted(test): // an early way out, of which nothing says that it is taken
	default:
		if s, ok := test.(value.Symbol); ok {
			return m.resolve(s.Expr, true) != 0
		}
	}
	if s, ok := test.(value.Symbol); ok {
		m.in.give(s.Expr.String(), int64(value.Bool(choice)))
		if why == "" {
			why = fmt.Sprintf("%s = %d", clip(s.Expr.String()), value.Bool(choice))
		}
	}
	if why == "" {
		m.tookFor(st.Cond, choice)
	} else {
		m.in.assumed[why] = inWords
	}
	return choice
}

// hinted reports whether all that a test asks for are numbers that were given.
func (m *machine) hinted(test value.Value) bool {
	s, ok := test.(value.Symbol)
	if !ok {
		return false
	}
	leaves := value.Leaves(s.Expr, nil)
	for _, leaf := range leaves {
		_, given := m.in.hints[leaf.String()]
		if _, known := m.in.values[leaf.String()]; !given && !known {
			return false
		}
	}
	return len(leaves) > 0
}

// found reports whether a branch ends a search: in a loop over candidates it returns the one at hand.
func (m *machine) found(st *program.If) bool {
	if len(st.Then) == 0 || len(st.Else) > 0 {
		return false
	}
	r, ok := st.Then[len(st.Then)-1].(*program.Return)
	if !ok {
		return false
	}
	candidate, ok := r.Value.(*program.Name)
	searches := false
	for _, f := range m.file.Functions {
		if !ok || !within(f, st) {
			continue
		}
		program.WalkStmts(f.Body, func(s program.Stmt) bool {
			if loop, is := s.(*program.For); is && loop.Span.Start <= st.Span.Start && st.Span.End <= loop.Span.End {
				target, named := loop.Target.(*program.Name)
				searches = searches || named && target.Ident == candidate.Ident
			}
			return !searches
		})
	}
	return searches
}

// forced decides a branch by the launch alone, where everything else has not led to it: the arm that names the kernel is
// taken, and an arm that ends the function without naming it is not.
func (m *machine) forced(st *program.If) (choice, ok bool) {
	if m.launch == nil || !m.launch.driver.force {
		return false, false
	}
	kernel := []string{m.launch.kernel.Name}
	then, otherwise := syntax.Mentions(st.Then).Any(kernel), syntax.Mentions(st.Else).Any(kernel)
	switch {
	case then != otherwise:
		choice = then
	case then || !within(m.launch.driver.fn, st):
		return false, false
	case syntax.ReturnsFrom(st.Then) != syntax.ReturnsFrom(st.Else):
		choice = syntax.ReturnsFrom(st.Else)
	default:
		return false, false
	}
	m.tookFor(st.Cond, choice)
	return choice, true
}

func within(fn *program.Function, n program.Node) bool {
	at := n.Where()
	return fn.Span.Start <= at.Start && at.End <= fn.Span.End
}

// leads reports whether the statements mention something on the way to the launch that is looked for.
func (m *machine) leads(body []program.Stmt) bool {
	return m.launch != nil && len(body) > 0 && syntax.Mentions(body).Any(m.in.low.reaching)
}

// countable reports whether the items of something are known, or become known by an assumption.
func (m *machine) countable(it value.Value) bool {
	switch it := it.(type) {
	case value.RangeValue:
		for _, v := range []value.Value{it.Lo, it.Hi, it.Step} {
			switch v.(type) {
			case value.Int, value.Symbol:
			default:
				return false
			}
		}
		return true
	case value.Data, value.Symbol, value.Path:
		return false
	}
	return true
}

// hostLoop runs a loop of the host side over items that are not known: once where it leads to the launch, else not.
func (m *machine) hostLoop(st *program.For, s *value.Scope) (control, value.Value) {
	if !m.leads(st.Body) {
		m.forgetLoop(st, nil, s)
		return next, nil
	}
	m.assign(st.Target, value.Data{}, s)
	m.tookFor(st.Iter, true)
	if c, v := m.run(st.Body, s); c == returns {
		return c, v
	}
	return next, nil
}
