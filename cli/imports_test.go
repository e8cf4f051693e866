package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
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

// roomsOfLower are the packages inside lower, each of which may import those before it.
var roomsOfLower = []string{"value", "instruction", "syntax", "slice", "combination", "provenance", "iteration", "cute", "inquiry", "memory", "gap", "build"}

// What is still in lower itself: it only ever falls.
const (
	filesLeft = 132
	linesLeft = 26_842
)

// TestRoomsOfLower: no room of lower imports lower, or one that comes after it, and none is too large to be looked through.
func TestRoomsOfLower(t *testing.T) {
	const lower = "github.com/fencepost-dev/fencepost/lower"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{.Dir}} {{join .Imports " "}}`, lower+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		room := strings.Trim(strings.TrimPrefix(fields[0], lower), "/")
		at, maxFiles, maxLines := slices.Index(roomsOfLower, room), 30, 5_000
		switch {
		case room == "":
			at, maxFiles, maxLines = len(roomsOfLower), filesLeft, linesLeft
		case at < 0:
			t.Errorf("%s is not in the order of lower's rooms", fields[0])
		}
		for _, path := range fields[2:] {
			if to := strings.TrimPrefix(path, lower+"/"); path == lower || to != path && slices.Index(roomsOfLower, to) >= at {
				t.Errorf("%s imports %s: the rooms of lower import one way", fields[0], path)
			}
		}
		files, err := filepath.Glob(filepath.Join(fields[1], "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(text, []byte{'\n'})
		}
		if len(files) > maxFiles || lines > maxLines {
			t.Errorf("%s has %d lines in %d files, at most %d in %d: make another room", fields[0], lines, len(files), maxLines, maxFiles)
		}
	}
}
