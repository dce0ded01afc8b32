package bindings

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
	// longest is how many rows of a long chunk are handed over at once: arrays of
	// more would not stay in the processor's nearest memory.
	longest = 512
	// longestSure is the same where nothing is made but calls of a kernel, in which
	// nobody can interrupt it: what a call costs is little then, and the wait short.
	longestSure = 8192
)

// view is a run of rows for one call into Lua: a long chunk as it lies in
// memory, or rows gathered from short ones. Queries over sparse pools and
// worlds with many small archetypes yield a row or two at a time, and a call
// into Lua costs more than finding a row's address.
type view struct {
	entities []ecs.Entity
	columns  []column // by term
	chunk    *ecs.Chunk
	ends     []int // of gathered rows: where those of each chunk end
}

// end returns where the chunk of a row ends in the view, and where it begins.
func (v *view) end(i int) (from, to int) {
	if v.chunk != nil || len(v.ends) == 0 {
		return 0, len(v.entities)
	}
	k, _ := slices.BinarySearch(v.ends, i+1)
	if k > 0 {
		from = v.ends[k-1]
	}
	return from, v.ends[k]
}

// column finds a term's values: at a stride, or one pointer a row. Both are nil
// when no row has the component.
type column struct {
	comp   *decl.Component
	base   unsafe.Pointer
	stride uintptr
	ptrs   []unsafe.Pointer
	saved  bool // the call has kept the old bytes
	stamps bool // and whoever changes a row stamps it, see eachRun.passed
}

// at returns the address of a row's value, nil when it has none.
func (c *column) at(i int) unsafe.Pointer {
	if c.base != nil {
		return unsafe.Add(c.base, uintptr(i)*c.stride)
	}
	if c.ptrs != nil {
		return c.ptrs[i]
	}
	return nil
}

// rows makes some a view of n rows of v and returns it. Of some columns the call
// may have kept the old bytes already.
func (v *view) rows(i, n int, some *view) *view {
	some.entities, some.columns = v.entities[i:i+n], slices.Grow(some.columns[:0], len(v.columns))[:len(v.columns)]
	for k := range v.columns {
		c := &v.columns[k]
		some.columns[k] = column{comp: c.comp, stride: c.stride, saved: c.saved}
		if c.ptrs != nil {
			some.columns[k].ptrs = c.ptrs[i : i+n]
		} else {
			some.columns[k].base = c.at(i)
		}
	}
	return some
}

// viewer cuts a query's chunks into views.
type viewer struct {
	m     *Module
	terms []*decl.Component
	least int // length from which a chunk is handed over by itself
	most  int // rows of a view
	view  view
	alike bool         // all rows of a view have the same of the terms
	rows  []ecs.Entity // gathered, with their addresses in ptrs
	ptrs  [][]unsafe.Pointer
	ends  []int // in rows, of each chunk
}

func newViewer(m *Module, terms []*decl.Component) *viewer {
	return &viewer{
		m: m, terms: terms, least: wholeChunk, most: longest, ptrs: make([][]unsafe.Pointer, len(terms)),
		view: view{columns: make([]column, len(terms))},
	}
}

// each calls body for every view of the query, in the query's order.
func (r *viewer) each(q *ecs.Query, body func(*view)) {
	r.drop()
	r.m.tx.Call.Dates.Look(q)
	for c := range q.Chunks() {
		if c.Len() >= r.least {
			r.flush(body)
			for from := 0; from < c.Len(); from += r.most {
				r.part(c, from, min(from+r.most, c.Len()))
				body(&r.view)
			}
			continue
		}
		if r.alike && !r.fits(c) {
			r.flush(body)
		}
		if r.gather(c); len(r.rows) >= gathered {
			r.flush(body)
		}
	}
	r.flush(body)
}

// some calls body for those among some entities that match the query, changed or not:
// a row that has failed is to be tried again, though nobody has written it since.
func (r *viewer) some(q *ecs.Query, list []ecs.Entity, body func(*view)) {
	for _, e := range list {
		if c, row := q.Find(e); c != nil {
			r.part(c, row, row+1)
			body(&r.view)
		}
	}
}

// part views the rows from..to of a chunk.
func (r *viewer) part(c *ecs.Chunk, from, to int) {
	r.view.entities, r.view.chunk, r.view.ends = c.Entities()[from:to], c, nil
	for i, comp := range r.terms {
		base := c.Column(comp.ID, false)
		if base != nil {
			base = unsafe.Add(base, uintptr(from)*comp.Schema.Size)
		}
		at := &r.view.columns[i]
		*at = column{comp: comp, base: base, stride: comp.Schema.Size}
	}
}

// fits reports whether a chunk has the same terms as the rows gathered so far.
func (r *viewer) fits(c *ecs.Chunk) bool {
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

func (r *viewer) gather(c *ecs.Chunk) {
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
func (r *viewer) flush(body func(*view)) {
	if len(r.rows) == 0 {
		return
	}
	r.view.entities, r.view.chunk, r.view.ends = r.rows, nil, r.ends
	for i, comp := range r.terms {
		r.view.columns[i] = column{comp: comp, ptrs: r.ptrs[i]}
	}
	body(&r.view)
	r.drop()
}

func (r *viewer) drop() {
	r.rows, r.ends = r.rows[:0], r.ends[:0]
	for i := range r.ptrs {
		r.ptrs[i] = r.ptrs[i][:0]
	}
}

// open makes a column ready for writing: it keeps the old values for the undo
// and stamps the rows as changed.
func (m *Module) open(L *lua.LState, v *view, c *column, line int) {
	if c.saved {
		return
	}
	m.tx.MakeRoom(L, v.undoOf(c), line)
	c.saved = true
	m.keep(v, c)
	m.stamp(v, c)
}

// undoOf returns how many bytes it takes to keep the old values of a column.
func (v *view) undoOf(c *column) int {
	n := len(v.entities)
	if c.base != nil && !c.comp.Heap {
		return n*int(c.stride) + tx.PerSaved
	}
	return n * (int(c.comp.Schema.Size) + tx.PerSaved)
}

// keep keeps the old values of a column for the undo, for which there is room.
func (m *Module) keep(v *view, c *column) {
	u := &m.tx.Call.Undo
	from := len(u.List)
	switch {
	case c.comp.Heap:
		m.openGo(v, c)
	case c.base != nil:
		n := len(v.entities) * int(c.stride)
		copy(u.Reserve(c.base, n), value.BytesAt(c.base, uintptr(n)))
	default:
		for _, p := range c.ptrs {
			if p != nil {
				u.Save(p, c.comp.Schema.Size)
			}
		}
	}
	for i := range u.List[from:] {
		u.List[from+i].Column = true
	}
}

// stamp marks a column's rows as changed.
func (m *Module) stamp(v *view, c *column) {
	if v.chunk != nil {
		m.tx.Call.Dates.Column(v.chunk, c.comp.ID)
		return
	}
	for i, e := range v.entities {
		if c.at(i) != nil {
			m.tx.Call.Dates.Touch(m.world, e, c.comp.ID)
		}
	}
}

func (m *Module) openGo(v *view, c *column) {
	t := m.world.Raw().GoType(c.comp.ID)
	for i := range v.entities {
		if p := c.at(i); p != nil {
			m.tx.Call.Undo.SaveGo(p, t)
		}
	}
}
