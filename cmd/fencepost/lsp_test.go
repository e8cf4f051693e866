//go:build unix

package main

import (
	"bytes"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fencepost-dev/fencepost/lsp/lsptest"
)

type object = lsptest.Object

// editor starts the program as a language server of a folder with files.
func editor(t *testing.T, files map[string]string, flags ...string) (c *lsptest.Client, uri func(string) string, server *exec.Cmd) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	uri = func(name string) string { return (&url.URL{Scheme: "file", Path: filepath.Join(dir, name)}).String() }
	server = exec.Command(self, append([]string{"lsp", "--pause", "1ms", "--no-cache"}, flags...)...)
	server.Env = append(os.Environ(), "TEST_PROGRAM=1")
	var errs bytes.Buffer
	server.Stderr = &errs
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		if errs.Len() > 0 {
			t.Errorf("the server complains:\n%s", errs.String())
		}
	})
	c = lsptest.New(t, in, out)
	c.Call("initialize", object{"processId": os.Getpid(), "rootUri": uri("."), "capabilities": object{
		"textDocument": object{
			"publishDiagnostics": object{"relatedInformation": true},
			"codeAction":         object{"codeActionLiteralSupport": object{}},
		},
	}})
	c.Notify("initialized", object{})
	return c, uri, server
}

func code(server *exec.Cmd) int {
	server.Wait()
	return server.ProcessState.ExitCode()
}

// TestServesAnEditor: what check finds, as the texts stand in the editor, with the configuration of the folder.
func TestServesAnEditor(t *testing.T) {
	raw, err := os.ReadFile("../../testdata/publish/last_relaxed.cu")
	if err != nil {
		t.Fatal(err)
	}
	relaxed := string(raw)
	const header, kernel = "__device__ inline void meet() { __syncthreads(); }\n", `#include "meet.cuh"
__global__ void some(int* p) {
  if (threadIdx.x < 3) meet();
  p[threadIdx.x] = 1;
}
`
	c, uri, server := editor(t, map[string]string{"last.cu": relaxed, "meet.cuh": header, "some.cu": kernel})

	// A repair that was tried, applied to the text of the editor alone.
	c.Open(uri("last.cu"), 1, relaxed)
	got := c.Published(uri("last.cu"), 1)
	if len(got) != 1 || got[0].Code != "FP304" || got[0].Severity != 1 {
		t.Fatalf("%+v", got)
	}
	at := object{"textDocument": object{"uri": uri("last.cu")}, "position": got[0].Range.Start, "range": got[0].Range, "context": object{"diagnostics": []object{}}}
	hover := lsptest.Result[struct{ Contents struct{ Value string } }](c, "textDocument/hover", at).Contents.Value
	for _, want := range []string{"FP304 publish-without-release", "counterexample (", "# FP304: publish-without-release", "## Bad"} {
		if !strings.Contains(hover, want) {
			t.Errorf("the hover has no %q:\n%s", want, hover)
		}
	}
	type edit struct {
		Range   lsptest.Range
		NewText string
	}
	actions := lsptest.Result[[]struct {
		Title string
		Edit  struct{ Changes map[string][]edit }
	}](c, "textDocument/codeAction", at)
	if len(actions) != 2 || !strings.HasPrefix(actions[0].Title, "Fix FP304: ") || actions[1].Title != "Suppress FP304 on this line" {
		t.Fatalf("%+v", actions)
	}
	for i, action := range actions {
		var changes []object
		for _, e := range action.Edit.Changes[uri("last.cu")] {
			changes = append(changes, object{"range": e.Range, "text": e.NewText})
		}
		c.Change(uri("last.cu"), 10*i+2, changes...)
		if got := c.Published(uri("last.cu"), 10*i+2); len(got) != 0 {
			t.Errorf("after %q: %+v", action.Title, got)
		}
		c.Change(uri("last.cu"), 10*i+3, object{"text": relaxed})
		c.Published(uri("last.cu"), 10*i+3)
	}

	// A function in a header that is changed and not saved; the defect stands in the header, its reason in the kernel.
	c.Open(uri("some.cu"), 1, kernel)
	got = c.Published(uri("meet.cuh"), -1)
	if len(got) != 1 || got[0].Code != "FP403" || len(got[0].RelatedInformation) != 1 || got[0].RelatedInformation[0].Location.URI != uri("some.cu") {
		t.Errorf("%+v", got)
	}
	c.Open(uri("meet.cuh"), 1, header)
	c.Change(uri("meet.cuh"), 2, object{"text": "__device__ inline void meet() {}\n"})
	for len(c.Published(uri("meet.cuh"), 2)) > 0 { // at first there is what the last check found
	}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(strings.TrimPrefix(uri("x"), "file://")), "meet.cuh")); err != nil || string(text) != header {
		t.Errorf("the file was written: %s (%v)", text, err)
	}

	if m := c.Call("shutdown", nil); m.Error != nil {
		t.Error(m.Error)
	}
	c.Notify("exit", nil)
	if code := code(server); code != 0 {
		t.Errorf("exit code %d after shutdown and exit", code)
	}
}

// TestEditorSeesWhatIsUndecided: what was not decided or not read is shown, and the configuration is that of check.
func TestEditorSeesWhatIsUndecided(t *testing.T) {
	const undecided, unread = `__device__ void opaque(int*);
__global__ void k(int* p) {
  __shared__ int s[64];
  s[threadIdx.x] = 1;
  opaque(s);
  __syncthreads();
  p[threadIdx.x] = s[63 - threadIdx.x];
}
`, "__global__ void k() { if (threadIdx.x < 3) __syncthreads( }}} ;\n"
	c, uri, server := editor(t, map[string]string{})
	version := 0
	check := func(name, text string) (codes []string) {
		version++ // what was published before is of another one
		c.Open(uri(name), version, text)
		for _, d := range c.Published(uri(name), version) {
			codes = append(codes, d.Code+" "+map[int]string{1: "error", 2: "warning", 3: "information"}[d.Severity])
		}
		return codes
	}
	if got := check("undecided.cu", undecided); strings.Join(got, ", ") != "FP903 information" {
		t.Errorf("undecided: %q", got)
	}
	if got := check("unread.cu", unread); !strings.Contains(strings.Join(got, ", "), "FP906 information") {
		t.Errorf("unread: %q", got)
	}
	path := filepath.Join(filepath.Dir(strings.TrimPrefix(uri("x"), "file://")), ".fencepost.yaml")
	for config, want := range map[string]string{
		"fail-on: inconclusive\n":  "FP903 error",
		"rules: {FP903: off}\n":    "",
		"rules: {FP903: nonsense}": " error", // in words: it is not checked
		"exclude: ['*.cu']\n":      "",
	} {
		if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
		c.Notify("textDocument/didClose", object{"textDocument": object{"uri": uri("undecided.cu")}})
		if got := check("undecided.cu", undecided); strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", config, got, want)
		}
	}
	server.Process.Signal(syscall.SIGTERM)
	if code := code(server); code != 1 {
		t.Errorf("exit code %d after a signal", code)
	}
}

func TestEditorThatIsGone(t *testing.T) {
	c, _, server := editor(t, nil)
	c.Close()
	if code := code(server); code != 1 {
		t.Errorf("exit code %d at the end of the input", code)
	}
}
