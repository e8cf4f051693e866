package memory

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// Residues are the remainders of the elements that threads access in a loop whose stride is a modulus: from step times the
// thread's index and what is ahead of that on, as many as a step, each from 0 to the modulus. Two threads with other
// remainders by one step and one ahead never meet, whatever rounds they are in. Beside an unknown that all threads have
// alike, there may be no loop: then the modulus is 0.
func Residues(at value.Value, threads []int64, width int64) (by string, ahead int64, ok bool) {
	c, ok := value.CongruenceOf(at)
	if !ok || width < 1 || c.Plus != nil && value.HasLeaf(c.Plus) {
		return "", 0, false
	}
	rest := func(i int) int64 { return c.Rest[min(i, len(c.Rest)-1)] }
	step := width
	if len(threads) > 1 {
		step = (rest(1) - rest(0)) / (threads[1] - threads[0])
	}
	if step < width {
		return "", 0, false
	}
	ahead = rest(0) - step*threads[0]
	within := (ahead%step + step) % step
	if within+width > step {
		within = 0
	}
	for i, thread := range threads {
		if rest(i) != step*thread+ahead || c.Modulus > 0 && (rest(i) < within || rest(i)-within+step > c.Modulus) {
			return "", 0, false
		}
	}
	plus := ""
	if c.Plus != nil {
		plus = c.Plus.String()
	}
	return fmt.Sprintf("%s + %d by thread, modulo %d", plus, step, c.Modulus), ahead - within, true
}
