package order

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// draw makes a small program: meetings in named barriers and phases of mbarriers as they should be, then faults.
func draw(seed uint64) *Program {
	r := rand.New(rand.NewPCG(seed, 6))
	p := &Program{CTAs: 1}
	for range 2 + r.IntN(3) {
		lanes := uint32(1)
		if r.IntN(4) == 0 {
			lanes = 3
		}
		p.AddWarp(0, 32*len(p.Warps), lanes)
	}
	style := r.IntN(3) // named barriers, mbarriers, both
	phases := map[uint32]uint32{}
	counts := map[uint32]uint32{}
	for range 1 + r.IntN(5) {
		if style == 0 || style == 2 && r.IntN(2) == 0 {
			meeting(r, p)
		} else {
			handover(r, p, phases, counts)
		}
	}
	for r.IntN(3) == 0 {
		fault(r, p)
	}
	return p
}

// touchSome lets a warp access memory now and then.
func touchSome(r *rand.Rand, w *Warp) {
	if r.IntN(4) == 0 {
		at := Address{Base: uint32(r.IntN(2)) * 8, Stride: int32(r.IntN(2)) * 4, Size: 4}
		switch r.IntN(5) {
		case 0, 1:
			w.Write(0, w.Lanes, at, Value{}, 0)
		case 2:
			w.Atomic(0, w.Lanes, at, 0)
		default:
			w.Read(0, w.Lanes, at, 0)
		}
	}
}

func some(r *rand.Rand, p *Program, least int) []*Warp {
	for {
		var out []*Warp
		for _, w := range p.Warps {
			if r.IntN(3) > 0 {
				out = append(out, w)
			}
		}
		if len(out) >= least {
			return out
		}
	}
}

func lanesOf(list []*Warp) (n uint32) {
	for _, w := range list {
		n += w.Lanes&1 + w.Lanes>>1&1
	}
	return n
}

func meeting(r *rand.Rand, p *Program) {
	list := some(r, p, 2)
	id, n := uint32(1+r.IntN(2)), lanesOf(list)
	if r.IntN(12) == 0 {
		for _, w := range p.Warps {
			touchSome(r, w)
			w.Joint(ClusterArrive, 0, w.Lanes, 0)
			touchSome(r, w)
			w.Joint(ClusterWait, 0, w.Lanes, 0)
		}
		return
	}
	if r.IntN(8) == 0 {
		id, n, list = 0, 0, p.Warps
	}
	for i, w := range list {
		touchSome(r, w)
		kind := NamedSync
		if n > 0 && i != len(list)-1 && r.IntN(3) > 0 {
			kind = NamedArrive
		}
		w.Named(kind, 0, w.Lanes, id, n, 0)
		touchSome(r, w)
		if w.Lanes == 3 && r.IntN(4) == 0 {
			w.Joint(WarpSync, 0, 3, 0)
		}
	}
}

// handover is one phase of an mbarrier.
func handover(r *rand.Rand, p *Program, phases, counts map[uint32]uint32) {
	at := uint32(64 + 8*r.IntN(2))
	if counts[at] == 0 {
		counts[at] = 1 + uint32(r.IntN(3))
		p.Objects = append(p.Objects, Object{Address: at, Count: counts[at]})
	}
	n := counts[at]
	for _, i := range r.Perm(len(p.Warps)) {
		w := p.Warps[i]
		if k := lanesOf([]*Warp{w}); k <= n {
			touchSome(r, w)
			contributeSome(r, w, at)
			n -= k
		}
		if n == 0 {
			break
		}
	}
	for i, w := range some(r, p, 1) {
		if i == 0 || r.IntN(2) == 0 {
			w.Wait(0, w.Lanes, at, phases[at]&1)
			touchSome(r, w)
		}
	}
	if n == 0 {
		phases[at]++
	}
}

func contributeSome(r *rand.Rand, w *Warp, at uint32) {
	effect := []Effect{{Mbar: at, Bytes: 4}}
	span := []Span{{Address{uint32(r.IntN(2)) * 8, 4, 4}, r.IntN(2) == 0}}
	switch r.IntN(12) {
	case 0:
		w.Contribute(MbarArrive, 0, w.Lanes, at, 1, 4)
		w.Issue(0, w.Lanes, Copy{Accesses: span, Effects: effect})
	case 1:
		w.Contribute(MbarExpect, 0, w.Lanes, at, 0, 4)
		w.Issue(0, w.Lanes, Copy{Accesses: span, Effects: effect})
		w.Contribute(MbarArrive, 0, w.Lanes, at, 1, 0)
	case 2:
		w.Issue(0, w.Lanes, Copy{Effects: []Effect{{Mbar: at, Arrivals: 1}}})
	case 3:
		w.Issue(0, w.Lanes, Copy{Unit: CpAsync, Accesses: span})
		w.ArriveWhenDone(0, w.Lanes, at, CpAsync, Flags(r.IntN(2))*Included)
		if w.Commands[len(w.Commands)-1].Flags == 0 {
			w.Contribute(MbarArrive, 0, w.Lanes, at, 1, 0)
		}
	case 4:
		w.Issue(0, w.Lanes, Copy{Unit: Bulk, Accesses: span})
		w.Commit(0, w.Lanes, Bulk)
		w.WaitGroup(0, w.Lanes, Bulk, r.IntN(2), 0)
		w.Contribute(MbarArrive, 0, w.Lanes, at, 1, 0)
	case 5:
		w.Contribute(MbarArrive, 0, w.Lanes, at, 1, 0)
		w.WaitToken(0, w.Lanes, at, len(w.Commands)-1)
	default:
		w.Contribute(MbarArrive, 0, w.Lanes, at, 1, 0)
	}
}

// fault puts an error into a program, or something that looks like one.
func fault(r *rand.Rand, p *Program) {
	w := p.Warps[r.IntN(len(p.Warps))]
	if len(w.Commands) == 0 {
		return
	}
	i := r.IntN(len(w.Commands))
	c := &w.Commands[i]
	for _, x := range w.Commands {
		if x.Kind == MbarWaitToken || x.Kind == ClusterArrive {
			return // these belong together
		}
	}
	switch r.IntN(5) {
	case 0:
		w.Commands = append(w.Commands[:i], w.Commands[i+1:]...)
	case 1:
		if i > 0 {
			w.Commands[i-1], w.Commands[i] = w.Commands[i], w.Commands[i-1]
		}
	case 2:
		if c.Kind == NamedSync && c.C > 0 {
			c.Kind = NamedArrive
		} else if c.Kind == NamedArrive {
			c.Kind = NamedSync
		} else if c.Kind == MbarWait {
			c.C ^= 1
		}
	case 3:
		if c.Kind == NamedSync || c.Kind == NamedArrive {
			c.A = uint32(1 + r.IntN(2))
		} else if c.Kind == MbarWait || c.Kind == MbarArrive {
			if to := uint32(64 + 8*r.IntN(2)); len(p.Objects) == 2 {
				c.A = to
			}
		}
	case 4:
		if (c.Kind == NamedSync || c.Kind == NamedArrive) && c.C > 1 {
			c.C += uint32(r.IntN(2)*2) - 1
		} else if c.Kind == MbarArrive {
			c.B += int32(r.IntN(2))
		}
	}
}

// disagreement says in what the engine and the oracle differ, "" if they agree; skipped if the oracle did not finish.
func disagreement(p *Program) (why string, skipped, well, raced bool) {
	o := search(p, 6000)
	if o.states > 6000 {
		return "", true, false, false
	}
	res := Verify(p, Options{})
	ok, sure := true, true
	for c := range Race {
		ok = ok && res.Answers[c].Verdict == engine.Holds
		sure = sure && res.Answers[c].Verdict != engine.Violated
	}
	good := !o.unequal && !o.stuck && len(o.bad) == 0 && !o.uneven
	race := res.Answers[Race].Verdict == engine.Violated || res.Benign > 0
	switch {
	case res.Unshown > 0 && res.Verdict != engine.Violated: // where generations are mixed up, what follows from them may not happen
		return "a finding does not happen", false, good, o.race
	case ok && !good:
		return "the engine holds, the search finds " + summary(o), false, good, o.race
	case !ok && good && sure:
		return "the engine cannot tell (" + res.Reason.Text + ")", false, good, o.race
	case !ok && good:
		return "the engine says violated, the search finds nothing", false, good, o.race
	case ok && race != o.race:
		return "races: engine " + strconv.FormatBool(race) + ", search " + strconv.FormatBool(o.race), false, good, o.race
	case res.Answers[Deadlock].Verdict == engine.Violated && !o.stuck:
		return "the engine's deadlock is none", false, good, o.race
	case res.Answers[Counts].Verdict == engine.Violated && !o.bad[Counts]:
		return "the engine's mismatch is none", false, good, o.race
	case res.Answers[Arrivals].Verdict == engine.Violated && !o.bad[Arrivals]:
		return "the engine's excess of arrivals is none", false, good, o.race
	}
	return "", false, good, o.race
}

func summary(o *oracle) string {
	out := ""
	for _, x := range []struct {
		is   bool
		word string
	}{{o.unequal, "different credits "}, {o.stuck, "a deadlock "}, {len(o.bad) > 0, "an error "}, {o.uneven, "bytes left "}} {
		if x.is {
			out += x.word
		}
	}
	return out
}

// smaller takes commands out of a program for as long as the engine and the search still differ.
func smaller(p *Program) *Program {
	for again := true; again; {
		again = false
		for w := range p.Warps {
			for i := range p.Warps[w].Commands {
				q := *p
				q.Warps = append([]*Warp{}, p.Warps...)
				v := *p.Warps[w]
				if v.Commands[i].Kind == MbarWaitToken || v.Commands[i].Kind == ClusterArrive || v.Commands[i].Kind == ClusterWait {
					continue
				}
				tokens := false
				for _, c := range v.Commands {
					tokens = tokens || c.Kind == MbarWaitToken
				}
				if tokens {
					continue
				}
				v.Commands = append(append([]Command{}, v.Commands[:i]...), v.Commands[i+1:]...)
				q.Warps[w] = &v
				if why, _, _, _ := disagreement(&q); why != "" {
					p, again = &q, true
					break
				}
			}
		}
	}
	return p
}

// TestAgainstEveryInterleaving compares the engine with a search of all interleavings. FENCEPOST_ORDER_PROGRAMS says how many
// programs are drawn; `make bench` takes 60,000.
func TestAgainstEveryInterleaving(t *testing.T) {
	n := 4000
	if more, err := strconv.Atoi(os.Getenv("FENCEPOST_ORDER_PROGRAMS")); err == nil {
		n = more
	}
	skipped, well, raced, wrong := 0, 0, 0, 0
	for seed := range n {
		p := draw(uint64(seed))
		why, skip, good, race := disagreement(p)
		switch {
		case skip:
			skipped++
		case good && race:
			raced++
			fallthrough
		case good:
			well++
		}
		if why != "" {
			if wrong++; wrong <= 5 {
				q := smaller(p)
				why, _, _, _ := disagreement(q)
				t.Errorf("seed %d: %s\n%s%v", seed, why, text(q), Verify(q, Options{}).Findings)
			}
		}
	}
	t.Logf("%d programs, %d too large to search, %d well synchronized, %d of these with races, %d disagreements", n, skipped, well, raced, wrong)
	if well < n/10 || raced < n/100 {
		t.Errorf("of %d programs %d are well synchronized and %d race; the draw shows too little", n, well, raced)
	}
}
