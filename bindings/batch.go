package bindings

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/column"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// batches give scripts the rows of a batch function.
type batches struct{ *core }

// index is b.entities and the methods of a batch, which are found through __index of its
// content.
func (m *batches) index(L *lua.LState) int {
	if m.exec.Batch == nil || m.exec.Batch.View == nil {
		fault.Raisef(L, exec.OverBatch)
	}
	b := m.exec.Batch
	switch name := L.CheckString(2); name {
	case "entities":
		t := b.Handles(L)
		b.Set(name, t)
		L.Push(t)
	case "read", "write", "col", "has":
		L.Push(m.method(L, name))
	default:
		fault.Raisef(L, exec.NoBatchField, diag.Cut(name), value.Meant(L, name, exec.BatchFields))
	}
	return 1
}

// method returns a method of batches, the same function each time: what runs batches beside
// the VM knows the methods by it, and a loop that asks for one makes no garbage.
func (m *batches) method(L *lua.LState, name string) *lua.LFunction {
	if f, ok := m.types.batch.RawGetString(name).(*lua.LFunction); ok {
		return f
	}
	f := L.NewFunction(m.newMethod(name))
	m.types.batch.RawSetString(name, f)
	return f
}

// batchMethods are the methods of batches.
var batchMethods = map[string]func(*args, *exec.Batch) int{"read": batchRead, "write": batchWrite, "col": batchColumn, "has": batchHas}

// newMethod makes a method of batches.
func (m *batches) newMethod(name string) lua.LGFunction {
	fn := batchMethods[name]
	title := batchPrefix + name
	form := forms[title]
	return func(L *lua.LState) int {
		a := called(m.core, L, title)
		if m.exec.Batch == nil || m.exec.Batch.View == nil {
			fault.Raisef(L, exec.OverBatch)
		}
		if L.Get(1) != lua.LValue(m.exec.Batch.Table) {
			if t, ok := L.Get(1).(*lua.LTable); ok && proxy.Over(t) != "" {
				fault.Raisef(L, exec.OverBatch)
			}
			a.fail("expected the batch, got %s: write %s, with a colon", value.Describe(L.Get(1)), form.shown)
		}
		a.atMost(form)
		n := fn(a, m.exec.Batch)
		a.done()
		return n
	}
}

// key reads the arguments (component, "field") of a method of a batch. The field may be left
// out where the component has just one.
func (a *args) key(b *exec.Batch) exec.ColumnKey {
	term := a.term(b)
	schema := b.Terms[term].Schema
	name, ok := lua.TextAt(a.L, 3)
	if !ok && len(schema.Fields) == 1 && a.L.Get(3) == lua.LNil {
		return exec.ColumnKey{Term: term, Field: &schema.Fields[0]}
	}
	if !ok {
		a.noField(schema)
	}
	f := schema.Field(name)
	if f == nil {
		fault.Raise(a.L, value.NoField(a.L, schema, name).On(a.place(fault.Argument(3))))
	}
	return exec.ColumnKey{Term: term, Field: f}
}

// noField raises an error where the name of a field is missing, or is not a name.
func (a *args) noField(s *ecs.Schema) {
	if len(s.Fields) == 0 {
		fault.RaiseAt(a.L, fault.Argument(2), "%q is a tag, which has no fields", s.Name)
	}
	method := strings.TrimPrefix(a.name, batchPrefix)
	fault.RaiseAt(a.L, fault.Argument(3), "expected the name of a field of %q, got %s: write b:%s(%s, %q)", s.Name, value.Describe(a.L.Get(3)), method, s.Name, s.Fields[0].Name)
}

// term reads a component that the query of the system lists. What counts is the name: after
// a reload a script may hold another declaration of the same component.
func (a *args) term(b *exec.Batch) int {
	c, ok := value.Of[*decl.Component](a.L.Get(2))
	if !ok {
		fault.RaiseAt(a.L, fault.Argument(2), "expected a component of the query, got %s", a.noComponent(a.L.Get(2)))
	}
	at := slices.IndexFunc(b.Terms, func(t *decl.Component) bool { return t == c || t.Name == c.Name })
	if at < 0 {
		fault.RaiseAt(a.L, fault.Argument(2), "component %q is not in the query of system %q: list it there or as optional", c.Name, b.S.Name)
	}
	return at
}

// batchRead is b:read(component, "field"): an array of the values. It cannot be changed,
// unless the function has asked for the same field by b:write, too.
func batchRead(a *args, b *exec.Batch) int { return a.list(b, false) }

// batchWrite is b:write(component, "field"): an array that is stored when the function has
// returned. Why not at each write? Plain tables have no place that sees a write, and a
// metatable would cost more than the write itself.
func batchWrite(a *args, b *exec.Batch) int { return a.list(b, true) }

func (a *args) list(b *exec.Batch, write bool) int {
	key := a.key(b)
	a.present(b, key.Term)
	return a.result(b.Array(a.L, key, write))
}

// batchHas is b:has(component): whether the rows at hand have an optional
// component. All of them do, or none.
func batchHas(a *args, b *exec.Batch) int {
	return a.result(lua.LBool(b.Present(a.term(b))))
}

// present raises an error when the rows at hand have no value of an optional term.
func (a *args) present(b *exec.Batch, term int) {
	if !b.Present(term) {
		fault.RaiseAt(a.L, fault.Argument(2), "these rows have no %q: ask b:has(%s) first", b.Terms[term].Name, b.Terms[term].Name)
	}
}

// bulk is a column for operations that run in Go over all rows of a batch:
// x:madd(vx, dt). Arithmetic is float64; each row's result is stored once.
type bulk struct {
	b      *exec.Batch
	key    exec.ColumnKey
	view   *rows.View // the rows it was made for
	serial uint64     // of the batch when it was made
}

func (c *bulk) Describe() string { return "the column " + c.key.Field.Name }

// Use says what a column is for.
func (c *bulk) Use() string {
	return diag.Format("x:fill(1), x:add(y) and the like change all rows; for one row, b:write(%s, %q) gives a list", c.b.Terms[c.key.Term].Name, c.key.Field.Name)
}

// batchColumn is b:col(component, "field"). A column and its userdata are allocated
// together: a batch function asks for several of them in each call.
func batchColumn(a *args, b *exec.Batch) int {
	key := a.key(b)
	f := key.Field
	if f.Len > 0 || f.Kind == ecs.Bool || f.Kind == ecs.Enum || f.Kind == ecs.Ref || f.Kind >= ecs.Struct {
		fault.RaiseAt(a.L, fault.Argument(3), "field %q of %q is no number: col works on numbers only", f.Name, b.Terms[key.Term].Name)
	}
	a.present(b, key.Term)
	a.notInArray(b, key)
	made := &struct {
		ud  lua.LUserData
		col bulk
	}{col: bulk{b: b, key: key, view: b.View, serial: b.Serial}}
	lua.InitUserData(&made.ud, &made.col, a.types.column)
	return a.result(&made.ud)
}

// columnType makes the metatable of columns. Its methods are in a table of their own, so that
// any other name gets an error with a suggestion.
func (m *batches) columnType(L *lua.LState) *lua.LTable {
	methods := L.NewTable()
	var names []string
	add := func(name string, fn func(a *args, c *bulk) int) {
		names = append(names, name)
		title := "x:" + name
		methods.RawSetString(name, L.NewFunction(func(L *lua.LState) int {
			a := called(m.core, L, title)
			return fn(a, a.bulk(1))
		}))
	}
	for _, name := range slices.Sorted(maps.Keys(column.Operations)) {
		change := column.Operations[name]
		add(name, func(a *args, c *bulk) int { return c.combine(a, change) })
	}
	add("madd", bulkMadd)
	add("clamp", bulkClamp)
	add("sum", reduce(column.Floats.Sum))
	add("lowest", reduce(column.Floats.Lowest))
	add("highest", reduce(column.Floats.Highest))
	meta := exec.NewMetatable(L, nil)
	meta.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		f := methods.RawGet(L.Get(2))
		if _, ok := L.Get(2).(lua.LString); !ok {
			lacks(L)
		}
		if f == lua.LNil {
			fault.Raisef(L, "a column has no %q%s", fault.Written(L.Get(2)), value.Meant(L, fault.Written(L.Get(2)), names))
		}
		L.Push(f)
		return 1
	}))
	return meta
}

// bulk reads a column. A column of an earlier batch is refused: its addresses are those of
// other rows by now.
func (a *args) bulk(i int) *bulk {
	if c, ok := value.Of[*bulk](a.L.Get(i)); ok {
		if a.exec.Batch != c.b || c.b.View == nil || c.serial != c.b.Serial {
			fault.RaiseAt(a.L, fault.Argument(i), "this column is over: a column can only be used inside its own batch")
		}
		return c
	}
	what, where := "a column", ""
	if i > 1 { // the first is the column itself
		what, where = "a number or a column", fmt.Sprintf("argument %d: ", i-1)
	}
	fault.RaiseAt(a.L, fault.Argument(i), "%s: %sexpected %s, got %s", a.name, where, what, value.Describe(a.L.Get(i)))
	return nil
}

// operand reads a number or a column. It lasts until the call ends.
func (a *args) operand(i int) column.Floats {
	if n, ok := a.L.Get(i).(lua.LNumber); ok {
		a.numbers[i] = float64(n)
		return column.Constant(&a.numbers[i])
	}
	return a.numbersOf(a.bulk(i), i)
}

// wide is operand, as float64.
func (a *args) wide(i int, rows int) column.Floats { return a.operand(i).Wide(&a.copies[i], rows) }

// numbersOf returns a column's numbers: in place if they are floats that lie in their chunk,
// the usual case, and copied to the i-th place for that otherwise.
func (a *args) numbersOf(c *bulk, i int) column.Floats {
	col, f := &c.view.Columns[c.key.Term], c.key.Field
	switch {
	case f.Kind == ecs.F64 && col.Base != nil:
		return column.Doubles(unsafe.Add(col.Base, f.Offset), col.Stride)
	case f.Kind == ecs.F32 && col.Base != nil:
		return column.Singles(unsafe.Add(col.Base, f.Offset), col.Stride)
	}
	list := a.copies[i][:0]
	for row := range c.view.Entities {
		list = append(list, f.Kind.Load(unsafe.Add(col.At(row), f.Offset)))
	}
	a.copies[i] = list
	return column.List(list)
}

// update has all change every row's number. The old values are kept before the first
// write, and the work is charged before it is done. For rows shown aside, what has changed
// is recorded at once, so that changes which the function records later come after it.
func (c *bulk) update(a *args, all func(x column.Floats, rows int)) int {
	col, f := &c.view.Columns[c.key.Term], c.key.Field
	c.outdate(a)
	a.tx.Open(a.L, c.view, col, nil)
	n := len(c.view.Entities)
	value.Charge(a.L, n)
	x := a.numbersOf(c, 1)
	all(x, n)
	if (f.Kind != ecs.F64 && f.Kind != ecs.F32) || col.Base == nil {
		c.store(a, x)
	}
	if aside := &c.b.Aside; c.view == &aside.View {
		value.Charge(a.L, n)
		aside.Settle(c.key.Term, f)
	}
	return a.result(a.L.Get(1))
}

// outdate says to the array of the same field that its column changes: when it is asked for
// the next time, it is filled anew.
func (c *bulk) outdate(a *args) {
	a.notInArray(c.b, c.key)
	if arr := c.b.Arrays[c.key]; arr != nil {
		arr.Fresh = false
	}
}

// notInArray raises an error for a field whose array is stored at the end of the batch: that
// would overwrite what the column does.
func (a *args) notInArray(b *exec.Batch, key exec.ColumnKey) {
	if arr := b.Arrays[key]; arr != nil && arr.Fresh && arr.Write {
		fault.Raisef(a.L, "field %q of %q is being written through b:write: change it there, or be done with its column before", key.Field.Name, b.Terms[key.Term].Name)
	}
}

// store writes numbers into fields that update has not changed in place, and that may not hold
// every number. The first row whose number does not fit ends the call, and the error names its
// entity.
func (c *bulk) store(a *args, numbers column.Floats) {
	col, f := &c.view.Columns[c.key.Term], c.key.Field
	for i, e := range c.view.Entities {
		p := unsafe.Add(col.At(i), f.Offset)
		v := numbers.Row(i)
		if math.Float64bits(v) == math.Float64bits(f.Kind.Load(p)) {
			continue // as it was: perhaps a number that is not exact in Lua
		}
		if err := f.Kind.Fit(v); err != nil {
			a.tx.Call.Entity = e
			fault.Raisef(a.L, "%s", fmt.Sprintf("field %q of %q: %v", f.Name, c.b.Terms[c.key.Term].Name, err))
		}
		f.Kind.Store(p, v)
	}
}

// combine runs an operation with one operand.
func (c *bulk) combine(a *args, change column.Operation) int {
	v := a.operand(2)
	return c.update(a, func(x column.Floats, rows int) { change(x, v, rows) })
}

// bulkMadd is x:madd(v, k): x = x + v*k.
func bulkMadd(a *args, c *bulk) int {
	v, k := a.operand(2), a.wide(3, len(c.view.Entities))
	return c.update(a, func(x column.Floats, rows int) { column.Madd(x, v, k, rows) })
}

// bulkClamp is x:clamp(low, high).
func bulkClamp(a *args, c *bulk) int {
	low, high := a.wide(2, len(c.view.Entities)), a.wide(3, len(c.view.Entities))
	return c.update(a, func(x column.Floats, rows int) { column.Clamp(x, low, high, rows) })
}

// reduce makes a method that folds a column into one number.
func reduce(fold func(n column.Floats, rows int) float64) func(a *args, c *bulk) int {
	return func(a *args, c *bulk) int {
		value.Charge(a.L, len(c.view.Entities))
		return a.result(lua.LNumber(fold(a.numbersOf(c, 1), len(c.view.Entities))))
	}
}

// metatable makes that of the content of batches, and the methods of batches beside it.
func (m *batches) metatable(L *lua.LState) *lua.LTable {
	m.exec.BatchMethods = map[string]*lua.LFunction{}
	for name := range batchMethods {
		m.exec.BatchMethods[name] = m.remembering(L, name)
	}
	return exec.NewMetatable(L, map[string]lua.LGFunction{"__index": m.index})
}

// remembering makes a method of batches. A list that was asked for before, with the same
// component and the same text, is found by that.
func (m *batches) remembering(L *lua.LState, name string) *lua.LFunction {
	call := m.newMethod(name)
	if name != "read" && name != "write" {
		return L.NewFunction(call)
	}
	return L.NewFunction(func(L *lua.LState) int {
		if b := m.exec.Batch; b != nil && b.View != nil && b.Again(L, name == "write") {
			return 1
		}
		n := call(L)
		m.exec.Batch.Remember(L)
		return n
	})
}
