package ir

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of ops in docs/ir.md anew")

// TestManual compares the table of docs/ir.md with that of the ops: go test ./ir -run Manual -update.
func TestManual(t *testing.T) {
	const path, start, end = "../docs/ir.md", "<!-- ops -->\n", "<!-- /ops -->"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(data), start)
	_, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no table of ops", path)
	}
	want := before + start + opsTable() + end + after
	switch {
	case want == string(data):
	case *update:
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not the table of ops; run with -update if that is meant", path)
	}
}

func opsTable() string {
	var families []string
	rows := map[string]*strings.Builder{}
	for _, o := range Ops() {
		row := o.row()
		out := rows[row.family]
		if out == nil {
			out = &strings.Builder{}
			families, rows[row.family] = append(families, row.family), out
		}
		name := "`" + row.name + "`"
		for _, m := range row.modes {
			if m != "" && m != "-" {
				name += " ." + m
			}
		}
		fields := strings.ReplaceAll(row.form, "|", "\\|")
		if fields != "" {
			fields = "`" + fields + "`"
		}
		var does []string
		for k, name := range effects {
			if row.does>>k&1 != 0 {
				does = append(does, name)
			}
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", name, fields, strings.Join(does, ", "), row.means)
	}
	var out strings.Builder
	for _, family := range families {
		fmt.Fprintf(&out, "\n| %s | Fields | Effects | Meaning |\n|---|---|---|---|\n%s", family, rows[family])
	}
	return out.String() + "\n"
}
