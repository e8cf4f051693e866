package lower

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// A kernel runs on several GPUs where one host function launches it on each: cudaSetDevice(d), then the launch, for one d
// after the other (CUDA C++ Programming Guide, device selection). The launches do not wait for each other, so the model has
// the CTAs of all of them, those of a GPU in a row. Arguments are evaluated at each launch: a pointer that all are given is
// the same memory for all GPUs.

// maxDevices bounds the GPUs of one model.
const maxDevices = 64

// setDevice is cudaSetDevice on the way to a launch.
func (m *machine) setDevice(e *program.Call, s *scope) bool {
	if m.launch == nil || m.file.Language != program.CUDA || len(e.Args) != 1 || lastName(e.Fun) != "cudaSetDevice" {
		return false
	}
	d, known := m.eval(e.Args[0], s).(integer)
	m.launch.device = 0
	if known && d >= 0 && d < maxDevices {
		m.launch.device = int(d) + 1
	}
	return true
}

// onDevice notes a launch on a device that the host has named. It reports whether others may follow: one on a device that
// has the kernel already ends the search, as a launch on any device does that is not named.
func (la *launch) onDevice(grid, block [3]int64, n program.Node, m *machine) (more bool) {
	if la.device == 0 || slices.Contains(la.devices, la.device) {
		return false
	}
	if len(la.devices) > 0 && (grid != la.grid || block != la.block) {
		f, at := m.place(n.Where())
		la.uneven = &Opaque{f.Source.Name, f.Source.Position(at.Start).Line, "the launch is another one on each GPU"}
		return false
	}
	la.grid, la.block = grid, block
	la.devices = append(la.devices, la.device)
	la.deviceArgs = append(la.deviceArgs, la.args)
	return true
}

// gpu is the GPU of the machine's CTA.
func (m *machine) gpu() int { return int(m.cta) / m.in.perGPU }

// blockOf is the CTA's place in the grid of its GPU.
func (m *machine) blockOf() int64 { return m.cta % int64(m.in.perGPU) }

// onGPUs puts CTAs on every GPU, as many on each.
func (w *sweep) onGPUs(in *instance) {
	in.perGPU = in.ctas
	if w.la.uneven != nil {
		w.k.opaque(*w.la.uneven)
	}
	if len(w.la.devices) < 2 {
		return
	}
	if in.cluster {
		w.k.opaque(Opaque{w.k.Path, w.k.Line, fmt.Sprintf("clusters on %d GPUs; one GPU is modelled", len(w.la.devices))})
		return
	}
	in.gpus = len(w.la.devices)
	in.ctas *= in.gpus
	if in.ctas > maxGrid {
		w.k.opaque(Opaque{w.k.Path, w.k.Line, fmt.Sprintf("%d CTAs on %d GPUs wait for each other; at most %d are modelled", in.ctas, in.gpus, maxGrid)})
		in.gpus, in.ctas = 1, in.perGPU
	}
}
