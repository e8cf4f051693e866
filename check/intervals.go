package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/interval"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
)

// maxIntervals is how many races of one kernel are told that its barrier intervals show.
const maxIntervals = 3

// intervals tells of races between two barriers of a kernel that is not shown to have none: these are there whatever comes before, and nothing of it has to be followed. They are warnings: samples show them, and
// that the kernel is given such numbers is not.
func (k *compiledKernel) intervals(opt *Options) (out []finding.Finding) {
	if k.whole == nil || k.Report == nil || !opt.enabled(rules.ForProperty(protocol.Race).ID) && !opt.enabled(rules.ForProperty(protocol.Lifetime).ID) || k.doubt.Code == 0 && k.Verdict == engine.Holds && k.Conflict == nil && k.Apart == nil {
		return nil
	}
	if k.doubt.Code == limit.LaunchShape && !k.fewShapes() { // the order has it: there is a race under some shapes, and perhaps under none that are given
		return nil
	}
	of, races, launch := k.intervalRaces()
	slices.SortStableFunc(races, func(a, b interval.Race) int { // those between warps first: lanes that go on together show none
		switch {
		case a.Lanes == b.Lanes:
			return 0
		case a.Lanes:
			return 1
		}
		return -1
	})
	for _, r := range races {
		if r.Lanes && k.lockstep {
			continue
		}
		if fd := k.intervalFinding(opt, of, &r, launch); fd != nil && !slices.ContainsFunc(out, func(o finding.Finding) bool { return o.Line == fd.Line && o.Path == fd.Path }) {
			out = append(out, *fd)
		}
		if len(out) == maxIntervals {
			break
		}
	}
	return out
}

// elsewhere leaves those of a list that share no line with what is told: of a kernel with a race others are told that are not of the same accesses.
func elsewhere(told, list []finding.Finding) []finding.Finding {
	lines := map[place]bool{}
	for n := range told {
		maps.Copy(lines, linesOf(&told[n]))
	}
	return slices.DeleteFunc(list, func(fd finding.Finding) bool {
		for at := range linesOf(&fd) {
			if lines[at] {
				return true
			}
		}
		return false
	})
}

// linesOf are the lines that a finding names.
func linesOf(fd *finding.Finding) map[place]bool {
	out := map[place]bool{{fd.Path, fd.Line}: true}
	for _, l := range fd.Labels {
		out[place{l.Path, l.Line}] = true
	}
	return out
}

// intervalFinding tells of one race; nil where its lines are not known, or it is not asked for.
func (k *compiledKernel) intervalFinding(opt *Options, of *ir.Kernel, r *interval.Race, launch interval.Launch) *finding.Finding {
	rule := rules.ForProperty(protocol.Race)
	if r.Init {
		rule = rules.ForProperty(protocol.Lifetime)
	}
	at := [2]protocol.Site{k.site(placeOf(of, r.First)), k.site(placeOf(of, r.Second))}
	if at[0].Line == 0 || at[1].Line == 0 || !opt.enabled(rule.ID) {
		return nil
	}
	fd := finding.Finding{Rule: rule.ID, Name: rule.Name, Severity: finding.Warning, Location: opt.wholeLine(k.file.Source, at[0]), Kernel: k.fn.Qualified, KernelLines: k.lines()}
	does := [2]string{"reads", "reads"}
	for n, writes := range r.Written {
		switch {
		case writes && of.Insts[[2]int32{r.First, r.Second}[n]].Op == ir.Async:
			does[n] = "has a copy that writes"
		case writes && of.Insts[[2]int32{r.First, r.Second}[n]].Op == ir.Atomic:
			does[n] = "updates"
		case writes:
			does[n] = "writes"
		case of.Insts[[2]int32{r.First, r.Second}[n]].Op == ir.Async:
			does[n] = "has a copy that reads"
		}
	}
	switch what := raced(of, r); {
	case r.Init:
		init := slices.Index(r.Written[:], true)
		fd.Message = fmt.Sprintf("thread %d may use the mbarrier %s before thread %d initialises it; no barrier is between them", r.Threads[1-init], what, r.Threads[init])
	case r.Chosen:
		fd.Message = fmt.Sprintf("thread %d %s %s while thread %d %s it, if data lead there: one index comes from memory; no barrier is between them", r.Threads[0], does[0], what, r.Threads[1], does[1])
	case r.Lanes:
		fd.Message = fmt.Sprintf("thread %d %s %s while thread %d of its warp %s it; no __syncwarp() is between them", r.Threads[0], does[0], what, r.Threads[1], does[1])
	default:
		fd.Message = fmt.Sprintf("thread %d %s %s while thread %d %s it; no barrier is between them", r.Threads[0], does[0], what, r.Threads[1], does[1])
	}
	if at[0].Line != at[1].Line || at[0].Path != at[1].Path {
		fd.Labels = append(fd.Labels, finding.Label{Location: opt.wholeLine(k.file.Source, at[1]), Text: replay.ThreadNames([]int{r.Threads[1]}, 0)})
	}
	fd.Notes = append(fd.Notes, fmt.Sprintf("found from line %d on, up to where each thread may wait next, with a CTA of %dx%dx%d threads and numbers that were chosen for what is not known; of the kernel as a whole races are not decided",
		k.site(placeOf(of, r.From)).Line, launch.Block[0], launch.Block[1], launch.Block[2]))
	fd.Help = "let the threads meet at a barrier (__syncthreads()) between the two, and on the way back where a loop goes round"
	if r.Lanes {
		fd.Help = "let the lanes meet (__syncwarp()) between the two"
	}
	return &fd
}

// mostInstances bounds the instances of a template that are looked at.
const mostInstances = 3

// intervalRaces are the races that are found in an instance of the kernel's template: in the one that is the kernel's answer, else in those that are launched with most threads.
func (k *compiledKernel) intervalRaces() (of *ir.Kernel, out []interval.Race, launch interval.Launch) {
	if out, launch = k.instanceRaces(k.whole, true); len(out) > 0 {
		return k.whole, out, launch
	}
	others := slices.DeleteFunc(slices.Clone(k.instances), func(c *ir.Kernel) bool { return c == k.whole || widestOf(c) == 0 })
	slices.SortStableFunc(others, func(a, b *ir.Kernel) int { return cmp.Compare(widestOf(b), widestOf(a)) })
	for _, c := range others[:min(len(others), mostInstances-1)] {
		if out, launch = k.instanceRaces(c, false); len(out) > 0 {
			return c, out, launch
		}
	}
	return k.whole, nil, launch
}

// widestOf is how many threads a CTA of an instance has at most, where it is launched; 0: that is not known.
func widestOf(c *ir.Kernel) (n int) {
	for _, l := range c.Launches {
		n = max(n, l.Block[0]*l.Block[1]*l.Block[2])
	}
	return n
}

// instanceRaces are the races that are found under one of its launches, or, where these are not known, under all shapes of several warps that go together with what the kernel does.
func (k *compiledKernel) instanceRaces(of *ir.Kernel, main bool) (out []interval.Race, launch interval.Launch) {
	all, known := k.intervalLaunches(of, main)
	least := 1 // shapes that have to show it
	if !known && k.doubt.Code == limit.LaunchShape && len(all) > 0 {
		if least = 2; all[0].Block[1]*all[0].Block[2] > 1 {
			least = enoughShapes
		}
	}
	shapes := 0
	for _, l := range all {
		if shapes >= max(least, mostLaunches) || shapes > 0 && len(out) == 0 {
			break
		}
		races, fits := interval.Races(of, l)
		switch {
		case known && len(races) > 0:
			return races, l
		case !fits:
			continue
		}
		if shapes++; shapes == 1 {
			out, launch = races, l
			continue
		}
		out = slices.DeleteFunc(out, func(r interval.Race) bool {
			return !slices.ContainsFunc(races, func(o interval.Race) bool { return o.First == r.First && o.Second == r.Second })
		})
	}
	if least > 1 { // lanes of a warp may be meant to run in step: whose kernel it is says nothing of its launch
		out = slices.DeleteFunc(out, func(r interval.Race) bool { return r.Lanes || shapes < least })
	}
	return out, launch
}

// Bounds of the launches that are looked at: of those that are known, and of those that are guessed where few are.
const (
	mostLaunches = 3
	mostShapes   = 6
)

// fewShapes reports whether what was found under guessed shapes is there under all that go together with the kernel, and these are too few to say so.
func (k *compiledKernel) fewShapes() bool {
	return !slices.ContainsFunc(k.Shapes, func(s barriers.Shape) bool {
		return s.Report != nil && s.Block[0]*s.Block[1]*s.Block[2] >= 2*ir.Lanes && s.Report.Verdict != engine.Violated
	})
}

// moreShapes adds to shapes that were guessed, and that are too few, those for which there was no time, and larger and smaller ones of the same kind.
func (k *compiledKernel) moreShapes(out []interval.Launch) []interval.Launch {
	put := func(b [3]int) {
		if n := b[0] * b[1] * b[2]; n > ir.Lanes && n <= ir.MaxThreads && len(out) < mostShapes && !slices.ContainsFunc(out, func(l interval.Launch) bool { return l.Block == b }) &&
			!slices.ContainsFunc(k.Shapes, func(s barriers.Shape) bool { return s.Block == b && s.Excluded() }) {
			out = append(out, interval.Launch{Block: b})
		}
	}
	first := slices.Clone(out)
	for _, s := range k.Shapes {
		if s.Untried {
			put(s.Block)
		}
	}
	for _, l := range first {
		for _, by := range []int{2, 4} {
			b := l.Block
			axis := 2
			for axis > 0 && b[axis] == 1 {
				axis--
			}
			b[axis] *= by
			put(b)
			if b = l.Block; b[axis]%by == 0 && b[axis] > by {
				b[axis] /= by
				put(b)
			}
		}
	}
	return out
}

// intervalLaunches are those of an instance; main says that it is the one that the report is of.
func (k *compiledKernel) intervalLaunches(of *ir.Kernel, main bool) (out []interval.Launch, known bool) {
	if b := k.stated.Block; b[0] > 0 {
		return []interval.Launch{{Block: b, Params: k.stated.Params}}, true
	}
	for _, l := range of.Launches {
		if l.Block[0] > 0 && len(out) < mostLaunches {
			out = append(out, interval.Launch{Block: l.Block, Params: l.Params})
		}
	}
	if b := of.Directives["reqntid"]; b[0] > 0 && len(out) == 0 {
		out = append(out, interval.Launch{Block: b})
	}
	if len(out) > 0 || !main {
		return out, true
	}
	for _, s := range k.Shapes {
		if s.Report != nil && s.Block[0]*s.Block[1]*s.Block[2] > ir.Lanes && len(out) < mostLaunches {
			out = append(out, interval.Launch{Block: s.Block})
		}
	}
	if b := k.Execution.Launch.Block; len(out) == 0 && b[0] > 0 {
		out = append(out, interval.Launch{Block: b})
	}
	if k.doubt.Code == limit.LaunchShape {
		out = k.moreShapes(out)
	}
	return out, false
}

func placeOf(of *ir.Kernel, inst int32) *ir.Place { return &of.Places[of.Insts[inst].Place] }

// raced names what two threads race at: a byte of shared memory by its variable, where that is known.
func raced(of *ir.Kernel, r *interval.Race) string {
	if r.Buffer != "" {
		return fmt.Sprintf("byte %d of what %s points to", r.Address, r.Buffer)
	}
	return cmp.Or(elementAt(of, r.Address), fmt.Sprintf("byte %#x of shared memory", r.Address))
}
