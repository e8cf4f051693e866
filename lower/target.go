package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// targets are the GPUs a kernel may be compiled for, tried in this order until the host's checks accept one. Nothing in
// a file says which it is.
var targets = []string{"sm_100a", "sm_90a", "sm_120a", "sm_80"}

// targetHint is the hint that says which of targets it is.
const targetHint = "the target"

// target is the name of the target.
func (m *machine) target() value.Value {
	name := targets[m.in.hints[targetHint]]
	m.in.asked = true
	m.in.assumed["the target is "+name] = true
	return value.Text(name)
}

// otherTarget says which target to try next where the check that failed speaks of it, if one is left.
func (g *guesses) otherTarget(m *machine) bool {
	n := m.in.hints[targetHint] + 1
	if !m.in.asked || int(n) >= len(targets) {
		return false
	}
	for w := range m.in.blamed {
		if words := strings.Split(strings.ToLower(w), "_"); slices.Contains(words, "arch") || words[0] == "sm" {
			g.hints[targetHint] = n
			return true
		}
	}
	return false
}
