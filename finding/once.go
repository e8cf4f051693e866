package finding

import (
	"fmt"
	"slices"
	"strings"
)

// kinds are the families of rules that tell one defect from several sides: what waits and arrives at barriers and flags, and what orders accesses.
var kinds = map[byte]byte{'1': 'b', '4': 'b', '5': 'b', '2': 'm', '3': 'm', '7': 'm'}

// Once tells a line of a kernel by one finding, where an engine proved one: what other rules say of the line is told with it. They look at one
// defect from several sides, and it has one repair. What is worse than the proved one stays, and so does what is of another kind and not proved.
func Once(fs []Finding) []Finding {
	type place struct {
		path, kernel string
		line         int
	}
	at := func(f *Finding) place { return place{f.Path, f.Kernel, f.Line} }
	best := map[place]int{}
	for i := range fs {
		f := &fs[i]
		if f.Verdict != "violated" || f.Cleared {
			continue
		}
		if k, met := best[at(f)]; !met || f.Severity > fs[k].Severity || f.Severity == fs[k].Severity && f.Rule < fs[k].Rule {
			best[at(f)] = i
		}
	}
	var kept []Finding
	notes := map[int][]string{}
	for i := range fs {
		f := &fs[i]
		k, met := best[at(f)]
		if met && k != i && follows(f, &fs[k]) {
			if f.Rule != fs[k].Rule {
				note := fmt.Sprintf("%s %s of the same line: %s", f.Rule, f.Name, f.Message)
				if f.Help != "" && f.Help != fs[k].Help {
					note += "; " + f.Help
				}
				notes[k] = append(notes[k], note)
			}
			continue
		}
		kept = append(kept, *f)
	}
	for k, list := range notes {
		for i := range kept {
			if f := &kept[i]; at(f) == at(&fs[k]) && f.Rule == fs[k].Rule && f.Column == fs[k].Column {
				f.Notes = append(slices.Clone(f.Notes), list...)
				break
			}
		}
	}
	return kept
}

// follows reports whether a finding tells of what the proved one of its line does.
func follows(f, proved *Finding) bool {
	if f.Cleared || f.Severity > proved.Severity || strings.HasPrefix(f.Rule, "FP9") || f.Rule == proved.Rule {
		return false
	}
	return f.Verdict == proved.Verdict || len(f.Rule) > 2 && kinds[f.Rule[2]] != 0 && kinds[f.Rule[2]] == kinds[proved.Rule[2]]
}
