// Package gap tells what of a function's text nothing runs of all that is tried: there anything may be wrong.
package gap

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/program"
)

// Run is what became of one function where it was run.
type Run interface {
	Ran(st program.Stmt) bool
	Made(e program.Expr) bool            // a call, or an arm of x if c else y, of a statement that was run
	Synchronizes(n program.Node) bool    // surely, or asks a barrier
	Needed(st program.Node) bool         // synchronization depends on what it assigns
	Leads(st program.Node) bool          // where memory is accessed depends on what it assigns
	Computes(e program.Expr) bool        // it is a function that only computes
	Ways(n program.Node) memory.Ways     // to which memory it may access
	Constant(test program.Expr) bool     // nobody who launches the kernel can have it otherwise
	Polls(loop *program.While) bool      // it goes round until another thread says so
	Line(n program.Node) int             // at which it stands
	Spelled(n program.Node) (out string) // for people
}

// Place is what is not run, the outermost of it, and why that is.
type Place struct {
	At    program.Node
	Syncs bool        // it synchronizes
	Gives bool        // it does not, and synchronization depends on what it gives
	To    memory.Ways // else which memory it accesses
	Leads bool        // else where memory is accessed depends on what it gives
	Under string
}

// Finder looks for what is not run in one function.
type Finder struct {
	Run
	Places []Place
	Tests  []program.Expr // that leave them out
}

// Body looks through statements that are run one after another; under says what decides whether they are.
func (f *Finder) Body(body []program.Stmt, under string) {
	refuses, left := syntax.GivesUp(body), []Place(nil)
	for _, st := range body {
		switch {
		case f.Ran(st):
			f.inside(st)
			f.below(st)
		case f.Synchronizes(st): // nor is what comes after it, and why what comes ahead is not is why it is not
			f.note(st, under)
			return
		case !refuses:
			n := len(f.Places)
			f.note(st, under)
			left, f.Places = append(left, f.Places[n:]...), f.Places[:n]
		}
	}
	f.Places = append(f.Places, left...)
}

// note notes what is not run, and reports whether it synchronizes.
func (f *Finder) note(n program.Node, under string) bool {
	if f.Synchronizes(n) {
		f.Places = append(f.Places, Place{At: n, Syncs: true, Under: under})
		return true
	}
	if st, ok := n.(program.Stmt); ok && f.Needed(st) {
		f.Places = append(f.Places, Place{At: n, Gives: true, Under: under})
	} else if to := f.Ways(n); to != memory.Nowhere {
		f.Places = append(f.Places, Place{At: n, To: to, Under: under})
	} else if ok && f.Leads(st) {
		f.Places = append(f.Places, Place{At: n, Leads: true, Under: under})
	}
	return false
}

// inside looks through the expressions of a statement that was run: x() if c else y(), c and x(), [x() for i in range(n)].
func (f *Finder) inside(st program.Stmt) {
	f.within(st, st, "", nil)
}

func (f *Finder) within(root, st program.Node, under string, tests []program.Expr) {
	note := func(n program.Node, under string, tests []program.Expr) {
		if k := len(f.Places); f.note(n, under) || len(f.Places) > k {
			f.Tests = append(f.Tests, tests...)
		}
	}
	_, assigns := st.(*program.Assign)
	arm := func(test program.Expr, not string, e program.Expr, chosen bool) {
		under, tests := f.Under(test, not), append(slices.Clone(tests), test)
		switch {
		case f.Made(e) || f.some(e):
			f.within(e, st, under, tests)
		case f.Constant(test): // no part of the kernel
		case chosen && assigns && !f.Computes(e) && (f.Needed(st) || f.Leads(st)):
			f.Places, f.Tests = append(f.Places, Place{At: e, Gives: f.Needed(st), Leads: !f.Needed(st), Under: under}), append(f.Tests, tests...)
		default:
			note(e, under, tests)
		}
	}
	program.Walk(root, func(n program.Node) bool {
		switch e := n.(type) {
		case program.Stmt:
			return n == st
		case *program.Cond:
			f.within(e.Test, st, under, tests)
			arm(e.Test, "", e.Then, true)
			arm(e.Test, "not ", e.Else, true)
			return false
		case *program.Binary:
			if e.Op != "&&" && e.Op != "||" {
				return true
			}
			f.within(e.X, st, under, tests)
			arm(e.X, map[string]string{"||": "not "}[e.Op], e.Y, false)
			return false
		case *program.Comp:
			free := false
			for _, c := range e.Clauses {
				f.within(c.Iter, st, under, tests)
				free = free || !f.Constant(c.Iter)
			}
			if f.Made(e.Elem) || f.some(e.Elem) {
				f.within(e.Elem, st, under, tests)
			} else if free {
				note(e.Elem, ": nothing is gone through", tests)
			}
			return false
		case *program.Call:
			if !f.Made(e) && f.Synchronizes(e) {
				note(e, under, tests)
				return false
			}
		}
		return true
	})
}

// some reports whether anything of an expression was evaluated.
func (f *Finder) some(e program.Expr) (some bool) {
	program.WalkExprs(e, func(e program.Expr) bool {
		c, ok := e.(*program.Call)
		some = some || ok && f.Made(c)
		return !some
	})
	return some
}

// below looks through the parts of a statement that was run.
func (f *Finder) below(st program.Stmt) {
	switch st := st.(type) {
	case *program.If:
		if f.Constant(st.Cond) {
			f.taken(st.Then)
			f.taken(st.Else)
			return
		}
		n := len(f.Places)
		f.Body(st.Then, f.Under(st.Cond, ""))
		f.Body(st.Else, f.Under(st.Cond, "not "))
		f.decides(n, st.Cond)
	case *program.For:
		n := len(f.Places)
		f.Body(st.Body, fmt.Sprintf(": the loop at line %d goes round zero times", f.Line(st)))
		f.Body(st.Else, "")
		f.decides(n, st.Iter)
	case *program.While:
		if !f.Polls(st) {
			f.Body(st.Body, fmt.Sprintf(": the loop at line %d goes round zero times", f.Line(st)))
			f.Body(st.Else, "")
		}
	case *program.With:
		f.Body(st.Body, "")
	case *program.Try:
		f.Body(st.Body, "")
		f.Body(st.Else, "")
		f.Body(st.Finally, "")
	}
}

// taken looks through an arm if it was run: one that constants of the source leave out is not part of the kernel.
func (f *Finder) taken(body []program.Stmt) {
	if len(body) > 0 && f.Ran(body[0]) {
		f.Body(body, "")
	}
}

// decides notes what decides whether something is run, if any has been found since there were n places.
func (f *Finder) decides(n int, test program.Expr) {
	if len(f.Places) > n {
		f.Tests = append(f.Tests, test)
	}
}

// Under says that a test leaves something out.
func (f *Finder) Under(test program.Expr, not string) string {
	return fmt.Sprintf(": no combination has %s%q", not, f.Spelled(test))
}
