//go:build !machine

package stdlib

import (
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/vmstate"
	lua "github.com/yuin/gopher-lua"
)

// The table table. Tables of a host are proxies: they are read by their content and
// written through their metamethods; args.table and args.proxy say which of the two a
// function has.

// listFunctions lists the functions of the table table.
func (lib *Library) listFunctions() []unbound {
	return []unbound{
		{"concat", tableConcat},
		{"insert", lib.tableInsert},
		{"maxn", tableMaxN},
		{"remove", tableRemove},
		{"sort", tableSort},
	}
}

// tableConcat is table.concat. It measures the text as it grows.
func tableConcat(a args) int {
	t := a.table(1)
	separator := ""
	if a.Get(2) != lua.LNil {
		separator = a.text(2)
	}
	first, last := a.integerOr(3, 1), a.integerOr(4, -1)
	if a.Get(4) == lua.LNil {
		last = listLength(a.LState, t)
	}
	var out strings.Builder
	for i := first; i <= last; i++ {
		value := t.RawGet(lua.LNumber(i))
		if !isText(value) {
			raise(a.LState, "invalid value (%s) at index %d in table for \"concat\"", fault.TypeName(value), i)
		}
		text := plainText(value)
		fits(a.LState, out.Len()+len(text)+len(separator))
		alloc(a.LState, len(text)+len(separator))
		charge(a.LState, 1)
		out.WriteString(text)
		if i == last { // before i could overflow
			break
		}
		out.WriteString(separator)
	}
	return a.results(lua.LString(out.String()))
}

// tableInsert is table.insert. A plain table moves its items by one copy. A proxy is
// assigned to item by item, so that the host notices each change.
func (lib *Library) tableInsert(a args) int {
	given, t := a.proxy(1), a.table(1)
	end := listLength(a.LState, t) + 1
	switch a.GetTop() {
	case 2:
		a.put(given, lua.LNumber(end), a.Get(2))
	case 3:
		position := a.integer(2)
		if position >= 1 && position < end && a.Get(3) != lua.LNil && proxy.Own(given) {
			charge(a.LState, copySteps(end-position))
			t.Insert(position, a.Get(3))
			break
		}
		for i := end; i > position && i > end-maxShift; i-- {
			chargeMove(a.LState, end-i)
			a.put(given, lua.LNumber(i), t.RawGet(lua.LNumber(i-1)))
		}
		a.put(given, lua.LNumber(position), a.Get(3))
	default:
		raise(a.LState, "wrong number of arguments to \"insert\"")
	}
	if end > lib.opts.MaxTable { // a shorter list cannot have made the table too large
		lib.measure(a, t)
	}
	return 0
}

// maxShift bounds the work of an insert far before the first item. Such an insert makes no
// sense, but is allowed.
const maxShift = 1 << 20

// copySteps is what it takes to move items by one copy, which moves about 16 for a step.
func copySteps(items int) int { return max(items, 0) / 16 }

// chargeMove charges for items that are moved one by one, each of which is looked up and
// assigned: 8 steps for each, at every sixteenth, so that a call stops soon after its
// limit, however far it was to go.
func chargeMove(L *lua.LState, moved int) {
	if moved%16 == 15 {
		charge(L, 8*16)
	}
}

// removeAt is LTable.Remove for any position. Remove leaves the last value after the end
// of the list, where no script finds it and it stays alive.
func removeAt(t *lua.LTable, position int) lua.LValue {
	v := t.RawGetInt(position)
	if position == t.Len() {
		t.RawSetInt(position, lua.LNil)
		t.Remove(position)
		return v
	}
	return t.Remove(position)
}

// tableRemove is table.remove.
func tableRemove(a args) int {
	proxy, t := a.proxy(1), a.table(1)
	length := listLength(a.LState, t)
	position := a.integerOr(2, length)
	if position < 1 || position > length {
		return 0
	}
	if proxy == t {
		charge(a.LState, copySteps(length-position))
		return a.results(removeAt(t, position))
	}
	removed := t.RawGetInt(position)
	for i := position; i <= length; i++ {
		chargeMove(a.LState, i-position+1)
		a.put(proxy, lua.LNumber(i), t.RawGetInt(i+1))
	}
	return a.results(removed)
}

// tableMaxN is table.maxn: the largest number that is a key. It goes through the whole
// table.
func tableMaxN(a args) int {
	t := a.table(1)
	content := vmstate.TableOf(t)
	charge(a.LState, (len(content.Array)+len(content.Keys))/4)
	highest := lua.LNumber(0)
	for i, v := range slices.Backward(content.Array) {
		if v != lua.LNil {
			highest = lua.LNumber(i + 1)
			break
		}
	}
	for _, key := range content.Keys {
		if n, ok := key.(lua.LNumber); ok && n > highest && content.Dict[n] != nil {
			charge(a.LState, 8) // the look-up of the key
			highest = n
		}
	}
	return a.results(highest)
}
