package finding

import "github.com/fencepost-dev/fencepost/source"

// Changed keeps the findings that a change may have brought: those whose own lines, labels, trace steps or kernel
// overlap a changed range. A kernel counts as a whole, because an arrive taken out at its top hangs a wait at its end.
func Changed(fs []Finding, lines map[string][]source.Range) []Finding {
	var kept []Finding
	for _, f := range fs {
		if touched(f, lines) {
			kept = append(kept, f)
		}
	}
	return kept
}

func touched(f Finding, lines map[string][]source.Range) bool {
	if overlaps(f.Location, lines) {
		return true
	}
	for _, l := range f.Labels {
		if overlaps(l.Location, lines) {
			return true
		}
	}
	for _, s := range f.Trace {
		if overlaps(s.Location, lines) {
			return true
		}
	}
	for _, l := range f.KernelLines {
		if overlaps(l, lines) {
			return true
		}
	}
	return false
}

func overlaps(l Location, lines map[string][]source.Range) bool {
	for _, r := range lines[l.Path] {
		if l.Line <= r.Last && r.First <= lastLine(l) {
			return true
		}
	}
	return false
}
