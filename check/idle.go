package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A kernel may rely on its caller never to ask for no work at all: a wait after a loop that fills what it waits for
// needs one round of it. A violation that is found only where some loop goes round zero times is therefore no error but
// a warning that says so; the verdict stays violated, because nothing that is modelled excludes the zero
// (notes/cutedsl.md 3.2, R9).

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

// precondition says what every violation of a property needs: some of these unknowns to be zero.
type precondition struct {
	unknowns []string
	proved   bool // it holds in every instance in which none of them is
}

// needs gives the precondition of a property, nil for one that does not hold for want of anything else. It takes the
// unknowns that explain the most violations first, of these the one that is zero in the fewest other instances.
func (d *decision) needs(prop protocol.Property) *precondition {
	left := map[*protocol.Protocol]bool{}
	working := false
	for _, v := range d.verdicts[prop] {
		idle := d.idle(v.instance)
		working = working || !idle
		if v.verdict == engine.Violated {
			if !idle {
				return nil
			}
			left[v.instance] = true
		}
	}
	if len(left) == 0 || !working {
		return nil
	}
	out := &precondition{proved: true}
	for len(left) > 0 {
		out.unknowns = append(out.unknowns, d.explains(prop, left))
	}
	for _, v := range d.verdicts[prop] {
		zero := slices.ContainsFunc(out.unknowns, func(u string) bool { return v.instance.Values[u] == "0" })
		out.proved = out.proved && (zero || v.verdict == engine.Holds)
	}
	return out
}

// tells reports whether a violation of q may follow from one of p: not where p needs a zero and q does not.
func (d *decision) tells(p, q protocol.Property) bool { return d.needs(p) == nil || d.needs(q) != nil }

// explains finds the unknown that is zero in the most of the instances left, and takes these out.
func (d *decision) explains(prop protocol.Property, left map[*protocol.Protocol]bool) string {
	best, hits, misses := "", 0, 0
	for _, name := range d.rounds {
		h, m := 0, 0
		for _, v := range d.verdicts[prop] {
			switch {
			case v.instance.Values[name] != "0":
			case left[v.instance]:
				h++
			case v.verdict != engine.Violated:
				m++
			}
		}
		if h > hits || h == hits && m < misses {
			best, hits, misses = name, h, m
		}
	}
	for p := range left {
		if p.Values[best] == "0" {
			delete(left, p)
		}
	}
	return best
}

// String is "n = 0", or "n = 0 or m = 0".
func (c *precondition) String() string {
	parts := make([]string, len(c.unknowns))
	for i, u := range c.unknowns {
		parts[i] = shortened(u) + " = 0"
	}
	return strings.Join(parts, " or ")
}

// note is what a reader has to make sure of.
func (c *precondition) note() string {
	parts := make([]string, len(c.unknowns))
	for i, u := range c.unknowns {
		parts[i] = shortened(u) + " >= 1"
	}
	how := "nothing worse was found there"
	if c.proved {
		how = "it holds there"
	}
	return fmt.Sprintf("requires %s (%s); an error only where the host lets a 0 through", strings.Join(parts, " and "), how)
}

// shortened keeps the spelling of an unknown within part of a line.
func shortened(name string) string {
	const most = 48
	if utf8.RuneCountInString(name) <= most {
		return name
	}
	return string([]rune(name)[:most-1]) + "…"
}
