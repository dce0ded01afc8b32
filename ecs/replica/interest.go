package replica

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/codec"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// Interest says which part of a world a primary sends.
type Interest struct {
	// Components are those that are sent; an entity needs none of them. What a component requires must
	// be here with it. Of a relation, the links are sent of which both ends are; the sources of a target are
	// in an order of their own.
	Components []ecs.ComponentRef
	// Entities yields those that are sent, each once or more often: those of a query, or those that an
	// index finds in an area. It is called at each capture. Dead ones and prefabs are skipped. Nil means all that
	// have one of the components.
	Entities iter.Seq[ecs.Entity]
}

// selection is what a filter lets through. Its tables keep the order of their rows, so that deltas are small: who comes
// is the last, and takes the place of one who goes.
//
// Invariant: turn is that of the last capture; each list holds those that were seen at it.
type selection struct {
	world      *ecs.World
	entities   iter.Seq[ecs.Entity]
	query      *ecs.Query // where entities is nil
	codecs     *codec.Set
	components []*viewed
	said       []byte

	turn  uint64
	slots uint64 // the largest slot that was sent, and one more
	all   roster
	sets  []*rowset
	bySet map[string]*rowset
	mask  []byte
	parts []fragment // of the capture
}

// viewed is a component that is sent.
type viewed struct {
	id       ecs.ComponentID
	schema   *schema.Schema
	kept     capture.Storage
	typ      reflect.Type
	spans    []stretch
	relation *ecs.Relation
	links    map[ecs.Entity]*link // of the capture, of a relation
	pool     *rowset              // nil in chunks
}

// stretch is some bytes of a value, and not what lies between its fields.
type stretch struct{ at, size uintptr }

// rowset is the rows of a set of components, or of a pool.
type rowset struct {
	components []int // of the view
	rows       roster
	columns    [][]byte
	versions   []uint64
}

// roster is entities in an order that changes little.
type roster struct {
	handles []uint64
	turns   []uint64
	row     map[uint64]int
}

// see adds an entity, if it is not there.
func (l *roster) see(e ecs.Entity, turn uint64) {
	if i, ok := l.row[uint64(e)]; ok {
		l.turns[i] = turn
		return
	}
	if l.row == nil {
		l.row = map[uint64]int{}
	}
	l.row[uint64(e)] = len(l.handles)
	l.handles, l.turns = append(l.handles, uint64(e)), append(l.turns, turn)
}

// seen reports whether an entity was seen in a turn.
func (l *roster) seen(e ecs.Entity, turn uint64) bool {
	i, ok := l.row[uint64(e)]
	return ok && l.turns[i] == turn
}

// sweep drops those that were not seen in a turn.
func (l *roster) sweep(turn uint64) {
	for i := len(l.handles) - 1; i >= 0; i-- {
		if l.turns[i] == turn {
			continue
		}
		delete(l.row, l.handles[i])
		last := len(l.handles) - 1
		if i < last {
			l.handles[i], l.turns[i] = l.handles[last], l.turns[last]
			l.row[l.handles[i]] = i
		}
		l.handles, l.turns = l.handles[:last], l.turns[:last]
	}
}

// newSelection makes the view of an interest.
func newSelection(w *ecs.World, f *Interest, codecs *codec.Set) (*selection, error) {
	v := &selection{world: w, entities: f.Entities, codecs: codecs, bySet: map[string]*rowset{}}
	declared := w.Raw().Declared()
	said := &declaration{Filtered: true, Components: []declaredComponent{}}
	known := map[ecs.ComponentID]bool{}
	for _, ref := range f.Components {
		if ref == nil {
			return nil, fmt.Errorf("%w: a component of the interest is nil", ecs.ErrConflict)
		}
		id := ref.ID()
		switch {
		case int(id) >= len(declared.Components) || declared.Components[id].Mark:
			return nil, fmt.Errorf("%w: a component of the interest is not registered", ecs.ErrUnknown)
		case known[id]:
			continue
		}
		known[id] = true
		c := &declared.Components[id]
		k := &viewed{id: id, schema: c.Schema, kept: c.Kept, typ: c.Type, spans: spansOf(c)}
		if c.Kept != capture.InChunks {
			k.pool = &rowset{components: []int{len(v.components)}}
		}
		if c.Relation {
			k.relation = w.Raw().RelationNamed(c.Schema.Name)
		}
		if c.Kept >= capture.InHeapPool {
			if _, err := codecs.For(c.Type); err != nil {
				return nil, fmt.Errorf("component %q: %w", c.Schema.Name, err)
			}
		}
		v.components = append(v.components, k)
		said.Components = append(said.Components, componentOf(c))
	}
	if v.entities == nil && len(f.Components) > 0 {
		v.query = w.Query().Any(f.Components...)
	}
	v.said = said.bytes()
	v.mask = make([]byte, (len(v.components)+7)/8)
	v.set() // that of entities without components is the first one
	return v, nil
}

// spansOf lists the bytes of a value that mean something.
func spansOf(c *capture.Component) (list []stretch) {
	if c.Type != nil && c.Kept < capture.InHeapPool {
		list = spansOfType(nil, c.Type, 0)
	} else {
		list = spansOfFields(nil, c.Schema.Fields, 0)
	}
	whole := list[:0]
	for _, s := range list {
		if n := len(whole); n > 0 && whole[n-1].at+whole[n-1].size == s.at {
			whole[n-1].size += s.size
		} else if s.size > 0 {
			whole = append(whole, s)
		}
	}
	return whole
}

// spansOfType appends the spans of a Go type.
func spansOfType(list []stretch, t reflect.Type, at uintptr) []stretch {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			list = spansOfType(list, t.Field(i).Type, at+t.Field(i).Offset)
		}
	case reflect.Array:
		for i := range t.Len() {
			list = spansOfType(list, t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	default:
		list = append(list, stretch{at, t.Size()})
	}
	return list
}

// spansOfFields appends the spans of fields.
func spansOfFields(list []stretch, fields []schema.Field, base uintptr) []stretch {
	for i := range fields {
		f := &fields[i]
		for e := range max(f.Len, 1) {
			if at := base + f.Offset + uintptr(e)*f.Stride; f.Kind == schema.Struct {
				list = spansOfFields(list, f.Fields, at)
			} else {
				list = append(list, stretch{at, f.Kind.Size()})
			}
		}
	}
	return list
}

// capture looks at all entities that are to be sent, and makes the parts of a state.
func (v *selection) capture() error {
	if err := v.world.Raw().Ready(); err != nil {
		return err
	}
	v.turn++
	v.slots = 1
	if v.entities != nil {
		for e := range v.entities {
			v.see(e)
		}
	} else if v.query != nil {
		for c := range v.query.Chunks() {
			for _, e := range c.Entities() {
				v.see(e)
			}
		}
	}
	v.all.sweep(v.turn)
	for _, t := range v.sets {
		t.rows.sweep(v.turn)
	}
	return v.cutAll()
}

// see adds an entity, with what it has.
func (v *selection) see(e ecs.Entity) {
	raw := v.world.Raw()
	if v.all.seen(e, v.turn) || !v.world.Alive(e) || raw.IsPrefab(e) {
		return
	}
	v.all.see(e, v.turn)
	v.slots = max(v.slots, uint64(e.Index())+1)
	clear(v.mask)
	for i, c := range v.components {
		switch {
		case c.relation != nil || !raw.Has(e, c.id):
		case c.pool != nil:
			c.pool.rows.see(e, v.turn)
		default:
			v.mask[i/8] |= 1 << (i % 8)
		}
	}
	v.set().rows.see(e, v.turn)
}

// set returns the table of the set in the mask.
func (v *selection) set() *rowset {
	if t := v.bySet[string(v.mask)]; t != nil {
		return t
	}
	t := &rowset{}
	for i := range v.components {
		if v.mask[i/8]>>(i%8)&1 != 0 {
			t.components = append(t.components, i)
		}
	}
	v.bySet[string(v.mask)] = t
	v.sets = append(v.sets, t)
	return t
}

// cutAll makes the parts of what was seen.
func (v *selection) cutAll() error {
	x := &cutting{codecs: v.codecs}
	var pools, heaps []*viewed
	for _, c := range v.components {
		if c.relation != nil {
			v.link(c)
		}
		switch {
		case c.kept == capture.InArenaPool:
			pools = append(pools, c)
		case c.kept > capture.InArenaPool:
			heaps = append(heaps, c)
		}
		if c.pool != nil {
			c.pool.rows.sweep(v.turn)
		}
	}
	seconds, ticks := v.world.Time()
	x.add(keyOf(headPart, 0, 0, 0), wordsOf(&head{
		Tag: uint64(v.world.Raw().Tag()), Tick: ticks, Time: math.Float64bits(seconds), Slots: v.slots,
		Sets: uint64(len(v.sets)), Pools: uint64(len(pools)), Heaps: uint64(len(heaps)),
	}))
	for _, t := range v.sets {
		v.gather(t)
	}
	v.tables(x, setPart, v.sets)
	var tables []*rowset
	for _, c := range pools {
		v.gather(c.pool)
		tables = append(tables, c.pool)
	}
	v.tables(x, poolPart, tables)
	v.parts = nil
	if err := v.heaps(x, heaps); err != nil {
		return err
	}
	v.parts = x.parts
	return nil
}

// gather copies the columns of a table.
func (v *selection) gather(t *rowset) {
	handles := slices.Clone(t.rows.handles)
	columns := [][]byte{capture.Bytes(handles)}
	for _, i := range t.components {
		c := v.components[i]
		size := c.schema.Size
		if size == 0 {
			continue
		}
		to := aligned(len(handles) * int(size))
		for row, h := range handles {
			var from unsafe.Pointer
			if c.relation != nil {
				from = unsafe.Pointer(c.links[ecs.Entity(h)])
			} else {
				from = v.world.Raw().Pointer(ecs.Entity(h), c.id)
			}
			for _, s := range c.spans {
				copy(to[uintptr(row)*size+s.at:][:s.size], unsafe.Slice((*byte)(unsafe.Add(from, s.at)), s.size))
			}
		}
		columns = append(columns, to)
	}
	t.date(columns, v.turn)
}

// date gives columns that have changed the number of the turn.
func (t *rowset) date(columns [][]byte, turn uint64) {
	for len(t.versions) < len(columns) {
		t.versions = append(t.versions, turn)
	}
	t.versions = t.versions[:len(columns)]
	for i := range columns {
		if i >= len(t.columns) || !same(columns[i], t.columns[i]) {
			t.versions[i] = turn
		}
	}
	t.columns = columns
}

// tables adds the parts of tables.
func (v *selection) tables(x *cutting, what int, list []*rowset) {
	for i, t := range list {
		words := []uint32{0, uint32(min(len(t.rows.handles), 1)), uint32(len(t.columns)), 0}
		for _, c := range t.components {
			words = append(words, uint32(c))
		}
		x.add(keyOf(what, i, 0, 0), capture.Bytes(words))
	}
	for i, t := range list {
		if n := len(t.rows.handles); n > 0 {
			x.add(keyOf(what+1, i, 0, 0), capture.Bytes(append([]uint64{0, uint64(n)}, t.versions...)))
		}
	}
	for i, t := range list {
		for column, bytes := range t.columns {
			if len(t.rows.handles) > 0 {
				x.add(keyOf(what+2, i, 0, column), bytes)
			}
		}
	}
}

// heaps adds values with Go pointers. They are encoded at once: what they lead to may change.
func (v *selection) heaps(x *cutting, list []*viewed) error {
	blocks := make([][][]byte, len(list))
	for i, c := range list {
		codec, err := v.codecs.For(c.typ)
		if err != nil {
			return err
		}
		handles := slices.Clone(c.pool.rows.handles)
		next := func(row int) ([]byte, error) {
			return codec.Encode(v.world.Raw().Pointer(ecs.Entity(handles[row]), c.id))
		}
		if blocks[i], err = encodeBlocks(len(handles), next); err != nil {
			return fmt.Errorf("component %q: %w", c.schema.Name, err)
		}
		c.pool.date(append([][]byte{capture.Bytes(handles)}, blocks[i]...), v.turn)
		words := []uint64{uint64(c.pool.components[0]), slices.Max(c.pool.versions)}
		x.add(keyOf(heapPart, i, 0, 0), append(capture.Bytes(words), capture.Bytes(handles)...))
	}
	for i := range list {
		for j, bytes := range blocks[i] {
			x.add(keyOf(heapValuePart, i, j, 0), bytes)
		}
	}
	return nil
}

// link is the links of an entity, as the component of a relation has them.
type link struct{ Target, First, Last, Prev, Next, Count uint64 }

// link finds the links between those that are sent, for gather.
func (v *selection) link(c *viewed) {
	c.links = map[ecs.Entity]*link{}
	at := func(e ecs.Entity) *link {
		l := c.links[e]
		if l == nil {
			l = &link{}
			c.links[e] = l
		}
		c.pool.rows.see(e, v.turn)
		return l
	}
	for _, h := range v.all.handles {
		source := ecs.Entity(h)
		target := c.relation.Target(source)
		if target == 0 || !v.all.seen(target, v.turn) {
			continue
		}
		l, of := at(source), at(target)
		l.Target, l.Prev = uint64(target), of.Last
		if of.Last == 0 {
			of.First = h
		} else {
			c.links[ecs.Entity(of.Last)].Next = h
		}
		of.Last = h
		of.Count++
	}
}
