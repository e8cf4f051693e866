package finding

import (
	"slices"
	"testing"
)

// Many elements of one array with the same value are one equation; few of them, or other values, are one each.
func TestEquations(t *testing.T) {
	bounds := map[string]string{"n": "1", "ends[0]": "3", "threads": "32", "hidden": "1", "k[1]": "0", "k[2]": "0"}
	for _, i := range []string{"1", "2", "3", "10", "11"} {
		bounds["ends["+i+"]"] = "0"
	}
	got := Equations(bounds, func(name string) bool { return name != "hidden" })
	want := []string{"ends[0] = 3", "ends[10] = 0 (and 4 more like it)", "k[1] = 0", "k[2] = 0", "n = 1", "threads = 32"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
