package bindings

import (
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// batch is what a batch function gets: some hundreds of rows, their fields as
// Lua arrays (read, write) or as columns for bulk operations (col). It is
// reused; used after its function has returned it raises an error.
type batch struct {
	m         *executor
	s         *System
	terms     []*decl.Component
	views     *view.Viewer
	query     *ecs.Query
	table     *lua.LTable // a loan
	keeps     bool        // the function may keep it
	view      *view.View  // the rows at hand, nil between calls
	serial    uint64      // counts views: what was made for another one is over
	arrays    map[columnKey]*array
	order     []*array   // arrays to be written back, in the order asked for
	asked     bool       // whether there is one
	evaluator Evaluator  // runs the function beside the Lua machine; nil: none does
	aside     view.Aside // rows to whose entities the call has done something
	landing   view.Aside // the rows at hand, where their own function has
}

func (m *executor) batchRunner(s *System, q *ecs.Query) func(*ecs.Tick) error {
	terms := s.query.Terms()
	b := &batch{
		m: m, s: s, terms: terms, views: view.NewViewer(m.tx, terms), query: q,
		arrays: map[columnKey]*array{}, table: m.main.CreateTable(0, 4),
	}
	b.table.Metatable = m.types.batch
	b.keeps = mayKeep(s.batch, 0, true)
	b.views.Alike = true // so that b:has has one answer
	whole := m.tx.Function(func(L *lua.LState) { b.run(L, m.tx.Call.Tick) })
	return func(t *ecs.Tick) error { return m.tx.Perform(t, s.Script, s.Name, whole) }
}

func (b *batch) run(L *lua.LState, t *ecs.Tick) {
	ctx := b.m.fill(&b.s.context, t)
	if !b.m.due(L, b.s, ctx) {
		return
	}
	b.m.batch = b
	defer func() {
		b.m.batch = nil
		b.over()
	}()
	body := func(v *view.View) {
		b.begin(v)
		recorded := t.Commands.Len()
		b.call(L, ctx)
		b.end(L, t.Commands.Len() > recorded)
	}
	b.views.Each(b.query, func(v *view.View) {
		if p := b.m.tx.Ahead(); p != nil && slices.ContainsFunc(v.Entities, p.Concerns) {
			b.cut(L, p, v, body)
		} else {
			body(v)
		}
	})
}

// cut hands over the rows of a view as the call has them by now: those that match
// still, in runs of rows that have the same components.
func (b *batch) cut(L *lua.LState, p *ecs.Preview, v *view.View, body func(*view.View)) {
	s := &b.aside
	s.Begin(b.m.tx, v)
	flush := func() {
		if len(s.View.Entities) > 0 {
			for k := range s.View.Columns {
				s.View.Columns[k].Saved = false
			}
			body(&s.View)
			s.Record(L, b.line())
			p = b.m.tx.Call.Tick.Commands.Preview()
			s.Begin(b.m.tx, v)
		}
	}
	for i, e := range v.Entities {
		if p.Concerns(e) && !b.s.query.Matches(p, b.m.world, e) {
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

func (b *batch) call(L *lua.LState, ctx lua.LValue) {
	if !b.asked && b.m.opts.Evaluator != nil {
		b.asked, b.evaluator = true, b.m.opts.Evaluator(b.s.batch, 0)
	}
	if b.evaluator != nil {
		b.evaluate(L, ctx)
		return
	}
	L.Push(b.s.batch)
	L.Push(b.table)
	L.Push(ctx)
	L.Call(2, 0)
}

// evaluate calls the function beside the Lua machine.
func (b *batch) evaluate(L *lua.LState, ctx lua.LValue) {
	b.evaluator.Begin(L)
	defer b.evaluator.End()
	given := [...]lua.LValue{b.table, ctx}
	for i := range b.evaluator.Args() {
		if r := &b.evaluator.Args()[i]; i < len(given) {
			r.Put(given[i])
		} else {
			r.Value = lua.LNil
		}
	}
	b.evaluator.Call(L)
}

func (b *batch) begin(v *view.View) {
	b.view = v
	b.serial++
	b.order = b.order[:0]
	for _, a := range b.arrays {
		a.fresh, a.write = false, false
	}
	b.table.RawSetString("n", b.m.Number(float64(len(v.Entities))))
}

// end stores what the function left in the arrays that it asked to write, aside for
// entities to which it has done something itself.
func (b *batch) end(L *lua.LState, changed bool) {
	if p := b.m.tx.Ahead(); changed && len(b.order) > 0 && p != nil && slices.ContainsFunc(b.view.Entities, p.Concerns) {
		b.landing.Begin(b.m.tx, b.view)
		for i := range b.view.Entities {
			b.landing.Land(p, b.view, i)
		}
		for k := range b.view.Columns {
			b.landing.View.Columns[k].Saved = false
		}
		b.view = &b.landing.View
		defer b.landing.Record(L, b.line())
	}
	for _, a := range b.order {
		b.view.Open(b.m.tx, L, &b.view.Columns[a.key.term], b.line())
		b.storeArray(L, a)
	}
	b.over()
}

// line is that of the function.
func (b *batch) line() int { return b.s.batch.Proto.LineDefined }

// over ends the batch: whoever kept it finds nothing in it.
func (b *batch) over() {
	if b.view == nil {
		return
	}
	b.view = nil
	b.table.RawSetString("n", lua.LNil)
	b.table.RawSetString("entities", lua.LNil)
	if b.keeps {
		b.table = b.m.recall(b.table, b.m.overTable(overBatch))
	}
	for _, a := range b.arrays {
		b.m.recallArray(a)
	}
}

// overBatch is said to whoever uses a batch later.
const overBatch = "this batch is over: a batch can only be used inside its own function"

// batchIndex is b.entities and the methods: they are found through __index so
// that a batch costs nothing that is not asked for.
func (m *Module) batchIndex(L *lua.LState) int {
	a := &args{m, L, "batch"}
	if m.exec.batch == nil || m.exec.batch.table != L.Get(1) || m.exec.batch.view == nil {
		L.RaiseError(overBatch)
	}
	b := m.exec.batch
	switch name := L.CheckString(2); name {
	case "entities":
		t := b.handles(L)
		b.table.RawSetString("entities", t)
		L.Push(t)
	case "read", "write", "col", "has":
		L.Push(m.batchMethod(L, name))
	default:
		a.L.RaiseError("a batch has no %q%s", diag.Cut(name), value.Meant(L, name, []string{"n", "entities", "read", "write", "col", "has"}))
	}
	return 1
}

// batchPrefix begins the names of the methods of batches in errors.
const batchPrefix = "batch:"

func (m *Module) batchMethod(L *lua.LState, name string) *lua.LFunction {
	if f, ok := m.types.batch.RawGetString(name).(*lua.LFunction); ok {
		return f
	}
	fn := map[string]func(*args, *batch) int{"read": batchRead, "write": batchWrite, "col": batchColumn, "has": batchHas}[name]
	title := batchPrefix + name
	form := forms[title]
	f := L.NewFunction(func(L *lua.LState) int {
		a := m.called(L, title)
		if m.exec.batch == nil || m.exec.batch.view == nil {
			L.RaiseError(overBatch)
		}
		if L.Get(1) != lua.LValue(m.exec.batch.table) {
			if t, ok := L.Get(1).(*lua.LTable); ok && value.Over(t) != "" {
				L.RaiseError(overBatch)
			}
			a.fail("expected the batch, got %s: call it with a colon, b:%s(…)", value.Describe(L.Get(1)), name)
		}
		a.atMost(&form)
		return fn(a, m.exec.batch)
	})
	m.types.batch.RawSetString(name, f)
	return f
}

// handles returns the entities of the view as a fresh array.
func (b *batch) handles(L *lua.LState) *lua.LTable {
	n := len(b.view.Entities)
	value.Charge(L, n*value.StepsPerItem)
	t := L.CreateTable(n, 0)
	buf := make([]float64, n)
	for i, e := range b.view.Entities {
		buf[i] = float64(e)
		t.RawSetInt(i+1, b.m.boxer.Box(&buf[i]))
	}
	return t
}

// key reads the arguments (component, "field") of a batch method.
func (a *args) key(b *batch) columnKey {
	term := a.term(b)
	schema := b.terms[term].Schema
	name, ok := a.L.Get(3).(lua.LString)
	if !ok && len(schema.Fields) == 1 && a.L.Get(3) == lua.LNil {
		return columnKey{term, &schema.Fields[0]}
	}
	if !ok {
		a.noField(schema)
	}
	f := schema.Field(string(name))
	if f == nil {
		a.L.RaiseError("unknown field %q of %q%s", diag.Cut(a.L.Get(3).String()), schema.Name, value.Meant(a.L, string(name), value.FieldNames(schema)))
	}
	return columnKey{term, f}
}

// noField raises an error where the name of a field was forgotten, or is none.
func (a *args) noField(s *ecs.Schema) {
	if len(s.Fields) == 0 {
		a.L.RaiseError("%q is a tag, which has no fields", s.Name)
	}
	method := strings.TrimPrefix(a.name, batchPrefix)
	a.L.RaiseError("expected the name of a field of %q, got %s: write b:%s(%s, %q)", s.Name, value.Describe(a.L.Get(3)), method, s.Name, s.Fields[0].Name)
}

// term reads a component argument that the system's query lists.
func (a *args) term(b *batch) int {
	ud, _ := a.L.Get(2).(*lua.LUserData)
	if ud != nil {
		if c, ok := ud.Value.(*decl.Component); ok {
			for i, t := range b.terms {
				if t == c || t.Name == c.Name {
					return i
				}
			}
			a.L.RaiseError("component %q is not in the query of system %q: list it there or as optional", c.Name, b.s.Name)
		}
	}
	a.L.RaiseError("expected a component of the query, got %s", value.Describe(a.L.Get(2)))
	return 0
}

func batchRead(a *args, b *batch) int {
	key := a.key(b)
	a.present(b, key.term)
	a.L.Push(b.array(a.L, key).table)
	return 1
}

func batchWrite(a *args, b *batch) int {
	key := a.key(b)
	a.present(b, key.term)
	arr := b.array(a.L, key)
	b.willWrite(a.L, arr)
	a.L.Push(arr.table)
	return 1
}

// willWrite has an array stored at the end of the batch.
func (b *batch) willWrite(L *lua.LState, arr *array) {
	if !arr.write {
		value.Take(L, len(b.view.Entities)*max(arr.key.field.Len, 1))
		arr.write = true
		b.order = append(b.order, arr)
	}
}

// batchHas is b:has(component): whether the rows at hand have an optional
// component. All of them do, or none.
func batchHas(a *args, b *batch) int {
	a.L.Push(lua.LBool(b.present(a.term(b))))
	return 1
}

// present raises an error when the rows at hand lack an optional term.
func (a *args) present(b *batch, term int) {
	if !b.present(term) {
		a.L.RaiseError("these rows have no %q: ask b:has(%s) first", b.terms[term].Name, b.terms[term].Name)
	}
}

func (b *batch) present(term int) bool {
	c := &b.view.Columns[term]
	return c.Base != nil || c.Ptrs != nil && c.Ptrs[0] != nil
}
