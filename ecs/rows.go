package ecs

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// Row2 is one entity's values of two components, in place.
type Row2[A, B any] struct {
	A *A
	B *B
}

// Rows iterates the query's entities with one component, one by one. See Rows2, also for
// when it panics.
func Rows[A any](q *Query, a Component[A]) iter.Seq2[Entity, *A] {
	return func(yield func(Entity, *A) bool) {
		k := q.beginFor(a.owner(), a.owner())
		for c := k.next(); c != nil; c = k.next() {
			pa, da := rowsOf(q, c, a)
			es := c.Entities()
			for i := 0; ; {
				if !yield(es[i], (*A)(pa)) {
					k.end()
					return
				}
				if i++; i >= len(es) {
					break
				}
				pa = unsafe.Add(pa, da)
			}
		}
		k.end()
	}
}

// Rows2 iterates the query's entities with two components, one by one. A
// component that is optional and absent gives a nil pointer. Components that the
// query writes are stamped, chunk by chunk, as the loop comes to them.
//
// The compiler makes the loop's body part of the loop over the columns, so that
// it costs what a loop over plain slices does. For that, nothing in it can catch
// a panic: one that leaves the body ends the iteration lock only where a system,
// World.Run or a loop over Chunks around it does. Code outside of these that
// recovers and goes on with the world calls [Raw.Guard] first, or iterates
// Chunks.
//
// A component of another world than the query's is a mistake in the program, and
// the loop panics before it begins.
func Rows2[A, B any](q *Query, a Component[A], b Component[B]) iter.Seq2[Entity, Row2[A, B]] {
	return func(yield func(Entity, Row2[A, B]) bool) {
		k := q.beginFor(a.owner(), b.owner())
		for c := k.next(); c != nil; c = k.next() {
			pa, da := rowsOf(q, c, a)
			pb, db := rowsOf(q, c, b)
			es := c.Entities()
			for i := 0; ; {
				if !yield(es[i], Row2[A, B]{(*A)(pa), (*B)(pb)}) {
					k.end()
					return
				}
				if i++; i >= len(es) {
					break
				}
				pa, pb = unsafe.Add(pa, da), unsafe.Add(pb, db)
			}
		}
		k.end()
	}
}

// View is a query that a struct declares: each of its fields is a pointer to a component.
// The loop gets a struct whose pointers lead to the values of one entity.
//
//	type moving struct {
//		Position *Position
//		Velocity *Velocity `ecs:"read"`
//		Boost    *Boost    `ecs:"read,optional"` // nil where an entity has none
//	}
//
//	view := ecs.NewView[moving](w)
//	for _, m := range view.Rows() {
//		m.Position.X += m.Velocity.X
//	}
//
// A field is written unless its tag says read: what is written is stamped, and no other
// system runs beside one that writes it. Any number of components will do; more conditions
// are those of the query, view.Query().Without(frozen). Make a view once and keep it. It
// belongs to its world's goroutine, but for In, and lives as long as its world.
//
// A row of two components costs a nanosecond more than one of [Query.Chunks] with columns,
// and each further component another: the pointers are moved on, row by row. Where a loop
// does nothing but add, take Chunks or [Rows2].
type View[T any] struct {
	query  *Query
	fields []viewField
	rest   []viewStep // of the fields from the third on; where they lead, the struct says
}

// viewField is a field of the struct.
type viewField struct {
	offset  uintptr // in the struct
	size    uintptr // of the component
	info    *component
	written bool
}

// viewStep is a pointer of the struct that a loop moves on: where it leads, its place in the
// struct, and how far it is to the next row, 0 for one that is nil.
type viewStep struct {
	at       unsafe.Pointer
	to, size uintptr
}

// NewView makes a view of a world. It panics, with an error that wraps ErrConflict or
// ErrUnknown, when T is no struct of exported pointers, two of them to the same type, when
// a tag has another word than read, write and optional, when none of the components is
// required, when a component is not registered, or when the world is closed: all are
// mistakes in the program.
func NewView[T any](w *World) *View[T] {
	v := &View[T]{}
	if err := v.declare(w); err != nil {
		panic(fmt.Errorf("ecs.NewView[%s]: %w", reflect.TypeFor[T](), err))
	}
	return v
}

// declare reads the fields of the struct.
func (v *View[T]) declare(w *World) error {
	switch {
	case w == nil:
		return fmt.Errorf("%w: there is no world", ErrConflict)
	case w.closed():
		return w.closedError()
	}
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct || t.NumField() == 0 {
		return fmt.Errorf("%w: a view is a struct of pointers to components", ErrConflict)
	}
	var required, optional []Term
	for i := range t.NumField() {
		f, isOptional, err := viewFieldOf(w, t.Field(i))
		if err != nil {
			return err
		}
		if slices.ContainsFunc(v.fields, func(g viewField) bool { return g.info == f.info }) {
			return fmt.Errorf("%w: field %s: component %q is in the view already", ErrConflict, t.Field(i).Name, f.info.schema.Name)
		}
		v.fields = append(v.fields, f)
		if i >= 2 {
			v.rest = append(v.rest, viewStep{to: f.offset, size: f.size})
		}
		if term := term(f.info.id, f.written); isOptional {
			optional = append(optional, term)
		} else {
			required = append(required, term)
		}
	}
	if len(required) == 0 {
		return fmt.Errorf("%w: all fields are optional: every entity would match", ErrConflict)
	}
	v.query = w.Query(required...).Optional(optional...)
	return nil
}

// viewFieldOf reads one field of the struct and its tag.
func viewFieldOf(w *World, f reflect.StructField) (v viewField, optional bool, err error) {
	if f.Type.Kind() != reflect.Pointer || !f.IsExported() {
		return v, false, fmt.Errorf("%w: field %s is no exported pointer to a component", ErrConflict, f.Name)
	}
	v = viewField{offset: f.Offset, written: true}
	words := strings.Split(f.Tag.Get("ecs"), ",")
	if slices.Contains(words, "read") && slices.Contains(words, "write") {
		return v, false, fmt.Errorf("%w: field %s: the tag says read and write: what is written may be read, too", ErrConflict, f.Name)
	}
	for _, word := range words {
		switch word {
		case "read":
			v.written = false
		case "optional":
			optional = true
		case "", "write":
		default:
			return v, false, fmt.Errorf("%w: field %s: the tag says %q: expected read, write or optional", ErrConflict, f.Name, word)
		}
	}
	of := f.Type.Elem()
	at := slices.IndexFunc(w.components, func(c *component) bool { return c.typ == of })
	if at < 0 {
		return v, false, fmt.Errorf("%w: field %s: component %s is not registered: ecs.Register comes first", ErrUnknown, f.Name, of)
	}
	v.info, v.size = w.components[at], w.components[at].size
	return v, optional, nil
}

// Query returns the query of the view, to add conditions to before the first loop.
func (v *View[T]) Query() *Query { return v.query }

// Rows iterates the matching entities, one by one, in the order that Query defines. The
// pointers are borrowed, as a chunk's columns are. A panic that leaves the body ends the
// iteration lock as it does in [Rows2]. It allocates nothing, and loops may nest.
func (v *View[T]) Rows() iter.Seq2[Entity, T] {
	return func(yield func(Entity, T) bool) {
		k, rest := v.query.begin(), v.rest
		for c := k.next(); c != nil; c = k.next() {
			// The pointers move on as they do in In. Why not in a function for both? The
			// compiler would not see any more that row is on the stack, and a write barrier
			// would stand beside each store: rows of two components took half as long again.
			var row T
			a, b := v.enter(c, unsafe.Pointer(&row))
			es := c.Entities()
			for i := 0; ; {
				if !yield(es[i], row) {
					k.end()
					return
				}
				if i++; i >= len(es) {
					break
				}
				a.at, b.at = unsafe.Add(a.at, a.size), unsafe.Add(b.at, b.size)
				*(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&row), a.to)) = a.at
				*(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&row), b.to)) = b.at
				for j := range rest {
					f := &rest[j]
					p := (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&row), f.to))
					if *p != nil {
						*p = unsafe.Add(*p, f.size)
					}
				}
			}
		}
		k.end()
	}
}

// In iterates the rows of a chunk that the view's query has yielded, in [Query.Chunks] or
// [Tick.Parallel]; there, several goroutines may do so at the same time. Chunks of other
// queries are a mistake: pointers to what they lack are nil.
func (v *View[T]) In(c *Chunk) iter.Seq2[Entity, T] {
	return func(yield func(Entity, T) bool) {
		var row T
		a, b := v.enter(c, unsafe.Pointer(&row))
		for i, e := range c.Entities() {
			if i > 0 {
				a.at, b.at = unsafe.Add(a.at, a.size), unsafe.Add(b.at, b.size)
				*(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&row), a.to)) = a.at
				*(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&row), b.to)) = b.at
				for j := range v.rest {
					f := &v.rest[j]
					p := (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&row), f.to))
					if *p != nil {
						*p = unsafe.Add(*p, f.size)
					}
				}
			}
			if !yield(e, row) {
				return
			}
		}
	}
}

// Get returns the pointers of one entity, and whether it matches. They are good until the
// next structural change. What the view writes is stamped. Amortised O(1).
func (v *View[T]) Get(e Entity) (row T, ok bool) {
	c, at := v.query.Find(e)
	if c == nil {
		return row, false
	}
	for _, f := range v.fields {
		if p := c.Column(f.info.id, f.written); p != nil {
			*(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&row), f.offset)) = unsafe.Add(p, uintptr(at)*f.size)
		}
	}
	return row, true
}

// Each makes a system of a function for one row: the given one, to which the view's query
// and a Run are added; a Run that it has is replaced.
//
//	err := w.Schedule().Add(view.Each(ecs.System{Name: "move"}, func(t *ecs.Tick, _ ecs.Entity, m *moving) {
//		m.Position.X += m.Velocity.X * t.DT
//	}))
//
// With Parallel, the system runs beside others, on one goroutine.
func (v *View[T]) Each(s System, do func(t *Tick, e Entity, row T)) System {
	s.Queries = append(slices.Clone(s.Queries), v.query)
	s.Run = func(t *Tick) error {
		if do == nil {
			return errors.New("View.Each got no function")
		}
		for e, row := range v.Rows() {
			do(t, e, row)
		}
		return nil
	}
	return s
}

// enter points the struct at the first row of a chunk, stamps what is written, and returns
// how the first two pointers move on; of a struct with one field, both are that field.
func (v *View[T]) enter(c *Chunk, row unsafe.Pointer) (a, b viewStep) {
	for i := range v.fields {
		f := &v.fields[i]
		p, size := c.columnOf(f.info), f.size
		if p == nil {
			size = 0
		} else if f.written {
			c.stamp(f.info.id)
		}
		*(*unsafe.Pointer)(unsafe.Add(row, f.offset)) = p
		switch step := (viewStep{p, f.offset, size}); i {
		case 0:
			a, b = step, step
		case 1:
			b = step
		}
	}
	return a, b
}

// beginFor begins a loop that reads components of these worlds.
func (q *Query) beginFor(a, b *World) *cursor {
	if a != q.world || b != q.world {
		panic(fmt.Errorf("ecs: Rows or Sorted: %w: a component is of another world than the query", ErrConflict))
	}
	return q.begin()
}

// rowsOf returns the column, stamped if the query declared that it writes it,
// and the distance of its rows: none where there is no column.
func rowsOf[T any](q *Query, c *Chunk, t Component[T]) (unsafe.Pointer, uintptr) {
	_, written := q.term(t.info.id)
	p := c.Column(t.info.id, written)
	if p == nil {
		return nil, 0
	}
	return p, unsafe.Sizeof(*new(T))
}

// Sorted iterates a query in the order of a component's values: rising by
// compare, equal ones in the order that the query has without. A pooled component
// must be one that the query names; entities that lack it, where it is optional,
// come last. It yields spans, most of one row, under the same lock as Chunks, and
// counts as a look. O(n log n), and it allocates nothing once warm. A pool that
// is iterated often in one order is better sorted itself: see Component.Sort. The
// loop panics when compare is nil or the component is of another world.
func Sorted[T any](q *Query, c Component[T], compare func(a, b *T) int) iter.Seq[*Chunk] {
	return func(yield func(*Chunk) bool) {
		requireOrder(compare != nil)
		k := q.beginSorted(c)
		defer k.end()
		k.collect(c.info.id)
		sortKeys(k.keys, compare)
		k.followKeys()
		for c := k.next(); c != nil; c = k.next() {
			if !yield(c) {
				return
			}
		}
	}
}

// SortedBy is Sorted for an order that a whole number of each row gives, such as a layer to
// draw or a kind: rising, equal ones in the order that the query has without. key is called
// once for each row, before the first is yielded; rows that lie side by side and have the
// same number are yielded as one span. O(n) where the numbers of n rows lie closer together
// than 4n+1024, O(n log n) otherwise, and it allocates nothing once warm. The loop panics
// where that of Sorted does.
func SortedBy[T any](q *Query, c Component[T], key func(*T) int) iter.Seq[*Chunk] {
	return func(yield func(*Chunk) bool) {
		requireOrder(key != nil)
		k := q.beginSorted(c)
		defer k.end()
		if k.keyed == nil {
			k.keyed = &keyedRuns{}
		}
		runs := k.keyed
		defer runs.forget()
		for at := k.next(); at != nil; at = k.next() {
			values := c.Of(at)
			runs.enter(at)
			for i := range values {
				runs.add(i, key(&values[i]))
			}
			if len(values) == 0 {
				runs.lack(at.n)
			}
		}
		for _, run := range runs.sorted() {
			k.view = runs.chunks[run.chunk].rows(run.first, run.n)
			k.of = nil // the view is not what the cursor has made
			if !yield(&k.view) {
				return
			}
		}
	}
}

// keyedRuns are the rows of a loop with a number for each, as runs of rows that lie side by
// side and have the same one.
type keyedRuns struct {
	chunks   []Chunk
	runs     []keyedRun
	order    []keyedRun
	counts   []int32    // by key
	low, top int        // of the keys
	last     []keyedRun // that have no value
}

// keyedRun are n rows of a chunk.
type keyedRun struct{ key, chunk, first, n int }

// enter begins a chunk, page or span.
func (s *keyedRuns) enter(c *Chunk) { s.chunks = append(s.chunks, c.rows(0, c.n)) }

// add adds a row of the chunk at hand.
func (s *keyedRuns) add(row, key int) {
	chunk := len(s.chunks) - 1
	if n := len(s.runs); n > 0 {
		if r := &s.runs[n-1]; r.key == key && r.chunk == chunk {
			r.n++
			return
		}
		s.low, s.top = min(s.low, key), max(s.top, key)
	} else {
		s.low, s.top = key, key
	}
	s.runs = append(s.runs, keyedRun{key, chunk, row, 1})
}

// lack adds all rows of the chunk at hand, which have no value.
func (s *keyedRuns) lack(n int) {
	s.last = append(s.last, keyedRun{chunk: len(s.chunks) - 1, n: n})
}

// sorted returns the runs in the order of their numbers, those without one last.
func (s *keyedRuns) sorted() []keyedRun {
	if width := uint64(s.top) - uint64(s.low); width < uint64(4*len(s.runs)+1024) {
		s.count(int(width) + 1)
	} else {
		s.order = append(s.order[:0], s.runs...)
		slices.SortStableFunc(s.order, func(a, b keyedRun) int { return cmp.Compare(a.key, b.key) })
	}
	s.order = append(s.order, s.last...)
	return s.order
}

// count sorts by counting how many runs have each of so many numbers.
func (s *keyedRuns) count(width int) {
	s.counts = slices.Grow(s.counts[:0], width)[:width]
	clear(s.counts)
	for i := range s.runs {
		s.counts[s.runs[i].key-s.low]++
	}
	at := int32(0)
	for i, n := range s.counts {
		s.counts[i], at = at, at+n
	}
	s.order = slices.Grow(s.order[:0], len(s.runs))[:len(s.runs)]
	for i := range s.runs {
		place := &s.counts[s.runs[i].key-s.low]
		s.order[*place] = s.runs[i]
		*place++
	}
}

// forget drops the rows, and the chunks with what they lead to.
func (s *keyedRuns) forget() {
	clear(s.chunks)
	s.chunks, s.runs, s.order, s.last = s.chunks[:0], s.runs[:0], s.order[:0], s.last[:0]
}

// beginSorted is beginFor for a component to sort by. A pooled one must be named by the query: a
// span shows the pooled components that the query names, and no others.
func (q *Query) beginSorted(c ComponentRef) *cursor {
	o, _ := c.(owned)
	k := q.beginFor(o.owner(), o.owner())
	if named, _ := q.term(c.ID()); !named && q.world.pooled(c.ID()) {
		k.end()
		panic(fmt.Errorf("ecs: Sorted: %w: the query does not name component %q: read it, or make it optional", ErrConflict, q.world.components[c.ID()].schema.Name))
	}
	return k
}

// requireOrder panics for a loop without an order.
func requireOrder(given bool) {
	if !given {
		panic(fmt.Errorf("ecs: Sorted: %w: no order is given", ErrConflict))
	}
}

// collect makes a key for each row that the cursor yields.
func (k *cursor) collect(id ComponentID) {
	k.keys = k.keys[:0]
	for c := k.next(); c != nil; c = k.next() {
		p, size := c.column(id), c.store.components[id].size
		for i, e := range c.Entities() {
			key := sortKey{entity: e, row: len(k.keys)}
			if p != nil {
				key.value = unsafe.Add(p, uintptr(i)*size)
			}
			k.keys = append(k.keys, key)
		}
	}
}

// followKeys makes the cursor yield the collected rows in their order now.
func (k *cursor) followKeys() {
	list := k.list[:0]
	for i := range k.keys {
		list = append(list, k.keys[i].entity)
	}
	clear(k.keys) // values may lie on the heap
	k.driver, k.known, k.row, k.ahead = nil, -1, 0, false
	k.yielded = 0
	k.follow(list)
}
