package memory

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// gridBarrier writes a barrier of all threads of a grid (Sorensen et al., "Portable inter-workgroup barrier
// synchronisation for GPUs", OOPSLA 2016): the threads of the first group each wait for the flags of other groups, meet,
// and set these flags back; the first thread of another group sets its flag when the group has met, and waits. Each thread
// writes before the barrier and reads behind it what one of the next group wrote. order has the semantics of the store and
// the load of the flag on the way in, and on the way out.
func gridBarrier(groups, size int, order [4]string) string {
	var init []string
	columns := make([][]string, groups*size)
	rows := 0
	for t := range columns {
		group, place := t/size, t%size
		c := []string{fmt.Sprintf("P%d@cta %d,gpu 0", t, group), fmt.Sprintf("st.weak x%d, 1", t)}
		init = append(init, fmt.Sprintf("x%d=0;", t))
		switch {
		case group == 0:
			var out []string
			for g := 1 + place; g < groups; g += size {
				c = append(c, fmt.Sprintf("LC%d:", g), fmt.Sprintf("ld.%s.gpu r0, f%d", order[1], g), fmt.Sprintf("bne r0, 1, LC%d", g))
				out = append(out, fmt.Sprintf("st.%s.gpu f%d, 2", order[2], g))
			}
			c = append(append(c, "bar.cta.sync 0"), out...)
		case place == 0:
			c = append(c, "bar.cta.sync 0", fmt.Sprintf("st.%s.gpu f%d, 1", order[0], group), "LC0:",
				fmt.Sprintf("ld.%s.gpu r0, f%d", order[3], group), "bne r0, 2, LC0", "bar.cta.sync 1")
		default:
			c = append(c, "bar.cta.sync 0", "bar.cta.sync 1")
		}
		columns[t] = append(c, fmt.Sprintf("ld.weak r1, x%d", (t+size)%len(columns)))
		rows = max(rows, len(columns[t]))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "PTX grid-%d.%d\n{\n%s\n}\n", groups, size, strings.Join(init, " "))
	for row := range rows {
		var cells []string
		for _, c := range columns {
			cell := ""
			if row < len(c) {
				cell = c[row]
			}
			cells = append(cells, cell)
		}
		b.WriteString(strings.Join(cells, " | ") + " ;\n")
	}
	var stale []string
	for t := range columns {
		stale = append(stale, fmt.Sprintf("P%d:r1 == 0", t))
	}
	b.WriteString("~exists (" + strings.Join(stale, " \\/ ") + ")\n")
	return b.String()
}

var grids = [][2]int{{2, 2}, {3, 3}, {4, 4}, {6, 4}}

func orders() [][4]string {
	right := [4]string{"release", "acquire", "release", "acquire"}
	out := [][4]string{right}
	for i := range right {
		wrong := right
		wrong[i] = "relaxed"
		out = append(out, wrong)
	}
	return out
}

// TestGridBarrier: the barrier holds, and each of its four orders is needed; it ends in any case.
func TestGridBarrier(t *testing.T) {
	for _, size := range grids {
		for i, order := range orders() {
			p, err := Read(strings.NewReader(gridBarrier(size[0], size[1], order)))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range Models {
				if r := Solve(context.Background(), p, model(t, name), Options{}); r.Verdict != verdict(i == 0) {
					t.Errorf("%v %v %s: %s (%s)", size, order, name, r.Verdict, r.Reason)
				}
			}
			if size[0] > 3 {
				continue
			}
			if r := Solve(context.Background(), p, model(t, "ptx-v7.5"), Options{Property: Termination}); r.Verdict != Pass {
				t.Errorf("%v %v does not end: %s (%s)", size, order, r.Verdict, r.Reason)
			}
			if r := Solve(context.Background(), p, model(t, "ptx-v7.5"), Options{Property: Race}); r.Verdict != verdict(i == 0) {
				t.Errorf("%v %v races: %s (%s)", size, order, r.Verdict, r.Reason)
			}
		}
	}
}

func BenchmarkGridBarrier(b *testing.B) {
	m, err := LoadModel("ptx-v7.5")
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range grids {
		for i, order := range orders() {
			name := fmt.Sprintf("%d.%d/%s", size[0], size[1], []string{"right", "relaxed-in-store", "relaxed-in-load", "relaxed-out-store", "relaxed-out-load"}[i])
			p, err := Read(strings.NewReader(gridBarrier(size[0], size[1], order)))
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					Solve(context.Background(), p, m, Options{})
				}
			})
		}
	}
}
