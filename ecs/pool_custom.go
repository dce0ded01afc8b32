package ecs

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/mask"
)

// Storage keeps the values of one component type in a way of its own: a grid, a
// ring, a file in memory. Give it to [Register] with [Stored]. The world calls it
// from one goroutine, except for Len, At and Find, which systems that run in
// parallel may call at the same time, while nothing is put or removed. It must not
// call the world.
//
// What a storage must do, and what ecstest.Conform tests:
//
//   - Find(e) is nil until Put(e) and from Remove(e) on; in between it is the place
//     of e's value, for reading and writing until the next Put or Remove.
//   - At(0) to At(Len()-1) are the entities put and not removed, each once, in an
//     order that follows from the calls alone: queries iterate in it.
//   - Put of an entity that is there replaces the value.
//
// A storage that does otherwise loses values or shows wrong ones; World.Check
// says so. It cannot harm other components: the world writes through it only to
// places that it gave for the type.
type Storage[T any] interface {
	// Len returns the number of values.
	Len() int
	// At returns the entity of the i-th value, 0 ≤ i < Len.
	At(i int) Entity
	// Find returns the place of e's value, or nil.
	Find(e Entity) *T
	// Reserve makes sure that Put(e) finds room for one value more, or says why it
	// would not; that error is what Spawn and Add return. It may be called again,
	// and Put may never come.
	Reserve(e Entity) error
	// Put stores a value for e, after Reserve.
	Put(e Entity, v T)
	// Remove takes e's value out, if there is one.
	Remove(e Entity)
}

// Stored keeps a type in a storage that create makes for each world. Adding or
// removing the component moves no other data of an entity; queries yield its
// entities one by one. Registering another type with it is a conflict.
func Stored[T any](create func() Storage[T]) ComponentOption {
	return storedOption{
		typ: reflect.TypeFor[T](),
		make: func() func(*store, *component) pool {
			if create == nil {
				return nil
			}
			s := create()
			if s == nil {
				return nil
			}
			return func(in *store, c *component) pool { return newStoredPool(in, c, s) }
		},
	}
}

// storedOption is the storage of a component type.
type storedOption struct {
	typ reflect.Type
	// make makes the storage, or returns nil, before the component is registered:
	// the pool over it can be made only then.
	make func() func(*store, *component) pool
}

func (o storedOption) apply(s *componentSpec) { s.stored = o }

// storedPool is a pool whose values lie in a Storage of the program.
//
// Invariant: the storage is as its documentation demands; it holds the living
// entities to which a value was put, and no others.
type storedPool[T any] struct {
	store   *store
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

// newStoredPool makes the pool over a storage, which must be empty.
func newStoredPool[T any](in *store, c *component, s Storage[T]) pool {
	a := &archetype{mask: mask.Of(uint32(c.id)), ids: []ComponentID{c.id}}
	return &storedPool[T]{store: in, comp: c, storage: s, layout: &layout{arch: a}, written: []uint64{0}}
}

func (p *storedPool[T]) of() *component { return p.comp }
func (p *storedPool[T]) len() int       { return p.storage.Len() }

func (p *storedPool[T]) find(e Entity) unsafe.Pointer { return unsafe.Pointer(p.storage.Find(e)) }

// from: the places in a storage need not lie side by side.
func (p *storedPool[T]) from(Entity) []Entity { return nil }

// reserve asks the storage; the component is named in its error.
func (p *storedPool[T]) reserve(e Entity) error {
	if err := p.storage.Reserve(e); err != nil {
		return fmt.Errorf("storage of %q: %w", p.comp.schema.Name, err)
	}
	return nil
}

// put stores a copy of the value and stamps all values.
func (p *storedPool[T]) put(e Entity, from unsafe.Pointer) {
	p.storage.Put(e, *(*T)(from))
	p.stamp(e)
}

// remove takes the value out of the storage, if there is one.
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
		r.view = Chunk{layout: p.layout, store: p.store, versions: p.written, base: unsafe.Pointer(&r.entity), n: 1}
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

// clone copies a value as Go assigns it.
func (p *storedPool[T]) clone(from unsafe.Pointer) any {
	v := *(*T)(from)
	return &v
}

func (p *storedPool[T]) address(clone any) unsafe.Pointer { return unsafe.Pointer(clone.(*T)) }

func (p *storedPool[T]) stamp(Entity)          { stampAt(&p.written[0], p.store.version) }
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
		case !p.store.alive(e):
			return fmt.Errorf("storage of %q holds the dead entity %v", name, e)
		case p.storage.Find(e) == nil:
			return fmt.Errorf("storage of %q lists %v and does not find it", name, e)
		default:
			met[e] = true
		}
	}
	places := map[*T]Entity{}
	for e := range p.store.entities() {
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

// list returns the handles and the values of the storage, in its order.
func (p *storedPool[T]) list() (handles []Entity, data []T) {
	for i := range p.storage.Len() {
		e := p.storage.At(i)
		handles, data = append(handles, e), append(data, *p.storage.Find(e))
	}
	return handles, data
}

func (p *storedPool[T]) copyValues(reuse heapValues, clone func(to, from unsafe.Pointer)) (heapValues, error) {
	handles, data := p.list()
	return copyTyped(reuse, handles, data, clone)
}

func (p *storedPool[T]) stageValues(from heapValues, clone func(to, from unsafe.Pointer)) (heapValues, error) {
	return stageTyped[T](from, clone)
}

func (p *storedPool[T]) newValues(handles []Entity, data unsafe.Pointer) heapValues {
	return newTyped[T](handles, data)
}

// putValues takes everything out of the storage, and puts the values in, in their order. It fails
// when the storage has no room, or has them in another order then.
func (p *storedPool[T]) putValues(values heapValues) error {
	_, err := protect(func() error { return p.refill(values) })
	return err
}

// refill is putValues of a storage that does not panic.
func (p *storedPool[T]) refill(values heapValues) error {
	handles, _ := p.list()
	for _, e := range handles {
		p.storage.Remove(e)
	}
	v, ok := values.(*typedValues[T])
	if !ok {
		return nil
	}
	for i, e := range v.handles {
		if err := p.storage.Reserve(e); err != nil {
			return err
		}
		p.storage.Put(e, v.data[i])
	}
	for i, e := range v.handles {
		if p.storage.Len() != len(v.handles) || p.storage.At(i) != e {
			return fmt.Errorf("%w: the storage does not list values in the order in which they were put", ErrConflict)
		}
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
