package thread

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/ir"
)

// cell is a place in memory that is followed: a word of four bytes, or a number of an mbarrier or of a named barrier.
type cell struct {
	object int
	owner  int // CTA of shared memory, thread of local memory, else 0
	at     int64
}

// word is four bytes of memory: those of a mask are known, the others would be if what the tag says were followed.
type word struct {
	bits uint32
	mask uint8
	tag  uint8
}

// A number of a state is 0 where a word is as at first, else that it was written, its mask, its tag, its bits.
const (
	written  = int64(1) << 60
	maskBits = 40
	tagBits  = 32
)

// at is the place of a cell in the state.
func (e *thread) at(c cell) (int, error) {
	i, ok := e.cells[c]
	if !ok {
		if i = len(e.cells); i >= maxCells {
			return 0, fmt.Errorf("more than %d words of memory are used", maxCells)
		} else if i >= len(e.state)-e.threads*e.size { // the state has no place for it
			e.room = max(e.room, 2*i)
			return 0, ErrAgain
		}
		e.cells[c] = i
	}
	return e.threads*e.size + i, nil
}

// word finds the word of a byte address in an object: where it is in the state, and what it is at first and now.
func (e *thread) word(o int, at int64) (i int, first, now word, err error) {
	c := cell{object: o, at: at >> 2}
	switch o {
	case shared:
		c.owner, c.at = e.owner(at), at&ir.OffsetMask>>2
	case local:
		c.owner = e.t
	default:
		first = e.objects[o].first(at &^ 3)
	}
	if i, err = e.at(c); err != nil {
		return 0, first, first, err
	}
	if now = first; e.state[i] != 0 {
		now = word{uint32(e.state[i]), uint8(e.state[i] >> maskBits & 15), uint8(e.state[i] >> tagBits)}
	}
	return i, first, now, nil
}

// first is what four bytes of global memory are at first.
func (o *object) first(at int64) word {
	w := word{mask: 15}
	v := o.variable
	if v == nil {
		return w
	} else if v.Init == nil || at < 0 {
		return word{}
	}
	size := max(v.Elem, 1)
	for b := range int64(4) {
		if k := (at + b) / size; k < int64(len(v.Init)) {
			w.bits |= uint32(v.Init[k]>>(8*((at+b)%size))&0xff) << (8 * b)
		}
	}
	return w
}

// owner is the CTA of the cluster that an address of shared memory is of.
func (e *thread) owner(at int64) int {
	own := e.cta(e.t)
	if rank := int(uint32(at) >> ir.RankBits); rank > 0 {
		return own - own%e.launch.Cluster + rank - 1
	}
	return own
}

// part is the bytes of an access that are in the word at an address: the first, and a mask of them.
func part(word, at, size int64) (first int64, mask uint8) {
	first = max(0, at-word)
	return first, uint8(1<<min(4, at+size-word) - 1<<first)
}

// cell is where an address of an object is.
func (e *thread) cell(o int, at int64) cell {
	if o == shared {
		return cell{object: o, owner: e.owner(at), at: at & ir.OffsetMask}
	}
	return cell{object: o, at: at}
}

// load is what stands at an address of an object that is followed, size bytes, in a type.
func (e *thread) load(o int, at, size int64, t ir.Type) (value, error) {
	if size > 8 || size == 0 {
		return value{}, nil
	}
	n, out := int64(0), integer(0)
	for k := at &^ 3; k < at+size; k += 4 {
		_, _, w, err := e.word(o, k)
		if err != nil {
			return value{}, err
		}
		first, mask := part(k, at, size)
		if mask&^w.mask != 0 {
			out = unknown(out, value{tag: tag(w.tag)})
		}
		n |= int64(w.bits>>(8*first)) << (8 * (k + first - at))
	}
	if !out.known() {
		return out, nil
	}
	if size < 8 {
		n &= 1<<(8*size) - 1
	}
	return integer(t.Convert(n)), nil
}

// store writes size bytes to an object that is followed.
func (e *thread) store(o int, at, size int64, v value) error {
	for k := at &^ 3; k < at+size; k += 4 {
		i, first, w, err := e.word(o, k)
		if err != nil {
			return err
		}
		from, mask := part(k, at, size)
		all := uint32(0)
		for b := range 4 {
			all |= uint32(mask>>b&1) * 0xff << (8 * b)
		}
		w.bits &^= all
		if v.known() && size <= 8 {
			w.mask |= mask
			w.bits |= uint32(v.n>>(8*(k+from-at))) << (8 * from) & all
		} else if w.mask &^= mask; w.mask != 15&^mask || v.known() || size > 8 {
			w.tag = 0
		} else {
			w.tag = uint8(v.tag)
		}
		if w.mask == 15 {
			w.tag = 0
		}
		if e.state[i] = written | int64(w.mask)<<maskBits | int64(w.tag)<<tagBits | int64(w.bits); w == first {
			e.state[i] = 0
		}
	}
	return nil
}

// target is the object that an address is of and the place in it; known says whether that is. An address of memory that the kernel
// was not given is of no object.
func (e *thread) target(in *ir.Inst, a ir.Operand, offset int64) (o int, at int64, known bool) {
	v := e.read(a)
	at = v.n + offset
	switch in.Space {
	case ir.Shared:
		if int(uint32(at)>>ir.RankBits) > e.launch.Cluster {
			return nowhere, 0, false
		}
		return shared, at, v.known()
	case ir.Local:
		return local, at, v.known()
	case ir.Const:
		return constant, at, v.known()
	}
	if !v.known() {
		return v.object(), 0, false
	}
	if o = v.object(); o < firstPointer {
		return o, at & (1<<ir.WindowBits - 1), true
	}
	o, at = pointee(at)
	return o, at, true
}

// visible reports whether others can tell when an instruction is executed.
func (e *thread) visible(in *ir.Inst) bool {
	if e.guard(in) == integer(0) {
		return false
	}
	if in.Op == ir.Load || in.Op == ir.Store || in.Op == ir.Atomic {
		o, _, _ := e.target(in, in.A, in.Offset)
		return o != local && e.objects[o].tracked
	}
	return in.Op.Does(ir.Counts)
}

// access executes a load, a store or an atomic.
func (e *thread) access(in *ir.Inst) error {
	o, at, known := e.target(in, in.A, in.Offset)
	object := &e.objects[o]
	if in.Op == ir.Load || in.Op == ir.Atomic {
		if o >= firstPointer && (in.Strong() || e.polls[in]) {
			object.eligible = true
		}
	}
	writes := in.Op == ir.Store || in.Op == ir.Atomic || in.Flags&ir.Write != 0
	switch {
	case writes && o == nowhere && e.follows(in.Space):
		return e.decide(in, e.read(in.A), "it writes where is not known here: maybe what is waited for")
	case in.Op == ir.Matrix:
		if writes && object.tracked {
			return e.fail(in, "what it writes is not followed")
		}
		return nil
	case o == constant && known && in.Op == ir.Load && in.Extra == nil:
		v := value{}
		if n, ok := e.kernel.ConstantAt(at, int64(in.Size)); ok {
			v = integer(in.Type.Convert(n))
		}
		e.set(in.D, v)
		return nil
	case !object.tracked:
		v := value{}
		if o != nowhere && o != constant {
			v = readFrom(o)
		}
		e.results(in, func(r int32) { e.set(r, v) })
		return nil
	case !known && writes:
		return e.decide(in, e.read(in.A), "the address of what is waited for is not known here")
	case !known:
		e.results(in, func(r int32) { e.set(r, unknown(e.read(in.A))) })
		return nil
	case writes && (in.Size == 0 || in.Op == ir.Atomic && in.B == ir.None):
		return e.fail(in, "what it writes is not followed")
	case e.maybe && writes:
		return e.decide(in, value{tag: e.doubt}, "whether it writes what is waited for is not known here")
	}
	e.wrote = e.wrote || writes && o != local
	if in.Op == ir.Atomic {
		return e.update(in, o, at)
	}
	others, parts := in.Dests(), int64(1)
	if in.Extra != nil {
		parts += int64(len(others) + len(in.Extra.Operands))
	}
	size := int64(in.Size) / parts
	for k := range parts {
		if in.Op == ir.Store {
			from := in.B
			if k > 0 {
				from = in.Extra.Operands[k-1]
			}
			if err := e.store(o, at+k*size, size, e.read(from)); err != nil {
				return err
			}
			continue
		}
		v, err := e.load(o, at+k*size, size, in.Type)
		if err != nil {
			return err
		}
		if in.Strong() && e.shuffled[e.cell(o, at)] {
			v = value{}
		}
		if k == 0 {
			e.set(in.D, v)
		} else {
			e.set(others[k-1], v)
		}
	}
	return nil
}

// follows reports whether memory is followed that an access of a space without a known address may be of.
func (e *thread) follows(space ir.Space) bool {
	for o := range e.objects {
		if e.objects[o].tracked && (o >= firstPointer || space == ir.Generic) {
			return true
		}
	}
	return false
}

// update executes an atomic (PTX ISA 9.7.13.5).
func (e *thread) update(in *ir.Inst, o int, at int64) error {
	size := int64(in.Size)
	old, err := e.load(o, at, size, in.Type)
	if err != nil {
		return err
	}
	b, c := e.read(in.B), e.read(in.C)
	next := unknown(old, b)
	t := in.Type
	holds := func(how uint8, x, y value) bool {
		t := ir.Type{Bits: t.Bits}
		return t.Holds(how, t.Bring(x.n), t.Bring(y.n))
	}
	both := old.known() && b.known()
	switch op := in.Named(); op {
	case "exch":
		next = b
	case "cas":
		if same := compare(&ir.Inst{Op: ir.Setp, Mode: ir.Equal, Type: ir.Type{Bits: t.Bits}}, old, b); same.known() {
			if next = old; same.n != 0 {
				next = c
			}
		}
	case "inc":
		if both {
			if next = integer(0); holds(ir.Less, old, b) {
				next = integer(old.n + 1)
			}
		}
	case "dec":
		if both {
			if next = integer(old.n - 1); holds(ir.Equal, old, integer(0)) || holds(ir.Greater, old, b) {
				next = b
			}
		}
	default:
		if how, ok := arithmetic[op]; ok && !t.Data {
			next = compute(&ir.Inst{Op: how, Type: t, Result: t}, old, b, integer(0), integer(0))
		}
	}
	if e.shuffled[e.cell(o, at)] {
		old, next = value{}, value{}
	}
	e.set(in.D, old)
	return e.store(o, at, size, next)
}

// arithmetic is what atomics compute.
var arithmetic = map[string]ir.Op{"add": ir.Add, "and": ir.And, "or": ir.Or, "xor": ir.Xor, "min": ir.Min, "max": ir.Max}
