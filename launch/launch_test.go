package launch

import "testing"

func TestList(t *testing.T) {
	var l List
	for _, text := range []string{"a*=block:[32,2]", "*=grid:4,block:[8],cluster:2", "never=block:[1]"} {
		if err := l.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	for kernel, want := range map[string][3][3]int{
		"ab": {{7, 7, 7}, {32, 2, 1}, {}},
		"b":  {{4, 1, 1}, {8, 1, 1}, {2, 1, 1}},
	} {
		got := [3][3]int{{7, 7, 7}}
		if l.Apply(kernel, &got[0], &got[1], &got[2]); got != want {
			t.Errorf("%s: %v, want %v", kernel, got, want)
		}
	}
	if got := l.Unused(); got != "never" {
		t.Errorf("unused: %q", got)
	}
	for _, text := range []string{"", "k", "k=", "=block:[1]", "[=block:[1]", "k=block:[0]", "k=block:[1],block:[1]", "k=block:[1],", "k=block:[1]grid:[1]", "k=block:[1,2,3,4]", "k=size:[1]", "k=block:", "k=block:1,", "k=block:1]", "k=block:a"} {
		if l.Set(text) == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
