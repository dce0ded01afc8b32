package ecs

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/mask"
	"github.com/perigee-ecs/perigee/ecs/sparse"
)

// heapPool keeps values with Go pointers where the collector sees them: in a []T, in the
// order of the handles. An index says which row a slot number has.
//
// Why not a sparse.Set? Its keys are the numbers that it looks up. Here loops need whole
// handles side by side, and values that are reached without their type.
//
// Invariants: handles and data are equally long; index.Row(handles[i].Index()) is i.
type heapPool[T any] struct {
	comp    *component
	index   sparse.Index // by slot number
	handles []Entity
	data    []T
	view    Chunk // what page returns: a chunk over handles; one version for the whole pool
}

// newHeapPool makes an empty pool of a type with Go pointers.
func newHeapPool[T any](s *store, c *component) pool {
	a := &archetype{mask: mask.Of(uint32(c.id)), ids: []ComponentID{c.id}}
	return &heapPool[T]{comp: c, view: Chunk{layout: &layout{arch: a}, store: s, versions: []uint64{0}}}
}

func (p *heapPool[T]) of() *component { return p.comp }
func (p *heapPool[T]) len() int       { return len(p.handles) }

// row returns the row of an entity, or -1.
func (p *heapPool[T]) row(e Entity) int { return p.index.Row(e.Index()) }

func (p *heapPool[T]) find(e Entity) unsafe.Pointer {
	if row := p.row(e); row >= 0 {
		return unsafe.Pointer(&p.data[row])
	}
	return nil
}

func (p *heapPool[T]) from(e Entity) []Entity {
	if row := p.row(e); row >= 0 {
		return p.handles[row:]
	}
	return nil
}

// reserve makes a page of the index; rows come when they are put.
func (p *heapPool[T]) reserve(e Entity) error {
	p.index.Reserve(e.Index())
	return nil
}

// grow makes room for n more rows, of entities up to a slot number.
func (p *heapPool[T]) grow(n int, last uint32) error {
	p.index.Grow(last)
	p.handles, p.data = slices.Grow(p.handles, n), slices.Grow(p.data, n)
	return nil
}

// put: a new entity becomes the last row, then a row of the group if it is complete.
func (p *heapPool[T]) put(e Entity, from unsafe.Pointer) {
	row := p.row(e)
	isNew := row < 0
	if isNew {
		p.handles = append(p.handles, e)
		p.data = append(p.data, *new(T))
		row = len(p.handles) - 1
		p.index.Put(e.Index(), row)
	}
	p.data[row] = *(*T)(from)
	p.stamp(e)
	if g := p.comp.group; g != nil && isNew {
		g.enter(e)
	}
}

// remove: the last row fills the hole.
func (p *heapPool[T]) remove(e Entity) {
	if p.row(e) < 0 {
		return
	}
	if g := p.comp.group; g != nil {
		g.leave(e)
	}
	row := p.row(e)
	end := len(p.handles) - 1
	moved := p.handles[end]
	p.handles[row], p.data[row] = moved, p.data[end]
	p.index.Put(moved.Index(), row)
	p.index.Remove(e.Index())
	p.data[end] = *new(T) // let the collector have what it pointed to
	p.handles, p.data = p.handles[:end], p.data[:end]
	p.stamp(e)
}

func (p *heapPool[T]) column(c *Chunk) unsafe.Pointer { return unsafe.Pointer(&p.data[c.first]) }

// clone copies a value as Go assigns it.
func (p *heapPool[T]) clone(from unsafe.Pointer) any {
	v := *(*T)(from)
	return &v
}

func (p *heapPool[T]) address(clone any) unsafe.Pointer { return unsafe.Pointer(clone.(*T)) }

// locate: the pool is one page.
func (p *heapPool[T]) locate(i int) (*Chunk, int) { return p.page(0), i }

// swap exchanges two rows by number.
func (p *heapPool[T]) swap(i, j int) {
	p.handles[i], p.handles[j] = p.handles[j], p.handles[i]
	p.data[i], p.data[j] = p.data[j], p.data[i]
	p.index.Put(p.handles[i].Index(), i)
	p.index.Put(p.handles[j].Index(), j)
	p.stamp(0)
}

func (p *heapPool[T]) bring(e Entity, i int) { p.swap(p.row(e), i) }

// page returns the one chunk that stands for the whole pool.
func (p *heapPool[T]) page(i int) *Chunk {
	if i > 0 || len(p.handles) == 0 {
		return nil
	}
	// Only what is new is written: while the world is frozen, several goroutines look
	// here at the same time.
	if base := unsafe.Pointer(unsafe.SliceData(p.handles)); p.view.base != base || p.view.n != len(p.handles) {
		p.view.base, p.view.n = base, len(p.handles)
	}
	return &p.view
}

func (p *heapPool[T]) stamp(Entity)          { stampAt(&p.view.versions[0], p.view.store.version) }
func (p *heapPool[T]) version(Entity) uint64 { return p.view.versions[0] }
func (p *heapPool[T]) dated(Entity) *uint64  { return &p.view.versions[0] }

func (p *heapPool[T]) discard() { p.index, p.handles, p.data = sparse.Index{}, nil, nil }

// check: every row is found from its slot and is of a living entity, and no other slot
// has a place.
func (p *heapPool[T]) check() error {
	return checkHeapRows(p.comp, p.view.store, p.handles, &p.index, len(p.data))
}

// checkHeapRows is heapPool.check, once for all types.
func checkHeapRows(c *component, s *store, handles []Entity, index *sparse.Index, values int) error {
	if len(handles) != values {
		return fmt.Errorf("pool %q: %d handles, %d values", c.schema.Name, len(handles), values)
	}
	for row, e := range handles {
		if index.Row(e.Index()) != row || !s.alive(e) {
			return fmt.Errorf("pool %q: row %d of entity %v is not found from its slot, or is dead", c.schema.Name, row, e)
		}
	}
	if used := index.Len(); used != len(handles) {
		return fmt.Errorf("pool %q: %d rows, %d places", c.schema.Name, len(handles), used)
	}
	return nil
}

// shrink keeps room for the values that there are, and for half as many more.
func (p *heapPool[T]) shrink() {
	if n := len(p.data); cap(p.data) > n+n/2 {
		p.data, p.handles = slices.Clone(p.data), slices.Clone(p.handles)
	}
	p.index.Trim()
}

// bytes counts what the slices have room for, without what values point to.
func (p *heapPool[T]) bytes() int {
	return cap(p.data)*int(unsafe.Sizeof(*new(T))) + cap(p.handles)*8 + p.index.Bytes()
}

// typedValues are values of a pool, copied by their Go type, in the order of its rows. Images that
// have them count in holds.
type typedValues[T any] struct {
	holds   int
	handles []Entity
	data    []T
}

func (v *typedValues[T]) hold() { v.holds++ }

func (v *typedValues[T]) drop() bool {
	v.holds--
	return v.holds == 0
}

func (v *typedValues[T]) bytes() int64 {
	return int64(cap(v.data)*int(unsafe.Sizeof(*new(T))) + cap(v.handles)*8)
}

func (v *typedValues[T]) list() (handles []Entity, data unsafe.Pointer) {
	return v.handles, unsafe.Pointer(unsafe.SliceData(v.data))
}

// fill copies values: as Go assigns them, or by a function, which may panic.
func (v *typedValues[T]) fill(handles []Entity, data []T, clone func(to, from unsafe.Pointer)) error {
	v.handles = append(v.handles[:0], handles...)
	if clone == nil {
		old := len(v.data)
		v.data = append(v.data[:0], data...)
		if old > len(data) {
			clear(v.data[len(data):old]) // the collector may have what they pointed to
		}
		return nil
	}
	clear(v.data)
	v.data = slices.Grow(v.data[:0], len(data))[:len(data)]
	clear(v.data)
	_, err := protect(func() error {
		for i := range data {
			clone(unsafe.Pointer(&v.data[i]), unsafe.Pointer(&data[i]))
		}
		return nil
	})
	return err
}

// copyTyped returns a copy of values, in the memory of others that nobody has, if there are some.
func copyTyped[T any](reuse heapValues, handles []Entity, data []T, clone func(to, from unsafe.Pointer)) (heapValues, error) {
	v, ok := reuse.(*typedValues[T])
	if !ok {
		v = &typedValues[T]{}
	}
	v.holds = 1
	return v, v.fill(handles, data, clone)
}

func (p *heapPool[T]) copyValues(reuse heapValues, clone func(to, from unsafe.Pointer)) (heapValues, error) {
	return copyTyped(reuse, p.handles, p.data, clone)
}

// newTyped returns values that nobody else has.
func newTyped[T any](handles []Entity, data unsafe.Pointer) heapValues {
	return &typedValues[T]{holds: 1, handles: handles, data: unsafe.Slice((*T)(data), len(handles))}
}

func (p *heapPool[T]) newValues(handles []Entity, data unsafe.Pointer) heapValues {
	return newTyped[T](handles, data)
}

// stageTyped returns a copy of values that a pool may make its own.
func stageTyped[T any](from heapValues, clone func(to, from unsafe.Pointer)) (heapValues, error) {
	v := from.(*typedValues[T])
	return copyTyped(nil, v.handles, v.data, clone)
}

func (p *heapPool[T]) stageValues(from heapValues, clone func(to, from unsafe.Pointer)) (heapValues, error) {
	return stageTyped[T](from, clone)
}

// putValues never fails.
func (p *heapPool[T]) putValues(values heapValues) error {
	for _, e := range p.handles {
		p.index.Remove(e.Index())
	}
	p.handles, p.data = nil, nil
	if v, ok := values.(*typedValues[T]); ok {
		p.handles, p.data = v.handles, v.data
	}
	for row, e := range p.handles {
		p.index.Put(e.Index(), row)
	}
	return nil
}

// textCount is how many bytes the strings of a pool have, with the version and the restore at which they were
// counted.
//
// Invariant: nothing is written in that version after the count. A loop gives the pool its version before it
// writes, and all loops end with their turn: so a count is kept only where the version is of an earlier turn.
// A failed call of a script that puts back what it had written, and the version with it, has the count again.
type textCount struct {
	of       pool // nil: there is none
	version  uint64
	restores uint64
	bytes    int64
}

// textBytes is Raw.TextBytes.
func (w *World) textBytes() (n int64) {
	for _, p := range w.dataPools {
		if heap, ok := p.(heapStored); ok {
			n += w.textsIn(p, heap)
		}
	}
	return n
}

// textsIn returns how many bytes the strings of a pool have.
func (w *World) textsIn(p pool, heap heapStored) (n int64) {
	c := p.of()
	if k := &c.texts; k.of == p && k.version == p.version(0) && k.restores == w.restores {
		return k.bytes
	}
	w.strings = stringsIn(w.strings[:0], c.schema.Fields, 0)
	if len(w.strings) > 0 {
		n = w.countTexts(p, heap)
	}
	if version := p.version(0); version < w.notices.since {
		c.texts = textCount{p, version, w.restores, n}
	}
	return n
}

// countTexts counts them, in fields at the offsets of World.strings.
func (w *World) countTexts(p pool, heap heapStored) (n int64) {
	for i := 0; ; i++ {
		page := p.page(i)
		if page == nil {
			return n
		}
		size, first := p.of().size, heap.column(page)
		for _, offset := range w.strings {
			for row := range uintptr(page.Len()) {
				n += int64(len(*(*string)(unsafe.Add(first, row*size+offset))))
			}
		}
	}
}

// stringsIn appends the offsets at which a value with such fields has strings.
func stringsIn(list []uintptr, fields []Field, base uintptr) []uintptr {
	for i := range fields {
		f := &fields[i]
		if f.Kind != String && f.Kind != Struct {
			continue
		}
		for k := range max(f.Len, 1) {
			if at := base + f.Offset + uintptr(k)*f.Stride; f.Kind == String {
				list = append(list, at)
			} else {
				list = stringsIn(list, f.Fields, at)
			}
		}
	}
	return list
}
