package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine/memory"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/litmus"
	"github.com/fencepost-dev/fencepost/rules"
)

// asker asks engine/memory about litmus tests that were cut out of kernels. Many are alike; each is decided once.
type asker struct {
	ctx    context.Context
	known  map[string]*memory.Result // by property and text
	models map[string]*memory.Model
}

func newAsker(ctx context.Context) *asker {
	return &asker{ctx: ctx, known: map[string]*memory.Result{}, models: map[string]*memory.Model{}}
}

// ask decides a test in which nothing is left open.
func (a *asker) ask(t *litmus.Test, property memory.Property) (*memory.Result, error) {
	text := t.Text()
	key := property.String() + " " + text
	if r := a.known[key]; r != nil {
		return r, nil
	}
	m := a.models[t.Model]
	if m == nil {
		var err error
		if m, err = memory.LoadModel(t.Model); err != nil {
			return nil, err
		}
		a.models[t.Model] = m
	}
	p, err := memory.Read(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("a test that was cut out does not read: %w\n%s", err, text)
	}
	r := memory.Solve(a.ctx, p, m, memory.Options{Property: property, Limit: 200_000})
	a.known[key] = r
	return r, nil
}

// stale reports whether a consumer surely can read stale data, and safe whether it surely cannot. What a test leaves open
// may make it neither.
func (a *asker) stale(t *litmus.Test) (stale, safe bool, err error) {
	_, r, err := a.shown(t.Most())
	if err != nil || r.Observable {
		return r != nil && r.Observable, false, err
	}
	_, r, err = a.shown(t.Least())
	return false, err == nil && r.Reason == "" && !r.Observable, err
}

// shown looks for an execution with stale data, and then for a race on the flag; the test is the one that was decided.
func (a *asker) shown(t *litmus.Test) (*litmus.Test, *memory.Result, error) {
	r, err := a.ask(t, memory.Spec)
	if err != nil || r.Observable || r.Reason != "" || len(t.Outcome) < 2 {
		return t, r, err
	}
	flags := t.Flags()
	race, err := a.ask(flags, memory.Race)
	if err == nil && !race.Observable && race.Reason == "" {
		return t, r, nil
	}
	return flags, race, err
}

// opinion is what is known of one side of a handoff.
type opinion struct {
	side    *litmus.Side
	handoff *rules.Handoff
	takes   bool // the consumer's
	test    *litmus.Test
	repairs []litmus.Repair // the fewest that help; nil where none do
	whole   bool            // both sides are the kernel's own
	stale   bool
	safe    bool
}

// opinions asks about every handoff of a file.
func (a *asker) opinions(list []rules.Handoff) ([]opinion, error) {
	var out []opinion
	for i := range list {
		h := &list[i]
		whole := h.Publisher != nil && h.Consumer != nil || h.Alone != ""
		test := join(h, h.Publisher, h.Consumer)
		stale, safe, err := a.stale(test)
		if err != nil {
			return nil, err
		}
		for _, takes := range []bool{false, true} {
			side, mine := h.Publisher, h.Publisher != nil
			if takes {
				side, mine = h.Consumer, h.Consumer != nil
			}
			if !mine {
				continue
			}
			o := opinion{side: side, handoff: h, takes: takes, test: test, whole: whole, stale: stale, safe: safe}
			if stale {
				if err := a.blame(&o); err != nil {
					return nil, err
				}
			}
			out = append(out, o)
		}
	}
	return out, nil
}

// join makes the test of a handoff, with the best there is in place of a side that is not known.
func join(h *rules.Handoff, publisher, consumer *litmus.Side) *litmus.Test {
	if h.Alone != "" {
		return litmus.Alone(testName(h), publisher)
	}
	if publisher == nil {
		publisher = litmus.IdealPublisher()
	}
	if consumer == nil {
		consumer = litmus.IdealConsumer()
	}
	return litmus.Join(testName(h), publisher, consumer, h.Places)
}

// testName names a test after the kernel, in letters that the format has.
func testName(h *rules.Handoff) string {
	clean := func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}
	name := h.Function.Name + "-" + h.Data
	if h.Flag != "" {
		name += "-by-" + h.Flag
	}
	return strings.Map(clean, name)
}

// blame asks whether data are stale by this side's fault: with a partner that does all it can. If so it looks for the
// smallest repair, by trying.
func (a *asker) blame(o *opinion) error {
	with := func(repairs ...litmus.Repair) *litmus.Test {
		if o.handoff.Alone != "" {
			return litmus.Alone("repaired", o.side.Apply(repairs...))
		}
		if o.takes {
			return litmus.Join("repaired", litmus.IdealPublisher(), o.side.Apply(repairs...), o.handoff.Places)
		}
		return litmus.Join("repaired", o.side.Apply(repairs...), litmus.IdealConsumer(), o.handoff.Places)
	}
	var err error
	if o.stale, o.safe, err = a.stale(with()); err != nil || !o.stale {
		return err
	}
	for _, repairs := range candidates(o.side.Repairs) {
		_, safe, err := a.stale(with(repairs...))
		if err != nil {
			return err
		}
		if safe {
			o.repairs = repairs
			return nil
		}
	}
	return nil
}

// candidates lists the sets of repairs, the smallest first: one, two, or three that do not touch the same step.
func candidates(list []litmus.Repair) [][]litmus.Repair {
	var out [][]litmus.Repair
	sets := [][]litmus.Repair{nil}
	from := []int{0}
	for range 3 {
		var next [][]litmus.Repair
		var nextFrom []int
		for k, set := range sets {
			for i := from[k]; i < len(list); i++ {
				if slices.ContainsFunc(set, func(r litmus.Repair) bool { return overlap(r, list[i]) }) {
					continue
				}
				next = append(next, append(slices.Clone(set), list[i]))
				nextFrom = append(nextFrom, i+1)
			}
		}
		sets, from = next, nextFrom
		out = append(out, sets...)
	}
	return out
}

// inserts reports whether an edit takes nothing away.
func inserts(e finding.Edit) bool { return e.Line == e.EndLine && e.Column == e.EndColumn }

// overlap reports whether two repairs change one place of the source. Two insertions do not: the first stands first.
func overlap(a, b litmus.Repair) bool {
	for _, x := range a.Edits {
		for _, y := range b.Edits {
			if x.Path == y.Path && x.Line == y.Line && x.Column == y.Column && !(inserts(x) && inserts(y)) {
				return true
			}
		}
	}
	return false
}

// fixOf joins repairs.
func fixOf(repairs []litmus.Repair) *finding.Fix {
	if len(repairs) == 0 {
		return nil
	}
	fix := &finding.Fix{}
	var words []string
	for _, r := range repairs {
		words = append(words, r.Words)
		for _, e := range r.Edits {
			same := func(o finding.Edit) bool { return o.Location == e.Location && inserts(o) }
			if i := slices.IndexFunc(fix.Edits, same); i >= 0 { // who applies edits need not keep their order
				fix.Edits[i].Text += e.Text
				continue
			}
			fix.Edits = append(fix.Edits, e)
		}
	}
	fix.Text = strings.Join(words, ", and ")
	return fix
}
