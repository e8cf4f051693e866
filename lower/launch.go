package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// launch is how the host starts a kernel.
type launch struct {
	grid, block, cluster [3]int64 // 0 where not known
	args                 []value
	keywords             map[string]value
	self                 value
	kernel               *program.Function
	host                 bool   // a launch in this file was evaluated; otherwise the kernel's attributes speak
	limit                string // the attribute that gives block, where it is only an upper bound
}

// clone copies what the host made, so that one group of threads does not see what another did to it.
func (la *launch) clone() *launch {
	out := *la
	copied := map[any]value{}
	out.self = copyValue(la.self, copied)
	out.args = make([]value, len(la.args))
	for i, a := range la.args {
		out.args[i] = copyValue(a, copied)
	}
	out.keywords = make(map[string]value, len(la.keywords))
	for _, k := range slices.Sorted(maps.Keys(la.keywords)) {
		out.keywords[k] = copyValue(la.keywords[k], copied)
	}
	return &out
}

// copyValue copies the mutable parts of a value; parts that are shared stay shared.
func copyValue(v value, copied map[any]value) value {
	if v == nil {
		return nil
	}
	switch x := v.(type) {
	case *object:
		if c, ok := copied[x]; ok {
			return c
		}
		c := *x
		copied[x] = &c
		c.fields = make(map[string]value, len(x.fields))
		for k, f := range x.fields {
			c.fields[k] = copyValue(f, copied)
		}
		return &c
	case *sequence:
		if c, ok := copied[x]; ok {
			return c
		}
		c := &sequence{elems: make([]value, len(x.elems))}
		copied[x] = c
		for i, e := range x.elems {
			c.elems[i] = copyValue(e, copied)
		}
		return c
	case *mapping:
		if c, ok := copied[x]; ok {
			return c
		}
		c := &mapping{keys: slices.Clone(x.keys), values: make(map[string]value, len(x.values))}
		copied[x] = c
		for k, e := range x.values {
			c.values[k] = copyValue(e, copied)
		}
		return c
	case *closure:
		if c, ok := copied[x]; ok {
			return c
		}
		c := *x
		copied[x] = &c
		c.self = copyValue(x.self, copied)
		c.bound = slices.Clone(x.bound)
		for i, b := range c.bound {
			c.bound[i] = copyValue(b, copied)
		}
		return &c
	}
	return v
}

// launched ends a host run: the launch that was looked for was reached.
type launched struct{}

// findLaunch runs the host functions that launch the kernel, until one of them gets there. Without one it takes what
// the kernel's attributes say.
func (l *lowering) findLaunch(fn *program.Function) *launch {
	for _, host := range l.file.Functions {
		if host.Kernel || !l.launches(host, fn) {
			continue
		}
		if la := l.runHost(host, fn); la != nil {
			return la
		}
	}
	la := &launch{}
	for _, a := range fn.Attributes {
		c, ok := a.(*program.Call)
		if !ok {
			continue
		}
		name, ok := c.Fun.(*program.Name)
		if !ok {
			continue
		}
		dims := l.constants(c.Args)
		switch strings.Trim(name.Ident, "_") {
		case "launch_bounds", "maxntid", "reqntid":
			la.block = [3]int64{dims[0], max(1, dims[1]), max(1, dims[2])}
			if strings.Contains(name.Ident, "launch_bounds") { // the second argument is a residency hint
				la.block = [3]int64{dims[0], 1, 1}
			}
			la.limit = name.Ident
			if strings.Contains(name.Ident, "reqntid") {
				la.limit = ""
			}
		case "cluster_dims", "reqnctapercluster":
			la.cluster = [3]int64{max(1, dims[0]), max(1, dims[1]), max(1, dims[2])}
		}
	}
	return la
}

// launches reports whether the host function mentions the kernel together with a launch.
func (l *lowering) launches(host, fn *program.Function) bool {
	launch, named := false, false
	for e := range program.Exprs(host.Body) {
		switch e := e.(type) {
		case *program.Call:
			launch = launch || len(e.Launch) > 0
			if a, ok := e.Fun.(*program.Attr); ok && a.Name == "launch" {
				launch = true
			}
		case *program.Name:
			named = named || lastWord(e.Ident) == fn.Name
		case *program.Attr:
			named = named || e.Name == fn.Name
		}
	}
	return launch && named
}

// constants evaluates attribute arguments over the module's constants; 0 where not known.
func (l *lowering) constants(args []program.Expr) [3]int64 {
	var out [3]int64
	for i, a := range args {
		if i < 3 {
			l.guard(func(m *machine) {
				if n, ok := m.eval(a, m.globals).(integer); ok {
					out[i] = int64(n)
				}
			})
		}
	}
	return out
}

func (l *lowering) runHost(host, kernel *program.Function) *launch {
	var out *launch
	l.guard(func(m *machine) {
		m.launch = &launch{kernel: kernel}
		s := newScope(m.globals, true)
		params := host.Params
		if host.Class != nil && len(params) > 0 && m.file.Language == program.CuTe && !static(host) {
			s.declare(params[0].Name, m.instance(classRef{class: host.Class, mod: m.mod}, nil, nil, program.Place{Span: host.Span}, s))
			params = params[1:]
		}
		for _, p := range append(append([]program.Param{}, host.Template...), params...) {
			s.declare(p.Name, m.parameter(p, s))
		}
		m.run(host.Body, s)
	}, func(m *machine, r any) {
		if _, ok := r.(launched); ok {
			out = m.launch
		}
	})
	return out
}

// parameter is the value of a parameter that no caller gives: what --set says, its default, or an unknown.
func (m *machine) parameter(p program.Param, s *scope) value {
	if v, ok := m.in.setting(p.Name); ok {
		return v
	}
	if p.Default != nil {
		return m.eval(p.Default, s)
	}
	return atom(p.Name)
}

// pythonLaunch is kernel(args…).launch(grid=…, block=…, cluster=…).
func (m *machine) pythonLaunch(a *program.Attr, e *program.Call, s *scope) value {
	c, ok := a.X.(*program.Call)
	if !ok {
		return data{}
	}
	f, ok := m.eval(c.Fun, s).(*closure)
	if !ok || f.fn == nil || m.launch == nil || f.fn != m.launch.kernel {
		return data{}
	}
	la := m.launch
	la.self, la.keywords = f.self, map[string]value{}
	for _, x := range c.Args {
		la.args = append(la.args, m.eval(x, s))
	}
	for _, k := range c.Keywords {
		la.keywords[k.Name] = m.eval(k.Value, s)
	}
	for _, k := range e.Keywords {
		v := m.eval(k.Value, s)
		switch k.Name {
		case "grid":
			la.grid = dims(v)
		case "block":
			la.block = dims(v)
		case "cluster":
			la.cluster = dims(v)
		}
	}
	la.host = true
	panic(launched{})
}

// cudaLaunch is kernel<<<grid, block, smem, stream>>>(args…).
func (m *machine) cudaLaunch(e *program.Call, s *scope) value {
	if m.launch == nil {
		return data{}
	}
	name, _ := e.Fun.(*program.Name)
	if name == nil || lastWord(name.Ident) != m.launch.kernel.Name {
		return data{}
	}
	la := m.launch
	la.grid = dims(m.eval(e.Launch[0], s))
	if len(e.Launch) > 1 {
		la.block = dims(m.eval(e.Launch[1], s))
	}
	for _, a := range e.Args {
		la.args = append(la.args, m.eval(a, s))
	}
	la.keywords = map[string]value{}
	for i, p := range la.kernel.Template {
		if i < len(e.Template) {
			la.keywords["template "+p.Name] = m.eval(e.Template[i], s)
		}
	}
	for _, a := range la.kernel.Attributes {
		if c, ok := a.(*program.Call); ok {
			if n, ok := c.Fun.(*program.Name); ok && strings.Contains(n.Ident, "cluster_dims") {
				la.cluster = m.in.low.constants(c.Args)
			}
		}
	}
	la.host = true
	panic(launched{})
}

// dims reads a launch extent: a number, a tuple, a dim3. Unknown parts are 0, missing ones 1.
func dims(v value) [3]int64 {
	out := [3]int64{1, 1, 1}
	num := func(v value) int64 {
		if n, ok := v.(integer); ok {
			return int64(n)
		}
		return 0
	}
	switch v := v.(type) {
	case *sequence:
		for i, e := range v.elems {
			if i < 3 {
				out[i] = num(e)
			}
		}
	default:
		out[0] = num(v)
	}
	return out
}
