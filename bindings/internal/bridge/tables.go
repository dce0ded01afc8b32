package bridge

import (
	"reflect"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/machine"
	lua "github.com/yuin/gopher-lua"
)

// foreignContent is the content of a table of scripts that lies in one of gopher-lua's. It knows
// nothing but that: the script's table may be made anew.
type foreignContent struct {
	b      *Bridge
	theirs *lua.LTable
	last   ruler
}

// lent is a table of gopher-lua's that was made for one of scripts. Whoever holds the one
// holds both.
type lent struct {
	theirs lua.LTable
	ours   *machine.Table
}

// newTable makes a table of gopher-lua's that belongs to one of scripts.
func (b *Bridge) newTable(ours *machine.Table) *lua.LTable {
	x := &lent{lua.LTable{Metatable: lua.LNil}, ours}
	b.tables.join(ours, &x.theirs)
	return &x.theirs
}

// What values take in gopher-lua, in bytes, and what it takes to move one.
const (
	itemBytes     = 32
	keyBytes      = 160
	tableBytes    = 600
	stepsPerEntry = 2
	fewRemoved    = 64
)

// theirTable returns what gopher-lua has for a table, nil if it has not got that.
func (b *Bridge) theirTable(t *machine.Table) *lua.LTable {
	if c, ok := t.Foreign().(*foreignContent); ok {
		return c.theirs
	}
	return b.tables.of(t)
}

// takeTable returns the table of scripts for one of gopher-lua.
func (b *Bridge) takeTable(theirs *lua.LTable) *machine.Table {
	if t := b.tables.to(theirs); t != nil {
		return t
	}
	t := b.vm.Heap.NewForeign(&foreignContent{b: b, theirs: theirs})
	b.tables.join(t, theirs)
	return t
}

// lendTable returns the table of gopher-lua for one of scripts, and gives it the content.
// O(what the table leads to, as far as it was not lent before), which is charged before.
func (b *Bridge) lendTable(t *machine.Table) *lua.LTable {
	if c, ok := t.Foreign().(*foreignContent); ok {
		return c.theirs
	}
	if b.reserved(t) {
		return b.reflect(t)
	}
	all := slices.DeleteFunc(b.reach(t), func(x *machine.Table) bool { return x.Foreign() != nil }) // by a mirror
	made := make([]*lua.LTable, len(all))
	for i, x := range all {
		made[i] = b.newTable(x)
	}
	for i, x := range all {
		b.hand(x, made[i])
	}
	return b.theirTable(t)
}

func (b *Bridge) reserved(t *machine.Table) bool {
	meta := t.Metatable()
	return meta != nil && b.Reserved(meta)
}

// reach returns all tables that have to be lent with a table, which is the first one, charges
// for it, and makes the mirrors of those that are not lent.
func (b *Bridge) reach(t *machine.Table) []*machine.Table {
	r := reaching{b: b, all: []*machine.Table{t}}
	for i := 0; i < len(r.all); i++ {
		x, most := r.all[i], 0
		for k, v, _ := x.Next(machine.Nil); !k.IsNil(); k, v, _ = x.Next(k) {
			b.vm.Charge(b.vm.Running(), stepsPerEntry)
			b.vm.Grow(b.vm.Running(), keyBytes)
			most = max(most, item(k))
			r.meet(k)
			r.meet(v)
		}
		b.makeRoom(b.vm.Running(), most)
		if meta := x.Metatable(); meta != nil && !b.Reserved(meta) {
			r.meet(machine.OfTable(meta))
		}
	}
	return r.all
}

// reaching is a list of tables, with what finds them there when they are many.
type reaching struct {
	b   *Bridge
	all []*machine.Table
	met map[*machine.Table]bool
}

// few is how many tables are found one by one.
const few = 8

func (r *reaching) has(t *machine.Table) bool {
	if len(r.all) <= few {
		return slices.Contains(r.all, t)
	}
	if r.met == nil {
		r.met = map[*machine.Table]bool{}
		for _, x := range r.all {
			r.met[x] = true
		}
	}
	return r.met[t]
}

// meet looks at a value of a table.
func (r *reaching) meet(v machine.Value) {
	t, th := v.Table(), r.b.vm.Running()
	switch {
	case v.Kind() == machine.KindThread:
		r.b.Lend(v) // raises the error
	case v.IsFunction():
		r.b.vm.Grow(th, functionBytes)
	case t == nil || t.Foreign() != nil || r.has(t):
	case r.b.reserved(t):
		r.b.reflect(t)
	default:
		r.b.vm.Grow(th, tableBytes)
		if r.all = append(r.all, t); r.met != nil {
			r.met[t] = true
		}
	}
}

// makeRoom charges for a list that gets so long at once: gopher-lua has no holes.
func (b *Bridge) makeRoom(th *machine.Thread, items int) {
	b.vm.Heap.Fit(items)
	b.vm.Grow(th, int64(items)*itemBytes)
	b.vm.Charge(th, items/8)
}

// item returns the index that a key is in the list of a table of gopher-lua, 0 for all
// other keys.
func item(k machine.Value) int {
	f := k.Float()
	if !k.IsNumber() || f < 1 || f >= float64(lua.MaxArrayIndex) || f != float64(int(f)) {
		return 0
	}
	return int(f)
}

// hand moves the content of a table to one of gopher-lua. It cannot fail: reach has looked at
// all of it.
func (b *Bridge) hand(t *machine.Table, theirs *lua.LTable) {
	c := &foreignContent{b: b, theirs: theirs}
	for k, v, _ := t.Next(machine.Nil); !k.IsNil(); k, v, _ = t.Next(k) {
		theirs.RawSet(b.handed(k), b.handed(v))
	}
	if meta := t.Metatable(); meta != nil && b.Reserved(meta) {
		theirs.Metatable = b.reflectMetatable(meta)
	} else if meta != nil {
		theirs.Metatable = b.theirTable(meta)
	}
	t.Share(c)
}

// handed is Lend for a value that was met by reach.
func (b *Bridge) handed(v machine.Value) lua.LValue {
	if t := v.Table(); t != nil {
		return b.theirTable(t)
	}
	return b.Lend(v)
}

// Get implements machine.Foreign.
func (c *foreignContent) Get(k machine.Value) machine.Value {
	key := c.b.known(k)
	if key == nil {
		return machine.Nil
	}
	return c.b.Take(c.theirs.RawGet(key))
}

// Set implements machine.Foreign.
func (c *foreignContent) Set(k, v machine.Value) {
	if v.IsNil() {
		c.remove(k)
		return
	}
	key := c.b.Lend(k)
	if c.theirs.RawGet(key) == lua.LNil {
		c.make(k)
	}
	c.theirs.RawSet(key, c.b.Lend(v))
}

// make charges for a new key. gopher-lua never forgets the places of keys that were removed:
// the table is built anew when there are more of them than keys that are left.
func (c *foreignContent) make(k machine.Value) {
	th, b := c.b.vm.Running(), c.b
	p := partsOf(c.theirs)
	b.vm.Heap.Fit(p.items + p.live + 1)
	if at := item(k); at > 0 {
		if at > p.items+1 {
			b.makeRoom(th, at-p.items)
		}
		b.vm.Grow(th, itemBytes)
		return
	}
	b.vm.Grow(th, keyBytes)
	if p.keys > 2*p.live+fewRemoved {
		c.rebuild()
	}
}

// parts is how many places a table of gopher-lua's has: in the list, for keys, and for keys
// that are there.
type parts struct{ items, keys, live int }

// The fields of a table of gopher-lua's.
var listField, textsField, othersField, keysField, placesField = field("array"), field("strdict"), field("dict"), field("keys"), field("k2i")

func field(name string) int {
	f, ok := reflect.TypeFor[lua.LTable]().FieldByName(name)
	if !ok {
		panic("bridge: gopher-lua's table has no " + name) // another version than the one in go.mod
	}
	return f.Index[0]
}

func partsOf(t *lua.LTable) parts {
	v := reflect.ValueOf(t).Elem()
	return parts{v.Field(listField).Len(), v.Field(keysField).Len(), v.Field(textsField).Len() + v.Field(othersField).Len()}
}

// place returns where a key stands among the keys of a table, -1 for an item.
func place(t *lua.LTable, k lua.LValue) int {
	if k == lua.LNil {
		return -1
	}
	at := reflect.ValueOf(t).Elem().Field(placesField).MapIndex(reflect.ValueOf(k))
	if !at.IsValid() {
		return -1
	}
	return int(at.Int())
}

// rebuild forgets the keys that were removed. O(entries).
func (c *foreignContent) rebuild() {
	old := *c.theirs
	empty(c.theirs)
	for k, v := old.Next(lua.LNil); k != lua.LNil; k, v = old.Next(k) {
		c.theirs.RawSet(k, v)
	}
}

// remove takes a key away. A last item leaves no place in the list: gopher-lua would look at
// all such places whenever it is asked for the length.
func (c *foreignContent) remove(k machine.Value) {
	key := c.b.known(k)
	if key == nil || c.theirs.RawGet(key) == lua.LNil {
		return
	}
	at := item(k)
	if at == 0 || at != c.theirs.Len() {
		c.theirs.RawSet(key, lua.LNil)
		return
	}
	for c.theirs.Remove(0) == lua.LNil { // what the host has left behind it
	}
	for n := c.theirs.Len(); at-1 > n; at-- {
		c.theirs.Remove(0)
	}
}

// Next implements machine.Foreign.
func (c *foreignContent) Next(after machine.Value) (key, value machine.Value, passed int) {
	from := lua.LValue(lua.LNil)
	if !after.IsNil() {
		if from = c.b.known(after); from == nil {
			return machine.Nil, machine.Nil, -1
		}
		if at := item(after); at > 0 && c.theirs.RawGetInt(at) == lua.LNil {
			if n := c.theirs.Len(); n == 0 {
				from = lua.LNil
			} else {
				from = lua.LNumber(min(at, n))
			}
		}
	}
	k, v := c.theirs.Next(from)
	return c.b.Take(k), c.b.Take(v), c.passed(from, k)
}

// passed returns how many places of removed keys lie between two keys.
func (c *foreignContent) passed(from, to lua.LValue) int {
	p := partsOf(c.theirs)
	if p.keys == p.live {
		return 0
	}
	end := p.keys
	if to != lua.LNil {
		end = place(c.theirs, to)
	}
	return max(end-place(c.theirs, from)-1, 0)
}

// Len implements machine.Foreign.
func (c *foreignContent) Len() int { return c.theirs.Len() }

// Entries implements machine.Foreign.
func (c *foreignContent) Entries() int {
	p := partsOf(c.theirs)
	return p.items + p.live
}

// Clear implements machine.Foreign.
func (c *foreignContent) Clear() { empty(c.theirs) }

// Metatable implements machine.Foreign.
func (c *foreignContent) Metatable() *machine.Table {
	return c.b.metatable(c.theirs.Metatable, &c.last)
}

// SetMetatable implements machine.Foreign.
func (c *foreignContent) SetMetatable(m *machine.Table) { c.theirs.Metatable = c.b.lendMetatable(m) }

// Walk implements machine.Foreign.
func (c *foreignContent) Walk(w *machine.Walk) (looked int) {
	for k, v := c.theirs.Next(lua.LNil); k != lua.LNil; k, v = c.theirs.Next(k) {
		looked++
		if _, number := k.(lua.LNumber); number {
			w.Add(itemBytes)
		} else {
			w.Add(keyBytes)
		}
		c.b.visit(w, k)
		c.b.visit(w, v)
	}
	return looked + 1
}

// visit counts a value of a table.
func (b *Bridge) visit(w *machine.Walk, v lua.LValue) {
	switch v := v.(type) {
	case lua.LString:
		w.Add(len(v))
	case *lua.LTable:
		w.Push(machine.OfTable(b.takeTable(v)))
	case *lua.LFunction:
		if x := wrapped(v); x != nil {
			w.Push(machine.OfFunction(x.fn))
		}
		w.Add(functionBytes)
	case *lua.LUserData:
		if u := b.userdata.to(v); u != nil {
			w.Push(machine.OfUserdata(u))
		}
	}
}
