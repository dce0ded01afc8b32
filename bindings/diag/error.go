package diag

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/ecs"
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
