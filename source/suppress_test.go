package source

import (
	"fmt"
	"strings"
	"testing"
)

func TestSuppressions(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"k.py", "x = 1\nwait(p, 0)  # fencepost: ignore[FP101] drained before\n", "2:13→2 [FP101] drained before"},
		{"k.py", "# fencepost: ignore[FP101, FP202] two at once\n\n# why\nwait(p, 0)\n", "1:1→3 [FP101 FP202] two at once"},
		{"k.py", "# fencepost: ignore[FP101] a\n# fencepost: ignore[FP102] b\nwait()\n", "1:1→3 [FP101] a|2:1→3 [FP102] b"},
		{"k.cu", "wait(p, 0); // fencepost: ignore[FP101] µ-bench only\n", "1:13→1 [FP101] µ-bench only"},
		{"k.cu", "/* fencepost: ignore[FP101] one shot */ wait(p, 0);\n", "1:1→1 [FP101] one shot"},
		{"k.cu", "/* fencepost: ignore[FP101] one shot */\nwait(p, 0);\n", "1:1→2 [FP101] one shot"},
		{"k.ptx", "bar.sync 99; // fencepost:ignore [FP401] r\n", "1:14→1 [FP401] r"},
		{"k.py", "wait()  # fencepost: ignore[FP101]\n", "!reason"},
		{"k.py", "wait()  # fencepost: ignore[FP101]   \t\n", "!reason"},
		{"k.cu", "wait(); /* fencepost: ignore[FP101] */ x\n", "!reason"},
		{"k.py", "wait()  # fencepost: ignore all of it\n", "!names no rule"},
		{"k.py", "wait()  # fencepost: ignore\n", "!names no rule"},
		{"k.py", "wait()  # fencepost: ignore[] why\n", "!list"},
		{"k.py", "wait()  # fencepost: ignore[fp101] why\n", "!list"},
		{"k.py", "wait()  # fencepost: ignore[FP101,] why\n", "!list"},
		{"k.py", "wait()  # fencepost: ignore[FP101 why\n", "!names no rule"},
		{"k.py", "# fencepost: ignore[" + strings.Repeat("FP101,", 40) + "FP101] why\n", "!too many"},
		{"k.py", "x = a // fencepost: ignore[FP101] not a comment\n", ""},
		{"k.cu", "# fencepost: ignore[FP101] not a comment here\n", ""},
		{"k.py", "# fencepost: ignored[FP101] x\n# fencepost is good\n# fencepost: hello\n", ""},
		{"k.py", "# fencepost: ignore[FP101] last line", "1:1→1 [FP101] last line"},
	} {
		var got []string
		for _, s := range Suppressions(&File{Name: test.name, Data: []byte(test.text)}) {
			if s.Malformed != "" {
				got = append(got, "!"+s.Malformed)
				continue
			}
			got = append(got, fmt.Sprintf("%d:%d→%d %v %s", s.Line, s.Column, s.Target, s.Rules, s.Reason))
		}
		all := strings.Join(got, "|")
		if bad, ok := strings.CutPrefix(test.want, "!"); ok && strings.HasPrefix(all, "!") && strings.Contains(all, bad) {
			continue
		}
		if all != test.want {
			t.Errorf("%q: %q, want %q", test.text, all, test.want)
		}
	}
}

// A long line full of markers must not cost quadratic time; were it to, this test would run for minutes.
func TestSuppressionsHostileLine(t *testing.T) {
	for _, unit := range []string{"/*fencepost:", "//fencepost:ignored", "/*fencepost: x", "fencepost:"} {
		text := strings.Repeat(unit, MaxFileSize/2/len(unit)) + strings.Repeat(" ", MaxFileSize/2)
		if got := Suppressions(&File{Name: "k.cu", Data: []byte(text)}); len(got) != 0 {
			t.Errorf("%q: %d suppressions", unit, len(got))
		}
	}
}

func FuzzSuppressions(f *testing.F) {
	f.Add("k.py", "# fencepost: ignore[FP101] a\nx")
	f.Add("k.cu", "/* fencepost: ignore[FP101] a */ // fencepost: ignore[")
	f.Fuzz(func(t *testing.T, name, text string) {
		file := Decode(name, []byte(text))
		for _, s := range Suppressions(file) {
			if s.Line < 1 || s.Line > file.Lines() || s.Target < s.Line || s.Target > file.Lines() || s.Column < 1 {
				t.Fatalf("%q: %+v is outside of the file", text, s)
			}
			if s.Malformed == "" && (s.Reason == "" || len(s.Rules) == 0) {
				t.Fatalf("%q: %+v suppresses without a rule and a reason", text, s)
			}
		}
	})
}

func TestSuppress(t *testing.T) {
	for _, c := range []struct{ name, before, want string }{
		{"k.py", "a()\nwait(gate, 0)\nb()\n", "a()\nwait(gate, 0)  # fencepost: ignore[FP101] why\nb()\n"},
		{"k.py", "a()\nwait(gate, 0) # spins \r\nb()\r\n", "a()\nwait(gate, 0) # spins  # fencepost: ignore[FP101] why \r\nb()\r\n"},
		{"k.py", "a()\nwait(gate, 0)  # fencepost: ignore[FP102] drained\n", "a()\nwait(gate, 0)  # fencepost: ignore[FP102, FP101] drained\n"},
		{"k.py", "# fencepost: ignore[FP102] drained\nwait(gate, 0)\n", "# fencepost: ignore[FP102, FP101] drained\nwait(gate, 0)\n"},
		{"k.py", "a()\n  wait(gate, \\\r\n    0)\r\n", "a()\n  # fencepost: ignore[FP101] why\r\n  wait(gate, \\\r\n    0)\r\n"},
		{"k.py", "a()\nasm(\"\"\"x\ny\"\"\")", "a()\n# fencepost: ignore[FP101] why\nasm(\"\"\"x\ny\"\"\")"},
		{"k.cu", "a();\nwait();", "a();\nwait();  // fencepost: ignore[FP101] why"},
		{"k.cu", "#define W \\\n  wait(); \\\n  b()\n", "#define W \\\n  wait(); /* fencepost: ignore[FP101] why */ \\\n  b()\n"},
		// No place, or nothing to do.
		{"k.py", "a(1, \\\n  \"\"\"x\ny\"\"\")\n", ""},
		{"k.py", "a()\n\n", ""},
		{"k.py", "a()\n", ""},
		{"k.py", "a()\nwait(gate, 0)  # fencepost: ignore[FP101] drained\n", ""},
		{"k.py", "a()\nwait(gate, 0)  # fencepost: ignore\n", ""},
	} {
		f := &File{Name: c.name, Data: []byte(c.before)}
		at, text, ok := Suppress(f, 2, "FP101", "why")
		got := ""
		if ok {
			got = c.before[:at] + text + c.before[at:]
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.before, got, c.want)
		}
	}
}
