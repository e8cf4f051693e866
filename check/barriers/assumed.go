package barriers

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/ir"
)

// Assumed is what the verdict depends on.
func (r *Report) Assumed() []string {
	l := r.Execution.Launch
	out := r.guesses()
	which := "any CTA"
	if l.CTA != nil {
		which = fmt.Sprintf("CTA %d,%d,%d", l.CTA[0], l.CTA[1], l.CTA[2])
	}
	if l.Block[0] == 0 {
		return out // nothing was run
	}
	if len(r.Shapes) == 0 || r.Verdict == engine.Violated {
		out = append(out, fmt.Sprintf("%s of %s threads, cluster of %s", which, extentText(l.Block), extentText(l.Cluster)))
	}
	var given []string
	for name, n := range l.Params {
		if r.Verdict != engine.Holds || r.Numbers[name] == nil {
			given = append(given, fmt.Sprintf("%s=%d", name, n))
		}
	}
	if len(given) > 0 {
		sort.Strings(given)
		out = append(out, "parameters "+strings.Join(given, " "))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Numbers)) {
		what := name
		if at, is := strings.CutPrefix(name, "?"); is { // FILE:LINE#NUMBER
			if at, _, _ = strings.Cut(at, "#"); r.Execution.Conditions[name].Loop {
				what = "rounds of the loop that " + at + " leaves"
			} else {
				what = "the way at " + at
			}
		}
		out = append(out, fmt.Sprintf("tried %s = %s", what, numbersText(r.Numbers[name])))
	}
	if len(r.Numbers) > 1 {
		more := ""
		if r.More {
			more = ", and not all that make a difference"
		}
		out = append(out, fmt.Sprintf("tried %d combinations of these%s", r.Runs, more))
	}
	for _, name := range slices.Sorted(maps.Keys(r.LeftOut)) {
		if len(r.LeftOut[name]) > 0 {
			out = append(out, fmt.Sprintf("not %s = %s: with it, arrays are accessed behind their ends, threads trap, or a premise is not so", name, numbersText(r.LeftOut[name])))
		}
	}
	if why := r.Execution.Kernel.Unlaunched; why != "" && r.Guessed {
		out = append(out, why)
	}
	return append(out, r.Execution.Assumed...)
}

func numbersText(all []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(all), " ", ", "), "[]")
}

// guesses are what was thought of where the kernel does not say what shape a CTA has.
func (r *Report) guesses() []string {
	out := []string{}
	if text := ByVerdict(r.Shapes); text != "" {
		out = append(out, "guessed how many threads a CTA has, which the kernel does not say and --block does: "+text)
	}
	without := map[string][]string{}
	for _, s := range r.Shapes {
		if s.Without != "" {
			without[s.Without] = append(without[s.Without], BlockText(s.Block))
		}
	}
	for _, why := range slices.Sorted(maps.Keys(without)) {
		out = append(out, fmt.Sprintf("not blocks of %s threads: %s", strings.Join(without[why], ", "), why))
	}
	return out
}

func extentText(e [3]int) string { return fmt.Sprintf("%dx%dx%d", e[0], e[1], e[2]) }

// Written is the text of an instruction; "" where it stands in another file.
func (r *Report) Written(at *ir.Place) string {
	data := r.Execution.Kernel.File.Data
	if at.Span.Start < 0 || at.Span.End > len(data) {
		return ""
	}
	text := string(data[at.Span.Start:at.Span.End])
	return strings.Join(strings.Fields(strings.TrimSuffix(text, ";")), " ")
}
