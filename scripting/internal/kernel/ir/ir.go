package ir

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs/schema"
)

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

// Places where nothing is.
const (
	Nowhere = -1 // there is no such thing
	Unclear = -2 // Lua would raise an error instead of saying that there is none
)

// Op says what an expression computes.
type Op uint8

// The operations, with the types of their operands. Those from Add to Zero but
// Mod, and the comparisons, take Num32 as well as Num, all operands of one type.
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

// Expr is a tree. Nodes belong to one place each: passes change them there.
type Expr struct {
	Op        Op
	Type      Type
	Args      []*Expr
	Value     float64 // of Const
	Local     int     // of Get and Tee
	Name      string  // of Call
	HostCall  int     // of Fetch, Ask and Do
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

// Kind says what a statement does.
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

// Row is the label of the block around the whole body.
const Row = 0

// Stmt is a statement.
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

// Span says that a local holds a whole number from Low to High.
type Span struct{ Low, High float64 }

// Column is a run of structs in memory, one for each row.
type Column struct {
	Name     string
	Term     int    // of the query; Entities for the handles of the rows
	Stride   uint32 // bytes from one row to the next
	Optional bool   // rows may lack it; then its fields are 0 and false
}

// Entities is the Term of the column that holds the handles of the rows.
const Entities = -1

// Field is one field of a column's struct. Every row loads it into its local.
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

// Input is a local that has its value from outside, when the kernel is called.
// With Store, the body assigns it, and the value after the last row that was
// finished is a result of the kernel.
type Input struct {
	Local int
	Store bool
	// Read returns the value now, 1 for true; false when there is none of the
	// local's type, and the kernel cannot run. Write takes the result.
	Read  func() (float64, bool)
	Write func(float64)
}

// Type returns what the field's local holds.
func (f *Field) Type() Type {
	switch {
	case f.Single:
		return Num32
	case f.AsHandle:
		return Handle
	}
	return TypeOf(f.Kind)
}

// TypeOf returns what a local that holds values of a kind holds.
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

// Func is a kernel.
type Func struct {
	Name       string
	Columns    []Column
	Fields     []Field
	Inputs     []Input
	HostCalls  []HostCall
	Components []Component
	Lists      []List
	Memory     Memory
	Same       []func() bool // what must hold for the kernel to run
	Locals     []Local
	Spans      map[int]Span // of locals that are assigned in one place
	Once       []*Stmt      // Sets that run once in a call, before the first row
	Body       []*Stmt
	Single     bool // arithmetic on F32 fields is float32: precision = "f32"
	Fallbacks  []Fallback

	names localNames
}

// Fallback is a branch of the function that has no translation: the body stops there, and the VM runs the row.
// Whatever its text does then happens between two rows.
type Fallback struct {
	Line     int
	Column   int
	Why      string // in a sentence; What and In are parts of it, see lower.Refusal
	What, In string
	Rare     bool // it calls what is made for what seldom happens
}

// Safe reports whether the kernel can never stop before the last row, but for want
// of room for its changes; see Noted.
func (f *Func) Safe() bool { return len(f.StopReasons()) == 0 }

// Fuelled reports whether rows may need fuel.
func (f *Func) Fuelled() bool {
	fuelled := false
	Walk(f.Body, func(s *Stmt) { fuelled = fuelled || s.Kind == Loop && s.Cost > 0 })
	return fuelled
}

// StopReasons says, in words, what can make the kernel stop at a row.
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

// Ordered reports whether it matters in which order the rows run.
func (f *Func) Ordered() bool {
	return f.carries() || Any(f.Body, (*Expr).External)
}

// carries reports whether a row leaves a value for the next one.
func (f *Func) carries() bool {
	return slices.ContainsFunc(f.Inputs, func(in Input) bool { return in.Store })
}

// Random reports whether the kernel draws random numbers.
func (f *Func) Random() bool {
	return Any(f.Body, func(e *Expr) bool { return e.Op == Random || e.Op == Draw })
}

// FieldOf returns the field whose local it is, nil for other locals.
func (f *Func) FieldOf(local int) *Field {
	for i := range f.Fields {
		if f.Fields[i].Local == local {
			return &f.Fields[i]
		}
	}
	return nil
}

// InputOf returns the input whose local it is, nil for other locals.
func (f *Func) InputOf(local int) *Input {
	for i := range f.Inputs {
		if f.Inputs[i].Local == local {
			return &f.Inputs[i]
		}
	}
	return nil
}
