package main

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/rules"
)

// languages are those that kernels are written in.
var languages = []struct {
	lang program.Language
	name string
}{{program.CuTe, "CuTe DSL"}, {program.CUDA, "CUDA C++"}, {program.PTX, "PTX"}}

// about is the line of facts of a rule.
func about(r *rules.Rule) string {
	var in []string
	for _, l := range languages {
		for _, n := range r.Needs {
			if n == l.lang {
				in = append(in, l.name)
			}
		}
	}
	return fmt.Sprintf("%s · %s · in %s · sections as PTX ISA 9.1 numbers them", r.Severity, evidence(r), strings.Join(in, ", "))
}

// evidence says how sure a finding of a rule is.
func evidence(r *rules.Rule) string {
	switch {
	case strings.HasPrefix(r.ID, "FP9"):
		return "about fencepost's own limits"
	case r.Property != "":
		return "proved: an engine decides it (" + finding.Words(string(r.Property)) + "), and every violation has a counterexample"
	case len(r.Suspects) > 0:
		return "a suspicion that an engine confirms or clears; what no engine decides is a warning"
	case r.Lowered:
		return "found in the kernel as it is executed"
	}
	return "a pattern that is wrong on its face, or that no engine decides"
}

// familyNames are the families of rules by their hundreds.
var familyNames = []struct{ prefix, name string }{
	{"FP1", "mbarriers: phases, counts, transactions"}, {"FP2", "fences and proxies"}, {"FP3", "scope and order"},
	{"FP4", "named barriers and divergence"}, {"FP5", "forward progress and launch"}, {"FP6", "lifetime"}, {"FP7", "data races"},
	{"FP9", "the tool's own limits"},
}

func ruleTable() string {
	var b strings.Builder
	b.WriteString("# Rules\n\n`fencepost explain FP101` prints a page in the terminal. Each page says what is found, what goes wrong, a bad and a good kernel (both are run by the tests), how it is proved, and when it may be wrong.\n\nWhere a finding is wrong or does no harm, a comment on its line says so, with a reason: `// fencepost: ignore[FP101] the loop has one iteration`, or `#` in Python. One that silences nothing is reported (FP901).\n")
	for _, f := range familyNames {
		fmt.Fprintf(&b, "\n## %s: %s\n\n| Rule | | Severity | Evidence |\n| --- | --- | --- | --- |\n", f.prefix+"xx", f.name)
		for _, r := range rules.All() {
			if strings.HasPrefix(r.ID, f.prefix) {
				fmt.Fprintf(&b, "| [%s](../../rules/doc/%s.md) | %s | %s | %s |\n", r.ID, r.ID, r.Name, r.Severity, evidence(r))
			}
		}
	}
	return b.String()
}

func reasonTable() string {
	var b strings.Builder
	b.WriteString("# Reasons of inconclusive\n\nA verdict that is `inconclusive` says why by a code, and each code has a page: what it means, and what to do. `fencepost explain L001` prints it.\n\n| Code | |\n| --- | --- |\n")
	for _, c := range limit.All() {
		fmt.Fprintf(&b, "| [%s](../../limit/doc/%s.md) | %s |\n", c, c, c.Name())
	}
	return b.String()
}

func propertyTable() string {
	var b strings.Builder
	b.WriteString("| Name in reports | In words | Asked |\n| --- | --- | --- |\n")
	for _, p := range finding.Properties {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.Name, p.Words, p.Text)
	}
	return b.String()
}

// callTables lists what the dialect's tables have.
func callTables() string {
	var b strings.Builder
	b.WriteString("# Supported calls\n\nThese calls and instructions are known by name; what else synchronizes is followed through its body where that is read, or said in `wrappers:` of `.fencepost.yaml`. A call that is neither leaves the kernel inconclusive, with its line.\n")
	for _, l := range languages {
		fmt.Fprintf(&b, "\n## %s\n\n| Call | Operation |\n| --- | --- |\n", l.name)
		seen := map[dialect.Row]bool{}
		for _, r := range dialect.Rows(l.lang) {
			if !seen[r] {
				seen[r] = true
				fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(r.Call, "|", `\|`), strings.ReplaceAll(r.Operation, "_", " "))
			}
		}
	}
	return b.String()
}
