package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// launch is how the host starts a kernel.
type launch struct {
	grid, block, cluster [3]int64      // 0 where not known
	extent               []value.Value // of the grid, as the launch spells it
	args                 []value.Value
	keywords             map[string]value.Value
	self                 value.Value
	kernel               *program.Function
	chosen               bool                       // the cluster is what the host side makes it, not what the launch says
	fallback             [3]int64                   // of clusters where the device has no room for one as large as is preferred (CUDA 12.8, preferred cluster dimension)
	host                 bool                       // a launch in this file was evaluated; otherwise the kernel's attributes speak
	driver               driver                     // what reached it
	config               config                     // options that are not as the driver would have them
	types                map[string]value.Value     // element types of tensors that the driver made
	hints                map[string]int64           // what a driver gave, and what its checks asked for
	loose                int                        // parameters whose declared default its checks do not accept
	unknown              *Opaque                    // what keeps block from being known
	offered              []option                   // what could be otherwise
	texts                map[textPair]bool          // that were compared with each other
	questions            map[string]*value.Expr     // what was asked of numbers on the way to it (questions.go)
	passing              passing                    // which of the kernel's launches it is
	where                program.Node               // of it
	probing              bool                       // numbers that are options are unknowns on the way to it
	shapes               map[*value.Sequence]string // the shapes of the command line, with the names of their options
	guessed              bool                       // nothing gives block
	dependent            *protocol.Site             // where it is launched while the kernels before it may still run; nil where it is not
	limit                string                     // the attribute that gives block, where it is only an upper bound
	values               map[string]int64           // what the host side assumed of its unknowns
	assumed              map[string]assumption      // the same, and what else it took for granted, in words
	passed               map[string]int64           // numbers that the host passes to the kernel, by the names of the unknowns that stand for them
	same                 map[string]string          // unknown extents that are others
	full                 map[string]bool            // unknowns, or whole shapes of them, that are not zero
	extents              []*value.Expr              // of tensor maps, worked out from unknowns: not zero either
	unpaired             bool                       // it multiplies in pairs of CTAs, and its cluster has none
	better               map[string]int64           // values of unknowns to assume instead, where the launch is not possible with these
}

// fill notes that a tensor map is made of a shape: no extent of it is zero (CUDA driver API, cuTensorMapEncodeTiled).
func (la *launch) fill(shape value.Value) {
	if la.full == nil {
		la.full = map[string]bool{}
	}
	switch v := shape.(type) {
	case *value.Sequence:
		for _, e := range v.Elems {
			la.fill(e)
		}
	case value.Symbol:
		switch e := v.Expr; e.Op {
		case "":
			la.full[e.Atom] = true
		case "*":
			la.fill(value.Symbol{Expr: e.X})
			la.fill(value.Symbol{Expr: e.Y})
		case "//":
			la.fill(value.ToValue(e.X))
			la.extents = append(la.extents, e)
		default:
			la.extents = append(la.extents, e)
		}
	}
}

// filled reports whether an unknown is an extent of a tensor map.
func (la *launch) filled(key string) bool {
	shape, _, _ := strings.Cut(key, "[")
	return la.full[key] || la.full[shape] && strings.HasSuffix(shape, ".shape")
}

// clone copies what the host made, so that one group of threads does not see what another did to it.
func (la *launch) clone() *launch {
	out := *la
	c := value.NewCopier(nil)
	out.self = c.Copy(la.self)
	out.args = make([]value.Value, len(la.args))
	for i, a := range la.args {
		out.args[i] = c.Copy(a)
	}
	out.keywords = make(map[string]value.Value, len(la.keywords))
	for _, k := range slices.Sorted(maps.Keys(la.keywords)) {
		out.keywords[k] = c.Copy(la.keywords[k])
	}
	return &out
}

// given are the values the host side gave its unknowns, to start from.
func (la *launch) given() map[string]int64 {
	if la.values == nil {
		return map[string]int64{}
	}
	return maps.Clone(la.values)
}

// launched ends a host run: the launch that was looked for was reached.
type launched struct{}

// findLaunch runs the drivers of a kernel until one of them launches it with a known number of threads. Without one it
// takes what the kernel's attributes say, and why tells what kept the drivers from it.
func (l *lowering) findLaunch(fn *program.Function) (la *launch, why *Opaque) {
	fuel := hostFuel
	for _, d := range l.drivers(fn) {
		found, stop := l.drive(d, fn, nil, &fuel)
		if found != nil && (la == nil || la.block[0] <= 0) {
			la = found
		}
		if why == nil {
			why = stop
		}
		if la != nil && la.block[0] > 0 {
			return la, nil
		}
		if fuel <= 0 {
			break
		}
	}
	if la != nil {
		return la, why
	}
	return l.attributes(fn), why
}

// attributes is what a kernel's own attributes say of its launch.
func (l *lowering) attributes(fn *program.Function) *launch {
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

// constants evaluates attribute arguments over the module's constants; 0 where not known.
func (l *lowering) constants(args []program.Expr) [3]int64 {
	var out [3]int64
	for i, a := range args {
		if i < 3 {
			l.guard(func(m *machine) {
				if n, ok := m.eval(a, m.globals).(value.Int); ok {
					out[i] = int64(n)
				}
			})
		}
	}
	return out
}

// hostFuel bounds the steps of all attempts to reach a kernel's launch.
const hostFuel = 2_000_000

// drive runs one driver. Where the launch is not reached it says what stopped it, if anything did. A launch that the
// assumptions made impossible is driven once more with others.
func (l *lowering) drive(d driver, kernel *program.Function, c config, fuel *int) (la *launch, why *Opaque) {
	learned, bettered := newGuesses(), false
	maps.Copy(learned.hints, l.hinted)
	maps.Copy(learned.hints, c.numbers())
	for repeat := true; repeat && *fuel > 0; learned.repairs++ {
		repeat, la, why = false, nil, nil
		l.guard(func(m *machine) {
			m.in.hints, m.in.loose, m.in.repairs = learned.hints, learned.loose, learned.repairs
			m.fuel = min(m.fuel, *fuel)
			*fuel -= m.fuel
			defer func() { *fuel += m.fuel }()
			m.launch = &launch{kernel: kernel, driver: d, config: c, probing: l.probing, passing: l.passing}
			if d.fn == nil && d.body != nil {
				defer m.globals.Keep()()
				m.run(d.body, m.globals) // functions see what the script assigns
				return
			}
			m.start(d)
		}, func(m *machine, r any) {
			switch r := r.(type) {
			case launched:
				if better := m.launch.better; better != nil && !bettered {
					bettered, repeat = true, true
					maps.Copy(learned.hints, better)
					return
				}
				la, why = m.launch, m.launch.unknown
				la.values, la.assumed, la.hints, la.types, la.loose = m.in.values, m.in.assumed, m.in.hints, m.in.types, len(m.in.loose)
				if len(m.in.guessed) > 0 {
					la.assumed["conditions of the host side: "+strings.Join(slices.Sorted(maps.Keys(m.in.guessed)), ", ")] = inWords
				}
			case again:
				repeat = true
			case raised:
				repeat = learned.otherKinds(m)
				l.blamed = m.in.blamed
				why = &Opaque{r.file.Source.Name, r.file.Source.Position(r.span.Start).Line, limit.LaunchPath.Says("the host side raises " + r.describe())}
			case opaque:
				why = &Opaque{m.file.Source.Name, m.file.Source.Position(r.span.Start).Line, r.why}
			}
		})
	}
	return la, why
}

// kernelCall is kernel(args…), not launched yet.
type kernelCall struct {
	of   *value.Closure
	args *value.Arguments
}

// pythonLaunch is kernel(args…).launch(grid=…, block=…, cluster=…).
func (m *machine) pythonLaunch(k *kernelCall, a *value.Arguments, n program.Node) value.Value {
	if m.launch == nil || k.of.Fn != m.launch.kernel || m.passesOver(n) {
		return value.None{}
	}
	la := m.launch
	la.self, la.args, la.keywords = k.of.Self, k.args.Vals, map[string]value.Value{}
	for i, name := range k.args.Names {
		la.keywords[name] = k.args.Named[i]
	}
	la.grid, la.extent = cute.Dims(a.Get(0, "grid")), cute.Modes(a.Get(0, "grid"))
	if pdl := a.Get(-1, "use_pdl"); pdl != nil && pdl != value.Int(0) && pdl != (value.None{}) { // where it is not known, who hands it over means it to be
		at := m.bare(n)
		la.dependent = &at
	}
	if fits, ok := value.Binary("<=", cute.Product(a.Get(1, "block")), value.Int(maxThreads)).(value.Symbol); ok && !m.runTime(fits.Expr) {
		m.holdsFor(fits.Expr, true)
	}
	block := m.assumed(a.Get(1, "block"))
	la.block = cute.Dims(block)
	if la.block[0] <= 0 {
		la.unknown = &Opaque{m.file.Source.Name, m.file.Source.Position(n.Where().Start).Line, limit.LaunchShape.Says("the number of threads, " + clip(value.Canonical(block)) + ", is not known")}
	}
	if la.block[0]*la.block[1]*la.block[2] > maxThreads { // a guess that cannot be
		la.block = [3]int64{0, 1, 1}
	}
	if c := a.Get(2, "cluster"); c != nil && c != (value.None{}) {
		la.cluster, la.chosen = m.clusterOf(c), !syntax.InLetters(n, "cluster")
		if la.cluster[0]%2 != 0 && la.multipliesInPairs() {
			if m.widen(cute.Part(c, 0)); la.better == nil && len(la.config) > 0 {
				m.stop(n, limit.LaunchShape, "a pair of CTAs multiplies, and clusters are %d wide", la.cluster[0])
			}
		}
	}
	if c := a.Get(-1, "fallback_cluster"); c != nil && c != (value.None{}) {
		la.fallback = m.clusterOf(c)
	}
	m.nameUnknowns(la)
	la.passes(m.unknowns(), program.Param.CompiledIn)
	if la.host = true; !la.probing {
		m.fix(la)
	}
	panic(launched{})
}

// multipliesInPairs reports whether the kernel is given an instruction that spans a pair of CTAs.
func (la *launch) multipliesInPairs() bool {
	given := append([]value.Value{la.self}, la.args...)
	for _, v := range la.keywords {
		given = append(given, v)
	}
	for _, v := range given {
		if o, ok := v.(*value.Object); ok {
			for _, f := range o.Fields {
				given = append(given, f)
			}
		}
	}
	for _, v := range given {
		if mma, ok := v.(*cute.TiledMMA); ok && mma.Ctas == value.Int(2) {
			return true
		}
	}
	return false
}

// widen asks for another run of the host side, with a cluster of two: a pair of CTAs is one of a cluster, whose extent
// along x is even (PTX ISA 9.7.16.5, CTA pair), so what was assumed of the extent cannot be.
func (m *machine) widen(extent value.Value) {
	sym, ok := extent.(value.Symbol)
	if !ok {
		m.launch.unpaired = true
		return
	}
	for _, leaf := range value.Leaves(sym.Expr, nil) {
		if m.in.values[leaf.String()] == 1 {
			m.launch.better = map[string]int64{leaf.String(): 2}
			return
		}
	}
}

// nameUnknowns makes one unknown of each argument and field that the host side leaves unknown: every thread of the
// launch sees the same value.
func (m *machine) nameUnknowns(la *launch) {
	params := la.kernel.Params
	if la.self != nil && len(params) > 0 {
		combination.NameFields(la.self, "self", 0)
		params = params[1:]
	}
	for i, a := range la.args {
		if i >= len(params) {
			break
		}
		_, missing := a.(value.None)
		_, unknown := a.(value.Data)
		if unknown || missing && la.driver.force && params[i].Type == "cute.Tensor" { // what the forced condition stands for
			la.args[i] = value.Atom(params[i].Name)
		}
		if t, ok := a.(*cute.Tensor); ok && t.Block == nil {
			la.args[i] = t.Named(params[i].Name)
		}
	}
	for name, a := range la.keywords {
		if _, ok := a.(value.Data); ok {
			la.keywords[name] = value.Atom(name)
		}
	}
	for _, a := range append(slices.Collect(maps.Values(la.keywords)), la.args...) { // what is launched with is there
		if s, ok := a.(value.Symbol); ok && s.Expr.Op == "" && !s.Expr.IsConst {
			if key := s.Expr.Atom + " is None"; m.in.values[key] == 0 {
				m.in.give(key, 0)
			}
		}
	}
}
