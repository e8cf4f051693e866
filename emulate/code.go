package emulate

import (
	"sync"

	"github.com/fencepost-dev/fencepost/program"
)

// opcode is what a compiled instruction does.
type opcode uint8

const (
	opNothing opcode = iota
	opForget         // the results become unknown
	// Integer arithmetic, decided lane by lane by compute.
	opMove
	opAdd
	opSub
	opMul
	opMulHigh
	opMulWide
	opDiv
	opRem
	opMin
	opMax
	opAbs
	opNeg
	opAnd
	opOr
	opXor
	opNot
	opCnot
	opShl
	opShr
	opBfe
	opBfi
	opBfind
	opPopc
	opClz
	opBrev
	opLop3
	opPrmt
	opFunnelLeft
	opFunnelRight
	opSad
	opConvert
	opMad
	opMadHigh
	opMadWide
	opSet     // a comparison into a register
	opFormula // of data: what it is made of
	// Predicates.
	opSetp
	opSelect
	opPredicate // and, or, xor, not, mov of predicates
	// Between registers and lanes.
	opPack
	opUnpack
	opShuffle
	opVote
	opElect
	opMapa
	opRank
	opSpace // isspacep
	opMeet  // of lanes, and nothing more
	// Memory.
	opLoad
	opStore
	opAtomic
	opMatrix // ldmatrix, stmatrix
	// Control.
	opBranch
	opIndexed
	opCall
	opReturn
	opExit
	// Synchronization.
	opNamed
	opWarpSync
	opCluster
	opInit
	opInval
	opContribute
	opTest
	opCopy
	opArriveDone
	opCommit
	opWaitGroup
	opOutside // reads or writes shared memory in a way that is not followed
	opStop    // synchronizes in a way that is not modelled
)

// operand is a register, or a constant where reg is negative. For predicates not says that the contrary is meant.
type operand struct {
	imm int64
	reg int32
	not bool
}

var none = operand{reg: -2}

// inst is a compiled instruction.
type inst struct {
	op       opcode
	sub      uint8 // what of the opcode: a comparison, a mode
	then     uint8 // of setp: how the result is joined with a predicate
	guardNot bool
	t, u     typ
	guard    int32 // a predicate, -1: none
	d, e     int32 // results: registers, or predicates where the opcode says so; -1: none
	a, b, c  operand
	members  operand // the lanes that wait for each other there
	target   int32
	place    uint32
	size     uint32 // bytes of an access
	space    space
	flags    flags
	offset   int64 // added to the address in a
	extra    *extra
}

// extra is what few instructions have.
type extra struct {
	dests    []int32
	operands []operand
	offsets  []int64 // added to the operands
	targets  []int32
	text     string
}

// flags are details of an instruction.
type flags uint16

const (
	aligned flags = 1 << iota
	token         // waits by token, or makes one
	drop
	tx       // has bytes: .expect_tx
	complete // complete_tx
	noInc
	reads // .read
	multicast
	tensor
	write   // of an opcode that reads or writes
	changes // of a load: others may write there at any time
	arrives // of a barrier: does not wait
	toShared
	fromShared
	meets // the lanes of a mask wait for each other (.sync)
)

// space is a state space.
type space uint8

const (
	generic space = iota
	sharedMemory
	globalMemory
	constMemory
	localMemory
	paramMemory
)

// code is a kernel with all functions it calls, as one list of instructions.
type code struct {
	insts      []inst
	places     []*program.Instr // by inst.place
	registers  int
	predicates int
	special    map[string]int32 // registers that hold special registers
	slots      []slot
	names      []string // of registers, for messages
	module     *module
	assumed    []string
	values     bool // data are followed as far as they are surely the same
	tracked    bool // what shared memory holds decides control
	blocking   bool // warps wait for each other while they are emulated
	flow       flow
	functions  [][2]int32 // where functions start and end
	defs       defs
	writes     map[int32]bool // registers from which addresses of writes to global memory are made
	nothing    int32          // a register that nothing sets

	sharedOnce sync.Once
	mayShared  []bool // registers that may hold generic addresses of shared memory
}

// slot is a part of a parameter of the kernel: the register that holds what stands at an offset.
type slot struct {
	name     string
	offset   int64
	register int32
	pointer  bool // it is read as 64 bits
}

// results lists the registers and predicates that an instruction sets.
func (in *inst) results() (registers, predicates []int32) {
	put := func(list *[]int32, n int32) {
		if n >= 0 {
			*list = append(*list, n)
		}
	}
	switch in.op {
	case opSetp, opPredicate, opTest, opSpace:
		put(&predicates, in.d)
		put(&predicates, in.e)
	default:
		put(&registers, in.d)
		put(&predicates, in.e)
	}
	if in.extra != nil {
		for _, d := range in.extra.dests { // a sink is none
			put(&registers, d)
		}
	}
	return registers, predicates
}

// operandsOf lists the registers and predicates that an instruction reads, its guard apart.
func (in *inst) operandsOf() (registers, predicates []int32) {
	put := func(list *[]int32, o operand) {
		if o.reg >= 0 {
			*list = append(*list, o.reg)
		}
	}
	switch in.op {
	case opPredicate:
		put(&predicates, in.a)
		put(&predicates, in.b)
	case opSelect, opSetp, opSet:
		put(&registers, in.a)
		put(&registers, in.b)
		put(&predicates, in.c)
	case opVote:
		put(&predicates, in.a)
		put(&registers, in.b)
	default:
		put(&registers, in.a)
		put(&registers, in.b)
		put(&registers, in.c)
	}
	if in.extra != nil {
		for _, o := range in.extra.operands {
			put(&registers, o)
		}
	}
	return registers, predicates
}
