package ecs

import (
	"fmt"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/mask"
)

// storedPool is a pool whose values lie in a Storage of the program.
//
// Invariant: the storage is as its documentation demands; it holds the living
// entities to which a value was put, and no others.
type storedPool[T any] struct {
	world   *World
	comp    *component
	storage Storage[T]
	written []uint64 // one for all: the version of the last write to any value
	layout  *layout
	pages   []*storedRow // what page returns, by row
}

// storedRow is a chunk of one row.
type storedRow struct {
	entity Entity
	view   Chunk
}

func newStoredPool[T any](w *World, c *component, s Storage[T]) pool {
	a := &archetype{mask: mask.Of(uint32(c.id)), ids: []ComponentID{c.id}}
	return &storedPool[T]{world: w, comp: c, storage: s, layout: &layout{arch: a}, written: []uint64{0}}
}

func (p *storedPool[T]) of() *component { return p.comp }
func (p *storedPool[T]) len() int       { return p.storage.Len() }

func (p *storedPool[T]) find(e Entity) unsafe.Pointer { return unsafe.Pointer(p.storage.Find(e)) }

func (p *storedPool[T]) from(Entity) []Entity { return nil }

func (p *storedPool[T]) reserve(e Entity) error {
	if err := p.storage.Reserve(e); err != nil {
		return fmt.Errorf("storage of %q: %w", p.comp.schema.Name, err)
	}
	return nil
}

func (p *storedPool[T]) put(e Entity, from unsafe.Pointer) {
	p.storage.Put(e, *(*T)(from))
	p.stamp(e)
}

func (p *storedPool[T]) remove(e Entity) {
	if p.storage.Find(e) != nil {
		p.storage.Remove(e)
		p.stamp(e)
	}
}

// page returns a chunk of the i-th row. Each row has its own, for a loop inside
// another one must leave the outer one's chunk alone. The first page brings all
// up to date, and writes only what is not: once that has happened, several
// goroutines may loop.
func (p *storedPool[T]) page(i int) *Chunk {
	n := p.storage.Len()
	if i >= n {
		return nil
	}
	for len(p.pages) < n {
		r := &storedRow{}
		r.view = Chunk{layout: p.layout, world: p.world, versions: p.written, base: unsafe.Pointer(&r.entity), n: 1}
		p.pages = append(p.pages, r)
	}
	for row := 0; i == 0 && row < n; row++ {
		if e := p.storage.At(row); p.pages[row].entity != e {
			p.pages[row].entity = e
		}
	}
	return &p.pages[i].view
}

func (p *storedPool[T]) column(c *Chunk) unsafe.Pointer { return p.find(c.entity()) }

func (p *storedPool[T]) clone(from unsafe.Pointer) any {
	v := *(*T)(from)
	return &v
}

func (p *storedPool[T]) address(clone any) unsafe.Pointer { return unsafe.Pointer(clone.(*T)) }

func (p *storedPool[T]) stamp(Entity)          { p.written[0] = p.world.version }
func (p *storedPool[T]) version(Entity) uint64 { return p.written[0] }
func (p *storedPool[T]) dated(Entity) *uint64  { return &p.written[0] }

func (p *storedPool[T]) discard() { p.storage, p.pages = emptied[T]{}, nil }

// check compares what the storage lists with what it finds.
func (p *storedPool[T]) check() error {
	name, met := p.comp.schema.Name, map[Entity]bool{}
	for i := range p.storage.Len() {
		switch e := p.storage.At(i); {
		case met[e]:
			return fmt.Errorf("storage of %q lists %v twice", name, e)
		case !p.world.Alive(e):
			return fmt.Errorf("storage of %q holds the dead entity %v", name, e)
		case p.storage.Find(e) == nil:
			return fmt.Errorf("storage of %q lists %v and does not find it", name, e)
		default:
			met[e] = true
		}
	}
	places := map[*T]Entity{}
	for e := range p.world.Entities() {
		v := p.storage.Find(e)
		if (v != nil) != met[e] {
			return fmt.Errorf("storage of %q finds %v and does not list it", name, e)
		}
		if other, taken := places[v]; v != nil && taken && p.comp.size > 0 {
			return fmt.Errorf("storage of %q keeps %v and %v in one place", name, e, other)
		}
		places[v] = e
	}
	return nil
}

// emptied stands for the storage of a closed world.
type emptied[T any] struct{}

func (emptied[T]) Len() int             { return 0 }
func (emptied[T]) At(int) Entity        { return 0 }
func (emptied[T]) Find(Entity) *T       { return nil }
func (emptied[T]) Reserve(Entity) error { return ErrArenaFull }
func (emptied[T]) Put(Entity, T)        {}
func (emptied[T]) Remove(Entity)        {}
