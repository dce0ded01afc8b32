//go:build !machine

package heapsize

import (
	"reflect"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/lua"
)

// How many bytes values take.
const (
	perTable    = 104
	perItem     = 16  // of a list
	perKey      = 88  // in the map of its kind, in the list of keys and in their index
	perKeys     = 500 // of a table that has some: the first maps have room for eight
	firstKeys   = 8
	perNumber   = 8
	perText     = 16
	perFunction = 96
	perUpvalue  = 56
	perUserdata = 64
	perThread   = 6 << 10
	perSlot     = 16 // of a coroutine's stack

	// sharedText is the length from which a text is counted once, however many places hold
	// it. To remember a shorter one would take as much memory as the text.
	sharedText = 64
)

// follower follows the values of gopher-lua's VM.
//
// Invariant: a value in todo is in seen, or is of a kind that is not remembered.
type follower struct {
	// Body returns the function that a coroutine runs, or nil; one that was never
	// resumed does not have it on its stack. Nil: none.
	Body func(L *lua.LState) *lua.LFunction

	counted int64
	seen    marks
	todo    []pending
}

// pending is a value to be looked at, or a table that was begun: its fields after
// key are to come.
type pending struct {
	value lua.LValue
	key   lua.LValue // nil: not begun
}

// begin forgets all, and has the environments of owners belong to these.
func (w *follower) begin(owners []Owner) {
	w.seen, w.todo, w.counted = marks{}, nil, 0
	for _, o := range owners {
		w.seen.add(unsafe.Pointer(o.Env))
	}
}

// end forgets what was seen.
func (w *follower) end() { w.seen, w.todo = marks{}, nil }

// ahead reports whether there are values to be looked at.
func (w *follower) ahead() bool { return len(w.todo) > 0 }

// found returns how many bytes were counted since begin.
func (w *follower) found() int64 { return w.counted }

// environment charges for the globals of an owner, and puts them into todo.
func (w *follower) environment(env *lua.LTable) { w.table(env) }

func (w *follower) charge(bytes int) { w.counted += int64(bytes) }

// first reports whether the walk meets an object for the first time.
func (w *follower) first(p unsafe.Pointer) bool {
	return p != nil && w.seen.add(p)
}

// push charges for a value, and puts it into todo if it leads to others.
func (w *follower) push(v lua.LValue) {
	switch v := v.(type) {
	case lua.LNumber:
		w.charge(perNumber)
	case lua.LString:
		w.charge(perText)
		if len(v) < sharedText || w.first(unsafe.Pointer(unsafe.StringData(string(v)))) {
			w.charge(len(v))
		}
	case *lua.LTable:
		if w.first(unsafe.Pointer(v)) {
			w.table(v)
		}
	case *lua.LFunction:
		if w.first(unsafe.Pointer(v)) {
			w.charge(perFunction)
			w.todo = append(w.todo, pending{value: v})
		}
	case *lua.LUserData:
		if w.first(unsafe.Pointer(v)) {
			w.charge(perUserdata)
			w.userdata(v.Value)
		}
	case *lua.LState:
		if w.first(unsafe.Pointer(v)) {
			w.charge(perThread)
			w.todo = append(w.todo, pending{value: v})
		}
	}
}

// userdata charges for a Go value, and follows the values that it leads to.
func (w *follower) userdata(data any) {
	if h, ok := data.(Holder); ok {
		bytes, values := h.Held()
		w.charge(int(bytes))
		for _, v := range values {
			w.push(v)
		}
	}
}

// table charges for a table at once, whatever its fields are: a large one is
// found when it is met.
func (w *follower) table(t *lua.LTable) {
	list, keys := sizes(t)
	w.charge(perTable + list*perItem + max(keys-firstKeys, 0)*perKey)
	if keys > 0 {
		w.charge(perKeys)
	} else if list == 0 && lua.Metatable(t) == lua.LNil {
		return // it leads nowhere
	}
	w.todo = append(w.todo, pending{value: t})
}

// Lengths of these parts of a table are read. keys are those that it has had: one
// that was set to nil keeps its place.
var listPart, keysPart = func() (list, keys int) {
	t := reflect.TypeFor[lua.LTable]()
	a, hasList := t.FieldByName("array")
	k, hasKeys := t.FieldByName("keys")
	if !hasList || !hasKeys {
		panic("gopher-lua's table has other parts") // another version than the one in go.mod
	}
	return a.Index[0], k.Index[0]
}()

func sizes(t *lua.LTable) (list, keys int) {
	v := reflect.ValueOf(t).Elem()
	return v.Field(listPart).Cap(), v.Field(keysPart).Len()
}

// look takes the last value out of todo and follows it. It returns how many values that
// were.
func (w *follower) look(int) int {
	last := len(w.todo) - 1
	x := w.todo[last]
	switch v := x.value.(type) {
	case *lua.LTable:
		return w.fields(last, v, x.key)
	case *lua.LFunction:
		w.todo = w.todo[:last]
		return 1 + w.function(v)
	case *lua.LState:
		w.todo = w.todo[:last]
		return 1 + w.thread(v)
	}
	w.todo = w.todo[:last]
	return 1
}

// chunk is how many fields of a table are looked at in a row.
const chunk = 64

// fields goes on with a table whose fields up to key were looked at. A key that
// was removed in the meantime has kept its place in the table's order.
func (w *follower) fields(at int, t *lua.LTable, key lua.LValue) int {
	if key == nil {
		key = lua.LNil
		w.push(lua.Metatable(t))
	}
	for n := 1; n <= chunk; n++ {
		k, v := t.Next(key)
		if k == lua.LNil {
			w.drop(at)
			return n
		}
		key = k
		w.push(v)
		if _, item := k.(lua.LNumber); !item {
			w.push(k)
		}
	}
	w.todo[at].key = key
	return chunk
}

// drop takes an item out that others were put on top of.
func (w *follower) drop(at int) {
	last := len(w.todo) - 1
	w.todo[at] = w.todo[last]
	w.todo[last] = pending{}
	w.todo = w.todo[:last]
}

func (w *follower) function(f *lua.LFunction) int {
	if lua.Env(f) != nil && w.first(unsafe.Pointer(lua.Env(f))) {
		w.table(lua.Env(f))
	}
	for i := range lua.Captures(f) {
		if up := lua.Captured(f, i); up != nil && w.first(unsafe.Pointer(up)) {
			w.charge(perUpvalue)
			if v := up.Value(); v != nil {
				w.push(v)
			}
		}
	}
	return lua.Captures(f)
}

// thread follows the functions that a coroutine is in, and all values on its stack.
func (w *follower) thread(L *lua.LState) int {
	n := 0
	if w.Body != nil {
		if body := w.Body(L); body != nil {
			w.push(body)
		}
	}
	for level := 0; ; level++ {
		frame, ok := L.GetStack(level)
		if !ok {
			return n
		}
		fn, err := L.GetInfo("f", frame, lua.LNil)
		if err != nil {
			return n
		}
		w.push(fn)
		for slot := 1; ; slot++ {
			name, v := L.GetLocal(frame, slot)
			if name == "" {
				break
			}
			n++
			w.charge(perSlot)
			if v != nil {
				w.push(v)
			}
		}
	}
}
