package source

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestParseDiff(t *testing.T) {
	const text = `diff --git a/a.py b/a.py
index 1..2 100644
--- a/a.py
+++ b/a.py
@@ -3 +3 @@ def kernel():
--- a/trick.py
+++ b/trick.py
@@ -10,2 +9,0 @@
-fence()
-x
@@ -20,0 +18,3 @@
+a
+b
+c
\ No newline at end of file
diff --git "a/q\"\303\251\t.py" "b/q\"\303\251\t.py"
--- "a/q\"\303\251\t.py"
+++ "b/q\"\303\251\t.py"
@@ -0,0 +1 @@
+x
diff --git a/old.cu b/with space.cu
similarity index 90%
rename from old.cu
rename to with space.cu
--- a/old.cu
` + "+++ b/with space.cu\t" + `
@@ -1 +1 @@
-a
+b
diff --git a/pure.cu b/renamed.cu
similarity index 100%
rename from pure.cu
rename to renamed.cu
diff --git a/gone.cu b/gone.cu
--- a/gone.cu
+++ /dev/null
@@ -1 +0,0 @@
-a
diff --git a/top.cu b/top.cu
--- a/top.cu
+++ b/top.cu
@@ -1 +0,0 @@
-first
`
	want := map[string][]Range{
		"a.py":          {{First: 3, Last: 3}, {First: 9, Last: 10}, {First: 18, Last: 20}},
		"q\"é\t.py":     {{First: 1, Last: 1}},
		"with space.cu": {{First: 1, Last: 1}},
		"top.cu":        {{First: 1, Last: 1}},
	}
	got, err := parseDiff(text)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for _, bad := range []string{
		"+++ b/../../etc/passwd\n@@ -1 +1 @@\n", "+++ \"b/x\n", "+++ \"b/x\\9\"\n", "+++ c/x\n", "+++ b//etc/passwd\n",
		"+++ b/x\n@@ -1 +99999999999999999999 @@\n", "+++ b/x\n@@ hello\n", "+++ b/x\n@@ -1,2 +0 @@\n", "+++ b/x\n@@ -1 1 @@\n",
	} {
		if got, err := parseDiff(bad); err == nil {
			t.Errorf("%q gave %v", bad, got)
		}
	}
}

func FuzzParseDiff(f *testing.F) {
	f.Add("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +3 @@ f\n-a\n-b\n+c\n")
	f.Add("+++ \"b/\\303\\251\"\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline\n")
	f.Fuzz(func(t *testing.T, text string) {
		changed, err := parseDiff(text)
		if err != nil {
			return
		}
		for name, ranges := range changed {
			for _, r := range ranges {
				if name == "" || r.First < 1 || r.Last < r.First {
					t.Fatalf("%q: %q %v", text, name, r)
				}
			}
		}
	})
}

// A change of comments and blank lines is told from one that takes a statement away for a comment.
func TestRemarks(t *testing.T) {
	for body, want := range map[string]bool{
		"+# a\n":                        true,
		"-# a\n+    # b\n+\n":           true,
		"-x = 1\n+# x = 1\n":            false,
		"-# a\n\\ No newline\n+x = 1\n": false,
		"+x = 1  # a\n":                 false,
	} {
		removed, added := strings.Count("\n"+body, "\n-"), strings.Count("\n"+body, "\n+")
		got, err := parseDiff(fmt.Sprintf("+++ b/k.py\n@@ -1,%d +1,%d @@\n%s", removed, added, body))
		if err != nil || len(got["k.py"]) != 1 || got["k.py"][0].Remark != want {
			t.Errorf("%q: %+v, %v; want %v", body, got, err, want)
		}
	}
}
