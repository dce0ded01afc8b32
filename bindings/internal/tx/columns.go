package tx

import (
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/rows"
)

// Open makes a column of a view ready for being written: it keeps the old values for the
// undo, and stamps the rows as changed. It ends the call when there is no room for that; fn
// is where, if nothing in L says it.
func (r *Runner) Open(L *lua.LState, v *rows.View, c *rows.Column, fn *lua.FunctionProto) {
	if c.Saved {
		return
	}
	r.Keep(L, v, c, fn)
	r.Stamp(v, c, 0, len(v.Entities))
}

// Keep keeps the old values of a column for the undo. It ends the call when there is no
// room for them.
func (r *Runner) Keep(L *lua.LState, v *rows.View, c *rows.Column, fn *lua.FunctionProto) {
	r.MakeRoom(L, UndoOf(v, c), fn)
	r.KeepColumn(v, c)
}

// UndoOf returns how many bytes it takes to keep the old values of a column.
func UndoOf(v *rows.View, c *rows.Column) int {
	n := len(v.Entities)
	if c.Base != nil && !c.Heap {
		return n*int(c.Stride) + PerSaved
	}
	return n * (int(c.Schema.Size) + PerSaved)
}

// KeepColumn is Keep where there is room.
func (r *Runner) KeepColumn(v *rows.View, c *rows.Column) {
	c.Saved = true
	u := &r.Call.Undo
	from := len(u.List)
	switch {
	case c.Heap:
		r.keepGo(v, c)
	case c.Base != nil:
		n := len(v.Entities) * int(c.Stride)
		copy(u.Reserve(c.Base, n), value.BytesAt(c.Base, uintptr(n)))
	default:
		for _, p := range c.Ptrs {
			if p != nil {
				u.Save(p, c.Schema.Size)
			}
		}
	}
	for i := range u.List[from:] {
		u.List[from+i].Column = true
	}
}

// keepGo keeps values that hold Go pointers.
func (r *Runner) keepGo(v *rows.View, c *rows.Column) {
	t := r.World.Raw().GoType(c.ID)
	for i := range v.Entities {
		if p := c.At(i); p != nil {
			r.Call.Undo.SaveGo(p, t)
		}
	}
}

// Stamp marks the rows from..to of a column as changed. Of a view of one chunk it marks the
// chunk.
func (r *Runner) Stamp(v *rows.View, c *rows.Column, from, to int) {
	if v.Chunk != nil {
		r.Call.Dates.Column(v.Chunk, c.ID)
		return
	}
	for i := from; i < to; i++ {
		if c.At(i) != nil {
			r.Call.Dates.Touch(r.World, v.Entities[i], c.ID)
		}
	}
}

// UndoRow puts back the columns of one row.
func (c *Call) UndoRow(v *rows.View, i int) {
	for k := range v.Columns {
		col := &v.Columns[k]
		if p := col.At(i); p != nil && col.Saved {
			c.Undo.PutBack(p, col.Schema.Size)
		}
	}
}
