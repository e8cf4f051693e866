package rules

import (
	"bytes"

	"github.com/fencepost-dev/fencepost/program"
)

// readLaunches notes how many threads a CTA of each kernel has: kernel(…).launch(block=[128, 1, 1]) and
// kernel<<<grid, 128>>>(…).
func (f *fileFacts) readLaunches() {
	text := f.file.Source.Data
	if !bytes.Contains(text, []byte("<<<")) && bytes.Count(text, []byte("launch")) == bytes.Count(text, []byte("__launch_bounds__")) {
		return
	}
	for _, fn := range f.file.Functions {
		g := &function{file: f, fn: fn}
		for c := range program.Calls(fn.Body) {
			if len(c.Launch) > 1 {
				f.launch(lastWord(path(c.Fun)), g.volume(c.Launch[1]), g.volume(c.Launch[0]))
			}
			a, ok := c.Fun.(*program.Attr)
			if !ok || a.Name != "launch" {
				continue
			}
			kernel, ok := a.X.(*program.Call)
			if !ok {
				continue
			}
			threads, ctas := int64(-1), int64(-1)
			for _, k := range c.Keywords {
				switch k.Name {
				case "block":
					threads = g.volume(k.Value)
				case "grid":
					ctas = g.volume(k.Value)
				}
			}
			f.launch(lastWord(path(kernel.Fun)), threads, ctas)
		}
	}
}

func (f *fileFacts) launch(kernel string, threads, ctas int64) {
	if old, seen := f.blocks[kernel]; seen && old != threads {
		threads = -1
	}
	if old, seen := f.grids[kernel]; seen && old != ctas {
		ctas = -1
	}
	f.blocks[kernel], f.grids[kernel] = threads, ctas
}

// volume is the product of a block's extents, -1 if it is no constant.
func (g *function) volume(x program.Expr) int64 {
	list := []program.Expr{x}
	switch e := x.(type) {
	case *program.Tuple:
		list = e.Elems
	case *program.List:
		list = e.Elems
	case *program.Call: // dim3(128, 1)
		list = e.Args
	}
	n := int64(1)
	for _, e := range list {
		v, ok := g.fold(e)
		if !ok || v <= 0 || v > 1024 {
			return -1
		}
		n *= v
	}
	return n
}

// block is the number of threads a CTA of the kernel has, 0 when the file does not say.
func (p *Pass) block() int64 { return max(p.fn.file.blocks[p.fn.fn.Name], 0) }
