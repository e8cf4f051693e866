package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/build"
	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/source"
)

// instance is one assignment of values to a kernel's run-time unknowns, while its protocol is put together.
type instance struct {
	low     *lowering
	values  map[string]int64
	epoch   int64                        // of values: those of leaves that were made meanwhile aside, it changes when they do
	taken   map[string]int64             // values that the host side has assumed
	choose  func(combination.Need) int64 // gives an unknown a value; nil on the host, where there is none to give
	ctas    int
	deals   []cute.ThreadValueLayout
	across  []protocol.Crossing // deals by which some element goes to different warps
	flights int64               // most groups of copies in flight where a thread waited for some
	cluster bool
	block   [3]int64
	grid    [3]int64 // 0 where not known
	clus    [3]int64
	// launched says that the cluster size is known: from a launch in the file or an attribute.
	launched bool
	chosen   bool           // the cluster's size is what the host side makes it by a default
	alone    *protocol.Site // where the kernel works with its cluster of one CTA
	astray   *protocol.Site // a store to global memory that is not followed
	// waitsForGrids says that some thread waits, or may wait, for the kernels before this one.
	waitsForGrids bool
	ahead         *protocol.Site        // global memory that is read before such a wait
	counted       map[int]bool          // named barriers that name the whole CTA by its thread count
	stray         *stray                // an access through an address that is not followed
	unshown       *protocol.Site        // an expect of which only is assumed that it announces what is copied
	assumed       map[string]assumption // what is taken for granted, printed with the bounds
	guesses
	post
	spread string // the axis along which the CTAs of the model lie

	flagBlocks map[string]bool
	fenced     bool            // a thread executes a fence
	params     map[string]bool // what the kernel's pointers are called: the only global memory that is known

	within     []build.Within // mbarriers among data
	mbars      []protocol.Mbarrier
	initsBy    map[initSite]int64 // the thread that stands for the lanes of a warp
	mbarKey    map[objectKey]int
	ringOf     []ringKey // of each mbarrier
	nameds     []protocol.Named
	warpBars   map[warpKey]int
	exchanges  map[int]int64 // sites at which lanes of a warp exchange numbers, and in parts of what width
	flags      []protocol.Flag
	flagKey    map[objectKey]int
	buffers    []protocol.Buffer
	bufKey     map[objectKey]int
	columns    memory.Allocated
	blindly    string // where it is used by its address
	sites      []protocol.Site
	siteKey    map[protocol.Site]int
	blocks     map[string]*value.Block
	drawn      map[string]int64          // unknowns that are a thread's n-th number from a counter, from 0
	arguments  map[string]int64          // numbers that the host passes to the kernel
	same       map[string]string         // unknown extents that are others
	shares     map[cute.Partitioning]int // numbers of the ways in which views are divided among threads
	stores     map[string]int            // numbers of the values that are stored
	lost       map[string]string         // buffers that are not tracked, and why
	supposed   map[string]string         // buffers in which places hang on a type whose width is assumed, and what is assumed
	losses     []string                  // their names, in the order in which they were lost
	written    map[string]bool           // the words in the names under which the kernel may write global memory
	opaques    []Opaque
	unread     bool // Kernel.Unread
	undefineds []Undefined
	territory  memory.Territory
	owned      map[string]*memory.Ownership // of global memory, by its parameter
	rewritten  *protocol.Site               // where a tensor map is written
	unordered  *protocol.Site               // a wgmma that no wgmma.fence is ahead of
	together   *protocol.Site               // an mbarrier that several threads initialise
	unplaced   *protocol.Site               // an asynchronous operation on shared memory, not known which
	unknown    map[int]bool                 // mbarriers that stand for what comes after the rounds of a loop that were evaluated
	reached    map[*program.Function]bool
	passed     map[program.Stmt]bool // loops that were not executed and branches that were taken both ways, though their tests are unknowns
}

type objectKey struct {
	b   *value.Block
	i   int64
	cta int
}

// relevant is a piece of a kernel, and whether some global memory is known to hold flags.
type relevant struct {
	n     program.Node
	flags bool
}

// relevance is what a piece of a kernel may do: synchronize, touch memory, or ask a barrier without waiting for it.
type relevance struct {
	syncs, touches, asks bool
	surely               bool // syncs, and not only by a call of a variable, which may hold any function
	meets                bool // lanes of a warp meet there without synchronizing (machine.converge)
}

// ringKey is an allocation of mbarriers in one CTA.
type ringKey struct {
	b   *value.Block
	cta int
}

func (in *instance) setting(name string) (value.Value, bool) {
	v, ok := in.low.set[name]
	if ok {
		in.low.settable.Note(name, true)
	}
	return value.Int(v), ok
}

func (in *instance) blockThreads() int { return int(in.block[0] * in.block[1] * in.block[2]) }

func (in *instance) site(s protocol.Site) int {
	if i, ok := in.siteKey[s]; ok {
		return i
	}
	in.sites = append(in.sites, s)
	in.siteKey[s] = len(in.sites) - 1
	return len(in.sites) - 1
}

func (in *instance) mbar(b *value.Block, i int64, cta int) int {
	k := objectKey{b, i, cta}
	if n, ok := in.mbarKey[k]; ok {
		return n
	}
	name := b.Name
	if b.Elements != 1 || i != 0 {
		name = fmt.Sprintf("%s[%d]", b.Name, i)
	}
	in.mbars, in.ringOf = append(in.mbars, protocol.Mbarrier{Name: name, CTA: cta}), append(in.ringOf, ringKey{b, cta})
	in.mbarKey[k] = len(in.mbars) - 1
	return len(in.mbars) - 1
}

// beyond gives the mbarrier at which threads of a CTA wait for ever where a loop is not evaluated further.
func (in *instance) beyond(f *program.File, at source.Span, cta int) int {
	key := fmt.Sprintf("beyond %s:%d", f.Source.Name, at.Start)
	if in.blocks[key] == nil {
		in.blocks[key] = &value.Block{Name: "what was not evaluated", Elements: 1}
	}
	b := in.mbar(in.blocks[key], 0, cta)
	if in.setCount(b, 1); in.unknown == nil {
		in.unknown = map[int]bool{}
	}
	in.unknown[b] = true
	return b
}

func (in *instance) mbarName(i int) string {
	b := in.mbars[i]
	if in.ctas > 1 {
		return fmt.Sprintf("%s of CTA %d", b.Name, b.CTA)
	}
	return b.Name
}

func (in *instance) initCount(i int) int   { return in.mbars[i].Count }
func (in *instance) setCount(i, count int) { in.mbars[i].Count = count }

// named gives the named barrier of an id and thread count (mixedCounts).
func (in *instance) named(id, cta, threads int) int {
	for i, n := range in.nameds {
		if n.ID == id && n.CTA == cta && n.Threads == threads {
			return i
		}
	}
	in.nameds = append(in.nameds, protocol.Named{ID: id, CTA: cta, Threads: threads})
	return len(in.nameds) - 1
}

func (in *instance) flag(b *value.Block, i int64) int {
	k := objectKey{b, i, -1}
	if n, ok := in.flagKey[k]; ok {
		return n
	}
	name := b.Name
	if i != 0 || strings.HasSuffix(name, "]") {
		name = fmt.Sprintf("%s[%d]", b.Name, i)
	}
	in.flags = append(in.flags, protocol.Flag{Name: name})
	in.flagKey[k] = len(in.flags) - 1
	return len(in.flags) - 1
}

func (in *instance) buffer(b *value.Block, cta int) int {
	k := objectKey{b, 0, cta}
	if n, ok := in.bufKey[k]; ok {
		return n
	}
	in.buffers = append(in.buffers, protocol.Buffer{Name: b.Name, CTA: cta, Elements: int(b.Elements)})
	in.bufKey[k] = len(in.buffers) - 1
	return len(in.buffers) - 1
}

// reaches notes that elements up to hi are used: the extent of a buffer whose size is not known.
func (in *instance) reaches(i, hi int) {
	in.buffers[i].Elements = max(in.buffers[i].Elements, hi)
}

// reach notes the elements that an access reaches.
func (in *instance) reach(a protocol.Access) {
	for _, r := range a.Elements {
		if r.Hi < memory.Anywhere {
			in.reaches(a.Buffer, r.Hi)
		}
	}
}

func (in *instance) bufferName(i int, rs []protocol.Range) string {
	b := in.buffers[i]
	name, from := b.Name, ""
	if g := in.blocks[name]; g != nil && g.From != "" {
		from = g.From + " + "
	}
	if len(rs) == 1 {
		r := rs[0]
		if from != "" && r.Hi != memory.Anywhere {
			r = protocol.Range{Lo: r.Lo - memory.Before, Hi: r.Hi - memory.Before}
		}
		if r.Hi == memory.Anywhere {
			name = "part of " + name
		} else if r.Hi == r.Lo+1 {
			name = fmt.Sprintf("%s[%s%d]", name, from, r.Lo)
		} else {
			name = fmt.Sprintf("%s[%s%d:%d]", name, from, r.Lo, r.Hi)
		}
	}
	if in.ctas > 1 && b.CTA >= 0 {
		name += fmt.Sprintf(" of CTA %d", b.CTA)
	}
	return name
}

// untracked says that accesses to a block are not all known, so that races on it are not decided.
func (in *instance) untracked(name, why string) {
	if _, ok := in.lost[name]; !ok {
		in.lost[name] = why
		in.losses = append(in.losses, name)
	}
}

// writes notes that the kernel may write global memory that is reached under a name.
func (in *instance) writes(name string) {
	if in.written[name] {
		return
	}
	in.written[name] = true
	for _, word := range in.reachedAs(name) {
		in.written[word] = true
	}
}

// readOnly takes back what was given up of global memory that the kernel only reads: wherever it does, nothing is in its way.
func (in *instance) readOnly() {
	maps.DeleteFunc(in.lost, func(name, _ string) bool {
		b := in.blocks[name]
		return b != nil && !b.Shared && !slices.ContainsFunc(value.Identifiers(name), func(word string) bool { return in.written[word] })
	})
}

// pointsTo notes that a kernel argument, or what a record of them holds, may point to global memory.
func (in *instance) pointsTo(v value.Value) { in.pointsIn(v, 0) }

func (in *instance) pointsIn(v value.Value, depth int) {
	if depth > 4 {
		return
	}
	switch v := v.(type) {
	case value.Symbol:
		if v.Expr.Op == "" {
			in.params[root(v.Expr.Atom)] = true
		}
	case *cute.Tensor: // the host side laid it over one
		e := v.Base
		for e != nil && e.Y != nil && (e.Op == "+" || e.Op == "-") {
			e = e.X
		}
		if e != nil {
			in.pointsIn(value.Symbol{Expr: e}, depth+1)
		}
	case *value.Sequence:
		for _, e := range v.Elems {
			in.pointsIn(e, depth+1)
		}
	case *value.Object:
		for _, f := range v.Fields {
			in.pointsIn(f, depth+1)
		}
	}
}

// global is the block behind a symbolic global pointer.
func (in *instance) global(name string) *value.Block {
	b := in.blocks[name]
	if b == nil {
		b = &value.Block{Name: name}
		in.blocks[name] = b
	}
	return b
}

// sharedBlock is a shared-memory allocation; every CTA has its own copy at the same address.
// The name is for people; the place of the declaration and the allocation's number tell blocks apart.
func (in *instance) sharedBlock(f *program.File, name string, at source.Span, elements, size int64) *value.Block {
	key := fmt.Sprintf("shared %s@%s:%d", name, f.Source.Name, at.Start)
	b := in.blocks[key]
	if b == nil {
		b = &value.Block{Name: name, Shared: true, Elements: elements, Size: size}
		in.blocks[key] = b
	}
	return b
}

// seenThrough is shared memory as what reaches it through a swizzle sees it.
func (in *instance) seenThrough(b *value.Block, swizzle string) *value.Block {
	key := fmt.Sprintf("seen %p through %s", b, swizzle)
	if in.blocks[key] == nil {
		seen := *b
		seen.Name, seen.Next = b.Name+" through a swizzle", nil
		in.blocks[key] = &seen
	}
	return in.blocks[key]
}

func (in *instance) noteOpaque(f *program.File, at source.Span, why limit.Reason, matters bool) {
	if !matters {
		return
	}
	o := Opaque{Path: f.Source.Name, Line: f.Source.Position(at.Start).Line, Why: why}
	for _, p := range in.opaques {
		if p == o {
			return
		}
	}
	in.opaques = append(in.opaques, o)
}

func (in *instance) visited(fn *program.Function) {
	in.reached[fn] = true
}

// typeOf gives the declared type of an expression, by the names the file declares.
func (in *instance) typeOf(f *program.File) func(program.Expr) string {
	types := in.low.types(f)
	var of func(e program.Expr) string
	of = func(e program.Expr) string {
		switch e := e.(type) {
		case *program.Name:
			return types[e.Ident]
		case *program.Attr:
			return types[e.Name]
		case *program.Index:
			return strings.TrimRight(of(e.X), "*& ")
		case *program.Unary:
			return strings.TrimRight(of(e.X), "*& ")
		}
		return ""
	}
	return of
}

// inline reads a CuTe inline-PTX call as the asm statement it is.
func (in *instance) inline(c *program.Call) (*program.Asm, bool) {
	return in.low.inlineCall(c)
}
