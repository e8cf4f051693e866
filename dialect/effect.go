package dialect

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fencepost-dev/fencepost/program"
)

// Effect is what a callee may do that no operation stands for and whose body is not read.
type Effect string

const (
	// Unread callees may do anything to what they can reach, and wait for anybody.
	Unread Effect = ""
	// Computes: its result comes from the values that it is handed, and is no way to memory. Nobody waits.
	Computes Effect = "computes"
	// Touches: the calling thread may read or write memory that it hands over, or gets another way to it. Nobody waits.
	Touches Effect = "touches"
	// Views: as Touches, and what it gives says no more than where elements are, and what of a whole: who asks that for a part, an element or a shape waits for nobody.
	Views Effect = "views"
	// Assigns: as Touches, and it assigns to what it is handed by reference.
	Assigns Effect = "assigns"
	// Readdresses: it gives the address that it is handed, in another form.
	Readdresses Effect = "readdresses"
	// Converges: lanes of a warp that name each other meet. No memory is ordered.
	Converges Effect = "converges"
)

// anyName stands for every name of a namespace that has no row of its own.
const anyName = "*"

// anyReceiver stands for the namespace of a method of an object whose class is not known.
const anyReceiver = "*"

type effectRow struct {
	space  string // components, joined by "."
	effect Effect
}

type effects map[string][]effectRow // by last component

var loadEffects = sync.OnceValue(func() map[program.Language]effects {
	out := map[program.Language]effects{}
	for lang, name := range map[program.Language]string{program.CUDA: "rows/cuda_effects.txt", program.CuTe: "rows/cutedsl_effects.txt",
		program.PTX: "rows/ptx_effects.txt"} {
		out[lang], _ = parseEffects(name)
	}
	return out
})

// parseEffects reads lines "effect namespace|namespace: name name …"; an indented line holds more names of the one before.
func parseEffects(file string) (effects, []error) {
	data, err := rowFiles.ReadFile(file)
	if err != nil {
		return nil, []error{err}
	}
	out := effects{}
	var errs []error
	var effect Effect
	var spaces []string
	for i, line := range strings.Split(string(data), "\n") {
		names := strings.TrimSpace(line)
		if names == "" || names[0] == '#' {
			continue
		}
		if line[0] != ' ' {
			head, rest, ok := strings.Cut(line, ": ")
			word, space, _ := strings.Cut(head, " ")
			effect, spaces, names = Effect(word), strings.Split(space, "|"), rest
			if !ok || !slices.Contains([]Effect{Computes, Touches, Views, Assigns, Readdresses, Converges}, effect) {
				errs = append(errs, fmt.Errorf("%s:%d: expected \"effect namespace: names\"", file, i+1))
				continue
			}
		}
		for _, name := range strings.Fields(names) {
			for _, space := range spaces {
				if effect, known := out.of(name, space); known {
					errs = append(errs, fmt.Errorf("%s:%d: %s of %q is said to be %s already", file, i+1, name, space, effect))
				}
				out[name] = append(out[name], effectRow{strings.Join(components(space), "."), effect})
			}
		}
	}
	return out, errs
}

func (e effects) of(name, space string) (Effect, bool) {
	for _, r := range e[name] {
		if r.space == strings.Join(components(space), ".") {
			return r.effect, true
		}
	}
	return Unread, false
}

// Effect tells what a function of a library may do. A name of the DSL is complete, from the package on that the imports
// lead to, and a row stands for the packages below its own too; a name of C++ may leave out namespaces that its file opens.
func (t *Table) Effect(name string, opened []string) Effect {
	path := components(name)
	if len(path) == 0 {
		return Unread
	}
	last, space := path[len(path)-1], strings.Join(path[:len(path)-1], ".")
	rows := loadEffects()[t.lang]
	found := effectRow{effect: Unread}
	for _, list := range [...][]effectRow{rows[last], rows[anyName]} {
		for _, r := range list {
			if len(r.space) >= len(found.space) && r.space != anyReceiver && t.stands(r, space, last, opened) {
				found = r
			}
		}
		if found.effect != Unread {
			break
		}
	}
	return found.effect
}

// stands reports whether a row is of the function that is called last in a namespace or package.
func (t *Table) stands(r effectRow, space, last string, opened []string) bool {
	if r.space == space || t.lang == program.CuTe && r.space != "" && strings.HasPrefix(space, r.space+".") {
		return true
	}
	return slices.ContainsFunc(opened, func(name string) bool {
		name = strings.Join(components(name), ".")
		return strings.Trim(name+"."+space, ".") == r.space || space == "" && name == r.space+"."+last
	})
}

// InstrEffect tells what an instruction of PTX may do that is no operation, by its opcode.
func InstrEffect(opcode string) Effect {
	effect, _ := loadEffects()[program.PTX].of(opcode, "")
	return effect
}

// CallEffect tells what a function may do that PTX calls and has no body of.
func CallEffect(name string) Effect {
	effect, _ := loadEffects()[program.PTX].of(name, "call")
	return effect
}

// MethodEffect tells what a method may do, of an object of whose class nothing is known but that it is the library's.
func (t *Table) MethodEffect(name string) Effect {
	effect, _ := loadEffects()[t.lang].of(name, anyReceiver)
	return effect
}
