package ir

import (
	"fmt"
	"math"
)

// Fault is what is wrong with a kernel.
type Fault struct {
	Inst int32 // -1: it is with none of its instructions
	Text string
	Why  string
}

func (f *Fault) Error() string {
	if f.Inst < 0 {
		return f.Why
	}
	return fmt.Sprintf("instruction %d, %s: %s", f.Inst, f.Text, f.Why)
}

// Verify reports the first thing that is wrong with a kernel as a whole: whoever gets a kernel may rely on what it asks for.
func Verify(c *Kernel) error {
	v := verifier{kernel: c, function: make([]int32, len(c.Insts)), shared: len(c.SharedVariables()), registers: c.Registers, predicates: c.Predicates}
	if why := v.whole(); why != "" {
		return &Fault{Inst: -1, Why: fmt.Sprintf("kernel %s: %s", c.Name, why)}
	}
	for k := range c.Insts {
		if why := v.inst(int32(k)); why != "" {
			return &Fault{Inst: int32(k), Text: c.Insts[k].Op.Name(), Why: why}
		}
	}
	return nil
}

// Malformed calls f for the instructions from one on that are wrong by themselves, while the kernel is being made: where its functions end, what
// types registers have and how its variables lie may not be known yet.
func Malformed(c *Kernel, start int32, f func(k int32, why string)) {
	v := verifier{kernel: c, shared: math.MaxUint16, registers: len(c.Names), predicates: len(c.Tests)}
	for k := start; int(k) < len(c.Insts); k++ {
		for _, check := range v.forms() {
			if why := check(&c.Insts[k]); why != "" {
				f(k, why)
				break
			}
		}
	}
}

type verifier struct {
	kernel                *Kernel
	function              []int32 // of instructions
	shared                int     // variables
	registers, predicates int
}

// forms are the checks of an instruction by itself.
func (v *verifier) forms() []func(*Inst) string {
	return []func(*Inst) string{v.results, v.operands, v.extras, v.details, v.typed}
}

// whole looks at what is not of one instruction.
func (v *verifier) whole() string {
	c := v.kernel
	taken := map[string]bool{}
	switch {
	case c.Registers != len(c.Names) || c.Registers != len(c.Types):
		return fmt.Sprintf("%d registers, %d names and %d types of them", c.Registers, len(c.Names), len(c.Types))
	case c.Predicates != len(c.Tests):
		return fmt.Sprintf("%d predicates and %d names of them", c.Predicates, len(c.Tests))
	case len(c.Insts) > MaxInsts:
		return fmt.Sprintf("more than %d instructions", MaxInsts)
	case c.Nothing < 0 || int(c.Nothing) >= c.Registers:
		return "no register that nothing sets"
	}
	for _, list := range [][]string{c.Names, c.Tests} {
		for _, name := range list {
			if taken[name] || Reserved(name) || name == "" {
				return fmt.Sprintf("the name %q stands for two registers or predicates, or for none", short(name))
			}
			taken[name] = true
		}
	}
	for name, r := range c.Special {
		if r < 0 || int(r) >= c.Registers || c.Names[r] != name {
			return fmt.Sprintf("the special register %s has no register of its name", name)
		}
	}
	for _, s := range c.Slots {
		if s.Register < 0 || int(s.Register) >= c.Registers {
			return fmt.Sprintf("parameter %s has no register", s.Name)
		}
	}
	for name, r := range c.Globals {
		if o := c.Variables[name]; r < 0 || int(r) >= c.Registers || o == nil || o.Space != "global" {
			return fmt.Sprintf("%s is no variable in global memory, or no register holds its address", name)
		}
	}
	return v.functions()
}

// functions have to follow each other, and to end: what runs off one would run into the next.
func (v *verifier) functions() string {
	c := v.kernel
	if len(c.Functions) == 0 {
		return "it has no function"
	}
	if len(c.Functions) != len(c.Called) {
		return fmt.Sprintf("%d functions and %d names of them", len(c.Functions), len(c.Called))
	}
	at := int32(0)
	for k, r := range c.Functions {
		if r[0] != at || r[1] <= r[0] || int(r[1]) > len(c.Insts) {
			return fmt.Sprintf("function %s does not follow the one before it", c.Called[k])
		}
		if last := &c.Insts[r[1]-1]; last.Op != Return || last.Guard >= 0 {
			return fmt.Sprintf("function %s does not end with a return", c.Called[k])
		}
		for n := r[0]; n < r[1]; n++ {
			v.function[n] = int32(k)
		}
		at = r[1]
	}
	if int(at) != len(c.Insts) {
		return "instructions behind the last function"
	}
	return ""
}

// inst looks at one instruction.
func (v *verifier) inst(k int32) string {
	c, in := v.kernel, &v.kernel.Insts[k]
	if in.Op >= ops {
		return fmt.Sprintf("there is no op %d", in.Op)
	}
	if int(in.Place) >= len(c.Places) {
		return "its place is none of the kernel's"
	}
	if in.Guard < -1 || int(in.Guard) >= c.Predicates {
		return "its guard is no predicate of the kernel"
	}
	for _, check := range append(v.forms(), v.width) {
		if why := check(in); why != "" {
			return why
		}
	}
	return v.targets(k, in)
}

func (v *verifier) fits(n int32, bank Bank) bool {
	switch {
	case n < 0:
		return true
	case bank == Register:
		return int(n) < v.registers
	}
	return bank == Predicate && int(n) < v.predicates
}

func (v *verifier) results(in *Inst) string {
	form := in.Op.form()
	if !v.fits(in.D, form.d) || !v.fits(in.E, form.e) {
		return "it has a result that it cannot have, or that the kernel does not have"
	}
	if !form.dests && len(in.Dests()) > 0 {
		return "it has more results than one"
	}
	for _, d := range in.Dests() {
		if !v.fits(d, Register) {
			return "a result is no register of the kernel"
		}
	}
	return ""
}

func (v *verifier) operands(in *Inst) string {
	form := in.Op.form()
	for k, o := range [3]Operand{in.A, in.B, in.C} {
		if int(o.Of) > v.shared || o.Of > 0 && o.Reg >= 0 {
			return "the address of a variable that is not there"
		}
		bank, name := form.operands[k], string(rune('A'+k))
		switch {
		case bank == Unused && o != None:
			return fmt.Sprintf("operand %s is there; %s has none", name, in.Op.Name())
		case o == None && bank != Unused && !form.optional[k]:
			return fmt.Sprintf("operand %s is missing", name)
		case o.Reg < -1 && o != None || !v.fits(o.Reg, bank) && bank != Unused:
			return fmt.Sprintf("operand %s is nothing of the kernel", name)
		case o.Not && bank != Predicate:
			return fmt.Sprintf("operand %s is a register and cannot be negated", name)
		}
	}
	if in.Members != None && (in.Op.row().has&masked == 0 || in.Members.Reg < -1 || in.Members.Not || !v.fits(in.Members.Reg, Register)) {
		return "the mask of its lanes is nothing of the kernel, or it can have none"
	}
	return ""
}

// extras are the operands, offsets, targets and texts that few instructions have.
func (v *verifier) extras(in *Inst) string {
	form, row := in.Op.form(), in.Op.row()
	needs := 0
	switch in.Op {
	case Bfi, Lop3:
		needs = 1
	case Async:
		needs = 4
	case TensorMultiply:
		needs = max(len(in.more()), 1)
	case WarpgroupMultiply:
		needs = 2
	}
	more := in.more()
	switch {
	case !form.more && len(more) > 0:
		return "it has more operands than " + row.name + " has"
	case needs > 0 && len(more) != needs:
		return fmt.Sprintf("it has %d operands behind the others, expected %d", len(more), needs)
	case in.Extra == nil && (row.has&worded != 0 || in.Op == BranchIndexed || in.Op == Call || in.Op == Unpack || in.Op == Pack):
		return "what it is about is missing"
	}
	for _, o := range more {
		if o == None && form.four {
			continue
		}
		if o.Reg < -1 || o.Not || !v.fits(o.Reg, Register) {
			return "an operand is nothing of the kernel"
		}
	}
	if in.Extra == nil {
		return ""
	}
	switch x := in.Extra; {
	case form.four && (len(x.Offsets) != len(more) || x.Offsets[3] != 0):
		return "its offsets are not those of its addresses"
	case !form.four && len(x.Offsets) > 0, in.Op != BranchIndexed && len(x.Targets) > 0:
		return "it has offsets or targets that it cannot have"
	case row.has&worded == 0 && in.Op != Call && x.Text != "":
		return "it has a text that it cannot have"
	}
	return ""
}

// details are the mode, flags and such.
func (v *verifier) details(in *Inst) string {
	row := in.Op.row()
	switch {
	case row.has&lanes != 0 && (in.Mode == 0 || in.Mode > Lanes):
		return fmt.Sprintf("%d lanes, expected 1 to %d", in.Mode, Lanes)
	case row.has&lanes == 0 && in.Mode != 0 && int(in.Mode) >= len(row.modes), row.has&lanes == 0 && len(row.modes) > 0 && row.modes[in.Mode] == "-":
		return fmt.Sprintf("mode %d of %s means nothing", in.Mode, row.name)
	case in.Join != 0 && (row.has&joined == 0 || in.Join > JoinXor):
		return "it joins predicates in a way that it cannot"
	case in.Flags&^row.flags != 0:
		return fmt.Sprintf("flags %#x do not fit %s", in.Flags&^row.flags, row.name)
	case int(in.Space) >= len(spaces) || row.has&spaced == 0 && in.Space != Generic:
		return "it has a state space that it cannot have"
	case int(in.Order) >= len(orders) || int(in.Scope) >= len(scopes) || row.has&ordered == 0 && (in.Order != Weak || in.Scope != NoScope):
		return "it has an order or a scope that it cannot have"
	case row.has&measured == 0 && in.Size != 0:
		return "it has a size that it cannot have"
	case !in.Op.form().address && in.Offset != 0:
		return "it has an offset and no address"
	}
	return v.size(in)
}

// size is that of the access: what each part of a vector has, as often as there are parts.
func (v *verifier) size(in *Inst) string {
	if !in.Op.Accesses() || in.Op == Outside {
		return ""
	}
	if in.Size > 128 || in.Size&(in.Size-1) != 0 {
		return fmt.Sprintf("it accesses %d bytes at once, expected a power of two up to 128", in.Size)
	}
	parts := uint32(0)
	switch in.Op {
	case Load:
		parts = uint32(len(in.Dests())) + 1
	case Store:
		parts = uint32(len(in.more())) + 1
	}
	if want := parts * uint32(in.Type.Bits) / 8; parts > 0 && in.Size != want {
		return fmt.Sprintf("it accesses %d bytes; its type and parts are %d", in.Size, want)
	}
	return ""
}

// typed looks at what types there are.
func (v *verifier) typed(in *Inst) string {
	row := in.Op.row()
	switch {
	case row.types == untyped && in.Type != Type{}, row.types != converted && row.types != alike && in.Result != Type{}, row.types == alike && in.Result != in.Type:
		return "it has a type that it cannot have"
	case row.types == converted && (in.Type.Bits == 0 || in.Result.Bits == 0):
		return "a type is missing"
	case in.Type.Signed && in.Type.Data || in.Result.Signed && in.Result.Data:
		return "its type is both of data and signed"
	case in.Op.Does(Integer) && in.Op != Move && (in.Type.Bits > 64 || in.Type.Bits < 8):
		return fmt.Sprintf("integers of %d bits; there are such of 8 to 64", in.Type.Bits)
	}
	return ""
}

// width compares types with those of registers: a value fits if the register is as wide.
func (v *verifier) width(in *Inst) string {
	types := v.kernel.Types
	t := in.resultType()
	registers, _ := in.Results()
	for _, d := range registers {
		if types[d].Bits > 0 && t.Bits > types[d].Bits {
			return fmt.Sprintf("its result of %d bits does not fit %s of %d", t.Bits, v.kernel.Names[d], types[d].Bits)
		}
	}
	if t = in.operandType(); t.Bits == 0 {
		return ""
	}
	registers, _ = in.OperandsOf()
	for _, r := range registers {
		if types[r].Bits > 0 && types[r].Bits < t.Bits {
			return fmt.Sprintf("%s has %d bits, and is read as %d", v.kernel.Names[r], types[r].Bits, t.Bits)
		}
	}
	return ""
}

// targets have to be in the same function, but for calls, which go to where one starts.
func (v *verifier) targets(k int32, in *Inst) string {
	c := v.kernel
	inside := func(t int32) bool { return t >= 0 && int(t) < len(c.Insts) && v.function[t] == v.function[k] }
	switch in.Op {
	case Branch:
		if !inside(in.Target) {
			return "it branches out of its function"
		}
	case BranchIndexed:
		for _, t := range in.Extra.Targets {
			if !inside(t) {
				return "it branches out of its function"
			}
		}
	case Call:
		if in.Target < 0 || int(in.Target) >= len(c.Insts) {
			return "it calls nothing of the kernel"
		}
		if f := v.function[in.Target]; c.Functions[f][0] != in.Target || c.Called[f] != in.Extra.Text {
			return fmt.Sprintf("it calls %s at a place where that does not start", short(in.Extra.Text))
		}
	default:
		if in.Target != 0 {
			return "it has a target that it cannot have"
		}
	}
	return ""
}
