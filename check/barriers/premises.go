package barriers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
)

// Limits of what is tried.
const (
	maxRuns   = 24 // of one shape of the CTA
	maxInputs = 12 // that are given numbers in one run
	maxTime   = 2 * time.Second
)

// Verify executes a kernel and checks what it does with barriers and shared memory. Where the answer depends on an integer that the kernel is
// given, and the launch does not say it, numbers are tried: those that [ir.Kernel.Numbers] lists. Where nothing says what shape a
// CTA has, shapes are tried that go together with what the kernel does.
func Verify(k *ir.Kernel, l exec.Launch, o order.Options) (*Report, error) {
	o.Findings = max(o.Findings, maxFindings)
	s := &search{whole: k, kernel: k.Reduced(false), options: o, begin: time.Now()}
	s.most = o.Limits.Time
	if s.most <= 0 {
		s.most = maxTime
	}
	var r *Report
	var err error
	if guessed(k, l) {
		r, err = s.shapes(l)
	} else {
		r, err = s.numbers(l)
	}
	if err != nil {
		return nil, err
	}
	r.Elapsed = time.Since(s.begin)
	return r, nil
}

// numbers is the answer for a launch whose shape is known.
func (s *search) numbers(l exec.Launch) (*Report, error) {
	s.cut = false
	runs, err := s.try(l)
	if err != nil {
		return nil, err
	}
	var kept, astray []*Report
	for _, r := range runs {
		if s.strays(r, l) {
			astray = append(astray, r)
		} else {
			kept = append(kept, r)
		}
	}
	where := ""
	if len(astray) > 0 {
		where = astray[0].behind
	}
	if len(kept) == 0 {
		kept, astray = runs, nil
	}
	r := worst(kept)
	r.Numbers, r.LeftOut = numbersOf(kept, l), numbersOf(astray, l)
	if where != "" {
		r.behind = where
	}
	for name, all := range r.LeftOut {
		r.LeftOut[name] = slices.DeleteFunc(all, func(n int64) bool { return slices.Contains(r.Numbers[name], n) })
	}
	if s.cut && r.Verdict == engine.Holds {
		r.Verdict = engine.Inconclusive
		r.Reasons = append(r.Reasons, exec.Halt{Why: fmt.Sprintf("the numbers for what the kernel is given were not all tried within %v; --param gives them", s.most)})
	}
	return r, nil
}

// strays reports whether a run goes behind the end of an array with a number that was tried: the kernel is not meant to be given that.
func (s *search) strays(r *Report, l exec.Launch) bool {
	return len(r.Execution.Launch.Params) > len(l.Params) && r.behind != ""
}

const late = "the time for what is tried was over"

// shapes is the answer where nothing says what shape a CTA has.
func (s *search) shapes(l exec.Launch) (*Report, error) {
	s.guessing = true
	use := s.whole.Threads()
	todo := candidates(s.kernel, use)
	var tried, left []Shape
	for n := 0; n < len(todo); n++ {
		b := todo[n]
		if why := contradicts(use, b); why != "" {
			left = append(left, Shape{Block: b, Without: why})
			continue
		}
		if len(tried) == maxShapes {
			left = append(left, Shape{Block: b, Without: fmt.Sprintf("no more than %d shapes are tried", maxShapes)})
			continue
		}
		if s.over() {
			left = append(left, Shape{Block: b, Without: late})
			continue
		}
		with := l
		with.Block = b
		r, err := s.numbers(with)
		if err != nil {
			return nil, err
		}
		for _, more := range suggested(r.Execution) {
			if !slices.Contains(todo, more) {
				todo = append(todo, more)
			}
		}
		r.strip(nil)
		if s.cut && r.Verdict != engine.Violated && len(tried) > 0 {
			left = append(left, Shape{Block: b, Without: late})
		} else {
			tried = append(tried, Shape{Block: b, Report: r})
		}
	}
	// Where some shapes go behind the ends of arrays and others do not, it is for their threads, not for a number.
	some := slices.ContainsFunc(tried, func(t Shape) bool { return t.Report.behind == "" })
	tried = slices.DeleteFunc(tried, func(t Shape) bool {
		out := t.Report.behind != "" && (some || len(t.Report.LeftOut) == 0)
		if out {
			left = append(left, Shape{Block: t.Block, Without: t.Report.behind})
		}
		return out
	})
	if len(tried) == 0 {
		e := &exec.Execution{Launch: l, Program: &order.Program{Name: s.whole.Name}, Kernel: s.kernel}
		r := &Report{Execution: e, Reasons: []exec.Halt{{Why: "the kernel has neither .reqntid nor .maxntid, and no shape that is usual goes together with what it does: --block says how many threads a CTA has"}}}
		r.Shapes, r.Guessed = left, true
		return r, nil
	}
	r := joined(tried)
	r.Shapes, r.Guessed = append(tried, left...), true
	slices.SortStableFunc(r.Shapes, func(a, b Shape) int { return slices.Compare(a.Block[:], b.Block[:]) })
	return r, nil
}

// joined is the answer of several shapes. A kernel that is broken is so in all shapes that have two warps or more; of one that is in some of them
// it is not known for which it is written.
func joined(tried []Shape) *Report {
	best := tried[0].Report
	for _, t := range tried {
		if worse(t.Report, best) {
			best = t.Report
		}
	}
	if best.Verdict != engine.Violated {
		return best
	}
	for _, counts := range []func(t Shape) bool{
		func(t Shape) bool { return t.Block[0]*t.Block[1]*t.Block[2] >= 2*ir.Lanes },
		func(t Shape) bool { return true },
	} {
		those := slices.DeleteFunc(slices.Clone(tried), func(t Shape) bool { return !counts(t) })
		if len(those) == 0 {
			continue
		}
		if !slices.ContainsFunc(those, func(t Shape) bool { return t.Report.Verdict != engine.Violated }) {
			return those[0].Report
		}
		break
	}
	out := *best
	out.Verdict, out.Findings = engine.Inconclusive, nil
	for c, v := range out.Checks {
		if v == engine.Violated {
			out.Checks[c] = engine.Inconclusive
		}
	}
	out.Reasons = []exec.Halt{{Why: "it depends on how many threads a CTA has, which the kernel does not say and --block does: " + ByVerdict(tried)}}
	return &out
}

// ByVerdict says for which shapes there is which verdict.
func ByVerdict(shapes []Shape) string {
	var out []string
	for _, v := range []engine.Verdict{engine.Violated, engine.Inconclusive, engine.Holds} {
		var blocks []string
		for _, s := range shapes {
			if s.Report != nil && s.Report.Verdict == v {
				blocks = append(blocks, BlockText(s.Block))
			}
		}
		if blocks != nil {
			word := map[engine.Verdict]string{engine.Violated: "violated", engine.Inconclusive: "inconclusive", engine.Holds: "held"}[v]
			out = append(out, word+" for blocks of "+strings.Join(blocks, ", ")+" threads")
		}
	}
	return strings.Join(out, "; ")
}

// BlockText is the shape of a CTA as it is printed: 128, or 16x16.
func BlockText(b [3]int) string {
	switch {
	case b[2] > 1:
		return fmt.Sprintf("%dx%dx%d", b[0], b[1], b[2])
	case b[1] > 1:
		return fmt.Sprintf("%dx%d", b[0], b[1])
	}
	return fmt.Sprint(b[0])
}

// search tries launches of one kernel.
type search struct {
	whole    *ir.Kernel
	kernel   *ir.Kernel // without what data are made of
	data     *ir.Kernel // with it; nil: not made yet
	options  order.Options
	integers map[string]bool // inputs that may be given numbers; nil: not asked yet
	begin    time.Time
	most     time.Duration
	guessing bool // the shape of the CTA is no premise of the caller's
	cut      bool // the time was over before all was tried
	runs     int
}

// try runs a launch. A run that stops, or is not decided, for want of an input is begun again with a number for it. Which ones are tried together
// is a matter of few runs: all inputs have the first of their numbers, then all the second, and so on; then each has the number behind that
// of the input before it.
func (s *search) try(l exec.Launch) ([]*Report, error) {
	var out []*Report
	known := map[string]*Report{}
	lists := map[string][]int64{}
	inputs, longest := 0, 1
	var best *Report  // the one of out that decides
	violated := false // with a guessed shape: whether more numbers show that it is none is all that is left to see
	for shift := 0; shift == 0 || shift < 3 && inputs > 1; shift++ {
		for first := 0; first < longest && len(out) < maxRuns; first++ {
			with := l
			for asked := 0; ; asked++ {
				key := fmt.Sprint(with.Params)
				r, again := known[key]
				if !again {
					if s.over() {
						s.cut = true
						if out == nil {
							out = append(out, known[fmt.Sprint(l.Params)])
						}
						return out, nil
					}
					var err error
					if r, err = s.once(with, s.guessing || asked > 0, violated); err != nil {
						return nil, err
					}
					known[key] = r
				}
				input, list := s.ask(r, lists)
				if input == "" || asked == maxInputs {
					if !again && (!violated || r.behind != "") {
						out = append(out, r)
					}
					if best == nil || best.behind != "" && r.behind == "" || (best.behind != "" || r.behind == "") && worse(r, best) {
						best, r = r, best
					}
					r.strip(best)
					if best.Verdict == engine.Violated && !s.guessing {
						return out, nil
					}
					violated = violated || best.Verdict == engine.Violated && best.behind == ""
					break
				}
				r.strip(best)
				longest, inputs = max(longest, len(list)), max(inputs, asked+1)
				with.Params = maps.Clone(with.Params)
				if with.Params == nil {
					with.Params = map[string]int64{}
				}
				with.Params[input] = list[(first+shift*asked)%len(list)]
			}
		}
	}
	return out, nil
}

// over reports whether there is no time for another run. The first one always has it.
func (s *search) over() bool { return s.runs > 0 && time.Since(s.begin) > s.most }

// ask is the input that a run is in want of first, with numbers for it; "" if there is none. What a kernel is given comes before where the
// CTA is, and what may come from memory, too, comes last.
func (s *search) ask(r *Report, lists map[string][]int64) (input string, list []int64) {
	rank := 0
	if s.integers == nil {
		s.integers = s.whole.Integers()
	}
	for _, h := range r.Reasons {
		for _, name := range h.Inputs {
			mine := 4
			if strings.HasPrefix(name, "%") {
				mine--
			}
			if h.Memory {
				mine -= 2
			}
			if mine <= rank || !s.integers[name] {
				continue
			}
			if lists[name] == nil {
				lists[name] = s.kernel.Numbers(name, r.Execution.Launch.Block)
			}
			all := lists[name]
			if strings.HasPrefix(name, "%") {
				all = within(name, all, r.Execution.Launch)
			}
			if len(all) > 0 {
				input, list, rank = name, all, mine
			}
		}
		if input != "" {
			break
		}
	}
	return input, list
}

// within are the numbers for the place of the CTA, and for the extents of the grid, that agree with each other and with the launch.
func within(name string, all []int64, l exec.Launch) []int64 {
	base, axis, _ := strings.Cut(name, ".")
	k := max(strings.Index("xyz", axis), 0)
	cluster := int64(l.Cluster[k])
	place, placed := l.Params["%ctaid."+axis]
	extent, said := l.Params["%nctaid."+axis]
	if l.Grid[0] != 0 {
		extent, said = int64(l.Grid[k]), true
	}
	switch base {
	case "%ctaid":
		return slices.DeleteFunc(slices.Clone(all), func(n int64) bool { return said && n >= extent })
	case "%nctaid":
		least := cluster
		if placed {
			least = (place/cluster + 1) * cluster
		}
		out := []int64{least}
		for _, n := range all {
			if n > least && n%cluster == 0 {
				out = append(out, n)
			}
		}
		return out
	}
	return nil
}

// once runs one launch. Where it is no premise of the caller's it is not asked about if it goes behind an array; it may be enough that it is executed.
func (s *search) once(l exec.Launch, ours, executed bool) (*Report, error) {
	o := s.options
	if s.runs++; s.runs > 1 || s.guessing {
		o.Limits.Time = max(s.most-time.Since(s.begin), time.Millisecond)
	}
	l.Limits = o.Limits
	e, err := exec.Run(s.kernel, l)
	if err != nil {
		return nil, err
	}
	r := &Report{Execution: e}
	if ours {
		r.behind = behind(e)
	}
	switch {
	case e.Stop != nil:
		r.Reasons = []exec.Halt{*e.Stop}
		return r, nil
	case r.behind != "":
		r.Reasons = []exec.Halt{{Why: r.behind}}
		return r, nil
	case executed:
		r.Reasons = e.Hidden
		return r, nil
	}
	r.check(o)
	if r.Checks[order.Race] == engine.Violated {
		r = s.again(r, l, o)
	}
	for _, h := range missingFences(s.whole) {
		r.weaken(h, order.Race)
	}
	r.sum()
	return r, nil
}

// again looks once more at a kernel with races, at what is written: perhaps it is the same.
func (s *search) again(first *Report, l exec.Launch, o order.Options) *Report {
	if s.data == nil {
		s.data = s.whole.Reduced(true)
	}
	e, err := exec.Run(s.data, l)
	if err != nil || e.Stop != nil {
		return first
	}
	r := &Report{Execution: e}
	if r.check(o); r.Result.Answers[order.Race].Verdict == engine.Inconclusive {
		return first
	}
	if r.Result.Benign > 0 {
		e.Assumed = append(e.Assumed, "what one pointer of the kernel leads to is not written through another one")
	}
	return r
}

// badness orders verdicts.
var badness = map[engine.Verdict]int{engine.Holds: 0, engine.Inconclusive: 1, engine.Violated: 2}

// worse reports whether of two runs the first one decides.
func worse(a, b *Report) bool {
	return badness[a.Verdict] > badness[b.Verdict] || a.Verdict == engine.Holds && b.Verdict == engine.Holds && a.Result.Commands > b.Result.Commands
}

// strip gives back what a run takes that does not decide: the commands of its threads.
func (r *Report) strip(best *Report) {
	if r == nil || r == best {
		return
	}
	e := *r.Execution
	p := *e.Program
	p.Warps = slices.Clone(p.Warps)
	for k, w := range p.Warps {
		p.Warps[k] = &order.Warp{CTA: w.CTA, First: w.First, Lanes: w.Lanes}
	}
	e.Program = &p
	r.Execution = &e
}

// worst is the report of the run that decides: the first that is violated, else the first that is inconclusive, else the longest. Each check is
// what it is in the worst of them.
func worst(runs []*Report) *Report {
	var best *Report
	for _, r := range runs {
		if best == nil || worse(r, best) {
			best = r
		}
	}
	out := *best
	for _, r := range runs {
		for c, v := range r.Checks {
			if r.Result != nil && badness[v] > badness[out.Checks[c]] {
				out.Checks[c] = v
			}
		}
	}
	return &out
}

// numbersOf lists what the runs were given that the launch does not say.
func numbersOf(runs []*Report, l exec.Launch) map[string][]int64 {
	out := map[string][]int64{}
	for _, r := range runs {
		for name, n := range r.Execution.Launch.Params {
			if _, said := l.Params[name]; !said && !slices.Contains(out[name], n) {
				out[name] = append(out[name], n)
			}
		}
	}
	for _, all := range out {
		slices.Sort(all)
	}
	return out
}
