package stdlib

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	lua "github.com/yuin/gopher-lua"
)

// caughtErrors are the errors that scripts have caught last, so that one which raises the
// text again that it got passes the error on, with its own place and limit. What is compared
// is the whole text, as the value that it is: nothing is read in it.
type caughtErrors struct {
	texts  [8]string
	errors [8]*diag.Error
	next   int
}

// longestCaught is how many bytes a text has at most that is remembered.
const longestCaught = 4 << 10

// note remembers an error that a script catches, and returns what it sees of it.
func (c *caughtErrors) note(raised lua.LValue) lua.LValue {
	v := fault.Value(raised)
	text, isText := v.(lua.LString)
	if e := fault.Of(raised); e != nil && isText && len(text) <= longestCaught {
		c.texts[c.next], c.errors[c.next] = string(text), e
		c.next = (c.next + 1) % len(c.texts)
	}
	return v
}

// find returns the error that was caught last with a text, nil when there is none.
func (c *caughtErrors) find(text string) *diag.Error {
	for i := range c.texts {
		at := (c.next + len(c.texts) - 1 - i) % len(c.texts)
		if e := c.errors[at]; e != nil && c.texts[at] == text {
			return e
		}
	}
	return nil
}

// forget drops all of them: a call of the host's has ended.
func (c *caughtErrors) forget() { *c = caughtErrors{} }

// errorOf returns the error that was raised, or an empty one where only a value was.
func errorOf(raised lua.LValue) *diag.Error {
	if e := fault.Of(raised); e != nil {
		return e
	}
	return &diag.Error{}
}
