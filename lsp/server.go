// Package lsp is the language server: it keeps the documents that an editor has open, has them checked as they stand there, and tells
// what was found in the terms of the Language Server Protocol 3.17. What a check is, it is given.
//
// Everything happens in one goroutine, but reading and the one check that runs at a time: a message is answered from what the last
// check found, and waits for none. Input that is no message ends the server, as nothing says where the next message would begin;
// whatever is wrong with a message is its error.
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/source"
)

// Options are what a server is given.
type Options struct {
	Version string
	Root    string        // the one folder that is checked; "" for those that the client has open
	Pause   time.Duration // without a change before what was changed is checked
	Long    time.Duration // that a check takes before the client is told that it runs

	// Check checks the file of that name as the tree has it.
	Check func(ctx context.Context, tree *source.Tree, name string) (finding.Report, error)
	// Page is the page of a rule, as Markdown; "" where there is none.
	Page func(rule string) string
}

// state is how far a client has come.
type state int

const (
	fresh state = iota
	initialized
	down // shut down
)

type server struct {
	Options
	out    io.Writer
	broken error // of writing
	state  state
	client initializeParams
	units  encoding

	folders []*folder
	byURI   map[string]*document
	byPath  map[string]*document
	shown   map[string]string // under which URI a file's diagnostics were told last
	logged  map[string]bool

	queue      []*document // to be checked
	generation int         // of all texts that are checked: fixes were tried with that
	ready      bool        // nothing was changed just now
	pause      *time.Timer
	running    *run
	long       *time.Timer // until a check is told to take long
	checks     int         // that were begun
	results    chan *run
}

// Serve answers one client until it is gone, and returns the exit code that the protocol wants: 0 after shutdown and exit, else 1.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) int {
	s := &server{
		Options: opt, out: out, units: utf16Units,
		byURI: map[string]*document{}, byPath: map[string]*document{}, shown: map[string]string{}, logged: map[string]bool{},
		ready: true, pause: time.NewTimer(time.Hour), long: time.NewTimer(time.Hour), results: make(chan *run, 1),
	}
	s.pause.Stop()
	s.long.Stop()
	defer s.end()
	type frame struct {
		body []byte
		err  error
	}
	frames, done := make(chan frame, 16), make(chan struct{})
	defer close(done)
	go func() {
		reader := bufio.NewReader(in)
		for {
			body, err := readFrame(reader)
			select {
			case frames <- frame{body, err}:
			case <-done:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for s.broken == nil {
		s.next()
		select {
		case <-ctx.Done():
			return 1
		case <-s.pause.C:
			s.ready = true
		case <-s.long.C:
			if s.running != nil && s.client.Capabilities.Window.WorkDoneProgress {
				s.send(call{Version: "2.0", ID: s.running.token, Method: "window/workDoneProgress/create", Params: map[string]string{"token": s.running.token}})
			}
		case r := <-s.results:
			s.finished(r)
		case f := <-frames:
			if f.err == io.EOF {
				return 1 // without exit
			}
			if f.err != nil {
				s.send(response{Version: "2.0", ID: null, Error: failf(parseError, "%v; the server ends", f.err)})
				return 1
			}
			if code, exit := s.receive(f.body); exit {
				return code
			}
		}
	}
	return 1
}

// end stops what runs, and gives it a moment to clean up.
func (s *server) end() {
	if s.running != nil {
		s.running.cancel()
		select {
		case <-s.results:
		case <-time.After(2 * time.Second):
		}
	}
	for _, f := range s.folders {
		f.tree.Close()
	}
}

func (s *server) send(message any) {
	if s.broken == nil {
		s.broken = writeFrame(s.out, message)
	}
}

func (s *server) notify(method string, params any) {
	s.send(call{Version: "2.0", Method: method, Params: params})
}

// log tells the client something that is no finding, once.
func (s *server) log(kind int, text string) {
	const most = 1000
	if len(s.logged) >= most {
		clear(s.logged)
	}
	if !s.logged[text] {
		s.logged[text] = true
		s.notify("window/logMessage", logMessageParams{kind, "fencepost: " + finding.Clean(text)})
	}
}

// receive handles a message; exit is set where it asks for the end.
func (s *server) receive(body []byte) (code int, exit bool) {
	m, fail := readMessage(body)
	switch {
	case fail != nil:
		s.send(response{Version: "2.0", ID: m.ID, Error: fail})
	case m.Method == nil: // the answer to a request of ours
		if r := s.running; r != nil && m.Error == nil && string(m.ID) == strconv.Quote(r.token) {
			r.told = true
			s.notify("$/progress", progressParams{r.token, workDoneProgress{"begin", "checking " + finding.Clean(r.document.name)}})
		}
	case m.ID == nil && *m.Method == "exit":
		if s.state == down {
			return 0, true
		}
		return 1, true
	case m.ID == nil:
		if err := s.notified(*m.Method, m.Params); err != nil {
			s.log(logError, *m.Method+": "+err.Error())
		}
	default:
		answer := response{Version: "2.0", ID: m.ID}
		result, err := s.requested(*m.Method, m.Params)
		if err == nil {
			answer.Result, err = json.Marshal(result)
		}
		if err != nil && !errors.As(err, &answer.Error) {
			answer.Error = failf(internalError, "%v", err)
		}
		s.send(answer)
	}
	return 0, false
}

// recovered makes an error of a panic, so that one message costs its own answer and no more.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = failf(internalError, "internal error: %v (please report it)\n%s", p, debug.Stack())
	}
}

func (s *server) requested(method string, raw json.RawMessage) (result any, err error) {
	defer recovered(&err)
	switch {
	case s.state == down:
		return nil, failf(invalidRequest, "%s: the server was shut down", method)
	case method == "initialize":
		if s.state != fresh {
			return nil, failf(invalidRequest, "the server is initialized already")
		}
		return with(raw, s.initialize)
	case s.state == fresh:
		return nil, failf(serverNotInitialized, "%s: the first request has to be initialize", method)
	}
	switch method {
	case "shutdown":
		s.state = down
		s.cancel()
		s.queue = nil
		return nil, nil
	case "textDocument/hover":
		return with(raw, s.hover)
	case "textDocument/codeAction":
		return with(raw, s.codeActions)
	}
	return nil, failf(methodNotFound, "there is no method %q", method)
}

func (s *server) notified(method string, raw json.RawMessage) (err error) {
	defer recovered(&err)
	if s.state != initialized {
		return nil // to be dropped, as the protocol has it
	}
	switch method {
	case "initialized":
		s.watch()
	case "textDocument/didOpen":
		_, err = with(raw, s.didOpen)
	case "textDocument/didChange":
		_, err = with(raw, s.didChange)
	case "textDocument/didSave":
		_, err = with(raw, s.didSave)
	case "textDocument/didClose":
		_, err = with(raw, s.didClose)
	case "workspace/didChangeWatchedFiles":
		_, err = with(raw, s.didChangeWatchedFiles)
	case "workspace/didChangeWorkspaceFolders":
		_, err = with(raw, s.didChangeWorkspaceFolders)
	}
	return err
}

// with calls a handler with parameters that were read for it.
func with[T any](raw json.RawMessage, handle func(*T) (any, error)) (any, error) {
	p, err := params[T](raw)
	if err != nil {
		return nil, err
	}
	return handle(p)
}

func (s *server) initialize(p *initializeParams) (any, error) {
	s.client, s.state = *p, initialized
	for _, e := range p.Capabilities.General.PositionEncodings { // the one the client likes best
		if e == utf8Units || e == utf16Units || e == utf32Units {
			s.units = e
			break
		}
	}
	folders := p.WorkspaceFolders
	switch {
	case s.Root != "":
		folders = nil
		s.addFolder("", s.Root)
	case len(folders) == 0 && p.RootURI != nil:
		folders = []workspaceFolder{{*p.RootURI}}
	case len(folders) == 0 && p.RootPath != nil && *p.RootPath != "":
		s.addFolder("", *p.RootPath)
	}
	s.addFolders(folders)
	type object map[string]any
	return object{
		"capabilities": object{
			"positionEncoding":   s.units,
			"textDocumentSync":   object{"openClose": true, "change": 2, "save": object{"includeText": false}},
			"hoverProvider":      true,
			"codeActionProvider": object{"codeActionKinds": []string{quickFix}},
			"workspace":          object{"workspaceFolders": object{"supported": true, "changeNotifications": true}},
		},
		"serverInfo": object{"name": "fencepost", "version": s.Version},
	}, nil
}

// watched are the files that a check may read besides those that are open.
var watched = []string{"**/*.{py,cu,cuh,h,hh,hpp,hxx,inl,ptx}", "**/.fencepost.{yaml,yml}", "**/compile_commands.json"}

// watch asks to be told of changes of files.
func (s *server) watch() {
	if !s.client.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		return
	}
	type object map[string]any
	var watchers []object
	for _, pattern := range watched {
		watchers = append(watchers, object{"globPattern": pattern})
	}
	const method = "workspace/didChangeWatchedFiles"
	s.send(call{Version: "2.0", ID: "watch", Method: "client/registerCapability", Params: object{
		"registrations": []object{{"id": "watch", "method": method, "registerOptions": object{"watchers": watchers}}},
	}})
}

// wrong is an error as a finding about a file as a whole.
func wrong(err error) finding.Finding {
	return finding.Finding{Severity: finding.Error, Message: "not checked: " + strings.TrimSpace(fmt.Sprint(err))}
}
