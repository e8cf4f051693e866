package ir

import (
	"fmt"
	"sync"

	"github.com/fencepost-dev/fencepost/source"
)

// Limits against hostile input.
const (
	MaxInsts     = 4_000_000 // of a kernel with what it calls
	MaxFunctions = 1_000
)

// Op is what an instruction does.
type Op uint8

const (
	Nop   Op = iota
	Havoc    // the results become unknown
	// Integer arithmetic, decided lane by lane by Inst.Compute.
	Move
	Add
	Sub
	Mul
	MulHigh
	MulWide
	Div
	Rem
	Min
	Max
	Abs
	Neg
	And
	Or
	Xor
	Not
	Cnot
	Shl
	Shr
	Bfe
	Bfi
	Bfind
	Popc
	Clz
	Brev
	Lop3
	Prmt
	FunnelLeft
	FunnelRight
	Sad
	Convert
	Mad
	MadHigh
	MadWide
	Set   // a comparison into a register
	Apply // of data: what it is made of
	// Predicates.
	Setp
	Select
	Logic // and, or, xor, not, mov of predicates
	// Between registers and lanes.
	Pack
	Unpack
	Shuffle
	Vote
	Elect
	MapShared
	CTARank
	IsSpace    // isspacep
	Rendezvous // of lanes, and nothing more
	// Memory.
	Load
	Store
	Atomic
	Matrix // ldmatrix, stmatrix
	// Control.
	Branch
	BranchIndexed
	Call
	Return
	Exit
	// Synchronization.
	BarrierCTA
	BarrierWarp
	BarrierCluster
	MbarInit
	MbarInval
	MbarContribute
	MbarTest
	Async
	AsyncArrive
	GroupCommit
	GroupWait
	Outside // reads or writes shared memory in a way that is not followed
	Stop    // synchronizes in a way that is not modelled
)

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

// Operand is a register, or a constant where Reg is negative. For predicates Not says that the contrary is meant.
type Operand struct {
	Imm int64
	Reg int32
	Not bool
}

// None is the operand that is not there.
var None = Operand{Reg: -2}

// Inst is an instruction.
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
}

// Blank is an instruction without results and operands.
func Blank(op Op) Inst {
	return Inst{Op: op, D: -1, E: -1, A: None, B: None, C: None, Members: None}
}

// Unit is what executes asynchronous operations; each counts groups of its own.
type Unit uint8

const (
	CpAsync Unit = iota // cp.async
	Bulk                // cp.async.bulk
	Wgmma
	TensorCore // tcgen05
)

// Flags are details of an instruction.
type Flags uint16

const (
	Aligned Flags = 1 << iota
	Token         // waits by token, or makes one
	Drop
	Tx       // has bytes: .expect_tx
	Complete // complete_tx
	NoInc
	Reads // .read
	Multicast
	Tensor
	Write   // of an opcode that reads or writes
	Changes // of a load: others may write there at any time
	Arrives // of a barrier: does not wait
	ToShared
	FromShared
	Meets // the lanes of a mask wait for each other (.sync)
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

// Kernel is a kernel with all functions it calls, as one list of instructions.
type Kernel struct {
	Insts      []Inst
	Name       string
	File       *source.File
	Places     []Place // by Inst.Place
	Registers  int
	Predicates int
	Special    map[string]int32  // registers that hold special registers
	Formals    []string          // its parameters
	Slots      []Parameter       // the parts of them that are read
	Names      []string          // of registers, for messages
	Directives map[string][3]int // .reqntid, .maxntid, .reqnctapercluster: what the kernel says of its launch
	Variables  map[string]*Variable
	Constants  []*Variable
	Assumed    []string
	Data       bool // data are followed
	Tracked    bool // what shared memory holds decides control
	Blocking   bool // warps wait for each other while they are executed
	flow       flow
	Functions  [][2]int32 // where functions start and end
	defs       defs
	Writes     map[int32]bool // registers from which addresses of writes to global memory are made
	Nothing    int32          // a register that nothing sets

	sharedOnce sync.Once
	mayShared  []bool // registers that may hold generic addresses of shared memory
}

// Place is where an instruction stands in the text, and the line of the source that it was compiled from, if that is known.
type Place struct {
	Span source.Span
	Path string
	Line int    // 0: not known
	Name string // of the instruction, with its modifiers
}

// Where names a place: the line of the source if it is known, else that of the text.
func (c *Kernel) Where(at *Place) string {
	if at == nil {
		return ""
	}
	if at.Line > 0 {
		return fmt.Sprintf("%s:%d", at.Path, at.Line)
	}
	return fmt.Sprintf("%s:%d", c.File.Name, c.File.Position(at.Span.Start).Line)
}

// Parameter is a part of a parameter of the kernel: the register that holds what stands at an offset.
type Parameter struct {
	Name     string
	Offset   int64
	Register int32
	Pointer  bool // it is read as 64 bits
}

// Dests lists the results of an instruction behind the first.
func (in *Inst) Dests() []int32 {
	if in.Extra == nil {
		return nil
	}
	return in.Extra.Dests
}

// Results lists the registers and predicates that an instruction sets.
func (in *Inst) Results() (registers, predicates []int32) {
	put := func(list *[]int32, n int32) {
		if n >= 0 {
			*list = append(*list, n)
		}
	}
	switch in.Op {
	case Setp, Logic, MbarTest, IsSpace:
		put(&predicates, in.D)
		put(&predicates, in.E)
	default:
		put(&registers, in.D)
		put(&predicates, in.E)
	}
	if in.Extra != nil {
		for _, d := range in.Extra.Dests { // a sink is none
			put(&registers, d)
		}
	}
	return registers, predicates
}

// OperandsOf lists the registers and predicates that an instruction reads, its guard apart.
func (in *Inst) OperandsOf() (registers, predicates []int32) {
	put := func(list *[]int32, o Operand) {
		if o.Reg >= 0 {
			*list = append(*list, o.Reg)
		}
	}
	switch in.Op {
	case Logic:
		put(&predicates, in.A)
		put(&predicates, in.B)
	case Select, Setp, Set:
		put(&registers, in.A)
		put(&registers, in.B)
		put(&predicates, in.C)
	case Vote:
		put(&predicates, in.A)
		put(&registers, in.B)
	default:
		put(&registers, in.A)
		put(&registers, in.B)
		put(&registers, in.C)
	}
	if in.Extra != nil {
		for _, o := range in.Extra.Operands {
			put(&registers, o)
		}
	}
	return registers, predicates
}
