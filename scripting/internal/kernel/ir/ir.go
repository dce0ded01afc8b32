package ir

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs/schema"
)

// This file holds the nouns of the intermediate form: Func and what it lists, Stmt, Expr and
// their types. What a kernel asks of the host is in host.go, how trees are walked in
// walk.go, and what must be true of all of this in check.go.

// Type is what a local or an expression holds.
type Type uint8

// The types. A Num is a float64, as in Lua; a Num32 is a float32, which only
// kernels with precision = "f32" have. A Place is where something lies in the
// world's memory, in bytes, or one of the two that follow. A Handle is what an
// entity field holds, all 64 bits of it; two of them that are one number in Lua are
// equal, and 0 stands for no entity.
const (
	Num Type = iota + 1
	Bool
	Place
	Num32
	Handle
)

// Places where nothing is. A place is written as a constant only for these two: every
// other one is an address, which depends on the row and is computed.
const (
	Nowhere = -1 // there is no such thing
	Unclear = -2 // Lua would raise an error instead of saying that there is none
)

// Op says what an expression computes. opInfo, in text.go, has the types and the number of
// operands of each; a new operation needs a line there, one in package wasm, and one in the
// evaluator of package kerneltest, which says what it means.
type Op uint8

// The operations, with the types of their operands. Those from Add to Zero but
// Mod, and the comparisons, take Num32 as well as Num, all operands of one type: see
// Op.Arithmetic, which relies on the order of this list.
//
// Those from Random to Do look outside of the kernel, see Expr.External. Nothing there is
// written by a store of the row itself, which comes last, so two equal looks in one row
// see the same, but for those with an effect.
//
// Why Zero? No result of arithmetic is -0 in Lua: the VM has one zero for all of them. lower
// writes a Zero after each operation that may give -0, and a pass takes out those of which
// nobody can see whether they are there.
const (
	Const   Op = iota + 1 // Value; a Bool is 0 or 1
	Get                   // Local
	Tee                   // any: assigns Local and gives the value
	DT                    // seconds since the last tick, the same for all rows
	Time                  // seconds of simulation, the same for all rows
	Tick                  // ticks since the start, the same for all rows
	Present               // Column: whether the rows have it, the same for all rows

	Random  // the next fraction of the random numbers; changes what comes next
	Draw    // Num, Num: the next random whole number from the first to the second
	Touched // Num or Handle: whether the run has done something to the entity
	Alive   // Num or Handle: whether it is the handle of a living entity
	Record  // Num or Handle: the Place of an entity's record, that of nobody's for the dead and for 0; Unclear
	Find    // Place: Component: the Place of the component of the entity with that record; Nowhere. No operand: it is the value of a Set
	Fetch   // Num: HostCall: the same by way of the host, of an entity; Unclear
	Step    // Place, Num: so many bytes further on
	Load    // Place: a value of kind Kind, Offset bytes further on
	Here    // Column: the Place of the row's own struct
	Item    // Num: List: its item at an index from 1 up; any of them where there is none
	Ask     // Num: HostCall: what the host says about an entity, not-a-number: it will not say
	Invoke  // five Nums: HostCall: what a function that the host has exposed returns, not-a-number: the row is Lua's
	Do      // Num…: HostCall: notes a change for the host; false: Lua may refuse to make it. The first may be a Handle

	Add   // Num, Num
	Sub   // Num, Num
	Mul   // Num, Num
	Div   // Num, Num
	Mod   // Num, Num: Lua's %
	Neg   // Num
	Abs   // Num
	Ceil  // Num
	Floor // Num
	Sqrt  // Num
	Zero  // Num: -0 becomes 0, as the VM has it with what it computes
	Call  // Num…: Name, a function of the host

	// Sincos is the sine and the cosine of an angle, which take less together than each by
	// itself. Both are assigned, to Local and to Cosine, and Name says which one is the value:
	// "sin" or "cos". The last of the passes makes it; no other one knows it.
	Sincos // Num

	Widen  // Num32: the same number
	Narrow // Num: the nearest float32
	Number // Handle: the number that Lua has for it

	Lt   // Num, Num
	Le   // Num, Num
	Eq   // two of one type
	Ne   // two of one type
	And  // Bool, Bool
	Or   // Bool, Bool
	Not  // Bool
	Pick // two of one type, Bool: the first if it is true
)

// Expr is a tree. Nodes belong to one place each: passes change them there. A pass that
// needs a tree twice copies it, or keeps its value in a local; a node with two parents
// would be rewritten twice.
//
// Which of the fields mean something follows from Op; all others are zero. They are plain
// numbers and not values of an interface, so that a tree can be copied by assignment and
// compared by its key, see package passes.
type Expr struct {
	Op        Op
	Type      Type
	Args      []*Expr
	Value     float64 // of Const
	Local     int     // of Get, Tee and Sincos
	Cosine    int     // of Sincos: the local that gets the cosine
	Name      string  // of Call and Sincos
	HostCall  int     // of Fetch, Ask, Invoke and Do
	Component int     // of Find
	List      int     // of Item
	Kind      schema.Kind
	// Offset is in bytes, of Load; Column belongs to Present and Here.
	Offset uint32
	Column int

	// Sure says of Do that Lua cannot refuse the change, whatever the row holds: it
	// is always noted, without a look at its values.
	Sure bool

	// Lazy says of And, Or and Pick that what need not be evaluated is not. Then
	// Pick evaluates its last operand first. It costs a jump, so only operands
	// that cost more are worth it.
	Lazy bool
}

// Kind says what a statement does. There is no jump but Leave, which only leads outwards:
// what holds at a place can be found by walking the tree once, see package passes, flow.go,
// and the module needs no dispatch.
type Kind uint8

// The statements.
const (
	Set   Kind = iota + 1 // Local = Value
	If                    // Value, Body, Else
	Block                 // Label, Body: a place to leave
	Loop                  // Body again and again, for Cost units of fuel each time, or Turns times at most
	Leave                 // goes to the end of block Label
	Stop                  // leaves the row as it was and ends the kernel: Why
)

// Row is the label of the block around the whole body. To leave it is to return from the
// each function: the row's fields are stored, as at the end of the body.
const Row = 0

// Stmt is a statement. As with Expr, Kind says which fields count.
//
// A Loop has no condition of its own: it ends by a Leave to a Block around it. Cost is what
// the VM would take for one turn, in instructions, so that a loop ends as a kernel where it
// would have ended in Lua. Loops that are known to end within some turns take no fuel: to
// count them would cost more than they do.
type Stmt struct {
	Kind  Kind
	Local int
	Value *Expr
	Body  []*Stmt
	Else  []*Stmt
	Label int
	Cost  int // 0: the loop is known to end soon, after
	Turns int // so many
	Why   string
	Line  int // of the text, for messages; 0 where nothing stands for it
}

// Span says that a local holds a whole number from Low to High, both included. lower knows
// it of the index of a loop over constants; the passes that bound numbers rely on it.
type Span struct{ Low, High float64 }

// Column is an array of structs in memory, one for each row, that a call of the kernel is
// given the address of. A component in a pool is a column of one row.
type Column struct {
	Name     string
	Term     int    // of the query; Entities for the handles of the rows
	Stride   uint32 // bytes from one row to the next
	Optional bool   // rows may lack it; then its fields are 0 and false
}

// Entities is the Term of the column that holds the handles of the rows.
const Entities = -1

// Field is one field of a column's struct. Every row loads it into its local, and where
// Store is set, the local is written back at the end of the row: the body never writes
// memory. That is why a row that stops is left as it was without an undo.
//
// An element of an array with a constant index is a field like any other. Where the index
// is computed, the body finds the element itself, by Here, Step and Load.
type Field struct {
	Local    int
	Column   int
	Kind     schema.Kind
	Offset   uint32
	Store    bool // assigned somewhere in the body, so written back at its end
	Proven   bool // no value can get here that the kind does not hold
	Single   bool // an F32 whose local is a Num32: neither load nor store converts it
	AsHandle bool // a Ref whose local is a Handle: neither load nor store converts it
}

// InputLocal is a local that has its value from outside, when the kernel is called.
// With Store, the body assigns it, and the value after the last row that was
// finished is a result of the kernel.
type InputLocal struct {
	Local int
	Store bool
	// Read returns the value now, 1 for true; false when there is none of the
	// local's type, and the kernel cannot run. Write takes the result.
	Read  func() (float64, bool)
	Write func(float64)
	From  int // for package lower: which value of the script it is
}

// Condition is what must be so outside of the kernel for it to run. Else says what is so where
// it does not hold: `"gates" has another length`.
type Condition struct {
	Holds func() bool
	Else  string
	From  int // as that of an InputLocal
}

// Type returns what the field's local holds. It follows from Kind until a pass sets Single
// or AsHandle, so passes that run before see Num for all numbers.
func (f *Field) Type() Type {
	switch {
	case f.Single:
		return Num32
	case f.AsHandle:
		return Handle
	}
	return TypeOf(f.Kind)
}

// TypeOf returns what a local that holds values of a kind holds, as lower makes it: all
// numbers are Num there, as in Lua, entities among them.
func TypeOf(k schema.Kind) Type {
	if k == schema.Bool {
		return Bool
	}
	return Num
}

// Checked reports whether storing the field can fail. The body itself takes care
// of what goes into enums.
func (f *Field) Checked() bool {
	return f.Store && !f.Proven && f.Kind != schema.F64 && f.Kind != schema.F32 && f.Kind != schema.Bool && f.Kind != schema.Enum
}

// Range returns the lowest and the highest number that an integer field of up to
// 32 bits may hold; 0, 0 for all others. Those of 64 bits may hold what a float64
// cannot, and the body itself takes care of bools and enums.
func (f *Field) Range() (low, high float64) {
	switch f.Kind {
	case schema.I8, schema.I16, schema.I32, schema.U8, schema.U16, schema.U32:
		return f.Kind.Range()
	}
	return 0, 0
}

// Func is a kernel. It is made by lower, changed in place by the passes, and only read by
// packages vector and wasm. It belongs to one goroutine; the functions in Inputs, Lists and
// Same look at values of the script and are called on the goroutine of the Lua state.
//
// Columns, Inputs, Components and HostCalls are part of how the module is called: their
// order is the order of its parameters and the numbers in notes, so no pass adds, drops or
// reorders any. Locals may be added by passes; those that nothing reads any more stay,
// for their numbers are in the tree.
type Func struct {
	Name       string
	Columns    []Column
	Fields     []Field
	Inputs     []InputLocal
	HostCalls  []HostCall
	Components []Component
	Lists      []List
	Memory     Memory
	Same       []Condition // of the kernel, to run
	Locals     []Local
	Spans      map[int]Span // of locals that are assigned in one place
	Once       []*Stmt      // Sets that run once in a call, before the first row
	Body       []*Stmt
	Single     bool // arithmetic on F32 fields is float32: precision = "f32"
	Fallbacks  []Fallback

	names localNames
}

// TextPlace is a token in the text of a file; Line and Column, in bytes, are both from 1. The zero TextPlace is nowhere.
type TextPlace struct {
	File         string
	Line, Column int
}

// String returns file:line:column.
func (p TextPlace) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Fallback is a branch of the function that has no translation: the body stops there, and
// the VM runs the row. There is one for each reason that lower found; perigee explain
// shows them with their lines.
// Whatever its text does then happens between two rows.
type Fallback struct {
	Line    int
	Column  int
	Why     string // in a sentence; What, Instead and In are parts of it, see lower.Refusal
	What    string
	Instead string
	In      TextPlace // nowhere: in the function itself
	Rare    bool      // it calls what is made for what seldom happens
	Passing bool      // it is about a value that may be another one later
}

// Safe reports whether the kernel can never stop before the last row, but for want
// of room for its changes; see Noted.
func (f *Func) Safe() bool { return len(f.StopReasons()) == 0 }

// Fuelled reports whether rows may need fuel. Only loops do: everything else is bounded by
// the size of the function, see Work. What runs once has no loops.
func (f *Func) Fuelled() bool {
	fuelled := false
	Walk(f.Body, func(s *Stmt) { fuelled = fuelled || s.Kind == Loop && s.Cost > 0 })
	return fuelled
}

// StopReasons says, in words, what can make the kernel stop at a row, each once and in the
// order of fields and text. It is asked after all passes: they prove many of them away.
func (f *Func) StopReasons() []string {
	var list []string
	note := func(why string) {
		if !slices.Contains(list, why) {
			list = append(list, why)
		}
	}
	for i := range f.Fields {
		if f.Fields[i].Checked() {
			note(fmt.Sprintf("%s may get what a field of kind %s cannot hold", f.Locals[f.Fields[i].Local].Name, f.Fields[i].Kind))
		}
	}
	Walk(f.Body, func(s *Stmt) {
		switch {
		case s.Kind == Loop && s.Cost > 0:
			note("a loop may not end")
		case s.Kind == Stop:
			note(s.Why)
		}
	})
	if _, bounded := f.Noted(); !bounded {
		note("a loop may make more changes than there is room for")
	}
	return list
}

// Ordered reports whether it matters in which order the rows run. An ordered kernel is
// never unrolled, because the rows of a group run last to first there.
func (f *Func) Ordered() bool {
	return f.carries() || Any(f.Body, (*Expr).External)
}

// carries reports whether a row leaves a value for the next one.
func (f *Func) carries() bool {
	return slices.ContainsFunc(f.Inputs, func(in InputLocal) bool { return in.Store })
}

// Random reports whether the kernel draws random numbers. If so, the state of the
// generator is a parameter and a result of each call.
func (f *Func) Random() bool {
	return Any(f.Body, func(e *Expr) bool { return e.Op == Random || e.Op == Draw })
}

// FieldOf returns the field whose local it is, nil for other locals. O(fields): there are
// few, and a map would have to follow each pass that adds one.
func (f *Func) FieldOf(local int) *Field {
	for i := range f.Fields {
		if f.Fields[i].Local == local {
			return &f.Fields[i]
		}
	}
	return nil
}

// InputOf returns the input whose local it is, nil for other locals.
func (f *Func) InputOf(local int) *InputLocal {
	for i := range f.Inputs {
		if f.Inputs[i].Local == local {
			return &f.Inputs[i]
		}
	}
	return nil
}
