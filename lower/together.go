package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// Some options only go together: a flag says that rows are gathered, and the tensor that says which is a field of a
// record that is left out otherwise. Such a field is given where a configuration is refused that it may be wanted for;
// by itself it is tried after the options.

// maxJoined bounds what is given besides the options of a configuration.
const maxJoined = 2

// leftOut is the default of a field of a record that nobody gives. A tensor that is None may be there after all.
func (m *machine) leftOut(c *value.Class, f value.ClassField) value.Value {
	if _, absent := f.Def.(value.None); !absent || m.launch == nil || !m.host || !strings.Contains(f.At.Type, "Tensor") {
		return f.Def
	}
	o := option{key: c.Decl.Name + "." + f.Name, name: f.Name, chosen: f.Def, spell: "a tensor", joins: true}
	o.other, o.takes = m.supposed(f.Name, "Tensor")
	if m.launch.config.find(o.key) != nil {
		return m.taken(o)
	}
	m.launch.offered = append(m.launch.offered, o)
	return f.Def
}

// together lowers a kernel in a configuration, with whatever else it needs to be accepted: first what the check speaks
// of that failed, then one thing after another. What makes it whole may be one of several: rows of a sequence or columns of
// one, say, which are different kernels. It is none where the host side refuses the configuration.
func (l *lowering) together(la *launch, fn *program.Function, c config, fuel *int) []*Kernel {
	joins := func(o option) bool {
		return o.joins && c.find(o.key) == nil
	}
	other := l.arrange(la, fn, c, fuel)
	if other != nil && len(c) == 1 && (c[0].joins || c[0].extent) && (other.loose > la.loose || other.values[c[0].name+" is None"] != 0) {
		return nil // the host refuses it by itself: other parameters were changed, or there is no tensor after all
	}
	given := 0
	if other == nil && len(c) == 1 && c[0].extent {
		c, other = l.paired(la, fn, c[0], fuel)
	}
	for ; other == nil && given < maxJoined; given++ {
		i := slices.IndexFunc(la.offered, func(o option) bool { return joins(o) && l.blamed[o.name] })
		if i < 0 {
			return nil
		}
		c = append(slices.Clone(c), la.offered[i])
		other = l.arrange(la, fn, c, fuel)
	}
	if other == nil {
		return nil
	}
	k := l.arranged(fn, other, c, fuel)
	if given == 0 || len(k.Opaque) == 0 { // a kernel that refuses every combination is opaque, too
		return []*Kernel{k}
	}
	var whole []*Kernel
	share := *fuel // each may have all that is left: the configurations after this one get less then
	for _, o := range la.offered {
		if len(whole) == maxJoined {
			break
		}
		if !joins(o) {
			continue
		}
		more := append(slices.Clone(c), o)
		if other := l.arrange(la, fn, more, fuel); other != nil {
			steps := share
			with := l.arranged(fn, other, more, &steps)
			*fuel -= share - steps
			switch {
			case len(with.Opaque) == 0:
				whole = append(whole, with)
			case k.refused != nil && with.refused == nil:
				k = with
			}
		}
	}
	if len(whole) == 0 {
		return []*Kernel{k}
	}
	return whole
}

// arranged lowers a kernel in a configuration that can be launched.
func (l *lowering) arranged(fn *program.Function, la *launch, c config, fuel *int) *Kernel {
	l.fuel = *fuel
	k := l.lowered(fn, la, nil)
	*fuel = l.fuel
	k.Config = c.String()
	return k
}
