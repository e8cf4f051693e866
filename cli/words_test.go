package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
)

// TestTutorial: the kernels of the tutorial are what it says of them, in the order in which they stand there.
func TestTutorial(t *testing.T) {
	page, err := os.ReadFile("../site/pages/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	kernels := regexp.MustCompile("(?s)```cuda\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(kernels) != 2 {
		t.Fatalf("%d kernels, want 2", len(kernels))
	}
	for i, want := range []struct {
		code int
		text string
	}{{ExitFindings, "error[FP403]: "}, {ExitClean, "  holds         scale.cu:1 scale\n"}} {
		r := invoke(t, write(t, map[string]string{"scale.cu": kernels[i][1]}), nil, "check", "--engine", "explore", "--color", "never", "scale.cu")
		if r.code != want.code || !strings.Contains(r.stdout, want.text) {
			t.Errorf("kernel %d: exit code %d\n%s%s", i+1, r.code, r.stdout, r.stderr)
		}
	}
	for _, flag := range regexp.MustCompile("--[a-z-]+").FindAllString(string(page), -1) {
		if !strings.Contains(checkUsage, flag+" ") {
			t.Errorf("check has no flag %s", flag)
		}
	}
}

// TestVerbose: bounds, engines and times are told with -v; that a kernel holds within bounds, always.
func TestVerbose(t *testing.T) {
	dir := write(t, map[string]string{"wrong.cu": wrong, "zero.py": zeroCount, "right.cu": right})
	brief := invoke(t, dir, nil, "check", "--engine", "explore", "--no-cache", "--color", "never")
	all := invoke(t, dir, nil, "check", "--engine", "explore", "--no-cache", "--color", "never", "-v")
	by := regexp.MustCompile(`by [a-z]+(?: and [a-z]+)?, \d+ states?, [\d.]+ ms`)
	if by.MatchString(brief.stdout) || !by.MatchString(all.stdout) {
		t.Errorf("brief:\n%s\nall:\n%s", brief.stdout, all.stdout)
	}
	if !strings.Contains(brief.stdout, "within ") || len(all.stdout) <= len(brief.stdout) {
		t.Errorf("brief:\n%s\nall:\n%s", brief.stdout, all.stdout)
	}
}

// TestExplainsProperties: the names in reports for machines have a page, and reports for people have the words.
func TestExplainsProperties(t *testing.T) {
	for _, p := range finding.Properties {
		r := invoke(t, t.TempDir(), nil, "explain", p.Name)
		if r.code != ExitClean || !strings.Contains(r.stdout, p.Text) {
			t.Errorf("%s: exit code %d\n%s%s", p.Name, r.code, r.stdout, r.stderr)
		}
	}
}

// TestLSPPage: the settings in the page start what there is, with flags that it has.
func TestLSPPage(t *testing.T) {
	page, err := os.ReadFile("../docs/lsp.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`cmd = { "fencepost", "lsp" }`, `command = "fencepost"` + "\n" + `args = ["lsp"]`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %s", want)
		}
	}
	for _, flag := range regexp.MustCompile("`(--[a-z-]+)").FindAllStringSubmatch(string(page), -1) {
		if flag[1] != "--fix" && !strings.Contains(lspUsage, flag[1]) {
			t.Errorf("lsp has no flag %s", flag[1])
		}
	}
	if r := invoke(t, t.TempDir(), nil, "lsp", "--stdio", "x.cu"); r.code != ExitUsage || !strings.Contains(r.stderr, "lsp takes no argument") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	if r := invoke(t, t.TempDir(), nil, "lsp", "--pause", "-1s"); r.code != ExitUsage || !strings.Contains(r.stderr, "--pause") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	if r := invoke(t, t.TempDir(), nil, "help", "lsp"); r.code != ExitClean || r.stdout != lspUsage {
		t.Errorf("exit code %d: %s", r.code, r.stdout)
	}
}
