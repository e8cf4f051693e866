package lower

import (
	"fmt"
)

// A kernel runs on several GPUs where one host function launches it on each: cudaSetDevice(d), then the launch, for one d
// after the other (CUDA C++ Programming Guide, device selection). The launches do not wait for each other, so the model has
// the CTAs of all of them, those of a GPU in a row. Arguments are evaluated at each launch: a pointer that all are given is
// the same memory for all GPUs.

// maxDevices bounds the GPUs of one model.
const maxDevices = 64

// deviceLaunch is a launch of the kernel.
type deviceLaunch struct {
	device      int // from 1; 0 where the host names none
	grid, block [3]int64
	args        []value
	keywords    map[string]value
}

// templateKey is ahead of the name of a template parameter among the keywords of a launch: no argument is called so.
const templateKey = "template "

// interrupted is what the end of a host run means that has launched the kernel: what comes behind the launches does not
// matter, but with it there may be further ones.
func (la *launch) interrupted(signal any) any {
	if _, ok := signal.(launched); ok || la == nil || len(la.devices) == 0 {
		return signal
	}
	var at Opaque
	switch r := signal.(type) {
	case opaque:
		at = Opaque{r.file.Source.Name, r.file.Source.Position(r.span.Start).Line, r.why}
	case raised:
		at = Opaque{r.file.Source.Name, r.file.Source.Position(r.span.Start).Line, "the host side raises " + r.describe()}
	default:
		return signal
	}
	if len(la.devices) > 1 {
		at.Why = "on which GPUs the kernel is launched is not known: " + at.Why
		la.uneven = &at
	}
	return launched{}
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
