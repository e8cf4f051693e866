package lower

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/gap"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// Numbers and members of enumerations as configurations. What is left over by the flags, an arm that synchronizes and that
// nothing runs, is looked for with other numbers: with those that answer a question of the host side otherwise. Which they are
// shows on the way to the launch, on which numbers that are given are made unknowns for that (questions.go).

// Bounds of one kernel: the values that the host side is run with, and the configurations that are lowered, singly and in pairs.
const (
	maxHostRuns = 48
	maxVaried   = 12
	maxPairs    = 6
	maxIdle     = 3 // of these, how many in a row may run nothing that is left over
	maxScouted  = 4 // how often one is begun anew to see what it runs

	scoutFuel  = 100_000        // steps to see what one runs
	scoutsFuel = 20 * scoutFuel // of all
)

// numbers are the values of a configuration's numbers, by the unknowns that stand for them.
func (c config) numbers() map[string]int64 {
	out := map[string]int64{}
	for _, o := range c {
		if n, ok := o.other.(value.Int); ok && o.number {
			out[o.key] = int64(n)
		}
	}
	return out
}

// kept reports whether the host's checks left the numbers of a configuration alone.
func (c config) kept(la *launch) bool {
	for key, n := range c.numbers() {
		if v, ok := la.values[key]; ok && v != n {
			return false
		}
	}
	return true
}

// numbered is a number, or a shape, that a host function is given: in a configuration the one that is tried, and an unknown where
// it is asked what becomes of it. It is nil where the parameter keeps its value.
func (m *machine) numbered(key string, p program.Param, v value.Value) value.Value {
	switch v := v.(type) {
	case value.Int:
		if isFlag(p) {
			return nil
		}
		if m.launch.probing {
			if _, chosen := m.in.hints[key]; !chosen {
				m.in.hints[key] = int64(v)
			}
			return value.Atom(key)
		}
		if o := m.launch.config.find(key); o != nil {
			return o.other
		}
	case *value.Sequence:
		var out *value.Sequence
		for i, e := range v.Elems {
			if i == maxShape {
				return nil
			}
			if n := m.numbered(key+"["+strconv.Itoa(i)+"]", program.Param{}, e); n != nil {
				if out == nil {
					out = &value.Sequence{Elems: slices.Clone(v.Elems), List: v.List}
				}
				out.Elems[i] = n
			}
		}
		if out != nil {
			return out
		}
	}
	return nil
}

// variant is a configuration with other numbers and the launch that it leads to.
type variant struct {
	config  config
	launch  *launch
	changed map[string]bool       // the fields and parameters that the kernel gets otherwise
	runs    map[program.Node]bool // that nothing had run when it was looked at
	whole   bool                  // it was looked at to its end
}

// probe is the way to the launch with the numbers as unknowns.
func (l *lowering) probe(la *launch, fn *program.Function, c config, fuel *int) *launch {
	l.probing = true
	defer func() { l.probing = false }()
	other, _ := l.drive(la.driver, fn, c, fuel)
	return other
}

// variants are the launches of a kernel with one number or member of an enumeration that is not as in the default configuration.
func (l *lowering) variants(la *launch, fn *program.Function, tests []program.Expr, fuel *int) []variant {
	var out []variant
	tried := map[string]bool{}
	var queue []config
	ask := func(asked *launch) {
		if asked == nil {
			return
		}
		asked.asksIn(tests)
		for _, a := range l.otherwise(asked) {
			o := option{key: a.key, name: shortName(a.key), other: value.Int(a.value), spell: strconv.FormatInt(a.value, 10), number: true}
			if c := (config{o}); !tried[a.key+"="+o.spell] {
				tried[a.key+"="+o.spell] = true
				queue = append(queue, c)
			}
		}
	}
	ask(l.probe(la, fn, nil, fuel))
	ask(la)
	for _, o := range la.members() {
		if at := o.key + "=" + o.spell; !tried[at] {
			tried[at] = true
			queue = append(queue, config{o})
		}
	}
	for runs := 0; len(queue) > 0 && runs < maxHostRuns && *fuel > 0; runs++ {
		c := queue[0]
		queue = queue[1:]
		other := l.arrange(la, fn, c, fuel)
		if other == nil || other.loose > la.loose || other.ragged() && !la.ragged() { // refused, or only right with other values of what is given
			continue
		}
		ask(l.probe(la, fn, c, fuel))
		if v := (variant{config: c, launch: other, changed: otherwiseGiven(la, other)}); len(v.changed) > 0 {
			out = append(out, v)
		}
	}
	return out
}

// ragged reports whether a warp of a CTA is not whole.
func (la *launch) ragged() bool {
	return la.block[0]*max(1, la.block[1])*max(1, la.block[2])%32 != 0
}

// shortName is the name of what an option's key stands for: of Gemm.__init__.stages, stages.
func shortName(key string) string {
	name, rest := key, ""
	if i := strings.IndexAny(key, "[("); i >= 0 {
		name, rest = key[:i], key[i:]
	}
	return value.LastWord(name) + rest
}

// otherwiseGiven names the fields and parameters that the kernel is given otherwise in another launch.
func otherwiseGiven(a, b *launch) map[string]bool {
	out := map[string]bool{}
	x, y := a.compiled(), b.compiled()
	for name := range x {
		if x[name] != y[name] {
			out[name] = true
		}
	}
	for name := range y {
		if _, ok := x[name]; !ok {
			out[name] = true
		}
	}
	return out
}

// compiled spells the fields of the object whose kernel it is, the arguments, and the shape of the launch.
func (la *launch) compiled() map[string]string {
	out := map[string]string{}
	la.eachGiven(func(name string, v value.Value) { out[name] += value.Canonical(v) })
	for i := range la.block {
		out["block"] += strconv.FormatInt(la.block[i], 10) + " "
		out["cluster"] += strconv.FormatInt(la.cluster[i], 10) + " "
	}
	return out
}

// eachGiven lists the fields and parameters that the kernel is given.
func (la *launch) eachGiven(seen func(name string, v value.Value)) {
	var fields func(v value.Value, depth int)
	fields = func(v value.Value, depth int) {
		o, ok := v.(*value.Object)
		if !ok || depth > maxFields {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(o.Fields)) {
			seen(name, o.Fields[name])
			fields(o.Fields[name], depth+1)
		}
	}
	fields(la.self, 0)
	params := la.kernel.Params
	if la.self != nil && len(params) > 0 {
		params = params[1:]
	}
	for i, a := range la.args {
		if i < len(params) {
			seen(params[i].Name, a)
			fields(a, 0)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(la.keywords)) {
		seen(name, la.keywords[name])
		fields(la.keywords[name], 0)
	}
}

// maxFields bounds how deep in objects fields are told apart.
const maxFields = 3

// leftOver is what no configuration runs yet: the statements, the tests that leave them out, and the names in these.
type leftOver struct {
	first map[program.Node]bool
	tests []program.Expr
	words map[string]bool
}

// leftOver lists the gaps that other numbers may close.
func (l *lowering) leftOver() leftOver {
	out := leftOver{first: map[program.Node]bool{}, words: map[string]bool{}}
	l.eachUnrun(func(_ *gapFinder, f *gap.Finder) {
		for _, p := range f.Places {
			out.first[p.At] = true
		}
		for _, test := range f.Tests {
			maps.Copy(out.words, syntax.Mentions(nil).Of(test))
		}
		out.tests = append(out.tests, f.Tests...)
	})
	return out
}

// foremost is the variant to be lowered next. One that runs what is left over, and comes to its end in few steps, is best; of one that
// was given up nothing may come at all. Else it is one that changes what the tests of what is left over speak of.
func foremost(vs []variant, left leftOver) int {
	worth := func(v *variant) (n int) {
		if v.closes(left) {
			n += 2
			if v.whole {
				n += 2
			}
		}
		if common(v.changed, left.words) {
			n++
		}
		return n
	}
	best := 0
	for i := range vs {
		if worth(&vs[i]) > worth(&vs[best]) {
			best = i
		}
	}
	return best
}

// closes reports whether a variant is known to run something that is left over.
func (v *variant) closes(left leftOver) bool {
	for st := range left.first {
		if v.runs[st] {
			return true
		}
	}
	return false
}

// scout notes what a variant runs in one combination that nothing has run yet, as far as a few steps go.
func (l *lowering) scout(v *variant, fn *program.Function, fuel *int) {
	if *fuel <= 0 || l.clock.over {
		return
	}
	gaps, found, steps, most := l.gaps, l.discoveries, l.fuel, l.most
	start := min(*fuel, scoutFuel)
	l.gaps, l.discoveries, l.fuel, l.most = gaps.clone(), newDiscoveries(), start, start
	k := &Kernel{Name: fn.Qualified, Function: fn, Path: l.file.Source.Name, Bounds: map[string]string{}}
	w := newSweep(l, k, fn, v.launch)
	for range maxScouted {
		w.sample(func(n combination.Need) int64 {
			w.meet(n)
			return w.middle(n.Key)
		})
		if !w.dirty || l.fuel <= 0 {
			break
		}
		w = w.anew()
	}
	v.whole, v.runs = !w.dirty && !w.failed && len(k.Opaque) == 0, map[program.Node]bool{}
	for st, ran := range l.ran { // what is left over within a function shows only when that has been entered
		if ran && !gaps.ran[st] {
			v.runs[st] = true
		}
	}
	for c := range l.made {
		if !gaps.made[c] {
			v.runs[c] = true
		}
	}
	*fuel -= start - max(0, l.fuel)
	l.gaps, l.discoveries, l.fuel, l.most = gaps, found, steps, most
}

// vary lowers a kernel with other numbers as long as there are gaps that these may close: one number at a time, then with a flag
// or another number.
func (l *lowering) vary(la *launch, fn *program.Function, take func(*Kernel)) {
	left := l.leftOver()
	if len(left.first) == 0 {
		return
	}
	host, fuel, scouting := hostFuel, configFuel/2, scoutsFuel
	tries, idle := maxVaried, 0
	try := func(v variant) bool {
		if tries == 0 || fuel <= 0 || len(left.first) == 0 || idle == maxIdle {
			return false
		}
		tries--
		idle++
		share := fuel / shares
		steps := share
		run := l.gaps.clone()
		k := l.arranged(fn, v.launch, v.config, &steps)
		l.ranIn(run, k)
		take(k)
		fuel -= share - steps
		was := len(left.first)
		if left = l.leftOver(); len(left.first) != was {
			idle = 0
		}
		return true
	}
	variants := l.variants(la, fn, left.tests, &host)
	slices.SortStableFunc(variants, func(a, b variant) int { // as far as the steps go
		return int(value.Bool(common(b.changed, left.words))) - int(value.Bool(common(a.changed, left.words)))
	})
	for i := range variants {
		l.scout(&variants[i], fn, &scouting)
	}
	for vs := slices.Clone(variants); len(vs) > 0; {
		i := foremost(vs, left)
		if !try(vs[i]) {
			break
		}
		vs = slices.Delete(vs, i, i+1)
	}
	if len(left.first) == 0 {
		return
	}
	slices.SortStableFunc(variants, func(a, b variant) int { return int(value.Bool(b.whole)) - int(value.Bool(a.whole)) })
	var both []variant
	scouting = scoutsFuel
	for _, c := range pairs(variants, l.options(la)) {
		if len(both) == maxHostRuns || host <= 0 {
			break
		}
		if other := l.arrange(la, fn, c, &host); other != nil && other.loose <= la.loose {
			v := variant{config: c, launch: other, changed: otherwiseGiven(la, other)}
			l.scout(&v, fn, &scouting)
			both = append(both, v)
		}
	}
	for tries, idle = tries+maxPairs, 0; len(both) > 0; {
		i := foremost(both, left)
		if !try(both[i]) {
			return
		}
		both = slices.Delete(both, i, i+1)
	}
}

// pairs are numbers with flags, those first that decide most, and with other numbers.
func pairs(variants []variant, flags []option) (out []config) {
	for _, o := range flags {
		for _, v := range variants {
			if !o.companion && !o.extent {
				out = append(out, config{v.config[0], o})
			}
		}
	}
	for i, v := range variants {
		for _, w := range variants[:i] {
			if v.config[0].key != w.config[0].key {
				out = append(out, config{w.config[0], v.config[0]})
			}
		}
	}
	return out
}
