package finding

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// FailOn is what makes a run fail: findings from a severity on, and kernels that nothing decided.
type FailOn struct {
	Least        Severity
	Never        bool // no finding does, whatever its severity
	Inconclusive bool
}

// FailOnWords are the words of ParseFailOn.
var FailOnWords = []string{"error", "warning", "note", "never", "inconclusive"}

// ParseFailOn reads "error", "warning", "note" or "never", "inconclusive", which is an error besides, or two of them with a
// comma: "warning,inconclusive".
func ParseFailOn(text string) (f FailOn, err error) {
	f.Least = Error
	severity := false
	for _, word := range strings.Split(text, ",") {
		word = strings.TrimSpace(word)
		s, ok := ParseSeverity(word)
		switch {
		case word == "inconclusive" && !f.Inconclusive:
			f.Inconclusive = true
		case (ok || word == "never") && !severity:
			f.Least, f.Never, severity = s, word == "never", true
			if f.Never {
				f.Least = Error
			}
		default:
			return f, fmt.Errorf("%q: want one of error, warning, note, never, and inconclusive alone or after a comma", text)
		}
	}
	return f, nil
}

// Fails reports whether a report has what makes a run fail. What has to hold fails it whatever the severity that does.
func (f FailOn) Fails(r Report) bool {
	for _, fd := range r.Findings {
		switch {
		case fd.Cleared:
		case fd.Rule == UndecidedKernel && f.Inconclusive, fd.Rule == RequiredKernel, fd.Severity >= f.Least && !f.Never:
			return true
		}
	}
	return false
}

// Rules of the gate: they are about a run and not about synchronization.
const (
	UndecidedKernel = "FP903"
	RequiredKernel  = "FP904"
	WorseVerdict    = "FP905"
	UnreadText      = "FP906"
	UnfinishedRun   = "FP907"
)

// CheckPattern returns an error for a pattern of kernels that can never be read.
func CheckPattern(pattern string) error {
	if pattern == "" || len(pattern) > 256 || strings.Count(pattern, "{") > 3 || !doublestar.ValidatePattern(pattern) {
		return fmt.Errorf("%q is no pattern of kernels (write a name, or a path and a name: 'gemm*', 'src/**:Gemm.kernel')", pattern)
	}
	return nil
}

// named reports whether a pattern means a kernel: its name or, with a colon after a path, both.
func named(pattern string, k *Kernel) bool {
	return doublestar.MatchUnvalidated(pattern, k.Name) || doublestar.MatchUnvalidated(pattern, k.Path+":"+k.Name)
}

// Undecided is a finding for every kernel that nothing decided.
func Undecided(ks []Kernel) (fs []Finding) {
	for i := range ks {
		if k := &ks[i]; k.Verdict == "inconclusive" {
			fs = append(fs, about(k, UndecidedKernel, "undecided-kernel", "nothing decided kernel "+k.Name+", and a run with --fail-on inconclusive fails on that"))
		}
	}
	return fs
}

// Unfinished is a finding of a run that ended before it had checked every file, in the first one that it left; without one there is none.
func Unfinished(left []string) []Finding {
	if len(left) == 0 {
		return nil
	}
	const most = 20
	f := Finding{Rule: UnfinishedRun, Name: "unfinished-run", Severity: Warning, Location: Location{Path: left[0], Line: 1, Column: 1},
		Message: fmt.Sprintf("the run ended before this file and %d more were checked to their end", len(left)-1)}
	if len(left) == 1 {
		f.Message = "the run ended before this file was checked to its end"
	}
	for i, name := range left[1:] {
		if i == most {
			f.Notes = append(f.Notes, fmt.Sprintf("and %d more files", len(left)-1-most))
			break
		}
		f.Notes = append(f.Notes, "not checked to its end: "+name)
	}
	return []Finding{f}
}

// Required is a finding for every kernel that one of the patterns means and that does not hold. It also returns the patterns that
// mean no kernel.
func Required(ks []Kernel, patterns []string) (fs []Finding, unmatched []string) {
	told := map[int]bool{}
	for _, p := range patterns {
		found := false
		for i := range ks {
			k := &ks[i]
			if !named(p, k) {
				continue
			}
			found = true
			if k.Verdict != "holds" && !told[i] {
				told[i] = true
				fs = append(fs, about(k, RequiredKernel, "required-kernel", fmt.Sprintf("kernel %s has to hold (%s), and is %s", k.Name, p, k.Verdict)))
			}
		}
		if !found {
			unmatched = append(unmatched, p)
		}
	}
	return fs, unmatched
}

// about is a finding about a kernel as a whole.
func about(k *Kernel, rule, name, message string) Finding {
	f := Finding{Rule: rule, Name: name, Severity: Error, Verdict: k.Verdict, Kernel: k.Name, Message: message, KernelLines: k.Lines,
		Location: Location{Path: k.Path, Line: k.Line, Column: 1}}
	const most = 3
	for i, reason := range k.Whys() {
		if i == most {
			f.Notes = append(f.Notes, "more reasons stand beside the kernel")
			break
		}
		f.Notes = append(f.Notes, reason.String())
	}
	return f
}
