package protocol

import (
	"fmt"
	"strings"
)

// place is a site as text; of one that says nothing, or of none, what is done there.
func (p *Protocol) place(site int, words string) string {
	if site >= len(p.Sites) {
		return words
	}
	s := p.Sites[site]
	if s.Text != "" {
		words = s.Text
	}
	return fmt.Sprintf("%s:%d %s", s.Path, s.Line, words)
}

// opWords says what an operation does, by its fields.
func (p *Protocol) opWords(o *Op) string {
	switch o.Kind {
	case Wait:
		return fmt.Sprintf("wait on %s parity %d", p.mbarWords(o.Object), o.Parity)
	case Init:
		return "init " + p.mbarWords(o.Object)
	case Arrive:
		return fmt.Sprintf("arrive %d on %s", o.Count, p.mbarWords(o.Object))
	case ArriveExpectTx, ArriveDrop:
		return fmt.Sprintf("%s %d, %d bytes, on %s", o.Kind, o.Count, o.Bytes, p.mbarWords(o.Object))
	case ExpectTx, CompleteTx:
		return fmt.Sprintf("%s %d bytes on %s", o.Kind, o.Bytes, p.mbarWords(o.Object))
	case NamedArrive, NamedSync:
		return fmt.Sprintf("%s %d", o.Kind, p.Named[o.Object].ID)
	case FlagAdd, FlagStore:
		return fmt.Sprintf("%s %d to %s", o.Kind, o.Count, p.flagWords(o.Object))
	case Spin:
		return fmt.Sprintf("spin until %s %s %d", p.flagWords(o.Object), o.Compare, o.Count)
	case FlagSwap:
		return fmt.Sprintf("spin until %s %s %d, and store %d", p.flagWords(o.Object), o.Compare, o.Count, o.Value)
	case Issue:
		var parts []string
		for _, e := range o.Effects {
			parts = append(parts, fmt.Sprintf("%d bytes and %d arrivals on %s", e.Bytes, e.Arrivals, p.mbarWords(e.Mbar)))
		}
		for i := range o.Access {
			parts = append(parts, p.accessWords(&o.Access[i]))
		}
		return strings.TrimSuffix("issue: "+strings.Join(parts, ", "), ": ")
	case Drain:
		return fmt.Sprintf("drain %v", o.Drains)
	}
	return o.Kind.String()
}

// mbarWords is an mbarrier by name and number: names need not differ.
func (p *Protocol) mbarWords(o int) string {
	return fmt.Sprintf("%s (mbarrier %d)", p.Mbars[o].Name, o)
}

func (p *Protocol) flagWords(f int) string { return fmt.Sprintf("%s (flag %d)", p.Flags[f].Name, f) }

func (p *Protocol) accessWords(a *Access) string {
	what := "read"
	if a.Write {
		what = "write"
	}
	return fmt.Sprintf("%s %s %v", what, p.Buffers[a.Buffer].Name, a.Elements)
}
