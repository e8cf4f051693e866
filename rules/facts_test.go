package rules

import "testing"

// What one rule uses up of the steps in a function, the next one has again; all together have a bound, too.
func TestStepsPerRule(t *testing.T) {
	facts := newFacts(read("k.cu", "__global__ void k() { __syncthreads(); }"), nil)
	g := facts.function(facts.file.Functions[0])
	use := func() (steps int) {
		facts.turn++
		for !g.spent() {
			steps++
		}
		return steps
	}
	if first, second := use(), use(); first != maxSteps || second != maxSteps {
		t.Errorf("the first rule has %d steps, the second %d; want %d", first, second, maxSteps)
	}
	for range maxTotal / maxSteps {
		use()
	}
	if steps := use(); steps != 0 {
		t.Errorf("%d steps when all are used up", steps)
	}
}
