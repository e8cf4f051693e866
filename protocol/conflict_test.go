package protocol

import "testing"

// Copies of one line in several CTAs fill a stage together, whatever their sites say of the CTA; those of two lines
// overwrite each other.
func TestConflict(t *testing.T) {
	p := &Protocol{Sites: []Site{{Path: "k.py", Line: 7, Text: "copy of CTA 0"}, {Path: "k.py", Line: 7, Text: "copy of CTA 1"}, {Path: "k.py", Line: 8, Text: "copy of CTA 1"}}}
	use := func(class, site int) Use {
		return Use{Access: &Access{Write: true, Parts: ByCopy, Site: site}, Class: class, InFlight: true}
	}
	if p.Conflict(use(0, 0), use(1, 1)) {
		t.Error("parts of one multicast copy conflict")
	}
	if !p.Conflict(use(0, 0), use(1, 2)) {
		t.Error("two copies into one place do not conflict")
	}
}

// What touches some elements meets what touches all of them, and nothing else: neither another part nor the parts that
// threads or copies have.
func TestSomewhere(t *testing.T) {
	p := &Protocol{Sites: []Site{{Path: "k.py", Line: 7, Text: ""}, {Path: "k.py", Line: 8, Text: ""}}}
	for _, by := range []Division{Whole, ByThread, ByCopy, OneCopy, Somewhere} {
		some, other := Use{Access: &Access{Write: true, Parts: Somewhere}}, Use{Access: &Access{Parts: by, Site: 1}, Class: 1, InFlight: true}
		want := by == Whole || by == OneCopy
		if p.Conflict(some, other) != want || p.Conflict(other, some) != want {
			t.Errorf("some elements and those of division %d: conflict is not %t", by, want)
		}
	}
}

// Parts that threads have in two ways which give some element to two warps meet where one access reads, or where one is
// a copy that its thread has not waited for. Of two stores the model does not know that both happen.
func TestCrossingParts(t *testing.T) {
	p := &Protocol{Sites: []Site{{Path: "k.py", Line: 7, Text: ""}, {Path: "k.py", Line: 8, Text: ""}}, Across: []Crossing{{Less: 1, More: 2}}}
	part := func(site, deal int, write, pending bool) Use {
		return Use{Access: &Access{Write: write, Parts: ByThread, Site: site, Deal: deal, Async: pending, Pending: pending}}
	}
	for _, c := range []struct {
		a, b Use
		want bool
	}{
		{part(0, 1, true, true), part(1, 2, true, false), true},
		{part(0, 1, true, true), part(1, 1, true, false), false},
		{part(0, 1, true, true), part(1, 2, true, true), false},
		{part(0, 1, true, false), part(1, 2, true, false), false},
		{part(0, 1, true, false), part(1, 2, false, false), true},
	} {
		if p.Conflict(c.a, c.b) != c.want || p.Conflict(c.b, c.a) != c.want {
			t.Errorf("%+v and %+v: conflict is not %t", *c.a.Access, *c.b.Access, c.want)
		}
	}
}
