// Package rules holds the pattern rules: one Go file a rule, one page in doc, one line in All.
//
// A rule looks at the sites of a function: its synchronization operations in order, each with the loops and guards
// around it, small helpers of the same file inlined (sites.go). It reads no files and parses nothing.
package rules

import (
	"embed"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Rule is one rule. Run is nil for rules that an engine decides (Property says which) and for the tool's own FP9xx.
//
// Suspects lists the properties that clear a finding when an engine proves that all of them hold for the kernel; when
// it is empty the pattern is wrong on its face, or no engine covers it, and the finding stands by itself.
type Rule struct {
	ID       string
	Name     string
	Severity finding.Severity
	Needs    []program.Language // that Run looks at
	Suspects []protocol.Property
	Property protocol.Property
	Run      func(*Pass)
	Lowered  bool // found while a kernel is lowered, in its IR, or by engine/memory in what it hands on: neither a pattern nor a property
	// Under names the model of forward progress under which a kernel has to end for a finding to be wrong: "cuda" where it
	// is about who is scheduled, "fair" where it is not. Empty for findings that have nothing to do with waits of CTAs.
	Under string
	// Opens names the property that a finding leaves open, where it is not that of its family.
	Opens string
}

// About names the property of a kernel that a finding of the rule speaks of: a kernel in which one stands does not plainly
// hold. The families of barriers, of progress and of races speak of properties that engines decide, but for a barrier that not all come to.
func (r *Rule) About() string {
	switch {
	case r.Opens != "":
		return r.Opens
	case r.Property != "":
		return string(r.Property)
	}
	return families[r.ID[:len("FP1")]]
}

var families = map[string]string{"FP1": string(protocol.Phase), "FP2": finding.Proxy, "FP3": finding.Order, "FP6": string(protocol.Lifetime)}

var (
	both  = []program.Language{program.CuTe, program.CUDA}
	every = []program.Language{program.CuTe, program.CUDA, program.PTX} // looks at single operations only
)

//go:embed doc/*.md
var pages embed.FS

// All returns every rule, sorted by ID.
func All() []*Rule { return all }

// ByID returns the rule with that ID, or nil.
func ByID(id string) *Rule {
	for _, r := range all {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// ForProperty returns the rule that reports violations of an engine's property, or nil.
func ForProperty(p protocol.Property) *Rule {
	for _, r := range all {
		if p != "" && r.Property == p {
			return r
		}
	}
	return nil
}

// Page returns the rule's page as Markdown.
func (r *Rule) Page() string {
	data, err := pages.ReadFile("doc/" + r.ID + ".md")
	if err != nil {
		return ""
	}
	return string(data)
}
