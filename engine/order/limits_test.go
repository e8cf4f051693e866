package order

import (
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestLimits: what a limit cuts short is inconclusive, with the way out.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		limits engine.Limits
		want   string
	}{
		{engine.Limits{Memory: 1000}, "--limit-memory"},
		{engine.Limits{Time: time.Nanosecond}, "--limit-time"},
	} {
		r := Verify(pairs(64), Options{Limits: test.limits})
		if r.Verdict != engine.Inconclusive || !strings.Contains(r.Reason.Text, test.want) {
			t.Errorf("%+v: %s, %q; want inconclusive and %s", test.limits, r.Verdict, r.Reason, test.want)
		}
		for c, a := range r.Answers {
			if a.Verdict == engine.Holds {
				t.Errorf("%+v: %s holds", test.limits, Check(c))
			}
		}
	}
}

// TestLastPage: accesses of the last page of the last memory, where 32 bits end, are compared like others.
func TestLastPage(t *testing.T) {
	last := uint32(1<<offsetBits - 64)
	for name, second := range map[string]uint32{"two places": last - 4, "one place": last} {
		p := warps(2)
		p.Warps[0].Write(0, 1, Address{Global(last), 0, 4}, Value{}, 0)
		p.Warps[1].Read(1, 1, Address{Global(second), 0, 4}, 0)
		r := Verify(p, Options{})
		want := map[bool]engine.Verdict{true: engine.Violated, false: engine.Holds}[second == last]
		if got := r.Answers[Race].Verdict; got != want {
			t.Errorf("%s: %s, want %s: %s", name, got, want, r.Reason)
		}
	}
}

// TestNonsense: what no program can mean is refused.
func TestNonsense(t *testing.T) {
	for name, spoil := range map[string]func(p *Program, w *Warp){
		"lanes that do not exist":     func(p *Program, w *Warp) { w.Lanes = 1; w.Read(0, 2, row, 0) },
		"beyond the memory of a CTA":  func(p *Program, w *Warp) { w.Read(0, 1, Address{Shared(0, 1<<offsetBits-2), 0, 4}, 0) },
		"memory of no CTA":            func(p *Program, w *Warp) { w.Read(0, 1, Address{Shared(3, 0), 0, 4}, 0) },
		"strides into the next":       func(p *Program, w *Warp) { w.Read(0, every, Address{0, 1 << 20, 4}, 0) },
		"an arrive without a count":   func(p *Program, w *Warp) { w.Named(NamedArrive, 0, every, 1, 0, 0) },
		"arrivals out of range":       func(p *Program, w *Warp) { w.Contribute(MbarArrive, 0, 1, 64, 1<<20, 0) },
		"no arrivals":                 func(p *Program, w *Warp) { w.Contribute(MbarArrive, 0, 1, 64, 0, 0) },
		"a unit that is none":         func(p *Program, w *Warp) { w.Commit(0, 1, units) },
		"no CTA":                      func(p *Program, w *Warp) { p.CTAs = 0 },
		"a value that is not known":   func(p *Program, w *Warp) { w.Commands = []Command{{Kind: Write, Mask: 1, C: 4, D: 7}} },
		"a copy that is not known":    func(p *Program, w *Warp) { w.Commands = []Command{{Kind: AsyncCopy, Mask: 1, C: 7}} },
		"a kind that is none":         func(p *Program, w *Warp) { w.Commands = []Command{{Kind: 200, Mask: 1}} },
		"more bytes than are counted": func(p *Program, w *Warp) { w.Issue(0, 1, Copy{Effects: []Effect{{Mbar: 64, Bytes: 1 << 20}}}) },
	} {
		p := warps(1)
		spoil(p, p.Warps[0])
		if r := Verify(p, Options{}); r.Verdict != engine.Inconclusive || r.Reason.Code == 0 {
			t.Errorf("%s: %s %q", name, r.Verdict, r.Reason)
		}
	}
}

// TestTokensOfNothing: waits with tokens that no arrive gave, and on mbarriers that nothing initialises, are told.
func TestTokensOfNothing(t *testing.T) {
	p := warps(1)
	p.Objects = []Object{{Address: 64, Count: 32}}
	p.Warps[0].WaitToken(0, every, 64, 7)
	if r := Verify(p, Options{}); r.Verdict != engine.Inconclusive {
		t.Errorf("a token of nothing: %s", r.Verdict)
	}
	p = warps(1)
	p.Warps[0].Wait(0, every, 64, 0)
	expect(t, p, Lifetime)
}

// TestLives: an mbarrier may be invalidated and initialised again, by who knows that nobody uses it any more.
func TestLives(t *testing.T) {
	again := func(sync bool) *Program {
		p := warps(2)
		a, b := p.Warps[0], p.Warps[1]
		a.Init(1, 1, 64, 64)
		for _, w := range p.Warps {
			w.sync(2, 0, 0)
			w.Contribute(MbarArrive, 3, every, 64, 1, 0)
			w.Wait(4, every, 64, 0)
			switch {
			case sync:
				w.sync(5, 1, 64)
			case w == a: // its lanes wait for each other, and for nobody else
				w.sync(5, 1, 32)
			}
		}
		a.Inval(6, 1, 64)
		a.Init(7, 1, 64, 32)
		a.sync(8, 0, 0)
		b.sync(8, 0, 0)
		b.Contribute(MbarArrive, 9, every, 64, 1, 0)
		b.Wait(10, every, 64, 0)
		return p
	}
	expect(t, again(true))
	expect(t, again(false), Lifetime)
}
