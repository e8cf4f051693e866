package explore

import "fmt"

// condition is one of the conditions of the package documentation under which F equals M.
type condition string

// A test has the proof ignore each in turn (judge.waived), and sees it give a wrong answer.
const (
	unbroken condition = "the canonical execution exceeds no pending count"
	initOnce condition = "an object is initialised once"

	notLate     condition = "no thread is two phases behind at its wait"
	notEarly    condition = "no thread is at a wait while a contribution to the phase before is outstanding"
	notEarlySum condition = "no thread is at a wait a phase early, where phases are sums"
	noStrays    condition = "no run need be looked at for an early thread where no arrival strays"

	sumCounts   condition = "phases are sums: all arrivals have the same count"
	sumBytes    condition = "phases are sums: there are no transaction bytes"
	sumDrops    condition = "phases are sums: the expected count stays"
	onePhase    condition = "an operation contributes to one phase, where phases are no sums"
	nextPhase   condition = "C1: no contribution to the next phase while one to this is outstanding"
	expectFirst condition = "C4: bytes are expected before the last arrival of their phase"
	lastBytes   condition = "the last phase has no more bytes completed than expected"

	oneGeneration  condition = "an operation registers in one generation of a counted named barrier"
	nextGeneration condition = "nothing registers in the next generation while a registration in this is outstanding"
	noBareArrive   condition = "no thread arrives on a CTA-wide barrier without waiting"

	flagAdds   condition = "what is added to a flag is positive"
	flagWriter condition = "a flag is stored to by one class, or only added to"
	flagStores condition = "what is stored to a flag rises"
	flagSwaps  condition = "nothing is stored to a flag because of what it holds"
	spinStays  condition = "a spin that is enabled stays so"
	notOverrun condition = "no flag is past the value that a thread is still polling it for"
)

// refuse says that a condition is not met.
func (j *judge) refuse(c condition, format string, args ...any) error {
	if j.waived == c {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// breaks notes that a condition is not met, and so F may differ from M.
func (pr *proof) breaks(c condition, format string, args ...any) {
	if pr.waived != c {
		pr.differ(format, args...)
	}
}
