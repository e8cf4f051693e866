package dialect

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Role is what a name says of the program that does nothing in it.
type Role string

const (
	// Unsaid: it is no annotation.
	Unsaid Role = ""
	// Premise: its first argument is true wherever a thread comes by. That is taken for granted.
	Premise Role = "premise"
	// Claim: its author, or his tool, is to prove it. Its arguments are not evaluated.
	Claim Role = "claim"
	// Unreachable: no thread comes by. That is taken for granted.
	Unreachable Role = "unreachable"
	// Enabled is true of the thread that evaluates it.
	Enabled Role = "enabled"
	// Implies is true unless its first argument is and its second is not.
	Implies Role = "implies"
)

var loadRoles = sync.OnceValue(func() map[string]Role {
	out, _ := parseRoles("rows/cuda_premises.txt")
	return out
})

// parseRoles reads lines "role: name name …"; an indented line holds more names of the one before.
func parseRoles(file string) (map[string]Role, []error) {
	data, err := rowFiles.ReadFile(file)
	if err != nil {
		return nil, []error{err}
	}
	out := map[string]Role{}
	var errs []error
	var role Role
	for i, line := range strings.Split(string(data), "\n") {
		names := strings.TrimSpace(line)
		if names == "" || names[0] == '#' {
			continue
		}
		if line[0] != ' ' {
			head, rest, ok := strings.Cut(line, ": ")
			if role, names = Role(head), rest; !ok || !slices.Contains([]Role{Premise, Claim, Unreachable, Enabled, Implies}, role) {
				errs = append(errs, fmt.Errorf("%s:%d: expected \"role: names\"", file, i+1))
				continue
			}
		}
		for _, name := range strings.Fields(names) {
			if out[name] != Unsaid {
				errs = append(errs, fmt.Errorf("%s:%d: %s is said to be a %s already", file, i+1, name, out[name]))
			}
			out[name] = role
		}
	}
	return out, errs
}

// RoleOf is what a function or macro of CUDA C++ says of the program.
func RoleOf(name string) Role { return loadRoles()[name] }
