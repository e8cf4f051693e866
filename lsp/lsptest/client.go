// Package lsptest is a client of a language server, for tests. It knows the wire and nothing of the server's code.
package lsptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"testing"
	"time"
)

// Client is one client. What the server sends beside answers is kept until it is asked for.
type Client struct {
	t    *testing.T
	to   io.WriteCloser
	from chan Message
	kept []Message
	id   int
}

// Message is what a server sends.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *Error          `json:"error"`
}

// Error is the error of a response.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// patience is how long a server may take that a test waits for: far longer than it does.
const patience = 2 * time.Minute

// New makes a client that writes to and reads from a server.
func New(t *testing.T, to io.WriteCloser, from io.Reader) *Client {
	c := &Client{t: t, to: to, from: make(chan Message, 1000)}
	go func() {
		defer close(c.from)
		r := textproto.NewReader(bufio.NewReader(from))
		for {
			head, err := r.ReadMIMEHeader()
			if err != nil {
				return
			}
			n, err := strconv.Atoi(head.Get("Content-Length"))
			if err != nil {
				t.Errorf("the server sent a header of %v", head)
				return
			}
			body := make([]byte, n)
			if _, err := io.ReadFull(r.R, body); err != nil {
				t.Errorf("the server sent half a message: %v", err)
				return
			}
			var m Message
			if err := json.Unmarshal(body, &m); err != nil || m.Version != "2.0" {
				t.Errorf("the server sent %s (%v)", body, err)
			}
			c.from <- m
		}
	}()
	return c
}

// Raw writes bytes as they are.
func (c *Client) Raw(text string) {
	io.WriteString(c.to, text) // a server that is gone is seen by what is awaited
}

// Close ends the server's input.
func (c *Client) Close() { c.to.Close() }

// Send writes a message.
func (c *Client) Send(message any) {
	body, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	c.Raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

// Object is a JSON object.
type Object = map[string]any

// Notify sends a notification.
func (c *Client) Notify(method string, params any) {
	c.Send(Object{"jsonrpc": "2.0", "method": method, "params": params})
}

// Call sends a request and waits for its answer.
func (c *Client) Call(method string, params any) Message {
	c.t.Helper()
	c.id++
	id := strconv.Itoa(c.id)
	c.Send(Object{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	return c.Await("the answer to "+method, func(m Message) bool { return m.Method == "" && string(m.ID) == id })
}

// Result is Call for a request that succeeds.
func Result[T any](c *Client, method string, params any) T {
	c.t.Helper()
	var result T
	m := c.Call(method, params)
	if m.Error != nil {
		c.t.Fatalf("%s: %+v", method, *m.Error)
	}
	if err := json.Unmarshal(m.Result, &result); err != nil {
		c.t.Fatalf("%s: %s: %v", method, m.Result, err)
	}
	return result
}

// Await is the next message of a kind; others are kept.
func (c *Client) Await(what string, is func(Message) bool) Message {
	c.t.Helper()
	for i, m := range c.kept {
		if is(m) {
			c.kept = append(c.kept[:i:i], c.kept[i+1:]...)
			return m
		}
	}
	late := time.After(patience)
	for {
		select {
		case m, ok := <-c.from:
			if !ok {
				c.t.Fatalf("the server ended before %s", what)
			}
			if is(m) {
				return m
			}
			c.kept = append(c.kept, m)
		case <-late:
			c.t.Fatalf("no %s within %v", what, patience)
		}
	}
}

// Published are diagnostics as they come.
type Published struct {
	URI         string
	Version     *int
	Diagnostics []Diagnostic
}

// Diagnostic is one of them.
type Diagnostic struct {
	Range              Range
	Severity           int
	Code               string
	CodeDescription    *struct{ Href string }
	Source, Message    string
	RelatedInformation []struct {
		Location struct {
			URI   string
			Range Range
		}
		Message string
	}
	Data json.RawMessage
}

// Range is a part of a text.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is a place in a text.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Published waits for the diagnostics of a version of a document, -1 for one that is not open.
func (c *Client) Published(uri string, version int) []Diagnostic {
	c.t.Helper()
	var p Published
	c.Await(fmt.Sprintf("diagnostics of %s, version %d", uri, version), func(m Message) bool {
		if m.Method != "textDocument/publishDiagnostics" {
			return false
		}
		p = Published{}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			c.t.Fatalf("%s: %v", m.Params, err)
		}
		return p.URI == uri && (p.Version == nil && version == -1 || p.Version != nil && *p.Version == version)
	})
	return p.Diagnostics
}

// Log waits for a logged message that has words.
func (c *Client) Log(words func(string) bool) string {
	c.t.Helper()
	var p struct{ Message string }
	c.Await("logged message", func(m Message) bool {
		p.Message = ""
		return m.Method == "window/logMessage" && json.Unmarshal(m.Params, &p) == nil && words(p.Message)
	})
	return p.Message
}

// Open opens a document.
func (c *Client) Open(uri string, version int, text string) {
	c.Notify("textDocument/didOpen", Object{"textDocument": Object{"uri": uri, "languageId": "cuda", "version": version, "text": text}})
}

// Change changes one: with ranges, or whole.
func (c *Client) Change(uri string, version int, changes ...Object) {
	c.Notify("textDocument/didChange", Object{"textDocument": Object{"uri": uri, "version": version}, "contentChanges": changes})
}
