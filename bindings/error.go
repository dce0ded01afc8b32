package bindings

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// ErrLimit is what errors.Is finds in an Error whose Limit is set.
var ErrLimit = errors.New("a limit was reached")

// Error is a fault of a script: in its text, in what it declares, or while it
// runs.
type Error struct {
	Script    string     // path in the folder: "ai/steer.lua"
	Line      int        // from 1; 0 when unknown
	Column    int        // from 1; 0 when unknown
	System    string     // the system, observer or timer that was running
	Tick      uint64     // 0 when no tick was running
	Entity    ecs.Entity // of an each call, else 0
	Message   string     // lower case, no position; it may hold any text of a script
	Traceback string     // Lua's calls, innermost first; may be empty
	Source    string     // the text of the line, when known
	Parked    bool       // the failure parked the system
	Blocked   []string   // systems that rest with the one that was parked
	Times     int        // how often it came so far, where that is told; else 0
	Entities  int        // and for how many entities
	Limit     string     // the limit that was reached, as scripting.Limits calls it: "Time"; else ""
	Err       error      // the Go error behind it, if any
}

// Error returns the fault in one line, as OneLine shows it.
func (e *Error) Error() string { return OneLine(e.text()) }

func (e *Error) text() string {
	var b strings.Builder
	b.WriteString(e.Place())
	if e.System != "" {
		fmt.Fprintf(&b, ": system %q", e.System)
	}
	if e.Tick > 0 {
		fmt.Fprintf(&b, ": tick %d", e.Tick)
	}
	if e.Entity != 0 {
		fmt.Fprintf(&b, ": entity %v", e.Entity)
	}
	b.WriteString(": " + e.Message)
	switch {
	case e.Times > 1 && e.Entities > 1:
		fmt.Fprintf(&b, " (%s times, %s entities)", Grouped(int64(e.Times)), Grouped(int64(e.Entities)))
	case e.Times > 1:
		fmt.Fprintf(&b, " (%s times)", Grouped(int64(e.Times)))
	}
	if e.Parked {
		b.WriteString(" (parked: it is tried again after a while")
		if e.Line > 0 {
			b.WriteString(", or when its file is saved")
		}
		if len(e.Blocked) > 0 {
			fmt.Fprintf(&b, "; with it those that require it: %s", strings.Join(e.Blocked, ", "))
		}
		b.WriteString(")")
	}
	return b.String()
}

// Unwrap returns the Go error behind the fault, if any.
func (e *Error) Unwrap() error { return e.Err }

// Is reports that a limit was reached, to errors.Is.
func (e *Error) Is(target error) bool { return target == ErrLimit && e.Limit != "" }

// Place returns script:line:column as far as they are known.
func (e *Error) Place() string {
	place := e.Script
	if place == "" {
		place = "script"
	}
	if e.Line > 0 {
		place += ":" + strconv.Itoa(e.Line)
		if e.Column > 0 {
			place += ":" + strconv.Itoa(e.Column)
		}
	}
	return place
}

// Detail returns the fault with the line that caused it, a caret under the
// place, and the traceback, all as Visible shows it.
func (e *Error) Detail() string {
	var b strings.Builder
	b.WriteString(e.Error())
	if e.Source != "" && e.Line > 0 {
		number := strconv.Itoa(e.Line)
		text := strings.ReplaceAll(e.Source, "\t", " ")
		fmt.Fprintf(&b, "\n  %s | %s", number, OneLine(text))
		if c := e.caret(); c >= 0 {
			before := utf8.RuneCountInString(OneLine(text[:c]))
			fmt.Fprintf(&b, "\n  %s | %s^", strings.Repeat(" ", len(number)), strings.Repeat(" ", before))
		}
	}
	if e.Traceback != "" {
		b.WriteString("\n" + Visible(e.Traceback))
	}
	return b.String()
}

// caret returns the byte of the line to point at: the known column, else the
// first name quoted in the message that the line contains as a word of its own,
// else the first word.
func (e *Error) caret() int {
	if e.Column > 0 && e.Column <= len(e.Source)+1 {
		return e.Column - 1
	}
	quoted := strings.Split(e.Message, `"`)
	for i := 1; i < len(quoted); i += 2 {
		if at := wordAt(e.Source, quoted[i]); at >= 0 {
			return at
		}
	}
	return len(e.Source) - len(strings.TrimLeft(e.Source, " \t"))
}

// wordAt finds a name in a line where no letters adjoin it.
func wordAt(line, name string) int {
	for from := 0; name != ""; {
		at := strings.Index(line[from:], name)
		if at < 0 {
			break
		}
		at += from
		end := at + len(name)
		if (at == 0 || !letter(line[at-1])) && (end == len(line) || !letter(line[end])) {
			return at
		}
		from = end
	}
	return -1
}

func letter(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// Protect runs body, which calls a script, and returns what failed as an *Error,
// panics included; nil when nothing did.
func Protect(body func() error) (e *Error) {
	defer func() {
		if r := recover(); r != nil {
			e = &Error{Message: fmt.Sprintf("the script broke the Lua machine: %v", r)}
		}
	}()
	if err := body(); err != nil {
		return fault(err)
	}
	return nil
}

// fault turns what a protected call answered into an *Error.
func fault(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	e := &Error{Message: err.Error(), Err: err}
	var api *lua.ApiError
	if !errors.As(err, &api) {
		return e
	}
	e.Err = api.Cause
	if carried, ok := carriedError(api.Object); ok {
		e = carried
	} else {
		e.Script, e.Line, e.Message = innermost(cutAt(objectText(api), longestMessage))
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

// carriedError finds an *Error that Go code raised through Lua.
func carriedError(v lua.LValue) (*Error, bool) {
	if ud, ok := v.(*lua.LUserData); ok {
		if e, ok := ud.Value.(*Error); ok {
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
		return "error(" + listing(v) + ")"
	case nil:
		if api.Cause != nil {
			return api.Cause.Error()
		}
		return "unknown error"
	case *lua.LNilType:
		return "error(nil)"
	default:
		return "error(" + describe(v) + ")"
	}
}

const (
	// shownEntries is how many entries of a table messages show, and shownText how
	// much of a text in it.
	shownEntries = 4
	shownText    = 40
)

// listing shows a table as a script writes it, as far as it goes in a line. It asks no
// metamethods.
func listing(t *lua.LTable) string {
	var b strings.Builder
	t, n := Unwrap(t), 0
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if n++; n > 1 {
			b.WriteString(", ")
		}
		if n > shownEntries {
			b.WriteString("…")
			break
		}
		if name, ok := k.(lua.LString); ok {
			b.WriteString(string(name[:min(len(name), shownText)]) + " = ")
		} else if k != lua.LNumber(n) {
			b.WriteString("[" + shown(k) + "] = ")
		}
		b.WriteString(shown(v))
	}
	if n == 0 {
		return "{}"
	}
	return "{ " + b.String() + " }"
}

// shown shows one key or value.
func shown(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LNumber, lua.LBool:
		return v.String()
	case lua.LString:
		if len(v) > shownText {
			return strconv.Quote(string(v[:shownText])) + "…"
		}
		return strconv.Quote(string(v))
	case *lua.LTable:
		return "{…}"
	}
	return describe(v)
}

// Article puts the article before the name of a type; nil needs none.
func Article(kind string) string {
	if kind == "nil" {
		return kind
	}
	return "a " + kind
}

// innermost takes the place off a message, and the places before it: an error
// that a coroutine passes on begins with the place of the resume.
func innermost(s string) (script string, line int, message string) {
	script, line, message = SplitPlace(s)
	if script == "" {
		return "", 0, s
	}
	if inner, at, rest := innermost(message); inner != "" {
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
