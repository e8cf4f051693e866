package lower

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/dialect"
)

func TestScratch(t *testing.T) {
	name := os.Getenv("KERNEL")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Skip()
	}
	f := read(name, string(data))
	start := time.Now()
	ks := Kernels(f, dialect.New(f.Language), Options{})
	fmt.Println(name, "lowered in", time.Since(start))
	for _, k := range ks {
		if len(k.Opaque) > 0 || len(k.Instances) == 0 {
			fmt.Println("  ", k.Name, k.Config, "not lowered")
			continue
		}
		last := k.Instances[len(k.Instances)-1]
		values := valuesOf(last)
		start := time.Now()
		raw := map[*head]string{}
		if os.Getenv("P") != "" {
			surveyed = func(h *head, b []byte) { raw[h] = string(b) }
		}
		k.family.find(k)
		fmt.Printf("  %s %s rounds %v instances %d spent %d in %v %v %v\n", k.Name, k.Config, k.Rounds, len(k.Instances), k.family.spent, time.Since(start), k.family.places, k.Bounds["combinations"])
		for _, u := range k.Rounds {
			if g := k.family.grows[u]; g != nil {
				fmt.Printf("     %s: least %d %s\n", u, g.least, g.reason)
				if P, err := strconv.Atoi(os.Getenv("P")); err == nil {
					far := valued(values, u, min(2*(2*k.family.depth+1)+8, mostRounds))
					fmt.Println("depth", k.family.depth, "far", far)
					r, why := k.family.watched(far)
					if r == nil {
						fmt.Println(why)
						continue
					}
					for _, log := range r.logs {
						for _, st := range log.steps {
							if st.left == nil || r.unknowns[st.left.unknown] != u {
								continue
							}
							same := ""
							for i := range st.left.heads {
								if i+P < len(st.left.heads) {
									a, b := st.left.heads[i], st.left.heads[i+P]
									same += fmt.Sprint(a.state == b.state, " ")
									if i == 6 {
										fmt.Println(a.leaves, b.leaves, a.fresh, b.fresh)
										x, y := strings.Split(raw[a], "\x00"), strings.Split(raw[b], "\x00")
										for i := range min(len(x), len(y)) {
											if x[i] != y[i] {
												fmt.Printf("    %q | %q\n", x[max(0, i-12):min(i+4, len(x))], y[i:min(i+3, len(y))])
												break
											}
										}
									}
								}
							}
							fmt.Println(log.m.threads[0], log.finished, len(st.left.heads), same)
						}
						_, why := log.certified(map[string]int{u: P})
						fmt.Println(log.m.threads[0], log.finished, why)
					}
				}
				if g.reason == "" {
					values[u] = int64(g.least)
				}
			}
		}
		start = time.Now()
		p, why := k.Instance(values)
		if p != nil {
			fmt.Println("    ", values, p.Repeats, len(p.Loops), why, time.Since(start))
		}
	}
}
