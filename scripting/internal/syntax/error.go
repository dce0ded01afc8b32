package syntax

import (
	"cmp"
	"fmt"
	"slices"
)

// The fault of a text. Its exported fields are for the person who wrote the script; the
// others serve the search for more faults, in recover.go and attempts.go, and tests.

// Error is a fault in the text of a script.
type Error struct {
	Script  string // the name given to Parse
	Line    int    // counted from 1; 0 when the fault is in the file as a whole
	Column  int    // in bytes, counted from 1; 0 when unknown
	Message string // lower case, no full stop

	// More are further faults of the text, in its order. None of them comes from what
	// the parser left out to go on after one before it.
	More []*Error

	from     int    // offset at which the parser stopped
	found    token  // there; without a kind where the lexer stopped
	first    token  // of the statement in which it is
	wanted   string // the kind of token that is missing, if one is
	expects  string // what the message says was expected, "" where it says something else
	about    int    // offset of the token of which it says so
	opener   token  // of the block or bracket that it is to close
	list     token  // the innermost bracket around it, if it is in the same block
	outer    token  // the outermost one
	vague    bool   // a correction may say better what is wrong
	open     int    // how many blocks, brackets and operators are begun
	fatal    bool   // nothing after it can be understood
	panicked bool   // a stage panicked; tests look for it
}

// Error returns "script:line:column: message", leaving out what is unknown.
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.Script, e.Message)
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.Script, e.Line, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Script, e.Line, e.Column, e.Message)
}

// errorAt returns an error at a place.
// It is used where a tree exists already: the stages after the parser report one
// fault.
func errorAt(script string, pos Pos, format string, args ...any) *Error {
	return &Error{Script: script, Line: pos.Line(), Column: pos.Column(), Message: fmt.Sprintf(format, args...)}
}

// inOrder joins faults of one text by their places: the first one has the others. It is
// nil without faults.
func inOrder(faults []*Error) *Error {
	if len(faults) == 0 {
		return nil
	}
	slices.SortStableFunc(faults, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	faults[0].More = faults[1:]
	return faults[0]
}
