package ptx

import (
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

var memoryOrders = map[string]ir.Order{"weak": ir.Weak, "relaxed": ir.Relaxed, "acquire": ir.Acquire, "release": ir.Release, "acq_rel": ir.AcquireRelease,
	"sc": ir.Sequential, "volatile": ir.Volatile, "mmio": ir.MMIO}

var memoryScopes = map[string]ir.Scope{"cta": ir.ScopeCTA, "cluster": ir.ScopeCluster, "gpu": ir.ScopeGPU, "gl": ir.ScopeGPU, "sys": ir.ScopeSys}

// ordered sets the order and the scope of an instruction, which are the defaults where it says none (PTX ISA 8.3, 8.5).
func ordered(i *program.Instr, in *ir.Inst, order ir.Order, scope ir.Scope) {
	in.Order, in.Scope = order, scope
	said := false
	for _, m := range i.Modifiers {
		if o, ok := memoryOrders[m]; ok && in.Order != ir.MMIO { // .mmio.relaxed
			in.Order = o
		}
		if s, ok := memoryScopes[m]; ok {
			in.Scope, said = s, true
		}
	}
	if !said && (in.Order == ir.Volatile || in.Order == ir.MMIO) { // as .relaxed.sys (PTX ISA 8.4)
		in.Scope = ir.ScopeSys
	}
}

// proxies are the fences of a proxy, and of an engine, by what their modifiers begin with (PTX ISA 9.7.13.4, 9.7.15.7.1, 9.7.16.11).
var proxies = []struct {
	text  string
	proxy ir.Proxy
}{
	{"fence.proxy.alias", ir.ProxyAlias},
	{"fence.proxy.async::generic", ir.ProxyAsyncToGeneric},
	{"fence.proxy.async", ir.ProxyAsync},
	{"fence.proxy.tensormap", ir.ProxyTensormap},
	{"fence.mbarrier_init", ir.MbarrierInit},
	{"wgmma.fence", ir.WgmmaFence},
	{"tcgen05.fence::before_thread_sync", ir.Tcgen05Before},
	{"tcgen05.fence::after_thread_sync", ir.Tcgen05After},
}

// ordering compiles what orders memory, and what has no effect on values at all.
func (c *compiler) ordering(i *program.Instr) bool {
	in := ir.Blank(ir.Fence)
	switch i.Op {
	case "fence", "wgmma", "tcgen05":
		text := spelled(i)
		for _, p := range proxies {
			if strings.HasPrefix(text, p.text) {
				in.Mode = p.proxy
				break
			}
		}
		if i.Op != "fence" && in.Mode == ir.NoProxy {
			return false
		}
		c.fence(i, &in)
	case "membar": // a synonym of fence.sc
		ordered(i, &in, ir.Sequential, ir.NoScope)
		if i.Has("proxy") {
			in.Mode, in.Order = ir.ProxyAlias, ir.Weak
		}
	case "griddepcontrol":
		in.Op = ir.GridDependency
		if i.Has("wait") {
			in.Mode = 1
		}
	case "setmaxnreg":
		in.Op, in.A = ir.MaxRegisters, c.input(i, 0)
		if i.Has("dec") {
			in.Mode = 1
		}
	case "nanosleep":
		in.Op, in.A = ir.Sleep, c.input(i, 0)
	default:
		return false
	}
	c.add(in, i)
	return true
}

// fence sets what a fence of PTX says: .acq_rel where it names no order, and for a proxy the state space.
func (c *compiler) fence(i *program.Instr, in *ir.Inst) {
	order := ir.Weak
	if in.Mode == ir.NoProxy {
		order = ir.AcquireRelease
	}
	ordered(i, in, order, ir.NoScope)
	if in.Mode == ir.ProxyAsync {
		in.Space = spaceOf(i)
	}
	if in.Mode == ir.ProxyTensormap && len(i.Operands) > 1 { // [a], 128
		in.A, in.Offset = c.memory(i, 0)
		if n := term(i, 1).Value; n > 0 && n <= 1<<16 {
			in.Size = uint32(n)
		}
	}
}
