package emulate

import "sort"

// Variable is a variable in shared memory. Bytes is 0 for an array whose extent the launch gives.
type Variable struct {
	Name      string // as the PTX has it
	At, Bytes int64
}

// sharedVariables lists the shared memory of what runs, by place.
func (m *module) sharedVariables() []Variable {
	var out []Variable
	for name, v := range m.variables {
		if v.space == "shared" {
			out = append(out, Variable{name, v.at, max(0, v.size)})
		}
	}
	sort.Slice(out, func(a, b int) bool {
		return out[a].At < out[b].At || out[a].At == out[b].At && out[a].Name < out[b].Name
	})
	return out
}
