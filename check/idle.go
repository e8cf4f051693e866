package check

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A kernel may rely on its caller never to ask for no work at all: a wait after a loop that fills what it waits for
// needs one round of it. A violation that is found only where some loop goes round zero times is therefore no error but
// a warning that says so; the verdict stays violated, because nothing that is modelled excludes the zero
// (notes/cutedsl.md 3.2, R9). The same is so of extents of two tensors that have to be the same: roles that go round by one each
// hang where they differ, and whoever launches the kernel may never have them differ.

// instanceAnswer is what is known of a property in one instance.
type instanceAnswer struct {
	instance *protocol.Protocol
	verdict  engine.Verdict
}

// idle reports whether some loop of the instance goes round zero times.
func (d *decision) idle(p *protocol.Protocol) bool { return len(d.zeros(p)) > 0 }

func (d *decision) zeros(p *protocol.Protocol) []string {
	var out []string
	for _, name := range d.rounds {
		if p.Values[name] == "0" {
			out = append(out, name)
		}
	}
	return out
}

// lack is what a caller may see to: an unknown that is not zero, or has one value, as a constant of the compiled kernel that stages
// go with; or two that are the same, as the extents along which a producer and a consumer walk two tensors. Nothing that is
// modelled says so.
type lack struct {
	one, other string // other is "" where one is zero, or other than a value
	value      string // "" for zero
}

// of reports whether an instance has it.
func (l lack) of(p *protocol.Protocol) bool {
	switch {
	case l.value != "":
		return p.Values[l.one] != "" && p.Values[l.one] != l.value
	case l.other == "":
		return p.Values[l.one] == "0"
	}
	a, b := p.Values[l.one], p.Values[l.other]
	return a != "" && b != "" && a != b
}

func (l lack) String() string {
	if l.other == "" && l.value == "" {
		return shortened(l.one) + " = 0"
	}
	return shortened(l.one) + " other than " + shortened(l.other+l.value)
}

// without is how it is not.
func (l lack) without() string {
	if l.other == "" && l.value == "" {
		return shortened(l.one) + " >= 1"
	}
	return shortened(l.one) + " = " + shortened(l.other+l.value)
}

// precondition says what every violation of a property needs: some of these.
type precondition struct {
	lacks  []lack
	proved bool // it holds in every instance that has none of them
}

// needs gives the precondition of a property, nil for one that does not hold for want of anything else: unknowns that are zero, or
// else what a hang hangs on (curable).
func (d *decision) needs(prop protocol.Property) *precondition {
	var zeros []lack
	for _, name := range d.rounds {
		zeros = append(zeros, lack{one: name})
	}
	if c := d.needsOf(prop, zeros); c != nil || !hangsOnRounds(prop) {
		return c
	}
	return d.needsOf(prop, slices.Concat(zeros, d.curable))
}

// hangsOnRounds are the properties that go wrong where roles go round by one each: a phase is skipped on the way to a hang.
func hangsOnRounds(prop protocol.Property) bool {
	return prop == protocol.Deadlock || prop == protocol.Livelock || prop == protocol.Phase
}

// heldAlike reports whether a property held with two unknowns alike and not zero, in more than one way: with a single one these may
// be a special case.
func (d *decision) heldAlike(prop protocol.Property, a, b string) bool {
	held := map[string]bool{}
	for _, v := range d.verdicts[prop] {
		if n := v.instance.Values[a]; v.verdict == engine.Holds && n != "" && n != "0" && n == v.instance.Values[b] {
			held[n] = true
		}
	}
	return len(held) > 1
}

// curable are the lacks without which a hang does not come: the instance that shows it, lowered without the lack and with all else
// as it is, holds.
func (e engines) curable(ctx context.Context, k *lower.Kernel, d *decision) (out []lack) {
	for _, prop := range protocol.Properties {
		a := d.answers[prop]
		if !hangsOnRounds(prop) || a == nil || a.verdict != engine.Violated {
			continue
		}
		for _, l := range d.lacks(prop, k.Static) {
			if !l.of(a.instance) || slices.Contains(out, l) {
				continue
			}
			if p := k.With(l.cured(a.instance)); p != nil && e.explore(ctx, p, engine.Limits{States: afterStates}).Properties[prop].Verdict == engine.Holds {
				out = append(out, l)
			}
		}
	}
	return out
}

// lacks are what may explain a hang: of two unknowns that say how often loops go round that they differ, and of a constant of the
// compiled kernel that it is not the least that was tried.
func (d *decision) lacks(prop protocol.Property, static []string) (out []lack) {
	for i, name := range d.rounds {
		for _, other := range d.rounds[:i] {
			if d.heldAlike(prop, name, other) {
				out = append(out, lack{one: other, other: name})
			}
		}
	}
	for _, name := range static {
		if v := d.least(prop, name); v != "" {
			out = append(out, lack{one: name, value: v})
		}
	}
	return out
}

// cured are the values of an instance without the lack.
func (l lack) cured(p *protocol.Protocol) map[string]int64 {
	values := map[string]int64{}
	for name, v := range p.Values {
		switch {
		case name == l.one && l.value != "":
			v = l.value
		case name == l.other:
			v = p.Values[l.one]
		}
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			values[name] = n
		}
	}
	return values
}

// least is the least value but zero that an unknown had.
func (d *decision) least(prop protocol.Property, name string) string {
	best, at := "", 0
	for _, v := range d.verdicts[prop] {
		if n, err := strconv.Atoi(v.instance.Values[name]); err == nil && n > 0 && (best == "" || n < at) {
			best, at = v.instance.Values[name], n
		}
	}
	return best
}

// needsOf takes what explains the most violations first, of these what the fewest other instances have.
func (d *decision) needsOf(prop protocol.Property, lacks []lack) *precondition {
	left := map[*protocol.Protocol]bool{}
	for _, v := range d.verdicts[prop] {
		if v.verdict == engine.Violated {
			left[v.instance] = true
		}
	}
	if len(left) == 0 {
		return nil
	}
	out := &precondition{proved: true}
	for len(left) > 0 {
		best, ok := d.explains(prop, lacks, left)
		if !ok {
			return nil
		}
		out.lacks = append(out.lacks, best)
	}
	working := false
	for _, v := range d.verdicts[prop] {
		has := slices.ContainsFunc(out.lacks, func(l lack) bool { return l.of(v.instance) })
		working = working || !has && !d.idle(v.instance)
		out.proved = out.proved && (has || v.verdict == engine.Holds)
	}
	if !working {
		return nil
	}
	return out
}

// tells reports whether a violation of q may follow from one of p: not where p needs a zero and q does not.
func (d *decision) tells(p, q protocol.Property) bool { return d.needs(p) == nil || d.needs(q) != nil }

// explains finds what the most of the instances left have, and takes these out.
func (d *decision) explains(prop protocol.Property, lacks []lack, left map[*protocol.Protocol]bool) (best lack, ok bool) {
	hits, misses := 0, 0
	for _, l := range lacks {
		h, m := 0, 0
		for _, v := range d.verdicts[prop] {
			switch {
			case !l.of(v.instance):
			case left[v.instance]:
				h++
			case v.verdict != engine.Violated:
				m++
			}
		}
		if h > hits || h == hits && m < misses {
			best, hits, misses = l, h, m
		}
	}
	for p := range left {
		if best.of(p) {
			delete(left, p)
		}
	}
	return best, hits > 0
}

// String is "n = 0", or "n = 0 or m = 0".
func (c *precondition) String() string {
	parts := make([]string, len(c.lacks))
	for i, l := range c.lacks {
		parts[i] = l.String()
	}
	return strings.Join(parts, " or ")
}

// note is what a reader has to make sure of.
func (c *precondition) note() string {
	parts := make([]string, len(c.lacks))
	lets := "a 0 through"
	for i, l := range c.lacks {
		if parts[i] = l.without(); l.other+l.value != "" {
			lets = "anything else through"
		}
	}
	how := "nothing worse was found there"
	if c.proved {
		how = "it holds there"
	}
	return fmt.Sprintf("requires %s (%s); an error only where the host lets %s", strings.Join(parts, " and "), how, lets)
}

// shortened keeps the spelling of an unknown within part of a line.
func shortened(name string) string {
	const most = 48
	if utf8.RuneCountInString(name) <= most {
		return name
	}
	return string([]rune(name)[:most-1]) + "…"
}
