package exec

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/bindings/vm"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Batch is what a batch function gets: some hundreds of rows, their fields as
// Lua arrays (read, write) or as columns for bulk operations (col). It is
// reused; used after its function has returned it raises an error.
type Batch struct {
	m         *Executor
	S         *System
	Terms     []*decl.Component
	views     *view.Viewer
	query     *ecs.Query
	Table     *lua.LTable // a loan
	keeps     bool        // the function may keep it
	View      *rows.View  // the rows at hand, nil between calls
	Serial    uint64      // counts views: what was made for another one is over
	Arrays    map[ColumnKey]*array
	order     []*array     // arrays to be written back, in the order asked for
	asked     bool         // whether there is one
	evaluator vm.Evaluator // runs the function beside the VM; nil: none does
	Aside     view.Aside   // rows to whose entities the call has done something
	landing   view.Aside   // the rows at hand, where their own function has
}

func (m *Executor) BatchRunner(s *System, q *ecs.Query) func(*ecs.Tick) error {
	terms := s.Query.Terms()
	b := &Batch{
		m: m, S: s, Terms: terms, views: view.NewViewer(m.Tx, terms), query: q,
		Arrays: map[ColumnKey]*array{}, Table: m.Main.CreateTable(0, 4),
	}
	b.Table.Metatable = m.BatchType
	b.keeps = MayKeep(s.Batch, 0, true)
	b.views.Alike = true // so that b:has has one answer
	whole := m.Tx.Function(func(L *lua.LState) { b.run(L, m.Tx.Call.Tick) })
	return func(t *ecs.Tick) error { return m.Tx.Perform(t, s.Script, s.Name, whole) }
}

func (b *Batch) run(L *lua.LState, t *ecs.Tick) {
	ctx := b.m.Fill(&b.S.Context, t)
	if !b.m.Due(L, b.S, ctx) {
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
		b.call(L, ctx)
		b.end(L, t.Commands.Len() > recorded)
	}
	b.views.Each(b.query, func(v *rows.View) {
		if p := b.m.Tx.Ahead(); p != nil && slices.ContainsFunc(v.Entities, p.Concerns) {
			b.cut(L, p, v, body)
		} else {
			body(v)
		}
	})
}

// cut hands over the rows of a view as the call has them by now: those that match
// still, in runs of rows that have the same components.
func (b *Batch) cut(L *lua.LState, p *ecs.Preview, v *rows.View, body func(*rows.View)) {
	s := &b.Aside
	s.Begin(b.m.Tx, v)
	flush := func() {
		if len(s.View.Entities) > 0 {
			for k := range s.View.Columns {
				s.View.Columns[k].Saved = false
			}
			body(&s.View)
			s.Record(L, b.line())
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

func (b *Batch) call(L *lua.LState, ctx lua.LValue) {
	if !b.asked && b.m.Prepare != nil {
		b.asked, b.evaluator = true, b.m.Prepare(b.S.Batch, 0)
	}
	if b.evaluator != nil {
		b.evaluate(L, ctx)
		return
	}
	L.Push(b.S.Batch)
	L.Push(b.Table)
	L.Push(ctx)
	L.Call(2, 0)
}

// evaluate calls the function beside the VM.
func (b *Batch) evaluate(L *lua.LState, ctx lua.LValue) {
	b.evaluator.Begin(L)
	defer b.evaluator.End()
	given := [...]lua.LValue{b.Table, ctx}
	for i := range b.evaluator.Args() {
		if r := &b.evaluator.Args()[i]; i < len(given) {
			r.Put(given[i])
		} else {
			r.Value = lua.LNil
		}
	}
	b.evaluator.Call(L)
}

func (b *Batch) begin(v *rows.View) {
	b.View = v
	b.Serial++
	b.order = b.order[:0]
	for _, a := range b.Arrays {
		a.Fresh, a.Write = false, false
	}
	b.Table.RawSetString("n", b.m.Number(float64(len(v.Entities))))
}

// end stores what the function left in the arrays that it asked to write, aside for
// entities to which it has done something itself.
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
		defer b.landing.Record(L, b.line())
	}
	for _, a := range b.order {
		b.m.Tx.Open(L, b.View, &b.View.Columns[a.key.Term], b.line())
		b.storeArray(L, a)
	}
	b.over()
}

// line is that of the function.
func (b *Batch) line() int { return b.S.Batch.Proto.LineDefined }

// over ends the batch: whoever kept it finds nothing in it.
func (b *Batch) over() {
	if b.View == nil {
		return
	}
	b.View = nil
	b.Table.RawSetString("n", lua.LNil)
	b.Table.RawSetString("entities", lua.LNil)
	if b.keeps {
		b.Table = b.m.recall(b.Table, b.m.overTable(OverBatch))
	}
	for _, a := range b.Arrays {
		b.m.recallArray(a)
	}
}

// OverBatch is said to whoever uses a batch later.
const OverBatch = "this batch is over: a batch can only be used inside its own function"

// Handles returns the entities of the view as a fresh array.
func (b *Batch) Handles(L *lua.LState) *lua.LTable {
	n := len(b.View.Entities)
	value.Charge(L, n*value.StepsPerItem)
	t := L.CreateTable(n, 0)
	buf := make([]float64, n)
	for i, e := range b.View.Entities {
		buf[i] = float64(e)
		t.RawSetInt(i+1, b.m.Boxer.Box(&buf[i]))
	}
	return t
}

// WillWrite has an array stored at the end of the batch.
func (b *Batch) WillWrite(L *lua.LState, arr *array) {
	if !arr.Write {
		value.Take(L, len(b.View.Entities)*max(arr.key.Field.Len, 1))
		arr.Write = true
		b.order = append(b.order, arr)
	}
}

func (b *Batch) Present(term int) bool {
	c := &b.View.Columns[term]
	return c.Base != nil || c.Ptrs != nil && c.Ptrs[0] != nil
}
