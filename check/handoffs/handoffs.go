// Package handoffs finds in a kernel of the IR where CTAs hand data to each other through global memory: one writes data and then a flag, or draws a ticket, another
// one waits for the flag, or finds out by the ticket that it is the last, and reads the data. It cuts out what each side does in between; whether that
// orders the data is for a memory model to say.
package handoffs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
)

// Handoff is one way of data from CTA to CTA.
type Handoff struct {
	Flag, Data string   // what leads to them: parameters, or variables in global memory
	Members    [2]int64 // where in an element that leads to the flag and the data are
	Publisher  Side
	Consumer   Side
	Ticket     bool // who is last finds out by it; nobody waits
}

// Side is what a CTA does between the two accesses, in one thread, or in one that accesses the data and one that accesses the flag.
type Side struct {
	Data, Flag int32 // instructions
	Two        bool
	Between    []Step
	Open       bool // what may order the two is not all followed
}

// Step is a fence or a barrier between the two.
type Step struct {
	Inst       int32
	Data, Flag bool // whether the thread at the data comes there, and the one at the flag
	Sure       bool // all ways from the one access to the other lead there
}

// Insts are the accesses of a handoff, and what stands between them.
func (h *Handoff) Insts() (out []int32) {
	for _, s := range []*Side{&h.Publisher, &h.Consumer} {
		out = append(out, s.Data, s.Flag)
		for _, b := range s.Between {
			out = append(out, b.Inst)
		}
	}
	return out
}

// Bounds of what is looked at in a kernel.
const (
	maxAccesses = 512
	maxHandoffs = 32
	maxPointers = 3       // that an access may lead to
	maxSteps    = 24      // between two accesses
	maxWork     = 1 << 23 // instructions and blocks that are looked at; what is found until then is told
)

// Of lists the handoffs of a kernel of which a CTA has some threads. What may hand data on in other ways between the two accesses of a side, as an mbarrier does, or
// a call of which nothing is known, leaves that side open; of a handoff one side at least is known.
// Of a function by itself, handed are the variables that stand for memory that it is handed.
func Of(k *ir.Kernel, block [3]int, handed map[string]bool) (out []Handoff) {
	f := newFinder(k, block, handed)
	if !f.accesses() {
		return nil
	}
	waits := f.waits()
	for _, c := range waits {
		for _, p := range f.signals(c) {
			f.between(p, c, &out)
			for _, t := range waits { // who came last writes the flag for all who came before: what these have written comes by the count they came by, and then by the flag
				if t.ticket && !c.ticket && f.drawn(t.inst) && f.last(p) {
					f.between(t.inst, c, &out)
				}
			}
			if len(out) >= maxHandoffs || f.left < 0 {
				return out
			}
		}
	}
	return out
}

// Waits reports whether control may come to one of some instructions from where a loop waits for global memory.
func Waits(k *ir.Kernel, at func(n int32) bool) bool {
	f := &finder{k: k, fl: k.Flow(), left: maxWork}
	polls := k.Polls()
	for n := range k.Insts {
		in := &k.Insts[n]
		if !polls[int32(n)] || in.Space == ir.Shared {
			continue
		}
		for r := range k.Insts {
			if k.Insts[r].Op.Accesses() && at(int32(r)) && f.reaches(int32(n), int32(r)) {
				return true
			}
		}
	}
	return false
}

type finder struct {
	k        *ir.Kernel
	fl       *ir.Flow
	block    [3]int
	polls    map[int32]bool   // reads by which loops wait
	comes    map[int32][]bool // by instruction: which threads come there
	pointers map[string]bool  // parameters
	through  map[string]bool  // what pointers that memory holds lead to: they may lead to one place
	roots    map[int32]string // accesses of global memory, by what leads there
	order    []int32          // of these
	chosen   map[int32]bool   // those whose element data choose
	decided  []int32          // branches that it decides
	gaveUp   map[place]bool   // words by which waits are given up
	ofOne    map[int32]bool   // see ofCTA
	member   map[int32]int64  // of accesses of elements: where in the element
	draws    *bool            // see joined
	handed   map[string]bool  // of a function by itself: variables in shared memory that stand for memory which it is handed
	left     int              // of the work
}

func newFinder(k *ir.Kernel, block [3]int, handed map[string]bool) *finder {
	return &finder{handed: handed, k: k, fl: k.Flow(), polls: k.Polls(), block: block, comes: map[int32][]bool{}, pointers: map[string]bool{}, through: map[string]bool{}, roots: map[int32]string{}, chosen: map[int32]bool{}, gaveUp: map[place]bool{}, member: map[int32]int64{}, ofOne: map[int32]bool{}, left: maxWork}
}

// wait is where a CTA finds out that another one has written the flag.
type wait struct {
	inst   int32
	ticket bool
}

// accesses lists those of global memory of which it is known what pointer leads there, or which few; false: there are too many, or calls whose effects are not known.
func (f *finder) accesses() bool {
	for _, p := range f.k.Given() {
		if p.Pointer {
			f.pointers[p.Called()] = true
		}
	}
	for n := range f.k.Insts {
		in := &f.k.Insts[n]
		switch in.Op {
		case ir.Call:
			return false
		case ir.Load, ir.Store, ir.Atomic:
		default:
			continue
		}
		if in.Space != ir.Global && in.Space != ir.Generic && (in.Space != ir.Shared || f.handed == nil) {
			continue
		}
		if f.handed == nil && in.Space == ir.Generic && f.k.FromShared(in) {
			continue
		}
		if f.handed != nil && (in.Space == ir.Shared || f.k.FromShared(in)) {
			root := f.spelt(int32(n), 0)
			f.through[root] = !f.handed[root]
			if f.note(int32(n), root); len(f.order) > maxAccesses {
				return false
			}
			continue
		}
		names, memory := f.madeOf(in)
		names = slices.DeleteFunc(names, func(name string) bool { return !f.pointers[name] })
		if !memory && len(names) > 1 && len(names) <= maxPointers { // of two that change places, say, round after round
			slices.Sort(names)
			names = []string{strings.Join(names, " or ")}
		}
		if memory || len(names) != 1 {
			names = nil
			if t := f.start(int32(n)); t != nil {
				names, f.chosen[int32(n)] = []string{strings.TrimPrefix(t.Starts, "&")}, true // &v is where a variable v is
			}
		}
		if len(names) != 1 {
			names = []string{f.spelt(int32(n), 0)}
			f.through[names[0]] = true
		}
		if f.note(int32(n), names[0]); len(f.order) > maxAccesses {
			return false
		}
	}
	f.members()
	return true
}

// note adds an access that control comes to.
func (f *finder) note(n int32, root string) {
	if root != "" && f.fl.Reached(f.fl.BlockOf(n)) {
		f.roots[n] = root
		f.order = append(f.order, n)
	}
}

// maxLoads bounds the pointers that lead to each other, from a place to where a pointer to it was read.
const maxLoads = 3

// spelt is what an address starts from where no pointer is known that leads there: two that start alike lead to one array, or to those that one array of pointers leads to.
func (f *finder) spelt(n int32, loads int) string {
	if of := f.k.ObjectsOf(&f.k.Insts[n]); len(of) > 0 {
		if len(of) == 1 && f.handed[of[0].Name] {
			return of[0].Name
		}
		return ""
	}
	form := f.k.Affine().Of(n, f.k.Insts[n].A)
	form.Const = 0
	if start := slices.DeleteFunc(slices.Clone(form.Terms), func(t ir.Term) bool { return t.By != 1 }); len(start) == 1 { // the rest is an index
		form.Terms = start
	}
	values := f.k.SSA().Values
	if len(form.Terms) == 0 || slices.ContainsFunc(form.Terms, func(t ir.Term) bool { return t.Atom < 0 || values[t.Atom].Of == f.k.Nothing }) {
		return ""
	}
	if v := values[form.Terms[0].Atom]; len(form.Terms) == 1 && v.Kind == ir.Defined && f.k.Insts[v.At].Op == ir.Load && loads < maxLoads {
		if from := f.spelt(v.At, loads+1); from != "" {
			address := f.k.Affine().Of(v.At, f.k.Insts[v.At].A)
			if by := address.Const + f.k.Insts[v.At].Offset; by != 0 {
				return fmt.Sprintf("*(%s + %d)", from, by)
			}
			return "*" + from
		}
	}
	return f.k.Affine().Text(&form)
}

// members tells the members of the elements of an array apart: places in the element that no element's own place makes up for. An array of which some access starts
// elsewhere, or is of several members, is left whole.
func (f *finder) members() {
	of, step := map[string][]int32{}, map[string]int64{}
	for _, n := range f.order {
		name := f.roots[n]
		of[name] = append(of[name], n)
		by, at := step[name], int64(1)
		if t := f.start(n); t != nil {
			at = t.Step
		}
		for at != 0 {
			by, at = at, by%at
		}
		step[name] = by
	}
	for name, list := range of {
		if f.parts(list) || step[name] == 1 {
			continue
		}
		at := map[int32]int64{}
		for _, n := range list {
			at[n] = f.start(n).Address.Const
			if by := step[name]; by > 0 {
				at[n] = (at[n]%by + by) % by
			}
		}
		several := func(n int32) bool {
			return slices.ContainsFunc(list, func(o int32) bool { return at[o] > at[n] && at[o] < at[n]+int64(f.k.Insts[n].Size) })
		}
		if !slices.ContainsFunc(list, several) {
			maps.Copy(f.member, at)
		}
	}
}

// parts tells the members of one object apart, arrays among them: places of which it is known where they begin and end; false: they are not.
func (f *finder) parts(list []int32) bool {
	type part struct{ from, to int64 }
	of, arrays, open := map[int32]part{}, []part(nil), []int32(nil)
	for _, n := range list {
		t := f.start(n)
		switch {
		case t == nil:
			return false
		case t.Bytes > 0:
			of[n] = part{t.Array, t.Array + t.Bytes}
			arrays = append(arrays, of[n])
		case t.Step == 0:
			of[n] = part{t.Address.Const, t.Address.Const + int64(f.k.Insts[n].Size)}
		default:
			open = append(open, n)
		}
	}
	for _, n := range open { // a pointer that is moved on within one of the arrays leads into that (C++17 [expr.add]/4)
		at := f.start(n).Address.Const
		k := slices.IndexFunc(arrays, func(p part) bool { return p.from <= at && at < p.to })
		if k < 0 {
			return false
		}
		of[n] = arrays[k]
	}
	for _, a := range of {
		for _, b := range of {
			if a != b && a.from < b.to && b.from < a.to {
				return false
			}
		}
	}
	for n, p := range of {
		f.member[n] = p.from
	}
	return true
}

// start is what an access starts from, as a sum; nil: that is not known.
func (f *finder) start(n int32) *ir.Target {
	for _, t := range f.k.TargetsOf(n) {
		if t.Operand == 0 && t.Starts != "" {
			return &t
		}
	}
	return nil
}

// place is what an access is of: memory that a pointer leads to, and which member of its elements.
type place struct {
	root   string
	member int64
}

func (f *finder) placeOf(n int32) place { return place{f.roots[n], f.member[n]} }

// madeOf lists the inputs that an address is made of, and whether it may come from memory, whatever decides that the access is made.
func (f *finder) madeOf(in *ir.Inst) (names []string, memory bool) {
	bare := ir.Blank(ir.Load)
	bare.A, bare.Guard = in.A, -1
	return f.k.InputsOf(&bare)
}

// waits are the reads of flags that loops wait by, and the tickets by whose numbers CTAs find out that they are the last.
func (f *finder) waits() (out []wait) {
	for _, n := range f.order {
		switch in := &f.k.Insts[n]; {
		case in.Op != ir.Store && f.polls[n]:
			switch {
			case f.givesUp(n):
				f.gaveUp[f.placeOf(n)] = true
			case f.k.Innermost(n) == nil || f.k.Steady(f.k.Innermost(n), n) || f.k.Rereads(f.k.Innermost(n), n): // and who looks at one place after the other does not wait there
				out = append(out, wait{n, false})
			}
		case f.counts(in):
			if f.drawn(n) {
				out = append(out, wait{n, true})
			}
		}
	}
	return out
}

// givesUp reports whether the innermost loop around a read of a flag also writes that flag: who waits there ends the wait itself, as when time is up, and what
// others have written before is not what it goes on with.
func (f *finder) givesUp(n int32) bool {
	around := f.k.Innermost(n)
	return around != nil && slices.ContainsFunc(f.order, func(w int32) bool {
		return f.k.Insts[w].Op == ir.Store && around.Has(f.fl.BlockOf(w)) && f.same(w, n)
	})
}

// signals are the writes that a wait may be for.
func (f *finder) signals(c wait) (out []int32) {
	if c.ticket {
		return []int32{c.inst}
	}
	named := false // the very word that is waited for
	var zeros []int32
	for _, n := range f.order {
		in := &f.k.Insts[n]
		if in.Op == ir.Store && in.Order == ir.Weak && in.B.Reg == f.k.Nothing { // what a call does that is not followed
			continue
		}
		may, surely := true, true
		if in.Op == ir.Store && in.B.Reg == -1 && in.B.Of == 0 {
			may, surely = f.k.EndsWith(c.inst, in.B.Imm)
		}
		if !may || f.placeOf(n) != f.placeOf(c.inst) || in.Op == ir.Load || f.polls[n] || f.apart(n, c.inst) { // who waits goes on waiting where one sets it back
			continue
		}
		out = append(out, n)
		named = named || f.same(n, c.inst) && f.ofAll(c.inst, in.Op == ir.Atomic)
		if !surely && in.B.Imm == 0 {
			zeros = append(zeros, n)
		}
	}
	if len(zeros) < len(out) { // where others count, and up to what is not known, words are set to what they begin with
		out = slices.DeleteFunc(out, func(n int32) bool { return slices.Contains(zeros, n) })
	}
	if named { // other words of the array are counts beside the flag, or sums
		out = slices.DeleteFunc(out, func(n int32) bool { return !f.same(n, c.inst) })
	}
	return out
}

// ofAll reports whether an access is of the same word for whoever makes it: a pointer and a constant, or what memory holds for all.
func (f *finder) ofAll(n int32, memory bool) bool {
	names, _ := f.madeOf(&f.k.Insts[n])
	return len(f.k.Affine().Of(n, f.k.Insts[n].A).Terms) == 1 || memory && !slices.ContainsFunc(names, func(name string) bool { return !f.pointers[name] })
}

// between adds the handoffs by a write of a flag and a wait for it: of each array that is written before the one and read behind the other.
func (f *finder) between(p int32, c wait, out *[]Handoff) {
	flag := f.placeOf(p)
	if f.ownFlag(p, c) || f.through[flag.root] {
		return
	}
	if c.ticket {
		f.drawn(c.inst)
	}
	ordered := f.ordering(c.inst, ir.Acquire)
	told := map[place]bool{flag: true, f.placeOf(c.inst): true}
	var partly []Handoff // with a side that is open
	for _, w := range slices.Backward(f.order) {
		data := f.placeOf(w)
		if f.left < 0 {
			return
		}
		if told[data] || f.gaveUp[data] || f.through[data.root] || f.k.Insts[w].Op == ir.Load || !f.reaches(w, p, append(f.ordering(p, ir.Release), p)...) {
			continue
		}
		give := f.side(w, p, w, p)
		for _, r := range f.order {
			if f.placeOf(r) != data || f.k.Insts[r].Op != ir.Load || f.polls[r] || r == c.inst || !f.reaches(c.inst, r, append(ordered, c.inst)...) || c.ticket && !f.last(r) || f.own(w, r, c) {
				continue
			}
			take := f.side(r, c.inst, c.inst, r)
			if f.left < 0 { // what was not looked at may order the data
				return
			}
			h := Handoff{Flag: flag.root, Data: data.root, Members: [2]int64{flag.member, data.member}, Publisher: give, Consumer: take, Ticket: c.ticket}
			switch {
			case !give.Open && !take.Open:
				*out = append(*out, h)
				told[data] = true
			case !(give.Open && take.Open):
				partly = append(partly, h)
			}
			if told[data] {
				break
			}
		}
	}
	for _, h := range partly {
		if data := f.placeOf(h.Publisher.Data); !told[data] {
			told[data] = true
			*out = append(*out, h)
		}
	}
}

// ordering are other accesses of the same word with an order: what is behind a release and a write of the word, or before a read of it and an acquire, is ordered by them
// (PTX ISA 8.8, release and acquire patterns).
func (f *finder) ordering(n int32, by ir.Order) (out []int32) {
	for _, o := range f.order {
		in := &f.k.Insts[o]
		if o != n && (in.Order == by || in.Order == ir.AcquireRelease || in.Order == ir.Sequential) && f.placeOf(o) == f.placeOf(n) && f.same(o, n) {
			out = append(out, o)
		}
	}
	return out
}

// ownFlag reports whether each CTA waits for a flag of its own alone.
func (f *finder) ownFlag(p int32, c wait) bool {
	return !c.ticket && f.ofCTA(p) && f.ofCTA(c.inst) && f.same(p, c.inst)
}

// own reports whether a CTA may read only what it has written itself.
func (f *finder) own(w, r int32, c wait) bool {
	switch same := f.same(w, r); {
	case same && f.ofCTA(w):
		return true
	case f.parted(w, r): // CTAs along an axis write their parts, and who reads goes through these
		return false
	case f.sameRow(w, r) && f.ofCTA(w):
		return true
	case same: // a lock is for what others wrote there, too
		return !c.ticket && f.k.Insts[c.inst].Named() != "cas" && f.reaches(w, c.inst, c.inst)
	case c.ticket && f.ofCTA(r):
		return !f.known(w) || !f.known(r)
	case f.chosen[w] || f.chosen[r]: // the element, in what is the CTA's
		return f.ofCTA(w) && f.ofCTA(r)
	}
	return false
}

// parted reports whether the address of a write tells CTAs apart along an axis along which that of a read does not.
func (f *finder) parted(w, r int32) bool {
	reads := f.k.NamedBy(&f.k.Insts[r])
	return slices.ContainsFunc(f.k.NamedBy(&f.k.Insts[w]), func(name string) bool { return strings.HasPrefix(name, "%ctaid.") && !slices.Contains(reads, name) })
}

// ofCTA reports whether an address says of which CTA it is, and is not of several that are neighbours.
func (f *finder) ofCTA(n int32) (own bool) {
	if own, known := f.ofOne[n]; known {
		return own
	}
	defer func() { f.ofOne[n] = own }()
	if f.joined() {
		return false
	}
	names := f.k.NamedBy(&f.k.Insts[n])
	for name, r := range f.k.Special { // CTAs along an axis that the address does not tell
		if strings.HasPrefix(name, "%ctaid.") && f.k.Reads(r) && !slices.Contains(names, name) && !slices.ContainsFunc(names, func(o string) bool { return strings.HasPrefix(o, "%cluster") }) {
			return false
		}
	}
	return !f.k.Neighbours(n) && slices.ContainsFunc(names, func(name string) bool {
		base, _, _ := strings.Cut(name, ".")
		return base == "%ctaid" || base == "%clusterid"
	})
}

// joined reports whether one thread of each CTA draws a ticket from a counter that says of which CTA it is: then several are of that one, along an axis that the kernel does not ask for.
func (f *finder) joined() bool {
	if f.draws == nil {
		draws := slices.ContainsFunc(f.order, func(n int32) bool {
			if !f.counts(&f.k.Insts[n]) || f.k.Innermost(n) != nil || f.k.Neighbours(n) || !slices.ContainsFunc(f.k.NamedBy(&f.k.Insts[n]), func(name string) bool { return strings.HasPrefix(name, "%ctaid.") }) {
				return false
			}
			come := 0
			for _, comes := range f.threads(n) {
				if comes {
					come++
				}
			}
			return come == 1
		})
		f.draws = &draws
	}
	return *f.draws
}

// sameRow reports whether two addresses are of one row, of elements that the rest of them counts: they are spelt alike in what they are a larger multiple of.
func (f *finder) sameRow(a, b int32) bool {
	x, y := &f.k.Insts[a], &f.k.Insts[b]
	all := f.k.Affine()
	one, other := all.Of(a, x.A), all.Of(b, y.A)
	row := widest(&one)
	if row <= 0 || row != widest(&other) || max(one.Const+x.Offset, other.Const+y.Offset)-min(one.Const+x.Offset, other.Const+y.Offset) >= row {
		return false
	}
	inside := func(t ir.Term) bool { return max(t.By, -t.By) < row && t.By != 1 }
	one.Terms, other.Terms = slices.DeleteFunc(slices.Clone(one.Terms), inside), slices.DeleteFunc(slices.Clone(other.Terms), inside)
	one.Const, other.Const = 0, 0
	return all.Text(&one) == all.Text(&other)
}

// widest is the greatest multiple in a form.
func widest(f *ir.Form) (most int64) {
	for _, t := range f.Terms {
		most = max(most, t.By, -t.By)
	}
	return most
}

func (f *finder) known(n int32) bool {
	form := f.k.Affine().Of(n, f.k.Insts[n].A)
	return f.k.Affine().Known(&form)
}

// apart reports whether two addresses are for sure of different words, whoever computes them: they differ by a constant, as members of one object do.
func (f *finder) apart(a, b int32) bool {
	x, y := &f.k.Insts[a], &f.k.Insts[b]
	names, _ := f.madeOf(x)
	if slices.ContainsFunc(names, func(name string) bool { _, special := f.k.Special[name]; return special }) {
		return false
	}
	all := f.k.Affine()
	one, other := all.Of(a, x.A), all.Of(b, y.A)
	if slices.ContainsFunc(one.Terms, func(t ir.Term) bool { return t.Atom < 0 }) { // what rounds of a loop say is not the same for both
		return false
	}
	by := one.Const + x.Offset - other.Const - y.Offset
	one.Const, other.Const = 0, 0
	return by != 0 && all.Known(&one) && all.Text(&one) == all.Text(&other)
}

// same reports whether two addresses are spelt alike in terms of what is given.
func (f *finder) same(a, b int32) bool {
	x, y := &f.k.Insts[a], &f.k.Insts[b]
	all := f.k.Affine()
	one, other := all.Of(a, x.A), all.Of(b, y.A)
	return x.Offset == y.Offset && all.Text(&one) == all.Text(&other)
}

// side cuts what is between two accesses of a CTA, the first and the last of them in the order of the program.
func (f *finder) side(data, flag, first, last int32) (s Side) {
	s = Side{Data: data, Flag: flag}
	one, other, two := f.pair(data, flag)
	s.Two = two
	f.left -= len(f.k.Insts)
	for n := range f.k.Insts {
		in, at := &f.k.Insts[n], int32(n)
		if !in.Op.Synchronizes() && in.Op != ir.Outside && in.Op != ir.Stop && in.Op != ir.Fence || at == first || at == last {
			continue
		}
		if in.Op.Branches() || !f.reaches(first, at, last) || !f.reaches(at, last, first) {
			continue
		}
		switch {
		case in.Op == ir.Fence && in.Mode == ir.NoProxy && in.Order != ir.Weak:
		case in.Op == ir.BarrierCTA && in.Flags&ir.Arrives == 0:
		case in.Op == ir.BarrierWarp:
			if two && one/ir.Lanes != other/ir.Lanes {
				continue
			}
		case in.Op == ir.Fence || in.Op == ir.Rendezvous:
			continue
		default:
			s.Open = true
			return s
		}
		step := Step{Inst: at, Data: f.threads(at)[one], Flag: f.threads(at)[other], Sure: !f.passes(first, last, at)}
		if s.Between = append(s.Between, step); len(s.Between) > maxSteps {
			s.Open = true
			return s
		}
	}
	f.sort(first, s.Between)
	return s
}

// sort brings steps into an order in which they may follow each other.
func (f *finder) sort(first int32, list []Step) {
	slices.SortStableFunc(list, func(a, b Step) int {
		switch there, back := f.reaches(a.Inst, b.Inst, first), f.reaches(b.Inst, a.Inst, first); {
		case there && !back:
			return -1
		case back && !there:
			return 1
		}
		return 0
	})
}

// pair is a thread that comes to the data and one that comes to the flag: one and the same if all of those at the data come to the flag; else, if one thread
// comes to the flag for its CTA, one of another warp, and one of its own where each warp has one that does.
func (f *finder) pair(data, flag int32) (one, other int, two bool) {
	d, g := f.threads(data), f.threads(flag)
	other = max(slices.Index(g, true), 0)
	count := 0
	for _, comes := range g {
		if comes {
			count++
		}
	}
	best := -1
	for t, comes := range d {
		if !comes || g[t] {
			continue
		}
		if far := t/ir.Lanes != other/ir.Lanes; best < 0 || far && count == 1 && best/ir.Lanes == other/ir.Lanes {
			best = t
		}
	}
	if best >= 0 {
		return best, other, true
	}
	one = max(slices.Index(d, true), 0)
	return one, one, false
}

// threads are those that come to an instruction.
func (f *finder) threads(n int32) []bool {
	if f.comes[n] == nil {
		f.left -= 8 * f.block[0] * f.block[1] * f.block[2]
		var all []bool
		for z := range f.block[2] {
			for y := range f.block[1] {
				for x := range f.block[0] {
					all = append(all, f.k.Comes(n, ir.Thread{At: [3]int64{int64(x), int64(y), int64(z)}, Block: [3]int64{int64(f.block[0]), int64(f.block[1]), int64(f.block[2])}}))
				}
			}
		}
		f.comes[n] = all
	}
	return f.comes[n]
}

// reaches reports whether control may go from behind one instruction to another one without coming to certain others. Where the work is spent it does not.
func (f *finder) reaches(from, to int32, without ...int32) bool {
	block := int32(-1)
	return f.fl.Behind(from, func(n int32) ir.Heading {
		if b := f.fl.BlockOf(n); b != block {
			block = b
			f.left--
		}
		switch {
		case n == to:
			return ir.Found
		case f.left < 0 || slices.Contains(without, n):
			return ir.Aside
		}
		return ir.Onward
	}) >= 0
}

// passes reports whether a way leads from one instruction to another one past a third.
func (f *finder) passes(from, to, past int32) bool { return f.reaches(from, to, past) }
