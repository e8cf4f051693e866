package ir

// Op is what an instruction does.
type Op uint8

const (
	Nop Op = iota
	Havoc
	// Integer arithmetic, decided lane by lane by [Inst.Compute].
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
	Set
	Apply
	// Predicates.
	Setp
	Select
	Logic
	// Between registers and lanes.
	Pack
	Unpack
	Shuffle
	Vote
	Elect
	MapShared
	CTARank
	IsSpace
	Rendezvous
	// Memory.
	Load
	Store
	Atomic
	Matrix
	Outside
	// Tensor memory.
	TensorAlloc
	TensorDealloc
	TensorRelinquish
	TensorLoad
	TensorStore
	TensorCopy
	TensorMultiply
	WarpgroupMultiply
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
	MbarArrive
	MbarExpectTx
	MbarCompleteTx
	MbarTest
	Async
	AsyncArrive
	GroupCommit
	GroupWait
	Stop
	// What has no effect on values.
	Fence
	GridDependency
	MaxRegisters
	Sleep
	Stage

	ops // how many there are
)

// typing says which of Type and Result an instruction has.
type typing uint8

const (
	untyped   typing = iota
	sized            // Type, of the operands
	alike            // Type; the result has it, too
	converted        // Result and Type
)

// row is what is known of an op. The form says what its fields hold, r for registers and constants, p for predicates, [r] for
// an address with an offset, - for a field that it does not have, * for any number more, ? behind what may be left out: results
// D|E and more, "=", operands A, B, C and more.
type row struct {
	family string
	name   string
	form   string
	does   Effect
	types  typing
	modes  []string // names of its Mode, "-" for one that it must not have; nil: it has none
	flags  Flags
	has    aspect
	word   string // what stands before Size or Text, if that is not "size" and "text"
	means  string
}

// aspect is which more fields an instruction has.
type aspect uint8

const (
	spaced   aspect = 1 << iota // Space
	measured                    // Size
	ordered                     // Order and Scope
	worded                      // Text
	joined                      // Join
	lanes                       // Mode counts lanes
	masked                      // Members
)

// Names of modes.
var (
	comparing = []string{"-", "eq", "ne", "lt", "le", "gt", "ge"}
	joining   = []string{"-", "and", "or", "xor", "not", "mov"}
	atomics   = []string{"", "add", "and", "or", "xor", "min", "max", "inc", "dec", "exch", "cas"}
	units     = []string{"cp_async", "bulk", "wgmma", "tcgen05", "tcgen05_ld", "tcgen05_st"}
	shapes    = []string{"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"}
	copied    = []string{"128x256b", "4x256b", "128x128b", "64x128b", "32x128b"}
	kinds     = []string{"f16", "tf32", "f8f6f4", "i8"}
	elements  = []string{"b8", "b16", "b32"}
)

// table says of each op all that is known of it; whoever asks what an op does, asks here.
var table = [ops]row{
	Nop:   {"other", "nop", "", 0, untyped, nil, 0, 0, "", "nothing"},
	Havoc: {"other", "havoc", "r|p * = r? r? r?", Opaque, untyped, nil, 0, 0, "", "the results are unknown afterwards: of data, or of an instruction that is not modelled; it may depend on its operands"},

	Move:        {"arithmetic", "move", "r = r", Integer | Computes, alike, nil, 0, 0, "", "A; what the parameters of kernels and functions hold comes so"},
	Add:         {"arithmetic", "add", "r = r r", Integer | Computes | Commutes, alike, nil, 0, measured, "", "A + B; conversions of generic addresses, too. With a size B is where something is in an array of so many bytes, which begins at A"},
	Sub:         {"arithmetic", "sub", "r = r r", Integer | Computes, alike, nil, 0, 0, "", "A - B"},
	Mul:         {"arithmetic", "mul", "r = r r", Integer | Computes | Commutes, alike, nil, 0, 0, "", "A * B, its low half"},
	MulHigh:     {"arithmetic", "mul.hi", "r = r r", Integer | Computes | Commutes, alike, nil, 0, 0, "", "the high half of A * B"},
	MulWide:     {"arithmetic", "mul.wide", "r = r r", Integer | Computes | Commutes, converted, nil, 0, 0, "", "A * B, twice as wide"},
	Div:         {"arithmetic", "div", "r = r r", Integer | Computes, alike, nil, 0, 0, "", "A / B, towards zero; not defined by zero"},
	Rem:         {"arithmetic", "rem", "r = r r", Integer | Computes, alike, nil, 0, 0, "", "the remainder of A / B"},
	Min:         {"arithmetic", "min", "r = r r", Integer | Computes | Commutes, alike, nil, 0, 0, "", "the lesser of A and B"},
	Max:         {"arithmetic", "max", "r = r r", Integer | Computes | Commutes, alike, nil, 0, 0, "", "the greater of A and B"},
	Abs:         {"arithmetic", "abs", "r = r", Integer | Computes, alike, nil, 0, 0, "", "A without its sign"},
	Neg:         {"arithmetic", "neg", "r = r", Integer | Computes, alike, nil, 0, 0, "", "-A"},
	And:         {"arithmetic", "and", "r = r r", Integer | Computes | Commutes, alike, nil, 0, 0, "", "bits of both A and B"},
	Or:          {"arithmetic", "or", "r = r r", Integer | Computes | Commutes, alike, nil, 0, 0, "", "bits of A or B"},
	Xor:         {"arithmetic", "xor", "r = r r", Integer | Computes | Commutes, alike, nil, 0, 0, "", "bits of one of A and B"},
	Not:         {"arithmetic", "not", "r = r", Integer | Computes, alike, nil, 0, 0, "", "the bits that A has not"},
	Cnot:        {"arithmetic", "cnot", "r = r", Integer | Computes, alike, nil, 0, 0, "", "1 where A is 0, else 0"},
	Shl:         {"arithmetic", "shl", "r = r r", Integer | Computes, alike, nil, 0, 0, "", "A shifted left by B; all bits go where B is the width or more"},
	Shr:         {"arithmetic", "shr", "r = r r", Integer | Computes, alike, nil, 0, 0, "", "A shifted right by B, with its sign where it has one"},
	Bfe:         {"arithmetic", "bfe", "r = r r r", Integer | Computes, alike, nil, 0, 0, "", "C bits of A from bit B on"},
	Bfi:         {"arithmetic", "bfi", "r = r r r *", Integer | Computes, alike, nil, 0, 0, "", "B with bits of A put in, from bit C on, as many as the fourth operand says"},
	Bfind:       {"arithmetic", "bfind", "r = r", Integer | Computes, converted, []string{"", "shiftamt"}, 0, 0, "", "the highest bit of A that is not its sign; with shiftamt how far it is from the top"},
	Popc:        {"arithmetic", "popc", "r = r", Integer | Computes, converted, nil, 0, 0, "", "how many bits of A are set"},
	Clz:         {"arithmetic", "clz", "r = r", Integer | Computes, converted, nil, 0, 0, "", "how many zeros A begins with"},
	Brev:        {"arithmetic", "brev", "r = r", Integer | Computes, alike, nil, 0, 0, "", "the bits of A in reverse"},
	Lop3:        {"arithmetic", "lop3", "r = r r r *", Integer | Computes, alike, nil, 0, 0, "", "any function of bits of A, B and C: the fourth operand is its table"},
	Prmt:        {"arithmetic", "prmt", "r = r r r", Integer | Computes, alike, nil, 0, 0, "", "bytes of A and B, as the nibbles of C select"},
	FunnelLeft:  {"arithmetic", "shf.left", "r = r r r", Integer | Computes, alike, []string{"", "clamp"}, 0, 0, "", "the high word of B:A shifted left by C"},
	FunnelRight: {"arithmetic", "shf.right", "r = r r r", Integer | Computes, alike, []string{"", "clamp"}, 0, 0, "", "the low word of B:A shifted right by C"},
	Sad:         {"arithmetic", "sad", "r = r r r", Integer | Computes, alike, nil, 0, 0, "", "C and how far A and B are apart"},
	Convert:     {"arithmetic", "convert", "r = r", Integer | Computes, converted, nil, 0, 0, "", "A from the second type to the first"},
	Mad:         {"arithmetic", "mad", "r = r r r", Integer | Computes | Commutes, alike, nil, 0, 0, "", "A * B + C"},
	MadHigh:     {"arithmetic", "mad.hi", "r = r r r", Integer | Computes | Commutes, alike, nil, 0, 0, "", "the high half of A * B, and C"},
	MadWide:     {"arithmetic", "mad.wide", "r = r r r", Integer | Computes | Commutes, converted, nil, 0, 0, "", "A * B + C, twice as wide"},
	Set:         {"arithmetic", "set", "r = r r", Integer | Computes, converted, comparing, 0, 0, "", "all ones where the comparison holds, else 0"},
	Apply:       {"arithmetic", "apply", "r = r r? r?", Computes, sized, nil, Commutative | Inverse, measured, "formula", "a function of data that is not known: equal operands give equal results; formulas are numbered. With commutative A and B may be exchanged; with inverse it is what the formula was of"},

	Setp:   {"predicates", "setp", "p|p = r r p?", Computes, sized, comparing, 0, joined, "", "whether the comparison holds, and whether it does not, each joined with C"},
	Select: {"predicates", "select", "r = r r p", Computes, alike, nil, 0, 0, "", "A where C is true, else B"},
	Logic:  {"predicates", "logic", "p = p p?", Computes, untyped, joining, 0, 0, "", "and, or, xor, not or copy of predicates"},

	Pack:       {"registers and lanes", "pack", "r = *", Computes, converted, nil, 0, 0, "", "a register of parts, the lowest first"},
	Unpack:     {"registers and lanes", "unpack", "* = r", Computes, sized, nil, 0, 0, "", "the parts of A, the lowest first"},
	Shuffle:    {"registers and lanes", "shuffle", "r|p = r r r", Exchanges, untyped, []string{"up", "down", "bfly", "idx"}, Meets, masked, "", "A of another lane, which follows from B and C; whether it is in the segment"},
	Vote:       {"registers and lanes", "vote", "r|p = p r", Exchanges, untyped, []string{"all", "any", "uni", "ballot"}, Meets, masked, "", "what the lanes of the mask B have as A"},
	Elect:      {"registers and lanes", "elect", "r|p = r", Exchanges, untyped, nil, Meets, masked, "", "one lane of the mask A; whether it is this one"},
	MapShared:  {"registers and lanes", "mapa", "r = [r] r", Computes, untyped, nil, ToShared, 0, "", "the address A in the shared memory of CTA B of the cluster; generic with to_shared"},
	CTARank:    {"registers and lanes", "getctarank", "r = r", Computes, untyped, nil, 0, 0, "", "the CTA of the cluster whose shared memory A is in"},
	IsSpace:    {"registers and lanes", "isspacep", "p = r", Computes, untyped, nil, 0, worded, "space", "whether the generic address A is in a state space"},
	Rendezvous: {"registers and lanes", "rendezvous", "", Exchanges, untyped, nil, Meets, masked, "", "lanes meet, and nothing more"},

	Load:    {"memory", "load", "r * = [r]", Reads, alike, nil, Changes | MayMeet, spaced | measured | ordered, "", "what stands at A; of a vector its parts; with may_sync a call of which no more is known reads it, which may synchronize before that unless it is made by a part of a warp"},
	Store:   {"memory", "store", "[r] r *", Writes, alike, nil, 0, spaced | measured | ordered, "", "B to A, a vector in parts"},
	Atomic:  {"memory", "atomic", "r = [r] r? r?", Reads | Writes, sized, atomics, 0, spaced | measured | ordered, "", "what stands at A, which becomes what the operation makes of it and of B; of cas C where it was B"},
	Matrix:  {"memory", "matrix", "[r]", Reads, untyped, nil, Write, spaced | measured | lanes, "", "rows of a matrix, at the addresses that the first lanes give; written with the flag write"},
	Outside: {"memory", "outside", "", Reads | Writes | Opaque, untyped, nil, MayMeet, worded, "", "reads or writes shared memory at places that are not followed; with may_sync a call of which no more is known, which may synchronize"},

	TensorAlloc:       {"tensor memory", "tensor.alloc", "[r] r", Writes | Blocks | Signals, untyped, nil, 0, spaced, "", "the warp is given B columns of tensor memory; where they are is written to A"},
	TensorDealloc:     {"tensor memory", "tensor.dealloc", "r r", Signals, untyped, nil, 0, 0, "", "the warp gives back the B columns at A"},
	TensorRelinquish:  {"tensor memory", "tensor.relinquish", "", Signals, untyped, nil, 0, 0, "", "the CTA asks for no more columns"},
	TensorLoad:        {"tensor memory", "tensor.load", "[r] r?", Reads | Signals, untyped, shapes, 0, measured, "columns", "the warp reads columns at A, until a group.wait; its upper half in 16x32bx2 those B behind them"},
	TensorStore:       {"tensor memory", "tensor.store", "[r] r?", Writes | Signals, untyped, shapes, 0, measured, "columns", "the warp writes columns at A, until a group.wait; its upper half in 16x32bx2 those B behind them"},
	TensorCopy:        {"tensor memory", "tensor.copy", "[r] r", Reads | Writes | Signals, untyped, copied, 0, 0, "", "the tensor core copies from shared memory, which the descriptor B describes, to A"},
	TensorMultiply:    {"tensor memory", "tensor.mma", "[r] r r *", Reads | Writes | Signals, untyped, kinds, AInTensor, 0, "", "the tensor core multiplies the matrices that B and C describe into the one at A; then come the instruction's descriptor and a mask of lanes that stay as they are. With a_in_tensor B is an address"},
	WarpgroupMultiply: {"asynchronous", "wgmma.mma", "r? r *", Reads | Signals, untyped, elements, 0, measured, "columns", "the warpgroup multiplies 64 rows, which A describes if they are not in registers, by the columns that B describes; then come whether A and B are transposed"},

	Branch:        {"control", "branch", "", Jumps, untyped, nil, 0, 0, "", "goes on at the block"},
	BranchIndexed: {"control", "branch.indexed", "r", Jumps, untyped, nil, 0, 0, "", "goes on at the A-th of the blocks"},
	Call:          {"control", "call", "", Jumps, untyped, nil, 0, 0, "", "goes on in the function, then behind the call"},
	Return:        {"control", "return", "", Jumps, untyped, nil, 0, 0, "", "leaves the function"},
	Exit:          {"control", "exit", "", Jumps, untyped, []string{"", "trap"}, 0, 0, "", "ends the thread; a trap ends the grid"},

	BarrierCTA:     {"synchronization", "barrier.cta", "r|p = r r p?", Blocks | Signals | Orders, untyped, []string{"", "popc", "and", "or"}, Aligned | Arrives | Gathers, 0, "", "the named barrier A of B threads, 0 for all; with arrive it is not waited for. popc, and, or: of the predicate C of all threads. With gathers, what each thread has put down is taken behind it"},
	BarrierWarp:    {"synchronization", "barrier.warp", "", Blocks | Signals | Orders, untyped, nil, 0, masked, "", "the lanes of the mask wait for each other"},
	BarrierCluster: {"synchronization", "barrier.cluster", "", Blocks | Signals | Orders, untyped, nil, Aligned | Arrives, ordered, "", "the barrier of the cluster is waited for, with arrive arrived at"},
	MbarInit:       {"synchronization", "mbar.init", "[r] r", Writes | Signals | Counts, untyped, nil, 0, spaced, "", "makes an mbarrier of B arrivals"},
	MbarInval:      {"synchronization", "mbar.inval", "[r]", Writes | Signals | Counts, untyped, nil, 0, spaced, "", "the memory of the mbarrier may be used for other things"},
	MbarArrive:     {"synchronization", "mbar.arrive", "r = [r] r r?", Signals | Counts | Orders, untyped, nil, Drop, spaced | ordered, "", "B arrivals, and C bytes expected before that; the phase as a token. With drop the phases behind this one expect fewer"},
	MbarExpectTx:   {"synchronization", "mbar.expect_tx", "[r] - r", Signals | Counts, untyped, nil, 0, spaced | ordered, "", "C more bytes are expected"},
	MbarCompleteTx: {"synchronization", "mbar.complete_tx", "[r] - r", Signals | Counts, untyped, nil, 0, spaced | ordered, "", "C bytes have come"},
	MbarTest:       {"synchronization", "mbar.test", "p = [r] r", Blocks | Counts | Orders, untyped, []string{"", "try"}, Token, spaced | ordered, "", "whether the phase of parity B, or that of token B, is over; with try it may wait for a while"},
	GroupCommit:    {"synchronization", "group.commit", "", Signals, untyped, units, 0, 0, "", "the operations of the unit since the last one are a group"},
	GroupWait:      {"synchronization", "group.wait", "r", Blocks | Orders, untyped, units, ReadsDone, 0, "", "until all groups of the unit but the last A are complete; with read, until they have read"},
	Async:          {"asynchronous", "async", "[*] - r", Reads | Writes | Signals | Counts, untyped, units, ToShared | FromShared | Multicast | Tensor | Reduction, 0, "bytes", "the unit copies B bytes to an address, from one, and tells an mbarrier; multicast: in the CTAs of a mask. Of a tensor the bytes are not known"},
	AsyncArrive:    {"asynchronous", "async.arrive", "[r] r?", Signals | Counts, untyped, units, NoInc | Multicast, spaced, "", "an arrival when the unit has done all before; multicast: in the CTAs of the mask B"},
	Stop:           {"other", "stop", "", Blocks | Signals | Opaque, untyped, nil, 0, worded, "", "synchronizes in a way that is not modelled"},

	Fence:          {"order", "fence", "[r]?", Orders, untyped, fences, 0, spaced | measured | ordered, "", "accesses before and behind it are in order, for the threads of the scope; or those of a proxy, or of an engine"},
	GridDependency: {"order", "griddepcontrol", "", Orders, untyped, []string{"launch_dependents", "wait"}, 0, 0, "", "dependent grids may start; or the grids before have ended"},
	MaxRegisters:   {"order", "setmaxnreg", "r", 0, untyped, []string{"inc", "dec"}, 0, 0, "", "how many registers the threads of the warp have"},
	Sleep:          {"order", "nanosleep", "r", 0, untyped, nil, 0, 0, "", "for about A nanoseconds"},
	Stage:          {"order", "stage", "r r", 0, untyped, stages, 0, worded, "", "what the text does with a stage of the pipeline A, which the state B says; an object of the number 0 is not known, and -1 is any"},
}
