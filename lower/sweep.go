package lower

import (
	"fmt"
	"maps"
	slash "path"
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// sweep lowers a kernel for every combination of values of its run-time unknowns.
type sweep struct {
	l             *lowering
	k             *Kernel
	fn            *program.Function
	la            *launch
	unknowns      map[string]*unknown
	order         []string           // of the unknowns, as they were met
	asked         *combination.Asked // the combinations lowered so far
	precedents    precedents         // of groups in these
	pairs         combination.Pairs
	covered       string          // what a set of combinations covers, where it is not all of them
	dearest       int             // the most steps that one of them took
	easiest       int             // the fewest
	sampled       int             // combinations
	peeks         map[asker]bool  // who asks where, and whether an answer is ever used
	flags         map[string]bool // global blocks found to be flags
	carriers      map[string]bool // blocks of shared memory whose values are followed
	lost          map[string]string
	lostShared    map[string]string // those of lost that are shared memory
	supposed      map[string]string
	claims        map[string]*memory.Claimed // what CTAs do with global memory, by the values of the launch
	assumed       map[string]assumption
	reached       map[*program.Function]bool
	ctas          int
	waitsForGrids bool  // some thread may wait for the kernels before this one
	depth         int64 // stages of the longest ring of mbarriers
	flights       int64 // most groups of copies in flight where a thread waits for some
	turns         map[string]turn
	long          string    // what was searched once, beyond the values of the combinations
	full          bool      // zero was left out where a tensor map has no zero
	failed        bool      // evaluation could not go on: no other combination is tried
	none          bool      // the kernel refuses the combination that was lowered last
	last          *instance // the combination lowered last
	floor         int       // the fuel that is left to other configurations
	watcher       *watcher  // of a run that is watched
	dirty         bool      // something turned out about a block or unknown: everything lowered so far is out of date
}

func newSweep(l *lowering, k *Kernel, fn *program.Function, la *launch) *sweep {
	return &sweep{l: l, k: k, fn: fn, la: la, unknowns: map[string]*unknown{}, flags: map[string]bool{}, carriers: map[string]bool{}, pairs: combination.Pairs{}, claims: map[string]*memory.Claimed{}, turns: map[string]turn{}, precedents: precedents{}, floor: l.fuel / 4}
}

// anew is a sweep that starts again with what was found out. The sets are shared: what the new one finds out is known to
// the old one, too.
func (w *sweep) anew() *sweep {
	out := newSweep(w.l, w.k, w.fn, w.la)
	out.flags, out.carriers, out.precedents, out.floor = w.flags, w.carriers, w.precedents, w.floor
	return out
}

// repeat lowers the combination that another sweep came to last.
func (w *sweep) repeat(values map[string]int64) {
	w.sample(func(n combination.Need) int64 {
		w.meet(n)
		if v, ok := values[n.Key]; ok && slices.Contains(w.options(n.Key), v) {
			return v
		}
		return w.middle(n.Key)
	})
}

const (
	// maxCluster is the most CTAs a cluster may have (CUDA Programming Guide, thread block clusters: more than 8 only where
	// the kernel asks for it, 16 on the largest devices).
	maxCluster = 16
	// maxGrid bounds the CTAs of a grid that wait for each other: one an SM, as persistent kernels are launched, on the
	// devices that these are written for (132 SMs on an H100, 148 on a B200).
	maxGrid = 160
)

// run lowers the kernel for one combination of values.
func (w *sweep) run(choose func(combination.Need) int64) *instance {
	in := w.l.newInstance(w.l.fixedArguments(w.la, w.la.given()), w.la)
	in.flagBlocks, in.choose, in.carriers, w.none = w.flags, w.fitting(in, choose), w.carriers, false
	w.place(in)
	classes, again := w.groups(in)
	if w.l.brief && w.l.fuel < 0 && w.sampled > 0 {
		w.k.cut, w.dirty, w.failed = true, false, true
		return in
	}
	in.loseStrays()
	in.loseOverlaps()
	in.settlePlaces(classes)
	if classes != nil && len(in.flagBlocks) == 0 { // what flags order may be written by others
		in.readOnly()
	}
	w.note(in)
	w.answer(in)
	w.last = in
	w.dirty, w.failed = again, classes == nil && !w.none
	if classes == nil {
		return in
	}
	if w.outside(in) || w.hollow(in) {
		w.none = true
		return in
	}
	if why := w.unlikeInquiries(classes); why != "" {
		w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.Operation.Says(why)})
	}
	w.claim(in)
	w.alone(in)
	w.storesAstray(in)
	w.overMbarriers(in, classes)
	w.turn(in, classes)
	w.uneven(in, classes)
	w.countPeeks(classes)
	w.unreadStores(in, classes)
	w.notFreed(in)
	w.unfencedStores(in, classes)
	w.unfencedOperands(in, classes)
	w.meetings(in, classes)
	w.started(in, classes)
	w.weakly(in, classes)
	w.pipelined(classes)
	if p := w.protocol(in, classes); p != nil {
		w.k.Instances = append(w.k.Instances, p)
	}
	return in
}

// outside reports whether the values make the block one that the grid does not have. An empty grid has none: it cannot be
// launched. Where its extent divides by what was given as zero, the values have to be others.
func (w *sweep) outside(in *instance) (yes bool) {
	m := &machine{in: in, host: true}
	w.l.protect(func() {
		for i, e := range w.la.extent {
			if size, ok := e.(value.Symbol); ok && i < 3 {
				n, missing := m.worth(size.Expr, false)
				yes = yes || missing == nil && in.values["block_idx."+string("xyz"[i])] >= n
			}
		}
	}, func(signal any) {
		if _, again := signal.(restart); again {
			w.dirty, yes = true, true
		}
	})
	return yes
}

// place decides which CTAs the model has: the cluster, or, where CTAs talk through flags, a few of the grid.
func (w *sweep) place(in *instance) {
	in.spread = "x"
	if len(in.flagBlocks) > 0 && !in.cluster {
		in.ctas = 2
		if g := in.grid[0] * max(1, in.grid[1]) * max(1, in.grid[2]); g >= 1 && g <= maxGrid && in.grid[0] == g {
			in.ctas = int(g)
		} else {
			w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.TooLarge.Says("CTAs of the grid wait for each other; the grid is not a small constant, so only 2 CTAs are modelled")})
		}
	}
	if in.cluster && len(in.flagBlocks) > 0 && in.grid[0]*in.grid[1]*in.grid[2] != int64(in.ctas) {
		w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.TooLarge.Says("clusters of the grid wait for each other; one cluster is modelled")})
	}
	if in.cluster && in.ctas > maxCluster {
		w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.TooLarge.Sayf("a cluster of %d CTAs is larger than the %d that are modelled", in.ctas, maxCluster)})
		in.ctas = maxCluster
	}
	w.ctas = in.ctas
}

// refused notes that the kernel raises an exception while it is traced. With values for its unknowns, these values
// belong to no kernel; without, there is none.
func (w *sweep) refused(in *instance, r raised) {
	line := r.file.Source.Position(r.span.Start).Line
	if len(in.values) > 0 {
		w.k.refused, w.k.refusedAt, w.none = in.blamed, line, true
		at := fmt.Sprintf("%s:%d", slash.Base(r.file.Source.Name), line)
		in.assumed[fmt.Sprintf("combinations that %s refuses (%s) do not occur", at, r.describe())] = inWords
		if !slices.Contains(w.k.refusals, at) {
			w.k.refusals = append(w.k.refusals, at)
		}
		return
	}
	in.noteOpaque(r.file, r.span, limit.LaunchPath.Says("raises "+r.describe()), true)
}

// note carries what a run found out over to the kernel.
func (w *sweep) note(in *instance) {
	for _, o := range in.opaques {
		w.k.opaque(o)
	}
	w.k.Unread = w.k.Unread || in.unread
	for _, u := range in.undefineds {
		w.k.undefined(u)
	}
	if w.lost == nil {
		w.lostShared = map[string]string{}
		w.lost, w.supposed, w.reached, w.assumed = map[string]string{}, map[string]string{}, map[*program.Function]bool{}, map[string]assumption{}
	}
	w.waitsForGrids = w.waitsForGrids || in.waitsForGrids
	maps.Copy(w.assumed, in.assumed)
	maps.Copy(w.lost, in.lost)
	if why := in.blind(); why != "" {
		w.lostShared[tensorMemory] = why
	}
	if at := in.unplaced; at != nil {
		w.lostShared["shared memory"] = fmt.Sprintf("accessed by an asynchronous operation at a place that is not followed, at %s:%d", at.Path, at.Line)
	}
	for _, b := range in.blocks {
		if why, ok := in.lost[b.Name]; ok && b.Shared && b.Name != Activity {
			w.lostShared[b.Name] = why
		}
	}
	maps.Copy(w.supposed, in.supposed)
	maps.Copy(w.reached, in.reached)
	w.depth, w.flights = max(w.depth, in.rings()), max(w.flights, in.flights)
}

// newMachine is a machine for a group of threads. The file's top level is evaluated once a lowering.
func (l *lowering) newMachine(in *instance) *machine {
	m := &machine{in: in, fuel: maxFuel, blocks: [][]protocol.Access{nil}, allocs: map[allocKey]int{}, waits: map[string]int{}}
	l.ready(l.main)
	m.enter(l.main)
	m.fuel = min(m.fuel, l.most)
	return m
}

// hostMachine is a machine that runs host code; it is in no module yet.
func (l *lowering) hostMachine() *machine {
	return &machine{in: l.newInstance(map[string]int64{}, &launch{}), fuel: maxFuel, blocks: [][]protocol.Access{nil}, allocs: map[allocKey]int{}, waits: map[string]int{}, host: true}
}

// module evaluates the running module's top level: constants, functions, classes. A definition that cannot be
// evaluated leaves its names unknown and does not stop the others.
func (m *machine) module() {
	for _, st := range m.file.Body {
		m.in.low.protect(func() { m.exec(st, m.globals) }, func(any) {})
		a, ok := st.(*program.Assign)
		if !ok {
			continue
		}
		for _, t := range a.Targets {
			if id, ok := t.(*program.Name); ok {
				if l, ok := m.globals.Vars[id.Ident]; ok && value.IsInteger(value.Untyped(l.Get())) {
					m.in.low.settable.Note(id.Ident, false)
				}
				if v, set := m.in.setting(id.Ident); set {
					m.globals.Declare(id.Ident, v)
				}
			}
		}
	}
	for _, f := range m.file.Functions {
		if _, ok := m.globals.Vars[f.Name]; !ok && f.Class == nil && f.Outer == nil {
			m.globals.Declare(f.Name, &value.Closure{Fn: f, Env: m.globals, Mod: m.mod})
		}
	}
}

// guard runs work on a host machine of its own; what it cannot evaluate ends it quietly, or in the handler.
func (l *lowering) guard(work func(*machine), handlers ...func(*machine, any)) {
	m := l.newMachine(l.newInstance(map[string]int64{}, &launch{}))
	m.host = true
	l.protect(func() { work(m) }, func(r any) {
		for _, h := range handlers {
			h(m, r)
		}
	})
}

// protect recovers the evaluator's own signals; anything else is a defect and goes on up.
func (l *lowering) protect(work func(), signal func(any)) {
	defer func() {
		if r := recover(); r != nil {
			switch r.(type) {
			case combination.Need, restart, split, opaque, launched, raised, again, memory.Later, memory.Undelivered, ended, exits:
				signal(r)
			default:
				panic(r)
			}
		}
	}()
	work()
}

// body evaluates the kernel with the launch's arguments.
func (m *machine) body(fn *program.Function, la *launch) {
	m.in.visited(fn)
	m.in.low.entered[fn] = true
	la = la.clone()
	s := value.NewScope(m.globals, true)
	params := fn.Params
	if la.self != nil && len(params) > 0 {
		s.Declare(params[0].Name, la.self)
		params = params[1:]
	} else if fn.Class != nil && len(params) > 0 && !static(fn) {
		m.host = true
		self := m.instance(m.classNamed(fn.Class), &value.Arguments{}, program.Place{Span: fn.Span})
		m.host = false
		s.Declare(params[0].Name, self)
		params = params[1:]
	}
	for i, p := range params {
		v := la.keywords[p.Name]
		if i < len(la.args) {
			v = la.args[i]
		} else if v == nil {
			v = m.parameter(p, s)
		}
		m.in.pointsTo(v)
		s.Declare(p.Name, v)
	}
	annotated(params, s)
	m.in.low.protect(func() {
		c, _ := m.run(fn.Body, s)
		_, last := fn.Body[len(fn.Body)-1].(*program.Return)
		m.left = c == returns && !last
	}, func(signal any) {
		if _, over := signal.(exits); !over {
			panic(signal)
		}
		m.left = true
	})
}

// exits ends the threads at hand.
type exits struct{}

// Extents of tensor maps may be worked out from several unknowns: the heads of Q for one of K. There is no tensor map with
// an empty extent (launch.fill), so values that go together badly are no launch.

// hollow reports whether an extent of a tensor map, worked out from unknowns that each are something, comes to nothing: one
// head for every pair of two heads. There is no such tensor map (launch.fill), so the kernel is not launched, unless it
// provides for no work at all.
func (w *sweep) hollow(in *instance) bool {
	m := &machine{in: in, host: true}
	for _, e := range w.la.extents {
		open := slices.ContainsFunc(value.Leaves(e, nil), func(l *value.Expr) bool {
			key := l.String()
			if of, ok := in.same[key]; ok {
				key = of
			}
			_, known := in.values[key]
			return !known || l.Op != "" || w.l.provided[key]
		})
		if open {
			continue
		}
		if n, ok := m.evaluate(e).(value.Int); ok && n < 1 {
			w.full = true
			return true
		}
	}
	return false
}

// fitting chooses as choose does, but for values with which an extent of a tensor map would be empty: another value of the
// unknown is taken then, where one will do.
func (w *sweep) fitting(in *instance, choose func(combination.Need) int64) func(combination.Need) int64 {
	if len(w.la.extents) == 0 {
		return choose
	}
	return func(n combination.Need) int64 {
		v := choose(n)
		defer in.take(n.Key)
		if in.give(n.Key, v); !w.hollow(in) {
			return v
		}
		w.meet(n)
		for _, other := range w.options(n.Key) {
			if in.give(n.Key, other); !w.hollow(in) {
				return other
			}
		}
		return v
	}
}
