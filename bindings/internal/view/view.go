package view

import (
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

const (
	// wholeChunk is the length from which a chunk is handed over by itself.
	wholeChunk = 32
	// gathered is how many rows of short chunks are collected at most.
	gathered = 256
	// Longest is how many rows of a long chunk are handed over at once: arrays of
	// more would not stay in the processor's nearest memory.
	Longest = 512
	// LongestSure is the same where nothing is made but calls of a kernel, in which
	// nobody can interrupt it: what a call costs is little then, and the wait short.
	LongestSure = 8192
)

// View is a run of rows for one call into Lua: a long chunk as it lies in
// memory, or rows gathered from short ones. Queries over sparse pools and
// worlds with many small archetypes yield a row or two at a time, and a call
// into Lua costs more than finding a row's address.
type View struct {
	Entities []ecs.Entity
	Columns  []Column // by term
	Chunk    *ecs.Chunk
	ends     []int // of gathered rows: where those of each chunk end
}

// End returns where the chunk of a row ends in the view, and where it begins.
func (v *View) End(i int) (from, to int) {
	if v.Chunk != nil || len(v.ends) == 0 {
		return 0, len(v.Entities)
	}
	k, _ := slices.BinarySearch(v.ends, i+1)
	if k > 0 {
		from = v.ends[k-1]
	}
	return from, v.ends[k]
}

// Column finds a term's values: at a stride, or one pointer a row. Both are nil
// when no row has the component.
type Column struct {
	Comp   *decl.Component
	Base   unsafe.Pointer
	Stride uintptr
	Ptrs   []unsafe.Pointer
	Saved  bool // the call has kept the old bytes
	Stamps bool // and whoever changes a row stamps it, see eachRun.passed
}

// At returns the address of a row's value, nil when it has none.
func (c *Column) At(i int) unsafe.Pointer {
	if c.Base != nil {
		return unsafe.Add(c.Base, uintptr(i)*c.Stride)
	}
	if c.Ptrs != nil {
		return c.Ptrs[i]
	}
	return nil
}

// Rows makes some a view of n rows of v and returns it. Of some columns the call
// may have kept the old bytes already.
func (v *View) Rows(i, n int, some *View) *View {
	some.Entities, some.Columns = v.Entities[i:i+n], slices.Grow(some.Columns[:0], len(v.Columns))[:len(v.Columns)]
	for k := range v.Columns {
		c := &v.Columns[k]
		some.Columns[k] = Column{Comp: c.Comp, Stride: c.Stride, Saved: c.Saved}
		if c.Ptrs != nil {
			some.Columns[k].Ptrs = c.Ptrs[i : i+n]
		} else {
			some.Columns[k].Base = c.At(i)
		}
	}
	return some
}

// Viewer cuts a query's chunks into views.
type Viewer struct {
	calls *tx.Runner
	terms []*decl.Component
	Least int // length from which a chunk is handed over by itself
	Most  int // rows of a view
	view  View
	Alike bool         // all rows of a view have the same of the terms
	rows  []ecs.Entity // gathered, with their addresses in ptrs
	ptrs  [][]unsafe.Pointer
	ends  []int // in rows, of each chunk
}

func NewViewer(calls *tx.Runner, terms []*decl.Component) *Viewer {
	return &Viewer{
		calls: calls, terms: terms, Least: wholeChunk, Most: Longest, ptrs: make([][]unsafe.Pointer, len(terms)),
		view: View{Columns: make([]Column, len(terms))},
	}
}

// Each calls body for every view of the query, in the query's order.
func (r *Viewer) Each(q *ecs.Query, body func(*View)) {
	r.drop()
	r.calls.Call.Dates.Look(q)
	for c := range q.Chunks() {
		if c.Len() >= r.Least {
			r.flush(body)
			for from := 0; from < c.Len(); from += r.Most {
				r.part(c, from, min(from+r.Most, c.Len()))
				body(&r.view)
			}
			continue
		}
		if r.Alike && !r.fits(c) {
			r.flush(body)
		}
		if r.gather(c); len(r.rows) >= gathered {
			r.flush(body)
		}
	}
	r.flush(body)
}

// Some calls body for those among some entities that match the query, changed or not:
// a row that has failed is to be tried again, though nobody has written it since.
func (r *Viewer) Some(q *ecs.Query, list []ecs.Entity, body func(*View)) {
	for _, e := range list {
		if c, row := q.Find(e); c != nil {
			r.part(c, row, row+1)
			body(&r.view)
		}
	}
}

// part views the rows from..to of a chunk.
func (r *Viewer) part(c *ecs.Chunk, from, to int) {
	r.view.Entities, r.view.Chunk, r.view.ends = c.Entities()[from:to], c, nil
	for i, comp := range r.terms {
		base := c.Column(comp.ID, false)
		if base != nil {
			base = unsafe.Add(base, uintptr(from)*comp.Schema.Size)
		}
		at := &r.view.Columns[i]
		*at = Column{Comp: comp, Base: base, Stride: comp.Schema.Size}
	}
}

// fits reports whether a chunk has the same terms as the rows gathered so far.
func (r *Viewer) fits(c *ecs.Chunk) bool {
	if len(r.rows) == 0 {
		return true
	}
	for i, comp := range r.terms {
		if (c.Column(comp.ID, false) == nil) != (r.ptrs[i][0] == nil) {
			return false
		}
	}
	return true
}

func (r *Viewer) gather(c *ecs.Chunk) {
	r.rows = append(r.rows, c.Entities()...)
	r.ends = append(r.ends, len(r.rows))
	for i, comp := range r.terms {
		base := c.Column(comp.ID, false)
		for row := range c.Len() {
			p := base
			if p != nil {
				p = unsafe.Add(base, uintptr(row)*comp.Schema.Size)
			}
			r.ptrs[i] = append(r.ptrs[i], p)
		}
	}
}

// flush hands over the rows gathered so far.
func (r *Viewer) flush(body func(*View)) {
	if len(r.rows) == 0 {
		return
	}
	r.view.Entities, r.view.Chunk, r.view.ends = r.rows, nil, r.ends
	for i, comp := range r.terms {
		r.view.Columns[i] = Column{Comp: comp, Ptrs: r.ptrs[i]}
	}
	body(&r.view)
	r.drop()
}

func (r *Viewer) drop() {
	r.rows, r.ends = r.rows[:0], r.ends[:0]
	for i := range r.ptrs {
		r.ptrs[i] = r.ptrs[i][:0]
	}
}

// Open makes a column ready for writing: it keeps the old values for the undo
// and stamps the rows as changed.
func (v *View) Open(calls *tx.Runner, L *lua.LState, c *Column, line int) {
	if c.Saved {
		return
	}
	calls.MakeRoom(L, v.UndoOf(c), line)
	c.Saved = true
	v.Keep(calls, c)
	v.Stamp(calls, c)
}

// UndoOf returns how many bytes it takes to keep the old values of a column.
func (v *View) UndoOf(c *Column) int {
	n := len(v.Entities)
	if c.Base != nil && !c.Comp.Heap {
		return n*int(c.Stride) + tx.PerSaved
	}
	return n * (int(c.Comp.Schema.Size) + tx.PerSaved)
}

// Keep keeps the old values of a column for the undo, for which there is room.
func (v *View) Keep(calls *tx.Runner, c *Column) {
	u := &calls.Call.Undo
	from := len(u.List)
	switch {
	case c.Comp.Heap:
		v.keepGo(calls, c)
	case c.Base != nil:
		n := len(v.Entities) * int(c.Stride)
		copy(u.Reserve(c.Base, n), value.BytesAt(c.Base, uintptr(n)))
	default:
		for _, p := range c.Ptrs {
			if p != nil {
				u.Save(p, c.Comp.Schema.Size)
			}
		}
	}
	for i := range u.List[from:] {
		u.List[from+i].Column = true
	}
}

// Stamp marks a column's rows as changed.
func (v *View) Stamp(calls *tx.Runner, c *Column) {
	if v.Chunk != nil {
		calls.Call.Dates.Column(v.Chunk, c.Comp.ID)
		return
	}
	for i, e := range v.Entities {
		if c.At(i) != nil {
			calls.Call.Dates.Touch(calls.World, e, c.Comp.ID)
		}
	}
}

func (v *View) keepGo(calls *tx.Runner, c *Column) {
	t := calls.World.Raw().GoType(c.Comp.ID)
	for i := range v.Entities {
		if p := c.At(i); p != nil {
			calls.Call.Undo.SaveGo(p, t)
		}
	}
}

// UndoRow puts back the columns of one row.
func (v *View) UndoRow(c *tx.Call, i int) {
	for k := range v.Columns {
		col := &v.Columns[k]
		if p := col.At(i); p != nil && col.Saved {
			c.Undo.PutBack(p, col.Comp.Schema.Size)
		}
	}
}
