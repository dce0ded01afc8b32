package lua

import (
	"context"
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/yuin/gopher-lua"
)

// Values with an identity are package machine's own structs under names of this package: a
// pointer becomes one of the other name at no cost.
type (
	// LTable is a table.
	LTable machine.Table
	// LFunction is a function of Lua or of Go.
	LFunction machine.Function
	// LUserData holds a Go value.
	LUserData machine.Userdata
	// LState is a thread: a coroutine, or the main thread of a state.
	LState machine.Thread
	// LGFunction is a function of Go, which returns how many results it has pushed.
	LGFunction func(*LState) int
	// Upvalue is a variable that a function has captured.
	Upvalue machine.Upvalue
)

// state is what a machine has beside its own for the packages above.
type state struct {
	registry, globals *machine.Table
	ctx               context.Context
	constants         map[*lua.LFunction]*machine.Function
}

// NewState makes a state without any library.
func NewState(options ...Options) *LState {
	o := machine.Options{}
	if len(options) > 0 {
		o.Depth, o.Registers = options[0].CallStackSize, options[0].RegistryMaxSize
	}
	s := &state{constants: map[*lua.LFunction]*machine.Function{}}
	o.Constant = s.constant
	vm := machine.New(o)
	s.registry, s.globals = vm.Heap.NewTable(0, 0), vm.Heap.NewTable(0, 0)
	vm.Host = s
	return (*LState)(vm.Main())
}

func thread(L *LState) *machine.Thread { return (*machine.Thread)(L) }

func stateOf(L *LState) *state { return thread(L).VM().Host.(*state) }

// VM returns the machine of a thread.
func VM(L *LState) *machine.VM { return thread(L).VM() }

// ToValue returns what the machine has for a value.
func ToValue(v LValue) machine.Value {
	switch v := v.(type) {
	case LNumber:
		return machine.Number(float64(v))
	case LString:
		return machine.String(string(v))
	case LBool:
		return machine.Bool(bool(v))
	case *LTable:
		return machine.OfTable((*machine.Table)(v))
	case *LFunction:
		return machine.OfFunction((*machine.Function)(v))
	case *LUserData:
		return machine.OfUserdata((*machine.Userdata)(v))
	case *LState:
		return machine.OfThread(thread(v))
	case nil, *LNilType:
		return machine.Nil
	}
	panic(fmt.Sprintf("lua: a value that no machine has: %T", v))
}

// FromValue returns a value of the machine.
func FromValue(v machine.Value) LValue {
	switch v.Kind() {
	case machine.KindNumber:
		return LNumber(v.Float())
	case machine.KindBoolean:
		return LBool(v.Truth())
	case machine.KindString:
		return LString(v.Str().String())
	case machine.KindTable:
		return (*LTable)(v.Table())
	case machine.KindFunction:
		return (*LFunction)(v.Function())
	case machine.KindUserdata:
		return (*LUserData)(v.Userdata())
	case machine.KindThread:
		return (*LState)(v.Thread())
	}
	return LNil
}

// Texts of values with an identity, and their types. The texts are for messages, which
// scripts see: an address would differ from run to run, and tell a script where its values
// lie in memory. Values that scripts ask for the text of have numbers, see package
// scripting/internal/library/notes.

// String implements LValue.
func (*LTable) String() string { return "table" }

// Type implements LValue.
func (*LTable) Type() LValueType { return LTTable }

// String implements LValue.
func (*LFunction) String() string { return "function" }

// Type implements LValue.
func (*LFunction) Type() LValueType { return LTFunction }

// String implements LValue.
func (*LUserData) String() string { return "userdata" }

// Type implements LValue.
func (*LUserData) Type() LValueType { return LTUserData }

// String implements LValue.
func (*LState) String() string { return "thread" }

// Type implements LValue.
func (*LState) Type() LValueType { return LTThread }

// Value returns what the variable holds.
func (u *Upvalue) Value() LValue { return FromValue((*machine.Upvalue)(u).Get()) }

// SetValue sets it.
func (u *Upvalue) SetValue(v LValue) { (*machine.Upvalue)(u).Set(ToValue(v)) }

// BoundLists does nothing: lists of the machine have no bound of their own.
func BoundLists(int) {}
