package ir

import "slices"

// Effect is what an instruction does besides setting its results.
type Effect uint16

const (
	Integer   Effect = 1 << iota // its result is what [Inst.Compute] says
	Computes                     // its results follow from its operands
	Exchanges                    // between the lanes of a warp, which wait for each other there if it is .sync
	Reads                        // memory
	Writes                       // memory
	Jumps                        // control may go on elsewhere
	Blocks                       // waits for other threads, or for asynchronous operations
	Signals                      // others may wait for it
	Counts                       // changes or tests the count of an mbarrier, or may
	Orders                       // memory, for the thread that executes it
	Opaque                       // does more than is known
	Commutes                     // A and B may be exchanged
)

// effects are the names of the effects, in their order.
var effects = []string{"integer", "computes", "exchanges", "reads", "writes", "jumps", "blocks", "signals", "counts", "orders", "opaque", "commutes"}

// Name is the op's name in the text form.
func (o Op) Name() string { return o.row().name }

func (o Op) String() string { return o.row().name }

// Means says what the op does, in words.
func (o Op) Means() string { return o.row().means }

// Named is the name of the instruction's mode.
func (in *Inst) Named() string {
	if modes := in.Op.row().modes; int(in.Mode) < len(modes) {
		return modes[in.Mode]
	}
	return ""
}

// ModeOf is the number of an op's mode of a name; -1 if it has none.
func ModeOf(o Op, name string) int {
	if name == "" {
		return -1
	}
	return slices.Index(o.row().modes, name)
}

// Does reports whether the op has one of some effects.
func (o Op) Does(e Effect) bool { return o.row().does&e != 0 }

// Accesses reports whether the op reads or writes memory itself, at once.
func (o Op) Accesses() bool { return o.Does(Reads|Writes) && !o.Does(Signals) }

// Synchronizes reports whether other threads may wait for the op, or it for them or for asynchronous operations.
func (o Op) Synchronizes() bool { return o.Does(Blocks | Signals) }

// Branches reports whether control may go on elsewhere than at the next instruction.
func (o Op) Branches() bool { return o.Does(Jumps) }

func (o Op) row() *row {
	if o >= ops {
		return &table[Nop]
	}
	return &table[o]
}

// Ops lists all ops, in the order of the manual.
func Ops() []Op {
	out := make([]Op, ops)
	for o := range out {
		out[o] = Op(o)
	}
	return out
}

// Mbarriers reports whether a kernel has anything to do with mbarriers.
func (c *Kernel) Mbarriers() bool {
	return slices.ContainsFunc(c.Insts, func(in Inst) bool {
		return in.Op.Does(Counts) && in.Op != Async || in.Op == Async && in.Extra.Operands[2] != None
	})
}
