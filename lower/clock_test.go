package lower

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
)

// Evaluation ends with its time or its context, and says so: nothing holds of a kernel then.
func TestClock(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name string
		opt  Options
		cut  bool
	}{
		{"no limit", Options{}, false},
		{"an hour", Options{Time: time.Hour, Context: context.Background()}, false},
		{"no time", Options{Time: 1}, true},
		{"ended", Options{Context: ended}, true},
	} {
		tree := read("k.py", python("cute.arch.mbarrier_arrive(bar)\ncute.arch.mbarrier_wait(bar, 0)\n"))
		k := Kernels(tree, dialect.New(tree.Language), c.opt)[0]
		says := func(list []Opaque) bool {
			return slices.ContainsFunc(list, func(o Opaque) bool { return o.Why == limit.Time.Says(timeIsUp) })
		}
		if says(k.Gaps) != c.cut || c.cut && len(k.Instances) > 0 {
			t.Errorf("%s: %d instances, %v, gaps %v", c.name, len(k.Instances), k.Opaque, k.Gaps)
		}
	}
}

// A sum of itself, again and again, is one number for each of these times; it is asked anew when an unknown gets another value.
func TestWorthOfSharedParts(t *testing.T) {
	l := &lowering{}
	m := &machine{in: l.newInstance(map[string]int64{"n": 3}, &launch{})}
	e := value.Atom("n").Expr
	for range 100 {
		e = &value.Expr{Op: "|", X: e, Y: e}
	}
	for _, want := range []int64{3, 5} {
		m.in.give("n", want)
		if got, known := m.peek(e); got != want || !known {
			t.Errorf("worth %d, %v; want %d", got, known, want)
		}
	}
	m.in.take("n")
	if got, known := m.peek(e); known {
		t.Errorf("worth %d of an unknown without a value", got)
	}
}
