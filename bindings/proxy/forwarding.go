package proxy

import (
	"slices"
	"strings"
	"weak"

	"github.com/perigee-ecs/perigee/bindings/lua"
)

// Forwarding are the tables of earlier versions of a module that somebody may still
// hold, a registry for example. After each reload they show what the newest
// version has: new keys are there, removed ones are gone, functions are the new
// ones, and what is written into one is written into the newest table.
//
// Invariant: no table that is a proxy has another one as its content, so that
// a look-up takes one step more than usual, however many reloads there were. Each is in proxies under its content.
type Forwarding struct {
	proxies map[weakTable][]weakTable // by content
	swept   int                       // how many contents the last sweep has left
	length  *lua.LFunction
}

type weakTable = weak.Pointer[lua.LTable]

// maxForwarded is how deep tables inside of a module's table are refreshed.
const maxForwarded = 8

// Forward turns the table of the version that ends, and the tables in it that
// the new version has under the same keys, into proxies of the new ones. Values
// that are no tables cannot be refreshed: who holds them keeps the old ones.
// O(entries, and proxies of them that are still held).
func (f *Forwarding) Forward(L *lua.LState, old, latest lua.LValue) {
	if f.length == nil {
		f.length, f.proxies = L.NewFunction(Length), map[weakTable][]weakTable{}
	}
	f.sweep()
	f.forward(L, old, latest, 0)
}

func (f *Forwarding) forward(L *lua.LState, old, latest lua.LValue, depth int) {
	from, ok := old.(*lua.LTable)
	to, also := latest.(*lua.LTable)
	if !ok || !also || from == to || depth > maxForwarded || Unwrap(from) != from || Unwrap(to) != to || State(from) || State(to) || Data(from) != "" {
		return // not tables, or the same, or in place already, or state, which stays anyway, or data, which never changes
	}
	content := L.NewTable()
	lua.Move(from, content, nil)
	f.lead(L, from, to)
	was, is := weak.Make(from), weak.Make(to)
	led := append(f.proxies[is], was)
	for _, w := range f.proxies[was] {
		if t := w.Value(); t != nil {
			f.lead(L, t, to)
			led = append(led, w)
		}
	}
	delete(f.proxies, was)
	f.proxies[is] = led
	Pairs(content, func(key, given lua.LValue) { f.forward(L, given, to.RawGet(key), depth+1) })
}

// sweep forgets proxies that nobody holds, once there are twice as many contents as the last sweep has left.
func (f *Forwarding) sweep() {
	if len(f.proxies) <= 2*f.swept {
		return
	}
	for content, all := range f.proxies {
		all = slices.DeleteFunc(all, func(w weakTable) bool { return w.Value() == nil })
		if f.proxies[content] = all; len(all) == 0 {
			delete(f.proxies, content)
		}
	}
	f.swept = len(f.proxies)
}

// lead makes a table a proxy of another one. Names that begin with two underscores stay
// in it as well: the VM looks for metamethods without going through to the content.
func (f *Forwarding) lead(L *lua.LState, proxy, content *lua.LTable) {
	meta := Meta(L, content, content, content, f.length)
	if own, ok := lua.Metatable(content).(*lua.LTable); ok {
		copySpecial(meta, own)
	}
	lua.Clear(proxy, meta)
	copySpecial(proxy, content)
}

// copySpecial copies what a table has under names of metamethods, but for those that it
// has got as a proxy.
func copySpecial(to, from *lua.LTable) {
	Pairs(from, func(key, given lua.LValue) {
		name, ok := key.(lua.LString)
		if ok && strings.HasPrefix(string(name), "__") && to.RawGetString(string(name)) == lua.LNil {
			to.RawSetString(string(name), given)
		}
	})
}
