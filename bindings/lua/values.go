package lua

import "github.com/yuin/gopher-lua"

// Values without an identity are gopher-lua's for every machine: its compiler writes them
// into prototypes.
type (
	// LValue is any value of scripts.
	LValue = lua.LValue
	// LValueType is the type of a value.
	LValueType = lua.LValueType
	// LNilType is the type of LNil.
	LNilType = lua.LNilType
	// LBool is a boolean.
	LBool = lua.LBool
	// LNumber is a number.
	LNumber = lua.LNumber
	// LString is a text.
	LString = lua.LString
)

// What is around calls.
type (
	// Options say how large a state may become.
	Options = lua.Options
	// P says how a function is called.
	P = lua.P
	// ApiError is what a protected call returns.
	ApiError = lua.ApiError
)

// What the compiler makes.
type (
	// FunctionProto is a function without its captured variables.
	FunctionProto = lua.FunctionProto
	// DbgLocalInfo is the name of a local, and where it is visible.
	DbgLocalInfo = lua.DbgLocalInfo
)

// The types of values.
const (
	LTNil      = lua.LTNil
	LTBool     = lua.LTBool
	LTNumber   = lua.LTNumber
	LTString   = lua.LTString
	LTFunction = lua.LTFunction
	LTUserData = lua.LTUserData
	LTThread   = lua.LTThread
	LTTable    = lua.LTTable
)

const (
	// LTrue and LFalse are the booleans.
	LTrue, LFalse = LBool(true), LBool(false)
	// MultRet asks a call for all results.
	MultRet = lua.MultRet
	// ApiErrorRun is an error that was raised, ApiErrorPanic a panic of Go code.
	ApiErrorRun, ApiErrorPanic = lua.ApiErrorRun, lua.ApiErrorPanic
)

// LNil is nil. Nobody sets it.
var LNil = lua.LNil

// LVAsBool reports whether a value counts as true.
func LVAsBool(v LValue) bool { return lua.LVAsBool(v) }

// LVAsString returns the text of a text or a number, "" for any other value.
func LVAsString(v LValue) string { return lua.LVAsString(v) }
