package spin

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

func TestLexRefuses(t *testing.T) {
	var b bytes.Buffer
	if err := Print(&b, ring(2, 3, 2, false)); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	if err := Lex(good); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"", "c_code { system }", good + "c_code", "#include\n" + good, strings.Replace(good, "do\n", "do\n:: c_code{system(\"id\")}\n", 1),
		strings.Replace(good, "v_n0", "linux", 1), strings.Replace(good, "skip", "printf(1)", 1), strings.Replace(good, "v_n0", "v_n0 /* */", 1),
		strings.Replace(good, "->", "\\\n->", 1), strings.Replace(good, "d_step", "c_expr", 1), strings.Replace(good, "assert(", "assert(v_n0 + ", 1),
		"byte v_n0;\n", "byte byte;" + good, good + good, strings.Repeat("(", 1<<16), "int v_n0 = 1;\n" + good,
		strings.Replace(good, "(", strings.Repeat("(", 1000), 1),
	} {
		if Lex(bad) == nil {
			t.Errorf("accepted: %.200q", bad)
		}
	}
}

var alphabet = regexp.MustCompile(`^[a-z0-9_ \n(){}\[\];:=<>!&|%+-]*$`)

// checkPrint holds the printer to its alphabet and its own grammar on a random protocol with names from a stranger.
func checkPrint(t *testing.T, seed int) {
	t.Helper()
	p := strange(seed)
	var out bytes.Buffer
	if err := Print(&out, p); err != nil {
		return // refused, nothing printed
	}
	if !alphabet.MatchString(out.String()) {
		t.Errorf("the model has other characters than ours:\n%s", out.String())
	}
	if err := Lex(out.String()); err != nil {
		t.Errorf("%v in\n%s", err, out.String())
	}
}

func TestPrintIsInItsGrammar(t *testing.T) {
	for seed := range 500 {
		checkPrint(t, seed)
	}
}

func FuzzPrint(f *testing.F) {
	f.Add(1)
	f.Add(-84)
	f.Fuzz(checkPrint)
}

func FuzzLex(f *testing.F) {
	var b bytes.Buffer
	if err := Print(&b, counter(2, 2)); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Add("byte v_n0;\nactive proctype v_m0() {\nd_step { skip };\ndo\n:: d_step { 1 -> c_code }\nod\n}\n")
	f.Fuzz(func(t *testing.T, text string) {
		if Lex(text) != nil {
			return
		}
		if !alphabet.MatchString(text) || strings.Contains(text, "c_") || strings.Contains(text, "printf") {
			t.Errorf("accepted %q", text)
		}
	})
}
