package explore

import (
	"context"
	"fmt"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Of an access whose place in a range is not known, an unordered access is a race only where it touches all of the range,
// and only with one thread's range: what two threads touch together does not count.
func TestSomewhere(t *testing.T) {
	for _, c := range []struct {
		some, other []protocol.Range
		race        bool
	}{
		{[]protocol.Range{{Lo: 2, Hi: 4}}, []protocol.Range{{Lo: 2, Hi: 4}}, true},
		{[]protocol.Range{{Lo: 2, Hi: 4}}, []protocol.Range{{Hi: 8}}, true},
		{[]protocol.Range{{Lo: 2, Hi: 4}}, []protocol.Range{{Lo: 3, Hi: 8}}, false},
		{[]protocol.Range{{Lo: 2, Hi: 4}}, []protocol.Range{{Hi: 3}}, false},
		{[]protocol.Range{{Lo: 2, Hi: 2}}, []protocol.Range{{Hi: 8}}, false},
		{[]protocol.Range{{Lo: 2, Hi: 4}}, []protocol.Range{{Lo: 2, Hi: 3}, {Lo: 3, Hi: 4}}, false},
		{[]protocol.Range{{Lo: 2, Hi: 4}, {Lo: 6, Hi: 8}}, []protocol.Range{{Lo: 5, Hi: 8}}, true},
	} {
		t.Run(fmt.Sprint(c.some, c.other), func(t *testing.T) {
			p := &protocol.Protocol{Kernel: "some", CTAs: 1, Buffers: []protocol.Buffer{{Name: "s", Elements: 8}}, Sites: []protocol.Site{{Path: "k", Line: 1}, {Path: "k", Line: 2}}}
			for i, a := range []protocol.Access{{Elements: c.some, Parts: protocol.Somewhere}, {Write: true, Elements: c.other, Site: 1}} {
				p.Classes = append(p.Classes, protocol.Class{Name: "c", Count: 2, Blocks: [][]protocol.Access{{a}}})
				if len(a.Elements) == 1 && i == 1 {
					p.Classes[i].Count = 1
				}
			}
			r := Check(context.Background(), p, engine.Limits{})
			got := r.Properties[protocol.Race]
			if (got.Verdict == engine.Violated) != c.race {
				t.Fatalf("race is %s", got.Verdict)
			}
			if got.Trace == nil {
				return
			}
			if _, err := replay.Run(p, got.Trace, protocol.Race); err != nil {
				t.Error(err)
			}
		})
	}
}
