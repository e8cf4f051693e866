package explore

import (
	"context"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Check decides every property of p within the limits.
func Check(ctx context.Context, p *protocol.Protocol, lim engine.Limits) *engine.Result {
	return Search(ctx, p, lim)
}
