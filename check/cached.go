package check

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"github.com/fencepost-dev/fencepost/cache"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/spin"
	"github.com/fencepost-dev/fencepost/protocol"
)

// An engine need not be asked twice what it has once shown to hold. Only whole answers are kept, in which every property
// that was asked about holds: what is violated is searched again, for its trace, and what hit a limit shows nothing.
//
// A kept answer is the very answer that the engine would give, its states too, so that a report is the same with and
// without a cache, but for the times in it. It depends on nothing but what is in the key, which has the limits: a search
// that counts states may come to its answer another way with other limits, or not at all. Not the limit of time, which
// can only turn what holds into inconclusive. That it was spent on another machine, or another day, makes it no less true.

// worthwhile is how long an engine has to take for its answer to be kept: less is told sooner than looked up.
var worthwhile = time.Millisecond

// cached is the engines, asked only what the cache does not know.
func (e engines) cached(c *cache.Cache) engines {
	if c == nil {
		return e
	}
	search, run := e.explore, e.spin
	e.explore = func(ctx context.Context, p *protocol.Protocol, lim engine.Limits) *engine.Result {
		return kept(c, keyOf(explore.Name, nil, p, protocol.Properties, lim), protocol.Properties, func() *engine.Result { return search(ctx, p, lim) })
	}
	e.spin = func(ctx context.Context, p *protocol.Protocol, props []protocol.Property, lim engine.Limits) *engine.Result {
		programs, ok := spin.Programs()
		if !ok {
			return run(ctx, p, props, lim)
		}
		return kept(c, keyOf(spin.Name, programs, p, props, lim), props, func() *engine.Result { return run(ctx, p, props, lim) })
	}
	return e
}

// keyOf is what an answer depends on, besides the build of fencepost.
func keyOf(name string, programs []byte, p *protocol.Protocol, props []protocol.Property, lim engine.Limits) cache.Key {
	h := sha256.New()
	text := func(s string) {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	text(name)
	text(string(programs))
	for _, prop := range props {
		text(string(prop))
	}
	text("")
	for _, n := range []int64{int64(lim.States), int64(lim.Proof), lim.Memory} {
		h.Write(binary.AppendVarint(nil, n))
	}
	shape := p.Shape()
	h.Write(shape[:])
	return cache.Key(h.Sum(nil))
}

// kept is the answer that the cache has, or else the one that ask gives.
func kept(c *cache.Cache, key cache.Key, props []protocol.Property, ask func() *engine.Result) *engine.Result {
	if data, ok := c.Get(key); ok {
		if r := decode(data, props); r != nil {
			return r
		}
		c.Drop(key)
	}
	start := time.Now()
	r := ask()
	if time.Since(start) < worthwhile || !allHold(r, props) {
		return r
	}
	once := *r
	once.Elapsed, once.Compiling = 0, 0
	if data, err := json.Marshal(&once); err == nil {
		c.Put(key, data)
	}
	return r
}

// decode reads a kept answer; nil if it is none.
func decode(data []byte, props []protocol.Property) *engine.Result {
	r := &engine.Result{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if d.Decode(r) != nil || !allHold(r, props) {
		return nil
	}
	return r
}

// allHold reports whether an answer is whole and says that each of the properties holds, and of no others anything.
func allHold(r *engine.Result, props []protocol.Property) bool {
	for prop, a := range r.Properties {
		if a.Verdict != engine.Holds || a.Trace != nil || !slices.Contains(props, prop) {
			return false
		}
	}
	return r.Complete && len(r.Properties) == len(props)
}
