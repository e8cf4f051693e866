package exec

import (
	"cmp"
	"sync"

	"github.com/fencepost-dev/fencepost/ir"
)

// computation is what a symbol stands for: an operation on up to three operands. An operand that varies over the lanes is
// the function of its symbol, k behind the argument; another one is the same in all lanes: a constant k, or the function of
// its symbol at k.
type computation struct {
	op   ir.Op
	what uint32 // of the operation: which formula, which part of a load
	t, u ir.Type
	s    [3]symbol
	k    [3]int64
	vary [3]bool
	any  bool // the first two operands may be exchanged
	back bool // the inverse of the operation
}

// maxSymbols bounds the table; beyond it results are unknown.
const maxSymbols = 1 << 20

// firstSymbol is the first number of a symbol; below it are known integers, told apart by their width where they are
// written.
const firstSymbol = 64

// symbols numbers computations, so that lanes, warps and CTAs agree on which values are surely the same.
type symbols struct {
	mu    sync.Mutex
	table map[computation]symbol
	made  []computation   // by number
	dirty map[symbol]bool // made of pointers that the kernel writes through
	blind map[symbol]bool // made of what an instruction gives of which nothing is known: lanes may have it alike
}

func newSymbols() *symbols {
	return &symbols{table: map[computation]symbol{}, dirty: map[symbol]bool{}, blind: map[symbol]bool{}}
}

// input is the symbol of a register that the kernel is given: what it holds is the same for all threads.
func (s *symbols) input(register int32) symbol {
	return s.of(computation{op: ir.Move, what: uint32(register)}) | linear
}

func (s *symbols) of(c computation) symbol {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.table[c]
	if !ok {
		if len(s.table) >= maxSymbols {
			return unknown
		}
		n = symbol(len(s.table)) + firstSymbol
		s.table[c] = n
		s.made = append(s.made, c)
		for _, part := range c.s {
			if s.dirty[part] {
				s.dirty[n], s.dirty[n|linear] = true, true
			}
			if s.blind[part] {
				s.blind[n] = true
			}
		}
	}
	return n
}

// combine is the result of an operation on values of which at least one is not known. Those that vary over the lanes must do
// so alike.
func (w *warp) combine(n computation, operands ...value) value {
	if n.any && operands[1].before(&operands[0]) { // both orders are one computation
		operands[0], operands[1] = operands[1], operands[0]
	}
	arg := value{}
	for i, o := range operands {
		switch {
		case o.sym == unknown || o.spread != nil || o.sym == known && o.stride != 0:
			return top
		case o.stride == 0:
			n.s[i], n.k[i] = o.sym, o.base
		case arg.stride == 0:
			arg.base, arg.stride = o.base, o.stride
			n.s[i], n.vary[i] = o.sym, true
		case o.stride != arg.stride:
			return top
		default:
			n.s[i], n.vary[i], n.k[i] = o.sym, true, o.base-arg.base
		}
	}
	if of, is := w.m.symbols.undone(&n); is {
		return value{sym: of.s[0], base: arg.base + n.k[0] + of.k[0], stride: arg.stride}
	}
	arg.sym = w.symbol(n)
	if arg.sym == unknown {
		return top
	}
	return arg
}

// undone is the computation that another one is the inverse of.
func (s *symbols) undone(n *computation) (of computation, is bool) {
	if n.op != ir.Apply || n.s[0]&^linear < firstSymbol || n.s[1]|n.s[2] != known || n.k[1]|n.k[2] != 0 {
		return of, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	of = s.made[n.s[0]&^linear-firstSymbol]
	return of, of.op == ir.Apply && of.what == n.what && of.back != n.back && of.s[1]|of.s[2] == known && of.k[1]|of.k[2] == 0 && (of.vary[0] || n.k[0] == 0 && !n.vary[0])
}

// before puts values in an order, which means nothing.
func (v *value) before(u *value) bool {
	return cmp.Or(cmp.Compare(v.sym, u.sym), cmp.Compare(v.stride, u.stride), cmp.Compare(v.base, u.base)) < 0
}

func (s *symbols) hide(n symbol) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blind[n] = true
}

func (s *symbols) isBlind(n symbol) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.blind[n]
}

func (s *symbols) isDirty(n symbol) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dirty[n]
}

// formula is an operation on data.
func (w *warp) formula(in *ir.Inst) value {
	return w.combineAll(computation{op: ir.Apply, what: in.Size, any: in.Flags&ir.Commutative != 0, back: in.Flags&ir.Inverse != 0}, &w.scratch, w.read(in.A), w.read(in.B), w.read(in.C))
}

// combineAll combines values, lane by lane where they are not affine; the result may be in s.
func (w *warp) combineAll(n computation, s *spread, a, b, c value) value {
	if a.spread == nil && b.spread == nil && c.spread == nil {
		return w.combine(n, a, b, c)
	}
	for l := 0; l < ir.Lanes; l++ {
		var x [3]value
		for k, v := range [...]*value{&a, &b, &c} {
			x[k].sym, x[k].base = v.lane(l)
		}
		r := w.combine(n, x[:]...)
		s.sym[l], s.v[l] = r.sym, r.base
	}
	return w.settle(s)
}
