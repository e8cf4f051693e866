package memory

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed models/*.cat
var modelFiles embed.FS

// Models lists the memory models, by name.
var Models = []string{"ptx-v6.0", "ptx-v7.5", "ptx-async"}

// ModelText is the text of a model, as `fencepost memory model` prints it.
func ModelText(name string) (string, error) {
	for _, m := range Models {
		if m == name {
			text, err := modelFiles.ReadFile("models/" + name + ".cat")
			return string(text), err
		}
	}
	return "", fmt.Errorf("no memory model %q; there are %s", name, strings.Join(Models, ", "))
}

// Model is a memory model: what an execution is said to be consistent by. Its text is compiled into steps, each of which
// computes a relation (or set) from ones before.
type Model struct {
	Name   string
	steps  []step
	checks []check
	orders []order
	names  map[string]int // step by name
}

// stage says when a step has to be computed anew.
type stage uint8

const (
	fixed  stage = iota // by the events alone
	read                // by who reads from whom, and which barriers met
	chosen              // and by the orders that were decided, the first at chosen, the second behind it
)

// afterwards is the stage of flags: they are looked at when everything is decided.
const afterwards stage = 250

type stepKind uint8

const (
	kindBase stepKind = iota
	kindUnion
	kindIntersection
	kindDifference
	kindCompose
	kindProduct
	kindIdentity
	kindInverse
	kindClosure
	kindReflexive
	kindOrder
)

type step struct {
	kind  stepKind
	set   bool
	stage stage
	a, b  int
	base  string // of kindBase
}

type checkKind uint8

const (
	checkEmpty checkKind = iota
	checkIrreflexive
	checkAcyclic
	flagged // not an axiom: something to tell
)

// check is an axiom, or a flag.
type check struct {
	kind  checkKind
	label string
	of    int
}

// order is a relation that an execution chooses: the smallest transitive one that contains one relation and has one
// direction of each pair that another has in both. It must have no cycle.
type order struct {
	name              string
	contains, decides int
	step              int
}

// LoadModel compiles an embedded model.
func LoadModel(name string) (*Model, error) {
	text, err := ModelText(name)
	if err != nil {
		return nil, err
	}
	m, err := compileModel(text)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	return m, nil
}

// recent reports whether the model knows barrier objects and engines.
func (m *Model) recent() bool {
	for _, s := range m.steps {
		if s.kind == kindBase && recent[s.base] {
			return true
		}
	}
	return false
}

// uses reports whether the model has a base relation or set.
func (m *Model) uses(name string) bool {
	for _, s := range m.steps {
		if s.kind == kindBase && s.base == name {
			return true
		}
	}
	return false
}
