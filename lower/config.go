package lower

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A configuration is a choice of values for the host parameters that decide const_expr tests: each makes another kernel
// of the same source (notes/cutedsl.md 3.2, R3). The default is what the driver or the declared defaults say; the others
// cover every pair of values, up to a cap.

// option is one of a kernel's free host parameters.
type option struct {
	key    string // the function's qualified name and the parameter's
	name   string
	chosen value.Value           // in the default configuration
	other  value.Value           // what else it may be
	spell  string                // the other value, for people
	takes  map[string]assumption // what is assumed of the other value
	joins  bool                  // it is only varied where another option asks for it (together.go)
	extent bool                  // it is an extent, the at-th, of a shape that the command line takes (commandline.go)
	at     int
	number bool // it is an unknown of the host side, or a number that it is given (numbers.go)
	member bool // it is a member of an enumeration, or a text

	weight int             // tests of what synchronizes that it decides
	with   map[string]bool // names in the arms of the tests that it decides

	companion bool // decides nothing itself: it is needed where another option is taken
}

// config is the options that are not as in the default configuration.
type config []option

func (c config) String() string {
	parts := make([]string, len(c))
	for i, o := range c {
		parts[i] = o.name + "=" + o.spell
		if o.extent {
			parts[i] = fmt.Sprintf("%s[%d]=%s", o.name, o.at, o.spell)
		}
	}
	return strings.Join(parts, ", ")
}

// find is the option with a key, nil where the configuration has it as it is.
func (c config) find(key string) *option {
	if i := slices.IndexFunc(c, func(o option) bool { return o.key == key }); i >= 0 {
		return &c[i]
	}
	return nil
}

// maxConfigs bounds the configurations of one kernel.
const maxConfigs = 16

// maxOptions bounds the parameters that are varied.
const maxOptions = 24

// options are the parameters of the functions nearest to the launch that could be otherwise and that decide a
// const_expr test: flags, and tensors that may be left out. The functions nearest are the constructor of the object
// whose kernel it is, the method or function that launches, and the kernel itself.
func (l *lowering) options(la *launch) []option {
	out := l.ranked(la)
	return out[:min(len(out), maxOptions)]
}

// offer notes what a parameter of a host function is and what else it could be.
func (m *machine) offer(fn *program.Function, p program.Param, v value.Value) {
	o := option{key: fn.Qualified + "." + p.Name, name: p.Name, chosen: v}
	flag := isFlag(p)
	switch v := v.(type) {
	case *value.Sequence:
		m.offerShape(v)
		return
	case value.Int:
		if !flag {
			return
		}
		o.other, o.spell = value.Bool(v == 0), "True"
		if v != 0 {
			o.spell = "False"
		}
	case value.Symbol:
		if !flag {
			return
		}
		o.other, o.spell = value.Int(1), "True"
	case *value.EnumMember:
		m.offerMembers(o.key, o.name, v)
		return
	case value.Text:
		o.member = true
	case value.None:
		if c := m.annotated(given(p.Type)); !strings.Contains(p.Type, "Tensor") && (c == nil || !isRecord(c)) {
			return
		}
		o.other, o.takes = m.supposed(p.Name, given(p.Type))
		o.spell = "a tensor"
	default:
		return
	}
	m.launch.offered = append(m.launch.offered, o)
}

// isFlag reports whether a parameter is a yes or no.
func isFlag(p program.Param) bool {
	_, ok := p.Default.(*program.Bool)
	return ok || p.Type == "bool" || strings.HasSuffix(p.Type, "[bool]")
}

// supposed is an unknown of an annotated type that may not be needed: what is assumed of it is kept apart.
func (m *machine) supposed(name, typ string) (v value.Value, takes map[string]assumption) {
	before := maps.Clone(m.in.assumed)
	v = m.ofType(name, typ)
	takes, m.in.assumed = m.in.assumed, before
	maps.DeleteFunc(takes, func(a string, _ assumption) bool { _, was := before[a]; return was })
	return v, takes
}

// taken is the other value of an option, with what is assumed of it.
func (m *machine) taken(o option) value.Value {
	maps.Copy(m.in.assumed, o.takes)
	return o.other
}

// except names what a configuration refuses besides what the default does: what is left of it may be next to nothing.
func (k *Kernel) except(standard *Kernel) string {
	own := slices.DeleteFunc(slices.Clone(k.refusals), func(at string) bool { return slices.Contains(standard.refusals, at) })
	if len(own) == 0 {
		return ""
	}
	return " (without what " + strings.Join(own, " and ") + " refuses)"
}

// arranged notes and, in a configuration, replaces the arguments of a host function.
func (m *machine) arranged(fn *program.Function, params []program.Param, s *value.Scope) {
	if fn.Kernel || !m.constructs(fn) && !m.in.low.words(syntax.Outermost(fn)).Launches(m.launch.kernel) {
		return
	}
	for _, p := range params {
		l, ok := s.Vars[p.Name]
		if !ok || p.Star > 0 {
			continue
		}
		key := fn.Qualified + "." + p.Name
		if o := m.launch.config.find(key); o != nil && !o.number {
			s.Declare(p.Name, m.taken(*o))
			continue
		}
		if v := m.numbered(key, p, l.Get()); v != nil {
			s.Declare(p.Name, v)
			continue
		}
		m.offer(fn, p, l.Get())
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
	l, ok := m.in.low.main.Globals.Vars[own.Name]
	if !ok {
		return false
	}
	c, ok := l.Get().(*value.Class)
	return ok && slices.ContainsFunc(c.Mro, func(k *value.Class) bool { return k.Decl == fn.Class })
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
	if inner.fn != la.driver.fn && !slices.ContainsFunc(c, func(o option) bool { return o.extent }) {
		tried = append(tried, inner)
	}
	for _, d := range tried {
		if other, _ := l.drive(d, fn, c, fuel); other != nil && other.block[0] > 0 && !other.unpaired && *fuel > 0 && c.kept(other) {
			return other
		}
	}
	return nil
}

// searchedAs reports whether another configuration comes to nothing but what this one does, too.
func (k *Kernel) searchedAs(o *Kernel) bool {
	among := func(p *protocol.Protocol) bool {
		return slices.ContainsFunc(o.Instances, func(q *protocol.Protocol) bool { return reflect.DeepEqual(p, q) })
	}
	for _, p := range k.Instances {
		if !among(p) {
			return false
		}
	}
	return slices.EqualFunc(o.Undefined, k.Undefined, func(a, b Undefined) bool { return reflect.DeepEqual(a, b) })
}

// configFuel bounds the steps for all configurations of a kernel but the default.
const configFuel = kernelFuel

// shares is how many configurations the steps are left for, at the least.
const shares = 5

// configurations lowers a kernel in its default configuration and, where nothing was left out of that, in the others.
func (l *lowering) configurations(fn *program.Function) []*Kernel {
	start := time.Now()
	l.clock.start(l.clock.limit)
	l.hinted, l.gaps = map[string]int64{}, newGaps()
	la, why := l.findLaunch(fn)
	driving := time.Since(start)
	l.fuel = kernelFuel
	k, la := l.accepted(fn, la, why)
	out := []*Kernel{k}
	out[0].Elapsed += driving
	defer func() {
		if l.clock.over { // some launch or configuration was not looked at to its end
			k.Gaps = append(k.Gaps, Opaque{k.Path, k.Line, limit.Time.Says(timeIsUp)})
		}
	}()
	if len(out[0].Opaque) > 0 {
		return out
	}
	defer func() {
		out[0].Gaps = append(out[0].Gaps, l.gap(true)...)
		l.leave(k)
	}()
	if !la.host {
		return out
	}
	rejected, searched := 0, []string{"default"}
	var short, left []string
	fuel := configFuel
	l.brief = true
	defer func() { l.brief = false }()
	take := func(k *Kernel) {
		if len(k.Opaque) > 0 {
			left = append(left, fmt.Sprintf("%s (%s)", k.Config, k.Opaque[0]))
			return
		}
		if k.cut {
			short = append(short, k.Config)
		}
		searched = append(searched, k.Config+k.except(out[0]))
		if i := slices.IndexFunc(out, k.searchedAs); i >= 0 {
			out[i].Closes = append(out[i].Closes, k.Closes...)
		} else {
			out = append(out, k)
		}
	}
	others := l.alternatives(la)
	for i, c := range others {
		if fuel <= 0 || l.clock.over {
			left = append(left, "those after them")
			break
		}
		share := fuel / min(len(others)-i, shares)
		steps := share
		if len(c) == 1 && c[0].extent && !l.varies(la, fn, c[0], &steps) {
			fuel -= share - steps
			continue
		}
		run := l.gaps.clone()
		ks := l.together(la, fn, c, &steps)
		fuel -= share - steps
		l.ranIn(run, ks...)
		if len(ks) == 0 && !l.clock.over {
			rejected++
		}
		for _, k := range ks {
			take(k)
		}
	}
	l.vary(la, fn, take)
	out[0].Gaps = append(out[0].Gaps, l.relaunched(la, fn, take)...)
	if len(searched) > 1 {
		out[0].Bounds["configurations"] = strings.Join(searched, "; ")
	}
	if len(short) > 0 {
		out[0].Bounds["configurations searched in few combinations"] = strings.Join(short, "; ")
	}
	if len(left) > 0 {
		out[0].Bounds["configurations not modelled"] = strings.Join(left, "; ")
	}
	if rejected > 0 {
		out[0].Bounds["configurations that cannot be launched"] = fmt.Sprint(rejected)
	}
	return out
}
