package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// unknownBytes stands for a byte count that depends on run-time values until settleBytes replaces it.
const unknownBytes = -1

// copyNote remembers an expect or a copy on an mbarrier, in program order.
type copyNote struct {
	mbar   int
	at     int // location of the operation
	effect int // of a copy
	expect bool
	bytes  value.Value // as the program computes them, nil where it does not say
	dtype  *value.Expr // of a copy: the element type, where the launch alone knows it
}

// noteCopies remembers what the operation that is emitted next brings to each mbarrier, and into what.
func (m *machine) noteCopies(op protocol.Op, into, bytes value.Value) {
	var dtype *value.Expr
	switch t := into.(type) {
	case *cute.Tensor:
		into = t.Dtype
	case value.Pointer:
		into = t.Elem
	}
	if s, ok := into.(value.Symbol); ok && value.BitsOf(s) > 0 {
		dtype = s.Expr
	}
	for i, e := range op.Effects {
		m.copies = append(m.copies, copyNote{mbar: e.Mbar, at: len(m.ops), effect: i, bytes: bytes, dtype: dtype})
	}
}

func (m *machine) bytesOf(c copyNote) *int {
	if c.expect {
		return &m.ops[c.at].Bytes
	}
	return &m.ops[c.at].Effects[c.effect].Bytes
}

// traffic is what the groups of an instance announce and copy on one mbarrier.
type traffic struct {
	expects, copies []mover
}

// mover is an expect or a copy of a group of threads.
type mover struct {
	m    *machine
	note copyNote
}

func (v mover) bytes() *int { return v.m.bytesOf(v.note) }

// settleBytes gives copies whose size depends on run-time values one unit of bytes each, and what is expected for
// them as many units as there are copies: the protocol is then the one of an expect that announces exactly what is
// copied. A copy belongs to the expect before it in the same thread; where expects and copies are in different
// threads or CTAs, to each expect belong equally many.
func (in *instance) settleBytes(groups []*machine) {
	var order []int
	on := map[int]*traffic{}
	for _, m := range groups {
		for _, c := range m.copies {
			t := on[c.mbar]
			if t == nil {
				t = &traffic{}
				on[c.mbar] = t
				order = append(order, c.mbar)
			}
			if c.expect {
				t.expects = append(t.expects, mover{m, c})
			} else {
				t.copies = append(t.copies, mover{m, c})
			}
		}
	}
	slices.Sort(order)
	for _, b := range order {
		switch t := on[b]; {
		case t.oneThread():
			t.perExpect(in, 1)
		case !t.unknown():
		case t.mirrored() > 0:
			in.assumeBytes(evenBytes, t.expects[0])
			t.perExpect(in, t.mirrored())
		default:
			t.evenly(in)
		}
	}
}

func (t *traffic) oneThread() bool {
	all := slices.Concat(t.expects, t.copies)
	return len(t.expects) > 0 && !slices.ContainsFunc(all, func(v mover) bool { return v.m != all[0].m || len(v.m.threads) != 1 })
}

func (t *traffic) unknown() bool {
	return slices.ContainsFunc(slices.Concat(t.expects, t.copies), func(v mover) bool { return *v.bytes() == unknownBytes })
}

const (
	assumedBytes = "copies of run-time size bring the bytes that their expect announces"
	evenBytes    = assumedBytes + ", equally many copies to each expect"
)

// assumeBytes notes an expect of which it is not shown, but assumed, that it announces what is copied.
func (in *instance) assumeBytes(what string, e mover) {
	in.assumed[what] = inWords
	if in.unshown == nil {
		site := in.sites[e.m.ops[e.note.at].Site]
		in.unshown = &site
	}
}

// mirrored says how many threads copy alike where one of them announces the bytes of all, as the leader of a pair of
// CTAs does; 0 where it is not so. Which of its expects the copies of the others belong to follows from its own: an
// expect of a tail has none.
func (t *traffic) mirrored() int {
	if len(t.expects) == 0 {
		return 0
	}
	leader := t.expects[0].m
	own, all := 0, 0
	for _, c := range t.copies {
		if c.m == leader {
			own++
		}
		all += len(c.m.threads)
	}
	other := slices.ContainsFunc(t.expects, func(e mover) bool { return e.m != leader })
	if other || len(leader.threads) != 1 || own == 0 || all%own != 0 {
		return 0
	}
	return all / own
}

// perExpect settles each expect with the copies of its thread up to the next one, or, in a thread that copies before it
// announces anything, with those since the one before. Each stands for as many as there are threads that copy alike.
func (t *traffic) perExpect(in *instance, alike int) {
	leader := t.expects[0]
	early := slices.ContainsFunc(t.copies, func(c mover) bool { return c.m == leader.m && c.note.at < leader.note.at })
	for i, e := range t.expects {
		last := i+1 == len(t.expects)
		mine := slices.DeleteFunc(slices.Clone(t.copies), func(c mover) bool {
			switch {
			case c.m != e.m:
				return true
			case early:
				return i > 0 && c.note.at < t.expects[i-1].note.at || !last && c.note.at > e.note.at
			}
			return c.note.at < e.note.at || !last && c.note.at > t.expects[i+1].note.at
		})
		part := traffic{[]mover{e}, mine}
		retyped := part.retyped()
		if retyped != "" {
			in.assumed[retyped+" is as wide as the bytes that are announced say"] = inWords
		}
		if part.unknown() || retyped != "" {
			if retyped != "" || !part.announced(in) {
				in.assumeBytes(assumedBytes, e)
			}
			part.share(max(1, len(mine)*alike)) // an expect without copies waits for bytes that never come
		}
	}
	for _, c := range t.copies {
		if alike > 1 && c.m != t.expects[0].m {
			*c.bytes() = 1
		}
	}
}

// announced reports whether an expect announces the sum of what its copies bring, in whatever parameters of
// the kernel. The size of an object is none: what a name stands for is another thing in each function.
func (t *traffic) announced(in *instance) bool {
	var total value.Value = value.Int(0)
	for _, c := range t.copies {
		if c.note.bytes == nil {
			return false
		}
		total = value.Binary("+", total, value.Untyped(c.note.bytes))
	}
	want, ok := value.Untyped(value.FirstOf(t.expects[0].note.bytes, value.None{})).(value.Symbol)
	is, too := total.(value.Symbol)
	return ok && too && want.Expr.String() == is.Expr.String() && !slices.ContainsFunc(value.Leaves(is.Expr, nil), func(leaf *value.Expr) bool {
		return !in.params[root(leaf.Atom)]
	})
}

// retyped names the element type, of those that only the launch knows, that makes what is copied the bytes that are
// announced, where the width that was taken for it does not: what is copied is two or four times, or half, as wide.
func (t *traffic) retyped() string {
	total, dtype := 0, ""
	for _, c := range t.copies {
		if c.note.dtype == nil || dtype != "" && dtype != c.note.dtype.String() {
			return ""
		}
		dtype = c.note.dtype.String()
		total += *c.bytes()
	}
	if want := *t.expects[0].bytes(); total > 0 && (want == 2*total || want == 4*total || 2*want == total) {
		return dtype
	}
	return ""
}

// evenly settles expects and copies of several threads.
func (t *traffic) evenly(in *instance) {
	expects, copies := weight(t.expects), weight(t.copies)
	if expects == 0 { // nobody announces them, whatever their number
		t.share(0)
		return
	}
	if copies%expects != 0 {
		if t.likeOne(in) {
			return
		}
		for _, v := range slices.Concat(t.expects, t.copies) {
			if *v.bytes() == unknownBytes {
				s := in.sites[v.m.ops[v.note.at].Site]
				in.opaques = append(in.opaques, Opaque{s.Path, s.Line, limit.RunTime.Says("the bytes of this copy and what is expected for it are in different threads and not constant")})
				*v.bytes() = 0
			}
		}
		return
	}
	in.assumeBytes(evenBytes, t.expects[0])
	t.share(copies / expects)
}

// likeOne settles expects and copies where one thread does both, as it would be settled alone, and other threads execute
// some of the same statements: these announce and copy the same bytes in them.
func (t *traffic) likeOne(in *instance) bool {
	var one *machine
	for _, e := range t.expects {
		if len(e.m.threads) == 1 && slices.ContainsFunc(t.copies, func(c mover) bool { return c.m == e.m }) {
			one = e.m
			break
		}
	}
	others := func(v mover) bool { return v.m != one }
	own := traffic{slices.DeleteFunc(slices.Clone(t.expects), others), slices.DeleteFunc(slices.Clone(t.copies), others)}
	known := map[int]mover{} // by statement
	for _, v := range slices.Concat(own.expects, own.copies) {
		known[v.m.ops[v.note.at].Site] = v
	}
	all := slices.Concat(t.expects, t.copies)
	if one == nil || slices.ContainsFunc(all, func(v mover) bool { _, ok := known[v.m.ops[v.note.at].Site]; return !ok }) {
		return false
	}
	own.perExpect(in, 1)
	for _, v := range all {
		if others(v) {
			*v.bytes() = *known[v.m.ops[v.note.at].Site].bytes()
		}
	}
	return true
}

// share makes every copy one unit and every expect as many as given.
func (t *traffic) share(units int) {
	for _, c := range t.copies {
		*c.bytes() = 1
	}
	for _, e := range t.expects {
		*e.bytes() = units
	}
}

func weight(list []mover) (n int) {
	for _, v := range list {
		n += len(v.m.threads)
	}
	return n
}
