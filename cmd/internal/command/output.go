package command

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

// Standard output and JSON. Nothing here knows of commands: execute asks once, at the
// end, whether anything was lost.

// output is standard output. It keeps the first error of any write: a command whose output
// was lost has failed, and an exit code of 0 after a full disk would be a lie.
//
// A pipe whose reader has gone is no error. The Go runtime ends the program then, without a
// message, as the system ends other programs.
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

// WriteString replaces the method of the file, which would not keep the error.
func (o *output) WriteString(text string) (int, error) { return o.Write([]byte(text)) }

// lost returns why something was not written, or nil if everything was. If the terminal
// has gone, that is no error: nobody is left to read.
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

// printJSON prints one object on one line. Characters that a terminal would obey are
// escaped, as JSON allows: a program that reads the object gets the same text.
func printJSON(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(visibleJSON(text), '\n'))
	return err
}

// visibleJSON escapes the characters that package json leaves as they are: it escapes only
// control characters below the space. Outside of its texts, JSON is ASCII.
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
