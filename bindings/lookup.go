package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// lookupFunctions read the world.
func (m *Module) lookupFunctions() map[string]func(*args) int {
	return map[string]func(*args) int{
		"get": get, "has": has, "alive": alive, "count": count, "find": find, "entities": entities,
		"parent": parent, "children": children, "events": events, "resource": findResource,
	}
}

// get is ecs.get(e, component) for a copy of all fields, or with a field's name
// for that field; nil when e is dead or has none.
func get(a *args) int {
	a.acting()
	e, c := a.handle(1), a.component(2)
	a.ready(2, []*decl.Component{c})
	p := a.m.tx.Pointer(e, c.ID)
	if a.L.GetTop() >= 3 {
		f := c.Schema.Field(a.text(3))
		if f == nil {
			a.fail("unknown field %q of %q%s", a.text(3), c.Name, value.Meant(a.L, a.text(3), value.FieldNames(c.Schema)))
		}
		if p == nil {
			a.L.Push(lua.LNil)
		} else {
			a.L.Push(value.Load(a.L, f, p))
		}
		return 1
	}
	switch {
	case p == nil:
		a.L.Push(lua.LNil)
	case c.Tag():
		a.L.Push(lua.LTrue)
	default:
		value.ChargeFields(a.L, c.Schema)
		value.ChargeBytes(a.L, len(c.Schema.Fields)*value.PerKey)
		t := a.L.CreateTable(0, len(c.Schema.Fields))
		for i := range c.Schema.Fields {
			t.RawSetString(c.Schema.Fields[i].Name, value.Load(a.L, &c.Schema.Fields[i], p))
		}
		a.L.Push(t)
	}
	return 1
}

// has is ecs.has(e, …): whether e is alive and has all of the components.
func has(a *args) int {
	a.acting()
	e, ok := a.handle(1), true
	for i := 2; i <= a.L.GetTop(); i++ {
		c := a.component(i)
		a.ready(i, []*decl.Component{c})
		ok = ok && a.m.tx.Pointer(e, c.ID) != nil
	}
	a.L.Push(lua.LBool(ok && a.m.tx.Alive(e)))
	return 1
}

// alive is ecs.alive(e). Numbers that are no handles are simply not alive.
func alive(a *args) int {
	a.acting()
	v := a.L.Get(1)
	n, ok := v.(lua.LNumber)
	if !ok && v != lua.LNil {
		a.expected(1, "an entity")
	}
	e, why := value.ToEntity(float64(n))
	a.L.Push(lua.LBool(ok && why == "" && a.m.tx.Alive(e)))
	return 1
}

func count(a *args) int {
	a.acting()
	r := a.queryArg(1)
	before := r.Tested()
	n := a.m.count(r)
	if p := a.m.tx.Ahead(); p != nil {
		value.Charge(a.L, p.Len()*value.StepsPerChanged)
	}
	a.tested(r, before)
	a.L.Push(lua.LNumber(n))
	return 1
}

// find returns the first entity of a query, or nil.
func find(a *args) int {
	a.acting()
	if e := a.first(a.queryArg(1)); e != 0 {
		a.L.Push(lua.LNumber(e))
	} else {
		a.L.Push(lua.LNil)
	}
	return 1
}

// first returns the first entity that matches, changed aside, or 0.
func (a *args) first(r request) ecs.Entity {
	if a.m.tx.Ahead() == nil {
		before := r.Tested()
		e := r.First()
		a.tested(r, before)
		return e
	}
	plain := *r.spec
	plain.Change = nil
	for e := range a.matching(a.request(&plain)) {
		return e
	}
	return 0
}

// entityList is what the loop over ecs.entities has before it.
type entityList struct {
	all  []ecs.Entity
	next int
}

// Held returns how many bytes the list takes, for those who look at what is held.
func (l *entityList) Held() (int64, []lua.LValue) { return 8*int64(cap(l.all)) + 80, nil }

// add adds an entity. The list takes room by doubling, which is counted before.
func (l *entityList) add(L *lua.LState, e ecs.Entity) {
	if n := len(l.all); n == cap(l.all) {
		room := max(2*n, 8)
		value.ChargeBytes(L, 8*room)
		l.all = append(make([]ecs.Entity, 0, room), l.all...)
	}
	l.all = append(l.all, e)
}

func (l *entityList) step(L *lua.LState) int {
	if l.next == len(l.all) {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(lua.LNumber(l.all[l.next]))
	l.next++
	return 1
}

// entities is for e in ecs.entities(query): the entities as they are when the
// loop begins.
func entities(a *args) int {
	a.acting()
	list := &entityList{}
	for e := range a.matching(a.queryArg(1)) {
		list.add(a.L, e)
	}
	a.L.Push(holding(a.L, list.step, &lua.LUserData{Value: list, Metatable: lua.LNil}))
	return 1
}

// holding makes a function of the host's that holds a value. The value is a variable
// of it, as those of Lua functions are: who looks at what scripts hold finds it there.
func holding(L *lua.LState, fn lua.LGFunction, given lua.LValue) *lua.LFunction {
	f, up := L.NewFunction(fn), new(lua.Upvalue)
	up.Close()
	up.SetValue(given)
	f.Upvalues = []*lua.Upvalue{up}
	return f
}

// parent is ecs.parent(e), nil for a root.
func parent(a *args) int {
	a.acting()
	if p := a.m.tx.Parent(a.handle(1)); p != 0 {
		a.L.Push(lua.LNumber(p))
	} else {
		a.L.Push(lua.LNil)
	}
	return 1
}

// children is ecs.children(e): a list, in the order in which they were added.
func children(a *args) int {
	a.acting()
	e := a.handle(1)
	n := a.m.tx.CountChildren(e)
	value.Charge(a.L, n*value.StepsPerLink)
	value.ChargeBytes(a.L, n*value.PerItem)
	list := a.L.CreateTable(n, 0)
	for child := range a.m.tx.Children(e) {
		list.Append(lua.LNumber(child))
	}
	a.L.Push(list)
	return 1
}
