package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The codes of JSON-RPC for lines that are no messages.
const (
	codeNoJSON    = -32700
	codeNoMessage = -32600
)

// mostExact is the greatest number of an id that a float64 holds exactly: the library reads ids as such.
const mostExact = 1 << 53

// lines reads messages, each on a line of its own, and answers those that are none: they go no further. Why? The library
// ends the session for one such line, and with it the game that perigee mcp has begun.
type lines struct {
	in   io.ReadCloser
	from *bufio.Reader
	out  io.Writer // of the answers
	rest []byte    // of the message that is read
}

func newLines(in io.ReadCloser, out io.Writer) *lines {
	return &lines{in: in, from: bufio.NewReaderSize(in, 64<<10), out: out}
}

// Read returns bytes of messages only.
func (l *lines) Read(to []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if line = bytes.TrimSpace(line); len(line) > 0 {
			refused := unfit(line)
			if refused == nil {
				l.rest = append(line, '\n')
				break
			}
			if _, err := l.out.Write(append(refused, '\n')); err != nil {
				return 0, err
			}
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(to, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads a line. The last one may have no end.
func (l *lines) next() (line []byte, err error) {
	for {
		part, err := l.from.ReadSlice('\n')
		if len(line)+len(part) > mostMessage {
			return nil, fmt.Errorf("a message has more than %d bytes", mostMessage)
		}
		if line = append(line, part...); err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

func (l *lines) Close() error { return l.in.Close() }

// unfit is the answer to a line that is no message; nil for one that is.
func unfit(line []byte) []byte {
	if !utf8.Valid(line) || !json.Valid(line) {
		return refuse(nil, codeNoJSON, "this line is no JSON in UTF-8: expected one message on each line")
	}
	if line[0] == '[' {
		return refuse(nil, codeNoMessage, "batches are not served: send each message on a line of its own")
	}
	var message struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(line, &message); err != nil {
		return refuse(nil, codeNoMessage, "expected an object with jsonrpc, id and method")
	}
	if len(message.ID) > 0 && !isID(message.ID) {
		return refuse(nil, codeNoMessage, "id is a text, or a whole number up to 2^53")
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return refuse(message.ID, codeNoMessage, cut(err.Error(), 300))
	}
	return nil
}

// isID reports whether the library keeps an id as it is.
func isID(text json.RawMessage) bool {
	if text[0] == '"' {
		return true
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return err == nil && -mostExact <= n && n <= mostExact
}

// refuse makes the answer of an error.
func refuse(id json.RawMessage, code int, text string) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}}) // an id is JSON
	return answer
}

// shared is a writer of whole messages, for several goroutines. Closing leaves it open.
type shared struct {
	mu sync.Mutex
	to io.Writer
}

func (s *shared) Write(message []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Write(message)
}

func (*shared) Close() error { return nil }
