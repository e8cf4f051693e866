package order

import (
	"context"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

// TestLower: a protocol that is made a program and then a protocol again means what it meant.
func TestLower(t *testing.T) {
	compared := 0
	for seed := range 3000 {
		p := random.Protocol(seed)
		if why, did := changes(p); why != "" {
			small := random.Shrink(p, func(q *protocol.Protocol) bool { why, _ := changes(q); return why != "" })
			why, _ = changes(small)
			t.Fatalf("seed %d: %s\n%s", seed, why, random.Print(small))
		} else if did {
			compared++
		}
	}
	t.Logf("%d protocols compared", compared)
	if compared < 300 {
		t.Errorf("only %d protocols compared", compared)
	}
}

// changes says in what the answers for a protocol and for what it becomes differ.
func changes(p *protocol.Protocol) (why string, compared bool) {
	q, err := FromProtocol(p)
	if err != nil {
		return "", false
	}
	l, err := q.Lower()
	if err != nil {
		return "", false
	}
	limits := engine.Limits{States: 20000}
	a, b := explore.Check(context.Background(), p, limits), explore.Check(context.Background(), l.Protocol, limits)
	if !a.Complete || !b.Complete {
		return "", false
	}
	for _, prop := range protocol.Properties {
		if x, y := a.Properties[prop].Verdict, b.Properties[prop].Verdict; x != y {
			return string(prop) + " was " + x.String() + " and is " + y.String(), true
		}
	}
	return "", true
}
