package stdlib

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	lua "github.com/yuin/gopher-lua"
)

// The errors behind the texts that scripts have caught. error(text) and assert look
// here, in base.go; pcall, xpcall and coroutines note what they catch.

// caughtErrors are the last errors that scripts have caught. A script that raises the text
// of one of them again passes the error on, with its first place and its limit. Only whole
// texts are compared; nothing is read out of them.
//
// Invariant: texts[i] is the text that a script got of errors[i]. next is the place of the
// oldest one, which the next error replaces.
type caughtErrors struct {
	texts  [8]string
	errors [8]*diag.Error
	next   int
}

// longestCaught is how many bytes the text of a remembered error has at most.
const longestCaught = 4 << 10

// note remembers an error that a script catches, and returns the value that the script
// gets.
func (c *caughtErrors) note(raised lua.LValue) lua.LValue {
	v := fault.Value(raised)
	text, isText := v.(lua.LString)
	if e := fault.Of(raised); e != nil && isText && len(text) <= longestCaught {
		c.texts[c.next], c.errors[c.next] = string(text), e
		c.next = (c.next + 1) % len(c.texts)
	}
	return v
}

// find returns the last error that was caught with a text, or nil.
func (c *caughtErrors) find(text string) *diag.Error {
	for i := range c.texts {
		at := (c.next + len(c.texts) - 1 - i) % len(c.texts)
		if e := c.errors[at]; e != nil && c.texts[at] == text {
			return e
		}
	}
	return nil
}

// forget drops all errors, at the end of a call from the host: they must not reach another
// script.
func (c *caughtErrors) forget() { *c = caughtErrors{} }

// errorOf returns the error behind a value that was raised, or an empty error if a script
// raised a plain value.
func errorOf(raised lua.LValue) *diag.Error {
	if e := fault.Of(raised); e != nil {
		return e
	}
	return &diag.Error{}
}
