package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Limits of the base protocol. The largest file that can be configured to be read, escaped, has to fit; more is no message.
const (
	maxFrame  = 128 << 20
	maxHeader = 32 // lines; each is at most as long as the reader's buffer
)

// readFrame reads one message. io.EOF means that there is none left; after any other error nothing says where the next begins.
func readFrame(r *bufio.Reader) ([]byte, error) {
	length := int64(-1)
	for n := 0; ; n++ {
		line, err := r.ReadSlice('\n')
		switch {
		case err == io.EOF && n == 0 && len(line) == 0:
			return nil, io.EOF
		case errors.Is(err, bufio.ErrBufferFull) || n == maxHeader:
			return nil, errors.New("a message's header is too long: want Content-Length, an empty line, and the message")
		case err == io.EOF:
			return nil, fmt.Errorf("the input ends inside of a message's header: %w", io.ErrUnexpectedEOF)
		case err != nil:
			return nil, fmt.Errorf("read a message: %w", err)
		}
		field := strings.TrimRight(string(line), "\r\n")
		if field == "" {
			break
		}
		name, value, ok := strings.Cut(field, ":")
		if !ok {
			return nil, fmt.Errorf("%.80q is no header field: want Content-Length: N", field)
		}
		if !strings.EqualFold(name, "Content-Length") {
			continue
		}
		size, err := strconv.ParseUint(strings.TrimSpace(value), 10, 63)
		if err != nil || length >= 0 {
			return nil, fmt.Errorf("%.80q is no length: want one Content-Length with the number of bytes", field)
		}
		length = int64(size)
	}
	if length < 0 {
		return nil, errors.New("a message has no Content-Length")
	}
	if length > maxFrame {
		return nil, fmt.Errorf("a message of %d bytes is not read: at most %d are", length, maxFrame)
	}
	var body bytes.Buffer // which grows with what comes, whatever was announced
	if n, err := io.CopyN(&body, r, length); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("the input ends after %d bytes of a message of %d: %w", n, length, err)
	}
	return body.Bytes(), nil
}

// writeFrame writes one message, at once.
func writeFrame(w io.Writer, message any) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	if _, err := w.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", body.Len()), body.Bytes()...)); err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	return nil
}
