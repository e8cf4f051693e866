package memory

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine/memory/gridbarrier"
)

var update = flag.Bool("update", false, "write the tests of the grid barrier")

var grids = [][2]int{{2, 2}, {3, 3}, {4, 4}, {6, 4}}

// gridWhys says of each order why it is decided as it is.
var gridWhys = map[string]string{
	"release-acquire": "The barrier of a grid of three CTAs of three threads, with real loops: every write before it is seen behind it.",
	"relaxed-arrive":  "A relaxed store of the flag on the way in: the first CTA has not acquired what the others wrote.",
	"relaxed-gather":  "A relaxed load of the flag on the way in: the first CTA has not acquired what the others wrote.",
	"relaxed-free":    "A relaxed store of the flag on the way out: the others have not acquired what was gathered.",
	"relaxed-leave":   "A relaxed load of the flag on the way out: the others have not acquired what was gathered.",
}

func variants() []gridbarrier.Variant {
	return append([]gridbarrier.Variant{gridbarrier.Right}, gridbarrier.Broken...)
}

func gridBarrier(t testing.TB, size [2]int, v gridbarrier.Variant) *Program {
	t.Helper()
	b := gridbarrier.Barrier{CTAs: size[0], Threads: size[1], Order: v.Order}
	p, err := Read(strings.NewReader(b.Litmus("grid", "", v == gridbarrier.Right)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGridBarrierFiles keeps the nine threads of the seed talk among the tests of the project, as they are written
// (go test ./engine/memory -run GridBarrierFiles -update).
func TestGridBarrierFiles(t *testing.T) {
	for _, v := range variants() {
		name := "grid-3x3-" + v.Name
		text := gridbarrier.Barrier{CTAs: 3, Threads: 3, Order: v.Order}.Litmus(name, gridWhys[v.Name], v == gridbarrier.Right)
		path := filepath.Join(own, name+".litmus")
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || string(have) != text {
			t.Errorf("%s is not as it is written: %v", path, err)
		}
	}
}

// TestGridBarrier: the barrier holds, and each of its four orders is needed; it ends in any case.
func TestGridBarrier(t *testing.T) {
	for _, size := range grids {
		for _, v := range variants() {
			p := gridBarrier(t, size, v)
			for _, name := range Models {
				if r := Solve(context.Background(), p, model(t, name), Options{}); r.Verdict != Pass {
					t.Errorf("%v %s %s: %s (%s)", size, v.Name, name, r.Verdict, r.Reason)
				}
			}
			if r := Solve(context.Background(), p, model(t, "ptx-async"), Options{Property: Termination}); r.Verdict != Pass {
				t.Errorf("%v %s does not end: %s (%s)", size, v.Name, r.Verdict, r.Reason)
			}
			if r := Solve(context.Background(), p, model(t, "ptx-async"), Options{Property: Race}); r.Verdict != verdict(v == gridbarrier.Right) {
				t.Errorf("%v %s races: %s (%s)", size, v.Name, r.Verdict, r.Reason)
			}
		}
	}
}

func BenchmarkGridBarrier(b *testing.B) {
	m, err := LoadModel("ptx-async")
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range grids {
		for _, v := range variants() {
			p := gridBarrier(b, size, v)
			for i, property := range Properties {
				b.Run(fmt.Sprintf("%d.%d/%s/%s", size[0], size[1], v.Name, property), func(b *testing.B) {
					for b.Loop() {
						Solve(context.Background(), p, m, Options{Property: Property(i)})
					}
				})
			}
		}
	}
}
