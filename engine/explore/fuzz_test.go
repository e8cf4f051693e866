package explore

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// FuzzCheck: no protocol makes the engine panic or ignore its limits, and every trace shows what it is for.
func FuzzCheck(f *testing.F) {
	EachRandom(0, 60, func(_ int, p *protocol.Protocol) {
		b, _ := json.Marshal(p)
		f.Add(b)
	})
	f.Fuzz(func(t *testing.T, b []byte) {
		var p protocol.Protocol
		if json.Unmarshal(b, &p) != nil {
			return
		}
		steps := 0
		for _, c := range p.Classes {
			steps += c.Count * len(c.Ops)
		}
		if steps > 1<<16 || len(p.Classes) > 64 {
			return // right, but slow
		}
		r := Check(context.Background(), &p, engine.Limits{States: 2000, Time: time.Second})
		for prop, a := range r.Properties {
			if a.Verdict != engine.Violated {
				continue
			}
			if _, yes := newJudge(&p).shows(a.Trace, prop); !yes {
				t.Errorf("the trace for %s does not show it: %v", prop, a.Trace.Steps)
			}
		}
	})
}
