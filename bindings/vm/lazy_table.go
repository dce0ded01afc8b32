package vm

import (
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// LazyTable is data that becomes a Lua table only when it must: a copy of a component, as
// ecs.get gives it, the row that an each function got, an array in one of these, or the
// array of a batch.
// An [Evaluator] reads fields and elements from it, and gives gopher-lua's loop nothing but
// its Table. From then on the table is what counts.
//
// A function may keep a LazyTable in registers only, where all of its uses can be seen.
//
// Invariant: while table is nil, at points to the values that the table would have, but for
// the fields that were assigned.
type LazyTable struct {
	schema *ecs.Schema
	data   []uint64       // memory of its own
	at     unsafe.Pointer // of the values
	table  *lua.LTable    // nil: not made yet

	field *ecs.Field // of an array, else nil
	owner *LazyTable // that the array is part of
	array *LazyTable // that was read from it last
	whose *ecs.Field // which field that is; nil: none was read

	numbers []float64   // of a column
	open    []float64   // the same where they may be assigned, else nil
	column  ColumnMaker // that it stands for, else nil

	row     RowMaker   // that it stands for, else nil
	changed []bool     // by field of a row: assigned
	values  []Register // the values assigned
}

// RowMaker makes the table of a row when a script needs it.
type RowMaker interface {
	// Materialise returns the table, with the fields of the struct at p. From then on the
	// table says what the row is.
	Materialise(L *lua.LState, p unsafe.Pointer) *lua.LTable
	// Elements returns the metatable of the tables of a field that is an array.
	Elements(f *ecs.Field) *lua.LTable
}

// ColumnMaker makes the table of a column of numbers when a script needs it.
type ColumnMaker interface {
	// Materialise returns the table, filled with the numbers.
	Materialise(numbers []float64) *lua.LTable
}

// String and Type make it a Lua value that a register can hold.
func (l *LazyTable) String() string       { return "lazy" }
func (l *LazyTable) Type() lua.LValueType { return lua.LTTable }

// Root returns what must not be used anew while l is in use.
func (l *LazyTable) Root() *LazyTable {
	if l.owner != nil {
		return l.owner
	}
	return l
}

// CopyFrom makes it a copy of the value at p.
func (l *LazyTable) CopyFrom(s *ecs.Schema, p unsafe.Pointer) {
	if n := int(s.Size+7) / 8; cap(l.data) < n {
		l.data = make([]uint64, n)
	} else {
		l.data = l.data[:n]
	}
	l.at = unsafe.Pointer(unsafe.SliceData(l.data))
	copy(value.BytesAt(l.at, s.Size), value.BytesAt(p, s.Size))
	l.schema, l.table, l.whose = s, nil, nil
}

// CopyRow makes it stand for a row whose values are at p.
func (l *LazyTable) CopyRow(r RowMaker, s *ecs.Schema, p unsafe.Pointer) {
	l.CopyFrom(s, p)
	if l.row == nil {
		l.row, l.changed, l.values = r, make([]bool, len(s.Fields)), make([]Register, len(s.Fields))
	}
	clear(l.changed)
}

// StandFor makes it stand for a column with these numbers, which cannot be assigned before
// it is opened.
func (l *LazyTable) StandFor(c ColumnMaker, numbers []float64) {
	*l = LazyTable{column: c, numbers: numbers}
}

// Open lets the numbers of a column be assigned, in place.
func (l *LazyTable) Open() { l.open = l.numbers }

// Length reads how many elements a column has. False means that the table must be asked.
func (l *LazyTable) Length(to *Register) bool {
	if l.column == nil || l.table != nil {
		return false
	}
	to.Set(float64(len(l.numbers)))
	return true
}

// Stands reports whether it stands for a column, or has.
func (l *LazyTable) Stands() bool { return l.column != nil }

// Numbers returns what a column holds that has no table yet.
func (l *LazyTable) Numbers() []float64 { return l.numbers }

// Assigned returns what was assigned to the i-th field of a row, nil if nothing was.
func (l *LazyTable) Assigned(i int) *Register {
	if !l.changed[i] {
		return nil
	}
	return &l.values[i]
}

// AssignedArray returns the table that was made of a field that is an array, which a
// script may have written to; nil if there is none.
func (l *LazyTable) AssignedArray(f *ecs.Field) *lua.LTable {
	if l.whose != f {
		return nil
	}
	return l.array.table
}

// FieldCache remembers for a place in a text which field its name was, for the
// schema that was asked last.
type FieldCache struct {
	schema *ecs.Schema
	at     int
}

func (c *FieldCache) find(s *ecs.Schema, name string) int {
	if c.schema != s {
		c.schema = s
		c.at = slices.IndexFunc(s.Fields, func(f ecs.Field) bool { return f.Name == name })
	}
	return c.at
}

// Get reads a field. False means that the table must be asked.
func (l *LazyTable) Get(c *FieldCache, name string, to *Register) bool {
	if l.table != nil || l.schema == nil || l.field != nil {
		return false
	}
	i := c.find(l.schema, name)
	switch {
	case i < 0 && l.row == nil:
		to.Value = lua.LNil
		return true
	case i < 0:
		return false
	case l.row != nil && l.changed[i]:
		*to = l.values[i]
		return true
	}
	f := &l.schema.Fields[i]
	if f.Len > 0 {
		return l.part(f, to)
	}
	return to.Load(f, unsafe.Add(l.at, f.Offset))
}

// part reads a field that is an array.
func (l *LazyTable) part(f *ecs.Field, to *Register) bool {
	switch {
	case l.whose == f:
	case l.whose != nil || f.Kind >= ecs.Struct:
		return false
	default:
		if l.array == nil {
			l.array = &LazyTable{owner: l}
		}
		l.whose = f
		l.array.schema, l.array.field, l.array.at, l.array.table = l.schema, f, unsafe.Add(l.at, f.Offset), nil
	}
	to.Value = l.array
	return true
}

// Place returns where a column that has no table has an element, nil if it has none there.
func (l *LazyTable) Place(index float64) *float64 {
	i := int(index)
	if float64(i) != index || uint(i-1) >= uint(len(l.numbers)) {
		return nil
	}
	return &l.numbers[i-1]
}

// OpenPlace is Place of an element that may be assigned.
func (l *LazyTable) OpenPlace(index float64) *float64 {
	i := int(index)
	if float64(i) != index || uint(i-1) >= uint(len(l.open)) {
		return nil
	}
	return &l.open[i-1]
}

// Element reads an element of an array, or what a column does not have at a Place. False
// means that the table must be asked.
func (l *LazyTable) Element(i int, to *Register) bool {
	if l.column != nil && l.table == nil {
		to.Value = lua.LNil
		return true
	}
	if l.table != nil || l.field == nil {
		return false
	}
	if i < 1 || i > l.field.Len {
		to.Value = lua.LNil
		return true
	}
	return to.Load(l.field, unsafe.Add(l.at, uintptr(i-1)*l.field.Stride))
}

// SetField assigns to a field of a row. False means that the table must be told:
// also of another LazyTable, which none but registers may hold.
func (l *LazyTable) SetField(c *FieldCache, name string, v *Register) bool {
	if l.table != nil || l.row == nil {
		return false
	}
	i := c.find(l.schema, name)
	if _, lazy := v.Value.(*LazyTable); lazy || i < 0 || v.Value == lua.LNil || l.schema.Fields[i].Len > 0 || l.schema.Fields[i].Kind == ecs.Struct {
		return false
	}
	l.changed[i], l.values[i] = true, *v
	return true
}

// Table makes the table, at the first time. Later it may stand for another row already,
// while a register still holds what it was: then nothing is put into it any more.
func (l *LazyTable) Table(L *lua.LState) *lua.LTable {
	if l.table != nil {
		return l.table
	}
	switch {
	case l.column != nil:
		l.table, l.numbers, l.open = l.column.Materialise(l.numbers), nil, nil
	case l.field != nil:
		l.table = L.CreateTable(l.field.Len, 0)
		for i := range l.field.Len {
			l.table.RawSetInt(i+1, value.LoadOne(L, l.field, unsafe.Add(l.at, uintptr(i)*l.field.Stride)))
		}
		if r := l.owner.row; r != nil {
			lua.SetMetatable(l.table, r.Elements(l.field))
		}
	case l.row != nil:
		l.table = l.row.Materialise(L, l.at)
		for i, changed := range l.changed {
			if changed {
				l.table.RawSetString(l.schema.Fields[i].Name, l.values[i].Box(L))
			}
		}
	default:
		l.table = L.CreateTable(0, len(l.schema.Fields))
		for i := range l.schema.Fields {
			l.table.RawSetString(l.schema.Fields[i].Name, value.Load(L, &l.schema.Fields[i], l.at))
		}
	}
	if l.whose != nil {
		l.table.RawSetString(l.whose.Name, l.array.Table(L))
	}
	return l.table
}
