package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/thread"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// waits reports whether threads of a kernel wait for what other CTAs write to memory: these are executed thread by thread, as a grid.
func (k *compiledKernel) waits() bool { return k.whole != nil && barriers.WaitsForMemory(k.whole) }

// Flagged are the kernels of a file of CUDA C++ or PTX whose threads wait for what others write to memory, as protocols.
func Flagged(ctx context.Context, f *program.File, t *dialect.Table, sources *Sources, opt Options) []*lower.Kernel {
	opt.sources = sources
	return opt.flagged(opt.compiled(ctx, f, t))
}

// flagged are the kernels whose threads wait for what others write to memory, as protocols.
func (opt *Options) flagged(list []*compiledKernel) (out []*lower.Kernel) {
	list = slices.DeleteFunc(slices.Clone(list), func(k *compiledKernel) bool { return !k.waits() })
	out = make([]*lower.Kernel, len(list))
	opt.workers.each(len(list), func(i int) { out[i] = opt.flagsOf(list[i]) })
	return out
}

// Bounds on the grids that a kernel is executed as, and on the numbers that each is given.
const (
	maxGrids = 6
	maxGiven = 6
)

// grids are executions of a kernel as a grid.
type grids struct {
	*compiledKernel
	whole  *ir.Kernel // the instance of the kernel's template at hand
	out    *lower.Kernel
	most   time.Duration
	waited map[int32]bool // reads of the instance that threads wait at
	err    error          // the first of those that were not possible
	spent  time.Duration  // on all instances: numbers for several that are not known make many executions
	cut    bool           // there was no time for more
}

// flagsOf is a kernel as its threads execute it: in each launch that is known as a whole, else in some that are guessed.
func (opt *Options) flagsOf(k *compiledKernel) *lower.Kernel {
	g := &grids{compiledKernel: k, most: textLimits(opt.Limits).Work / maxGrids,
		out: &lower.Kernel{Name: k.fn.Qualified, Function: k.fn, Path: k.file.Source.Name, Line: k.file.Source.Position(k.fn.NameSpan.Start).Line,
			Bounds: map[string]string{}, Spans: k.lines(), Mechanisms: mechanisms(k.whole)}}
	for _, whole := range append([]*ir.Kernel{k.whole}, k.whole.Others...) {
		g.instance(whole)
	}
	if g.cut {
		g.gap(nil, limit.Way, "other numbers for what is not known are not tried: there are too many")
	}
	if k.whole.Unread {
		g.gap(nil, limit.OtherLaunch, "the kernel is launched with more arguments of its template than are looked at")
	}
	return g.out
}

// instance executes the kernel as one of its launches has it, by what its template is given.
func (g *grids) instance(whole *ir.Kernel) {
	g.whole, g.waited, g.err = whole, map[int32]bool{}, nil
	launches, guessed := g.launches()
	if guessed {
		g.madeUp("a grid and CTAs of sizes that are guessed")
	}
	before := len(g.out.Instances)
	for _, l := range launches {
		g.run(l)
	}
	if len(g.out.Instances) == before || g.err != nil && !guessed {
		if g.err == nil {
			g.err = errors.New("there are too many launches")
		}
		g.stop(limit.Memory, g.err.Error())
	}
	if len(whole.Lacking) > 1 { // see decideText
		g.madeUp("names that nothing defines")
	}
	if granted := whole.Granted(); len(granted) > 0 {
		g.stop(limit.Template, "it was executed with a guess of "+strings.Join(granted[:min(len(granted), maxSaid)], ", ")+", which the text does not say")
	}
	polls := whole.Polls()
	for _, n := range slices.Sorted(maps.Keys(polls)) {
		in := &whole.Insts[n]
		if in.Space == ir.Shared {
			continue
		}
		if !g.waited[n] {
			g.gap(&whole.Places[in.Place], limit.Way, "no thread waits here with what was tried")
		}
	}
}

// stop leaves the kernel undecided, whatever is found.
func (g *grids) stop(code limit.Code, why string) {
	g.out.Opaque = append(g.out.Opaque, lower.Opaque{Path: g.out.Path, Line: g.out.Line, Why: code.Says(why)})
}

// gap keeps the kernel from being proved: what is found stays.
func (g *grids) gap(at *ir.Place, code limit.Code, why string) {
	o := lower.Opaque{Path: g.out.Path, Line: g.out.Line, Why: code.Says(why)}
	if at != nil {
		s := g.site(at)
		o.Path, o.Line = s.Path, s.Line
	}
	g.out.Gaps = append(g.out.Gaps, o)
}

func (g *grids) madeUp(what string) {
	if !slices.Contains(g.out.MadeUp, what) {
		g.out.MadeUp = append(g.out.MadeUp, what)
	}
}

// run executes the kernel once, or with some numbers for what is not known: as many as there are CTAs, one fewer, or two.
func (g *grids) run(l thread.Launch) {
	if len(g.out.Instances) == maxGrids {
		return
	}
	if g.cut = g.cut || g.spent >= maxGrids*g.most; g.cut {
		return
	}
	recorded, assumed, err := g.record(l)
	var wanting *thread.WantingError
	switch {
	case errors.As(err, &wanting) && len(l.Params) < maxGiven:
		g.madeUp("a number for " + wanting.Names[0] + " that is guessed")
		for _, n := range []int64{int64(l.CTAs) - 1, int64(l.CTAs), 2} {
			next := l
			next.Params = maps.Clone(l.Params)
			next.Params[wanting.Names[0]] = n
			g.run(next)
		}
		return
	case err != nil:
		if g.err == nil {
			g.err = err
		}
		return
	}
	recorded.Values = map[string]string{"ctas": fmt.Sprint(l.CTAs), "threads": fmt.Sprint(l.Block[0] * l.Block[1] * l.Block[2])}
	for name, n := range l.Params {
		recorded.Values[name] = fmt.Sprint(n)
	}
	g.out.Instances = append(g.out.Instances, recorded.Protocol)
	if other := free(recorded.Protocol); other != nil {
		g.out.Instances = append(g.out.Instances, other)
	}
	maps.Copy(g.waited, recorded.Waits)
	for name, value := range recorded.Values {
		if old := strings.Split(g.out.Bounds[name], ", "); !slices.Contains(old, value) {
			g.out.Bounds[name] = strings.TrimPrefix(g.out.Bounds[name]+", "+value, ", ")
		}
	}
	for _, a := range assumed {
		g.out.Assume(a)
	}
	if at := recorded.Shared; at != nil {
		g.out.Lost = append(g.out.Lost, g.whole.Where(at.Place)+": "+at.Why)
	}
	for _, left := range []struct {
		*thread.Left
		property string
	}{{recorded.Global, finding.RaceGrid}, {recorded.Lanes, string(protocol.Race)}} {
		if left.Left == nil {
			continue
		}
		at := g.site(left.Place)
		if o := (finding.Open{Property: left.property, Path: at.Path, Line: at.Line, Why: left.Why}); !slices.Contains(g.out.Open, o) {
			g.out.Open = append(g.out.Open, o)
		}
	}
}

// free is a protocol in which locks that may hold anything at first are free; nil where there are none. Who makes them free comes in time for those, too, only if
// something puts that before all that take them.
func free(p *protocol.Protocol) *protocol.Protocol {
	var out *protocol.Protocol
	for flag, lock := range p.Locks() {
		if p.Flags[flag].Initial != protocol.Unknown {
			continue
		}
		if out == nil {
			q := *p
			q.Flags = slices.Clone(p.Flags)
			out = &q
		}
		out.Flags[flag].Initial = lock.Free
	}
	return out
}

// guesses are grids, with CTAs of so many threads where that is not known either: what is wrong with some only is not told.
var guesses = []struct {
	grid    [3]int
	threads int
}{{[3]int{3, 1, 1}, 64}, {[3]int{2, 1, 1}, 256}}

// launches are those that are known as a whole; if none is, some that are guessed.
func (g *grids) launches() (out []thread.Launch, guessed bool) {
	add := func(l ir.Launched, threads int) {
		if l.Cluster[0] == 0 {
			l.Cluster = g.whole.Directives["reqnctapercluster"]
		}
		if l.Block[0] == 0 {
			l.Block = g.whole.Directives["reqntid"]
		}
		if guessed && l.Block[0] == 0 {
			if l.Block = g.whole.Directives["maxntid"]; l.Block[0] == 0 {
				l.Block[0] = threads
			}
		}
		cluster := int(max(1, volume(l.Cluster)))
		if guessed {
			l.Grid[0] = (l.Grid[0] + cluster - 1) / cluster * cluster
		}
		if volume(l.Grid) == 0 || volume(l.Block) == 0 {
			return
		}
		params := maps.Clone(g.stated.Params)
		for name, n := range l.Params {
			if _, said := params[name]; !said {
				params[name] = n
			}
		}
		out = append(out, thread.Launch{CTAs: int(volume(l.Grid)), Grid: full(l.Grid), Block: full(l.Block), Cluster: cluster, Cooperative: l.Cooperative, Params: params})
	}
	known := g.whole.Launches
	if g.stated.Grid[0] != 0 {
		known = []ir.Launched{{Grid: g.stated.Grid, Block: g.stated.Block, Cluster: g.stated.Cluster}}
	}
	for _, l := range known {
		add(l, 0)
	}
	if len(out) > 0 {
		return out, false
	}
	guessed = true
	l := ir.Launched{}
	if len(known) > 0 {
		l = known[0]
	}
	for _, guess := range guesses {
		if l.Grid = guess.grid; !barriers.TellsThreads(g.whole) {
			guess.threads = 1
		}
		for axis, name := range []string{"%ctaid.x", "%ctaid.y", "%ctaid.z"} {
			if _, asked := g.whole.Special[name]; asked && axis > 0 { // CTAs may be told apart by one axis alone
				l.Grid[0], l.Grid[axis] = 2, 2
			}
		}
		add(l, guess.threads)
	}
	return out, true
}

// full has an extent of one where an axis has none.
func full(e [3]int) [3]int { return [3]int{e[0], max(e[1], 1), max(e[2], 1)} }

// record executes the kernel thread by thread.
func (g *grids) record(l thread.Launch) (*thread.Recorded, []string, error) {
	s, err := thread.New(g.whole, l)
	if err != nil {
		return nil, nil, err
	}
	out, err := s.Record(g.most)
	g.spent += s.Spent
	if errors.Is(err, thread.ErrAgain) {
		err = errors.New("what it keeps in memory is not found out")
	}
	return out, s.Assumed(), err
}

// apportioned leaves each kernel to one of the two: those are decided as protocols of their threads that are decided so.
func apportioned(lowered []*kernelResult, executed []*compiledKernel) ([]*kernelResult, []*compiledKernel) {
	of := map[*program.Function]*compiledKernel{}
	for _, k := range executed {
		of[k.fn] = k
	}
	kept := map[*program.Function]bool{}
	for _, k := range lowered {
		switch e := k.entry(); {
		case e.Verdict == engine.Inconclusive.String():
			if len(e.Reasons) > 0 {
				of[k.Function].follows = e.Whys()[0]
			}
		case e.Verdict == engine.Violated.String() && len(k.MadeUp) > 0 && !k.everywhere():
			of[k.Function].follows = limit.PerhapsWrong.Says("something is wrong with some grids that are guessed, and whether it is launched so is not known")
		default:
			kept[k.Function] = true
		}
	}
	return slices.DeleteFunc(lowered, func(k *kernelResult) bool { return !kept[k.Function] }),
		slices.DeleteFunc(executed, func(k *compiledKernel) bool { return kept[k.fn] })
}

// everywhere reports whether something is wrong with each instance.
func (k *kernelResult) everywhere() bool {
	for i := range k.Instances {
		wrong := false
		for p, list := range k.decision.verdicts {
			wrong = wrong || !p.Warning() && i < len(list) && list[i].verdict == engine.Violated
		}
		if !wrong {
			return false
		}
	}
	return true
}
