package order

import (
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestPipes: operations of one pipe are executed in the order in which they are issued, what feeds a pipe before them; others in any.
func TestPipes(t *testing.T) {
	const bar = 0x100
	d := TensorMemory(0, 3, 8)
	write := func(pipe uint32, feeds bool) Copy {
		return Copy{Unit: Tensor, Pipe: pipe, Feeds: feeds, Accesses: []Span{{Address{Base: d, Size: 4}, true}}}
	}
	for _, c := range []struct {
		name          string
		first, second Copy
		apart, meet   bool // another thread issues the second, behind a barrier
		want          engine.Verdict
	}{
		{"one pipe", write(1, false), write(1, false), false, false, engine.Holds},
		{"two pipes", write(1, false), write(2, false), false, false, engine.Violated},
		{"no pipe", write(0, false), write(0, false), false, false, engine.Violated},
		{"what feeds", write(0, true), write(2, false), false, false, engine.Holds},
		{"what feeds comes behind", write(2, false), write(0, true), false, false, engine.Violated},
		{"one pipe of two threads", write(1, false), write(1, false), true, true, engine.Holds},
		{"two pipes of two threads", write(1, false), write(2, false), true, true, engine.Violated},
		{"one pipe and no order", write(1, false), write(1, false), true, false, engine.Violated},
	} {
		p := &Program{CTAs: 1}
		v, w := p.AddWarp(0, 0, 1), p.AddWarp(0, 32, 1)
		last := v
		v.Init(0, 1, bar, 1)
		for _, x := range []*Warp{v, w} {
			x.Named(NamedSync, 1, 1, 0, 2, 0)
		}
		v.Issue(2, 1, c.first)
		if c.meet {
			for _, x := range []*Warp{v, w} {
				x.Named(NamedSync, 3, 1, 0, 2, 0)
			}
		}
		if c.apart {
			last = w
		}
		last.Issue(4, 1, c.second)
		last.ArriveWhenDone(5, 1, bar, Tensor, Included)
		v.Wait(6, 1, bar, 0)
		v.Read(7, 1, Address{Base: d + 4, Size: 4}, 0)
		if r := Verify(p, Options{}); r.Verdict != c.want {
			t.Errorf("%s: %s %v %s, expected %s", c.name, r.Verdict, r.Findings, r.Reason, c.want)
		}
	}
}

// TestCommitsInTurn: of two commits of one thread the later one does not arrive first. Of two threads it may.
func TestCommitsInTurn(t *testing.T) {
	const bar = 0x100
	for apart, want := range map[bool]engine.Verdict{false: engine.Holds, true: engine.Violated} {
		p := &Program{CTAs: 1}
		v, w := p.AddWarp(0, 0, 1), p.AddWarp(0, 32, 1)
		v.Init(0, 1, bar, 1)
		for _, x := range []*Warp{v, w} {
			x.Named(NamedSync, 1, 1, 0, 2, 0)
		}
		second := v
		if apart {
			second = w
		}
		v.ArriveWhenDone(2, 1, bar, Tensor, Included)
		second.ArriveWhenDone(3, 1, bar, Tensor, Included)
		if r := Verify(p, Options{}); r.Verdict != want || want == engine.Violated && r.Answers[Attribution].Verdict != want {
			t.Errorf("of two threads %v: %s %v, expected %s", apart, r.Verdict, r.Findings, want)
		}
	}
}
