package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// The host side may launch a kernel more than once: with another number of threads, another object, in the
// rounds of a loop of its own. Each launch that is another kernel or another block than those before it is a configuration of its own,
// without which the kernel is not decided; one that is not reached is a gap.

// passing is which launch of the kernel a run of the host side is for.
type passing struct {
	at   *program.Call // the only one that counts; nil for any
	over int           // how many to pass over
}

// maxLaunches bounds the launches of a kernel that are looked at, one a place and those of each place.
const maxLaunches = 6

// passesOver reports whether a launch is one on the way to the one that is looked for.
func (m *machine) passesOver(n program.Node) bool {
	p := &m.launch.passing
	if p.at != nil && n != program.Node(p.at) {
		return true
	}
	if p.over > 0 {
		p.over--
		return true
	}
	m.launch.where = n
	return false
}

// wanted reports whether statements hold the place of the launch that is looked for.
func (m *machine) wanted(body []program.Stmt) bool {
	if m.launch == nil || m.launch.passing.at == nil {
		return false
	}
	for e := range program.Exprs(body) {
		if e == program.Expr(m.launch.passing.at) {
			return true
		}
	}
	return false
}

// kind is what makes one launch another than the next one: the shape, constants of the compiled kernel and of its object.
func (la *launch) kind() string {
	parts := []string{"block = " + fmt.Sprint(la.block)}
	if la.cluster != [3]int64{} {
		parts = append(parts, "cluster = "+fmt.Sprint(la.cluster))
	}
	for i, a := range la.args {
		params := la.kernel.Params
		if la.self != nil && len(params) > 0 {
			params = params[1:]
		}
		if i < len(params) && params[i].CompiledIn() {
			parts = append(parts, value.Canonical(a))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(la.keywords)) {
		if v := la.keywords[name]; constant(v) {
			parts = append(parts, name+"="+value.Canonical(v))
		}
	}
	if o, ok := la.self.(*value.Object); ok {
		for _, name := range slices.Sorted(maps.Keys(o.Fields)) {
			if constant(o.Fields[name]) {
				parts = append(parts, name+"="+value.Canonical(o.Fields[name]))
			}
		}
	}
	return strings.Join(parts, ", ")
}

func constant(v value.Value) bool {
	switch value.Untyped(v).(type) {
	case value.Int, value.Text, *value.EnumMember:
		return true
	}
	return false
}

// launchesOf lists the places of the file at which the kernel is launched.
func (l *lowering) launchesOf(kernel *program.Function) (out []*program.Call) {
	for _, f := range l.file.Functions {
		if f.Kernel {
			continue
		}
		for e := range program.Exprs(f.Body) {
			c, ok := e.(*program.Call)
			if !ok || slices.Contains(out, c) {
				continue
			}
			if a, is := c.Fun.(*program.Attr); is && a.Name == "launch" {
				if of, is := a.X.(*program.Call); is && value.LastName(of.Fun) == kernel.Name {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// relaunched lowers the other launches of a kernel; those that are not looked at are gaps.
func (l *lowering) relaunched(la *launch, fn *program.Function, take func(*Kernel)) (gaps []Opaque) {
	places := l.launchesOf(fn)
	kinds := map[string]bool{la.kind(): true}
	host, fuel := hostFuel, configFuel/2
	defer func() { l.passing = passing{} }()
	lower := func(other *launch, line int, kind string) {
		steps := fuel / shares
		fuel -= steps
		run := l.gaps.clone()
		k := l.arranged(fn, other, config{{name: "launch", spell: fmt.Sprintf("line %d (%s)", line, kind)}}, &steps)
		k.Asked = true
		l.ranIn(run, k)
		if take(k); len(k.Opaque) > 0 {
			gaps = append(gaps, Opaque{l.file.Source.Name, line, limit.OtherLaunch.Says("the kernel is launched here, too, in another way, which is not modelled")})
		}
	}
	if at := la.where; at != nil && la.fallback != la.cluster && la.fallback != [3]int64{} { // which of the two it is the device decides, cluster by cluster
		other := la.clone()
		other.cluster = la.fallback
		lower(other, l.file.Source.Position(at.Where().Start).Line, fmt.Sprint("fallback cluster = ", la.fallback))
	}
	look := func(p passing, at *program.Call) bool {
		l.passing = p
		other, _ := l.drive(la.driver, fn, nil, &host)
		if other == nil {
			return false
		}
		kind, line := other.kind(), l.file.Source.Position(at.Span.Start).Line
		switch {
		case kinds[kind]:
		case other.block[0] <= 0 || len(kinds) >= maxLaunches:
			gaps = append(gaps, Opaque{l.file.Source.Name, line, limit.OtherLaunch.Says("the kernel is launched here, too, in another way, which is not looked at")})
		default:
			lower(other, line, kind)
		}
		kinds[kind] = true
		return true
	}
	for _, at := range places {
		first := program.Node(at) == la.where
		for over := range maxLaunches {
			if !(first && over == 0) && !look(passing{at, over}, at) {
				break
			}
		}
	}
	return gaps
}
