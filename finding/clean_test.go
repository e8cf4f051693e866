package finding

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, µ and 漢字 😀": "plain text, µ and 漢字 😀",
		"gate::kernel(a)":        "gate::kernel(a)",
		"::error::x":             `\::error::x`,
		" \t::set-output::x":     `  \::set-output::x`,
		"\u00a0\u3000::error::":  "\u00a0\u3000\\::error::",
		"\u2028::error::":        "\uFFFD::error::",
		"x ##[error]y ##[group]": `x ##\[error]y ##\[group]`,
		"a\x1b[31mred":           "a␛[31mred",
		"a\r\n::error::b":        "a␍␊::error::b",
		"\u009b31m":              "\uFFFD31m",
		"if \u202e x \u2066":     "if \uFFFD x \uFFFD",
		"z\u200bw\ufeff\u00ad":   "z\uFFFDw\uFFFD\uFFFD",
		"\xff\xfe":               "\uFFFD\uFFFD",
		"\x00\x7f":               "␀␡",
		"tag\U000E0041":          "tag\uFFFD",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

// checkClean fails if a line of a log would reach the terminal or the runner as more than text.
func checkClean(t *testing.T, line string) {
	t.Helper()
	for _, r := range line {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			t.Fatalf("%q holds %U", line, r)
		}
	}
	if !utf8.ValidString(line) || strings.Contains(line, "##[") || strings.HasPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::") {
		t.Fatalf("%q is a command", line)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{" ::error::x", "##[##[error]", "\x1b]0;title\a", "\u202e", "#\u200b#["} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Clean(s)
		checkClean(t, once)
		if Clean(once) != once {
			t.Fatalf("Clean(Clean(%q)) differs", s)
		}
	})
}

func FuzzEscapeJSON(f *testing.F) {
	f.Add("##[error]x\x1b\u202e\U000E0041\x7f")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		encoded, err := json.Marshal([]string{s})
		if err != nil {
			t.Fatal(err)
		}
		out := EscapeJSON(encoded)
		checkClean(t, string(out))
		var back []string
		if err := json.Unmarshal(out, &back); err != nil || back[0] != s {
			t.Fatalf("%q became %q: %q, %v", s, out, back, err)
		}
	})
}
