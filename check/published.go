package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/check/handoffs"
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/frontend/cuda"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/litmus"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
)

// published are the handoffs between CTAs of the kernels of a file, as the IR shows them.
func (opt *Options) published(t *dialect.Table, kernels []*compiledKernel) (out []rules.Handoff) {
	for _, k := range kernels {
		if k.whole == nil || k.file.Language == program.CuTe {
			continue
		}
		block := [3]int{128, 1, 1}
		if k.Report != nil && k.Execution.Launch.Block[0] > 0 {
			block = k.Execution.Launch.Block
		}
		var guessed map[string]bool
		for _, h := range handoffs.Of(k.whole, block, k.lent) {
			if flag := &k.whole.Insts[h.Publisher.Flag]; flag.Op == ir.Atomic && flag.Scope != ir.ScopeSys && ofOneCTA(k.whole) {
				continue
			}
			flag, data := k.leads(h.Flag), k.leads(h.Data)
			if flag == data { // members of one object
				flag, data = fmt.Sprintf("%s at byte %d", flag, h.Members[0]), fmt.Sprintf("%s at byte %d", data, h.Members[1])
			}
			if guessed == nil && len(k.whole.Guesses) > 0 {
				guessed = k.guessedOrders(t)
			}
			if slices.ContainsFunc(h.Insts(), func(n int32) bool { return guessed[k.whole.Where(&k.whole.Places[k.whole.Insts[n].Place])] }) {
				continue
			}
			perhaps := ""
			switch {
			case k.lent != nil:
				perhaps = k.fn.Name + " is looked at by itself"
			case h.Publisher.Open || h.Consumer.Open:
				perhaps = "what the kernel does between its accesses of the flag and of the data is not all followed"
			case k.doubt.Code != 0:
				perhaps = k.doubt.String()
			}
			c := cutting{opt: opt, k: k, ticket: h.Ticket}
			out = append(out, rules.Handoff{Function: k.fn, Flag: flag, Data: data, Publisher: c.side(&h.Publisher, false), Consumer: c.side(&h.Consumer, true), Excuse: c.excuse(&h), Perhaps: perhaps})
		}
	}
	return out
}

// leads is what leads to memory, as the text names it.
func (k *compiledKernel) leads(root string) string {
	if strings.Contains(root, "%") { // a value that has no name
		return "memory"
	}
	return k.whole.Spelled(root)
}

// ofOneCTA reports whether all launches of a kernel that the text has are of one CTA: there is no other one on the GPU to hand anything to.
func ofOneCTA(k *ir.Kernel) bool {
	return len(k.Launches) > 0 && k.Unlaunched == "" && !slices.ContainsFunc(k.Launches, func(l ir.Launched) bool { return l.Grid != [3]int{1, 1, 1} })
}

// orderGuesses are tried to find out whether the order or the scope of an operation is what the text does not say: enumerators of libcu++ are small.
var orderGuesses = []int64{1, 2, 3}

// guessedOrders are the places of the kernel where the order or the scope of an operation follows from a number that is guessed.
func (k *compiledKernel) guessedOrders(t *dialect.Table) map[string]bool {
	at := func(whole *ir.Kernel) map[string]string {
		out := map[string]string{}
		for n := range whole.Insts {
			if in := &whole.Insts[n]; in.Op.Accesses() || in.Op == ir.Fence {
				out[whole.Where(&whole.Places[in.Place])] += fmt.Sprintf("%v %v %v,", in.Op, in.Order, in.Scope)
			}
		}
		return out
	}
	mine, out := at(k.whole), map[string]bool{}
	for _, guess := range orderGuesses {
		whole, _, err := cuda.Translate(k.file, t, k.fn, k.sources, guess)
		if err != nil {
			continue
		}
		for where, list := range at(whole) {
			if mine[where] != "" && mine[where] != list {
				out[where] = true
			}
		}
	}
	return out
}

// awaited leaves out what is suspected of reading what nothing waits for where the IR shows a wait before it.
func awaited(suspects []rules.Suspect, kernels []*compiledKernel) []rules.Suspect {
	return slices.DeleteFunc(suspects, func(s rules.Suspect) bool {
		return s.Rule.ID == unfinishedRule && slices.ContainsFunc(kernels, func(k *compiledKernel) bool {
			return k.whole != nil && k.fn == s.Function && handoffs.Waits(k.whole, func(n int32) bool {
				at := k.site(&k.whole.Places[k.whole.Insts[n].Place])
				return at.Path == s.Finding.Path && at.Line == s.Finding.Line
			})
		})
	})
}

// cutting makes the sides of litmus tests of what a kernel does.
type cutting struct {
	opt    *Options
	k      *compiledKernel
	ticket bool
}

// excuse tells why a ticket's missing acquire is let pass: the programming guide's own sum reads through pointers to volatile after its atomicInc and has no
// fence there (CUDA C++ Programming Guide, Memory Fence Functions).
func (c *cutting) excuse(h *handoffs.Handoff) string {
	if h.Ticket && c.k.whole.Insts[h.Consumer.Data].Order == ir.Volatile {
		return "the last CTA reads through a pointer to volatile, as the programming guide's example does"
	}
	return ""
}

// at is where an instruction stands in the kernel: a function that does what the kernel asks of it is not to blame.
func (c *cutting) at(n int32) finding.Location {
	at := &c.k.whole.Places[c.k.whole.Insts[n].Place]
	there := c.k.site(at)
	if call := c.k.from(at, finding.Location{Path: there.Path, Line: there.Line}); call.Line > 0 {
		there = protocol.Site{Path: call.Path, Line: call.Line}
	}
	return c.opt.wholeLine(c.k.file.Source, there)
}

// Cells and registers of a side; see package litmus.
const (
	dataCell, flagCell          = "data", "flag"
	flagReg, dataReg, unusedReg = 0, 1, 9
)

// side is what a CTA does from the one access to the other, with what may be changed so that the data are in order; nil where not all of it is followed.
func (c *cutting) side(s *handoffs.Side, takes bool) *litmus.Side {
	if s.Open {
		return nil
	}
	out := &litmus.Side{Location: c.at(s.Flag), Ticket: takes && c.ticket, Order: orderName(&c.k.whole.Insts[s.Flag])}
	first, last := s.Data, s.Flag
	names, prefix := []string{"a thread that writes data", "the thread that publishes", "a thread that writes and publishes"}, "1"
	if takes {
		first, last = last, first
		names, prefix = []string{"a thread that reads data", "the thread that waits", "a thread that waits and reads"}, "2"
	}
	type placed struct {
		thread, at int
		inst       int32
	}
	var fences []placed
	thread := func(name string, data, flag bool) {
		th := litmus.Thread{Name: name}
		put := func(n int32, maybe string, steps []litmus.Step) {
			for _, step := range steps {
				step.At, step.Maybe = c.at(n), maybe
				if step.Scope != "" && step.Sem != "weak" {
					fences = append(fences, placed{len(out.Threads), len(th.Steps), n})
				}
				th.Steps = append(th.Steps, step)
			}
		}
		for k := -1; k <= len(s.Between); k++ {
			n, cell, comes, sure := first, dataCell, data, true
			switch {
			case k == len(s.Between):
				n = last
			case k >= 0:
				b := &s.Between[k]
				n, comes, sure = b.Inst, data && b.Data || flag && b.Flag, b.Sure
			}
			if n == s.Flag {
				cell, comes = flagCell, flag
			}
			if !comes {
				continue
			}
			maybe := ""
			if !sure {
				maybe = fmt.Sprintf("not all ways lead by line %d", c.at(n).Line)
			}
			if n == s.Flag && !takes && !data {
				put(c.carried(s, takes))
			}
			put(n, maybe, c.steps(n, cell, prefix, takes))
			if n == s.Flag && takes && !data {
				put(c.carried(s, takes))
			}
		}
		out.Threads = append(out.Threads, th)
	}
	switch {
	case !s.Two:
		thread(names[2], true, true)
	case takes:
		thread(names[1], false, true)
		thread(names[0], true, false)
		out.Data = 1
	default:
		thread(names[0], true, false)
		thread(names[1], false, true)
		out.Flag = 1
	}
	flagger := out.Threads[out.Flag].Steps
	at := 0
	for flagger[at].Cell != flagCell {
		at++
	}
	line := strconv.Itoa(out.Location.Line)
	if s.Two {
		other := out.Data
		bar := litmus.Step{Op: "bar", Cell: "9" + prefix}
		r := litmus.Repair{Kind: litmus.Meeting, Words: "put __syncthreads() before line " + line, Changes: []litmus.Change{{Thread: out.Flag, At: at, Step: bar}, {Thread: other, At: len(out.Threads[other].Steps), Step: bar}}}
		if takes {
			r.Words = "put __syncthreads() after the wait in line " + line
			r.Changes = []litmus.Change{{Thread: out.Flag, At: at + 1, Step: bar}, {Thread: other, Step: bar}}
		}
		out.Repairs = append(out.Repairs, r)
	}
	for _, scope := range []string{"gpu", "sys"} {
		offered := map[int32]int{}
		for _, p := range fences {
			step := out.Threads[p.thread].Steps[p.at]
			if width(step.Scope) >= width(scope) {
				continue
			}
			from := step.Scope
			step.Scope = scope
			change := litmus.Change{Thread: p.thread, At: p.at, Replace: true, Step: step}
			if k, is := offered[p.inst]; is {
				out.Repairs[k].Changes = append(out.Repairs[k].Changes, change)
				continue
			}
			offered[p.inst] = len(out.Repairs)
			out.Repairs = append(out.Repairs, litmus.Repair{Kind: litmus.Scope, Words: fmt.Sprintf("give line %d the scope %s", c.at(p.inst).Line, scope), Changes: []litmus.Change{change}, At: c.at(p.inst), Scope: [2]string{from, scope}})
		}
		word, where, behind := "__threadfence()", " before line ", at
		if scope == "sys" {
			word = "__threadfence_system()"
		}
		if takes {
			where, behind = " after the wait in line ", at+1
			if c.ticket {
				where = " after line "
			}
		}
		out.Repairs = append(out.Repairs, litmus.Repair{Kind: litmus.Order, Words: "put " + word + where + line,
			Changes: []litmus.Change{{Thread: out.Flag, At: behind, Step: litmus.Step{Op: "fence", Sem: "acq_rel", Scope: scope}}}})
	}
	return out
}

// carried are the fences of the thread at the data that count for the one at the flag as well, on the other side of a barrier. A release or acquire pattern is one
// of a single thread (PTX ISA 8.8), so by the letter they do not; but a GPU has performed what a thread wrote before its fence, for all threads of the
// scope, when it comes to the barrier, and programs in which each thread fences its own accesses are common.
func (c *cutting) carried(s *handoffs.Side, takes bool) (n int32, maybe string, steps []litmus.Step) {
	for k, b := range s.Between {
		across := s.Between[k+1:]
		if takes {
			across = s.Between[:k]
		}
		meets := slices.ContainsFunc(across, func(o handoffs.Step) bool {
			return c.k.whole.Insts[o.Inst].Op == ir.BarrierCTA && o.Data && o.Flag && o.Sure
		})
		if c.k.whole.Insts[b.Inst].Op == ir.Fence && b.Data && b.Sure && meets {
			n, steps = b.Inst, append(steps, c.steps(b.Inst, "", "", takes)...)
		}
	}
	return n, "", steps
}

// width orders scopes.
func width(scope string) int {
	return map[string]int{"cta": 1, "cluster": 2, "gpu": 3, "sys": 4}[scope]
}

// steps are an access, a fence or a barrier in the words of a litmus test. A flag that is written or read without an order counts as volatile: what is wrong with that is
// no matter of order.
func (c *cutting) steps(n int32, cell, prefix string, takes bool) []litmus.Step {
	in := &c.k.whole.Insts[n]
	switch in.Op {
	case ir.BarrierCTA, ir.BarrierWarp:
		return []litmus.Step{{Op: "bar", Cell: fmt.Sprintf("%s%d", prefix, n)}}
	case ir.Fence:
		sem := in.Order.String()
		if in.Order != ir.Sequential {
			sem = "acq_rel"
		}
		return []litmus.Step{{Op: "fence", Sem: sem, Scope: scopeOf(in)}}
	}
	step := litmus.Step{Op: "ld", Cell: cell, Reg: dataReg, Sem: in.Order.String(), Scope: scopeOf(in)}
	if cell == flagCell {
		step.Reg = flagReg
	}
	switch {
	case in.Op == ir.Store:
		step.Op, step.Value = "st", 1
	case in.Op == ir.Atomic && takes && !c.ticket:
		step.Op, step.Fn = "atom", "add"
	case in.Op == ir.Atomic:
		step.Op, step.Fn, step.Value = "atom", "add", 1
		if !takes {
			step.Reg = unusedReg
		}
	}
	switch {
	case in.Order == ir.Volatile, in.Order == ir.MMIO, in.Order == ir.Weak && in.Op != ir.Atomic && cell == flagCell:
		step.Sem, step.Scope = "relaxed", "sys"
	case in.Order == ir.Weak && in.Op == ir.Atomic:
		step.Sem = "relaxed" // PTX ISA 9.7.13.5: atom without an order
	case in.Order == ir.Weak:
		step.Sem, step.Scope = "weak", ""
	case in.Order == ir.Sequential: // PTX has a fence.sc before it (the mapping of C++ atomics in libcu++)
		fence := litmus.Step{Op: "fence", Sem: "sc", Scope: step.Scope}
		step.Sem = map[string]string{"ld": "acquire", "st": "relaxed", "atom": "acquire"}[step.Op]
		return []litmus.Step{fence, step}
	}
	return []litmus.Step{step}
}

// scopeOf is the scope of an access or a fence; without one an atomic operation has that of the GPU (PTX ISA 9.7.13.5).
func scopeOf(in *ir.Inst) string {
	if in.Scope == ir.NoScope {
		return "gpu"
	}
	return in.Scope.String()
}

// orderName is the order of an access to a flag as a person would say it.
func orderName(in *ir.Inst) string {
	if in.Order == ir.Weak {
		if in.Op == ir.Atomic {
			return "relaxed"
		}
		return "plain"
	}
	return in.Order.String()
}
