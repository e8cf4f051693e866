package exec

import "github.com/fencepost-dev/fencepost/ir"

// Allocation is a change of how many registers the threads of a warp have (setmaxnreg, PTX ISA 9.7.19.5).
type Allocation struct {
	Place  uint32
	Count  int64 // of registers a thread; -1: not known
	Larger bool
	Unsure bool // it may not be executed
}

// allocates notes a change; one to what the warp has already changes nothing: code that several roles share may say it once more.
func (w *warp) allocates(in *ir.Inst, unsure bool) {
	a := Allocation{Place: in.Place, Count: -1, Larger: in.Named() == "inc", Unsure: unsure}
	if in.A.Reg == -1 {
		a.Count = in.A.Imm
	}
	if n := len(w.allocations); unsure || n == 0 || a.Count < 0 || w.allocations[n-1].Count != a.Count {
		w.allocations = append(w.allocations, a)
	}
}
