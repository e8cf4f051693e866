package ptx

import (
	"math"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// module is what the instructions of a file can name.
type module struct {
	functions map[string]*program.Function
	variables map[string]*ir.Variable
	constants []*ir.Variable
	next      map[string]int64 // by state space, where the next variable goes
}

func newModule(f *program.File) *module {
	m := &module{functions: map[string]*program.Function{}, variables: map[string]*ir.Variable{}, next: map[string]int64{"shared": 0, "const": 0, "local": 0}}
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
	dynamic := roundUp(m.next["shared"], 1024)
	for _, v := range m.variables {
		if v.Space == "shared" && v.Size < 0 {
			v.At = dynamic
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
		if old := m.variables[name.Ident]; old != nil && old.Size >= 0 {
			continue // declared .extern before, or a name of another function
		}
		v := &ir.Variable{Name: name.Ident, Space: a.Space, Elem: widths[a.Type]}
		v.Size = size(a, v.Elem)
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

func (m *module) place(v *ir.Variable, a *program.Assign) {
	next, laid := m.next[v.Space]
	if v.Space == "global" {
		initial(v, a)
	}
	if !laid || v.Size < 0 {
		return
	}
	initial(v, a)
	align := min(max(a.Align, v.Elem, 1), 1<<20)
	v.At = roundUp(next, align)
	m.next[v.Space] = v.At + v.Size
	if v.Space == "const" {
		m.constants = append(m.constants, v)
	}
}

// initial sets what a variable holds at first, as far as that is known: what the host puts into constant memory is not, and
// other memory without an initialiser is 0 (PTX ISA 5.4.4).
func initial(v *ir.Variable, a *program.Assign) {
	if a.Value == nil && v.Space == "global" {
		v.Init = []int64{0}
	}
	switch x := a.Value.(type) {
	case *program.Int:
		v.Init = []int64{x.Value}
	case *program.List:
		for _, e := range x.Elems {
			k, ok := e.(*program.Int)
			if !ok {
				v.Init = nil
				return
			}
			v.Init = append(v.Init, k.Value)
		}
	}
}
