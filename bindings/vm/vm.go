package vm

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// Register is a place for a Lua value in which a number needs no box: Number, if
// Value is nil. Value never holds a number.
type Register struct {
	Value  lua.LValue
	Number float64
}

// Set puts a number into the register.
func (r *Register) Set(n float64) {
	if r.Number = n; r.Value != nil {
		r.Value = nil
	}
}

// Put puts a boxed value into the register.
func (r *Register) Put(v lua.LValue) {
	if n, ok := v.(lua.LNumber); ok {
		r.Set(float64(n))
		return
	}
	r.Value = v
}

// Box returns what the register holds as tables and functions of Go have it. A lazy table
// becomes its table.
func (r *Register) Box(L *lua.LState) lua.LValue {
	switch v := r.Value.(type) {
	case nil:
		return lua.LNumber(r.Number)
	case *LazyTable:
		return v.Table(L)
	}
	return r.Value
}

// Truth reports whether Lua takes what the register holds for true.
func (r *Register) Truth() bool {
	switch v := r.Value.(type) {
	case *lua.LNilType:
		return false
	case lua.LBool:
		return bool(v)
	}
	return true
}

// Load reads one value of a field into the register; p is where the value is. It returns
// false for what has no register form: texts, structs and what Lua cannot read.
func (r *Register) Load(f *ecs.Field, p unsafe.Pointer) bool {
	switch f.Kind {
	case ecs.F64:
		r.Set(*(*float64)(p))
	case ecs.Bool:
		r.Value = lua.LBool(*(*bool)(p))
	case ecs.Enum:
		if i := int(*(*uint8)(p)); i < len(f.Names) {
			r.Value = value.Word(f, i)
		} else {
			r.Set(float64(i))
		}
	case ecs.String, ecs.Struct, ecs.Opaque:
		return false
	default:
		r.Set(f.Kind.Load(p))
	}
	return true
}

// Evaluator is a Lua function that is run in another way than by gopher-lua's loop, with
// the same results, errors and effects. Between Begin, on the thread that the calls
// are made on, and End its arguments are set and it is called any number of times.
type Evaluator interface {
	Begin(L *lua.LState)
	// Args returns a register for each parameter. Call changes them.
	Args() []Register
	// Call calls the function. The registers of the results are good until the
	// next call. alone means that nothing but the function's own instructions has run:
	// nothing was recorded.
	Call(L *lua.LState) (results []Register, alone bool)
	End()
}

// GoFunc stands for a Go function that scripts call. The first register holds the
// function and takes the result, those after it hold the arguments. Where it would raise an
// error, or does not know what to do, it changes nothing and returns false.
type GoFunc func(caller Caller, call []Register) bool

// Caller is what calls a GoFunc.
type Caller interface {
	// Spare returns a lazy table that none of its registers holds.
	Spare() *LazyTable
	// Afford reports whether the call may take so many steps more, and Spend counts
	// what it has allowed.
	Afford(steps int64) bool
	Spend(steps int64)
}

// Meter counts the instructions of a call, and what it allocates. The context of a thread
// is one, where the host limits what runs on it.
type Meter interface {
	// Left returns how many instructions may still be executed, none when the call is to
	// stop.
	Left() int64
	// Take counts some of them, and does nothing else.
	Take(n int64)
	// Attend does what is due after that: it looks at the clock, or at what has
	// grown, and may end the call at its next instruction.
	Attend()
	// Room returns how many bytes may still be made, and TakeBytes counts some.
	Room() int64
	TakeBytes(n int64)
}
