package thread

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/protocol"
)

// builder makes a protocol of what threads did.
type builder struct {
	*recorder
	p       *protocol.Protocol
	words   map[cell]int // flags
	ofGrid  int          // the counter that stands for the barrier of the grid; -1: none
	named   map[barrier]int
	buffers map[buffer]int
	sites   map[uint32]int
	stored  map[int64]int
	classes map[string]int
	mixed   map[cell]bool // flags in shared memory that are accessed as if nobody else did, too
}

type barrier struct {
	protocol.Named
	mask int64
}

type buffer struct{ object, cta int }

func (r *recorder) build(state []int64) (*Recorded, error) {
	b := &builder{recorder: r, words: map[cell]int{}, ofGrid: -1, named: map[barrier]int{}, buffers: map[buffer]int{}, sites: map[uint32]int{}, stored: map[int64]int{}, classes: map[string]int{}, mixed: map[cell]bool{},
		p: &protocol.Protocol{Kernel: r.kernel.Name, CTAs: r.launch.CTAs, Cluster: r.launch.Cluster > 1}}
	if r.launch.Cluster > 1 && r.launch.Cluster != r.launch.CTAs {
		return nil, fmt.Errorf("%s: flags between several clusters are not followed", r.kernel.Name)
	}
	r.out.Waits = map[int32]bool{}
	if err := b.flags(); err != nil {
		return nil, err
	}
	if err := b.lanesMeet(); err != nil {
		return nil, err
	}
	for t := range r.threads {
		b.thread(t, !r.Ended(state, t))
	}
	for c := range b.p.Classes {
		class := &b.p.Classes[c]
		class.Count = len(class.Threads)
		first, last := class.Threads[0], class.Threads[class.Count-1]
		switch class.Name = fmt.Sprintf("threads %d-%d of CTA %d", first, last, class.CTA); {
		case class.Count == 1:
			class.Name = fmt.Sprintf("thread %d of CTA %d", first, class.CTA)
		case class.Count != last-first+1:
			class.Name = fmt.Sprintf("%d of the threads %d-%d of CTA %d", class.Count, first, last, class.CTA)
		}
		for _, block := range class.Blocks {
			for k := range block {
				if a := &block[k]; !slices.ContainsFunc(a.Elements, func(e protocol.Range) bool { return e != a.Elements[0] }) {
					a.Elements = a.Elements[:1]
				}
			}
		}
	}
	r.out.Protocol = b.p
	return &r.out, b.p.Validate()
}

// flags makes the flags of the protocol, with what is waited for at each.
func (b *builder) flags() error {
	type word struct {
		stores []int64
		adds   []int64
	}
	all := map[cell]*word{}
	for t := range b.threads {
		for k := range b.threads[t].events {
			e := &b.threads[t].events[k]
			if e.what != flag {
				continue
			}
			w := all[e.of]
			if w == nil {
				w = &word{}
				all[e.of] = w
			}
			if !e.strong && e.of.object == shared {
				b.mixed[e.of] = true
			}
			switch e.op.Kind {
			case protocol.FlagSwap:
				w.stores = append(w.stores, int64(e.op.Value))
			case protocol.FlagStore:
				w.stores = append(w.stores, int64(e.op.Count))
			case protocol.FlagAdd:
				w.adds = append(w.adds, int64(e.op.Count))
			}
		}
	}
	written := map[int]bool{} // objects
	for c, w := range all {
		written[c.object] = written[c.object] || len(w.stores)+len(w.adds) > 0
	}
	order := slices.SortedFunc(maps.Keys(all), func(x, y cell) int {
		return cmp.Or(x.object-y.object, x.owner-y.owner, cmp.Compare(x.at, y.at))
	})
	values := map[cell][]int64{}
	for _, c := range order {
		name, initial := b.objects[c.object].name, int64(protocol.Unknown)
		if size := b.System.flags[c]; c.object == shared {
			name = fmt.Sprintf("%s of CTA %d", b.sharedAt(c.at), c.owner)
		} else if v := b.objects[c.object].variable; v == nil || v.Size != size {
			name = fmt.Sprintf("%s[%d]", name, c.at/size)
		}
		if c.object != shared && b.objects[c.object].first(c.at).mask == 15 {
			initial = int64(int32(b.objects[c.object].first(c.at).bits))
		}
		b.words[c] = len(b.p.Flags)
		b.p.Flags = append(b.p.Flags, protocol.Flag{Name: name, Initial: int(initial)})
		if values[c] = sums(append(all[c].stores, initial), all[c].adds); values[c] == nil {
			return fmt.Errorf("%s may hold more than %d different numbers", name, maxValues)
		}
	}
	known := map[string]comparison{}
	for t := range b.threads {
		for k := range b.threads[t].events {
			if e := &b.threads[t].events[k]; e.what == flag {
				if !written[e.of.object] {
					return b.System.fail(&b.kernel.Insts[e.at()], "nothing in the kernel writes what is waited for")
				}
				if err := b.compare(t, e, values[e.of], known); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// sharedAt names what stands at an offset in shared memory.
func (b *builder) sharedAt(at int64) string {
	for _, v := range b.kernel.SharedVariables() {
		if at >= v.At && (at < v.At+v.Size || v.Size < 0) {
			return v.ElementAt(at)
		}
	}
	return fmt.Sprintf("byte %#x of shared memory", at)
}

// maxValues bounds the numbers that a flag may hold.
const maxValues = 1 << 12

// sums are the numbers that a word may hold that begins with one of some numbers, and to which others are added, each once at most; nil: too many.
func sums(from, add []int64) []int64 {
	out := map[int64]bool{}
	for _, n := range from {
		out[n] = true
	}
	slices.Sort(add)
	for k := 0; k < len(add); {
		times := 1
		for k+times < len(add) && add[k+times] == add[k] {
			times++
		}
		next := maps.Clone(out)
		for n := range out {
			for m := 1; m <= times; m++ {
				if next[n+add[k]*int64(m)] = true; len(next) > maxValues {
					return nil
				}
			}
		}
		out, k = next, k+times
	}
	return slices.Sorted(maps.Keys(out))
}

// comparison is what a thread waits for.
type comparison struct {
	how   string
	with  int
	never bool // it does not wait
}

// compare finds what a thread waits for at a flag: with which of the numbers that it may hold it goes on.
func (b *builder) compare(t int, e *event, values []int64, known map[string]comparison) error {
	in := &b.kernel.Insts[e.at()]
	key := binary.LittleEndian.AppendUint64(nil, uint64(b.words[e.of]))
	for _, x := range e.entered {
		key = binary.LittleEndian.AppendUint64(key, uint64(x))
	}
	for k, r := range b.given { // what differs between threads
		if b.values[t][k] != b.values[0][k] {
			key = binary.LittleEndian.AppendUint64(key, uint64(r))
			key = binary.LittleEndian.AppendUint64(key, uint64(b.values[t][k].n))
		}
	}
	c, met := known[string(key)]
	if !met {
		var err error
		if c, err = b.waitsFor(t, e, in, values); err != nil {
			return err
		}
		known[string(key)] = c
	}
	switch {
	case e.op.Kind == protocol.FlagSwap && c.never && in.Named() == "exch":
		e.op.Kind, e.op.Count = protocol.FlagStore, e.op.Value
	case e.op.Kind == protocol.FlagSwap && c.never:
		return b.System.fail(in, "what it does to a flag is not followed")
	case e.op.Kind == protocol.FlagSwap:
		e.op.Compare, e.op.Count = c.how, c.with
		b.out.Waits[int32(e.at())] = true
	case e.op.Kind != protocol.Spin && c.never:
	case e.op.Kind != protocol.Spin:
		return b.System.fail(in, "what it finds in a flag that it writes decides what the thread does")
	case c.never:
		e.what = nothing
	default:
		e.op.Compare, e.op.Count = c.how, c.with
		b.out.Waits[int32(e.at())] = true
	}
	return nil
}

// maxWaits is after how many rounds a loop that waits has to be what it was in one before: it may count them, and give up.
const maxWaits = 64

// waitsFor tries what a thread does with each number that a flag may hold, in each state that it comes to a round of its loop in.
func (b *builder) waitsFor(t int, e *event, in *ir.Inst, values []int64) (c comparison, err error) {
	var to *effect
	waits := map[int64]bool{} // by number
	rounds := [][]int64{e.entered}
	for k := 0; k < len(rounds); k++ {
		for _, v := range values {
			if b.tried++; b.tried > maxTried {
				return c, b.System.fail(in, "what is waited for is not found out: a flag may hold too many numbers")
			}
			after, err := b.with(t, rounds[k], e, v)
			if err != nil {
				return c, err
			}
			again := e.op.Kind.Polls() && b.again(rounds[k], after.own)
			if want := int64(e.op.Value); e.op.Kind == protocol.FlagSwap {
				if again {
					want = v
				}
				if !after.flag.known() || after.flag.n != want {
					return c, b.System.fail(in, "what it does to a flag is not followed")
				}
			}
			switch before, tried := waits[v]; {
			case tried && again != before:
				return c, b.System.fail(in, "how often a thread looks at a flag decides whether it goes on")
			case !again && to != nil && !after.equal(to):
				return c, b.System.fail(in, "what it finds in a flag decides what the thread does")
			case !again:
				to = after
			case !slices.ContainsFunc(rounds, func(o []int64) bool { return slices.Equal(o, after.own) }):
				if rounds = append(rounds, after.own); len(rounds) > maxWaits {
					return c, b.System.fail(in, "it counts how often it looks at a flag, and may give up")
				}
			}
			waits[v] = again
		}
	}
	goesOn := slices.DeleteFunc(slices.Clone(values), func(v int64) bool { return waits[v] })
	c.never = len(goesOn) == len(values)
	most := values[len(values)-1]
	tries := []comparison{{how: ">="}, {how: "=="}, {how: "<="}, {how: "!="}}
	if e.op.Kind == protocol.FlagSwap { // a lock is free with one number
		tries[0], tries[1] = tries[1], tries[0]
	}
	for _, try := range tries {
		switch {
		case len(goesOn) == 0:
			try = comparison{how: "==", with: int(most + 1)}
		case try.how == "<=":
			try.with = int(goesOn[len(goesOn)-1])
		case try.how == "!=":
			k := slices.IndexFunc(values, func(v int64) bool { return !slices.Contains(goesOn, v) })
			try.with = int(values[max(k, 0)])
		default:
			try.with = int(goesOn[0])
		}
		if !slices.ContainsFunc(values, func(v int64) bool { return try.holds(v) != slices.Contains(goesOn, v) }) {
			try.never = c.never
			return try, nil
		}
	}
	return c, b.System.fail(in, "what is waited for is no comparison with one number")
}

func (c comparison) holds(v int64) bool {
	switch n := int64(c.with); c.how {
	case ">=":
		return v >= n
	case "==":
		return v == n
	case "<=":
		return v <= n
	default:
		return v != n
	}
}

// effect is what a step makes of a thread and of a flag, and what the thread does in it behind the read of the flag.
type effect struct {
	own  []int64
	flag value
	does []event
}

func (o *effect) equal(p *effect) bool {
	return slices.Equal(o.own, p.own) && slices.EqualFunc(o.does, p.does, func(a, b event) bool {
		return a.place == b.place && a.what == b.what && a.of == b.of && a.size == b.size && a.write == b.write && a.strong == b.strong && a.maybe == b.maybe && a.value == b.value && a.named == b.named
	})
}

// with is what a thread is, and does, in a step that finds a number in a flag.
func (b *builder) with(t int, before []int64, e *event, v int64) (*effect, error) {
	l := &b.threads[t]
	events, count := l.events, b.events
	l.events = nil
	defer func() { l.events, b.events = events, count }()
	state := make([]int64, b.System.threads*b.size+b.room)
	own := state[t*b.size : (t+1)*b.size]
	copy(own, before)
	x := b.enter(state, t)
	if err := x.store(e.of.object, e.of.at, e.size, integer(v)); err != nil {
		return nil, err
	}
	err := b.step(state, t)
	if err == nil {
		err = b.failure
	}
	if errors.Is(err, ErrAgain) {
		err = errors.New("what a thread does behind a wait depends on more than what it waits for")
	}
	left, unread := b.enter(state, t).load(e.of.object, e.of.at, e.size, b.kernel.Insts[e.at()].Type)
	return &effect{slices.Clone(own), left, l.events[min(1, len(l.events)):]}, cmp.Or(err, unread)
}

// lanesMeet makes sure that all lanes of a mask meet equally often: a barrier of the protocol waits for lanes that have ended, too.
func (b *builder) lanesMeet() error {
	for first := 0; first < b.System.threads; first += b.block {
		for warp := first; warp < first+b.block; warp += ir.Lanes {
			times, at := map[int64][ir.Lanes]int{}, map[int64]uint32{}
			for t := warp; t < min(warp+ir.Lanes, first+b.block); t++ {
				for _, e := range b.threads[t].events {
					if e.what == named && e.named.ID >= protocol.WarpBarrier {
						n := times[e.of.at]
						n[t-warp]++
						times[e.of.at], at[e.of.at] = n, e.place
					}
				}
			}
			for mask, n := range times {
				for l := range ir.Lanes {
					if mask>>l&1 != 0 && n[l] != n[bits.TrailingZeros64(uint64(mask))] {
						return fmt.Errorf("%s: lanes of its mask end before they come here", b.kernel.Where(&b.kernel.Places[at[mask]]))
					}
				}
			}
		}
	}
	return nil
}

// thread adds a thread to the class of those that do the same. What it does behind where it is stuck is not known: it does not end.
func (b *builder) thread(t int, stuck bool) {
	cta := b.cta(t)
	ops, blocks := []protocol.Op{}, [][]protocol.Access{nil}
	grids := 0
	for k := range b.threads[t].events {
		e := &b.threads[t].events[k]
		site := b.site(e.place)
		switch e.what {
		case access:
			last := len(blocks) - 1
			blocks[last] = append(blocks[last], b.memory(e, site))
			continue
		case nothing:
			continue
		case fence:
			if b.ordersFlag(t, k) {
				continue
			}
			b.p.Fenced = true
			continue
		}
		op := e.op
		op.Site = site
		switch e.what {
		case flag:
			if b.mixed[e.of] { // whatever its compiler makes of it, others may look meanwhile: no race is shown by that
				last := len(blocks) - 1
				a := b.memory(e, site)
				a.Maybe = a.Maybe || !e.strong
				blocks[last] = append(blocks[last], a)
			}
			op.Object = b.words[e.of]
			b.fenced(t, k, &op)
		case named:
			n := barrier{e.named, e.of.at}
			at, met := b.named[n]
			if !met {
				at = len(b.p.Named)
				b.named[n] = at
				b.p.Named = append(b.p.Named, e.named)
			}
			op.Object = at
		case grid:
			if b.ofGrid < 0 {
				b.ofGrid = len(b.p.Flags)
				b.p.Flags = append(b.p.Flags, protocol.Flag{Name: "the barrier of the grid"})
			}
			op.Object, op.Order, op.Count = b.ofGrid, protocol.Barrier, 1
			if op.Kind == protocol.Spin {
				op.Compare, op.Count = ">=", grids*b.System.threads
			} else {
				grids++
			}
		}
		ops, blocks = append(ops, op), append(blocks, nil)
	}
	if stuck {
		b.never(&ops, &blocks)
	}
	key := fmt.Appendf(nil, "%d", cta)
	for _, o := range ops {
		key = fmt.Appendf(key, "|%d %d %d %d %s %s %s %d", o.Kind, o.Object, o.Count, o.Value, o.Compare, o.Order, o.Scope, o.Site)
	}
	for _, block := range blocks {
		key = append(key, '/')
		for _, a := range block {
			key = fmt.Appendf(key, ",%d %t %d %t %t", a.Buffer, a.Write, a.Site, a.Maybe, a.Stored == atomic)
		}
	}
	n, met := b.classes[string(key)]
	if !met {
		b.classes[string(key)] = len(b.p.Classes)
		b.p.Classes = append(b.p.Classes, protocol.Class{CTA: cta, Threads: []int{t % b.block}, Ops: ops, Blocks: blocks})
		return
	}
	class := &b.p.Classes[n]
	class.Threads = append(class.Threads, t%b.block)
	for l, block := range blocks {
		for k := range block {
			a := &class.Blocks[l][k]
			a.Elements = append(a.Elements, block[k].Elements...)
			switch o := block[k].Stored; {
			case a.Stored == o:
			case a.Stored == 0 || o == 0:
				a.Stored = 0
			default:
				a.Stored = protocol.Distinct
			}
		}
	}
}

// never has a thread wait for what does not come: what it does behind where it is stuck is not known.
func (b *builder) never(ops *[]protocol.Op, blocks *[][]protocol.Access) {
	op := protocol.Op{Kind: protocol.Spin, Object: len(b.p.Flags), Compare: "==", Count: 1}
	if len(*ops) > 0 {
		op.Site = (*ops)[len(*ops)-1].Site
	}
	b.p.Flags = append(b.p.Flags, protocol.Flag{Name: "what it waits for"})
	*ops, *blocks = append(*ops, op), append(*blocks, nil)
}

// atomic is Access.Stored of strong accesses: they are in no data race with each other (PTX ISA 8.7.1).
const atomic = 1

// memory is an access of memory that is no flag.
func (b *builder) memory(e *event, site int) protocol.Access {
	of := buffer{e.of.object, -1}
	name := b.objects[e.of.object].name
	if e.of.object == shared {
		of.cta = e.of.owner
		name = fmt.Sprintf("shared memory of CTA %d", e.of.owner)
	}
	n, met := b.buffers[of]
	if !met {
		n = len(b.p.Buffers)
		b.buffers[of] = n
		b.p.Buffers = append(b.p.Buffers, protocol.Buffer{Name: name, CTA: of.cta})
	}
	end := int(e.of.at + e.size)
	b.p.Buffers[n].Elements = max(b.p.Buffers[n].Elements, end)
	a := protocol.Access{Buffer: n, Write: e.write, Site: site, Maybe: e.maybe, Elements: []protocol.Range{{Lo: int(e.of.at), Hi: end}}}
	switch {
	case e.strong:
		a.Stored = atomic
	case e.write && e.value.known():
		if b.stored[e.value.n] == 0 {
			b.stored[e.value.n] = len(b.stored) + atomic + 1
		}
		a.Stored = b.stored[e.value.n]
	}
	return a
}

func (b *builder) site(place uint32) int {
	n, met := b.sites[place]
	if met {
		return n
	}
	n = len(b.p.Sites)
	b.sites[place] = n
	at := &b.kernel.Places[place]
	s := protocol.Site{Path: at.Path, Line: at.Line, Text: b.written(at)}
	if s.Line == 0 && b.kernel.File != nil {
		s.Path, s.Line = b.kernel.File.Name, b.kernel.File.Position(at.Span.Start).Line
	}
	if at.From.End > 0 && b.kernel.File != nil {
		if call := b.kernel.File.Position(at.From.Start).Line; call != s.Line || s.Path != b.kernel.File.Name {
			s.From = call
		}
	}
	b.p.Sites = append(b.p.Sites, s)
	return n
}

// fenced makes an operation on a flag a release, or an acquire, if a fence is right before, or behind it (PTX ISA 8.8): nothing is accessed in between.
func (b *builder) fenced(t, k int, op *protocol.Op) {
	if op.Order != "relaxed" {
		return
	}
	step, order, farther := -1, "release", b.threads[t].events[:k]
	if op.Kind.Polls() {
		step, order, farther = 1, "acquire", b.threads[t].events[k:]
	}
	if f := b.fenceAt(t, k, step); f != nil {
		op.Order, op.Scope = order, narrower(op.Scope, f.op.Scope)
	} else if slices.ContainsFunc(farther, func(e event) bool { return e.what == fence }) { // it is a release, or an acquire, of what is beyond that
		b.p.Beyond = true
	}
}

// fenceAt is the next fence before, or behind, an operation, with nothing but fences and flags in between.
func (b *builder) fenceAt(t, k, step int) *event {
	events := b.threads[t].events
	for k += step; k >= 0 && k < len(events); k += step {
		switch e := &events[k]; e.what {
		case fence:
			return e
		case flag, nothing:
		default:
			return nil
		}
	}
	return nil
}

// ordersFlag reports whether all that a fence orders is in the operation on a flag next to it.
func (b *builder) ordersFlag(t, k int) bool {
	events := b.threads[t].events
	next := func(step int) *event {
		for n := k + step; n >= 0 && n < len(events); n += step {
			if e := &events[n]; e.what == flag {
				return e
			} else if e.what != fence && e.what != nothing {
				return nil
			}
		}
		return nil
	}
	behind, before := next(1), next(-1)
	return behind != nil && !behind.op.Kind.Polls() || before != nil && before.op.Kind.Polls()
}

func narrower(a, b string) string {
	scopes := []string{"cta", "cluster", "gpu", "sys"}
	if slices.Index(scopes, a) < slices.Index(scopes, b) {
		return a
	}
	return b
}
