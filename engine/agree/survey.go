package agree

import (
	"context"
	"runtime"
	"sync"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

// Count is a number of protocols of each style.
type Count map[random.Style]int

// All is the number of all styles.
func (c Count) All() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

// Tally is what comparing one reduction showed.
type Tally struct {
	Within Count // protocols that meet its conditions
	Differ int   // protocols of which the answers with and without it differ
	Seed   int   // the first of these, -1 without any
	How    string
}

// Survey is what comparing the reductions on many protocols showed.
type Survey struct {
	Drawn    Count
	Compared Count   // those that a search without reductions came to the end of
	Tallies  []Tally // by reduction
	Judged   int     // searches judged by their prospects
	GivenUp  int     // those of them that would have been given up with a limit that is all they need
}

// Differ is the number of disagreements.
func (v *Survey) Differ() (n int) {
	for i := range v.Tallies {
		n += v.Tallies[i].Differ
	}
	return n
}

// Run compares every reduction on the protocols of count seeds, on all cores. It ends early when ctx does; progress, if
// it is not nil, is called after each thousand.
func Run(ctx context.Context, first, count int, progress func(done int)) *Survey {
	v := &Survey{Drawn: Count{}, Compared: Count{}, Tallies: make([]Tally, len(Reductions))}
	for i := range v.Tallies {
		v.Tallies[i] = Tally{Within: Count{}, Seed: -1}
	}
	var (
		seeds = make(chan int)
		lock  sync.Mutex
		wait  sync.WaitGroup
		done  int
	)
	for range runtime.GOMAXPROCS(0) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for seed := range seeds {
				o := examine(ctx, seed)
				lock.Lock()
				v.add(seed, o)
				if done++; done%1000 == 0 && progress != nil {
					progress(done)
				}
				lock.Unlock()
			}
		}()
	}
	for seed := first; seed < first+count && ctx.Err() == nil; seed++ {
		seeds <- seed
	}
	close(seeds)
	wait.Wait()
	return v
}

// outcome is what one protocol shows, by reduction.
type outcome struct {
	complete bool
	within   []bool
	differ   []string
	judged   bool
	givenUp  bool
}

func examine(ctx context.Context, seed int) outcome {
	s := newSubject(ctx, random.Protocol(seed))
	o := outcome{complete: s.base.Complete, within: make([]bool, len(Reductions)), differ: make([]string, len(Reductions))}
	if !o.complete {
		return o
	}
	for i := range Reductions {
		o.within[i], o.differ[i] = Reductions[i].compare(ctx, s)
	}
	if s.base.States > fairTrial {
		o.givenUp, o.judged = explore.GivesUp(ctx, s.p, engine.Limits{States: States}, fairTrial)
	}
	return o
}

func (v *Survey) add(seed int, o outcome) {
	style := random.StyleOf(seed)
	v.Drawn[style]++
	if o.complete {
		v.Compared[style]++
	}
	if o.judged {
		v.Judged++
	}
	if o.givenUp {
		v.GivenUp++
	}
	for i := range v.Tallies {
		t := &v.Tallies[i]
		if o.within[i] {
			t.Within[style]++
		}
		if o.differ[i] == "" {
			continue
		}
		t.Differ++
		if t.Seed < 0 || seed < t.Seed {
			t.Seed, t.How = seed, o.differ[i]
		}
	}
}
