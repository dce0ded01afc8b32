//go:build !machine

package stdlib

import (
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/vmstate"
	"github.com/perigee-ecs/perigee/internal/numbers"
	"github.com/perigee-ecs/perigee/scripting/internal/library/notes"
	lua "github.com/yuin/gopher-lua"
)

// The functions that a script finds without a table: errors, metatables, traversal, raw
// access, conversions. Those that can take longer than a step charge for it themselves,
// as each call of them is one instruction to the VM.

// base lists the functions that stand in the environment itself.
func (lib *Library) base() []unbound {
	return []unbound{
		{"assert", lib.assert},
		{"error", lib.raiseError},
		{"getmetatable", getMetatable},
		{"ipairs", ipairs()},
		{"next", new(keyPlace).next},
		{"pairs", pairs()},
		{"pcall", lib.pcall},
		{"print", lib.print},
		{"rawequal", rawEqual},
		{"rawget", rawGet},
		{"rawset", lib.rawSet},
		{"select", selectArgs},
		{"setmetatable", setMetatable},
		{"tonumber", tonumber},
		{"tostring", lib.tostring},
		{"type", typeOf},
		{"unpack", unpack},
		{"xpcall", lib.xpcall},
	}
}

// assert passes its arguments on if the first is true. As in Lua 5.2, the message may be
// of any type; a text gets the place of the call, so that the error says where it is.
func (lib *Library) assert(a args) int {
	if lua.LVIsFalse(a.any(1)) {
		switch message := a.Get(2); {
		case message == lua.LNil:
			raise(a.LState, "assertion failed!")
		case isText(message):
			lib.raiseText(a, message, 1)
		default:
			fault.Throw(a.LState, &diag.Error{}, message)
		}
	}
	return a.GetTop()
}

// maxLevel is more than the levels that any stack has.
// It keeps the search for a level of the stack short.
const maxLevel = 1 << 10

// raiseError is error: a text gets the place of the function at the level, 1 for the
// caller.
func (lib *Library) raiseError(a args) int {
	value := a.Get(1)
	level := a.integerOr(2, 1)
	if !isText(value) {
		fault.Throw(a.LState, &diag.Error{}, value)
	}
	if text, ok := value.(lua.LString); ok && level > 0 {
		alloc(a.LState, len(text))
	}
	lib.raiseText(a, value, level)
	return 0
}

// raiseText raises a text. If a protected call has returned this text, the script passes
// that error on: it keeps its first place and its limit.
func (lib *Library) raiseText(a args, value lua.LValue, level int) {
	text, at := plainText(value), diag.Place{}
	if level > 0 {
		at = fault.Level(a.LState, min(level, maxLevel))
	}
	if e := lib.caught.Find(text); e != nil {
		fault.Pass(a.LState, e, lua.LString(fault.Prefix(at)+text))
	}
	if level > 0 {
		raiseAt(a.LState, min(level, maxLevel), &diag.Error{Message: text})
	}
	fault.Throw(a.LState, &diag.Error{Message: text}, value)
}

// getMetatable returns the metatable of a table. For any other value it returns at most
// the field __metatable: all strings share one metatable, and so do objects of the host,
// and scripts must not reach each other through it.
func getMetatable(a args) int {
	value := a.any(1)
	meta := a.GetMetatable(value)
	switch value.(type) {
	case *lua.LTable:
	case lua.LString, *lua.LUserData:
		if _, bare := meta.(*lua.LTable); bare {
			meta = lua.LFalse
		}
	default:
		meta = lua.LNil
	}
	return a.results(meta)
}

// setMetatable sets the metatable of a table, unless the old one is protected by
// __metatable.
func setMetatable(a args) int {
	t := a.proxy(1)
	meta := a.Get(2)
	if _, ok := meta.(*lua.LTable); !ok && (meta != lua.LNil || a.GetTop() < 2) {
		a.expected(2, "nil or table")
	}
	if old, ok := t.Metatable.(*lua.LTable); ok && old.RawGetString("__metatable") != lua.LNil {
		raise(a.LState, "cannot change a protected metatable")
	}
	t.Metatable = meta
	return a.results(t)
}

// keyPlace is the place of the key that next returned last, among the keys of its table. A loop
// asks for the key after that one, so the place saves a look-up. It is only a guess: it is
// used if the key that is asked for stands there.
// Nobody has to reset it: a wrong guess costs one look-up.
type keyPlace int

// next is the function next: the key after another one, and its value.
func (w *keyPlace) next(a args) int {
	t := a.table(1)
	hashing(a.LState, a.Get(2))
	key, value, steps := w.following(t, a.Get(2))
	if steps < 0 {
		raise(a.LState, "invalid key to \"next\"")
	}
	if steps > 0 {
		charge(a.LState, steps)
	}
	if key == lua.LNil {
		return a.results(lua.LNil)
	}
	return a.results(key, value)
}

const (
	// removedSteps is what it takes to pass a removed key: it is looked up to see that it
	// has no value.
	removedSteps = 3
	// farSteps is what a key takes in a table with more than farKeys, which do not fit into
	// the processor's caches.
	farSteps = 2
	farKeys  = 4096
)

// following does what LTable.Next does, and returns how many steps beyond one it has
// taken: to pass holes and removed keys, and to find a key in a large table. Steps are below
// 0 for a key that the table never had, unless it could be an item that the list has lost.
//
// Why is it written again? LTable.Next does not say how far it went, and to find that out
// by two look-ups takes twice as long as the way itself.
// A key stays among the keys when its value is removed, so a loop may set fields of
// its table to nil.
func (w *keyPlace) following(t *lua.LTable, after lua.LValue) (key, value lua.LValue, steps int) {
	content, at := vmstate.TableOf(t), 0
	if index, ok := listed(after); !ok {
		if at = w.place(content, after); at == 0 {
			return nil, nil, -1
		}
	} else {
		from := index
		for ; index < len(content.Array); index++ {
			if v := content.Array[index]; v != lua.LNil {
				return lua.LNumber(index + 1), v, (index - from) / valuesPerStep
			}
		}
		steps = (index - from) / valuesPerStep
		if len(content.Dict) == 0 && len(content.Strdict) == 0 {
			return lua.LNil, lua.LNil, steps
		}
		if index > len(content.Array) {
			at = w.place(content, after)
		}
	}
	if len(content.Keys) > farKeys {
		steps += farSteps
	}
	for ; at < len(content.Keys); at++ {
		if v := t.RawGetH(content.Keys[at]); v != lua.LNil {
			*w = keyPlace(at)
			return content.Keys[at], v, steps
		}
		steps += removedSteps
	}
	return lua.LNil, lua.LNil, steps
}

// place returns how many of the keys of a table a traversal has passed after a key; 0 for one
// that is unknown.
func (w *keyPlace) place(content *vmstate.Table, key lua.LValue) int {
	if at := int(*w); at < len(content.Keys) && content.Keys[at] == key {
		return at + 1
	}
	if at, known := content.K2i[key]; known {
		return at + 1
	}
	return 0
}

// listed returns how many items of the list are passed when next goes on after a key, and
// whether the key can be an item at all. Nil is the beginning.
func listed(key lua.LValue) (int, bool) {
	if key == lua.LNil {
		return 0, true
	}
	n, ok := key.(lua.LNumber)
	return int(n), ok && n >= 1 && n < lua.LNumber(lua.MaxArrayIndex) && n == lua.LNumber(int(n))
}

// pairs returns the function pairs. All its loops get the same next, with one walk: the
// loop that runs is most often the one that ran last.
func pairs() func(args) int {
	next := bind([]unbound{{"next", new(keyPlace).next}})[0].fn
	return func(a args) int { return a.results(next, a.proxy(1), lua.LNil) }
}

// ipairs returns the function ipairs. It ends at the first nil, and calls no metamethod,
// as in Lua 5.1.
func ipairs() func(args) int {
	step := bind([]unbound{{"ipairs", func(a args) int {
		i := a.integer(2) + 1
		value := a.table(1).RawGet(lua.LNumber(i))
		if value == lua.LNil {
			return a.results(lua.LNil)
		}
		return a.results(lua.LNumber(i), value)
	}}})[0].fn
	return func(a args) int {
		t := a.proxy(1)
		if why := proxy.Says(t, proxy.NoListKey); why != "" {
			raise(a.LState, "%s", why)
		}
		return a.results(step, t, lua.LNumber(0))
	}
}

// print joins its arguments with tabs and gives the line to Options.Print.
func (lib *Library) print(a args) int {
	var line strings.Builder
	for i := 1; i <= a.GetTop(); i++ {
		if i > 1 {
			line.WriteByte('\t')
		}
		text := lib.toText(a.LState, a.Get(i))
		fits(a.LState, line.Len()+len(text))
		alloc(a.LState, len(text))
		line.WriteString(text)
	}
	if lib.opts.Print != nil {
		lib.opts.Print(a.LState, line.String())
	}
	return 0
}

// rawEqual compares without __eq. Long texts are charged for: they are compared byte by
// byte.
func rawEqual(a args) int {
	hashing(a.LState, a.any(1))
	return a.results(lua.LBool(a.RawEqual(a.any(1), a.any(2))))
}

// rawGet reads a key without __index.
// A proxy shows its content here: it is empty itself.
func rawGet(a args) int {
	hashing(a.LState, a.any(2))
	return a.results(a.table(1).RawGet(a.any(2)))
}

// hashing counts the steps to look up a key: a long text is hashed byte by byte.
func hashing(L *lua.LState, key lua.LValue) {
	if text, ok := key.(lua.LString); ok && len(text) > short {
		charge(L, len(text)/bytesPerStep+1)
	}
}

// rawSet sets a key without __newindex. It is no instruction of the VM, so it counts the
// bytes and measures the table itself.
func (lib *Library) rawSet(a args) int {
	t, key := a.proxy(1), a.any(2)
	a.any(3)
	checkKey(a, key)
	hashing(a.LState, key)
	filling(a.LState, a.table(1), key)
	a.put(t, key, a.Get(3))
	lib.measure(a, t)
	return a.results(t)
}

// checkKey raises an error for nil and not-a-number, which are keys of no table.
func checkKey(a args, key lua.LValue) {
	if key == lua.LNil {
		raise(a.LState, "table index is nil")
	}
	if n, ok := key.(lua.LNumber); ok && n != n {
		raise(a.LState, "table index is NaN")
	}
}

// selectArgs is select: the number of arguments for "#", or the arguments from the nth on.
// The results are on the stack already; their number says which of them are meant.
func selectArgs(a args) int {
	if a.Get(1) == lua.LString("#") {
		return a.results(lua.LNumber(a.GetTop() - 1))
	}
	n, top := a.integer(1), a.GetTop()
	switch {
	case n < 0:
		n += top
	case n > top:
		n = top
	}
	if n < 1 {
		a.fail(1, "index out of range")
	}
	return top - n
}

// tonumber reads a number, in base 10 as the operators do, in any other base as C's
// strtoul does. A long text is charged for.
func tonumber(a args) int {
	value := a.any(1)
	if base := a.integerOr(2, 10); base != 10 {
		if base < 2 || base > 36 {
			a.fail(2, "base out of range")
		}
		text := a.text(1)
		if len(text) > short {
			charge(a.LState, len(text)/readPerStep)
			alloc(a.LState, 2*len(text))
		}
		return a.results(numberOrNil(numbers.ParseInteger(text, base)))
	}
	return a.results(numberOrNil(toNumber(a.LState, value)))
}

// numberOrNil returns a number as a value, and nil if there is no number.
func numberOrNil(v float64, ok bool) lua.LValue {
	if !ok {
		return lua.LNil
	}
	return lua.LNumber(v)
}

// tostring is the function tostring; see toText.
func (lib *Library) tostring(a args) int {
	return a.results(lua.LString(lib.toText(a.LState, a.any(1))))
}

// identityBytes is about how much memory the number of a value takes. identitySteps is how
// long it takes to give a value its number, and to forget it when the value is gone.
// identityText is how long it takes to write it.
const (
	identityBytes = 128
	identitySteps = 300
	identityText  = 15
)

// fractionSteps is what it takes to write a number with many digits.
const fractionSteps = 15

// Text returns the text of a value as tostring does. A __tostring of a script may raise an
// error.
func (lib *Library) Text(L *lua.LState, value lua.LValue) string { return lib.toText(L, value) }

// Place returns where the function that runs on L was called: in the innermost Lua
// function, even if protected calls or coroutines stand in between. Without a Lua function
// it is nowhere.
func (lib *Library) Place(L *lua.LState) diag.Place {
	at := fault.Here(L)
	for i := len(lib.callers) - 1; i >= 0 && at.Line == 0; i-- {
		at = fault.Here(lib.callers[i])
	}
	return at
}

// toText is tostring: numbers as C writes them, tables and userdata by __tostring,
// everything else by its type and a number that counts up.
func (lib *Library) toText(L *lua.LState, value lua.LValue) string {
	switch v := value.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		if v != lua.LNumber(int32(v)) {
			charge(L, fractionSteps)
		}
		return numbers.Format(float64(v))
	}
	handler, ok := metafield(L, value, "__tostring").(*lua.LFunction)
	if !ok {
		alloc(L, identityBytes)
		text, fresh := lib.identity(value)
		if charge(L, identityText); fresh {
			charge(L, identitySteps)
		}
		return text
	}
	L.Push(handler)
	L.Push(value)
	L.Call(1, 1)
	text, ok := L.Get(-1).(lua.LString)
	L.Pop(1)
	if !ok {
		raise(L, "%q must return a string", "__tostring")
	}
	return string(text)
}

// identity returns the text of a value that has no text of its own, and whether the value
// has got its number by that.
func (lib *Library) identity(v lua.LValue) (text string, fresh bool) {
	switch v := v.(type) {
	case *lua.LTable:
		return notes.Text(lib.ids, "table", v)
	case *lua.LFunction:
		return notes.Text(lib.ids, "function", v)
	case *lua.LState:
		return notes.Text(lib.ids, "thread", v)
	case *lua.LUserData:
		return notes.Text(lib.ids, "userdata", v)
	}
	return v.String(), false
}

// metafield returns a field of a value's metatable, even if the metatable is protected.
func metafield(L *lua.LState, value lua.LValue, name string) lua.LValue {
	switch v := value.(type) {
	case *lua.LTable:
		return rawField(v.Metatable, name)
	case *lua.LUserData:
		return rawField(v.Metatable, name)
	}
	return lua.LNil
}

// rawField returns a field of a table, and nil if the value is no table.
func rawField(table lua.LValue, name string) lua.LValue {
	if t, ok := table.(*lua.LTable); ok {
		return t.RawGetString(name)
	}
	return lua.LNil
}

// typeOf is the function type.
func typeOf(a args) int { return a.results(lua.LString(a.any(1).Type().String())) }

// maxResults is how many values one call may return, fewer than a stack can have.
const maxResults = 8000

// unpack returns the items of a list, from an index to another one, as values.
// The bounds may be any two ints, so their distance is computed without a sign.
func unpack(a args) int {
	t := a.table(1)
	first, last := a.integerOr(2, 1), a.integerOr(3, -1)
	if a.Get(3) == lua.LNil {
		last = listLength(a.LState, t)
	}
	if first > last {
		return 0
	}
	n := uint(last) - uint(first)
	if n >= maxResults {
		raise(a.LState, "too many results to unpack")
	}
	charge(a.LState, int(n))
	for i := uint(0); i <= n; i++ {
		a.Push(t.RawGet(lua.LNumber(first + int(i))))
	}
	return int(n) + 1
}
