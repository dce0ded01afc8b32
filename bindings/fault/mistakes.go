package fault

import (
	"fmt"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	gopher "github.com/yuin/gopher-lua"
)

// The VM says of a failed instruction which types it had. What is named here are the values
// by the words of the text, as Lua 5.1 does. They are read where the VM reads them: in the
// registers and constants of the instruction at which the innermost function of Lua is.

// innermost returns the frame of the innermost function of Lua, nil if there is none.
func innermost(L *lua.LState) *lua.Frame {
	f := lua.Running(L)
	for f != nil && lua.IsGo(f.Fn) {
		f = f.Outside(1)
	}
	return f
}

// Named describes a value, which is the nth part of what stands at the instruction of the
// innermost function of Lua: "speed", a nil value. Part 0 is what is called.
func Named(L *lua.LState, n int, v lua.LValue) string {
	if f := innermost(L); f != nil {
		if name := sourceOf(L).Name(lua.Proto(f.Fn), f.At(), n); name != "" {
			return fmt.Sprintf("%q, %s", name, asValue(v))
		}
	}
	return asValue(v)
}

// asValue is TypeName as Lua says it of an operand, a nil value, with what it can be used for.
func asValue(v lua.LValue) string {
	name := TypeName(v)
	if name == v.Type().String() {
		name = "a " + name + " value"
	}
	return name + Use(v)
}

// Kind says what a value is, in words: nil, a table, a coroutine, the prefab Boss. The author
// of a script knows neither threads nor userdata.
func Kind(v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LState:
		return "a coroutine"
	case *lua.LUserData:
		if d, ok := v.Value.(interface{ Describe() string }); ok {
			return d.Describe()
		}
		return fmt.Sprintf("the host's %T", v.Value)
	}
	return diag.Article(v.Type().String())
}

// Written returns a key as messages write it: a text, a number and the like as it is, and
// every other value in the words of Kind. The address of a table or a function would differ
// from run to run, and tell scripts about the host's memory.
func Written(key lua.LValue) string {
	switch key.Type() {
	case lua.LTString, lua.LTNumber, lua.LTBool, lua.LTNil:
		return key.String()
	}
	return Kind(key)
}

// TypeName is the name of a value's type as messages say it: as in Lua, but in the words of
// Kind for what has no type that scripts know.
func TypeName(v lua.LValue) string {
	switch v.(type) {
	case *lua.LState, *lua.LUserData:
		return Kind(v)
	}
	return v.Type().String()
}

// UseKey is where the metatable of a table of the host's says what the table can be used for.
const UseKey = "\x00use"

// Use says what can be done with a value of ours that is used for what it is not for: to
// follow a message. It is empty for values of Lua.
func Use(v lua.LValue) string {
	use := ""
	switch v := v.(type) {
	case *lua.LTable:
		if meta, ok := lua.Metatable(v).(*lua.LTable); ok {
			use = lua.LVAsString(meta.RawGetString(UseKey))
		}
	case *lua.LUserData:
		if d, ok := v.Value.(interface{ Use() string }); ok {
			use = d.Use()
		}
	}
	if use != "" {
		use = ": " + use
	}
	return use
}

// Called returns how the innermost function of Lua writes what it calls; "" where the text
// does not say it.
func Called(L *lua.LState) string {
	if f := innermost(L); f != nil {
		return sourceOf(L).Name(lua.Proto(f.Fn), f.At(), 0)
	}
	return ""
}

// WithColon is the error of a call of a function that is no method, and that the innermost
// function of Lua writes with a colon; nil for any other call.
func WithColon(L *lua.LState, name string) *diag.Error {
	last := name[strings.LastIndexAny(name, ".:")+1:]
	if L.GetTop() == 0 || L.Get(1).Type() != lua.LTTable || !strings.HasSuffix(Called(L), ":"+last) {
		return nil
	}
	return ColonError(name)
}

// ColonError is the error of WithColon.
func ColonError(name string) *diag.Error {
	return diag.New("call it with a dot, %s(…): the colon makes what stands before it the first argument", name)
}

// Indexed is the part of what stands at an instruction whose field is read or set.
const Indexed = -1

// NotIndexable is the error of a look for a field in a value that has none, with the words
// of the text for the value where the innermost function of Lua looks for it. key is nil
// where it cannot be said.
func NotIndexable(L *lua.LState, v lua.LValue, key lua.LValue) *diag.Error {
	e := diag.New("attempt to index %s", asValue(v))
	named := false
	if f := innermost(L); f != nil && f.At() >= 0 && indexed(L, f) == v.Type() {
		words := Named(L, Indexed, v)
		if named = words[0] == '"'; named {
			e = diag.New("attempt to index %s", words)
		}
	}
	if key == nil {
		return e
	}
	if named {
		e.Message += ","
	}
	written := diag.Cut(Written(key))
	if key.Type() != lua.LTNumber {
		written = diag.Format("%q", written)
	}
	e.Message += " with key " + written
	return e
}

// indexed returns the type of the value whose field the instruction of a frame reads or
// sets; -1 where it does neither.
func indexed(L *lua.LState, f *lua.Frame) lua.LValueType {
	op, a, b, _ := bytecode.Parts(lua.Proto(f.Fn).Code[f.At()])
	switch op {
	case gopher.OP_GETTABLE, gopher.OP_GETTABLEKS, gopher.OP_SELF:
		return operand(L, f, b).Type()
	case gopher.OP_SETTABLE, gopher.OP_SETTABLEKS:
		return operand(L, f, a).Type()
	}
	return -1
}

// mistake says what is wrong with the instruction at which the innermost function of Lua
// is; nil for one that does not fail by its values. text is what the VM says of it.
func mistake(L *lua.LState, text string) *diag.Error {
	f := innermost(L)
	if f == nil || f.At() < 0 || !isMistake(text) {
		return nil
	}
	op, a, b, c := bytecode.Parts(lua.Proto(f.Fn).Code[f.At()])
	if isComparison(text) != (op == gopher.OP_LT || op == gopher.OP_LE) {
		return nil // what the instruction calls has compared
	}
	switch op {
	case gopher.OP_ADD, gopher.OP_SUB, gopher.OP_MUL, gopher.OP_DIV, gopher.OP_MOD, gopher.OP_POW:
		n, v := 1, operand(L, f, b)
		if v.Type() == lua.LTNumber {
			n, v = 2, operand(L, f, c)
		}
		return diag.New("attempt to perform arithmetic on %s", Named(L, n, v))
	case gopher.OP_UNM:
		return diag.New("attempt to perform arithmetic on %s", Named(L, 1, operand(L, f, b)))
	case gopher.OP_LEN:
		return diag.New("attempt to get the length of %s", Named(L, 1, operand(L, f, b)))
	case gopher.OP_LT, gopher.OP_LE:
		return diag.New("attempt to compare %s with %s", TypeName(operand(L, f, b)), TypeName(operand(L, f, c)))
	case gopher.OP_TFORLOOP, gopher.OP_CALL, gopher.OP_TAILCALL:
		return NotCallable(L, operand(L, f, a))
	}
	return nil
}

// operand returns the value of a register or a constant that an instruction names.
func operand(L *lua.LState, f *lua.Frame, n int) lua.LValue {
	if constant, ok := bytecode.Constant(n); ok {
		return lua.Proto(f.Fn).Constants[constant]
	}
	if v := f.Local(L, n); v != nil {
		return v
	}
	return lua.LNil
}

// NotCallable is the error of a call of a value that is no function, at the instruction of
// the innermost function of Lua.
func NotCallable(L *lua.LState, v lua.LValue) *diag.Error {
	f := innermost(L)
	if f == nil || f.At() < 0 {
		return diag.New("attempt to call %s", asValue(v))
	}
	if bytecode.Op(lua.Proto(f.Fn).Code[f.At()]) == gopher.OP_TFORLOOP {
		return diag.NoIterator(Named(L, 1, v), v.Type().String()).On(InLoop(L, 1))
	}
	words, name := Named(L, 0, v), callName(f)
	if words[0] == '"' {
		name = ""
	}
	if v == lua.LNil && (name != "" || strings.Contains(words, ":")) {
		words += ofReceiver(L, f)
	}
	if name != "" {
		words = diag.Format("%q, ", name) + words
	}
	return diag.New("attempt to call %s", words)
}

// ofReceiver is Use of the value whose method the instruction of a frame calls. Where
// __call has come between, what is called stands before it as well.
func ofReceiver(L *lua.LState, f *lua.Frame) string {
	at := bytecode.A(lua.Proto(f.Fn).Code[f.At()]) + 1
	if operand(L, f, at) == lua.LNil {
		at++
	}
	return Use(operand(L, f, at))
}

// callName returns the name that the VM knows of what is called at the instruction of a
// frame, if any.
func callName(f *lua.Frame) string {
	for _, call := range lua.Proto(f.Fn).DbgCalls {
		if call.Pc == f.At() && call.Name != "?" {
			return call.Name
		}
	}
	return ""
}

// CalledField returns the table and the field that the innermost function of Lua calls, as
// in math.mix(1, 2); nil where it calls something else. The table is a global or an outer
// local: a local of the function itself may be in no register, where the function does not
// run in the VM, and what is said of a mistake is the same wherever it runs.
func CalledField(L *lua.LState) (t *lua.LTable, field string) {
	f := innermost(L)
	if f == nil {
		return nil, ""
	}
	proto := lua.Proto(f.Fn)
	name, field, ok := strings.Cut(sourceOf(L).Name(proto, f.At(), 0), ".")
	if !ok || slices.ContainsFunc(proto.DbgLocals, func(local *lua.DbgLocalInfo) bool { return local.Name == name }) {
		return nil, ""
	}
	v := lua.Env(f.Fn).RawGetString(name)
	if i := slices.Index(proto.DbgUpvalues, name); i >= 0 && i < lua.Captures(f.Fn) {
		v = lua.Captured(f.Fn, i).Value()
	}
	t, _ = v.(*lua.LTable)
	return t, field
}
