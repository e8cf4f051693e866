// Package lower turns kernels into bounded protocols by partial evaluation: the host side is run up to the launch,
// then the kernel body once for every group of threads that does the same. What remains of a group is a straight
// line of synchronization operations with its real counts.
//
// Run-time unknowns (trip counts, flags of the launch) are uninterpreted symbols: equal canonical expressions are one
// unknown for all threads. Each assignment of values within the printed bounds gives one protocol.
package lower

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/gap"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cutedsl"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Options steer the lowering.
type Options struct {
	Set          map[string]string // constants that replace the file's own: --set THREADS=4
	Settable     *Settable         // what could be set, and was; may be nil
	Context      context.Context   // ends evaluation; may be nil
	Time         time.Duration     // that the evaluation of a kernel may take; 0: steps alone bound it
	MaxInstances int               // combinations of run-time values at most; 0 means 64
	// Load gives another file of the scanned tree by its name, for imports; nil where there is none. May be nil.
	Load     func(name string) *program.File
	Only     func(*program.Function) bool // the kernels to lower; nil: all
	Activity bool                         // asks for accesses to the pseudo buffer Activity
	// AllRounds lets Kernel.Instance take as long as it takes; else it gives up where its answers would be dear.
	AllRounds bool
	// States is how many states the search of a kernel may have, 0 for as many as it takes: where that is little, so is what
	// Kernel.Instance may cost.
	States int
	// Separate reports whether generations of one named barrier surely never overlap, those with different counts included. If
	// not, met is where threads with different counts may meet in one, nil where no execution shows that.
	// May be nil: then only what the program text shows counts.
	Separate func(p *protocol.Protocol) (apart bool, met *Undefined)
}

// Kernel is one kernel and what became of it.
type Kernel struct {
	Name       string
	Config     string // the options that are not as in the default configuration, "" for the default
	Asked      bool   // the host code that was found launches it in this configuration
	Function   *program.Function
	Path       string
	Line       int
	Instances  []*protocol.Protocol // one for each combination of run-time values
	Bounds     map[string]string    // what the instances cover: "threads" → "128", "k_tiles" → "0, 1, 2, 3"
	Opaque     []Opaque             // what could not be modelled; with any of these no verdict is better than inconclusive
	Untried    []Opaque             // what loops do only after more rounds than are tried: gaps, unless every number of rounds is proved
	Gaps       []Opaque             // what no combination and no configuration reaches, and what a protocol does not know: nothing holds, what is found stays
	Closes     []Opaque             // of a configuration: gaps of those before it that are none if it is decided
	Rounds     []string             // the unknowns of Bounds that say how often loops go round
	Static     []string             // the unknowns of Bounds that are constants of the compiled kernel
	Numbers    []string             // that stand for what nothing gives: "tile_mn[1] = 64"
	MadeUp     []string             // options that no host code gives: "config = Config with its defaults"
	Supposed   map[string]string    // of buffers: a width that is assumed, and that says what overlaps there
	Lost       []string             // shared memory of which not every access is modelled, with the reason: nothing shows that nobody races on it
	Open       []finding.Open       // what of the properties beside the verdict is not shown (finding.Beside)
	Alone      *finding.Open        // where it works with its cluster, which is of one CTA by a default; nil elsewhere
	Undefined  []Undefined          // what it does that has no defined meaning
	Partials   []Partial            // what goes wrong in the parts that are modelled, whatever the others are
	Spans      []finding.Location   // the kernel and the functions of the file it reaches
	Mechanisms []string             // what it synchronizes with, by its text
	Elapsed    time.Duration        // that lowering took
	refused    map[string]bool      // what the check that no combination passes speaks of; nil where one passes
	refusedAt  int                  // its line
	refusals   []string             // places that refuse some combinations: "k.py:12"
	family     *family              // lowers other combinations; nil where nothing is to be said of them
	separated  bool                 // Options.Separate was needed, or lanes exit ahead of others: what is said of its instances holds for these only
	Unread     bool                 // a function is called of which nothing is known: from there on anything may have happened
	cut        bool                 // of a configuration: the steps did not do for the combinations that there should be
}

// Undefined is a place where a thread does what the PTX manual leaves undefined, whatever the others do. No engine is
// needed to tell; none can go on from there.
type Undefined struct {
	Rule  string // that tells it
	Site  protocol.Site
	Last  int             // the last line of the statement, 0 where it is not known
	What  string          // "threads 0-31 of CTA 0 wait on the cluster barrier without having arrived"
	Alone bool            // it is so whatever else the kernel does that is not in the model
	Whole bool            // something that is missing is meant: nothing of the kernel may be left out of the model
	Doubt bool            // hardware may let it pass: no more than a warning
	Mild  bool            // the manual warns of it, and kernels do it on purpose: no more than a note
	With  []protocol.Site // the operations that it does not go together with; Text says what they do
}

// Opaque is a place where evaluation could not tell what happens.
type Opaque struct {
	Path string
	Line int
	Why  limit.Reason
}

func (o Opaque) String() string { return fmt.Sprintf("%s:%d: %s", o.Path, o.Line, o.Why.Text) }

// lowering is the work on one file.
type lowering struct {
	file       *program.File
	table      *dialect.Table
	set        map[string]int64
	settable   *Settable
	typeMaps   map[*program.File]map[string]string
	main       *value.Module
	load       func(name string) *program.File
	modules    map[sought]*value.Module                // nil: not found
	byFile     map[string]*value.Module                // by file name
	traced     map[*program.File]map[program.Stmt]bool // statements of functions that the DSL traces
	methods    map[string][]callee
	polling    map[*program.While]bool
	asking     map[*program.Function]lookup // how functions look something up
	pollsOf    int                          // number of modules polling was found with
	loaded     int                          // files of the tree that imports pulled in
	effects    map[string]dialect.Effect    // of functions of libraries, by their full names
	relevant   map[relevant]relevance
	silence    gap.Silence
	relevantOf int // number of modules relevant was found with

	computing   map[*program.Function]bool // whether it only computes (computed.go)
	computingOf int                        // number of modules that was found with
	inlined     map[*program.Call]*program.Asm
	operations  map[*program.Call]*dialect.Op // nil: it is none
	renamings   map[renaming]renamed
	computed    map[computedText]*program.Asm
	concrete    map[*program.For]bool // loops that do more than compute with registers
	targets     map[program.Node]string
	named       map[*program.File]bool // files whose allocations are in targets
	max         int
	activity    bool // Options.Activity
	allRounds   bool // Options.AllRounds
	states      int  // Options.States
	separate    func(*protocol.Protocol) (bool, *Undefined)
	fuel        int  // evaluation steps left for the kernel at hand
	most        int  // steps that a group may take
	brief       bool // of a configuration that is not the default, a few combinations will do
	clock       clock
	hinted      map[string]int64 // what the host side is to assume (repair.go)
	passing     passing          // which launch of the kernel a run of the host side is for
	probing     bool             // numbers that are options are unknowns of the host side
	blamed      map[string]bool  // what the check of the host side speaks of that failed last
	discoveries
	gaps
	routes
}

// Kernels lowers every kernel of a file of CuTe DSL.
func Kernels(f *program.File, t *dialect.Table, opt Options) []*Kernel {
	l := newLowering(f, t, opt)
	var out []*Kernel
	for _, fn := range f.Functions {
		if fn.Kernel && (opt.Only == nil || opt.Only(fn)) {
			out = append(out, l.configurations(fn)...)
		}
	}
	return out
}

func newLowering(f *program.File, t *dialect.Table, opt Options) *lowering {
	l := &lowering{file: f, table: t, set: map[string]int64{}, settable: opt.Settable, main: newModule("", f), load: opt.Load, modules: map[sought]*value.Module{}, byFile: map[string]*value.Module{}, traced: map[*program.File]map[program.Stmt]bool{}, methods: map[string][]callee{},
		typeMaps: map[*program.File]map[string]string{}, silence: gap.Silence{}, effects: map[string]dialect.Effect{}, inlined: map[*program.Call]*program.Asm{}, operations: map[*program.Call]*dialect.Op{}, renamings: map[renaming]renamed{}, computed: map[computedText]*program.Asm{}, concrete: map[*program.For]bool{}, targets: map[program.Node]string{}, hinted: map[string]int64{}, named: map[*program.File]bool{}, max: opt.MaxInstances, activity: opt.Activity, allRounds: opt.AllRounds, states: opt.States, separate: opt.Separate, discoveries: newDiscoveries(), gaps: newGaps(), most: maxFuel, clock: clock{ctx: opt.Context, limit: opt.Time}}
	if l.max <= 0 {
		l.max = 64
	}
	for k, v := range opt.Set {
		if n, err := strconv.ParseInt(v, 0, 64); err == nil {
			l.set[k] = n
		}
	}
	l.byFile[f.Source.Name] = l.main
	l.index(l.main)
	return l
}

// types maps the names a file declares to their types. A name declared with two types has none.
func (l *lowering) types(f *program.File) map[string]string {
	types, ok := l.typeMaps[f]
	if ok {
		return types
	}
	types = map[string]string{}
	l.typeMaps[f] = types
	add := func(name, typ string) {
		if old, ok := types[name]; ok && old != typ {
			typ = ""
		}
		types[name] = typ
	}
	decl := func(a *program.Assign) {
		for _, t := range a.Targets {
			if id, ok := t.(*program.Name); ok && a.Decl && a.Type != "auto" {
				add(id.Ident, a.Type)
			}
		}
	}
	for _, fn := range f.Functions {
		for _, p := range fn.Params {
			add(p.Name, strings.TrimRight(p.Type, "&* "))
		}
		program.WalkStmts(fn.Body, func(s program.Stmt) bool {
			if a, ok := s.(*program.Assign); ok {
				decl(a)
			}
			return true
		})
	}
	for _, c := range f.Classes {
		for _, a := range c.Fields {
			decl(a)
		}
	}
	return types
}

func (l *lowering) typeOf(f *program.File) func(program.Expr) string {
	return (&instance{low: l}).typeOf(f)
}

func (l *lowering) inlineCall(c *program.Call) (*program.Asm, bool) {
	if a, ok := l.inlined[c]; ok {
		return a, a != nil
	}
	a, ok := cutedsl.InlineCall(c)
	if !ok {
		a = nil
	}
	l.inlined[c] = a
	return a, ok
}

// allocName is the variable an allocation is assigned to, or a name made from its line.
func (l *lowering) allocName(f *program.File, n program.Node) string {
	if !l.named[f] {
		l.named[f] = true
		for _, fn := range f.Functions {
			program.WalkStmts(fn.Body, func(s program.Stmt) bool {
				if a, ok := s.(*program.Assign); ok && a.Value != nil && len(a.Targets) == 1 {
					switch t := a.Targets[0].(type) {
					case *program.Name:
						l.targets[a.Value] = t.Ident
					case *program.Attr:
						l.targets[a.Value] = t.Name
					}
				}
				return true
			})
		}
	}
	if name, ok := l.targets[n]; ok {
		return name
	}
	return "smem@" + strconv.Itoa(f.Source.Position(n.Where().Start).Line)
}

func (l *lowering) newInstance(values map[string]int64, la *launch) *instance {
	in := &instance{low: l, values: values, epoch: epochs.Add(1), ctas: 1, launched: la.host || la.cluster[0] > 0, chosen: la.chosen, block: la.block, grid: la.grid, clus: la.cluster,
		flagBlocks: map[string]bool{}, params: map[string]bool{},
		initsBy: map[initSite]int64{}, mbarKey: map[objectKey]int{}, warpBars: map[warpKey]int{}, exchanges: map[int]int64{}, flagKey: map[objectKey]int{}, bufKey: map[objectKey]int{}, siteKey: map[protocol.Site]int{},
		blocks: map[string]*value.Block{}, drawn: map[string]int64{}, same: la.same, lost: map[string]string{}, supposed: map[string]string{}, written: map[string]bool{}, territory: memory.Territory{}, owned: map[string]*memory.Ownership{}, counted: map[int]bool{}, assumed: map[string]assumption{}, guesses: newGuesses(), reached: map[*program.Function]bool{}}
	in.post, in.passed = newPost(), map[program.Stmt]bool{}
	if la.hints != nil {
		in.hints, in.types = la.hints, la.types
	}
	for i := range in.block {
		in.block[i] = max(1, in.block[i])
		in.clus[i] = max(1, in.clus[i])
	}
	in.taken, in.arguments = la.values, la.passed
	if n := in.clus[0] * in.clus[1] * in.clus[2]; n > 1 {
		in.ctas, in.cluster = int(n), true
	}
	return in
}

// Assume notes among the bounds what is taken for granted.
func (k *Kernel) Assume(what string) {
	if old := k.Bounds["assumed"]; old != "" {
		what = old + "; " + what
	}
	k.Bounds["assumed"] = what
}

// startOver forgets what was lowered.
func (k *Kernel) startOver(opaque []Opaque) {
	k.Opaque, k.Instances, k.Gaps, k.Partials, k.Undefined, k.Open, k.Alone, k.Unread, k.cut = slices.Clone(opaque), nil, nil, nil, nil, nil, nil, false, false
}

// lowered lowers one kernel as it is launched, for every combination of run-time values within the bounds.
func (l *lowering) lowered(fn *program.Function, la *launch, why *Opaque) *Kernel {
	start := time.Now()
	k := &Kernel{Name: fn.Qualified, Function: fn, Path: l.file.Source.Name, Line: l.file.Source.Position(fn.NameSpan.Start).Line, Bounds: map[string]string{}}
	l.discoveries = newDiscoveries()
	if la.block[0] <= 0 {
		la.block, la.guessed = [3]int64{128, 1, 1}, true
		k.opaque(Opaque{k.Path, k.Line, limit.LaunchShape.Says("the launch shape is not in this file; 128 threads a CTA are assumed")})
		if why != nil {
			k.opaque(Opaque{why.Path, why.Line, limit.LaunchPath.Says("on the way to the launch: " + why.Why.Text)})
		}
	}
	shape := slices.Clone(k.Opaque)
	late := kernelFuel / 2 // for what turns out when the steps are all but used up
	if l.most = maxFuel; len(shape) > 0 {
		l.most, l.fuel, late = hopelessMax, min(l.fuel, hopelessFuel), 0
	}
	run := newSweep(l, k, fn, la)
	for run.all(); run.dirty || l.reachFarther(run); run.all() {
		if l.fuel < kernelFuel/8 && !l.brief {
			l.fuel, late = l.fuel+late, 0
		}
		// Each round has found out something more, so this ends. What turns out late is looked for first where it did.
		for next := run.anew(); run.sampled > 1; next = next.anew() {
			k.startOver(shape)
			if next.repeat(run.last.values); !next.dirty {
				break
			}
		}
		k.startOver(shape)
		run = run.anew()
	}
	if len(k.Instances) > 0 || len(k.Opaque) > 0 {
		k.refused = nil
	} else if k.cut {
		k.opaque(Opaque{k.Path, k.Line, limit.Size.Says("the steps that are left for it are used up before any combination of run-time values is evaluated")})
	} else {
		k.opaque(Opaque{k.Path, k.Line, limit.LaunchPath.Says("every combination of run-time values raises an error")})
	}
	if k.family = run.family(); k.separated {
		k.family = nil
	}
	l.gaps.note(run)
	if !l.brief {
		rounds, values := l.untriedRounds()
		k.Untried, k.Gaps = rounds, append(k.Gaps, values...)
	}
	run.dependent()
	run.unusedPeeks()
	l.widths(k)
	outcomes := attempts{}
	for name, u := range run.unknowns {
		if values := u.values(); values != "" && !outcomes.add(name, values) { // none is tried where evaluation ends before
			k.Bounds[name] = values
		}
		if l.rounds[name] && !u.Need.Boolean && !l.position(name) {
			k.Rounds = append(k.Rounds, name)
		}
		if l.static[name] {
			k.Static = append(k.Static, name)
		}
	}
	slices.Sort(k.Rounds)
	maps.Copy(k.Bounds, outcomes.bounds())
	if run.covered != "" {
		k.Bounds["combinations"] = fmt.Sprintf("%d of %s: %s", run.sampled, run.total(), run.covered)
	}
	if run.long != "" {
		k.Bounds["searched once"] = run.long
	}
	k.Bounds["threads"] = strconv.FormatInt(max(1, la.block[0])*max(1, la.block[1])*max(1, la.block[2]), 10)
	if la.limit != "" {
		k.Bounds["threads"] += " (the most that " + la.limit + " allows)"
	}
	maps.Copy(run.assumed, la.assumed)
	if run.full {
		run.assumed["tensors that TMA copies have no empty extent"] = inWords
	}
	for _, a := range slices.Sorted(maps.Keys(run.assumed)) {
		switch k.Assume(a); run.assumed[a] {
		case asNumber:
			k.Numbers = append(k.Numbers, a)
		case madeUp:
			k.MadeUp = append(k.MadeUp, a)
		}
	}
	if run.ctas > 0 {
		k.Bounds["ctas"] = strconv.Itoa(run.ctas)
	}
	if len(run.carriers) > 0 {
		k.Bounds["values followed through"] = strings.Join(slices.Sorted(maps.Keys(run.carriers)), ", ")
	}
	k.Supposed = run.supposed
	all, parts := k.tracked()
	k.Bounds["races searched on"] = all
	if parts != "" {
		k.Bounds["parts of unknown place"] = parts + " (compared only with accesses of the whole)"
	}
	if len(run.lost) > 0 {
		k.Bounds["races not searched on"] = strings.Join(sortedLost(run.lost), "; ")
	}
	k.Lost = sortedLost(run.lostShared)
	if open, crossed := run.crossed(); crossed {
		k.leave(open)
	}
	if open, lost := run.lostWrite(); lost {
		k.leave(open)
	}
	reached := l.mayReach(fn)
	if len(k.Opaque) == 0 { // else evaluation may have stopped before it came to some
		reached = run.reached
	}
	k.Spans = l.spans(reached)
	k.Mechanisms, k.Elapsed = l.mechanisms(fn), time.Since(start)
	return k
}

func (k *Kernel) opaque(o Opaque) {
	if !slices.Contains(k.Opaque, o) {
		k.Opaque = append(k.Opaque, o)
	}
}

// mayReach are the functions at hand that a kernel may call, by their names.
func (l *lowering) mayReach(fn *program.Function) map[*program.Function]bool {
	out := map[*program.Function]bool{fn: true}
	queue := []callee{{fn, l.main}}
	for ; len(queue) > 0; queue = queue[1:] {
		mod := queue[0].mod
		program.Walk(&program.Block{Body: queue[0].fn.Body}, func(n program.Node) bool {
			c, ok := n.(*program.Call)
			if !ok {
				return true
			}
			found := l.callees(mod, c)
			if len(found) == 0 { // an object that is called
				found = of(mod, "operator()")
			}
			for _, f := range found {
				if !out[f.fn] {
					out[f.fn] = true
					queue = append(queue, f)
				}
			}
			return true
		})
	}
	return out
}

func (l *lowering) spans(reached map[*program.Function]bool) []finding.Location {
	var out []finding.Location
	for _, key := range slices.Sorted(maps.Keys(l.byFile)) {
		mod := l.byFile[key]
		if mod == nil || mod.File == nil || mod.Library {
			continue
		}
		src := mod.File.Source
		for _, fn := range mod.File.Functions {
			if reached[fn] {
				from, to := src.Position(fn.Span.Start), src.Position(fn.Span.End)
				out = append(out, finding.Location{Path: src.Name, Line: from.Line, Column: from.Column, EndLine: to.Line, EndColumn: to.Column})
			}
		}
	}
	return out
}

// Steps bound what evaluation may take, so that a file gives the same answer on every machine. Who gives a limit of time wants
// an answer by then, whichever it is.

// clock ends the evaluation of a kernel.
type clock struct {
	ctx   context.Context // may be nil
	limit time.Duration   // that a kernel may take; 0: as long as it takes
	until time.Time
	ticks uint
	over  bool // nothing is evaluated any more
}

// ticksPerLook is how many steps are made from one look at the clock to the next.
const ticksPerLook = 256

// start gives a kernel its time.
func (c *clock) start(limit time.Duration) {
	c.limit, c.over, c.ticks = limit, false, 0
	c.until = time.Now().Add(limit)
}

// out reports whether evaluation is to end.
func (c *clock) out() bool {
	if !c.over && c.ticks%ticksPerLook == 0 {
		c.over = c.ctx != nil && c.ctx.Err() != nil || c.limit > 0 && time.Now().After(c.until)
	}
	c.ticks++
	return c.over
}

const timeIsUp = "the time limit was reached while the kernel was evaluated; --limit-time raises it"

// Within gives Instance and Grows the time that is left for a kernel, if that is limited.
func (k *Kernel) Within(left time.Duration) {
	if k.family != nil {
		k.family.l.clock.start(left)
	}
}

// Settable collects the constants and parameters of kernels that Options.Set may replace, and which of them it did. Files that are lowered
// side by side share one. A nil one collects nothing.
type Settable struct {
	mu    sync.Mutex
	names map[string]bool // whether it was set
}

// Note says that a kernel has a constant or a parameter, and whether it was set.
func (s *Settable) Note(name string, set bool) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = map[string]bool{}
	}
	s.names[name] = s.names[name] || set
}

// Unused lists the names that were given and that nothing asked for, and all that could have been given.
func (s *Settable) Unused(given map[string]string) (unused, known []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !s.names[name] {
			unused = append(unused, name)
		}
	}
	return unused, slices.Sorted(maps.Keys(s.names))
}
