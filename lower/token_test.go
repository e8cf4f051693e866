package lower

import (
	"maps"
	"testing"
)

// The outcomes of a try_wait in a loop are one bound for each place, however many times and threads there are.
func TestAttemptsAreFolded(t *testing.T) {
	a := attempts{}
	for name, values := range map[string]string{
		"the try_wait that k.py:7 asks for, time 1, thread 0 of CTA 0":  "0, 1",
		"the try_wait that k.py:7 asks for, time 2, thread 0 of CTA 0":  "1",
		"the try_wait that k.py:7 asks for, time 3, thread 32 of CTA 0": "1",
		"the try_wait that k.py:9 asks for, time 1, thread 0 of CTA 0":  "0, 1",
	} {
		if !a.add(name, values) {
			t.Errorf("%q is no attempt", name)
		}
	}
	if a.add("tiles, time 2", "0") {
		t.Error("an unknown of another kind is taken for an attempt")
	}
	want := map[string]string{"the try_wait that k.py:7 asks for": "0, 1 (1 of 3); 1 (2 of 3)", "the try_wait that k.py:9 asks for": "0, 1 (1 of 1)"}
	if got := a.bounds(); !maps.Equal(got, want) {
		t.Errorf("bounds %v, want %v", got, want)
	}
}
