package mutant

import (
	"fmt"
	"slices"
)

// Table counts the fates of faults.
type Table struct {
	Files     []File   `json:"files"`
	All       Tally    `json:"all"`
	Operators []Tally  `json:"operators"`
	Paths     []Tally  `json:"paths"`
	Aims      []string `json:"killed_at"` // what the findings point at: "fault 40", "wait 12"
}

// Tally counts fates.
type Tally struct {
	Name       string `json:"name"`
	Killed     int    `json:"killed"`
	Survived   int    `json:"survived"`
	Equivalent int    `json:"equivalent"`
}

// Score is the share of the faults that change something that are found.
func (t *Tally) Score() string {
	if n := t.Killed + t.Survived; n > 0 {
		return fmt.Sprintf("%.1f %%", 100*float64(t.Killed)/float64(n))
	}
	return "-"
}

func (t *Tally) add(f Fate) {
	switch f {
	case Killed:
		t.Killed++
	case Survived:
		t.Survived++
	case Equivalent:
		t.Equivalent++
	}
}

// Count sums the results up by operator and by file.
func Count(files []File) Table {
	t := Table{Files: files, All: Tally{Name: "all"}}
	for _, o := range Operators {
		t.Operators = append(t.Operators, Tally{Name: o.Name})
	}
	aims := map[string]int{}
	for _, f := range files {
		one := Tally{Name: f.Path}
		for _, r := range f.Results {
			t.All.add(r.Fate)
			one.add(r.Fate)
			if i := slices.IndexFunc(t.Operators, func(o Tally) bool { return o.Name == r.Operator }); i >= 0 {
				t.Operators[i].add(r.Fate)
			}
			if r.Fate == Killed {
				aims[r.Aim]++
			}
		}
		if f.Skipped == "" {
			t.Paths = append(t.Paths, one)
		}
	}
	t.Operators = slices.DeleteFunc(t.Operators, func(o Tally) bool { return o.Killed+o.Survived+o.Equivalent == 0 })
	for _, name := range []string{"fault", "wait", "trace", "access", "elsewhere"} {
		if aims[name] > 0 {
			t.Aims = append(t.Aims, fmt.Sprintf("%s %d", name, aims[name]))
		}
	}
	return t
}
