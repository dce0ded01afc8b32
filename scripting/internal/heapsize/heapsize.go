// Package heapsize counts the memory that the variables of scripts hold.
//
// There are two nouns.
//
//   - An [Owner] is a script with the values that it starts from.
//   - A [Walk] follows the values of all owners, some at a time: fields of tables,
//     variables of functions, the stacks of coroutines. A value that several owners
//     can reach belongs to the first of them.
//
// The sizes are those of a model: about as many bytes as the Go runtime needs for the same
// values, and the same number on every computer. Scripts run between two steps of a walk.
// So the result is exact for values that did not change in the meantime. A value that is
// there before the walk begins, and stays, is always counted.
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

// Owner is a script.
type Owner struct {
	// Env holds its globals. No other owner is charged for values that only they lead to.
	Env *lua.LTable
	// Sources are the other values that it starts from.
	Sources []Root
}

// Root is a value by which a script holds others, with its name for messages.
type Root struct {
	Name  string
	Value lua.LValue
}

// Holder is the Go value of a userdata that knows how much memory it takes. A function of Go
// that holds values has them, or such a userdata, among its captured variables.
type Holder interface {
	// Held returns how many bytes it takes, and the values that it leads to.
	Held() (bytes int64, values []lua.LValue)
}

// Walk follows the values of owners. The zero Walk has none, and is done.
//
// Invariant: a value in todo is in seen, or is of a kind that is not remembered. todo holds
// values of the current owner and its current source only.
type Walk struct {
	// Body returns the function that a coroutine runs, or nil; one that was never
	// resumed does not have it on its stack. Nil: none.
	Body func(L *lua.LState) *lua.LFunction

	owners []Owner
	at     int // the current owner
	source int // its next source
	bytes  []int64
	most   []Share // by owner
	part   int64   // bytes that the current source has led to
	seen   marks
	todo   []pending
}

// Share is how much one of an owner's sources leads to.
type Share struct {
	Name  string // empty: its globals
	Bytes int64
}

// pending is a value to be looked at, or a table that was begun: its fields after
// key are to come.
type pending struct {
	value lua.LValue
	key   lua.LValue // nil: not begun
}

// Begin starts a walk over owners, in the order in which they are charged.
// O(owners).
func (w *Walk) Begin(owners []Owner) {
	w.owners, w.at, w.bytes, w.most = owners, -1, make([]int64, len(owners)), make([]Share, len(owners))
	w.seen, w.todo, w.part = marks{}, nil, 0
	for _, o := range owners {
		w.seen.add(unsafe.Pointer(o.Env))
	}
}

// Step looks at about n values and reports whether the walk is done. O(n); it allocates
// only to remember the values that it has seen.
func (w *Walk) Step(n int) (done bool) {
	for n > 0 {
		if len(w.todo) > 0 {
			n -= w.look()
			continue
		}
		n--
		if !w.next() {
			w.seen, w.owners, w.todo = marks{}, nil, nil
			return true
		}
	}
	return false
}

// Bytes returns how many bytes each owner holds. Before the walk is done, it is what was
// found so far.
func (w *Walk) Bytes() []int64 { return w.bytes }

// Most returns for each owner the source that leads to the most. Values that earlier
// sources lead to do not count.
func (w *Walk) Most() []Share { return w.most }

// next goes on to the next source, or to the next owner.
func (w *Walk) next() bool {
	if w.at >= 0 && w.at < len(w.owners) {
		w.settle()
		if o := &w.owners[w.at]; w.source < len(o.Sources) {
			w.push(o.Sources[w.source].Value)
			w.source++
			return true
		}
	}
	if w.at+1 >= len(w.owners) {
		return false
	}
	w.at++
	w.source = 0
	w.table(w.owners[w.at].Env)
	return true
}

// settle compares the bytes of the current source with those of the owner's earlier
// sources. Neighbours of the same name count as one.
func (w *Walk) settle() {
	if all := w.owners[w.at].Sources; w.source > 0 && w.source < len(all) && all[w.source].Name == all[w.source-1].Name {
		return
	}
	if most := &w.most[w.at]; w.part > most.Bytes {
		most.Bytes, most.Name = w.part, ""
		if w.source > 0 {
			most.Name = w.owners[w.at].Sources[w.source-1].Name
		}
	}
	w.part = 0
}

func (w *Walk) charge(bytes int) {
	w.bytes[w.at] += int64(bytes)
	w.part += int64(bytes)
}

// first reports whether the walk meets an object for the first time.
func (w *Walk) first(p unsafe.Pointer) bool {
	return p != nil && w.seen.add(p)
}

// push charges for a value, and puts it into todo if it leads to others.
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
func (w *Walk) userdata(data any) {
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
func (w *Walk) table(t *lua.LTable) {
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
func (w *Walk) drop(at int) {
	last := len(w.todo) - 1
	w.todo[at] = w.todo[last]
	w.todo[last] = pending{}
	w.todo = w.todo[:last]
}

func (w *Walk) function(f *lua.LFunction) int {
	if lua.Env(f) != nil && w.first(unsafe.Pointer(lua.Env(f))) {
		w.table(lua.Env(f))
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

// thread follows the functions that a coroutine is in, and all values on its stack.
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
