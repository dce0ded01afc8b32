package diag

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
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
// somebody wants to see the line. Any goroutine may ask for lines.
type Text struct {
	bytes []byte
	mu    sync.Mutex
	marks []int32 // where each apart-th line begins; nil before a line was asked for
	apart int
	n     int // the line that was asked for last; 0: none
	line  string
}

// mostMarks bounds what is noted of a text. One that has more lines has short ones, of which a search reads some.
const mostMarks = 8192

// NewText makes a Text of bytes that nobody changes any more.
func NewText(text []byte) *Text { return &Text{bytes: text} }

// Bytes returns the bytes, which are not to be changed.
func (t *Text) Bytes() []byte { return t.bytes }

// Line returns a line, counted from 1, without its end; "" for a line that there is not. A
// line ends as in Lua: with a line feed, a carriage return, or both. A byte order mark is
// no part of the first line: no editor shows one, and columns are counted after it.
//
// Faults come by the thousand, of a few lines: the first line costs O(text), any other one its own length, and that of the
// last call nothing, not even memory.
func (t *Text) Line(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n != t.n && n > 0 {
		t.n, t.line = n, t.find(n)
	}
	if n != t.n {
		return ""
	}
	return t.line
}

// find finds a line, which is not the last one that was asked for.
func (t *Text) find(n int) string {
	if t.marks == nil {
		t.mark()
	}
	mark := (n - 1) / t.apart
	if mark >= len(t.marks) {
		return ""
	}
	at := int(t.marks[mark])
	for range (n - 1) % t.apart {
		if at = t.next(at); at < 0 {
			return ""
		}
	}
	rest := t.bytes[at:]
	if end := bytes.IndexAny(rest, "\r\n"); end >= 0 {
		rest = rest[:end]
	}
	return string(rest)
}

// mark notes where lines begin.
func (t *Text) mark() {
	at := len(t.bytes) - len(bytes.TrimPrefix(t.bytes, []byte("\xef\xbb\xbf")))
	t.apart = 1
	for n := 0; at >= 0; n++ {
		if n%t.apart == 0 {
			if len(t.marks) == mostMarks { // every other one goes
				for i := range mostMarks / 2 {
					t.marks[i] = t.marks[2*i]
				}
				t.marks, t.apart = t.marks[:mostMarks/2], 2*t.apart
			}
			t.marks = append(t.marks, int32(at))
		}
		at = t.next(at)
	}
}

// next returns where the line after the one at a byte begins, -1 for the last line.
func (t *Text) next(at int) int {
	end := bytes.IndexAny(t.bytes[at:], "\r\n")
	if end < 0 {
		return -1
	}
	at += end + 1
	if at < len(t.bytes) && t.bytes[at-1]+t.bytes[at] == '\r'+'\n' {
		at++
	}
	return at
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
