package lua

import (
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/yuin/gopher-lua"
)

func function(f *LFunction) *machine.Function { return (*machine.Function)(f) }

// native makes a function of the machine of one that works on a thread.
func native(f LGFunction) machine.Native {
	return func(c *machine.Call) { c.Return(f((*LState)(c.Thread()))) }
}

// NewFunction makes a function of Go.
func (L *LState) NewFunction(f LGFunction) *LFunction { return L.NewClosure(f) }

// NewClosure makes a function of Go that holds values.
func (L *LState) NewClosure(f LGFunction, held ...LValue) *LFunction {
	values := make([]machine.Value, len(held))
	for i, v := range held {
		values[i] = ToValue(v)
	}
	return (*LFunction)(machine.NewNative("", native(f), values...))
}

// NewNative makes a function of Go that works on its call, and may hold a value.
func NewNative(f func(*machine.Call), held LValue) *LFunction {
	if held == nil {
		return (*LFunction)(machine.NewNative("", f))
	}
	return (*LFunction)(machine.NewNative("", f, ToValue(held)))
}

// NewFunctionFromProto makes a function of what the compiler has made of a text.
func (L *LState) NewFunctionFromProto(p *FunctionProto) *LFunction {
	return (*LFunction)(VM(L).Load(p, stateOf(L).globals))
}

// Proto returns what the compiler has made of a function of Lua.
func Proto(f *LFunction) *FunctionProto {
	if p := function(f).Proto(); p != nil {
		return p
	}
	return noProto
}

// noProto stands for the prototype of a blank function.
var noProto = &FunctionProto{}

// IsGo reports whether a function is one of Go.
func IsGo(f *LFunction) bool { return function(f).IsNative() && !isBlank(f) }

// Env returns the globals of a function.
func Env(f *LFunction) *LTable { return (*LTable)(function(f).Env()) }

// SetEnv gives a function its globals.
func SetEnv(f *LFunction, env *LTable) { function(f).SetEnv(table(env)) }

// Captures returns how many variables a function has captured; what a function of Go holds
// is one, too.
func Captures(f *LFunction) int { return function(f).Captures() }

// Captured returns a variable that a function has captured, from 0.
func Captured(f *LFunction, i int) *Upvalue { return (*Upvalue)(function(f).Captured(i)) }

// blanks is the name of functions that stand for others.
const blanks = "\x00blank"

// Blank makes a function of Lua that stands for one of which nothing is known. Nobody calls
// it.
func Blank() *LFunction { return (*LFunction)(machine.NewNative(blanks, func(*machine.Call) {})) }

func isBlank(f *LFunction) bool { return function(f).Name() == blanks }

// Placeholder is what the compiler puts into the constants of prototypes for a function that each
// state has its own of.
type Placeholder = lua.LFunction

// SetConstant says what a mark stands for in a state.
func SetConstant(L *LState, p *Placeholder, f *LFunction) { stateOf(L).constants[p] = function(f) }

// constant returns what a constant of a prototype stands for.
func (s *state) constant(v lua.LValue) machine.Value {
	if f, ok := v.(*lua.LFunction); ok && s.constants[f] != nil {
		return machine.OfFunction(s.constants[f])
	}
	return machine.Nil
}
