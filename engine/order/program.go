package order

import "fmt"

// Program is what the threads of one CTA, or of one cluster, do: for each warp a straight line of commands. All that
// decides which commands a thread runs, at which addresses, is resolved already; what remains of data is which values
// are surely the same.
//
// A command stands for all lanes of its mask, with affine addresses, so a program takes some thirty bytes for a command of a
// whole warp. Warps are independent of one another and may be built at the same time; one warp is built by one goroutine.
type Program struct {
	Name  string
	CTAs  int // at least 1; more of one cluster
	Warps []*Warp
	// WholeWarps says that a warp counts as 32 threads where it registers in a named barrier, whatever lanes it has (PTX ISA
	// 9.7.13.1). Without it each lane counts as one.
	WholeWarps bool
	// EqualForms says that writes of values with one Form are of equal values, whatever their lanes and addresses.
	EqualForms bool
	// Once says that a thread that comes to one generation of a named barrier twice is reported, as it is of whole warps.
	Once    bool
	Objects []Object // mbarriers that are initialised before the program begins
}

// Object is an mbarrier that is there from the start.
type Object struct {
	Address uint32
	Count   uint32
	// Armed says that what is left of a phase at the end breaks nothing: the program arms it for a phase that is not to come.
	Armed bool
}

// Warp is up to 32 threads of one CTA. Its commands are in an order in which its lanes may run them; each lane runs those
// that have it in their mask, and lanes are ordered among each other by nothing but barriers.
type Warp struct {
	CTA      int
	First    int    // thread index of lane 0 in its CTA
	Lanes    uint32 // the lanes that exist
	Commands []Command

	values  []Value
	known   map[Value]uint32
	copies  []Copy
	lastSet uint32 // index in values of the last one asked for
}

// Kind is what a command does.
type Kind uint8

// Kinds of command. The names are those of the PTX manual, PTX ISA 9.7.13.
const (
	Read          Kind = iota // of shared memory, tensor memory, or global memory
	Write                     // of the same
	Atomic                    // read-modify-write: in no conflict with other atomics
	NamedArrive               // barrier.cta.arrive
	NamedSync                 // barrier.cta.sync, .red
	WarpSync                  // bar.warp.sync by the lanes of the mask
	ClusterArrive             // barrier.cluster.arrive
	ClusterWait               // barrier.cluster.wait
	MbarInit                  // mbarrier.init
	MbarInval                 // mbarrier.inval
	MbarArrive                // mbarrier.arrive, with .expect_tx where it has bytes
	MbarDrop                  // mbarrier.arrive_drop, with .expect_tx where it has bytes
	MbarExpect                // mbarrier.expect_tx
	MbarComplete              // mbarrier.complete_tx by the thread itself
	MbarWait                  // a loop of try_wait.parity or test_wait.parity until it is true
	MbarWaitToken             // a loop of try_wait or test_wait with the token of an arrive of this warp
	AsyncCopy                 // issues an operation that goes on by itself
	AsyncArrive               // cp.async.mbarrier.arrive, tcgen05.commit: arrives when what the thread issued before is done
	AsyncCommit               // commit_group
	AsyncWait                 // wait_group
	WarpMeet                  // the lanes of the mask wait for each other, and what they accessed may still be under way: shfl.sync and its kind
)

var kindNames = [...]string{"read", "write", "atomic", "bar.arrive", "bar.sync", "bar.warp.sync", "cluster.arrive", "cluster.wait",
	"mbarrier.init", "mbarrier.inval", "mbarrier.arrive", "mbarrier.arrive_drop", "mbarrier.expect_tx", "mbarrier.complete_tx",
	"mbarrier.wait", "mbarrier.wait", "async copy", "async arrive", "commit_group", "wait_group", "warp collective"}

func (k Kind) String() string { return kindNames[k] }

// Access reports whether the command is a plain access of memory.
func (k Kind) Access() bool { return k <= Atomic }

// Command is one command of the lanes of Mask. What the other fields hold depends on the kind; the methods of Warp that
// append commands say what they are.
type Command struct {
	Kind  Kind
	Flags Flags
	Mask  uint32
	Place uint32 // where it stands, for whoever made the program
	A     uint32 // address; id of a named barrier
	B     int32  // stride from lane to lane; count
	C     uint32 // bytes; parity; threads of a named barrier; index of a copy
	D     uint32 // index of a value
}

// Flags are details of a command.
type Flags uint8

// Flags.
const (
	// Aligned: all lanes of the warp must run the same instruction together (.aligned).
	Aligned Flags = 1 << iota
	// Same: the command belongs to the instruction of the command before it, whose lanes have addresses that are not
	// affine together.
	Same
	// ReadsDone: an AsyncWait that waits for the reading of the source only (.read).
	ReadsDone
	// Armed: an MbarInit of an object that may be left armed at the end; see Object.
	Armed
	// Included: an AsyncArrive whose arrival is in the count of the object already (.noinc, tcgen05.commit).
	Included
	// First: an access that is surely made if data lead to it, whatever else is at its place. It means nothing to the engine.
	First
	// Early: as First, of accesses before it in its warp alone: what is behind it may be ordered by what data decide.
	Early
	// Sure: an access that is made, and where it is, whatever else is of others at its place.
	Sure
)

// Unit is what an asynchronous operation is waited for with.
type Unit uint8

// Units.
const (
	CpAsync      Unit = iota // cp.async: commit_group, wait_group, cp.async.mbarrier.arrive
	Bulk                     // cp.async.bulk in bulk groups
	Wgmma                    // wgmma.mma_async: wgmma.commit_group, wait_group
	Tensor                   // tcgen05.mma, cp: tcgen05.commit
	TensorLoads              // tcgen05.ld: tcgen05.wait::ld
	TensorStores             // tcgen05.st: tcgen05.wait::st
	units
)

// Address says what the lanes of a command access: lane l the bytes from Base + l*Stride on. An address says the CTA that
// the memory is in: Shared makes one.
type Address struct {
	Base   uint32
	Stride int32
	Size   uint32
}

// offsetBits are the bits of an address that are the offset in the shared memory of a CTA.
const offsetBits = 24

// globalMemory is what stands for the CTA in addresses of global memory, which is that of all CTAs: more than clusters have.
const globalMemory = 1<<(32-offsetBits) - 1

// Global is the address of a byte of global memory. Where in global memory it is, is the business of whoever makes the program.
func Global(offset uint32) uint32 { return Shared(globalMemory, offset) }

// InGlobalMemory reports whether an address is one of global memory.
func InGlobalMemory(address uint32) bool { return address>>offsetBits == globalMemory }

// memory is which of the program's memories an address is in: those of its CTAs, then global memory.
func (p *Program) memory(address uint32) int {
	if InGlobalMemory(address) {
		return p.CTAs
	}
	return int(address >> offsetBits)
}

// Shared is the address of a byte of the shared memory of a CTA of the program.
func Shared(cta int, offset uint32) uint32 { return uint32(cta)<<offsetBits | offset&(1<<offsetBits-1) }

// Tensor memory is a second piece of the memory of a CTA: 128 lanes of 512 columns, 32 bits each (PTX ISA 9.7.16.1). It lies above all
// shared memory, lane by lane, so that what one lane of a warp loads is in one piece.
const (
	tensorMemory = 1 << 23
	ColumnBytes  = 4
	Columns      = 512
	LaneBytes    = Columns * ColumnBytes
	TensorLanes  = 128
)

// TensorMemory is the address of a column of a lane of tensor memory.
func TensorMemory(cta, lane, column int) uint32 {
	return Shared(cta, uint32(tensorMemory+lane*LaneBytes+column*ColumnBytes))
}

// InTensorMemory reports whether an address is one of tensor memory.
func InTensorMemory(address uint32) bool {
	return !InGlobalMemory(address) && address&(1<<offsetBits-1) >= tensorMemory
}

// memoryAt names a byte.
func memoryAt(address uint32) string {
	n := address & (1<<offsetBits - 1)
	switch {
	case InGlobalMemory(address):
		return fmt.Sprintf("byte %#x of global memory", n)
	case !InTensorMemory(address):
		return fmt.Sprintf("byte %#x of shared memory", n)
	}
	n -= tensorMemory
	return fmt.Sprintf("column %d of lane %d of tensor memory", n%LaneBytes/ColumnBytes, n/LaneBytes)
}

// Value is what the lanes write, as far as it is known: lane l writes the value that Form, a number that whoever makes
// the program gives to a computation, has at Base + l*Stride. Writes of equal values at one address are benign races. The
// zero Value is not known.
type Value struct {
	Form   uint32 // 0: not known
	Base   int64
	Stride int64
}

// Copy is what an asynchronous operation accesses while it goes on, and what it does to mbarriers when it completes.
type Copy struct {
	Unit     Unit // for operations without Effects
	Accesses []Span
	Effects  []Effect
	// Pipe is a pipe that executes what is issued to it in that order; 0: none. What Feeds is executed before all that is issued to
	// a pipe later. It may be issued by other threads, that order themselves (PTX ISA 9.7.16.6.2, 9.7.16.6.4.3).
	Pipe  uint32
	Feeds bool
}

// Span is a range of bytes that an asynchronous operation of lane l reads or writes: Size bytes from Base + l*Stride on.
type Span struct {
	Address
	Write bool
}

// Effect is what completion does to one mbarrier: complete_tx of Bytes, and then Arrivals.
type Effect struct {
	Mbar     uint32 // address
	Bytes    uint32
	Arrivals uint32
}

// AddWarp adds a warp to a program: lanes of thread indices from first on, of which those of the mask exist.
func (p *Program) AddWarp(cta, first int, lanes uint32) *Warp {
	w := &Warp{CTA: cta, First: first, Lanes: lanes}
	p.Warps = append(p.Warps, w)
	return w
}

// Read, Write and Atomic append an access by the lanes of the mask.
func (w *Warp) Read(place, mask uint32, at Address, flags Flags) {
	w.Commands = append(w.Commands, Command{Kind: Read, Flags: flags, Mask: mask, Place: place, A: at.Base, B: at.Stride, C: at.Size})
}

// Write appends a write of a value; see Read.
func (w *Warp) Write(place, mask uint32, at Address, v Value, flags Flags) {
	w.Commands = append(w.Commands, Command{Kind: Write, Flags: flags, Mask: mask, Place: place, A: at.Base, B: at.Stride, C: at.Size, D: w.value(v)})
}

// Atomic appends a read-modify-write; see Read.
func (w *Warp) Atomic(place, mask uint32, at Address, flags Flags) {
	w.Commands = append(w.Commands, Command{Kind: Atomic, Flags: flags, Mask: mask, Place: place, A: at.Base, B: at.Stride, C: at.Size})
}

// value is the number of a value in this warp.
func (w *Warp) value(v Value) uint32 {
	if v.Form == 0 {
		return 0
	}
	if w.lastSet > 0 && w.values[w.lastSet-1] == v {
		return w.lastSet
	}
	n, ok := w.known[v]
	if !ok {
		if w.known == nil {
			w.known = map[Value]uint32{}
		}
		w.values = append(w.values, v)
		n = uint32(len(w.values))
		w.known[v] = n
	}
	w.lastSet = n
	return n
}

// Written is the value of a write, with Form 0 where it is not known.
func (w *Warp) Written(c *Command) Value {
	if c.Kind != Write || c.D == 0 {
		return Value{}
	}
	return w.values[c.D-1]
}

// Named appends an arrive or a sync on a named barrier that the lanes of the mask run; threads is the operand, 0 where the
// instruction has none: all threads of the CTA that have not exited.
func (w *Warp) Named(kind Kind, place, mask, id, threads uint32, flags Flags) {
	w.Commands = append(w.Commands, Command{Kind: kind, Flags: flags, Mask: mask, Place: place, A: id, C: threads})
}

// Joint appends a WarpSync, WarpMeet, ClusterArrive or ClusterWait.
func (w *Warp) Joint(kind Kind, place, mask uint32, flags Flags) {
	w.Commands = append(w.Commands, Command{Kind: kind, Flags: flags, Mask: mask, Place: place})
}

// Init appends an mbarrier.init with a count; Inval an mbarrier.inval.
func (w *Warp) Init(place, mask, mbar, count uint32) {
	w.Commands = append(w.Commands, Command{Kind: MbarInit, Mask: mask, Place: place, A: mbar, B: int32(count)})
}

// Inval appends an mbarrier.inval.
func (w *Warp) Inval(place, mask, mbar uint32) {
	w.Commands = append(w.Commands, Command{Kind: MbarInval, Mask: mask, Place: place, A: mbar})
}

// Contribute appends a MbarArrive, MbarDrop, MbarExpect or MbarComplete on an mbarrier: each lane of the mask does it, with a
// count of arrivals (arrive, drop) and bytes (expected, for an arrive and a drop as well; or completed).
func (w *Warp) Contribute(kind Kind, place, mask, mbar, count, bytes uint32) {
	w.Commands = append(w.Commands, Command{Kind: kind, Mask: mask, Place: place, A: mbar, B: int32(count), C: bytes})
}

// Wait appends a wait until the phase of the parity is over (PTX ISA 9.7.13.15.16).
func (w *Warp) Wait(place, mask, mbar, parity uint32) {
	w.Commands = append(w.Commands, Command{Kind: MbarWait, Mask: mask, Place: place, A: mbar, C: parity & 1})
}

// WaitToken appends a wait for the phase that the arrive at index arrive of this warp's commands contributed to.
func (w *Warp) WaitToken(place, mask, mbar uint32, arrive int) {
	w.Commands = append(w.Commands, Command{Kind: MbarWaitToken, Mask: mask, Place: place, A: mbar, C: uint32(arrive)})
}

// Issue appends an asynchronous operation that each lane of the mask issues.
func (w *Warp) Issue(place, mask uint32, c Copy) {
	w.copies = append(w.copies, c)
	w.Commands = append(w.Commands, Command{Kind: AsyncCopy, Mask: mask, Place: place, C: uint32(len(w.copies) - 1)})
}

// Copy is the operation that an AsyncCopy of this warp issues.
func (w *Warp) Copy(c *Command) Copy { return w.copies[c.C] }

// ArriveWhenDone appends an AsyncArrive: one arrival on the mbarrier for each lane, when what the lane issued with the
// unit before is done.
func (w *Warp) ArriveWhenDone(place, mask, mbar uint32, unit Unit, flags Flags) {
	w.Commands = append(w.Commands, Command{Kind: AsyncArrive, Flags: flags, Mask: mask, Place: place, A: mbar, C: uint32(unit)})
}

// Commit appends a commit_group.
func (w *Warp) Commit(place, mask uint32, unit Unit) {
	w.Commands = append(w.Commands, Command{Kind: AsyncCommit, Mask: mask, Place: place, C: uint32(unit)})
}

// WaitGroup appends a wait_group: at most pending of the latest groups of a lane are not done.
func (w *Warp) WaitGroup(place, mask uint32, unit Unit, pending int, flags Flags) {
	w.Commands = append(w.Commands, Command{Kind: AsyncWait, Flags: flags, Mask: mask, Place: place, B: int32(pending), C: uint32(unit)})
}
