package ir

import "github.com/fencepost-dev/fencepost/limit"

// Comparisons of setp and set.
const (
	Equal uint8 = iota + 1
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
)

// Ways to join predicates.
const (
	JoinAnd uint8 = iota + 1
	JoinOr
	JoinXor
	JoinNot
	JoinMove
)

// Operand is a register, or a constant where reg is negative. For predicates not says that the contrary is meant.
type Operand struct {
	Imm int64
	Reg int32
	Not bool
	Of  uint16 // of a constant: the number, from 1 on, of the shared variable whose address it is made of; 0: none
}

var None = Operand{Reg: -2}

// Inst is a compiled instruction.
type Inst struct {
	Op           Op
	Mode         uint8 // what of the opcode: a comparison, a mode
	Join         uint8 // of setp: how the result is joined with a predicate
	GuardNot     bool
	Type, Result Type
	Guard        int32 // a predicate, -1: none
	D, E         int32 // results: registers, or predicates where the opcode says so; -1: none
	A, B, C      Operand
	Members      Operand // the lanes that wait for each other there
	Target       int32
	Place        uint32
	Size         uint32 // bytes of an access
	Space        Space
	Order        Order
	Scope        Scope
	Flags        Flags
	Offset       int64 // added to the address in a
	Extra        *Extra
}

// Extra is what few instructions have.
type Extra struct {
	Dests    []int32
	Operands []Operand
	Offsets  []int64 // added to the operands
	Targets  []int32
	Text     string
	Code     limit.Code // of a Stop and of an Outside: of the reason that Text is
}

// Because is what an instruction has that is not followed.
func Because(why limit.Reason) *Extra { return &Extra{Text: why.Text, Code: why.Code} }

// Reason is why the instruction is not followed.
func (x *Extra) Reason() limit.Reason { return x.Code.Says(x.Text) }

// Blank is an instruction without results and operands.
func Blank(op Op) Inst {
	return Inst{Op: op, D: -1, E: -1, A: None, B: None, C: None, Members: None}
}

// Unit is what executes asynchronous operations; each counts groups of its own. Loads and stores of tensor memory are of a unit each:
// tcgen05.wait waits for all of one, as for a group.
type Unit uint8

const (
	CpAsync Unit = iota // cp.async
	Bulk                // cp.async.bulk
	Wgmma
	TensorCore // tcgen05.mma, tcgen05.cp
	TensorLoads
	TensorStores
)

// Flags are details of an instruction.
type Flags uint32

const (
	Aligned Flags = 1 << iota
	Token         // waits by token, or makes one
	Drop
	Reduction // an asynchronous reduction: atomic, not a write
	NoInc
	ReadsDone // .read: waits until the operations have read only
	Multicast
	Tensor
	Write   // of an opcode that reads or writes
	Changes // of a load: others may write there at any time
	Arrives // of a barrier: does not wait
	ToShared
	FromShared
	Meets       // the lanes of a mask wait for each other (.sync)
	Commutative // of an operation on data: A and B may be exchanged
	AInTensor   // of a matrix multiplication: A is in tensor memory
	Inverse     // of an operation on data: gives back what the formula was of
	MayMeet     // of what is not followed: it may synchronize, too
	Gathers     // of a barrier: what follows takes something that every thread of the CTA has put down before it
)

// Space is a state space.
type Space uint8

const (
	Generic Space = iota
	Shared
	Global
	Const
	Local
	Param
)

// Dests lists the results of an instruction behind the first.
func (in *Inst) Dests() []int32 {
	if in.Extra == nil {
		return nil
	}
	return in.Extra.Dests
}

// Order is the order of an access, or of a fence (PTX ISA 8.3, 9.7.9.8, 9.7.13.4).
type Order uint8

const (
	Weak Order = iota
	Relaxed
	Acquire
	Release
	AcquireRelease
	Sequential // fence.sc
	Volatile   // as relaxed, for all that see the memory
	MMIO       // once and no more, for devices
)

var orders = []string{"", "relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio"}

func (o Order) String() string { return named(orders, int(o), "weak") }

// Scope is the threads for which an access or a fence is in order (PTX ISA 8.5).
type Scope uint8

const (
	NoScope Scope = iota
	ScopeCTA
	ScopeCluster
	ScopeGPU
	ScopeSys
)

var scopes = []string{"", "cta", "cluster", "gpu", "sys"}

func (s Scope) String() string { return named(scopes, int(s), "none") }

// Proxy is the way to memory that a fence is about, besides the threads' own (PTX ISA 8.6), or the engine; it is a fence's Mode.
type Proxy = uint8

const (
	NoProxy Proxy = iota
	ProxyAlias
	ProxyAsync
	ProxyAsyncToGeneric // fence.proxy.async::generic
	ProxyTensormap      // fence.proxy.tensormap::generic
	MbarrierInit        // fence.mbarrier_init
	WgmmaFence          // wgmma.fence: of registers and shared memory
	Tcgen05Before       // tcgen05.fence::before_thread_sync
	Tcgen05After        // tcgen05.fence::after_thread_sync
)

// What a GridDependency is about (PTX ISA 9.7.13.13).
const (
	LaunchDependents uint8 = iota
	WaitForGrids
)

var fences = []string{"", "alias", "async", "async_to_generic", "tensormap", "mbarrier_init", "wgmma", "before_sync", "after_sync"}

// named is the n-th name of a list; the first one may be empty in the text form.
func named(names []string, n int, first string) string {
	switch {
	case n >= len(names):
		return "unknown"
	case names[n] == "":
		return first
	}
	return names[n]
}

// Results lists the registers and predicates that an instruction sets.
func (in *Inst) Results() (registers, predicates []int32) {
	f := in.Op.form()
	put := func(b Bank, n int32) {
		switch {
		case n < 0: // a sink is none
		case b == Predicate:
			predicates = append(predicates, n)
		case b == Register:
			registers = append(registers, n)
		}
	}
	put(f.d, in.D)
	put(f.e, in.E)
	if in.Extra != nil {
		for _, d := range in.Extra.Dests {
			put(Register, d)
		}
	}
	return registers, predicates
}

// OperandsOf lists the registers and predicates that an instruction reads, its guard and the mask of its lanes apart.
func (in *Inst) OperandsOf() (registers, predicates []int32) {
	f := in.Op.form()
	for k, o := range [3]Operand{in.A, in.B, in.C} {
		switch {
		case o.Reg < 0:
		case f.operands[k] == Predicate:
			predicates = append(predicates, o.Reg)
		case f.operands[k] == Register:
			registers = append(registers, o.Reg)
		}
	}
	if in.Extra != nil {
		for _, o := range in.Extra.Operands {
			if o.Reg >= 0 {
				registers = append(registers, o.Reg)
			}
		}
	}
	return registers, predicates
}
