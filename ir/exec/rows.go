package exec

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// sum is a function that a symbol stands for, where it is a sum: of multiples of what the kernel is given, of a number, and of a multiple of the argument. That integers do not overflow is taken
// for granted, as it is for signed ones (C++17 [expr.pre]/4): an address that has wrapped round is in no array.
type sum struct {
	terms  map[symbol]int64
	at, by int64
	text   string // of the terms
}

// maxTerms bounds the terms of a sum, maxSpots the sums by which what one parameter leads to is accessed, and maxSettled the places that are known so.
const (
	maxTerms   = 8
	maxSpots   = 256
	maxSettled = 1 << 18
)

// sums are those that symbols stand for.
type sums struct {
	mu      sync.Mutex
	symbols *symbols
	known   map[symbol]*sum
}

// of is the sum that a symbol stands for; nil where it is none.
func (s *sums) of(n symbol) *sum {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made(n, 0)
}

func (s *sums) made(n symbol, depth int) *sum {
	switch {
	case n == known:
		return &sum{by: 1}
	case n == unknown || depth > maxDepth:
		return nil
	}
	out, met := s.known[n]
	if !met {
		s.symbols.mu.Lock()
		c := s.symbols.made[n&^linear-firstSymbol]
		s.symbols.mu.Unlock()
		if out = s.computed(n, &c, depth); out != nil {
			out = &sum{terms: out.terms, at: out.at, by: out.by}
			for _, t := range slices.Sorted(maps.Keys(out.terms)) {
				out.text += fmt.Sprint(t, " ", out.terms[t], " ")
			}
		}
		s.known[n] = out
	}
	return out
}

func (s *sums) computed(n symbol, c *computation, depth int) *sum {
	var operands [3]*sum
	for k, part := range c.s {
		x := s.made(part, depth+1)
		if x == nil {
			return nil
		}
		y := &sum{terms: x.terms, at: x.at + x.by*c.k[k]}
		if c.vary[k] {
			y.by = x.by
		}
		operands[k] = y
	}
	a, b := operands[0], operands[1]
	switch {
	case n&linear != 0 && c.op == ir.Move:
		return &sum{terms: map[symbol]int64{n: 1}, by: 1}
	case n&linear != 0 && c.op == ir.Nop:
		return &sum{terms: a.terms, at: a.at, by: 1}
	case n&linear != 0:
		return nil
	case c.op == ir.Add:
		return a.plus(b, 1)
	case c.op == ir.Sub:
		return a.plus(b, -1)
	case (c.op == ir.Mul || c.op == ir.MulWide) && b.constant():
		return (&sum{}).plus(a, b.at)
	case (c.op == ir.Mul || c.op == ir.MulWide) && a.constant():
		return (&sum{}).plus(b, a.at)
	case c.op == ir.Shl && b.constant() && b.at >= 0 && b.at < 32:
		return (&sum{}).plus(a, 1<<b.at)
	case c.op == ir.Convert && c.u.Bits >= c.t.Bits, c.op == ir.Move:
		return a
	}
	return nil
}

func (x *sum) constant() bool { return len(x.terms) == 0 && x.by == 0 }

// plus is the sum with a multiple of another one; nil where that has too many terms.
func (x *sum) plus(y *sum, times int64) *sum {
	out := &sum{terms: map[symbol]int64{}, at: x.at + times*y.at, by: x.by + times*y.by}
	for n, by := range x.terms {
		out.terms[n] = by
	}
	for n, by := range y.terms {
		if out.terms[n] += times * by; out.terms[n] == 0 {
			delete(out.terms, n)
		}
	}
	if len(out.terms) > maxTerms {
		return nil
	}
	return out
}

// spot is what an instruction accesses behind what a parameter leads to, by sums with the same terms: so many bytes from and to, besides these.
type spot struct {
	of       *sum
	in       *ir.Inst
	write    bool
	from, to int64
}

// spots are those of one parameter.
type spots struct {
	list map[spotKey]*spot
	size uint32           // of all accesses
	odd  map[string]int64 // by terms, what is left of a place by that size
	met  map[settled]function
}

type spotKey struct {
	terms string
	in    *ir.Inst
}

type settled struct {
	terms string
	at    int64
}

// function is one of a symbol, at an argument.
type function struct {
	form symbol
	at   int64
}

// spotted notes an access, and gives the function by which its place was come to first; false where its address is no sum, or accesses may be of parts of each other. The lock is held.
func (m *machine) spotted(name string, in *ir.Inst, form symbol, n int64) (first function, ok bool) {
	of := m.sums.of(form)
	if of == nil || in.Size == 0 {
		return first, false
	}
	all, at := m.spots[name], of.at+of.by*n
	if all == nil {
		all = &spots{list: map[spotKey]*spot{}, size: in.Size, odd: map[string]int64{}, met: map[settled]function{}}
		m.spots[name] = all
	}
	size := int64(in.Size)
	odd, known := all.odd[of.text]
	if left := (at%size + size) % size; in.Size != all.size || known && odd != left {
		return first, false
	} else {
		all.odd[of.text] = left
	}
	key := spotKey{of.text, in}
	s := all.list[key]
	if s == nil {
		if len(all.list) >= maxSpots {
			return first, false
		}
		s = &spot{of: of, in: in, write: in.Op != ir.Load, from: at, to: at}
		all.list[key] = s
	}
	first, met := all.met[settled{of.text, at}]
	if !met {
		if len(all.met) >= maxSettled {
			return first, false
		}
		first = function{form, n}
		all.met[settled{of.text, at}] = first
	}
	s.from, s.to = min(s.from, at), max(s.to, at+size)
	return first, true
}

// settleRows compares the accesses of what each parameter leads to, by functions that differ in a multiple of one number: they are apart if that is large enough. The extents of the grid are 1 at least; of an
// integer that threads multiply by numbers of their own, as the length of a row is, it is assumed that rows do not overlap.
func (m *machine) settleRows() {
	for _, name := range slices.Sorted(maps.Keys(m.spots)) {
		list := slices.SortedFunc(maps.Values(m.spots[name].list), func(a, b *spot) int {
			return cmp.Or(cmp.Compare(a.in.Place, b.in.Place), cmp.Compare(a.from, b.from), cmp.Compare(a.of.text, b.of.text))
		})
		multiples := map[multiplied]map[int64]bool{}
		for _, s := range list {
			for n, by := range s.of.terms {
				key := multiplied{n, s.in}
				if multiples[key] == nil {
					multiples[key] = map[int64]bool{}
				}
				multiples[key][by] = true
			}
		}
		least := map[symbol]int64{}
		for i, a := range list {
			for _, b := range list[i:] {
				if a.of.text == b.of.text || !a.write && !b.write || m.rowsApart(a, b, multiples, least) {
					continue
				}
				if a.write && b.write {
					m.uncompared(a.in, limit.Input.Says("a parameter's memory is accessed at places whose distance is not known"), nil)
				} else {
					m.conflict(a.in, limit.Input.Says("a parameter's memory is read and written at places whose distance is not known"))
				}
			}
		}
		for n, most := range least {
			m.assume(fmt.Sprintf("%s is at least %d: rows of what %s leads to do not overlap", m.symbols.text(m.kernel, n, 0, 0), most, name))
		}
	}
}

// multiplied is a number of whose multiples the places are that an instruction accesses.
type multiplied struct {
	number symbol
	in     *ir.Inst
}

// rowsApart reports whether two spots have no byte in common, and says of an integer how large it has to be for that.
func (m *machine) rowsApart(a, b *spot, multiples map[multiplied]map[int64]bool, least map[symbol]int64) bool {
	d := a.of.plus(b.of, -1)
	if d == nil || len(d.terms) > 1 {
		return false
	}
	for n, by := range d.terms {
		need := b.to - a.from
		if by < 0 {
			by, need = -by, a.to-b.from
		}
		at := (need + by - 1) / by
		name := m.symbols.text(m.kernel, n, 0, 0)
		switch {
		case strings.HasPrefix(name, "%nctaid."):
			return at <= 1
		case m.leads[n] != "" || strings.HasPrefix(name, "%") || need <= int64(a.in.Size) || at > 1<<16 || len(multiples[multiplied{n, a.in}]) < 2 && len(multiples[multiplied{n, b.in}]) < 2:
			return false
		}
		least[n] = max(least[n], at)
		return true
	}
	return a.to <= b.from || b.to <= a.from // not come to: of different terms some are left
}

// inRows names a place that is so many bytes behind an address, where that is a sum: picture[2 * pitch + 3]; "" where it is none, or not of whole elements of so many bytes.
func (e *Execution) inRows(base symbol, behind, size int64) string {
	of := e.sums.of(base)
	if of == nil {
		return ""
	}
	at := of.at + of.by*behind
	pointer, parts := "", []string(nil)
	for n, by := range of.terms {
		name := e.symbols.text(e.Kernel, n, 0, 0)
		switch {
		case e.leads[n] != "" && by == 1 && pointer == "":
			pointer = strings.TrimPrefix(name, "&") // of a variable
		case name == "" || by%size != 0:
			return ""
		case by == size:
			parts = append(parts, name)
		default:
			parts = append(parts, fmt.Sprintf("%d * %s", by/size, name))
		}
	}
	if pointer == "" || at%size != 0 {
		return ""
	}
	slices.Sort(parts)
	if at != 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprint(at/size))
	}
	return pointer + "[" + strings.ReplaceAll(strings.Join(parts, " + "), "+ -", "- ") + "]"
}
