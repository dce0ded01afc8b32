package lua

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// Get returns a value of the running function: an argument, or what was pushed.
func (L *LState) Get(i int) LValue { return FromValue(thread(L).Current().Get(i)) }

// GetTop returns how many values there are.
func (L *LState) GetTop() int { return thread(L).Current().Top() }

// SetTop makes it so many.
func (L *LState) SetTop(n int) { thread(L).Current().SetTop(n) }

// Push adds a value.
func (L *LState) Push(v LValue) { thread(L).Current().Push(ToValue(v)) }

// Pop takes values away from the end.
func (L *LState) Pop(n int) { thread(L).Current().Pop(n) }

// Replace sets one of the values.
func (L *LState) Replace(i int, v LValue) { thread(L).Current().Set(i, ToValue(v)) }

// NewTable makes a table.
func (L *LState) NewTable() *LTable { return L.CreateTable(0, 0) }

// CreateTable makes a table with room for items and keys.
func (L *LState) CreateTable(items, keys int) *LTable {
	return (*LTable)(VM(L).Heap.NewTable(items, keys))
}

// NewThread makes a thread for calls of the host.
func (L *LState) NewThread() (*LState, context.CancelFunc) {
	return (*LState)(VM(L).NewThread(nil)), nil
}

// Call calls a function that was pushed before its arguments.
func (L *LState) Call(arguments, results int) { thread(L).Current().CallTop(arguments, results) }

// PCall is Call that returns what is raised.
func (L *LState) PCall(arguments, results int, _ *LFunction) error {
	th := thread(L)
	below := th.Current().Top() - arguments - 1
	if r := th.Protect(func() { th.Current().CallTop(arguments, results) }); r != nil {
		th.Current().SetTop(below)
		return returned(r)
	}
	return nil
}

// CallByParam calls a function with what it is given.
func (L *LState) CallByParam(p P, given ...LValue) error {
	L.Push(p.Fn)
	for _, v := range given {
		L.Push(v)
	}
	if p.Protect {
		return L.PCall(len(given), p.NRet, nil)
	}
	L.Call(len(given), p.NRet)
	return nil
}

// returned is what a protected call returns for what was raised.
func returned(r *machine.Raised) error {
	kind := ApiErrorRun
	if r.Err != nil && r.Err.Kind == diag.Panic {
		kind = ApiErrorPanic
	}
	return &ApiError{Type: kind, Object: NewUserData(r, nil), StackTrace: "-"}
}

// Carry returns what is raised for an error, which a script sees as a value.
func Carry(e *diag.Error, value LValue) LValue {
	return NewUserData(&machine.Raised{Value: ToValue(value), Err: e}, nil)
}

func raisedBehind(v LValue) *machine.Raised {
	if u, ok := v.(*LUserData); ok {
		r, _ := u.Value.(*machine.Raised)
		return r
	}
	return nil
}

// Carried returns the error and the value behind what was raised; false for a value that
// was raised itself.
func Carried(v LValue) (e *diag.Error, value LValue, ok bool) {
	if r := raisedBehind(v); r != nil {
		return r.Err, FromValue(r.Value), true
	}
	return nil, nil, false
}

// IsRaised reports whether a panic is an error of a script on its way.
func IsRaised(cause any) bool {
	switch cause.(type) {
	case *machine.Raised, *lua.ApiError:
		return true
	}
	return false
}

// Raise panics with what Carry has returned.
func Raise(carried LValue) { panic(raisedBehind(carried)) }

// Panic is Raise for a panic of Go code.
func Panic(carried LValue) { Raise(carried) }

// OnRaise does nothing: what the machine raises is carried.
func OnRaise(*LState, func(*LState)) {}

// Error raises a value, or what Carry has returned.
func (L *LState) Error(v LValue, _ int) {
	if r := raisedBehind(v); r != nil {
		panic(r)
	}
	thread(L).Raise(ToValue(v))
}

// RaiseError raises a text.
func (L *LState) RaiseError(format string, v ...any) {
	thread(L).Fail(&diag.Error{Message: fmt.Sprintf(format, v...)})
}

// CheckString returns an argument that is a text.
func (L *LState) CheckString(i int) string {
	if s, ok := TextAt(L, i); ok {
		return s
	}
	v := L.Get(i)
	if n, ok := v.(LNumber); ok {
		return n.String()
	}
	L.RaiseError("bad argument #%d: string expected, got %s", i, v.Type())
	return ""
}

// CheckTable returns an argument that is a table.
func (L *LState) CheckTable(i int) *LTable {
	t, ok := L.Get(i).(*LTable)
	if !ok {
		L.RaiseError("bad argument #%d: table expected, got %s", i, L.Get(i).Type())
	}
	return t
}

// ToString returns a value as a text, "" for what has none.
func (L *LState) ToString(i int) string { return LVAsString(L.Get(i)) }

// ToStringMeta returns the text of a value, by its __tostring where it has one.
func (L *LState) ToStringMeta(v LValue) LValue {
	if f, ok := L.GetMetaField(v, "__tostring").(*LFunction); ok {
		return FromValue(thread(L).Call1(ToValue(f), ToValue(v)))
	}
	return LString(v.String())
}

// GetMetaField returns a field of the metatable of a value.
func (L *LState) GetMetaField(v LValue, name string) LValue {
	meta := VM(L).Meta(ToValue(v))
	if meta == nil {
		return LNil
	}
	return FromValue(meta.GetString(name))
}

// GetField returns a field, with metamethods.
func (L *LState) GetField(v LValue, name string) LValue {
	return FromValue(thread(L).Index(ToValue(v), machine.String(name)))
}

// SetField sets a field, with metamethods.
func (L *LState) SetField(v LValue, name string, to LValue) { L.SetTable(v, LString(name), to) }

// SetTable sets the value of a key, with metamethods.
func (L *LState) SetTable(v, key, to LValue) {
	thread(L).SetIndex(ToValue(v), ToValue(key), ToValue(to))
}

// GetGlobal returns a global of functions that have no environment of their own.
func (L *LState) GetGlobal(name string) LValue {
	return (*LTable)(stateOf(L).globals).RawGetString(name)
}

// SetGlobal sets one.
func (L *LState) SetGlobal(name string, v LValue) {
	(*LTable)(stateOf(L).globals).RawSetString(name, v)
}

// Context returns what counts the work of the state.
func (L *LState) Context() context.Context { return stateOf(L).ctx }

// SetContext has a context count the work of the state.
func (L *LState) SetContext(ctx context.Context) { stateOf(L).ctx = ctx }

// RemoveContext ends that.
func (L *LState) RemoveContext() context.Context {
	ctx := stateOf(L).ctx
	stateOf(L).ctx = nil
	return ctx
}

// Close does nothing: a machine holds nothing but memory.
func (L *LState) Close() {}

// Registry returns a table of a state which no script can reach.
func Registry(L *LState) *LTable { return (*LTable)(stateOf(L).registry) }

// IsCoroutine reports whether a thread was made by another one.
func IsCoroutine(L *LState) bool { return thread(L).Body() != nil }

// Load makes a function of a text.
func (L *LState) Load(text io.Reader, name string) (*LFunction, error) {
	chunk, err := parse.Parse(text, name)
	if err != nil {
		return nil, err
	}
	p, err := lua.Compile(chunk, name)
	if err != nil {
		return nil, err
	}
	return L.NewFunctionFromProto(p), nil
}

// DoString runs a text.
func (L *LState) DoString(text string) error {
	f, err := L.Load(strings.NewReader(text), "<string>")
	if err != nil {
		return err
	}
	L.Push(f)
	return L.PCall(0, 0, nil)
}

// NumberAt returns a value of the running function if it is a number.
func NumberAt(L *LState, i int) (x float64, ok bool) {
	v := thread(L).Current().Get(i)
	return v.Float(), v.IsNumber()
}

// TextAt returns a value of the running function if it is a text.
func TextAt(L *LState, i int) (text string, ok bool) {
	if s := thread(L).Current().Get(i).Str(); s != nil {
		return s.String(), true
	}
	return "", false
}

// PushNumber adds a number to the values of the running function.
func PushNumber(L *LState, x float64) { thread(L).Current().Push(machine.Number(x)) }

// BoolAt returns a value of the running function if it is a boolean.
func BoolAt(L *LState, i int) (b, ok bool) {
	v := thread(L).Current().Get(i)
	return v.Truth(), v.IsBool()
}

// UserDataAt returns a value of the running function if it is a userdata, else nil.
func UserDataAt(L *LState, i int) *LUserData {
	return (*LUserData)(thread(L).Current().Get(i).Userdata())
}

// PushBool adds a boolean to the values of the running function.
func PushBool(L *LState, b bool) { thread(L).Current().Push(machine.Bool(b)) }

// Take counts steps on the budget of the running call, and raises nothing.
func Take(L *LState, steps int) { VM(L).Take(int64(steps)) }

// Charge counts steps on the budget of the running call, and raises its error when they were
// too many.
func Charge(L *LState, steps int) { VM(L).Charge(thread(L), steps) }

// Alloc is Charge for bytes, and for the steps to fill them.
func Alloc(L *LState, bytes int) { VM(L).Alloc(thread(L), bytes) }

// AllocKeys charges the steps to fill a table with so many keys that is about to be made: its
// bytes are counted when it takes them.
func AllocKeys(L *LState, n int) { Charge(L, n*stepsPerKey) }

const stepsPerKey = 2

// Grow is Charge for the bytes of small values.
func Grow(L *LState, bytes int) { VM(L).Grow(thread(L), int64(bytes)) }
