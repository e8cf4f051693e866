package finding

import (
	"slices"
	"strings"
	"testing"
)

func TestOnce(t *testing.T) {
	at := func(rule, verdict string, s Severity, line int) Finding {
		return Finding{Rule: rule, Name: "n", Verdict: verdict, Severity: s, Location: Location{Path: "k.cu", Line: line}, Kernel: "k", Message: "m " + rule, Help: "h " + rule}
	}
	told := func(fs []Finding) (out []string) {
		for _, f := range Once(fs) {
			out = append(out, f.Rule)
		}
		return out
	}
	hang, spin := at("FP520", "violated", Error, 7), at("FP503", "", Warning, 7)
	for name, test := range map[string]struct {
		fs   []Finding
		want []string
	}{
		"a pattern of what is proved":      {[]Finding{spin, hang}, []string{"FP520"}},
		"another line":                     {[]Finding{at("FP503", "", Warning, 8), hang}, []string{"FP503", "FP520"}},
		"another kind":                     {[]Finding{at("FP304", "", Warning, 7), hang}, []string{"FP304", "FP520"}},
		"worse than what is proved":        {[]Finding{at("FP402", "", Error, 7), at("FP125", "violated", Warning, 7)}, []string{"FP402", "FP125"}},
		"two that are proved":              {[]Finding{at("FP620", "violated", Error, 7), at("FP124", "violated", Error, 7)}, []string{"FP124"}},
		"nothing is proved":                {[]Finding{at("FP101", "inconclusive", Warning, 7), at("FP106", "inconclusive", Warning, 7)}, []string{"FP101", "FP106"}},
		"what fencepost says of itself":    {[]Finding{at("FP901", "", Warning, 7), hang}, []string{"FP901", "FP520"}},
		"of one rule, at several columns":  {[]Finding{hang, hang}, []string{"FP520", "FP520"}},
		"what is open is no more than one": {[]Finding{at("FP123", "open", Warning, 7), spin}, []string{"FP123", "FP503"}},
	} {
		if got := told(test.fs); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	if notes := strings.Join(Once([]Finding{spin, hang})[0].Notes, "\n"); !strings.Contains(notes, "FP503 n of the same line: m FP503; h FP503") {
		t.Errorf("the notes %q do not tell what was left out", notes)
	}
}
