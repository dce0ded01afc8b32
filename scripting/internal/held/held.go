// Package held counts the memory that the variables of scripts hold.
//
// There are two nouns: an Owner, a script with the values that it starts from,
// and a Walk, which follows the values of all owners a bit at a time: fields of
// tables, variables of functions, what coroutines have on their stacks. What
// several owners can reach belongs to the first of them.
//
// Bytes are those of a model, about as many as the Go runtime needs for the same
// values, and the same on every machine. The scripts go on between two bits of a
// walk, so its result is exact for what did not change in the meantime; what is
// there before a walk and stays is always counted.
package held

import (
	"reflect"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// What values take, in bytes.
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

	// sharedText is how long texts are that are counted once, however many places
	// hold them; to remember shorter ones would take as much as they do.
	sharedText = 64
)

// Owner is a script.
type Owner struct {
	// Env are its globals. No other owner is charged for what is reached through
	// them alone.
	Env *lua.LTable
	// Values are what it starts from besides.
	Values []lua.LValue
}

// Walk follows the values of owners. The zero Walk has none, and is done.
//
// Invariant: what is in todo is in seen, or is a value that needs no place there;
// owners before the one at hand have nothing left in todo.
type Walk struct {
	// Weigh returns how many bytes the Go value of a userdata takes. Nil: none.
	Weigh func(data any) int64
	// Body returns the function that a coroutine runs, or nil; one that was never
	// resumed does not have it on its stack. Nil: none.
	Body func(L *lua.LState) *lua.LFunction

	owners []Owner
	at     int // the owner at hand
	bytes  []int64
	seen   map[unsafe.Pointer]struct{}
	todo   []item
}

// item is a value to be looked at, or a table that was begun: its fields behind
// key are to come.
type item struct {
	value lua.LValue
	key   lua.LValue // nil: not begun
}

// Begin starts a walk over owners, in the order in which they are charged.
// O(owners).
func (w *Walk) Begin(owners []Owner) {
	w.owners, w.at, w.bytes = owners, -1, make([]int64, len(owners))
	w.seen, w.todo = make(map[unsafe.Pointer]struct{}, len(w.seen)), nil
	for _, o := range owners {
		w.seen[unsafe.Pointer(o.Env)] = struct{}{}
	}
}

// Step looks at about so many values and reports whether the walk is done.
// O(n); it allocates what it needs to know values again.
func (w *Walk) Step(n int) (done bool) {
	for n > 0 {
		if len(w.todo) == 0 && !w.next() {
			w.seen, w.owners, w.todo = nil, nil, nil
			return true
		}
		n -= w.look()
	}
	return false
}

// Bytes returns what each owner holds, once the walk is done; before, what was
// found so far.
func (w *Walk) Bytes() []int64 { return w.bytes }

// next goes on to the next owner.
func (w *Walk) next() bool {
	if w.at+1 >= len(w.owners) {
		return false
	}
	w.at++
	o := &w.owners[w.at]
	w.table(o.Env)
	for _, v := range o.Values {
		w.push(v)
	}
	return true
}

func (w *Walk) charge(bytes int) { w.bytes[w.at] += int64(bytes) }

// first reports whether an object is met for the first time.
func (w *Walk) first(p unsafe.Pointer) bool {
	if _, known := w.seen[p]; known || p == nil {
		return false
	}
	w.seen[p] = struct{}{}
	return true
}

// push charges for a value, and puts it aside if it leads to others.
func (w *Walk) push(v lua.LValue) {
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
			w.todo = append(w.todo, item{value: v})
		}
	case *lua.LUserData:
		if w.first(unsafe.Pointer(v)) {
			w.charge(perUserdata)
			if w.Weigh != nil {
				w.charge(int(w.Weigh(v.Value)))
			}
		}
	case *lua.LState:
		if w.first(unsafe.Pointer(v)) {
			w.charge(perThread)
			w.todo = append(w.todo, item{value: v})
		}
	}
}

// table charges for a table at once, whatever its fields are: a large one is
// found when it is met.
func (w *Walk) table(t *lua.LTable) {
	list, keys := sizes(t)
	w.charge(perTable + list*perItem + max(keys-firstKeys, 0)*perKey)
	if keys > 0 {
		w.charge(perKeys)
	}
	w.todo = append(w.todo, item{value: t})
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
	return v.Field(listPart).Len(), v.Field(keysPart).Len()
}

// look looks at what was put aside last, and returns how many values that were.
func (w *Walk) look() int {
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
func (w *Walk) fields(at int, t *lua.LTable, key lua.LValue) int {
	if key == nil {
		key = lua.LNil
		w.push(t.Metatable)
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
func (w *Walk) drop(at int) {
	last := len(w.todo) - 1
	w.todo[at] = w.todo[last]
	w.todo[last] = item{}
	w.todo = w.todo[:last]
}

func (w *Walk) function(f *lua.LFunction) int {
	if f.Env != nil && w.first(unsafe.Pointer(f.Env)) {
		w.table(f.Env)
	}
	for _, up := range f.Upvalues {
		if up != nil && w.first(unsafe.Pointer(up)) {
			w.charge(perUpvalue)
			if v := up.Value(); v != nil {
				w.push(v)
			}
		}
	}
	return len(f.Upvalues)
}

// thread looks at the functions that a coroutine is in, and at all that they have
// on the stack.
func (w *Walk) thread(L *lua.LState) int {
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
