// Package mutant measures what the checks are worth: it puts one fault at a time into a kernel that is proved, checks
// the faulty kernel, and tells which faults were found. A fault that nobody finds is a property that is missing.
package mutant

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/source"
)

// Fault is one change of a kernel's text. Edits keep the lines where they are, so that what is found in the faulty
// kernel stands at the same line of the right one.
type Fault struct {
	Operator string `json:"operator"`
	Line     int    `json:"line"`
	What     string `json:"change"` // the change in a few words: "pipe.consumer_release(state) → pass"
	Lines    []int  `json:"lines"`  // every line that is changed
	edits    []edit
	// probe makes the changed place impossible to model. Where that changes nothing either, no kernel runs the place.
	probe []edit
	// unseen is set for faults in what has no meaning in the model: no change of the model is no proof of equivalence.
	unseen bool
}

type edit struct {
	span source.Span
	text string
}

// apply gives the faulty text.
func apply(data []byte, edits []edit) []byte {
	sorted := slices.Clone(edits)
	slices.SortFunc(sorted, func(a, b edit) int { return cmp.Compare(a.span.Start, b.span.Start) })
	var out []byte
	at := 0
	for _, e := range sorted {
		out = append(append(out, data[at:e.span.Start]...), e.text...)
		at = e.span.End
	}
	return append(out, data[at:]...)
}

// keepingLines is text in place of old, with as many line ends as old has.
func keepingLines(text, old string) string {
	return text + strings.Repeat("\n", max(0, strings.Count(old, "\n")-strings.Count(text, "\n")))
}

// short is a piece of source on one line, cut where it gets long.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return text
}
