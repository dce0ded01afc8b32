package view

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
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

// Viewer cuts a query's chunks into views.
type Viewer struct {
	calls *tx.Runner
	terms []*decl.Component
	Least int // length from which a chunk is handed over by itself
	Most  int // rows of a view
	view  rows.View
	Alike bool         // all rows of a view have the same of the terms
	list  []ecs.Entity // gathered, with their addresses in ptrs
	ptrs  [][]unsafe.Pointer
	ends  []int // of each chunk

	Chunks int // that were come to so far, by all loops together
}

func NewViewer(calls *tx.Runner, terms []*decl.Component) *Viewer {
	return &Viewer{
		calls: calls, terms: terms, Least: wholeChunk, Most: Longest, ptrs: make([][]unsafe.Pointer, len(terms)),
		view: rows.View{Columns: make([]rows.Column, len(terms))},
	}
}

// Each calls body for every view of the query, in the query's order.
func (r *Viewer) Each(q *ecs.Query, body func(*rows.View)) {
	r.drop()
	r.calls.Call.Dates.Look(q)
	for c := range q.Chunks() {
		if r.Chunks++; c.Len() >= r.Least {
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
		if r.gather(c); len(r.list) >= gathered {
			r.flush(body)
		}
	}
	r.flush(body)
}

// Some calls body for those among some entities that match the query, changed or not:
// a row that has failed is to be tried again, though nobody has written it since.
func (r *Viewer) Some(q *ecs.Query, list []ecs.Entity, body func(*rows.View)) {
	for _, e := range list {
		if c, row := q.Find(e); c != nil {
			r.Chunks++
			r.part(c, row, row+1)
			body(&r.view)
		}
	}
}

// part views the rows from..to of a chunk.
func (r *Viewer) part(c *ecs.Chunk, from, to int) {
	r.view.Entities, r.view.Chunk, r.view.Ends = c.Entities()[from:to], c, nil
	for i, comp := range r.terms {
		base := c.Column(comp.ID, false)
		if base != nil {
			base = unsafe.Add(base, uintptr(from)*comp.Schema.Size)
		}
		at := &r.view.Columns[i]
		*at = column(comp)
		at.Base, at.Stride = base, comp.Schema.Size
	}
}

// fits reports whether a chunk has the same terms as the rows gathered so far.
func (r *Viewer) fits(c *ecs.Chunk) bool {
	if len(r.list) == 0 {
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
	r.list = append(r.list, c.Entities()...)
	r.ends = append(r.ends, len(r.list))
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
func (r *Viewer) flush(body func(*rows.View)) {
	if len(r.list) == 0 {
		return
	}
	r.view.Entities, r.view.Chunk, r.view.Ends = r.list, nil, r.ends
	for i, comp := range r.terms {
		at := &r.view.Columns[i]
		*at = column(comp)
		at.Ptrs = r.ptrs[i]
	}
	body(&r.view)
	r.drop()
}

func (r *Viewer) drop() {
	r.list, r.ends = r.list[:0], r.ends[:0]
	for i := range r.ptrs {
		r.ptrs[i] = r.ptrs[i][:0]
	}
}

// column is one of a component, without values.
func column(c *decl.Component) rows.Column {
	return rows.Column{ID: c.ID, Schema: c.Schema, Heap: c.Heap}
}
