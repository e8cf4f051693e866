package lower

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/protocol"
)

// TestInstancesGrow lowers kernels for many values of the unknowns that say how often their loops go round, and compares
// the instances literally with what they say of each other.
func TestInstancesGrow(t *testing.T) {
	tests := []struct {
		file    string
		repeats map[string]protocol.Repeat // for the values of the last instance
	}{
		{"ring/right.py", map[string]protocol.Repeat{"k_tiles": {Period: 8, Least: 9}}},
		{"smoother/rounds.py", map[string]protocol.Repeat{"rounds": {Period: 2, Least: 3}}},
		{"queries/right.py", map[string]protocol.Repeat{"responses with a tile": {Period: 2, Least: 4}}},
		{"tiles/right.py", map[string]protocol.Repeat{"k_tiles": {Period: 4, Least: 5}, "tiles": {Period: 4, Least: 6}}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			k := fromTestdata(t, test.file)
			values := k.Instances[len(k.Instances)-1].Numbers()
			for u, want := range test.repeats {
				want.Unknown = u
				grows(t, k, values, want)
			}
		})
	}
}

// grows compares the instances for many values of one unknown.
func grows(t *testing.T, k *Kernel, values map[string]int64, want protocol.Repeat) {
	t.Helper()
	u := want.Unknown
	for v := want.Least; v < want.Least+want.Period; v += 3 {
		small, why := k.Instance(valued(values, u, int64(v)))
		large, _ := k.Instance(valued(values, u, int64(v+want.Period)))
		if small == nil || large == nil {
			t.Fatalf("%s = %d: no instance", u, v)
		}
		if !slices.Contains(small.Repeats, want) {
			t.Fatalf("%s = %d: repeats %v, want %v (%v)", u, v, small.Repeats, want, why)
		}
		if err := without(small, large, want); err != nil {
			t.Errorf("%s = %d: %v", u, v, err)
		}
	}
}

// TestFewSurveys compares the loops of instances in which only those rounds were looked at that repeated in others with
// those found by looking at all rounds.
func TestFewSurveys(t *testing.T) {
	k := fromTestdata(t, "tiles/right.py")
	values := k.Instances[len(k.Instances)-1].Numbers()
	k.Instance(values) // from here on it is known how they grow
	f, few := k.family, 0
	for rounds := int64(5); rounds < 9; rounds++ {
		for tiles := int64(6); tiles < 8; tiles++ {
			values["k_tiles"], values["tiles"] = rounds, tiles
			a, reason := f.record(k, values)
			if reason != "" {
				t.Fatal(values, reason)
			}
			if a.only != nil {
				few++
			}
			known := f.leads
			f.leads = repeating{}
			b, reason := f.record(k, values)
			if reason != "" || b.only != nil {
				t.Fatal(values, reason)
			}
			f.leads = known
			for _, r := range []*record{a, b} {
				f.certify(r, values, map[string]string{})
			}
			if !reflect.DeepEqual(a.p.Loops, b.p.Loops) || !slices.Equal(a.p.Repeats, b.p.Repeats) || a.p.Digest() != b.p.Digest() {
				t.Errorf("%v: %v %v\nin all rounds: %v %v", values, a.p.Repeats, a.p.Loops, b.p.Repeats, b.p.Loops)
			}
		}
	}
	if few == 0 {
		t.Error("all rounds were looked at in all instances")
	}
}

// without checks that one protocol is another with the first rounds that repeat left out.
func without(small, large *protocol.Protocol, r protocol.Repeat) error {
	cut := *large
	cut.Classes = slices.Clone(large.Classes)
	for i := range cut.Classes {
		c := &cut.Classes[i]
		c.Ops, c.Blocks = slices.Clone(c.Ops), slices.Clone(c.Blocks)
		for _, l := range slices.Backward(large.Loops) {
			if l.Class != i || l.Unknown != r.Unknown {
				continue
			}
			lo, hi := l.Heads[l.Lead], l.Heads[l.Lead+r.Period]
			for at := hi; at < len(c.Ops); at++ {
				c.Ops[at].Drains = slices.Clone(c.Ops[at].Drains)
				for k, d := range c.Ops[at].Drains {
					if d >= lo {
						c.Ops[at].Drains[k] = d - (hi - lo)
					}
				}
			}
			c.Ops, c.Blocks = slices.Delete(c.Ops, lo, hi), slices.Delete(c.Blocks, lo, hi)
		}
	}
	if cut.Digest() != small.Digest() {
		return fmt.Errorf("it is not the one with %d more without rounds %v", r.Period, large.Loops)
	}
	return nil
}

func fromTestdata(t *testing.T, name string) *Kernel {
	t.Helper()
	data, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	f := read(name, string(data))
	k := Kernels(f, dialect.New(f.Language), Options{})[0]
	if len(k.Opaque) > 0 || len(k.Instances) == 0 {
		t.Fatalf("not lowered: %v", k.Opaque)
	}
	return k
}
