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

// A number of a state is 0 where a word is as at first, else written, what is known of it, and its bits.
const (
	written  = int64(1) << 60
	wordTags = 32
)

// at is the place of a cell in the state.
func (e *thread) at(c cell) (int, error) {
	i, ok := e.cells[c]
	if !ok {
		if i = len(e.cells); i >= e.room {
			if e.room *= 2; e.room > maxCells {
				return 0, fmt.Errorf("more than %d words of memory are used", maxCells)
			}
			return 0, ErrAgain
		}
		e.cells[c] = i
	}
	return e.threads*e.size + i, nil
}

// word finds the cell of a byte address in an object.
func (e *thread) word(o int, at int64) (i int, first value, err error) {
	c := cell{object: o, at: at >> 2}
	switch o {
	case shared:
		c.owner, c.at = e.owner(at), at&ir.OffsetMask>>2
	case local:
		c.owner = e.t
	default:
		first = integer(0)
	}
	i, err = e.at(c)
	return i, first, err
}

// owner is the CTA of the cluster that an address of shared memory is of.
func (e *thread) owner(at int64) int {
	own := e.cta(e.t)
	if rank := int(uint32(at) >> ir.RankBits); rank > 0 {
		return own - own%e.launch.Cluster + rank - 1
	}
	return own
}

// load is what stands at an address of an object that is followed, size bytes, in a type.
func (e *thread) load(o int, at, size int64, t ir.Type) (value, error) {
	if size > 8 || at%size != 0 {
		return value{}, nil
	}
	n, out := int64(0), integer(0)
	for k := int64(0); k < size; k += 4 {
		i, v, err := e.word(o, at+k)
		if err != nil {
			return value{}, err
		}
		if w := e.state[i]; w != 0 {
			v = value{int64(uint32(w)), tag(w >> wordTags & 0xff)}
		}
		if !v.known() {
			out = unknown(out, v)
		}
		n |= v.n << (8 * k)
	}
	if !out.known() {
		return out, nil
	}
	if size < 4 {
		n = n >> (8 * (at & 3)) & (1<<(8*size) - 1)
	}
	return integer(t.Convert(n)), nil
}

// store writes size bytes to an object that is followed.
func (e *thread) store(o int, at, size int64, v value) error {
	whole := v.known() && size <= 8 && at%size == 0
	for k := at &^ 3; k < at+size; k += 4 {
		i, first, err := e.word(o, k)
		if err != nil {
			return err
		}
		put := value{tag: v.tag & 0xff}
		switch old := e.state[i]; {
		case !whole:
			if v.known() {
				put = value{}
			}
		case size >= 4:
			put = integer(int64(uint32(v.n >> (8 * (k - at)))))
		default:
			had := first
			if old != 0 {
				had = value{int64(uint32(old)), tag(old >> wordTags & 0xff)}
			}
			put = unknown(had)
			if had.known() {
				mask := int64(1)<<(8*size) - 1
				shift := 8 * (at & 3)
				put = integer(had.n&^(mask<<shift) | v.n&mask<<shift)
			}
		}
		if e.state[i] = written | int64(put.tag)<<wordTags | put.n; put == first {
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
	case e.open && writes:
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
	e.set(in.D, old)
	return e.store(o, at, size, next)
}

// arithmetic is what atomics compute.
var arithmetic = map[string]ir.Op{"add": ir.Add, "and": ir.And, "or": ir.Or, "xor": ir.Xor, "min": ir.Min, "max": ir.Max}
