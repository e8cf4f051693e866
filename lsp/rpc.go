package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Errors of JSON-RPC and of the protocol.
const (
	parseError           = -32700
	invalidRequest       = -32600
	methodNotFound       = -32601
	invalidParams        = -32602
	internalError        = -32603
	serverNotInitialized = -32002
)

// rpcError is the error of a response.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

func failf(code int, format string, args ...any) *rpcError {
	return &rpcError{code, fmt.Sprintf(format, args...)}
}

// message is a request, a notification or a response, as it comes.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method *string         `json:"method"`
	Params json.RawMessage `json:"params"`
	Error  json.RawMessage `json:"error"`
}

var null = json.RawMessage("null")

// readMessage reads a message. Of one that is wrong, the identifier is what the error answers.
func readMessage(body []byte) (m message, fail *rpcError) {
	if !json.Valid(body) {
		return message{ID: null}, failf(parseError, "the message is no JSON")
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return message{ID: null}, failf(invalidRequest, "the message is no request: %v", err)
	}
	if m.ID == nil {
		if m.Method == nil {
			return message{ID: null}, failf(invalidRequest, "the message has neither a method nor an identifier")
		}
		return m, nil
	}
	if first := m.ID[0]; first != '"' && first != '-' && (first < '0' || first > '9') {
		m.ID = null
		if m.Method != nil {
			return m, failf(invalidRequest, "the identifier of a request has to be a number or a string")
		}
	}
	return m, nil
}

// params reads parameters; those that are left out are as if they were empty.
func params[T any](raw json.RawMessage) (*T, error) {
	p := new(T)
	if len(raw) == 0 || bytes.Equal(raw, null) {
		return p, nil
	}
	if err := json.Unmarshal(raw, p); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return nil, failf(invalidParams, "the parameters are wrong: %s is a %s", wrong.Field, wrong.Value)
		}
		return nil, failf(invalidParams, "the parameters are wrong: %v", err)
	}
	return p, nil
}

// response answers a request; it has one of the two.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// call is a notification, or a request of the server's.
type call struct {
	Version string `json:"jsonrpc"`
	ID      string `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}
