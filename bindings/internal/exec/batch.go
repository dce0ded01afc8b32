package exec

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// Batch is what a batch function gets: some hundreds of rows, their fields as
// Lua arrays (read, write) or as columns for bulk operations (col). It is
// reused; used after its function has returned it raises an error.
type Batch struct {
	m       *Executor
	S       *System
	Terms   []*decl.Component
	views   *view.Viewer
	query   *ecs.Query
	Table   *lua.LTable    // a loan: a proxy of Content
	Content *lua.LTable    // n, and entities once they were asked for
	fixed   *lua.LFunction // what assigns to entities
	keeps   bool           // the function may keep it
	View    *rows.View     // the rows at hand, nil between calls
	Serial  uint64         // counts views: what was made for another one is over
	Arrays  map[ColumnKey]*array
	order   []*array // arrays to be written back, in the order asked for
	how     caller   // how the function is called
	record  Recorder
	Aside   view.Aside // rows to whose entities the call has done something
	landing view.Aside // the rows at hand, where their own function has
}

// BatchRunner runs a system that has a batch function.
func (m *Executor) BatchRunner(s *System, q *ecs.Query) func(*ecs.Tick) error {
	terms := s.Query.Terms()
	b := &Batch{
		m: m, S: s, Terms: terms, views: view.NewViewer(m.Tx, terms), query: q,
		record: m.NewRecorder(s), Arrays: map[ColumnKey]*array{}, Content: m.Main.CreateTable(0, 2), fixed: m.Main.NewFunction(refusal(fixedHandles)),
	}
	lua.SetMetatable(b.Content, m.BatchType)
	b.Table = m.front(b.Content, assignBatch)
	if meta, ok := lua.Metatable(b.Table).(*lua.LTable); ok {
		meta.RawSetString("__len", m.Main.NewFunction(refusal(noList)))
		meta.RawSetString(proxy.NoListKey, lua.LString(noList))
	}
	b.keeps = MayKeep(s.Batch, 0, true)
	b.how = callerOf(b)
	enters := entrance{tx: m.Tx, views: b.views, query: q}
	b.views.Alike = true // so that b:has has one answer
	whole := m.Tx.Function(func(L *lua.LState) { b.run(L, m.Tx.Call.Tick, &enters) })
	return m.unlessRefused(s, func(t *ecs.Tick) error { return m.Tx.Perform(t, s.Script, s.Name, whole) })
}

// assignBatch refuses assignments to fields of a batch.
func assignBatch(L *lua.LState) int {
	fault.Raise(L, BatchFixed(L.Get(2)))
	return 0
}

// run calls the function for one view of the query after the other. A view in which the call
// has changed an entity is shown aside, so that later views see what earlier ones have done.
func (b *Batch) run(L *lua.LState, t *ecs.Tick, enters *entrance) {
	b.m.Tx.Call.Ran = b.S.Ran
	ctx := b.m.Fill(&b.S.Context, t)
	b.record.Begin()
	defer b.record.End()
	if !b.m.Due(L, b.S, &b.record, ctx) {
		return
	}
	b.m.Batch = b
	defer func() {
		b.m.Batch = nil
		b.over()
	}()
	body := func(v *rows.View) {
		b.begin(v)
		recorded := t.Commands.Len()
		b.record.ByVM(len(v.Entities), 1)
		b.call(L, ctx)
		b.end(L, t.Commands.Len() > recorded)
	}
	enters.begin()
	b.views.Each(b.query, func(v *rows.View) {
		enters.enter()
		if p := b.m.Tx.Ahead(); p != nil && slices.ContainsFunc(v.Entities, p.Concerns) {
			b.cut(L, p, v, body)
		} else {
			body(v)
		}
	})
	enters.end()
}

// cut hands over the rows of a view as the call has them by now: those that match
// still, in parts that have the same components.
func (b *Batch) cut(L *lua.LState, p *ecs.Preview, v *rows.View, body func(*rows.View)) {
	s := &b.Aside
	s.Begin(b.m.Tx, v)
	flush := func() {
		if len(s.View.Entities) > 0 {
			for k := range s.View.Columns {
				s.View.Columns[k].Saved = false
			}
			body(&s.View)
			s.Record(L, b.proto())
			p = b.m.Tx.Call.Tick.Commands.Preview()
			s.Begin(b.m.Tx, v)
		}
	}
	for i, e := range v.Entities {
		if p.Concerns(e) && !b.S.Query.Matches(p, b.m.World, e) {
			continue
		}
		if s.Add(p, v, i); !s.Alike() {
			s.Drop()
			flush()
			s.Add(p, v, i)
		}
	}
	flush()
}

// begin makes the batch one of the rows of a view. Arrays of an earlier view are not valid any
// more, and an array is filled when the function asks for it.
func (b *Batch) begin(v *rows.View) {
	b.View = v
	b.Serial++
	b.order = b.order[:0]
	for _, a := range b.Arrays {
		a.begin()
	}
	b.count(len(v.Entities))
}

// end stores the arrays that the function has asked to write. If the function has changed
// entities of these rows itself, the values are recorded as changes after its own, because
// the commands would overwrite what is stored in the columns.
func (b *Batch) end(L *lua.LState, changed bool) {
	if p := b.m.Tx.Ahead(); changed && len(b.order) > 0 && p != nil && slices.ContainsFunc(b.View.Entities, p.Concerns) {
		b.landing.Begin(b.m.Tx, b.View)
		for i := range b.View.Entities {
			b.landing.Land(p, b.View, i)
		}
		for k := range b.View.Columns {
			b.landing.View.Columns[k].Saved = false
		}
		b.View = &b.landing.View
		defer b.landing.Record(L, b.proto())
	}
	for _, a := range b.order {
		b.m.Tx.Open(L, b.View, &b.View.Columns[a.key.Term], b.proto())
		b.storeArray(L, a)
	}
	b.over()
}

// proto returns the function as it is written.
func (b *Batch) proto() *lua.FunctionProto { return lua.Proto(b.S.Batch) }

// over ends the batch. A script that has kept it gets an error when it uses it.
func (b *Batch) over() {
	if b.View == nil {
		return
	}
	b.View = nil
	b.Set("n", lua.LNil)
	b.Set("entities", lua.LNil)
	if b.keeps {
		b.Table = b.m.recall(b.Table, b.m.overTable(OverBatch))
	}
	for _, a := range b.Arrays {
		a.recall()
	}
}

// noList is said to whoever takes a batch for a list.
const noList = "a batch is no list: b.n is how many rows it has, and b:read(Component, \"field\") gives a list with a value for each"

// OverBatch is said to whoever uses a batch later.
const OverBatch = "this batch is over: a batch can only be used inside its own function"

// fixedHandles is said to whoever assigns to b.entities.
const fixedHandles = "b.entities cannot be changed: a batch has the entities that match its query; copy the list into a table of your own"

// Present reports whether the rows at hand have a term. All of them do, or none: the viewer
// cuts views so.
func (b *Batch) Present(term int) bool {
	c := &b.View.Columns[term]
	return c.Base != nil || c.Ptrs != nil && c.Ptrs[0] != nil
}

// willWrite has an array stored at the end of the batch.
func (b *Batch) willWrite(L *lua.LState, a *array) {
	if !a.Write {
		value.Take(L, len(b.View.Entities)*max(a.key.Field.Len, 1))
		a.Write = true
		b.order = append(b.order, a)
	}
}

// ArrayOf returns the array of a field, filled or not. The same one serves all views, so that
// a system makes no new tables.
func (b *Batch) ArrayOf(key ColumnKey) *array {
	a := b.Arrays[key]
	if a == nil {
		a = b.m.newArray(key, b.Terms[key.Term], len(b.View.Entities))
		b.Arrays[key] = a
	}
	return a
}

// ColumnKey names an array of a batch: a field of a term.
type ColumnKey struct {
	Term  int
	Field *ecs.Field
}

// use says in messages what a list is for.
func (a *array) use() lua.LString {
	return lua.LString(diag.Format("it is a list, hp[1] of the first row; b:col(%s, %q) gives a column, which computes for all rows", a.term.Name, a.key.Field.Name))
}

// assignInside is __newindex of a table that is an element of front, or part of one.
func (a *array) assignInside(L *lua.LState) int {
	a.mayWrite(L)
	L.SetTable(proxy.Unwrap(L.CheckTable(1)), L.Get(2), L.Get(3))
	return 0
}

// mayWrite raises an error unless what is assigned will be stored.
func (a *array) mayWrite(L *lua.LState) {
	if !a.Write {
		fault.Raise(L, SealedList(a.term.Name, a.key.Field.Name))
	}
}

// Numeric reports whether the elements are numbers.
func (a *array) Numeric() bool {
	f := a.key.Field
	return f.Len == 0 && f.Kind != ecs.Bool && f.Kind != ecs.Enum && f.Kind != ecs.String && f.Kind != ecs.Struct
}

// SealedList is the error of an assignment to a list of b:read.
func SealedList(component, field string) *diag.Error {
	return diag.New("field %q of %q: a list of b:read cannot be changed, as nothing would store it: use b:write(%s, %q)", field, component, component, field)
}

// overArray is said to whoever uses a list of a batch later.
const overArray = "this list is over: a list of a batch lasts as long as the batch; ask the batch at hand for it"

func (b *Batch) refuse(L *lua.LState, a *array, i int, why string) {
	e := diag.New("field %q of %q, row %d of the batch: %s", a.key.Field.Name, b.Terms[a.key.Term].Name, i+1, why).On(fault.OfFunction(L, b.proto()))
	e.Entity = b.View.Entities[i]
	fault.Raise(L, e)
}
