package check

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/check/handoffs"
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
)

// handing are the rules of data that CTAs hand to each other by a word.
var handing = []string{"FP302", "FP303", "FP304", "FP305", "FP307"}

// hands reports whether it is told of a kernel that it hands data on out of order.
func (k *compiledKernel) hands(known []finding.Finding) bool {
	return slices.ContainsFunc(known, func(fd finding.Finding) bool { return fd.Kernel == k.fn.Qualified && slices.Contains(handing, fd.Rule) })
}

// unpaired tells of words by which CTAs wait for each other and of which one side alone orders memory: that the writes release nothing (FP304), or the wait acquires nothing (FP303).
func (k *compiledKernel) unpaired(opt *Options, t *dialect.Table, known []finding.Finding) (out []finding.Finding) {
	if k.whole == nil || k.balanced() && k.Verdict == engine.Holds || k.hands(known) {
		return nil
	}
	block, _ := k.block()
	var guessed map[string]bool
	for _, u := range handoffs.UnpairedOf(k.whole, block, k.lent) {
		if guessed == nil && len(k.whole.Guesses) > 0 {
			guessed = k.guessedOrders(t)
		}
		where := func(n int32) string { return k.whole.Where(placeOf(k.whole, n)) }
		if guessed[where(u.Wait)] || guessed[where(u.Signal)] {
			continue
		}
		line := func(n int32) int { return k.site(placeOf(k.whole, n)).Line }
		word := k.leads(u.Word)
		rule, at, side, help := "FP304", u.Signal, "written with %s order, and the wait for it acquires; expected release", "write it with release order, or put __threadfence() before: an acquire synchronizes with a release alone"
		said := map[int32]string{u.Wait: "this waits for it"}
		if u.Takes {
			rule, at, side, help = "FP303", u.Wait, "waited for with %s order, and its writer releases; expected acquire", "read it with acquire order, or put __threadfence() behind the wait: a release synchronizes with an acquire alone"
			said = map[int32]string{u.Signal: "what is waited for is written here"}
		}
		if u.Orders != u.Wait && u.Orders != u.Signal && line(u.Orders) != line(u.Wait) {
			said[u.Orders] = "this orders the other side"
		}
		message := fmt.Sprintf("%q is "+side, word, orderName(&k.whole.Insts[at]))
		if u.Other != "" && !u.Takes {
			message = fmt.Sprintf("%q is written with %s order, and the wait for what others write to %q acquires; expected release", k.leads(u.Other), orderName(&k.whole.Insts[at]), word)
			said[u.Wait] = "this waits for what the other side writes"
		}
		if fd := k.toldAt(opt, known, out, finding.Warning, rule, at, message, said, help); fd != nil {
			out = append(out, *fd)
		}
	}
	return out
}
