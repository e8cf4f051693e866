package emulate

import (
	"fmt"
	"os"
	"testing"
	"strings"
	"strconv"

	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

func TestDebug(t *testing.T) {
	for _, name := range strings.Fields(os.Getenv("DBG")) {
		name, block, _ := strings.Cut(name, ":")
		data, _ := os.ReadFile(name)
		f := ptx.Read(&source.File{Name: name, Data: data})
		for _, fn := range f.Functions {
			if !fn.Kernel { continue }
			l := Launch{}
			if n, err := strconv.Atoi(block); err == nil { l.Block = [3]int{n,1,1} }
			e, err := Kernel(f, fn, l)
			if err != nil { fmt.Println(name, err); continue }
			n, c := 0, 0
			bars := 0
			for _, w := range e.Program.Warps {
				n += len(w.Commands)
				for _, x := range w.Commands { for m := x.Mask; m != 0; m &= m-1 { c++ }; if x.Kind==3||x.Kind==4 { bars++ } }
			}
			fmt.Println(name[strings.LastIndex(name, "/")+1:], fn.Name, "warps", len(e.Program.Warps), "commands", n, "of threads", c, "bars", bars, e.Elapsed)
			if e.Stop != nil { fmt.Println("   STOP", e.Stop.Instr.Loc, e.Stop.Instr, e.Stop.Why) }
			for k, h := range e.Hidden { if k < 4 { fmt.Println("   hidden", h.Instr.Loc, h.Instr, h.Why) } }
			fmt.Println("   unsure", len(e.Unsure), "peeks", len(e.Peeks), "hidden", len(e.Hidden), e.Assumed)
			if os.Getenv("DUMP") != "" {
				for k, w := range e.Program.Warps { if k < 3 { for j, x := range w.Commands { if j < 40 { fmt.Printf("%d %v %x %d A=%x B=%d C=%d D=%d\n", k, x.Kind, x.Mask, x.Place, x.A, x.B, x.C, x.D) } } } }
			}
		}
	}
}
