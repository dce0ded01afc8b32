// Package notes holds what Lua's library notes down while scripts run: the errors that they
// have caught, the numbers of values whose text they have asked for, and the lines that use
// most instructions. It knows no values of Lua.
package notes

import "github.com/perigee-ecs/perigee/bindings/diag"

// Caught are the last errors that scripts have caught. A script that raises the text of one
// of them again passes the error on, with its first place and its limit. Only whole texts
// are compared; nothing is read out of them.
//
// Invariant: texts[i] is the text that a script got of errors[i]. next is the place of the
// oldest one, which the next error replaces.
type Caught struct {
	texts  [8]string
	errors [8]*diag.Error
	next   int
}

// longestCaught is how many bytes the text of a remembered error has at most.
const longestCaught = 4 << 10

// Note remembers a copy of an error, and the text that a script got of it.
func (c *Caught) Note(text string, e *diag.Error) {
	if e != nil && len(text) <= longestCaught {
		if c.errors[c.next] == nil {
			c.errors[c.next] = new(diag.Error)
		}
		c.texts[c.next], *c.errors[c.next] = text, *e
		c.next = (c.next + 1) % len(c.texts)
	}
}

// Find returns the last error that was caught with a text, or nil. It is good until the next
// one is noted.
func (c *Caught) Find(text string) *diag.Error {
	for i := range c.texts {
		at := (c.next + len(c.texts) - 1 - i) % len(c.texts)
		if e := c.errors[at]; e != nil && c.texts[at] == text {
			return e
		}
	}
	return nil
}

// Forget drops all errors, at the end of a call from the host: they must not reach another
// script.
func (c *Caught) Forget() { *c = Caught{} }
