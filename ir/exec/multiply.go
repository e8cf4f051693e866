package exec

import (
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// product is a matrix multiplication: equal ones access the same.
type product struct {
	lane, column int // of D
	a, b, shape  int64
	kind         uint8
	inTensor     bool // A is
}

// pipe is what is executed in order: multiplications with one accumulator and shape (PTX ISA 9.7.16.6.2).
type pipe struct {
	cta, lane, column, m, n int
	kind                    uint8
}

// sliceBytes is how much of a row of A and of B one instruction takes: K elements (PTX ISA 9.7.16.2.1).
const sliceBytes = 32

// multiply is tcgen05.mma (PTX ISA 9.7.16.10.9): it writes D and reads A and B until a commit of its thread tells of it.
func (w *warp) multiply(in *ir.Inst, l int) {
	p := product{kind: in.Mode, inTensor: in.Flags&ir.AInTensor != 0}
	var ok bool
	if p.lane, p.column, ok = w.tensorAddress(in.A, in.Offset, l); !ok {
		w.miss(in, limit.DataAddress.Says("the address of D in tensor memory depends on data"))
		return
	}
	sa, a := w.lane(in.B, l)
	sb, b := w.lane(in.C, l)
	ss, shape := w.lane(in.Extra.Operands[0], l)
	p.a, p.b, p.shape = a, b, shape
	if ss != known {
		w.miss(in, limit.DataOperand.Says("the descriptor of the instruction depends on data"))
		return
	}
	m, n, why := extents(shape)
	if why.Code == 0 && (p.lane != 0 && !(m == 64 && p.lane == 16) || p.column+n > order.Columns) {
		why = limit.Operation.Sayf("D of %d rows and %d columns is not placed from lane %d and column %d on", m, n, p.lane, p.column)
	}
	if why.Code != 0 {
		w.miss(in, why)
		return
	}
	for _, o := range in.Extra.Operands[1:] { // lanes that are not written (PTX ISA 9.7.16.10.9.1)
		if s, mask := w.lane(o, l); s != known || uint32(mask) != 0 {
			w.m.doubt(in.Place, Halt{Why: asDataSays, Memory: true})
		}
	}
	c, seen := w.cta.products[p]
	if whole := sa == known && sb == known; !seen || !whole {
		if c = w.accesses(in, &p, m, n, sa == known, sb == known); whole {
			w.cta.products[p] = c
		}
	}
	w.out.Issue(in.Place, 1<<l, c)
	w.allocated(in, l, p.column, n)
	if p.inTensor && sa == known {
		w.allocated(in, l, int(p.a&(1<<columnBits-1)), sliceBytes/order.ColumnBytes)
	}
}

// extents are M and N of an instruction's descriptor (PTX ISA 9.7.16.4.2, those without block scales).
func extents(desc int64) (m, n int, why limit.Reason) {
	n, m = int(desc>>17&63)*8, int(desc>>24&31)*16
	switch {
	case desc>>2&1 != 0:
		return 0, 0, limit.Operation.Says("a sparse A is not modelled")
	case m == 64 && n >= 8 && n <= 256, m == 128 && n >= 16 && n%16 == 0 && n <= 256:
		return m, n, limit.Reason{}
	}
	return 0, 0, limit.Undefined.Sayf("M is %d and N is %d, which tcgen05.mma of one CTA does not have (PTX ISA 9.7.16.2.1)", m, n)
}

// accesses are those of a multiplication, and the pipe that it is executed in.
func (w *warp) accesses(in *ir.Inst, p *product, m, n int, knownA, knownB bool) order.Copy {
	c := order.Copy{Unit: order.Tensor, Pipe: w.m.pipe(pipe{w.cta.rank, p.lane, p.column, m, n, p.kind})}
	rows := fullRows
	if m == 64 {
		rows = halfRows
		if p.lane == 16 {
			rows = nil
			for _, r := range halfRows {
				rows = append(rows, r+16)
			}
		}
	}
	w.tensorRows(&c, true, p.column, n, rows...)
	elem := [...]int{2, 4, 1, 1}[p.kind]
	switch column := int(p.a & (1<<columnBits - 1)); {
	case !knownA:
		w.miss(in, limit.DataAddress.Says("where A is depends on data"))
	case !p.inTensor:
		w.sharedOperand(in, &c, "A", p.a, m, elem, p.shape>>15&1 != 0)
	case m == 128 && p.a>>columnBits == 0 && column+sliceBytes/order.ColumnBytes <= order.Columns:
		w.tensorRows(&c, false, column, sliceBytes/order.ColumnBytes, fullRows...)
	default:
		w.miss(in, limit.Access.Says("where A is in tensor memory is not followed"))
	}
	if !knownB {
		w.miss(in, limit.DataAddress.Says("where B is depends on data"))
	} else {
		w.sharedOperand(in, &c, "B", p.b, n, elem, p.shape>>16&1 != 0)
	}
	return c
}

func (w *warp) sharedOperand(in *ir.Inst, c *order.Copy, name string, desc int64, rows, elem int, transposed bool) {
	for _, x := range w.pieces(in, name, desc, rows, elem, transposed) {
		c.Accesses = append(c.Accesses, order.Span{Address: order.Address{Base: order.Shared(w.cta.rank, x.at), Size: x.size}})
	}
}

// pieces are those of an operand; what is not modelled is missed.
func (w *warp) pieces(in *ir.Inst, name string, desc int64, rows, elem int, transposed bool) []piece {
	list, why := pieces(desc, rows, elem, transposed)
	if why.Code != 0 {
		w.miss(in, why.After("where "+name+" is in shared memory is not followed: "))
	}
	return list
}

// multiplyTogether is wgmma.mma_async (PTX ISA 9.7.15.5): 64 rows of A. Each thread of the warpgroup is taken to read all of both, until
// its own wait_group; that one of them has waited may well mean that none reads any more, so a race with it is doubtful.
func (w *warp) multiplyTogether(in *ir.Inst, mask uint32) {
	w.m.doubt(in.Place, Halt{Ends: true, Why: limit.Unshown.Says("an access that may race: when the whole warpgroup has read the matrices is not told apart from when each thread has")})
	l := trailing(mask)
	ta, tb := in.Extra.Operands[0], in.Extra.Operands[1]
	elem := 1 << in.Mode
	c := order.Copy{Unit: order.Wgmma}
	for _, x := range []struct {
		name       string
		descriptor ir.Operand
		rows       int
		transposed ir.Operand
	}{{"A", in.A, 64, ta}, {"B", in.B, int(in.Size), tb}} {
		if x.descriptor == ir.None {
			continue
		}
		v := w.read(x.descriptor)
		for rest := mask; rest != 0; rest &= rest - 1 { // the same in all lanes that run it
			s, n := v.lane(trailing(rest))
			if _, first := v.lane(l); s != known || n != first {
				w.miss(in, limit.DataAddress.Says("where "+x.name+" is depends on data"))
				return
			}
		}
		_, desc := v.lane(l)
		s, t := w.lane(x.transposed, l)
		if s != known {
			w.miss(in, limit.DataAddress.Says("whether "+x.name+" is transposed depends on data"))
			return
		}
		for _, p := range w.pieces(in, x.name, warpgroupDescriptor(desc), x.rows, elem, t != 0) {
			c.Accesses = append(c.Accesses, order.Span{Address: order.Address{Base: order.Shared(w.cta.rank, p.at), Size: p.size}})
		}
	}
	w.out.Issue(in.Place, mask, c)
}

// pipe numbers the pipes.
func (m *machine) pipe(p pipe) uint32 {
	n, ok := m.pipes[p]
	if !ok {
		n = uint32(len(m.pipes) + 1)
		m.pipes[p] = n
	}
	return n
}
