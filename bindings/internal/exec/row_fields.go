package exec

import (
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// content is the table of a row as the machine has it: the fields are at known places of it.
//
// Invariant: values are the places of the fields in the table that has the content, in the
// order of the schema; nil where that table keeps its keys in another way.
type content struct {
	keys    *machine.Keys
	table   *machine.Table // that has the content
	values  []machine.Value
	cells   []fieldCell
	filled  []*fieldCell // that a function may look at
	written []*fieldCell // that it may assign
	steps   int          // what it costs to fill them, and to look at them again
	fleets  bool         // nobody but the function has the lists: they are filled when needed
}

// fieldCell is a field and its place in the table.
type fieldCell struct {
	*ecs.Field
	at    int             // among the values
	words []machine.Value // of an enum
	text  machine.Value   // that was read last
	list  *machine.Deferred
}

func newCell(f *ecs.Field, at int) fieldCell {
	c := fieldCell{Field: f, at: at}
	if f.Kind == ecs.Enum && f.Len == 0 {
		for _, word := range f.Names {
			c.words = append(c.words, machine.String(word))
		}
	}
	return c
}

// begin makes the table.
func (r *RowTable) begin() *lua.LTable {
	names := value.FieldNames(r.Schema)
	r.keys = lua.VM(r.m.Main).Heap.NewKeys(names...)
	r.cells = make([]fieldCell, len(names))
	for i := range r.cells {
		r.cells[i] = newCell(&r.Schema.Fields[i], i)
	}
	r.whole()
	r.hold(r.keys.New())
	return (*lua.LTable)(r.table)
}

// hold makes a table that of the content.
func (r *RowTable) hold(t *machine.Table) { r.table, r.values = t, r.keys.Values(t) }

// whole says that the function may look at all fields and assign all.
func (r *RowTable) whole() {
	r.filled, r.written = nil, nil
	for i := range r.cells {
		r.filled, r.written = append(r.filled, &r.cells[i]), append(r.written, &r.cells[i])
	}
	r.weigh()
}

// narrow says what the function that gets the row as its n-th parameter does with it.
func (r *RowTable) narrow(fn *lua.LFunction, n int) {
	fields, ok := touched(fn, n)
	if !ok {
		return
	}
	r.filled = slices.DeleteFunc(r.filled, func(c *fieldCell) bool { return fields[c.Name] == 0 })
	r.written = slices.DeleteFunc(r.written, func(c *fieldCell) bool { return fields[c.Name]&assigns == 0 && c.scalar() })
	r.written = slices.DeleteFunc(r.written, func(c *fieldCell) bool { return fields[c.Name] == 0 })
	r.weigh()
}

// weigh works out what a row costs beyond the call that asks for it.
func (r *RowTable) weigh() {
	r.steps = 0
	if n := len(r.filled); n > value.FewFields {
		r.steps = 2 * n * value.StepsPerItem
	}
}

// scalar reports whether a field is one value without parts.
func (c *fieldCell) scalar() bool { return c.Len == 0 && c.Kind != ecs.Struct }

// Recall ends the row that the script has had, if it may have kept it.
func (r *RowTable) Recall(m *Executor) {
	if !r.Keeps {
		return
	}
	if r.ended == nil {
		r.ended = m.overTable(r.over)
	}
	own := r.sealed == nil
	if r.Table = m.recall(r.Table, r.ended); own {
		r.hold((*machine.Table)(r.Table))
	}
}

// Fill copies the struct at p into the table. That the fields are compared with what
// the table says in the end is charged here, too.
func (r *RowTable) Fill(L *lua.LState, p unsafe.Pointer) *lua.LTable {
	if r.steps > 0 {
		value.Charge(L, r.steps)
	}
	if r.values == nil {
		r.fillByName(L, p)
		return r.Table
	}
	for _, c := range r.filled {
		at, to := unsafe.Add(p, c.Offset), &r.values[c.at]
		switch {
		case !c.scalar():
			to.Put(r.part(L, c, p))
		case c.Kind == ecs.F64:
			to.PutNumber(*(*float64)(at))
		default:
			to.Put(c.load(at))
		}
	}
	return r.Table
}

// fillByName is Fill for a table whose fields have no known places.
func (r *RowTable) fillByName(L *lua.LState, p unsafe.Pointer) {
	for _, c := range r.filled {
		if c.scalar() {
			r.table.SetString(c.Name, c.load(unsafe.Add(p, c.Offset)))
		} else {
			r.table.SetString(c.Name, r.part(L, c, p))
		}
	}
}

// part returns the table of an array or a struct in a row.
func (r *RowTable) part(L *lua.LState, c *fieldCell, p unsafe.Pointer) machine.Value {
	if r.fleets && value.Deferrable(c.Field) {
		value.ChargeItems(L, c.Field)
		if c.list == nil {
			c.list = lua.VM(L).Heap.NewDeferred((*value.Elements)(c.Field), c.Len)
		}
		return machine.OfTable(c.list.Begin(p, (*machine.Table)(r.Elements(c.Field))))
	}
	v := value.Load(L, c.Field, p)
	if r.sealed != nil {
		return lua.ToValue(r.seal(L, c.Field, v))
	}
	if t, ok := v.(*lua.LTable); ok && c.Len > 0 {
		lua.SetMetatable(t, r.Elements(c.Field))
	}
	return lua.ToValue(v)
}

// load reads a value without parts from its place in memory.
func (c *fieldCell) load(at unsafe.Pointer) machine.Value {
	switch c.Kind {
	case ecs.F64:
		return machine.Number(*(*float64)(at))
	case ecs.F32:
		return machine.Number(float64(*(*float32)(at)))
	case ecs.Bool:
		return machine.Bool(*(*bool)(at))
	case ecs.Enum:
		if i := int(*(*uint8)(at)); i < len(c.words) {
			return c.words[i]
		}
		return machine.Number(float64(*(*uint8)(at)))
	case ecs.String:
		if s := *(*string)(at); c.text.Str() == nil || c.text.Str().String() != s {
			c.text = machine.String(s)
		}
		return c.text
	case ecs.Opaque:
		return machine.Nil
	}
	return machine.Number(c.Kind.Load(at))
}

// value returns what the table says of a field.
func (r *RowTable) value(c *fieldCell) machine.Value {
	if r.values == nil {
		return r.table.GetString(c.Name)
	}
	return r.values[c.at]
}

// leave stores what the function has left in the table of a term.
func (x *EachRunner) leave(v *rows.View, i, term int) {
	v, i = x.at(v, i, term)
	p, r := v.Columns[term].At(i), x.tables[term]
	if p == nil {
		return
	}
	for _, c := range r.written {
		given, at := r.value(c), unsafe.Add(p, c.Offset)
		if c.scalar() && given.Same(c.load(at)) || c.list != nil && c.list.Untouched(given) {
			continue
		}
		x.store(x.thread, v, term, c.Field, i, given)
	}
	r.Recall(x.m)
}

// store copies a value into one field of the i-th row, if it says anything else
// than what is there.
func (x *EachRunner) store(L *lua.LState, v *rows.View, term int, f *ecs.Field, i int, given machine.Value) {
	if given.IsNumber() && isFloat(f) {
		x.storeFloat(L, v, term, f, i, given.Float())
		return
	}
	p, boxed := v.Columns[term].At(i), lua.FromValue(given)
	differs, why := value.Differs(L, f, p, boxed)
	if why != "" {
		x.refuse(L, term, f, why)
	}
	if differs {
		x.change(L, v, term)
		value.Store(f, p, boxed)
	}
}
