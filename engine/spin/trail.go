package spin

import (
	"bufio"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// transition is a line of pan's table of transitions (pan -d): the number it has in a trail and what it is. The text
// of an atomic step is D_STEP and the line it stands on in the model.
var transition = regexp.MustCompile(`\[id +([0-9]+) tp +[0-9]+\].* => (?:D_STEP([0-9]+))?`)

// retrace turns a trail into the steps of the protocol: each of its transitions is a line of the model, and each line
// is a command.
func retrace(trail, table string, lines map[int]*command) ([]engine.Step, error) {
	at := map[string]int{}
	for _, m := range transition.FindAllStringSubmatch(table, -1) {
		at[m[1]], _ = strconv.Atoi(m[2]) // 0: not an atomic step
	}
	var steps []engine.Step
	sc := bufio.NewScanner(strings.NewReader(trail))
	for sc.Scan() {
		parts := strings.Split(sc.Text(), ":")
		if len(parts) != 3 {
			return nil, fmt.Errorf("read the trail: line %q has no three fields", sc.Text())
		}
		if strings.HasPrefix(parts[0], "-") {
			continue // a header
		}
		line, known := at[parts[2]]
		if !known {
			return nil, fmt.Errorf("read the trail: pan lists no transition %s", parts[2])
		}
		c := lines[line]
		if c == nil || c.step == nil {
			continue // the first step, the last one, or a monitor
		}
		last := len(steps) - 1
		if last >= 0 && steps[last].Class == c.step.Class && steps[last].Op == c.step.Op && steps[last].Completion == c.step.Completion {
			steps[last].N++
			continue
		}
		steps = append(steps, *c.step)
	}
	return steps, sc.Err()
}

// depth bounds the length of every execution: programs have no loops, so each thread takes each operation once, and
// each operation it issues completes once.
func depth(p *protocol.Protocol) int {
	n := 16 // the first step, the last ones
	for _, class := range p.Classes {
		each := len(class.Ops)
		for _, op := range class.Ops {
			if op.Kind == protocol.Issue {
				each++
			}
		}
		n += each * class.Count
	}
	return n
}

// vector bounds the bytes of a state.
func (m *model) vector() int {
	n := 512 // pan's own fields and padding
	for _, v := range m.variables {
		n += 4 * max(v.size, 1)
	}
	return n
}
