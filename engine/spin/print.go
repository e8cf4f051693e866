package spin

import (
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// maxText bounds the model's text: beyond it the C compiler, not the search, would take the time.
const maxText = 4 << 20

// command is one guarded atomic step of the model, printed on a line of its own.
type command struct {
	guard expr
	body  []stmt
	step  *engine.Step // what it is in the protocol; nil for a monitor
}

// model is the whole program: one process that sets the variables and then takes commands until none is possible.
type model struct {
	variables []*variable
	setup     []stmt
	commands  []command
	ending    []stmt // checks of a state with no step, then everything back to zero
}

// Print writes the Promela model of a protocol with the monitors of the given properties, every property if none.
func Print(w io.Writer, p *protocol.Protocol, props ...protocol.Property) error {
	m, err := build(p, props)
	if err != nil {
		return err
	}
	text, _, err := m.text()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

// text renders the model, and says which command stands on which line (1-based).
func (m *model) text() (string, map[int]*command, error) {
	var b strings.Builder
	for _, v := range m.variables {
		if v.size > 0 {
			fmt.Fprintf(&b, "%s %s[%d];\n", v.width(), v.name(), v.size)
		} else {
			fmt.Fprintf(&b, "%s %s;\n", v.width(), v.name())
		}
	}
	b.WriteString("active proctype v_m0() {\nd_step { ")
	sequence(&b, m.setup)
	b.WriteString(" };\ndo\n")
	line := len(m.variables) + 4
	lines := map[int]*command{}
	for i := range m.commands {
		c := &m.commands[i]
		b.WriteString(":: d_step { ")
		c.guard.write(&b)
		b.WriteString(" -> ")
		sequence(&b, c.body)
		b.WriteString(" }\n")
		lines[line] = c
		line++
		if b.Len() > maxText {
			return "", nil, fmt.Errorf("the Promela model is longer than %d MiB", maxText>>20)
		}
	}
	b.WriteString(":: atomic { else -> d_step { ")
	sequence(&b, m.ending)
	b.WriteString(" }; break }\nod\n}\n")
	if b.Len() > maxText {
		return "", nil, fmt.Errorf("the Promela model is longer than %d MiB", maxText>>20)
	}
	return b.String(), lines, nil
}
