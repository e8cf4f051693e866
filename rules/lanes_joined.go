package rules

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// joinsLanes reports whether the site may hold lanes of a warp until others of it come. A shuffle or vote is taken for one:
// it orders no memory by the manual, but no lane leaves it before the others have come, and what lies in shared memory
// is done in the order it was issued in.
func (s *site) joinsLanes(from, to *site) bool {
	switch s.op.Kind {
	case dialect.CtaSync:
		return !s.spares(from, to)
	case dialect.WarpSync, dialect.Fence, dialect.Uniform:
		return true
	case unknownCall:
		return s.mayJoinLanes()
	}
	return s.joins()
}

// forWavefronts reports whether a file includes a header of AMD's language: the lanes of its wavefronts run in step.
func forWavefronts(text []byte) bool {
	return slices.ContainsFunc(amdHeader.FindAllIndex(text, -1), func(at []int) bool {
		line := text[bytes.LastIndexByte(text[:at[0]], '\n')+1 : at[0]]
		return string(bytes.TrimSpace(line)) == "#"
	})
}

// amdHeader begins with a word that is quickly looked for: every file is asked.
var amdHeader = regexp.MustCompile(`include\s*[<"]([^>"\n]*/)?(?i:hip)[/_]`)

// plainCalls are functions that work out a value and nothing else.
var plainCalls = map[string]bool{
	"min": true, "max": true, "fmin": true, "fmax": true, "fminf": true, "fmaxf": true, "abs": true, "fabs": true, "fabsf": true, "sqrt": true,
	"sqrtf": true, "exp": true, "expf": true, "log": true, "logf": true, "pow": true, "fma": true, "fmaf": true, "rsqrtf": true, "sizeof": true,
}

// meeting are parts of the names of functions in which lanes may meet.
var meeting = [...]string{"warp", "shfl", "shuffle", "ballot", "any", "all", "vote", "match", "sum", "min", "max", "lane", "elect", "update", "insert", "ldmatrix", "load", "store"}

// mayJoinLanes reports whether lanes may meet in a call that cannot be looked into.
func (s *site) mayJoinLanes() bool {
	name := lastWord(s.op.Name)
	if c := s.op.Call; c != nil && name == "" {
		if a, ok := c.Fun.(*program.Attr); ok {
			name = a.Name
		}
	}
	in := func(words []string) bool {
		lower := strings.ToLower(name)
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(lower, w) })
	}
	switch {
	case plainCalls[name] || s.in.fn.constructs(s.op.Call):
		return false
	case strings.HasPrefix(name, "__"):
		return in([]string{"sync", "shfl", "ballot", "any", "all"})
	case strings.HasPrefix(name, "lane_mask"), usualNames[name] != uniform:
		return false
	}
	return !s.used || in(meeting[:]) || in(joining[:])
}

// spares reports whether a barrier of the CTA between two sites is left out where what it is for fits in one warp.
func (s *site) spares(from, to *site) bool {
	return slices.ContainsFunc(s.guards, func(g *guard) bool {
		return g.moreThanWarp() && !hasGuard(from.guards, g) && !hasGuard(to.guards, g)
	})
}

// moreThanWarp reports whether a condition asks whether a number that is no thread's own is more than a warp has lanes.
func (g *guard) moreThanWarp() bool {
	b, ok := g.cond().(*program.Binary)
	if !ok || !comparison[b.Op] {
		return false
	}
	x, y, op := b.X, b.Y, b.Op
	if g.negated {
		op = opposite[op]
	}
	if _, isWarp := g.fn.warpSize(x); isWarp {
		x, y, op = y, x, mirrored[op]
	}
	n, known := g.fn.warpSize(y)
	return known && !g.fn.perThread(x, 0) && (op == ">" && n == 32 || op == ">=" && (n == 33 || n == 64))
}

// warpSize is the value of a constant, or of a name for the number of lanes in a warp.
func (f *function) warpSize(x program.Expr) (int64, bool) {
	name := strings.ToLower(strings.ReplaceAll(lastWord(path(x)), "_", ""))
	if name == "warpsize" {
		return 32, true
	}
	return f.fold(x)
}

// spared reports a barrier that is left out where what one thread shares with others fits in a warp, and no __syncwarp is
// there instead: the lanes then read while that thread may still be at work.
func (p *Pass) spared() {
	for i, s := range p.sites {
		if s.op.Kind != dialect.CtaSync || len(s.via) > 0 {
			continue
		}
		for _, a := range p.leadersBefore(i) {
			if b := p.readBeyond(i, a.guards, rootsOf(a)); b != nil && s.spares(a, b) {
				f := p.report(s.span, "this barrier is left out where a warp is enough: lanes then read %q before it is written", p.text(b.arg("ptr")))
				p.label(f, a.span, "written by one thread")
				p.label(f, b.span, "read by others")
				f.Help = "put __syncwarp() in the other branch: lanes of a warp do not run in step"
				break
			}
		}
	}
}

// leadersBefore are the stores and calls before a barrier that a condition on the thread gives to some threads only.
func (p *Pass) leadersBefore(i int) (out []*site) {
	for j := i - 1; j >= 0; j-- {
		a := p.sites[j]
		if (a.op.Kind == unknownCall || a.op.Kind == plainStore) && slices.ContainsFunc(a.guards, func(g *guard) bool { return g.leader() }) {
			out = append(out, a)
			continue
		}
		if a.joinsLanes(p.sites[i], p.sites[i]) {
			break
		}
	}
	return out
}

// leader reports whether a condition compares the place of a thread with a number.
func (g *guard) leader() bool {
	if g.exit || g.built || g.elect || g.negated {
		return g.elect
	}
	b, ok := g.cond().(*program.Binary)
	return ok && b.Op == "==" && g.fn.divides(b, false, 0)
}

// rootsOf are the names that a store or call is given to write to.
func rootsOf(s *site) (out []string) {
	args := []program.Expr{s.arg("ptr")}
	if s.op.Call != nil {
		args = s.op.Call.Args
	}
	for _, x := range args {
		if name := path(x); name != "" && s.owner.isSharedName(name) {
			out = append(out, name)
		}
	}
	return out
}

// isSharedName reports whether a name is an array in shared memory, or a pointer that is called so.
func (f *function) isSharedName(name string) bool {
	return f.dims[name] || strings.Contains(f.types[name], "*") && sharedByName(name, "")
}

// readBeyond is the first read behind a barrier of what one of the names stands for, by threads that the guards turn away.
func (p *Pass) readBeyond(i int, guards []*guard, names []string) *site {
	for _, b := range p.sites[i+1:] {
		if b.joinsLanes(p.sites[i], b) && b.op.Kind != unknownCall || slices.ContainsFunc(guards, func(g *guard) bool { return g.leader() && hasGuard(b.guards, g) }) {
			return nil
		}
		if x := b.arg("ptr"); b.op.Kind == plainLoad && x != nil && slices.Contains(names, path(x)) {
			return b
		}
	}
	return nil
}
