package lower

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// The shapes that a script's command line takes, of a tile and of a cluster, decide as much as flags do: a cluster of
// two CTAs has multicast, a tile of 256 rows is multiplied by a pair. Nothing but the host's checks says which shapes
// there are, so each extent is doubled once, where the script starts, and every check sees it (notes/cutedsl.md 3.2, R3).

// maxShape is how many extents a shape has at the most, and maxExtent what they are at the most, doubled.
const (
	maxShape  = 4
	maxExtent = 512
)

// fromCommandLine is the value of an option of the command line: in a configuration, with some of the extents doubled.
func (m *machine) fromCommandLine(name string, v value.Value) value.Value {
	shape, ok := v.(*value.Sequence)
	if !ok || m.launch == nil || !isShape(shape) {
		return v
	}
	shape = &value.Sequence{Elems: slices.Clone(shape.Elems)} // two options may have the same default
	for i := range shape.Elems {
		if o := m.launch.config.find(extentKey(name, i)); o != nil {
			shape.Elems[i] = o.other
		}
	}
	if m.launch.shapes == nil {
		m.launch.shapes = map[*value.Sequence]string{}
	}
	m.launch.shapes[shape] = name
	return shape
}

func isShape(s *value.Sequence) bool {
	return 2 <= len(s.Elems) && len(s.Elems) <= maxShape && !slices.ContainsFunc(s.Elems, func(v value.Value) bool {
		n, ok := v.(value.Int)
		return !ok || n < 1 || n > maxExtent/2
	})
}

func extentKey(name string, i int) string { return fmt.Sprintf("--%s[%d]", name, i) }

// offerShape notes that a shape of the command line has come to the kernel.
func (m *machine) offerShape(shape *value.Sequence) {
	name, ok := m.launch.shapes[shape]
	if !ok {
		return
	}
	for i, v := range shape.Elems {
		n, _ := v.(value.Int)
		if o := (option{key: extentKey(name, i), name: name, at: i, extent: true, chosen: v, other: 2 * n, spell: strconv.FormatInt(int64(2*n), 10)}); m.launch.config.find(o.key) == nil {
			m.launch.offered = append(m.launch.offered, o)
		}
	}
}

// varies reports whether an extent may be another one: it is the cluster's, or the host's checks speak of it, and then
// refuse one that no tile has. A tile that nothing checks may be the only one that the kernel is right for.
func (l *lowering) varies(la *launch, fn *program.Function, o option, fuel *int) bool {
	n, _ := o.chosen.(value.Int)
	o.other = 3 * n
	l.blamed = nil
	other := l.arrange(la, fn, config{o}, fuel)
	if other == nil {
		return l.blamed != nil // and was not only too much to follow
	}
	return other.cluster != la.cluster
}

// maxPartners bounds what an extent that is refused by itself is tried with.
const maxPartners = 3

// paired arranges a launch with an extent that the host refuses by itself, together with another one that the check
// speaks of: a tile of two CTAs needs a cluster of two.
func (l *lowering) paired(la *launch, fn *program.Function, o option, fuel *int) (config, *launch) {
	tried, blamed := 0, l.blamed
	for _, p := range la.offered {
		if !p.extent || p.name == o.name || !blamed[p.name] || tried == maxPartners {
			continue
		}
		tried++
		c := config{o, p}
		if other := l.arrange(la, fn, c, fuel); other != nil {
			return c, other
		}
	}
	return config{o}, nil
}
