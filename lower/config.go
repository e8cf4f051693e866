package lower

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/program"
)

// A configuration is a choice of values for the host parameters that decide const_expr tests: each makes another kernel
// of the same source (notes/cutedsl.md 3.2, R3). The default is what the driver or the declared defaults say; the others
// cover every pair of values, up to a cap.

// option is one of a kernel's free host parameters.
type option struct {
	key    string // the function's qualified name and the parameter's
	name   string
	chosen value  // in the default configuration
	other  value  // what else it may be
	spell  string // the other value, for people
	joins  bool   // it is only varied where another option asks for it (together.go)
}

// config is the options that are not as in the default configuration.
type config []option

func (c config) String() string {
	parts := make([]string, len(c))
	for i, o := range c {
		parts[i] = o.name + "=" + o.spell
	}
	return strings.Join(parts, ", ")
}

// maxConfigs bounds the configurations of one kernel.
const maxConfigs = 16

// maxOptions bounds the parameters that are varied.
const maxOptions = 12

// options are the parameters of the functions nearest to the launch that could be otherwise and that decide a
// const_expr test: flags, and tensors that may be left out. The functions nearest are the constructor of the object
// whose kernel it is, the method or function that launches, and the kernel itself.
func (l *lowering) options(la *launch) []option {
	tested := l.tested()
	var out []option
	for _, o := range la.offered {
		if tested[o.name] && !o.joins && len(out) < maxOptions && !slices.ContainsFunc(out, func(p option) bool { return p.key == o.key }) {
			out = append(out, o)
		}
	}
	return out
}

// tested are the names that occur in the conditions of the file that are decided when the kernel is compiled.
func (l *lowering) tested() map[string]bool {
	out := map[string]bool{}
	note := func(e program.Expr) {
		program.WalkExprs(e, func(e program.Expr) bool {
			switch e := e.(type) {
			case *program.Name:
				out[e.Ident] = true
			case *program.Attr:
				out[e.Name] = true
			}
			return true
		})
	}
	for _, f := range l.file.Functions {
		for _, st := range f.Body {
			program.Walk(st, func(n program.Node) bool {
				switch n := n.(type) {
				case *program.If:
					if n.Const {
						note(n.Cond)
					}
				case *program.Call:
					if lastWord(program.DumpExpr(n.Fun)) == "const_expr" {
						for _, a := range n.Args {
							note(a)
						}
					}
				}
				return true
			})
		}
	}
	return out
}

// offer notes what a parameter of a host function is and what else it could be.
func (m *machine) offer(fn *program.Function, p program.Param, v value) {
	o := option{key: fn.Qualified + "." + p.Name, name: p.Name, chosen: v}
	flag := p.Type == "bool" || strings.HasSuffix(p.Type, "[bool]")
	if b, ok := p.Default.(*program.Bool); ok {
		flag = flag || b != nil
	}
	switch v := v.(type) {
	case integer:
		if !flag {
			return
		}
		o.other, o.spell = boolean(v == 0), "True"
		if v != 0 {
			o.spell = "False"
		}
	case symbol:
		if !flag {
			return
		}
		o.other, o.spell = integer(1), "True"
	case none:
		if !strings.Contains(p.Type, "Tensor") {
			return
		}
		o.other, o.spell = m.ofType(p.Name, "Tensor"), "a tensor"
	default:
		return
	}
	m.launch.offered = append(m.launch.offered, o)
}

// arranged notes and, in a configuration, replaces the arguments of a host function.
func (m *machine) arranged(fn *program.Function, params []program.Param, s *scope) {
	if m.file.Language != program.CuTe || fn.Kernel || !m.constructs(fn) && !m.in.low.words(outermost(fn)).launches(m.launch.kernel) {
		return
	}
	for _, p := range params {
		l, ok := s.vars[p.Name]
		if !ok || p.Star > 0 {
			continue
		}
		key := fn.Qualified + "." + p.Name
		if i := slices.IndexFunc(m.launch.config, func(o option) bool { return o.key == key }); i >= 0 {
			s.declare(p.Name, m.launch.config[i].other)
			continue
		}
		m.offer(fn, p, l.get())
	}
}

// constructs reports whether a function is the constructor of the object whose kernel is looked for. What other objects
// are made with is for those who make them to say.
func (m *machine) constructs(fn *program.Function) bool {
	own := m.launch.kernel.Class
	if fn.Name != "__init__" || fn.Class == nil || own == nil {
		return false
	}
	if fn.Class == own || m.in.low.derives(fn.Class, own) || m.in.low.derives(own, fn.Class) {
		return true
	}
	l, ok := m.in.low.main.globals.vars[own.Name]
	if !ok {
		return false
	}
	c, ok := l.get().(*class)
	return ok && slices.ContainsFunc(c.mro, func(k *class) bool { return k.decl == fn.Class })
}

// pairwise lists configurations that together give every two options every pair of their values, the default
// configuration left out.
func pairwise(options []option) []config {
	n := len(options)
	rows := [][]bool{make([]bool, n)}
	covered := func(row []bool, i, j int, a, b bool) bool { return row[i] == a && row[j] == b }
	missing := func(i, j int, a, b bool) bool {
		return !slices.ContainsFunc(rows, func(r []bool) bool { return covered(r, i, j, a, b) })
	}
	if n == 1 {
		rows = append(rows, []bool{true})
	}
	for len(rows) < maxConfigs {
		row, fixed := make([]bool, n), make([]bool, n)
		started := false
		for i := range n {
			for j := i + 1; j < n; j++ {
				for _, ab := range [][2]bool{{true, false}, {false, true}, {true, true}} {
					a, b := ab[0], ab[1]
					if fixed[i] && row[i] != a || fixed[j] && row[j] != b || !missing(i, j, a, b) {
						continue
					}
					row[i], row[j], fixed[i], fixed[j], started = a, b, true, true, true
				}
			}
		}
		if !started {
			break
		}
		rows = append(rows, row)
	}
	var out []config
	for _, row := range rows[1:] {
		var c config
		for i, o := range options {
			if row[i] {
				c = append(c, o)
			}
		}
		out = append(out, c)
	}
	return out
}

// arrange launches the kernel in a configuration, nil where the host's checks do not pass. What a script gives besides
// may not go with it: then the launching function alone is tried, with values that its checks ask for.
func (l *lowering) arrange(la *launch, fn *program.Function, c config, fuel *int) *launch {
	inner := la.driver
	for _, d := range l.drivers(fn) {
		if d.fn != nil && !d.lenient {
			inner = d
		}
	}
	tried := []driver{la.driver}
	if inner.fn != la.driver.fn {
		tried = append(tried, inner)
	}
	for _, d := range tried {
		if other, _ := l.drive(d, fn, c, fuel); other != nil && other.block[0] > 0 && !other.unpaired && *fuel > 0 {
			return other
		}
	}
	return nil
}

// configFuel bounds the steps for all configurations of a kernel but the default.
const configFuel = kernelFuel / 2

// configurations lowers a kernel in its default configuration and, where nothing was left out of that, in the others.
func (l *lowering) configurations(fn *program.Function) []*Kernel {
	start := time.Now()
	l.hinted = map[string]int64{}
	la, why := l.findLaunch(fn)
	driving := time.Since(start)
	l.fuel = kernelFuel
	k, la := l.accepted(fn, la, why)
	out := []*Kernel{k}
	out[0].Elapsed += driving
	if !la.host || len(out[0].Opaque) > 0 {
		return out
	}
	rejected, searched, left := 0, []string{"default"}, []string(nil)
	fuel := configFuel
	for _, c := range pairwise(l.options(la)) {
		if fuel <= 0 {
			left = append(left, "those after them")
			break
		}
		k := l.together(la, fn, c, &fuel)
		if k == nil {
			rejected++
			continue
		}
		if len(k.Opaque) > 0 {
			left = append(left, fmt.Sprintf("%s (%s)", k.Config, k.Opaque[0]))
			continue
		}
		searched = append(searched, k.Config)
		if !slices.ContainsFunc(out, func(o *Kernel) bool { return reflect.DeepEqual(o.Instances, k.Instances) }) {
			out = append(out, k)
		}
	}
	if len(searched) > 1 {
		out[0].Bounds["configurations"] = strings.Join(searched, "; ")
	}
	if len(left) > 0 {
		out[0].Bounds["configurations not modelled"] = strings.Join(left, "; ")
	}
	if rejected > 0 {
		out[0].Bounds["configurations that cannot be launched"] = fmt.Sprint(rejected)
	}
	return out
}
