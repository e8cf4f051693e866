package emulate

import (
	"math"

	"github.com/fencepost-dev/fencepost/program"
)

// Windows of the generic address space (PTX ISA 5.1): a generic address of shared memory is shared|offset. Addresses of the
// shared memory of a CTA of the cluster have its rank, plus one, above the offset; those of the own CTA have 0.
const (
	window      = 40
	sharedSpace = int64(1) << window
	constSpace  = int64(2) << window
	localSpace  = int64(3) << window
	rankBits    = 24
	offsetMask  = 1<<rankBits - 1
)

// variable is a declared variable with its place in its state space.
type variable struct {
	space string
	at    int64 // offset in the state space
	size  int64
	init  []int64
	elem  int64
}

// module is what the instructions of a file can name.
type module struct {
	file      *program.File
	functions map[string]*program.Function
	variables map[string]*variable
	constants []*variable
	shared    int64 // bytes of static shared memory so far
	constant  int64
	local     int64
	dynamic   int64 // where .extern .shared arrays start
}

var widths = map[string]int64{"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2, "b32": 4, "u32": 4, "s32": 4,
	"f32": 4, "f16x2": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8, "b128": 16, "pred": 1}

func newModule(f *program.File) *module {
	m := &module{file: f, functions: map[string]*program.Function{}, variables: map[string]*variable{}}
	for _, fn := range f.Functions {
		if _, again := m.functions[fn.Name]; !again {
			m.functions[fn.Name] = fn
		}
	}
	for _, st := range f.Body {
		m.declare(st)
	}
	return m
}

// enter lays out the variables of the functions that run, then the dynamic shared memory behind them.
func (m *module) enter(fns []*program.Function) {
	for _, fn := range fns {
		for _, st := range fn.Body {
			m.declare(st)
		}
	}
	m.dynamic = roundUp(m.shared, 1024)
	for _, v := range m.variables {
		if v.space == "shared" && v.size < 0 {
			v.at = m.dynamic
		}
	}
}

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }

func (m *module) declare(st program.Stmt) {
	a, ok := st.(*program.Assign)
	if !ok || !a.Decl || a.Space == "" {
		return
	}
	for _, t := range a.Targets {
		name, ok := t.(*program.Name)
		if !ok {
			continue
		}
		if old := m.variables[name.Ident]; old != nil && old.size >= 0 {
			continue // declared .extern before, or a name of another function
		}
		v := &variable{space: a.Space, elem: widths[a.Type]}
		v.size = size(a, v.elem)
		m.place(v, a)
		m.variables[name.Ident] = v
	}
}

// size counts the bytes of a declaration; -1 for an array without an extent.
func size(a *program.Assign, elem int64) int64 {
	n := elem
	for _, d := range a.Dims {
		k, ok := d.(*program.Int)
		if !ok || k.Value < 0 {
			return -1
		}
		if k.Value > 0 && n > math.MaxInt32/k.Value {
			return math.MaxInt32
		}
		n *= k.Value
	}
	return n
}

func (m *module) place(v *variable, a *program.Assign) {
	next := map[string]*int64{"shared": &m.shared, "const": &m.constant, "local": &m.local}[v.space]
	if next == nil || v.size < 0 {
		return
	}
	align := min(max(a.Align, v.elem, 1), 1<<20)
	v.at = roundUp(*next, align)
	*next = v.at + v.size
	if v.space == "const" {
		m.constants = append(m.constants, v)
	}
	switch x := a.Value.(type) {
	case *program.Int:
		v.init = []int64{x.Value}
	case *program.List:
		for _, e := range x.Elems {
			k, ok := e.(*program.Int)
			if !ok {
				v.init = nil
				return
			}
			v.init = append(v.init, k.Value)
		}
	}
}
