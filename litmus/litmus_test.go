package litmus

import (
	"slices"
	"testing"
)

func TestText(t *testing.T) {
	p := IdealPublisher()
	c := &Side{Threads: []Thread{
		{Name: "waits", Steps: []Step{{Op: "ld", Sem: "relaxed", Scope: "gpu", Cell: "flag"}, {Op: "bar", Cell: "21"}}},
		{Name: "reads", Steps: []Step{{Op: "bar", Cell: "21"}, {Op: "ld", Sem: "weak", Cell: "data", Reg: 1}}},
	}, Data: 1}
	const want = `PTX handed
{  }
 P0@cta 0,gpu 0                   | P1@cta 1,gpu 1          | P2@cta 1,gpu 1   ;
 st.weak data, 1                  | ld.relaxed.gpu r0, flag | bar.cta.sync 21  ;
 atom.release.sys.add r9, flag, 1 | bar.cta.sync 21         | ld.weak r1, data ;
exists (P1:r0 == 1 /\ P2:r1 == 0)
`
	got := Join("handed", p, c, Places{OtherGPU: true})
	if text := got.Text(); text != want || got.Line() != 4 {
		t.Errorf("%s, want %s", text, want)
	}
	if flags := got.Flags(); len(flags.Threads[0].Steps) != 1 || len(flags.Threads[2].Steps) != 0 || len(flags.Outcome) != 1 {
		t.Errorf("flags alone: %s", flags.Text())
	}
	if same := Join("handed", p, c, Places{SameCTA: true}); same.Threads[1].CTA != 0 {
		t.Errorf("one CTA: %s", same.Text())
	}
}

func TestApply(t *testing.T) {
	s := &Side{Threads: []Thread{{Steps: []Step{{Text: "a"}, {Text: "b"}}}}}
	fixed := s.Apply(
		Repair{Changes: []Change{{At: 1, Step: Step{Text: "before b"}}, {At: 2, Step: Step{Text: "end"}}}},
		Repair{Changes: []Change{{At: 0, Replace: true, Step: Step{Text: "A"}}}},
	)
	var got []string
	for _, step := range fixed.Threads[0].Steps {
		got = append(got, step.String())
	}
	if want := []string{"A", "before b", "b", "end"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(s.Threads[0].Steps) != 2 {
		t.Error("the side itself is changed")
	}
}

// What is not known is left out of the one test and taken into the other.
func TestResolved(t *testing.T) {
	test := &Test{Threads: []Thread{{Steps: []Step{
		{Op: "fence", Sem: "sc", Scope: "sys", Maybe: "it may not be executed"}, {Op: "fence", Sem: "acq_rel", Scope: "cluster"},
	}}}}
	texts := func(t *Test) (out []string) {
		for _, s := range t.Threads[0].Steps {
			out = append(out, s.String())
		}
		return out
	}
	if got, want := texts(test.Least()), []string{"fence.acq_rel.cta"}; !slices.Equal(got, want) {
		t.Errorf("least %q, want %q", got, want)
	}
	if got, want := texts(test.Most()), []string{"fence.sc.sys", "fence.acq_rel.gpu"}; !slices.Equal(got, want) {
		t.Errorf("most %q, want %q", got, want)
	}
	if n := len(test.Doubts()); n != 2 {
		t.Errorf("%d doubts, want 2", n)
	}
	test.Threads[0].Cluster = true
	if got, want := texts(test.Least()), []string{"fence.acq_rel.cluster"}; !slices.Equal(got, want) {
		t.Errorf("in a cluster %q, want %q", got, want)
	}
}
