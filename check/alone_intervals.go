package check

import (
	"errors"
	"slices"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	frontend "github.com/fencepost-dev/fencepost/frontend/cuda"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/interval"
	"github.com/fencepost-dev/fencepost/program"
)

// maxIntervalsAlone bounds the functions of a file whose barrier intervals are looked at.
const maxIntervalsAlone = 4

// intervalsAlone tells of races between two barriers of a function by itself, which data may keep from being followed as a whole: with each guess of what its template is given, and each shape of
// those who are taken to call it. first is the function with the first guess.
func (opt *Options) intervalsAlone(f *program.File, t *dialect.Table, fn *program.Function, first *frontend.Alone) (out []finding.Finding) {
	tried := 0
	for _, guess := range templateGuesses {
		a, guessed, err := first, len(first.Guesses) > 0, error(nil)
		if tried > 0 {
			a, guessed, err = frontend.TranslateAlone(f, t, fn, opt.sources, guess, nil, false)
		}
		switch {
		case errors.Is(err, frontend.ErrGuess):
			continue
		case err != nil:
			return nil
		case tried == 0:
			out = opt.racesAlone(f, fn, a)
		default:
			out = among(out, opt.racesAlone(f, fn, a))
		}
		if tried++; len(out) == 0 || !guessed || tried == maxTemplateGuesses {
			break
		}
	}
	return onePerLine(out)
}

// racesAlone are the races of a function's intervals under all shapes that go together with it: of all threads of a CTA, where they meet in it, or of one warp.
func (opt *Options) racesAlone(f *program.File, fn *program.Function, a *frontend.Alone) (out []finding.Finding) {
	var blocks [][3]int
	switch {
	case slices.ContainsFunc(a.Insts, forOthers), !slices.ContainsFunc(a.Insts, func(in ir.Inst) bool { return in.Op == ir.Store && in.Space != ir.Global && in.Space != ir.Local }):
	case a.Whole && a.Axes() == 1:
		blocks = [][3]int{{128, 1, 1}, {256, 1, 1}}
	case a.Whole:
		blocks = [][3]int{usualBlocks[a.Axes()], {16, 16, 1}}
	case a.Warp:
		blocks = [][3]int{{ir.Lanes, 1, 1}}
	}
	k := &compiledKernel{file: f, fn: fn, whole: a.Kernel}
	shown := false
	for _, b := range blocks {
		launch := interval.Launch{Block: b, Params: map[string]int64{}}
		races, fits := interval.Races(a.Kernel, launch)
		if !fits {
			continue
		}
		var found []finding.Finding
		for n := range races {
			if r := &races[n]; k.surelyRaces(r, a) {
				if fd := k.intervalFinding(opt, a.Kernel, r, launch); fd != nil {
					found = append(found, *fd)
				}
			}
		}
		if shown {
			found = among(out, found)
		}
		if out, shown = found, true; len(out) == 0 {
			return nil
		}
	}
	return out[:min(len(out), maxIntervals)]
}

// surelyRaces reports whether a race of a function is one whoever calls it: nothing that its caller chooses decides it, and those who call it have the memory in common. That is the function's own; or
// each warp, or lane, has its own part of it somewhere; or some of them write it, by their numbers, for all.
func (k *compiledKernel) surelyRaces(r *interval.Race, a *frontend.Alone) bool {
	c := a.Kernel
	v := variableAt(c, r.Address)
	if r.Init || r.Buffer != "" || v == nil {
		return false
	}
	for _, pc := range []int32{r.First, r.Second} {
		if hangsOn(c, c.Insts[pc].Place, a) {
			return false
		}
	}
	return !a.Params[v.Name] || divided(c, v, a.Whole) || byNumber(c, v)
}

// divided reports whether threads access each its own element of a variable somewhere: by their number in the CTA, or in the warp.
func divided(c *ir.Kernel, v *ir.Variable, whole bool) bool {
	ssa := c.SSA()
	for n := range c.Insts {
		in := &c.Insts[n]
		if !in.Op.Accesses() || in.A == ir.None {
			continue
		}
		if of := c.ObjectsOf(in); len(of) != 1 || of[0] != v {
			continue
		}
		x, ok := c.IndexOf(int32(n))
		if ok && len(x.Data) == 0 && slices.ContainsFunc(x.Own, func(t ir.Term) bool {
			return t.Atom > 0 && (!whole || ssa.Values[t.Atom].Kind == ir.Given && (c.Special["%tid.x"] == ssa.Values[t.Atom].Of || c.Special["%tid.y"] == ssa.Values[t.Atom].Of))
		}) {
			return true
		}
	}
	return false
}

// byNumber reports whether some threads alone write a variable, which their numbers choose, for others: who has a place of its own writes there itself.
func byNumber(c *ir.Kernel, v *ir.Variable) (is bool) {
	u := c.UniformIfUnchanged()
	chosen := map[int32]bool{}
	for k := range c.Insts {
		in := &c.Insts[k]
		if in.Op != ir.Branch || in.Guard < 0 || u.Predicates[in.Guard] == ir.UniformCTA || c.EndsApart(int32(k)) {
			continue
		}
		if _, memory := c.InputsOf(in); !memory {
			for _, pc := range c.RegionOf(int32(k)).Insts {
				chosen[pc] = true
			}
		}
	}
	for pc := range c.Insts {
		in := &c.Insts[pc]
		if in.Op != ir.Store || !slices.Contains(c.ObjectsOf(in), v) {
			continue
		}
		if !chosen[int32(pc)] {
			return false
		}
		is = true
	}
	return is
}
