package ir

import (
	"strings"
	"testing"
)

// TestTable looks at what the table says of each op, and that no two are called alike.
func TestTable(t *testing.T) {
	seen := map[string]Op{}
	for _, o := range Ops() {
		row := o.row()
		if row.name == "" || row.family == "" || row.means == "" {
			t.Errorf("op %d has no name, no family or no meaning", o)
		}
		if other, again := seen[row.name]; again {
			t.Errorf("ops %d and %d are both called %s", other, o, row.name)
		}
		seen[row.name] = o
		if got, ok := opOf(row.name); !ok || got != o {
			t.Errorf("%s is read as %s", row.name, got)
		}
		if o.Does(Integer) && (!o.Does(Computes) || row.types == untyped || o.form().d != Register) {
			t.Errorf("%s is integer arithmetic without a type or a result", row.name)
		}
		if row.has&spaced != 0 && !o.form().address {
			t.Errorf("%s has a state space and no address", row.name)
		}
	}
}

// TestModifiersAreTold makes sure that no word behind an op's name has two meanings, or is part of another op's name.
func TestModifiersAreTold(t *testing.T) {
	for _, o := range Ops() {
		row := o.row()
		var words []string
		words = append(words, row.modes...)
		for k, name := range flagNames {
			if row.flags>>k&1 != 0 {
				words = append(words, name)
			}
		}
		for _, more := range []struct {
			has  bool
			list []string
		}{{row.has&joined != 0, joining[1:]}, {row.has&spaced != 0, spaces}, {row.has&ordered != 0, orders}, {row.has&ordered != 0, scopes}} {
			if more.has {
				words = append(words, more.list...)
			}
		}
		seen := map[string]bool{}
		for _, w := range words {
			if w == "" || w == "-" {
				continue
			}
			if _, typ := typeOf(w); seen[w] || typ && row.types != untyped {
				t.Errorf("%s.%s means two things", row.name, w)
			}
			if other, _ := opOf(row.name + "." + w); other != o {
				t.Errorf("%s.%s begins another op, %s", row.name, w, other)
			}
			seen[w] = true
		}
	}
	if n := strings.Count(strings.Join(flagNames, " "), " ") + 1; 1<<n != int(Gathers)<<1 {
		t.Errorf("%d names of flags", n)
	}
}
