package diag

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Place is where something stands in a script. The zero Place is nowhere.
type Place struct {
	Script string // path in the folder
	Line   int    // from 1; 0 when unknown
	Column int    // in bytes, from 1; 0 when unknown
	Text   *Text  // that it stands in; nil when that is not known
}

// Text is the text of a script in one version. A place leads to the text that was read and
// not to a name, because the script of that name may be another version by the time that
// somebody wants to see the line.
type Text []byte

// Line returns a line, counted from 1, without its end; "" for a line that there is not. A
// line ends as in Lua: with a line feed, a carriage return, or both. A byte order mark is
// no part of the first line: no editor shows one, and columns are counted after it.
func (t Text) Line(n int) string {
	rest := bytes.TrimPrefix(t, []byte("\xef\xbb\xbf"))
	for ; n > 0; n-- {
		end := bytes.IndexAny(rest, "\r\n")
		switch {
		case end < 0 && n > 1:
			return ""
		case end < 0:
			return string(rest)
		case n == 1:
			return string(rest[:end])
		}
		both := end+1 < len(rest) && rest[end]+rest[end+1] == '\r'+'\n'
		if rest = rest[end+1:]; both {
			rest = rest[1:]
		}
	}
	return ""
}

// String returns script:line:column as far as they are known.
func (p Place) String() string {
	if p.Script == "" {
		p.Script = "script"
	}
	switch {
	case p.Line == 0:
		return p.Script
	case p.Column == 0:
		return p.Script + ":" + strconv.Itoa(p.Line)
	}
	return p.Script + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}

// Frame is one call of a [Trace].
type Frame struct {
	Kind  FrameKind
	At    Place  // how far it has come
	Name  string // under which the function was called; "" when it has none
	Start int    // the line in which the function begins; 0 for a whole file
}

// Called says which function a frame is of, in words; "" for one that nothing is known of.
func (f Frame) Called() string {
	switch {
	case f.Kind != Call && f.Kind != Thread || f.Start == 0:
		return ""
	case f.Name != "":
		return Format("%q", f.Name)
	}
	return fmt.Sprintf("the function of line %d", f.Start)
}

// FrameKind says what a Frame stands for.
type FrameKind uint8

// The kinds of frames.
const (
	Call    FrameKind = iota // of a function, or of a whole file
	Thread                   // the function that a coroutine began with
	Tail                     // calls that a tail call has replaced: nothing is known of them
	Skipped                  // calls that are left out
)

// String returns the frame as a line of a traceback.
func (f Frame) String() string {
	switch {
	case f.Kind == Tail:
		return "(tailcall): ?"
	case f.Kind == Skipped:
		return "..."
	case f.Kind == Thread:
		return f.At.String() + ": in the coroutine's function"
	case f.Name != "":
		return fmt.Sprintf("%s: in function '%s'", f.At, f.Name)
	case f.Start == 0:
		return f.At.String() + ": in the file itself"
	}
	return fmt.Sprintf("%s: in function <%s:%d>", f.At, f.At.Script, f.Start)
}

// Trace is the calls of scripts that were running, innermost first.
type Trace []Frame

// Caller returns the innermost place outside of a script, where the calls have come into it; nowhere if
// the innermost call is of another script, or all are of this one. The mistake is often there: a
// function that several files share has got something wrong. O(calls).
func (t Trace) Caller(script string) Place {
	for i, f := range t {
		switch {
		case f.Kind == Tail || f.Kind == Skipped:
			return Place{}
		case f.At.Script != script:
			if i == 0 {
				return Place{}
			}
			return f.At
		}
	}
	return Place{}
}

const (
	// longest is how many frames a trace has at most, and kept how many stay of the
	// innermost and of the outermost where there are more.
	longest = 20
	kept    = 7
)

// Short returns the trace without calls in its middle, where it is long.
func (t Trace) Short() Trace {
	if n := len(t); n > longest {
		return slices.Concat(t[:kept], Trace{{Kind: Skipped}}, t[n-kept:])
	}
	return t
}

// Within returns the trace of calls that were made by those of another trace, as a coroutine
// is resumed by one.
func (t Trace) Within(outer Trace) Trace { return slices.Concat(t, outer).Short() }

// Place returns that of the innermost call; nowhere when there is none.
func (t Trace) Place() Place {
	for _, f := range t {
		if f.At.Line > 0 {
			return f.At
		}
	}
	return Place{}
}

// String returns the trace in lines under a title, and nothing for an empty one.
func (t Trace) String() string {
	if len(t) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("stack traceback:")
	for _, f := range t {
		b.WriteString("\n  " + f.String())
	}
	return b.String()
}
