package lower

import (
	"fmt"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Signature is what a loaded script knows about one each function.
type Signature struct {
	System string
	Terms  []Term // of the query: the parameters after the entity
	// Filters names the components that the query asks for besides, or that rows must
	// not have.
	Filters []string
	Single  bool // arithmetic on f32 fields is float32
	// Growing says that lists become longer and shorter: how many items there are is read in
	// each run, and there is room for some more than now. Otherwise it is part of the kernel.
	Growing bool
	// Ample says that lists which grow share all the room that there is, so that hardly any
	// other kernel has to be made when they do.
	Ample  bool
	Budget *CompileBudget
	// Shared says that other hosts have the text of the function, too.
	Shared bool
	// Vectors is for comparing, see vector.New.
	Vectors int
	// Captured returns the value of a local of the script that the function
	// captures.
	Captured func(name string) Resolved
	// Library returns a field of the global table math.
	Library func(name string) Resolved
	// Memory is that of the world.
	Memory ir.Memory
	// Global returns a function that a script finds under a global name.
	Global func(name string) Resolved
}

// Term is one parameter: a component.
type Term struct {
	Name        string
	Fields      []schema.Field
	Stride      uintptr // bytes from one row to the next; 0 for tags
	Optional    bool    // rows may lack it
	Unreachable string  // why no kernel can reach it; empty: it can
}

// Resolved is what a name outside of the function stands for.
type Resolved struct {
	Kind   ValueKind
	Number float64 // of a Truth, 0 or 1
	Name   string  // of a Builtin, as in "math.floor"; of a Text, its letters; of others, for messages

	// Read returns the number or truth that is there now; false when there is
	// something else by then. Write puts another there; nil where that cannot be.
	Read  func() (float64, bool)
	Write func(float64)
	// Cell tells values apart that can change on their own. Place tells apart where
	// the names in the text lead from and along: several places may hold one cell,
	// until one of the tables on the way is replaced.
	Cell  any
	Place any
	// Nil, of an Other, says that there is nothing, and Siblings are the names of what the
	// table has in its place.
	Nil      bool
	Siblings []string
	// Same reports whether the very same thing is still there.
	Same func() bool
	// Path is how messages call a table, and a field of one: "tuning.speed".
	Path string
	// Field returns a field of a Table. Of one with items, Item returns these, Len
	// says how many there are when the kernel is made, and Length how many there are now,
	// -1 where there is no such table any more.
	Field  func(name string) Resolved
	Item   func(i int) Resolved // Item(0) is the number of items
	Len    func() int
	Length func() int
	// Items copies a part of each item, of a Table with items: what a path of names
	// leads to, or with inner, which is how many there are, all items of the list
	// there. It returns what these are: Number, Truth, or Other if not all are one of
	// them. Inside tells what is in the first item: a Table with its Len, or one of
	// the other kinds.
	Items  func(path []string, inner int, items []float64) ValueKind
	Inside func(path []string) Resolved
	// Still, of a Table that can be replaced, reports whether there is a table, the
	// same one or another. Full reports whether none of its first n items is nil by now,
	// and Tables whether a path of names leads to a table in each of them.
	Still  func() bool
	Full   func(n int) bool
	Tables func(path []string, n int) bool
	// made, of an item that was found by an index, is what it is in the kernel.
	made   func(syntax.Pos) val
	final  bool      // it stays what it is
	answer int       // its number, see witness; 0: it was not asked for, or nobody notes it
	item   *listItem // of a Table that is one
	loose  bool      // of a Text: the name for it may stand for another one
	// Home, of a field of a table, reports whether the very same table is there.
	Home func() bool
	// Takes is how many numbers a function of the host's own takes, and Second says that it has a
	// second result, which is true.
	Takes  int
	Second bool
	// Code is what a function is made of.
	Code *Function
	// Ref is a Component, an Event or a Prefab as the host knows it, with its
	// fields. Unreachable says why no kernel can read it; empty: it can.
	Ref         any
	Fields      []schema.Field
	Size        uintptr // bytes of a value, from one row to the next; of a prefab, of all that is in it
	Ruled       bool    // others come with it, or keep it away
	Pooled      bool    // the values are not in the columns of their entities
	Unreachable string
}

// ValueKind says what a name outside of the function stands for.
type ValueKind uint8

// The kinds of values.
const (
	Other ValueKind = iota // of no use in a kernel
	Number
	Truth
	Text
	Builtin // a function of a library
	Table   // of which fields can be read
	Code    // a function of a script
	Component
	Event
	Prefab
)

// Function is a function of a script that a kernel may call.
type Function struct {
	Script            *ScriptFacts
	File              string
	ID                syntax.FuncID
	Key               any // tells functions apart
	Captured, Library func(name string) Resolved
	Global            func(name string) Resolved
}

// Refusal says why a function has no kernel.
type Refusal struct {
	syntax.Pos              // of the token in the each function that stands in the way
	What       string       // a noun: "a string"
	Instead    string       // what to write in its place; empty: there is nothing to be said
	In         ir.TextPlace // the place in a function that is called; nowhere: in the function itself

	// Mistake is why each row fails there; nil: it is a matter of speed, or not certain.
	Mistake *Mistake

	passing bool // it is about a value that may be another one later

	whole bool // it is about the whole function
	rare  bool // it is a call of what is made for what seldom happens, see callee

	operand string   // what Lua calls the value that the place surely has; empty: it may have any
	among   []string // of a field that is nil: the names of those beside it
}

// Passing reports whether the reason is a value outside of the function, which may be another
// one later: then there may be a kernel.
func (r *Refusal) Passing() bool { return r.passing }

// Error returns the reason with its place.
func (r *Refusal) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", r.Line(), r.Column(), r.Message())
}

// Message returns the reason without its place.
func (r *Refusal) Message() string {
	text := r.What + " is not available in kernels"
	if r.Instead != "" {
		text += ": " + r.Instead
	}
	if r.In != (ir.TextPlace{}) {
		return fmt.Sprintf("%s: %s", r.In, text)
	}
	return text
}
