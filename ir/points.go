package ir

import (
	"fmt"
	"math"
	"strings"
)

// Target is what an address operand may be: bytes from Low on and before High of a state space, or, where a buffer is named, of what that points to.
// What is not known is the whole space. Ranges speak of bytes and not of variables: whoever uses the same bytes under another name, or as part of
// another array, has a range that overlaps.
type Target struct {
	Space     Space // Generic: which one is not known
	Shared    bool  // of a generic address: it may be one of shared memory
	Ranged    bool
	Low, High int64
	Stride    int64  // from one thread to the next along x, where the address is a sum; 0: the same, or not known
	Buffer    string // the part of a parameter, or the global variable, that the address starts from
	Starts    string // the same, however far from its start the address may be
	Step      int64  // what is added to that, but for the constant, is a multiple of this; 0: nothing is
	Array     int64  // of an address that is somewhere in an array (see Add): where that begins, from what Starts names
	Bytes     int64  // of that array; 0: it is in none that is known
	Operand   int    // of which: 0 is A, or of an asynchronous operation where it writes, 1 where it reads, 2 its mbarrier
	Address   Form
	Objects   []*Variable // the shared variables that the address is made of, or that the range overlaps
	buffer    int32       // the value that Buffer names
}

// Points are the targets of all address operands. All are may.
type Points struct {
	c       *Kernel
	a       *Affine
	o       *Origins
	shared  []*Variable
	buffers map[int32]string // registers that hold where buffers start
	targets map[int32][]Target
	decided []decision
}

var points = &pass[*Points]{name: "points-to", number: 8, needs: []Pass{affine, ssa, controlFlow, origins}, run: (*Kernel).findTargets, print: (*Kernel).printTargets,
	doc: "the memory that address operands may be of: its space, or the buffer they start from, and the bytes, where sums and the conditions on the way say so (may)"}

// TargetsOf lists what the address operands of an instruction may be.
func (c *Kernel) TargetsOf(k int32) []Target { return points.of(c).targets[k] }

// decision is the condition under which a block is come to: a predicate, and whether it holds. 0: there is none.
type decision struct {
	predicate int32
	holds     bool
}

// maxDecisions bounds how far up conditions are looked for.
const maxDecisions = 48

func (c *Kernel) findTargets() *Points {
	p := &Points{c: c, a: c.Affine(), o: origins.of(c), shared: c.SharedVariables(), buffers: map[int32]string{}, targets: map[int32][]Target{}}
	for _, s := range c.Slots {
		if s.Pointer {
			p.buffers[s.Register] = s.Called()
		}
	}
	for r, name := range c.Names {
		if strings.HasPrefix(name, "&") { // the address of a global variable
			p.buffers[int32(r)] = name
		}
	}
	fl := p.a.fl
	p.decided = make([]decision, fl.Blocks())
	for b := range p.decided {
		p.decided[b] = p.decides(int32(b))
	}
	for b := range p.decided {
		for k := fl.Start(int32(b)); k <= fl.Last(int32(b)) && fl.Reached(int32(b)); k++ {
			p.find(k)
		}
	}
	return p
}

// decides is the condition of the only branch that leads to a block.
func (p *Points) decides(b int32) (d decision) {
	fl := p.a.fl
	if len(fl.before[b]) != 1 || p.c.FunctionOf(fl.Start(b))[0] == fl.Start(b) {
		return d
	}
	last := fl.Last(fl.before[b][0])
	in := &p.c.Insts[last]
	if in.Op != Branch || in.Guard < 0 || len(fl.next[fl.before[b][0]]) != 2 || !fl.Reached(b) {
		return d
	}
	taken := fl.BlockOf(in.Target) == b
	return decision{p.a.s.Read(last, Operand{Reg: in.Guard}, Predicate), taken != in.GuardNot}
}

// find is of one instruction.
func (p *Points) find(k int32) {
	in := &p.c.Insts[k]
	switch {
	case in.Op == Async:
		size := p.a.Of(k, in.B)
		bytes := max(size.High, 0)
		if in.B.Reg < 0 && in.B.Imm == 0 { // of a tensor it is not known
			bytes = math.MaxInt64
		}
		for n, o := range in.Extra.Operands[:min(3, len(in.Extra.Operands))] {
			space := Global
			if n == 0 && in.Flags&ToShared != 0 || n == 1 && in.Flags&FromShared != 0 || n == 2 {
				space = Shared
			}
			if n == 2 {
				bytes = 8
			}
			if o != None {
				p.put(k, n, space, o, in.Extra.Offsets[n], bytes)
			}
		}
	case !in.Op.form().address || in.Op.row().has&spaced == 0 || in.A == None:
	case in.Op.Does(Reads | Writes | Counts):
		size := int64(in.Size)
		if in.Op.Does(Counts) || in.Op == TensorAlloc {
			size = 8
		}
		p.put(k, 0, in.Space, in.A, in.Offset, size)
	}
}

func (p *Points) put(k int32, operand int, space Space, o Operand, offset, size int64) {
	base := p.a.Of(k, o)
	f := base.plus(constantForm(offset), 1)
	t := Target{Space: space, Operand: operand, Address: f, Shared: space == Shared || space == Generic && o.Reg >= 0 && p.o.shared[o.Reg]}
	for _, n := range p.o.objects(o) {
		if n != manyObjects {
			t.Objects = append(t.Objects, p.shared[n-1])
		}
	}
	low, high := p.between(k, &base)
	low, high = plusSpan(low, high, offset, offset, 1)
	if space == Generic || space == Shared && operand < 3 && low >= 1<<WindowBits {
		t.enter(&low, &high)
	}
	if t.Space == Global || t.Space == Generic && !t.Shared {
		if n, name := p.start(&f); n > 0 {
			t.Starts, t.Step = name, f.step(n)
			t.Array, t.Bytes = p.array(k, o, n)
			rest := f.plus(p.a.Forms[n], -1)
			rest = p.a.settle(rest)
			if least, most := p.between(k, &rest); f.Bits == 64 && least > math.MinInt64 && most < math.MaxInt64 {
				t.buffer, t.Buffer, t.Space, low, high = n, name, Global, least, most
			}
		}
	}
	if low > math.MinInt64 && high < math.MaxInt64-size && (t.buffer > 0 || t.Space != Generic && t.Space != Global && low >= 0 && high+size <= 1<<RankBits) {
		t.Ranged, t.Low, t.High = true, low, high+size
	}
	for _, term := range f.Terms {
		if term.Atom > 0 && p.a.read[p.a.s.Values[term.Atom].Of] == "%tid.x" && p.a.Known(&f) {
			t.Stride = term.By
		}
	}
	if t.Space == Shared && t.Ranged {
		t.Objects = nil
		for _, v := range p.shared {
			if t.High > v.At && (v.Size < 0 || t.Low < v.At+v.Size) {
				t.Objects = append(t.Objects, v)
			}
		}
	}
	p.targets[k] = append(p.targets[k], t)
}

// array is where the array begins that an address is said to be in, from where a buffer starts, and how many bytes it has; of none 0.
func (p *Points) array(k int32, o Operand, start int32) (at, bytes int64) {
	made := p.a.s.made(k, o)
	if made < 0 || p.c.Insts[made].Op != Add || p.c.Insts[made].Size == 0 {
		return 0, 0
	}
	first := p.a.Of(made, p.c.Insts[made].A)
	first = first.plus(p.a.Forms[start], -1)
	if first = p.a.settle(first); len(first.Terms) > 0 {
		return 0, 0
	}
	return first.Const, int64(p.c.Insts[made].Size)
}

// enter finds the space of a generic address (PTX ISA 5.1), and makes of it an address there.
func (t *Target) enter(low, high *int64) {
	window := *low >> WindowBits
	if window != *high>>WindowBits || window < 1 || window > LocalWindow>>WindowBits {
		return
	}
	t.Space = map[int64]Space{SharedWindow: Shared, ConstWindow: Const, LocalWindow: Local}[window<<WindowBits]
	*low, *high = *low-window<<WindowBits, *high-window<<WindowBits
	t.Shared = t.Space == Shared
}

// start is the buffer that a sum starts from: its only term of that kind, taken once.
func (p *Points) start(f *Form) (atom int32, name string) {
	for _, t := range f.Terms {
		if t.Atom <= 0 || p.a.s.Values[t.Atom].Kind != Given {
			continue
		}
		if called, is := p.buffers[p.a.s.Values[t.Atom].Of]; is {
			if atom != 0 || t.By != 1 {
				return 0, ""
			}
			atom, name = t.Atom, called
		}
	}
	return atom, name
}

// step is what all terms of a form are multiples of, but for that of one atom.
func (f *Form) step(but int32) (by int64) {
	for _, t := range f.Terms {
		for at := t.By; t.Atom != but && at != 0; {
			by, at = at, by%at
		}
	}
	return max(by, -by)
}

// fact says from which number to which a form goes.
type fact struct {
	form      Form
	low, high int64
}

// between are the numbers that a form comes to at an instruction, with the conditions under which that is executed.
func (p *Points) between(k int32, f *Form) (low, high int64) {
	low, high = f.Low, f.High
	var facts []fact
	in := &p.c.Insts[k]
	if in.Guard >= 0 {
		facts = p.facts(facts, decision{p.a.s.Read(k, Operand{Reg: in.Guard}, Predicate), !in.GuardNot}, 0)
	}
	b := p.a.fl.BlockOf(k)
	for n := 0; b >= 0 && n < maxDecisions; n++ {
		facts = p.facts(facts, p.decided[b], 0)
		b = p.a.fl.above[b]
	}
	limits := map[int32][2]int64{}
	for _, x := range facts {
		if len(x.form.Terms) == 1 {
			narrow(limits, &x)
		}
	}
	g := *f
	g.Low, g.High = low, high
	least, most := p.a.numbers(f, limits)
	if g.join(least, most); g.Bits < 64 {
		return low, high
	}
	low, high = g.Low, g.High
	for _, x := range facts {
		if len(x.form.Terms) < 2 {
			continue
		}
		by := int64(0) // how often it is in the form
		for _, t := range f.Terms {
			if t.Atom == x.form.Terms[0].Atom && t.By%x.form.Terms[0].By == 0 {
				by = t.By / x.form.Terms[0].By
			}
		}
		if by == 0 {
			continue
		}
		rest := f.plus(x.form, -by)
		least, most := p.a.numbers(&rest, limits)
		least, most = plusSpan(least, most, x.low, x.high, by)
		low, high = max(low, least), min(high, most)
	}
	if low > high { // nobody comes there
		return f.Low, f.High
	}
	return low, high
}

// narrow says what a fact with one term says of that.
func narrow(limits map[int32][2]int64, x *fact) {
	const far = 1 << 61 // what is farther is no limit
	t, by := x.form.Terms[0], x.form.Const
	if max(by, -by) > far {
		return
	}
	low, high := max(x.low, -2*far)-by, min(x.high, 2*far-1)-by
	if t.By < 0 {
		low, high, t.By = -high, -low, -t.By
	}
	now, met := limits[t.Atom]
	if !met {
		now = [2]int64{math.MinInt64, math.MaxInt64}
	}
	if low > -far {
		now[0] = max(now[0], -floor(-low, t.By))
	}
	if high < far {
		now[1] = min(now[1], floor(high, t.By))
	}
	limits[t.Atom] = now
}

// floor divides by a positive number, downwards.
func floor(n, by int64) int64 {
	if n < 0 {
		return -((-n + by - 1) / by)
	}
	return n / by
}

// facts adds what follows from a predicate that holds, or does not.
func (p *Points) facts(facts []fact, d decision, depth int) []fact {
	if d.predicate <= 0 || depth > 4 {
		return facts
	}
	v := &p.a.s.Values[d.predicate]
	if v.Kind != Defined || len(v.From) > 0 {
		return facts
	}
	in := &p.c.Insts[v.At]
	of := func(o Operand, holds bool) {
		if o.Reg >= 0 {
			facts = p.facts(facts, decision{p.a.s.Read(v.At, o, Predicate), holds != o.Not}, depth+1)
		}
	}
	switch {
	case in.Op == Logic && (in.Mode == JoinAnd && d.holds || in.Mode == JoinOr && !d.holds):
		of(in.A, d.holds)
		of(in.B, d.holds)
	case in.Op == Logic && (in.Mode == JoinNot || in.Mode == JoinMove):
		of(in.A, d.holds != (in.Mode == JoinNot))
	case in.Op == Setp && !in.Type.Data && (in.Join == 0 || in.Join == JoinAnd && d.holds || in.Join == JoinOr && !d.holds):
		second := in.E >= 0 && v.Of == int32(p.c.Registers)+in.E
		if in.Join != 0 {
			of(in.C, d.holds)
		}
		if second && in.D == in.E {
			return facts
		}
		return p.compared(facts, v.At, d.holds != second)
	}
	return facts
}

// compared adds what follows of the sides of a comparison.
func (p *Points) compared(facts []fact, k int32, holds bool) []fact {
	in := &p.c.Insts[k]
	mode := in.Mode
	if !holds {
		mode = [...]uint8{0, NotEqual, Equal, GreaterEqual, Greater, LessEqual, Less}[mode]
	}
	sides := [2]Operand{in.A, in.B}
	forms := [2]Form{p.a.Of(k, in.A), p.a.Of(k, in.B)}
	for n, o := range sides {
		x, y := forms[n], forms[1-n]
		if n == 1 {
			mode = [...]uint8{0, Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual}[mode]
		}
		if o.Reg < 0 || x.Bits < 64 || len(x.Terms) == 0 {
			continue
		}
		low, high := in.Type.signed().span()
		y, ok := p.a.brought(in.Type, y)
		if !ok || !x.within(low, high) {
			continue
		}
		if _, same := p.a.brought(in.Type, x); !same || !in.Type.Signed && x.Low < 0 {
			// Without a sign negative numbers are above all others.
			if y.High > high || y.Low < 0 || mode != Less && mode != LessEqual && mode != Equal {
				continue
			}
			x.Low = 0
		}
		if !in.Type.Signed && y.Low < 0 {
			continue
		}
		f := fact{x, x.Low, x.High}
		switch mode {
		case Equal:
			f.low, f.high = max(f.low, y.Low), min(f.high, y.High)
		case Less:
			f.high = min(f.high, max(y.High, math.MinInt64+1)-1)
		case LessEqual:
			f.high = min(f.high, y.High)
		case Greater:
			f.low = max(f.low, min(y.Low, math.MaxInt64-1)+1)
		case GreaterEqual:
			f.low = max(f.low, y.Low)
		default:
			continue
		}
		if least, most := p.a.numbers(&x, nil); least > math.MinInt64 && most < math.MaxInt64 {
			facts = append(facts, f)
		}
	}
	return facts
}

// Text is a target, for reading.
func (t *Target) Text() string {
	var out strings.Builder
	out.WriteString(spaces[t.Space])
	switch {
	case t.Space == Generic && t.Shared:
		out.WriteString("any memory")
	case t.Space == Generic:
		out.WriteString("any memory that is not shared")
	}
	if t.Buffer != "" {
		fmt.Fprintf(&out, " from %s on", t.Buffer)
	}
	if t.Ranged {
		fmt.Fprintf(&out, ", bytes %d to %d", t.Low, t.High)
	} else {
		out.WriteString(", any bytes")
	}
	if t.Stride != 0 {
		fmt.Fprintf(&out, ", %d from one thread to the next", t.Stride)
	}
	for k, v := range t.Objects {
		fmt.Fprintf(&out, "%s %s", map[bool]string{true: ": of", false: ","}[k == 0], v.Name)
	}
	return out.String()
}

func (c *Kernel) printTargets(p *Points) string {
	var out strings.Builder
	text := c.texts()
	fl := c.Flow()
	for k := range c.Insts {
		for _, t := range p.targets[int32(k)] {
			which := [...]string{"", " writes", " reads", " tells"}
			n := 0
			if c.Insts[k].Op == Async {
				n = t.Operand + 1
			}
			fmt.Fprintf(&out, "b%d: %s:%s %s\n", fl.BlockOf(int32(k)), text(int32(k)), which[n], t.Text())
		}
	}
	return out.String()
}
