package check

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/interval"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
)

// maxIntervalShapes bounds the shapes of a CTA under which races of intervals are looked for.
const maxIntervalShapes = 3

// intervals tells of races between two barriers of a kernel that is not decided: they show without an execution up to there. What it takes to come to the interval is not
// shown, so they are warnings without a verdict.
func (k *compiledKernel) intervals(opt *Options) (out []finding.Finding) {
	rule := rules.ByID("FP720")
	if !opt.enabled(rule.ID) {
		return nil
	}
	whole := k.whole
	told := map[int]bool{}
	for _, r := range interval.Races(whole, k.blocks()) {
		at, other := &whole.Places[whole.Insts[r.Write].Place], &whole.Places[whole.Insts[r.Other].Place]
		if at.Line == 0 || other.Line == 0 || told[at.Line] {
			continue
		}
		told[at.Line] = true
		name, n := "shared memory", r.At
		if r.Object != nil {
			if name = r.Object.Name; r.Object.Elem > 0 {
				n = (r.At - r.Object.At) / r.Object.Elem
			}
		}
		does := "reads"
		if in := &whole.Insts[r.Other]; in.Op != ir.Load && (in.Op != ir.Matrix || in.Flags&ir.Write != 0) {
			does = "writes"
		}
		fd := finding.Finding{
			Rule: rule.ID, Name: rule.Name, Severity: finding.Warning, Kernel: k.fn.Qualified, Location: opt.wholeLine(k.file.Source, protocol.Site{Path: at.Path, Line: at.Line}),
			Message: fmt.Sprintf("thread %d writes %s[%d] and thread %d %s it, and no barrier stands between", r.Writer, name, n, r.Reader, does),
			Help:    "put a CTA barrier between the two accesses",
		}
		if r.Warp {
			fd.Help = "put __syncwarp() between the two accesses: lanes of a warp do not run in step"
		}
		if other.Line != at.Line || other.Path != at.Path {
			fd.Labels = append(fd.Labels, finding.Label{Location: opt.wholeLine(k.file.Source, protocol.Site{Path: other.Path, Line: other.Line}), Text: fmt.Sprintf("thread %d %s it here", r.Reader, does)})
		}
		since := "from the kernel's start on"
		if r.Start >= 0 {
			since = "behind the barrier of " + whole.Where(&whole.Places[whole.Insts[r.Start].Place])
		}
		fd.Notes = append(fd.Notes, fmt.Sprintf("seen %s, in a CTA of %dx%dx%d threads; the kernel was not executed up to there", since, r.Block[0], r.Block[1], r.Block[2]))
		out = append(out, fd)
	}
	return out
}

// blocks are shapes of a CTA that a kernel is launched with, or that go together with what it does.
func (k *compiledKernel) blocks() (out [][3]int) {
	for _, l := range k.whole.Launches {
		out = append(out, l.Block)
	}
	if b := k.whole.Directives["reqntid"]; len(out) == 0 && b[0] > 0 {
		out = append(out, b)
	}
	if len(out) == 0 {
		for _, s := range k.Shapes {
			if s.Report != nil && s.Block[0]*s.Block[1]*s.Block[2] >= ir.Lanes {
				out = append(out, s.Block)
			}
		}
	}
	if len(out) == 0 {
		switch k.whole.Axes() {
		case 3:
			out = [][3]int{{8, 8, 4}, {4, 4, 8}}
		case 2:
			out = [][3]int{{16, 16, 1}, {32, 8, 1}}
		default:
			out = [][3]int{{128, 1, 1}, {256, 1, 1}}
		}
	}
	return out[:min(len(out), maxIntervalShapes)]
}
