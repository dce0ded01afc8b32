package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// output is standard output. It keeps the first error, because a command that
// could not say what it had to say has failed, whoever wrote the line: an exit
// code of 0 after a full disk would be a lie.
//
// A pipe that is not read any more is another matter: the Go runtime ends the
// program as the system does with others, without a word.
type output struct {
	*os.File
	mu  sync.Mutex
	err error
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.File.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.err == nil {
			o.err = err
		}
	}
	return n, err
}

// WriteString hides that of the file, which keeps no error.
func (o *output) WriteString(text string) (int, error) { return o.Write([]byte(text)) }

// lost returns why something was not written; nil when all was. That a terminal
// has gone is nothing to complain of.
func (o *output) lost() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil || errors.Is(o.err, syscall.EIO) || errors.Is(o.err, syscall.EPIPE) {
		return nil
	}
	var path *os.PathError
	if errors.As(o.err, &path) {
		return fmt.Errorf("standard output: %w", path.Err)
	}
	return fmt.Errorf("standard output: %w", o.err)
}

// printJSON prints one object on one line. Characters that do something to a
// terminal are escaped, as JSON allows: a reader of the object gets the same text.
func printJSON(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(visibleJSON(text), '\n'))
	return err
}

// visibleJSON escapes what package json leaves as it is: it knows of control
// characters below the space only. Outside of texts, JSON is ASCII.
func visibleJSON(text []byte) []byte {
	shown := func(r rune) bool { return r < 0x7f || unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) }
	if !bytes.ContainsFunc(text, func(r rune) bool { return !shown(r) }) {
		return text
	}
	var b []byte
	for _, r := range string(text) {
		switch {
		case shown(r):
			b = utf8.AppendRune(b, r)
		case r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		}
	}
	return b
}
