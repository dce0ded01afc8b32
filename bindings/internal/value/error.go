package value

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	lua "github.com/yuin/gopher-lua"
)

// longestMessage is how many bytes of what a script raises are looked at.
const longestMessage = 16 << 10

// Protect runs body, which calls a script, and returns what failed as an *diag.Error,
// panics included; nil when nothing did.
func Protect(body func() error) (e *diag.Error) {
	defer func() {
		if r := recover(); r != nil {
			e = &diag.Error{Message: fmt.Sprintf("the script broke the Lua machine: %v", r)}
		}
	}()
	if err := body(); err != nil {
		return Fault(err)
	}
	return nil
}

// Fault turns what a protected call answered into an *diag.Error.
func Fault(err error) *diag.Error {
	var known *diag.Error
	if errors.As(err, &known) {
		return known
	}
	e := &diag.Error{Message: err.Error(), Err: err}
	var api *lua.ApiError
	if !errors.As(err, &api) {
		return e
	}
	e.Err = api.Cause
	if carried, ok := carriedError(api.Object); ok {
		e = carried
	} else {
		e.Script, e.Line, e.Message = Innermost(diag.CutAt(objectText(api), longestMessage))
		if api.Type == lua.ApiErrorPanic {
			e.Message = "panic in Go: " + e.Message
		}
	}
	if e.Traceback == "" {
		e.Traceback = tidyTrace(api.StackTrace)
	}
	if e.Line == 0 {
		e.Script, e.Line, _ = SplitPlace(firstPlace(e.Traceback))
	}
	return e
}

// carriedError finds an *diag.Error that Go code raised through Lua.
func carriedError(v lua.LValue) (*diag.Error, bool) {
	if ud, ok := v.(*lua.LUserData); ok {
		if e, ok := ud.Value.(*diag.Error); ok {
			copied := *e
			return &copied, true
		}
	}
	return nil, false
}

// objectText returns what a script passed to error(), as text.
func objectText(api *lua.ApiError) string {
	switch v := api.Object.(type) {
	case lua.LString, lua.LNumber:
		return v.String()
	case *lua.LTable:
		switch s := v.RawGetString("message").(type) {
		case lua.LString, lua.LNumber:
			return s.String()
		}
		return "error(" + Listing(v) + ")"
	case nil:
		if api.Cause != nil {
			return api.Cause.Error()
		}
		return "unknown error"
	case *lua.LNilType:
		return "error(nil)"
	default:
		return "error(" + Describe(v) + ")"
	}
}

// Innermost takes the place off a message, and the places before it: an error
// that a coroutine passes on begins with the place of the resume.
func Innermost(s string) (script string, line int, message string) {
	script, line, message = SplitPlace(s)
	if script == "" {
		return "", 0, s
	}
	if inner, at, rest := Innermost(message); inner != "" {
		return inner, at, rest
	}
	return script, line, message
}

// SplitPlace takes "file.lua:12: text" apart. Text without a place comes back
// as it is, with line 0.
func SplitPlace(s string) (script string, line int, message string) {
	name, rest, ok := strings.Cut(s, ".lua:")
	if !ok || strings.ContainsAny(name, "\n\"") {
		return "", 0, s
	}
	digits, message, ok := strings.Cut(rest, ":")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil {
		return "", 0, s
	}
	return strings.TrimSpace(name) + ".lua", n, strings.TrimPrefix(message, " ")
}

// firstPlace returns the first line of a traceback that names a script.
func firstPlace(trace string) string {
	for line := range strings.Lines(trace) {
		if strings.Contains(line, ".lua:") {
			return line
		}
	}
	return ""
}

// tidyTrace keeps the frames of scripts: those of the host say [G].
func tidyTrace(trace string) string {
	var kept []string
	for line := range strings.Lines(trace) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "[G]") {
			kept = append(kept, nameFile(line))
		}
	}
	if len(kept) <= 1 {
		return ""
	}
	return strings.Join(kept, "\n  ")
}

// nameFile says of a frame that it is a file's top level; the machine calls it
// a function that begins in line 0.
func nameFile(frame string) string {
	if place, _, ok := strings.Cut(frame, ": in function <"); ok && strings.HasSuffix(frame, ":0>") {
		return place + ": in the file itself"
	}
	return frame
}

// Raise throws a complete error from Go code that a script did not call.
func Raise(L *lua.LState, e *diag.Error) {
	L.Error(&lua.LUserData{Value: e, Metatable: lua.LNil}, 0)
}
