package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/lsp/lsptest"
	"github.com/fencepost-dev/fencepost/source"
)

type object = lsptest.Object

// fake checks as the words of a file say: BUG is a finding whose repair is to write OK, SIDE another place of it in side.cu, LATE a check
// that ends only when it is told to, FAIL and PANIC none.
func fake(begun chan<- string) func(context.Context, *source.Tree, string) (finding.Report, error) {
	return func(ctx context.Context, tree *source.Tree, name string) (r finding.Report, err error) {
		f, err := tree.Read(name)
		if err != nil {
			return r, err
		}
		if begun != nil {
			begun <- string(f.Data)
		}
		text := string(f.Data)
		switch {
		case strings.Contains(text, "LATE"):
			<-ctx.Done()
			return r, ctx.Err()
		case strings.Contains(text, "FAIL"):
			return r, errors.New("the configuration is wrong")
		case strings.Contains(text, "PANIC"):
			panic("no way on")
		}
		r.Summary.Files = 1
		comments := source.Suppressions(f)
		for at := 0; ; {
			i := strings.Index(text[at:], "BUG")
			if i < 0 {
				break
			}
			at += i + 3
			from, to := f.Position(at-3), f.Position(at)
			where := finding.Location{Path: name, Line: from.Line, Column: from.Column, EndLine: to.Line, EndColumn: to.Column}
			found := finding.Finding{Rule: "FP101", Name: "bug", Severity: finding.Error, Verdict: "violated", Location: where, Message: "it hangs",
				Identity: fmt.Sprint(at), Trace: []finding.Step{{Location: where, Actor: "thread 0", Text: "waits"}},
				Fix: &finding.Fix{Text: "write OK", Edits: []finding.Edit{{Location: where, Text: "OK"}}}}
			if _, err := tree.Read("side.cu"); err == nil {
				found.Labels = []finding.Label{{Location: finding.Location{Path: "side.cu", Line: 2, Column: 3, EndLine: 2, EndColumn: 5}, Text: "the other side"}}
			}
			r.Findings = append(r.Findings, found)
		}
		r.Findings, _, _ = finding.Suppress(r.Findings, map[string][]source.Suppression{name: comments})
		r.Kernels = []finding.Kernel{{Path: name, Line: 1, Name: "copy_all", Verdict: "holds"}}
		return r, nil
	}
}

// session is a client with a server.
type session struct {
	*lsptest.Client
	t    *testing.T
	root string
	code chan int
}

func serve(t *testing.T, root string, begun chan<- string) *session {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	s := &session{lsptest.New(t, toServer, fromServer), t, root, make(chan int, 1)}
	go func() {
		s.code <- Serve(context.Background(), in, out, Options{Version: "v1", Check: fake(begun), Pause: time.Millisecond,
			Page: func(rule string) string { return map[string]string{"FP101": "# FP101: bug\n"}[rule] }})
		in.Close()
		out.Close()
	}()
	t.Cleanup(func() { toServer.Close() })
	return s
}

var capabilities = object{
	"textDocument": object{
		"publishDiagnostics": object{"relatedInformation": true},
		"codeAction":         object{"codeActionLiteralSupport": object{}},
		"hover":              object{"contentFormat": []string{"markdown"}},
	},
	"workspace": object{"workspaceEdit": object{"documentChanges": true}},
}

// begin initializes a session with a folder that has files.
func begin(t *testing.T, files map[string]string, encodings ...string) *session {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, root, nil)
	can := object{"general": object{"positionEncodings": encodings}}
	for key, value := range capabilities {
		can[key] = value
	}
	s.Call("initialize", object{"processId": nil, "rootUri": toURI(root), "capabilities": can})
	s.Notify("initialized", object{})
	return s
}

func (s *session) uri(name string) string { return toURI(filepath.Join(s.root, name)) }

func (s *session) ended(want int) {
	s.t.Helper()
	if code := <-s.code; code != want {
		s.t.Errorf("exit code %d, want %d", code, want)
	}
}

func (s *session) fails(m lsptest.Message, code int, words string) {
	s.t.Helper()
	if m.Error == nil || m.Error.Code != code || !strings.Contains(m.Error.Message, words) || m.Result != nil {
		s.t.Errorf("got %+v %s, want error %d with %q", m.Error, m.Result, code, words)
	}
}

func TestLifecycle(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	s.fails(s.Call("textDocument/hover", object{}), serverNotInitialized, "initialize")
	s.fails(s.Call("shutdown", nil), serverNotInitialized, "initialize")
	s.Open("file:///k.cu", 1, "BUG") // dropped
	m := s.Call("initialize", object{"processId": nil, "rootUri": toURI(s.root), "capabilities": object{}})
	for _, want := range []string{`"positionEncoding":"utf-16"`, `"change":2`, `"hoverProvider":true`, `"codeActionKinds":["quickfix"]`, `"name":"fencepost","version":"v1"`} {
		if !strings.Contains(string(m.Result), want) {
			t.Errorf("%s has no %s", m.Result, want)
		}
	}
	s.fails(s.Call("initialize", object{}), invalidRequest, "already")
	s.fails(s.Call("textDocument/rename", object{}), methodNotFound, "textDocument/rename")
	s.fails(s.Call("$/unknown", object{}), methodNotFound, "$/unknown")
	s.Notify("$/unknown", nil)
	s.Notify("textDocument/unknown", nil)
	s.Send(object{"jsonrpc": "2.0", "id": "watch", "result": nil}) // an answer to nothing
	if m := s.Call("shutdown", nil); m.Error != nil || string(m.Result) != "null" {
		t.Errorf("shutdown: %s, %+v", m.Result, m.Error)
	}
	s.fails(s.Call("textDocument/hover", object{}), invalidRequest, "shut down")
	s.Open(s.uri("k.cu"), 1, "BUG")
	s.Notify("exit", nil)
	s.ended(0)
}

func TestEndsWithoutShutdown(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	s.Notify("exit", nil)
	s.ended(1)
	s = begin(t, nil)
	s.Open(s.uri("k.cu"), 1, "LATE") // it is running then
	s.Close()
	s.ended(1)
}

// What is no message ends the server with a word about it; a message that is wrong costs its answer alone.
func TestMalformed(t *testing.T) {
	for raw, want := range map[string]string{
		"Content-Length: 99999999999\r\n\r\n{}":                              "at most",
		"Content-Length: 99999999999999999999999999\r\n\r\n":                 "no length",
		"Content-Length: -1\r\n\r\n":                                         "no length",
		"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}":                   "no length",
		"Content-Type: x\r\n\r\n{}":                                          "no Content-Length",
		"GET / HTTP/1.1\r\n\r\n":                                             "no header field",
		"X: " + strings.Repeat("x", 1<<20):                                   "too long",
		strings.Repeat("X: y\r\n", 1000):                                     "too long",
		"Content-Length: 2\r\n\r\n{}Content-Length: 1000000\r\n\r\n{\"a\":1": "the input ends after 6 bytes",
		"Content-Length: 2\r\n":                                              "the input ends inside",
	} {
		s := serve(t, t.TempDir(), nil)
		s.Raw(raw)
		s.Close()
		m := s.Await("an error", func(m lsptest.Message) bool { return m.Error != nil && m.Error.Code == parseError })
		if !strings.Contains(m.Error.Message, want) || string(m.ID) != "null" {
			t.Errorf("%.40q: %s, want %q", raw, m.Error.Message, want)
		}
		s.ended(1)
	}
	s := begin(t, nil)
	for _, c := range []struct {
		body string
		code int
	}{
		{"{", parseError},
		{"\xff\xfe", parseError},
		{"", parseError},
		{strings.Repeat("[", 100_000), parseError},
		{`[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]`, invalidRequest},
		{`{"jsonrpc":"2.0"}`, invalidRequest},
		{`{"jsonrpc":"2.0","id":{},"method":"shutdown"}`, invalidRequest},
		{`{"jsonrpc":"2.0","id":null,"method":"shutdown"}`, invalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, invalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":[]}`, invalidParams},
		{`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"position":{"line":1e99}}}`, invalidParams},
	} {
		s.Raw(fmt.Sprintf("content-length:%d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n%s", len(c.body), c.body))
		m := s.Await("an error", func(m lsptest.Message) bool { return m.Error != nil })
		if m.Error.Code != c.code {
			t.Errorf("%.60q: %+v, want %d", c.body, m.Error, c.code)
		}
	}
	s.Notify("textDocument/didOpen", object{"textDocument": 5})
	s.Log(func(text string) bool {
		return strings.Contains(text, "textDocument/didOpen: the parameters are wrong")
	})
	for _, extreme := range []int{-1, 1 << 40} { // places that are none
		s.Open(s.uri("k.cu"), 1, "BUG\n")
		at := object{"line": extreme, "character": extreme}
		s.Change(s.uri("k.cu"), 2, object{"range": object{"start": at, "end": object{"line": 0, "character": 0}}, "text": ""})
		s.Call("textDocument/hover", object{"textDocument": object{"uri": s.uri("k.cu")}, "position": at})
		s.Notify("textDocument/didClose", object{"textDocument": object{"uri": s.uri("k.cu")}})
	}
	if m := s.Call("shutdown", nil); m.Error != nil {
		t.Error(m.Error)
	}
}

func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		offered []string
		chosen  string
		column  int // behind 🚧é
	}{
		{nil, "utf-16", 3},
		{[]string{"utf-7", "utf-8", "utf-16"}, "utf-8", 6},
		{[]string{"utf-32"}, "utf-32", 2},
		{[]string{"utf-7"}, "utf-16", 3},
	} {
		s := begin(t, nil, c.offered...)
		s.Open(s.uri("k.cu"), 1, "a\r\r\n🚧é\n🚧é")
		s.Published(s.uri("k.cu"), 1)
		from, to := object{"line": 2, "character": c.column}, object{"line": 2, "character": 1000}
		s.Change(s.uri("k.cu"), 2, object{"range": object{"start": from, "end": to}, "text": "BUG 🚧"},
			object{"range": object{"start": object{"line": 3, "character": c.column}, "end": object{"line": 9, "character": 0}}, "text": "BUG"})
		got := s.Published(s.uri("k.cu"), 2)
		if len(got) != 2 {
			t.Fatalf("%s: %+v", c.chosen, got)
		}
		for i, d := range got {
			want := lsptest.Range{Start: lsptest.Position{Line: 2 + i, Character: c.column}, End: lsptest.Position{Line: 2 + i, Character: c.column + 3}}
			if d.Range != want {
				t.Errorf("%s: diagnostic %d at %+v, want %+v", c.chosen, i, d.Range, want)
			}
		}
	}
}

func TestDiagnostics(t *testing.T) {
	s := begin(t, map[string]string{"k.cu": "__global__ void copy_all()\n", "side.cu": "line\nabcdef\n"})
	uri := s.uri("k.cu")
	s.Open(uri, 1, "__global__ void copy_all()\nBUG\n") // not what is on the disk
	got := s.Published(uri, 1)
	if len(got) != 1 {
		t.Fatalf("%+v", got)
	}
	d := got[0]
	if d.Severity != 1 || d.Code != "FP101" || d.Source != "fencepost" || d.CodeDescription == nil || !strings.HasSuffix(d.CodeDescription.Href, "/rules/doc/FP101.md") ||
		!strings.HasPrefix(d.Message, "it hangs (violated)\nfix") || len(d.Data) == 0 {
		t.Errorf("%+v", d)
	}
	if len(d.RelatedInformation) != 1 || d.RelatedInformation[0].Location.URI != s.uri("side.cu") || d.RelatedInformation[0].Message != "the other side" ||
		d.RelatedInformation[0].Location.Range != (lsptest.Range{Start: lsptest.Position{Line: 1, Character: 2}, End: lsptest.Position{Line: 1, Character: 4}}) {
		t.Errorf("%+v", d.RelatedInformation)
	}
	// What cannot be checked does not look clean.
	for _, c := range []struct{ text, want string }{{"FAIL", "not checked: the configuration is wrong"}, {"PANIC", "not checked: internal error: no way on"}} {
		s.Change(uri, 2, object{"text": c.text})
		if got := s.Published(uri, 2); len(got) != 1 || !strings.HasPrefix(got[0].Message, c.want) || got[0].Severity != 1 {
			t.Errorf("%s: %+v", c.text, got)
		}
	}
	s.Change(uri, 3, object{"text": strings.Repeat("BUG\n", maxFindings+3)})
	if got := s.Published(uri, 3); len(got) != maxFindings+1 ||
		!slices.ContainsFunc(got, func(d lsptest.Diagnostic) bool { return d.Message == "3 more findings are not told" && d.Severity == 3 }) {
		t.Errorf("%d diagnostics, the first %+v", len(got), got[0])
	}
	s.Notify("textDocument/didClose", object{"textDocument": object{"uri": uri}})
	if got := s.Published(uri, -1); len(got) != 0 {
		t.Errorf("closed, and there are %+v", got)
	}
}

// A newer change ends a check that runs.
func TestNewerChangeCancels(t *testing.T) {
	begun := make(chan string, 10)
	root := t.TempDir()
	s := serve(t, root, begun)
	s.Call("initialize", object{"rootUri": toURI(root), "capabilities": capabilities})
	s.Open(s.uri("k.cu"), 1, "LATE")
	if text := <-begun; text != "LATE" {
		t.Errorf("checked %q", text)
	}
	s.Change(s.uri("k.cu"), 2, object{"text": "BUG"})
	if got := s.Published(s.uri("k.cu"), 2); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	// So does closing it, and what waits behind it has its turn.
	s.Change(s.uri("k.cu"), 3, object{"text": "LATE 3"})
	for text := range begun {
		if text == "LATE 3" {
			break
		}
	}
	s.Open(s.uri("l.cu"), 1, "BUG BUG")
	s.Notify("textDocument/didClose", object{"textDocument": object{"uri": s.uri("k.cu")}})
	if got := s.Published(s.uri("l.cu"), 1); len(got) != 2 {
		t.Errorf("%+v", got)
	}
}

// A check that takes long is told of.
func TestProgress(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	s.Call("initialize", object{"rootUri": toURI(s.root), "capabilities": object{"window": object{"workDoneProgress": true}}})
	s.Open(s.uri("k.cu"), 1, "LATE")
	asked := s.Await("a progress", func(m lsptest.Message) bool { return m.Method == "window/workDoneProgress/create" })
	s.Send(object{"jsonrpc": "2.0", "id": asked.ID, "result": nil})
	told := func(want string) {
		t.Helper()
		m := s.Await(want, func(m lsptest.Message) bool { return m.Method == "$/progress" })
		if !strings.Contains(string(m.Params), want) {
			t.Errorf("%s, want %s", m.Params, want)
		}
	}
	told(`"kind":"begin","title":"checking k.cu"`)
	s.Notify("textDocument/didClose", object{"textDocument": object{"uri": s.uri("k.cu")}})
	told(`"kind":"end"`)
	s.Close()
	s.ended(1)
}

type action struct {
	Title, Kind string
	IsPreferred bool
	Diagnostics []lsptest.Diagnostic
	Edit        struct {
		DocumentChanges []struct {
			TextDocument struct {
				URI     string
				Version *int
			}
			Edits []struct {
				Range   lsptest.Range
				NewText string
			}
		}
	}
}

func TestHoverAndActions(t *testing.T) {
	s := begin(t, nil)
	uri := s.uri("k.cu")
	document := object{"uri": uri}
	hovered := func(line, character int) string {
		t.Helper()
		return lsptest.Result[struct{ Contents struct{ Kind, Value string } }](s.Client, "textDocument/hover",
			object{"textDocument": document, "position": object{"line": line, "character": character}}).Contents.Value
	}
	asked := func(from, to int, context object) []action {
		t.Helper()
		return lsptest.Result[[]action](s.Client, "textDocument/codeAction", object{"textDocument": document, "context": context,
			"range": object{"start": object{"line": from, "character": 0}, "end": object{"line": to, "character": 99}}})
	}
	s.Open(uri, 1, "__global__ void copy_all()\nx(); BUG\n")
	given := s.Published(uri, 1)
	text := hovered(1, 6)
	for _, want := range []string{"**error** FP101 bug", "it hangs (violated)", "counterexample (1 step)", "1. thread 0, line 2: waits", "# FP101: bug"} {
		if !strings.Contains(text, want) {
			t.Errorf("the hover has no %q:\n%s", want, text)
		}
	}
	if text := hovered(1, 0); text != "" {
		t.Errorf("beside it: %s", text)
	}
	if text := hovered(0, 5); !strings.Contains(text, "**holds**") || !strings.Contains(text, "kernel copy_all") {
		t.Errorf("on the kernel: %s", text)
	}
	actions := asked(1, 1, object{"diagnostics": []object{}})
	if len(actions) != 2 || !actions[0].IsPreferred || actions[0].Title != "Fix FP101: write OK" || actions[1].Title != "Suppress FP101 on this line" || len(actions[1].Diagnostics) != 1 {
		t.Fatalf("%+v", actions)
	}
	for i, want := range []string{"OK", "  // fencepost: ignore[FP101] " + reason} {
		change := actions[i].Edit.DocumentChanges[0]
		if change.TextDocument.URI != uri || *change.TextDocument.Version != 1 || change.Edits[0].NewText != want || actions[i].Kind != quickFix {
			t.Errorf("%+v, want %q", change, want)
		}
	}
	if got := asked(0, 0, object{"diagnostics": []object{}}); len(got) != 0 {
		t.Errorf("elsewhere: %+v", got)
	}
	if got := asked(0, 0, object{"diagnostics": []object{{"data": given[0].Data}, {"data": 5}, {}}}); len(got) != 2 {
		t.Errorf("by the data of the diagnostic: %+v", got)
	}
	if got := asked(1, 1, object{"diagnostics": []object{}, "only": []string{"refactor"}}); len(got) != 0 {
		t.Errorf("refactor: %+v", got)
	}
	// Applied, there is nothing left.
	s.Change(uri, 2, object{"range": actions[1].Edit.DocumentChanges[0].Edits[0].Range, "text": actions[1].Edit.DocumentChanges[0].Edits[0].NewText})
	if got := s.Published(uri, 2); len(got) != 0 {
		t.Errorf("suppressed: %+v", got)
	}
	// While a newer text is not checked, what was found moves with it, and a repair that was tried on another text is none.
	s.Change(uri, 3, object{"text": "__global__ void copy_all()\nx(); BUG\n"})
	s.Published(uri, 3)
	s.Change(uri, 4, object{"range": object{"start": object{"line": 0, "character": 0}, "end": object{"line": 0, "character": 0}}, "text": "/* LATE */\n"})
	if text := hovered(2, 6); !strings.Contains(text, "it hangs") {
		t.Errorf("moved: %q", text)
	}
	if got := asked(2, 2, object{"diagnostics": []object{}}); len(got) != 1 || got[0].Title != "Suppress FP101 on this line" || got[0].Edit.DocumentChanges[0].Edits[0].Range.Start.Line != 2 {
		t.Errorf("moved: %+v", got)
	}
	s.Change(uri, 5, object{"text": "/* LATE */\n__global__ void copy_all()\nx(); BxG\n"})
	if text := hovered(2, 6); text != "" {
		t.Errorf("edited: %q", text)
	}
}

// Nothing is read by a URI, and nothing outside of the folders that are open is checked.
func TestOutside(t *testing.T) {
	s := begin(t, nil)
	for uri, want := range map[string]string{
		"file:///etc/passwd":            "outside of",
		s.uri("../k.cu"):                "outside of",
		toURI(s.root) + "/../" + "l.cu": "outside of",
		"file://elsewhere/k.cu":         "names no file",
		"untitled:Untitled-1":           "names no file",
		"http://localhost/k.cu":         "names no file",
		"file:k.cu":                     "absolute",
		"%zz":                           "names no file",
		toURI(filepath.Dir(s.root)) + "/%00/k%2e%2e/.cu": "NUL",
	} {
		s.Open(uri, 1, "BUG")
		text := s.Log(func(text string) bool { return strings.Contains(text, "didOpen") })
		if !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %q", uri, text, want)
		}
		m := s.Call("textDocument/hover", object{"textDocument": object{"uri": uri}, "position": object{"line": 0, "character": 0}})
		if m.Error != nil || string(m.Result) != "null" {
			t.Errorf("%s: hover: %s %+v", uri, m.Result, m.Error)
		}
		if m := s.Call("textDocument/codeAction", object{"textDocument": object{"uri": uri}}); string(m.Result) != "[]" {
			t.Errorf("%s: code actions: %s %+v", uri, m.Result, m.Error)
		}
	}
}

func TestFolders(t *testing.T) {
	root := t.TempDir()
	s := serve(t, root, nil)
	s.Call("initialize", object{"rootUri": nil, "workspaceFolders": nil, "capabilities": capabilities})
	s.Open(s.uri("k.cu"), 1, "BUG") // its own folder is its tree
	if got := s.Published(s.uri("k.cu"), 1); len(got) != 1 {
		t.Errorf("without a folder: %+v", got)
	}
	other := t.TempDir()
	folders := func(added, removed []object) {
		s.Notify("workspace/didChangeWorkspaceFolders", object{"event": object{"added": added, "removed": removed}})
	}
	folder := func(path string) []object { return []object{{"uri": toURI(path), "name": "x"}} }
	folders(folder(other), nil)
	s.Open(toURI(filepath.Join(other, "l.cu")), 7, "BUG")
	if got := s.Published(toURI(filepath.Join(other, "l.cu")), 7); len(got) != 1 {
		t.Errorf("an added folder: %+v", got)
	}
	folders(folder(root), folder(other))
	if got := s.Published(toURI(filepath.Join(other, "l.cu")), -1); len(got) != 0 {
		t.Errorf("a removed folder: %+v", got)
	}
	if got := s.Published(s.uri("k.cu"), 1); len(got) != 1 {
		t.Errorf("moved to an added folder: %+v", got)
	}
	s.Call("shutdown", nil)
	s.Notify("exit", nil)
	s.ended(0)
}

// Files that others change are asked about, and what is open is checked again then.
func TestWatchedFiles(t *testing.T) {
	root := t.TempDir()
	s := serve(t, root, nil)
	s.Call("initialize", object{"rootUri": toURI(root), "capabilities": object{"workspace": object{"didChangeWatchedFiles": object{"dynamicRegistration": true}}}})
	s.Notify("initialized", object{})
	m := s.Await("a registration", func(m lsptest.Message) bool { return m.Method == "client/registerCapability" })
	if !strings.Contains(string(m.Params), ".fencepost.{yaml,yml}") || len(m.ID) == 0 {
		t.Errorf("%s", m.Params)
	}
	s.Send(object{"jsonrpc": "2.0", "id": m.ID, "result": nil})
	s.Open(s.uri("k.cu"), 1, "BUG")
	if got := s.Published(s.uri("k.cu"), 1); len(got) != 1 || len(got[0].RelatedInformation) != 0 {
		t.Errorf("%+v", got)
	}
	if err := os.WriteFile(filepath.Join(root, "side.cu"), []byte("a\nb = 1;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.Notify("workspace/didChangeWatchedFiles", object{"changes": []object{{"uri": s.uri("side.cu"), "type": 1}}})
	if got := s.Published(s.uri("k.cu"), 1); len(got) != 1 || !strings.Contains(got[0].Message, "side.cu:2:3: the other side") {
		t.Errorf("%+v", got) // a client without relatedInformation has it in words
	}
}

// FuzzServe: whatever a client sends, the server ends by itself when its input does, and without a panic.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		"\n", "{}", `{"jsonrpc":"2.0","id":1,"method":"shutdown"}`,
		`{"method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///t/k.cu","text":"BUG"}}}
{"method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///t/k.cu","version":2},"contentChanges":[{"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":2}},"text":"é\r"}]}}
{"id":"a","method":"textDocument/codeAction","params":{"textDocument":{"uri":"file:///t/k.cu"},"range":{}}}
{"id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///t/k.cu"}}}
{"method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///t/k.cu"}}}`,
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, raw bool) {
		var in bytes.Buffer
		start, _ := json.Marshal(object{"id": 0, "method": "initialize", "params": object{"rootUri": toURI(root), "capabilities": capabilities}})
		fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(start), start)
		if raw {
			in.Write(data)
		} else {
			for _, line := range bytes.Split(bytes.ReplaceAll(data, []byte("file:///t"), []byte(toURI(root))), []byte("\n")) {
				fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(line), line)
			}
		}
		var out bytes.Buffer
		Serve(context.Background(), &in, &out, Options{Check: fake(nil), Page: func(string) string { return "" }})
		if bytes.Contains(out.Bytes(), []byte("internal error: runtime error")) {
			t.Errorf("%s", out.Bytes())
		}
		for r := bufio.NewReader(&out); ; {
			body, err := readFrame(r)
			if err == io.EOF {
				break
			}
			if err != nil || !json.Valid(body) {
				t.Fatalf("the server wrote %s (%v)", body, err)
			}
		}
	})
}
