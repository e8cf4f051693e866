package lower

import (
	"fmt"
	"os"
	"strconv"
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
	for _, k := range Kernels(f, dialect.New(f.Language), Options{}) {
		fmt.Println(k.Name, k.Config, "rounds", k.Rounds, "instances", len(k.Instances), k.Opaque)
		last := k.Instances[len(k.Instances)-1]
		values := map[string]int64{}
		for u, v := range last.Values {
			values[u], _ = strconv.ParseInt(v, 10, 64)
		}
		fmt.Println(last.Values)
		for _, u := range k.Rounds {
			start := time.Now()
			g := k.family.growth(u, values)
			fmt.Printf("  %s: period %d least %d reason %q spent %d in %v; %v\n", u, g.period, g.least, g.reason, k.family.spent, time.Since(start), g.places)
		}
		for _, u := range k.Rounds {
			g := k.family.growth(u, values)
			values[u] = int64(g.least + 2*g.period)
		}
		p, why := k.Instance(values)
		if p != nil {
			fmt.Println(p.Values, why, p.Repeats)
			for _, l := range p.Loops {
				fmt.Println("   ", l.Unknown, p.Classes[l.Class].Name, l.Heads, l.Lead)
			}
		}
	}
}
