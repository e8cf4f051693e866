package cli

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed lists, for every room, the rooms it may import. docs/architecture.md shows the direction.
var allowed = map[string][]string{
	"cmd":     {"cli"},
	"site":    {"dialect", "finding", "limit", "program", "rules"},
	"bench":   {"check", "dialect", "engine", "flagmatrix", "frontend", "ir", "lower", "program", "protocol", "source", "limit"},
	"cli":     {"cache", "check", "mutant", "config", "engine", "finding", "flagmatrix", "frontend", "ir", "launch", "lower", "lsp", "program", "protocol", "report", "rules", "sarif", "source", "dialect", "wholefile", "limit"},
	"lsp":     {"finding", "limit", "report", "source"},
	"check":   {"cache", "config", "dialect", "engine", "finding", "frontend", "ir", "launch", "litmus", "lower", "program", "protocol", "rules", "source", "limit"},
	"judge":   {"check", "engine", "finding", "frontend", "ir", "protocol", "source", "limit"},
	"mutant":  {"check", "dialect", "finding", "lower", "program", "protocol", "rules", "source"},
	"rules":   {"dialect", "finding", "litmus", "program", "protocol", "source", "limit"},
	"lower":   {"dialect", "finding", "integer", "program", "protocol", "source", "limit"},
	"dialect": {"program", "source"},
	"program": {"source", "program"},
	"engine":  {"protocol", "engine", "limit"},

	"frontend":   {"dialect", "integer", "ir", "program", "source", "limit"},
	"ir":         {"engine", "integer", "protocol", "source", "limit"},
	"integer":    {},
	"flagmatrix": {"protocol", "engine"},
	"report":     {"finding", "protocol", "limit"},
	"sarif":      {"finding", "source", "limit"},
	"finding":    {"source", "limit"},
	"config":     {"source", "finding", "protocol", "engine", "dialect", "launch"},
	"launch":     {},
	"source":     {},
	"cache":      {"wholefile"},
	"wholefile":  {},
	"limit":      {},
	"litmus":     {"finding"},
	"protocol":   {},
}

func TestImportsGoOneWay(t *testing.T) {
	const module = "github.com/fencepost-dev/fencepost/"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	room := func(path string) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(path, module), "/")
		return name
	}
	seen := 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		fields := strings.Fields(line)
		from := room(fields[0])
		may, known := allowed[from]
		if !known {
			t.Errorf("package %s is in no room of docs/architecture.md", fields[0])
		}
		seen++
		for _, path := range fields[1:] {
			if to := room(path); strings.HasPrefix(path, module) && to != from && !slices.Contains(may, to) {
				t.Errorf("%s imports %s: imports go one way", fields[0], path)
			}
		}
	}
	if seen < len(allowed) {
		t.Errorf("saw %d packages, want at least %d", seen, len(allowed))
	}
}
