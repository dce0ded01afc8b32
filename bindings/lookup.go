package bindings

import (
	"iter"
	"maps"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// lookupFunctions ask about one entity.
func lookupFunctions() map[string]func(*args) int {
	return map[string]func(*args) int{
		"get": get, "has": has, "alive": alive, "parent": parent, "children": children,
	}
}

// get is ecs.get(e, component) for a copy of all fields, or with the name of a field for that
// field alone. It is nil when e is dead or does not have the component.
func get(a *args) int {
	a.acting()
	e, c := a.handle(1), a.component(2)
	a.inForce(2, c)
	p := a.tx.Pointer(e, c.ID)
	if a.L.GetTop() >= 3 {
		f := a.field(3, c)
		switch {
		case p == nil:
		case value.Deferrable(f) && a.later(e, c, true):
			lua.PushValue(a.L, value.ReadLater(a.L, f, p))
			return 1
		default:
			lua.PushValue(a.L, c.Copier.Field(a.L, c.Schema, f, p))
			return 1
		}
	}
	switch {
	case p == nil:
		return a.result(lua.LNil)
	case c.Tag():
		return a.result(lua.LTrue)
	}
	value.ChargeFields(a.L, c.Schema)
	lua.AllocKeys(a.L, len(c.Schema.Fields))
	return a.result(c.Copier.Table(a.L, c.Schema, p, c.Copier.Defers(a.L, c.Schema) && a.later(e, c, false)))
}

// later reports whether lists of a component, or a list alone, can be filled when they are
// needed: what they are read from is the world's and stays what it is, and nobody keeps them.
func (a *args) later(e ecs.Entity, c *decl.Component, alone bool) bool {
	if p := a.tx.Ahead(); a.L != a.tx.Thread || p != nil && p.Concerns(e) {
		return false
	}
	return !a.exec.ResultEscapes(a.L, c.Schema, alone)
}

// field reads the name of a field of a component.
func (a *args) field(i int, c *decl.Component) *ecs.Field {
	f := c.Copier.Find(a.L, c.Schema, a.text(i))
	if f == nil {
		a.raise(value.NoField(a.L, c.Schema, a.text(i)).On(a.place(fault.Argument(i))))
	}
	return f
}

// has is ecs.has(e, …): whether e is alive and has all of the components. All arguments are
// read, so that a wrong one is an error for every entity.
func has(a *args) int {
	a.acting()
	e, top := a.handle(1), a.L.GetTop()
	if top < 2 {
		return a.truth(a.tx.Alive(e))
	}
	ok := true // what is dead has no component
	for i := 2; i <= top; i++ {
		c := a.component(i)
		a.inForce(i, c)
		ok = ok && a.tx.Pointer(e, c.ID) != nil
	}
	return a.truth(ok)
}

// alive is ecs.alive(e). A number that was never a handle is not alive, which is no error:
// scripts ask so for numbers that they have kept.
func alive(a *args) int {
	a.acting()
	n, ok := a.entityOrNil(1)
	e, why := value.ToEntity(n)
	return a.truth(ok && why == "" && a.tx.Alive(e))
}

// entityOrNil reads any number, or nil.
func (a *args) entityOrNil(i int) (n float64, ok bool) {
	if n, ok = lua.NumberAt(a.L, i); !ok && a.L.Get(i) != lua.LNil {
		a.expected(i, "an entity")
	}
	return n, ok
}

// entityResult returns an entity to the script, nil for none.
func (a *args) entityResult(e ecs.Entity) int {
	if e == 0 {
		lua.PushValue(a.L, lua.Nil)
		return 1
	}
	return a.numberResult(float64(e))
}

// countOf is ecs.count(query). What the call has changed is charged as well: each of these
// entities is looked at.
func (m *queries) countOf(a *args) int {
	a.acting()
	r := m.arg(a)
	before := r.Tested()
	n := m.count(r)
	if p := a.tx.Ahead(); p != nil {
		value.Charge(a.L, p.Len()*value.StepsPerChanged)
	}
	a.tested(r, before)
	return a.numberResult(float64(n))
}

// find is ecs.find(query): the first entity, or nil.
func (m *queries) find(a *args) int {
	a.acting()
	return a.entityResult(m.first(a, m.arg(a)))
}

// first returns the first entity that matches by what the call has done so far, or 0. Here
// changed does not count, as in [ecs.Query.First]: find is no look at what has changed.
func (m *queries) first(a *args, r request) ecs.Entity {
	if a.tx.Ahead() == nil {
		before := r.Tested()
		e := r.First()
		a.tested(r, before)
		return e
	}
	plain := *r.spec
	plain.Change = nil
	for e := range m.matching(a, m.request(a, &plain)) {
		return e
	}
	return 0
}

// entityList is what the loop over ecs.entities goes through. It is complete before the first
// turn: the body of the loop may spawn and despawn, and a coroutine may go on with the loop in
// a later tick. Chunks are copied whole, which costs less than looking at a few entities.
type entityList struct {
	all  []ecs.Entity
	next int
}

// Held returns how many bytes the list takes. Package heapsize asks for it.
func (l *entityList) Held() int64 { return 8*int64(cap(l.all)) + 80 }

// add adds entities. The list doubles its room as if they came one by one, and pays for each
// room before it is made.
func (l *entityList) add(L *lua.LState, more ...ecs.Entity) {
	room, n := cap(l.all), len(l.all)+len(more)
	for room < n {
		room = max(2*room, 8)
		value.ChargeBytes(L, 8*room)
	}
	if room > cap(l.all) {
		l.all = append(make([]ecs.Entity, 0, room), l.all...)
	}
	l.all = append(l.all, more...)
}

// step is the iterator of the loop.
func (l *entityList) step(L *lua.LState) int {
	if l.next == len(l.all) {
		L.Push(lua.LNil)
		return 1
	}
	value.Take(L, value.StepsPerEntity)
	L.Push(lua.LNumber(l.all[l.next]))
	l.next++
	return 1
}

// entities is for e in ecs.entities(query): the entities as they are when the loop begins.
func (m *queries) entities(a *args) int {
	a.acting()
	list := &entityList{}
	m.look(a, m.arg(a), func(more []ecs.Entity) bool {
		list.add(a.L, more...)
		return true
	})
	return a.result(a.L.NewClosure(list.step, lua.NewUserData(list, nil)))
}

// despawnAll is ecs.despawn_all(query). It returns how many entities it despawns. Each counts before
// it is recorded, with those that die with it.
func (m *queries) despawnAll(a *args) int {
	c := a.changing()
	n := 0
	for e := range m.matching(a, m.arg(a)) {
		a.spendDespawn(c, e)
		c.Tick.Commands.Despawn(e)
		n++
	}
	return a.numberResult(float64(n))
}

// parent is ecs.parent(e); nil for an entity without a parent.
func parent(a *args) int {
	a.acting()
	return a.entityResult(a.tx.Parent(a.handle(1)))
}

// children is ecs.children(e): a list, in the order in which they were added.
func children(a *args) int {
	a.acting()
	e := a.handle(1)
	n := a.tx.CountChildren(e)
	value.Charge(a.L, n*value.StepsPerLink)
	value.ChargeBytes(a.L, n*value.PerItem)
	list := a.L.CreateTable(n, 0)
	for child := range a.tx.Children(e) {
		list.Append(lua.LNumber(child))
	}
	return a.result(list)
}

// queries are those that builtins have asked so far, by what they ask for.
type queries struct {
	*core
	known map[string]*ecs.Query
}

// functions ask about many entities.
func (m *queries) functions() map[string]func(*args) int {
	return map[string]func(*args) int{"count": m.countOf, "find": m.find, "entities": m.entities}
}

// arg reads the query of a builtin such as ecs.count: a table, or one component. Builtins that
// ask for the same components share one query of the world, so its matching archetypes are
// found once.
func (m *queries) arg(a *args) request {
	spec := a.query(1)
	named := len(spec.List)
	for _, list := range spec.Parts() {
		named += len(*list)
	}
	value.Charge(a.L, value.StepsPerQuery+named*value.StepsPerTerm)
	return m.request(a, spec)
}

// request finds the query that asks for the same, or makes it.
func (m *queries) request(a *args, spec *decl.Query) request {
	key := spec.Key()
	if len(spec.Change) > 0 {
		key = lastLook + key + a.tx.Call.Name // each system has its own last look
	}
	q := m.known[key]
	if q == nil {
		m.room(a)
		q = spec.Build(a.world, func(int) bool { return false })
		m.known[key] = q
	}
	return request{q, spec}
}

const (
	// maxQueries is how many queries of builtins are kept.
	maxQueries = 1000
	// lastLook begins the keys of those that know what has changed since.
	lastLook = "changed "
)

// room makes room for one more query. It forgets all queries but those with changed: the
// others can be made again, and those with changed know when they were asked last.
func (m *queries) room(a *args) {
	if len(m.known) < maxQueries {
		return
	}
	maps.DeleteFunc(m.known, func(key string, _ *ecs.Query) bool { return !strings.HasPrefix(key, lastLook) })
	if len(m.known) >= maxQueries {
		a.fail("more than %s different queries with changed are in use", diag.Grouped(maxQueries))
	}
}

// What a call has done already: its changes wait in the commands of its tick, and
// nobody else sees them before these are applied. The call itself does. Whoever asks
// the world for a script asks here.

// request is a query of a builtin such as ecs.count, and what it asks for.
type request struct {
	*ecs.Query
	spec *decl.Query
}

// tested charges the archetypes and rows that a look at a query has tested since it had
// tested so many.
func (a *args) tested(r request, before uint64) {
	value.Charge(a.L, int(r.Tested()-before)*value.StepsPerTest)
}

// count returns how many entities match, where changed does not count. Of those that the call
// has changed it counts what they are by now: each is taken out if the world has it, and put
// in if it matches.
func (m *queries) count(r request) int {
	n, p := r.Count(), m.tx.Ahead()
	if p == nil {
		return n
	}
	for e := range p.Concerned() {
		if c, _ := r.Find(e); c != nil {
			n--
		}
		if r.spec.Matches(p, m.world, e) {
			n++
		}
	}
	return n
}

// matching iterates the entities that match, in the order of look.
func (m *queries) matching(a *args, r request) iter.Seq[ecs.Entity] {
	return func(yield func(ecs.Entity) bool) {
		m.look(a, r, func(several []ecs.Entity) bool {
			for _, e := range several {
				if !yield(e) {
					return false
				}
			}
			return true
		})
	}
}

// look finds the entities that match, several at once, as long as found returns true: those of
// the world in its order, then those that match by what the call has done, in the order in
// which it came to them. A query with changed leaves out the second, since they are not written
// yet. Rows that are looked at are charged, because rows that do not match any more lead to no
// other charge.
func (m *queries) look(a *args, r request, found func([]ecs.Entity) bool) {
	const rowsPerStep = 4
	before := r.Tested()
	defer func() { a.tested(r, before) }()
	p := m.tx.Ahead()
	m.tx.Call.Dates.Look(r.Query)
	for c := range r.Chunks() {
		value.Charge(a.L, c.Len()/rowsPerStep)
		several := c.Entities()
		if p != nil {
			from := 0
			for i, e := range several {
				if p.Concerns(e) && !r.spec.Matches(p, m.world, e) {
					if from < i && !found(several[from:i]) {
						return
					}
					from = i + 1
				}
			}
			several = several[from:]
		}
		if len(several) > 0 && !found(several) {
			return
		}
	}
	if p == nil || len(r.spec.Change) > 0 {
		return
	}
	value.Charge(a.L, p.Len()/rowsPerStep)
	for e := range p.Concerned() {
		if c, _ := r.Find(e); c == nil && r.spec.Matches(p, m.world, e) && !found([]ecs.Entity{e}) {
			return
		}
	}
}
