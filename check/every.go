package check

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A kernel that holds for the values of its unknowns that were searched is looked at once more, for every number of rounds
// of its loops: see explore.Every. Where that does not go through, the bounds stay what they are.

const (
	// everyStates bounds the states that this takes for a kernel, if it may not take as long as it takes.
	everyStates = 1 << 19
	// everyFamilies bounds the combinations of other unknowns for which it is tried.
	everyFamilies = 8
)

// every proves what holds for all values of the unknowns that say how often loops go round, and says so in the kernel's
// bounds. An instance that turns out to be wrong, beyond those that were searched, is one more instance of the kernel. If the
// kernel is not alone, it has other configurations, for which nothing is said.
func (e engines) every(ctx context.Context, opt *Options, b *budget, k *lower.Kernel, d *decision, alone bool, v *verifier) error {
	if opt.Engine == Spin || !d.sound() {
		return nil
	}
	start, lim := time.Now(), b.limits
	defer func() { d.elapsed, b.spent = d.elapsed+time.Since(start), b.spent+time.Since(start) }()
	if lim.States == 0 {
		lim.States = kernelStates
	}
	if lim.States -= b.states; !opt.AllRounds {
		lim.States = min(lim.States, everyStates)
	}
	lim.Time = b.timeLeft(0)
	k.Within(lim.Time)
	families, unknowns := familiesOf(k)
	if len(families) == 0 || lim.States <= 0 {
		return nil
	}
	proved := true
	for _, f := range families {
		if lim.States <= 0 {
			return nil
		}
		if v != nil {
			f.Certify = v.check
		}
		w := explore.Every(ctx, f.Family, lim)
		d.states, b.states, lim.States = d.states+w.States, b.states+w.States, lim.States-w.States
		proved = proved && w.Reason == "" && d.holdIn(w)
		if w.Reason == "" && d.holdIn(w) {
			if err := v.beyond(ctx, k, w, f.Unknowns, f.given, lim); err != nil {
				return err
			}
		}
		for _, m := range w.Members {
			if m.Result.Wrong() {
				values := maps.Clone(f.given)
				for i, u := range f.Unknowns {
					values[u] = int64(m.Values[i])
				}
				p, _ := k.Instance(values) // the member is widened
				return e.wrongMember(ctx, opt, p, d, b.timeLeft(time.Since(start)))
			}
		}
	}
	if !proved {
		return nil
	}
	for i, u := range unknowns {
		text := "every number from " + strconv.Itoa(families[0].From[i])
		if !alone {
			text += " in the default configuration"
		}
		if d.confirmed() { // what others say, they say of the instances that were searched
			text += " by " + explore.Name + "; " + k.Bounds[u] + " by all"
		}
		k.Bounds[u] = text
	}
	k.Untried = nil
	k.Assume("what is counted from round to round stays below 2^31")
	return nil
}

// confirmed reports whether another engine than the embedded one said that something holds.
func (d *decision) confirmed() bool {
	for _, a := range d.answers {
		if a.verdict == engine.Holds && slices.ContainsFunc(a.engines, func(name string) bool { return name != explore.Name }) {
			return true
		}
	}
	return false
}

// sound reports whether no property is violated or open, but for warnings.
func (d *decision) sound() bool {
	for prop, a := range d.answers {
		if a.verdict != engine.Holds && !(prop.Warning() && a.verdict == engine.Violated) {
			return false
		}
	}
	return len(d.answers) > 0
}

// holdIn reports whether the properties that hold in the instances searched hold in all members of a family.
func (d *decision) holdIn(w *explore.Whole) bool {
	for prop, a := range d.answers {
		for _, m := range w.Members {
			if a.verdict == engine.Holds && m.Result.Properties[prop].Verdict != engine.Holds {
				return false
			}
		}
	}
	return true
}

// wrongMember decides an instance as those that were searched at first.
func (e engines) wrongMember(ctx context.Context, opt *Options, p *protocol.Protocol, d *decision, left time.Duration) error {
	lim := opt.Limits
	lim.Time = left
	if lim.States == 0 {
		lim.States = kernelStates
	}
	remains := remaining(lim)
	answers, err := e.instance(ctx, opt, p, nil, d, remains)
	if err != nil {
		return err
	}
	if err := e.settle(ctx, p, answers[protocol.Race], &d.states, remains); err != nil {
		return err
	}
	e.premise(ctx, p, answers, d, remains())
	d.merge(p, answers)
	return nil
}

// family is the instances with some values of the other unknowns.
type family struct {
	explore.Family
	given map[string]int64
}

// familiesOf gives the families of a kernel's instances, one for each combination of the values of other unknowns; none
// where it is not known how instances grow with any.
func familiesOf(k *lower.Kernel) (families []family, unknowns []string) {
	if len(k.Instances) == 0 || !k.Grows() {
		return nil, nil
	}
	all := map[string]bool{}
	for _, p := range k.Instances {
		for _, u := range k.Rounds {
			all[u] = all[u] || p.Values[u] != ""
		}
	}
	last := k.Instances[len(k.Instances)-1]
	for _, p := range k.Instances {
		if size(p) > size(last) {
			last = p
		}
	}
	values := last.Numbers()
	sample, why := k.Instance(values)
	if sample == nil {
		return nil, nil
	}
	for _, r := range sample.Repeats { // from there on instances have their loops
		values[r.Unknown] = max(values[r.Unknown], int64(r.Least))
	}
	if sample, why = k.Instance(values); sample == nil {
		return nil, nil
	}
	for _, u := range slices.Sorted(maps.Keys(all)) {
		if why[u] == "" && slices.ContainsFunc(sample.Repeats, func(r protocol.Repeat) bool { return r.Unknown == u }) {
			unknowns = append(unknowns, u)
		}
	}
	if len(unknowns) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(unknowns, func(a, b string) int { return cmp.Compare(depth(sample, b), depth(sample, a)) })
	from := make([]int, len(unknowns))
	for i, u := range unknowns {
		from[i] = int(last.Numbers()[u])
		for _, p := range k.Instances {
			if v, ok := p.Numbers()[u]; ok {
				from[i] = min(from[i], int(v))
			}
		}
	}
	given := others(k.Instances, unknowns)
	if len(given) > everyFamilies {
		return nil, nil
	}
	for _, values := range given {
		families = append(families, family{familyOf(k, unknowns, from, values), values})
	}
	return families, unknowns
}

// others lists the combinations of values of other unknowns. An instance that asks for fewer of them belongs to any
// combination that has its values.
func others(instances []*protocol.Protocol, unknowns []string) (out []map[string]int64) {
	var all []map[string]int64
	for _, p := range instances {
		values := p.Numbers()
		for _, u := range unknowns {
			delete(values, u)
		}
		all = append(all, values)
	}
	within := func(a, b map[string]int64) bool {
		for name, v := range a {
			if w, ok := b[name]; !ok || w != v {
				return false
			}
		}
		return true
	}
	for i, a := range all {
		part := false
		for j, b := range all {
			part = part || within(a, b) && (len(a) < len(b) || j < i)
		}
		if !part {
			out = append(out, a)
		}
	}
	return out
}

func familyOf(k *lower.Kernel, unknowns []string, from []int, given map[string]int64) explore.Family {
	return explore.Family{Unknowns: unknowns, From: from, At: func(values []int) (*protocol.Protocol, error) {
		all := maps.Clone(given)
		for i, u := range unknowns {
			all[u] = int64(values[i])
		}
		p, why := k.Instance(all)
		if p == nil {
			return nil, fmt.Errorf("an instance cannot be made")
		}
		for _, u := range unknowns {
			if why[u] != "" {
				return nil, fmt.Errorf("%s: %s", u, why[u])
			}
		}
		return p.Widened(), nil
	}}
}

// size is how many operations an instance has.
func size(p *protocol.Protocol) (n int) {
	for c := range p.Classes {
		n += len(p.Classes[c].Ops)
	}
	return n
}

// depth is in how many other loops those of an unknown stand, at the most.
func depth(p *protocol.Protocol, unknown string) (most int) {
	for _, l := range p.Loops {
		if l.Unknown != unknown {
			continue
		}
		n := 0
		for _, o := range p.Loops {
			if o.Class == l.Class && o.Unknown != unknown && o.Heads[0] <= l.Heads[0] && l.Heads[len(l.Heads)-1] <= o.Heads[len(o.Heads)-1] {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}
