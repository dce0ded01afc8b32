package diag

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
)

// ErrLimit is what errors.Is finds in an Error whose Limit is set.
var ErrLimit = errors.New("a limit was reached")

// ErrCut is what errors.Is finds in an Error of a call that the host has cut short. It is no fault
// of the script.
var ErrCut = errors.New("cut short")

// Kind says what sort of fault an [Error] is, for those who decide by it.
type Kind uint8

// The kinds of faults.
const (
	Fault     Kind = iota // of a script that runs, or in what it declares
	Syntax                // of its text: nothing of it can run
	Panic                 // of Go code that it called
	Overflow              // too many calls in each other
	Registers             // calls in each other that hold too many values
)

// Error is a fault of a script: in its text, in what it declares, or while it
// runs. Decisions are made by its fields; the message is for readers.
type Error struct {
	Kind     Kind
	Script   string     // path in the folder: "ai/steer.lua"
	Line     int        // from 1; 0 when unknown
	Column   int        // in bytes, from 1; 0 when unknown
	System   string     // the system, observer or timer that was running
	Tick     uint64     // 0 when no tick was running
	Entity   ecs.Entity // of an each call, else 0
	Message  string     // lower case, no position; it may hold any text of a script
	Trace    Trace      // the calls of scripts that were running; may be empty
	GoStack  string     // the calls of Go that were running when code of the host's has panicked
	Source   string     // the text of the line, when known
	Parked   bool       // the failure parked the system
	Final    bool       // what has failed is not tried again until its file is saved
	Blocked  []string   // systems that rest with the one that was parked
	Others   int        // systems and observers that did not run in that tick either, since nothing was left for them
	Times    int        // how often it came so far, where that is told; else 0
	Entities int        // and for how many entities
	Limit    string     // the limit that was reached, as scripting.Limits calls it: "Time"; else ""
	Echo     bool       // it only says that another script, which this one requires, has faults
	Err      error      // the Go error behind it, if any

	in *Text // that the place is in; see Quote
}

// New makes an error whose message is as of [Format].
func New(format string, v ...any) *Error { return &Error{Message: Format(format, v...)} }

// NoIterator is the error of a loop over what is no function, with its words for a reader and its
// type, such as "table". The VM, functions of Go and the check before a run say the same.
func NoIterator(words, kind string) *Error {
	e := New(`"for … in" needs a function, as pairs and ipairs return one, and got %s`, words)
	switch kind {
	case "table":
		e.Message += ": write pairs(…) or ipairs(…) around it"
	case "number":
		e.Message += ": a loop that counts is written for i = 1, n do"
	}
	return e
}

// Reached makes the error of a limit of scripting.Limits, which is named after the message.
func Reached(limit, format string, v ...any) *Error {
	e := New(format, v...)
	e.Limit = limit
	e.Message += " (Limits." + limit + ")"
	return e
}

// And adds to the message.
func (e *Error) And(more string) *Error {
	e.Message += more
	return e
}

// At returns the place of the fault.
func (e *Error) At() Place { return Place{e.Script, e.Line, e.Column, e.in} }

// Put gives the fault a place.
func (e *Error) Put(at Place) {
	e.Script, e.Line, e.Column, e.in = at.Script, at.Line, at.Column, at.Text
}

// On gives the fault a place, and returns it.
func (e *Error) On(at Place) *Error {
	e.Put(at)
	return e
}

// Quote fills Source in, from the text in which the fault has its place, and lets go of the
// text: faults are kept longer than versions of a script are. It is called for faults that
// are reported, because most that are raised are caught, and O(text).
func (e *Error) Quote() {
	if e.in != nil {
		e.Source, e.in = e.in.Line(e.Line), nil
	}
	for i := range e.Trace {
		e.Trace[i].At.Text = nil
	}
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
	if at := e.Trace.Caller(e.Script); at.Line > 0 {
		fmt.Fprintf(&b, " (called in %s)", at)
	}
	switch {
	case e.Others == 1:
		b.WriteString("; one more system or observer did not run in this tick either")
	case e.Others > 1:
		fmt.Fprintf(&b, "; %s more systems and observers did not run in this tick either", Grouped(int64(e.Others)))
	}
	switch {
	case e.Times > 1 && e.Entities > 1:
		fmt.Fprintf(&b, " (%s times, %s entities)", Grouped(int64(e.Times)), Grouped(int64(e.Entities)))
	case e.Times > 1:
		fmt.Fprintf(&b, " (%s times)", Grouped(int64(e.Times)))
	}
	if e.Final {
		b.WriteString(" (not tried again until its file is saved)")
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
func (e *Error) Place() string { return e.At().String() }

// Same reports whether two faults are printed alike.
func (e *Error) Same(as *Error) bool { return e.Error() == as.Error() }

// usualWidth is how many columns a line has where nobody knows: in a file or a pipe.
const usualWidth = 120

// Detail is DetailIn for a reader of whom no width is known.
func (e *Error) Detail() string { return e.DetailIn(usualWidth) }

// DetailIn returns the fault with the line that caused it, a caret under the place, and the
// traceback, all as Visible shows it. Of a line that does not fit into so many columns, it
// shows the part around the caret.
func (e *Error) DetailIn(width int) string {
	var b strings.Builder
	b.WriteString(e.Error())
	if e.Source != "" && e.Line > 0 {
		number := strconv.Itoa(e.Line)
		before := strings.Repeat(" ", len(number))
		text, at := OneLine(strings.ReplaceAll(e.Source, "\t", " ")), 0
		c := e.caret()
		if c >= 0 {
			at = Columns(OneLine(e.Source[:c]))
		}
		text, at = window(text, at, max(width-len("   | ")-len(number), 20))
		fmt.Fprintf(&b, "\n  %s | %s", number, text)
		if c >= 0 {
			fmt.Fprintf(&b, "\n  %s | %s^", before, strings.Repeat(" ", at))
		}
	}
	for _, calls := range [...]string{e.Trace.String(), e.GoStack} {
		if calls != "" {
			b.WriteString("\n" + Visible(calls))
		}
	}
	return b.String()
}

// caret returns the byte of the line to point at, -1 when the column is not known.
func (e *Error) caret() int {
	if e.Column > len(e.Source)+1 {
		return -1
	}
	return e.Column - 1
}
