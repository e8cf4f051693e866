package spin

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/protocol"
)

// report is what pan's text says. pan's exit status says nothing: it is 0 for a failed assertion and for a search
// that ran out of memory (notes/anchors.md C1.5).
type report struct {
	failed protocol.Property // the property whose check failed, "" if none
	states int
	depth  int
	memory int64  // bytes
	whole  bool   // the search was completed without an error
	reason string // why it is neither whole nor failed
}

var (
	versionLine = regexp.MustCompile(`Spin Version ([0-9]+(?:\.[0-9]+)*)`)
	failedLine  = regexp.MustCompile(`^pan:1: assertion violated \(?([0-9]+)<0\)? \(at depth [0-9]+\)$`)
	vectorLine  = regexp.MustCompile(`^State-vector [0-9]+ byte, depth reached ([0-9]+), errors: ([0-9]+)$`)
	storedLine  = regexp.MustCompile(`^([0-9.e+]+) states, stored$`)
	memoryLine  = regexp.MustCompile(`^([0-9.]+)\s+total actual memory usage$`)
	harmless    = regexp.MustCompile(`^pan: (wrote model\.pml\.trail|elapsed time .*|rate .*|resizing hashtable to -w[0-9]+\.\. +done)$`)
)

func version(out string) string {
	if m := versionLine.FindStringSubmatch(out); m != nil {
		return m[1]
	}
	return ""
}

// read takes a verdict from pan's output. Whatever is not known to be good news makes the run inconclusive.
func read(out string) report {
	var r report
	errors, completed, full, stored := -1, true, false, false
	for _, line := range strings.Split(out, "\n") {
		line = strings.TrimSpace(line)
		switch m := failedLine.FindStringSubmatch(line); {
		case m != nil:
			if n, err := strconv.Atoi(m[1]); err == nil && n < len(protocol.Properties) {
				r.failed = protocol.Properties[n]
			}
			continue
		case strings.HasPrefix(line, "Full statespace search"):
			full = true
		case strings.Contains(line, "Search not completed"):
			completed = false
		case strings.Contains(line, "max search depth too small"):
			r.reason, completed = "the depth limit was reached", false
		case strings.HasPrefix(line, "pan: reached -DMEMLIM bound"), strings.HasPrefix(line, "pan: out of memory"):
			r.reason, completed = "the memory limit was reached", false
		case strings.HasPrefix(line, "pan:") && !harmless.MatchString(line), strings.HasPrefix(line, "error:"):
			if r.reason == "" {
				r.reason = "pan stopped for a reason of its own"
			}
			completed = false
		}
		if m := vectorLine.FindStringSubmatch(line); m != nil {
			r.depth, _ = strconv.Atoi(m[1])
			errors, _ = strconv.Atoi(m[2])
		}
		if m := memoryLine.FindStringSubmatch(line); m != nil {
			mib, _ := strconv.ParseFloat(m[1], 64)
			r.memory = int64(mib * (1 << 20))
		}
		if m := storedLine.FindStringSubmatch(line); m != nil {
			n, err := strconv.ParseFloat(m[1], 64) // pan prints large counts as 1.2e+07
			stored = err == nil
			r.states = int(n)
		}
	}
	if r.failed != "" {
		return r
	}
	r.whole = errors == 0 && completed && full && stored
	if !r.whole && r.reason == "" {
		r.reason = "pan did not report a completed search"
	}
	return r
}
