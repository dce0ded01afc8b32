package pattern

import (
	"fmt"
	"strings"
	"unsafe"
)

// The patterns, and how they are read.

const (
	maxCaptures = 32
	maxItems    = 4096 // of one pattern: the matcher is recursive, as deep as there are items
)

// A Pattern is a Lua pattern as a list of items. It never changes, so all who match with it
// can share one.
type Pattern struct {
	items    []item
	captures int
	anchored bool  // it begins with ^
	ahead    int16 // as of an item before the first one
	cost     int16
}

// Captures returns how many captures the pattern has.
func (p *Pattern) Captures() int { return p.captures }

// Anchored reports whether the pattern matches at the beginning of a text only.
func (p *Pattern) Anchored() bool { return p.anchored }

// Bytes returns how much memory the pattern takes.
func (p *Pattern) Bytes() int64 { return int64(cap(p.items)) * int64(unsafe.Sizeof(item{})) }

// An item is one step of a match.
//
// Invariant: ahead is the place of the item that the next byte must fit for the items after
// this one to match, and cost how many steps it takes to find that it does not fit; ahead is
// below 0 where the next byte may be any.
type item struct {
	kind  itemKind
	index int8 // number of a capture, from 0
	open  byte // for balanced
	close byte // for balanced
	ahead int16
	cost  int16
	set   byteSet // bytes that fit: for single, the repetitions and frontier
}

// itemKind says what an item does.
type itemKind byte

const (
	single        itemKind = iota // one byte of the set
	zeroOrMore                    // *
	oneOrMore                     // +
	fewest                        // -
	optional                      // ?
	openCapture                   // (
	closeCapture                  // )
	position                      // ()
	balanced                      // %bxy
	frontier                      // %f[set]
	backReference                 // %1
	atEnd                         // $ as last character
)

// A reader compiles the text of a pattern.
type reader struct {
	text   string
	pos    int
	result Pattern
	open   []int8 // captures that are not closed yet, outermost first
}

// Compile reads a pattern. anchors says whether ^ at the beginning is an anchor; in gmatch
// it is not. The error has the words for the script.
func Compile(text string, anchors bool) (*Pattern, error) {
	r := reader{text: text}
	if anchors && strings.HasPrefix(text, "^") {
		r.result.anchored = true
		r.pos = 1
	}
	for r.pos < len(text) {
		if err := r.next(); err != nil {
			return nil, err
		}
		if len(r.result.items) > maxItems {
			return nil, fmt.Errorf("pattern too complex")
		}
	}
	if len(r.open) > 0 {
		return nil, fmt.Errorf("unfinished capture")
	}
	r.lookAhead()
	return &r.result, nil
}

// lookAhead computes what each item knows of those after it. Captures take no byte, so the
// item after them decides.
func (r *reader) lookAhead() {
	ahead, cost := int16(-1), int16(0)
	for i := len(r.result.items) - 1; i >= 0; i-- {
		it := &r.result.items[i]
		it.ahead, it.cost = ahead, cost
		switch it.kind {
		case single, oneOrMore:
			ahead, cost = int16(i), 1
		case openCapture, closeCapture, position:
			cost++
		default:
			ahead = -1
		}
	}
	r.result.ahead, r.result.cost = ahead, cost
}

// emit adds an item.
func (r *reader) emit(it item) { r.result.items = append(r.result.items, it) }

// next reads the next item of the text.
func (r *reader) next() error {
	switch c := r.text[r.pos]; {
	case c == '(':
		return r.begin()
	case c == ')':
		return r.end()
	case c == '$' && r.pos == len(r.text)-1:
		r.pos++
		r.emit(item{kind: atEnd})
		return nil
	case c == '%' && r.pos+1 < len(r.text):
		switch after := r.text[r.pos+1]; {
		case after == 'b':
			return r.balanced()
		case after == 'f':
			return r.frontier()
		case '0' <= after && after <= '9':
			return r.reference(after)
		}
	}
	return r.single()
}

// begin reads "(", or "()", which captures a position.
func (r *reader) begin() error {
	r.pos++
	index := int8(r.result.captures)
	if index == maxCaptures {
		return fmt.Errorf("too many captures")
	}
	r.result.captures++
	if r.pos < len(r.text) && r.text[r.pos] == ')' {
		r.pos++
		r.emit(item{kind: position, index: index})
		return nil
	}
	r.open = append(r.open, index)
	r.emit(item{kind: openCapture, index: index})
	return nil
}

// end reads ")", which closes the innermost capture.
func (r *reader) end() error {
	r.pos++
	last := len(r.open) - 1
	if last < 0 {
		return fmt.Errorf("invalid pattern capture")
	}
	r.emit(item{kind: closeCapture, index: r.open[last]})
	r.open = r.open[:last]
	return nil
}

// balanced reads %bxy.
func (r *reader) balanced() error {
	if r.pos+4 > len(r.text) {
		return fmt.Errorf("unbalanced pattern")
	}
	r.emit(item{kind: balanced, open: r.text[r.pos+2], close: r.text[r.pos+3]})
	r.pos += 4
	return nil
}

// frontier reads %f[set].
func (r *reader) frontier() error {
	r.pos += 2
	if r.pos >= len(r.text) || r.text[r.pos] != '[' {
		return fmt.Errorf("missing %q after %q in pattern", "[", "%f")
	}
	set, err := r.class()
	r.emit(item{kind: frontier, set: set})
	return err
}

// reference reads %1 to %9. The capture must be closed here.
func (r *reader) reference(digit byte) error {
	index := int8(digit) - '1'
	r.pos += 2
	if index < 0 || int(index) >= r.result.captures {
		return fmt.Errorf("invalid capture index")
	}
	for _, open := range r.open {
		if open == index {
			return fmt.Errorf("invalid capture index")
		}
	}
	r.emit(item{kind: backReference, index: index})
	return nil
}

// single reads one class and its suffix, if it has one.
func (r *reader) single() error {
	set, err := r.class()
	if err != nil {
		return err
	}
	kind := single
	if r.pos < len(r.text) {
		switch r.text[r.pos] {
		case '*':
			kind = zeroOrMore
		case '+':
			kind = oneOrMore
		case '-':
			kind = fewest
		case '?':
			kind = optional
		}
	}
	if kind != single {
		r.pos++
	}
	r.emit(item{kind: kind, set: set})
	return nil
}

// class reads a character, a dot, a letter after %, or a set in brackets.
func (r *reader) class() (byteSet, error) {
	var set byteSet
	c := r.text[r.pos]
	r.pos++
	switch c {
	case '.':
		set.invert()
	case '[':
		return r.brackets()
	case '%':
		if r.pos == len(r.text) {
			return set, fmt.Errorf("malformed pattern (ends with %q)", "%")
		}
		set = letterClass(r.text[r.pos])
		r.pos++
	default:
		set.add(c)
	}
	return set, nil
}

// brackets reads a set after its "[". A "]" in the first place stands for itself.
func (r *reader) brackets() (byteSet, error) {
	var set byteSet
	negated := strings.HasPrefix(r.text[r.pos:], "^")
	if negated {
		r.pos++
	}
	for first := true; ; first = false {
		rest := r.text[r.pos:]
		switch {
		case rest == "":
			return set, fmt.Errorf("malformed pattern (missing %q)", "]")
		case rest[0] == ']' && !first:
			r.pos++
			if negated {
				set.invert()
			}
			return set, nil
		case rest[0] == '%' && len(rest) > 1:
			set.union(letterClass(rest[1]))
			r.pos += 2
		case len(rest) > 2 && rest[1] == '-' && rest[2] != ']':
			set.addRange(rest[0], rest[2])
			r.pos += 3
		default:
			set.add(rest[0])
			r.pos++
		}
	}
}
