package save

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// destination is what becomes of a component of a save.
type destination struct {
	to      int // the component of the world, or -1: it is lost
	entry   *componentEntry
	from    *columnar
	now     *columnar
	convert *conversion // nil: it is read as it is
}

// shapes returns the shapes of all components of the save. Those that this world does not have, and adopts, are
// components of the state from then on, as if it had declared them last.
func (l *saveLoader) shapes() ([]*columnar, error) {
	var list []*columnar
	for i := range l.manifest.Components {
		e := &l.manifest.Components[i]
		from, err := l.places.shape(e)
		if err == nil && l.adopts(e) {
			err = l.adopt(e, from.schema)
		}
		if err != nil {
			return nil, fmt.Errorf("component %q: %w", e.Name, err)
		}
		list = append(list, from)
	}
	if n := len(l.state.Components); l.adopted && n > ecs.MaxComponents {
		return nil, fmt.Errorf("%w: a world has at most %d component types, and would have %d with those of the save that nothing declares", ecs.ErrConflict, ecs.MaxComponents, n)
	}
	return list, nil
}

// renamed returns the name that a component has in this world by now, "" for none.
func (l *saveLoader) renamed(e *componentEntry) string {
	if l.options.Renamed == nil || e.Mark || e.Relation {
		return ""
	}
	return l.options.Renamed(e.Name)
}

// component finds one.
func (l *saveLoader) component(e *componentEntry, from *columnar) (t destination, err error) {
	t = destination{to: l.find(e, e.Name), entry: e, from: from}
	if t.to < 0 {
		if now := l.renamed(e); now != "" {
			t.to = l.find(e, now)
			l.note(e.Name, e.Entities, false, "%s: it is %s in this world", e.Name, now)
		}
	}
	if t.to >= 0 && l.state.Components[t.to].New {
		l.note(e.Name, e.Entities, false, "%s: %s, and nothing declared it when this was saved: their values stay, unseen", e.Name, count(e.Entities, "entity has it", "entities have it"))
	}
	if t.to < 0 {
		if e.Entities > 0 {
			l.note(e.Name, e.Entities, true, "%s: %s, and this world has no such %s", e.Name, count(e.Entities, "entity has it", "entities have it"), e.sort())
		}
		return t, nil
	}
	c := &l.state.Components[t.to]
	if heap := c.Kept >= capture.InHeapPool; heap != e.onHeap() || !heap && c.Kept.String() != e.Kept {
		return t, fmt.Errorf("%w: it is kept in %q in the save, and in %q in this world: see Sparse and Stored", ecs.ErrConflict, e.Kept, c.Kept)
	} else if heap {
		return t, nil
	}
	t.now = shapeOf(c.Schema, c.Type)
	if t.now.same(t.from) && e.Version == c.Schema.Version {
		return t, nil
	}
	t.convert = l.conversion(from.schema, c.Schema, t.from, t.now)
	if t.now.same(t.from) && t.convert.migrate == nil {
		t.convert = nil
		return t, nil
	}
	t.convert.tell(l, e.Name, e.Entities, "entity", "entities")
	return t, nil
}

// sort says what a component is, for messages.
func (e *componentEntry) sort() string {
	if e.Relation {
		return "relation"
	}
	return "component"
}

// find returns the number that a component has in the world, or -1. The mark of prefabs may have to
// be made.
func (l *saveLoader) find(e *componentEntry, name string) int {
	i := slices.IndexFunc(l.state.Components, func(c capture.Component) bool {
		return c.Mark && e.Mark || c.Mark == e.Mark && c.Relation == e.Relation && c.Schema.Name == name
	})
	if i < 0 && e.Mark {
		i = len(l.state.Components)
		l.state.Components = append(l.state.Components, capture.Component{Schema: &ecs.Schema{Align: 1}, Mark: true})
	}
	return i
}

// savedShape is the shape of values as a save has them: the hidden bytes come last.
func savedShape(s *ecs.Schema, hidden int) *columnar {
	var runs []piece
	if hidden > 0 {
		runs = []piece{{int(s.Size), hidden}}
	}
	h := newShape(s, runs)
	h.size = (int(s.Size) + hidden + 7) &^ 7
	return h
}

// conversion makes values of the world out of those of a save.
type conversion struct {
	*schema.Conversion
	from, now *columnar
	hidden    bool // bytes that are in no field are kept
	drops     []string
	migrate   ecs.Convert
}

// conversion works out how values are converted.
func (l *saveLoader) conversion(old, now *ecs.Schema, from, to *columnar) *conversion {
	c := &conversion{Conversion: schema.NewConversion(old, now), from: from, now: to}
	c.hidden = from.hidden() == to.hidden()
	if l.options.Drops != nil {
		c.drops = l.options.Drops(old, now)
	}
	if l.options.Migrate != nil {
		c.migrate = l.options.Migrate(old, now)
	}
	return c
}

// tell notes what becomes of values.
func (c *conversion) tell(l *saveLoader, name string, n int, one, many string) {
	if n == 0 {
		return
	}
	parts := []string{fmt.Sprintf("%s: %s", name, count(n, one, many))}
	for _, f := range c.Added {
		parts = append(parts, "new field "+f.Name)
	}
	for _, k := range c.Kept {
		if k.From.Kind != k.To.Kind {
			parts = append(parts, fmt.Sprintf("field %s from %s to %s", k.To.Name, k.From.Kind, k.To.Kind))
		}
	}
	lost := false
	for _, field := range c.Lost {
		switch {
		case slices.Contains(c.drops, field):
			parts = append(parts, fmt.Sprintf("field %s dropped", field))
		case c.migrate == nil:
			lost = true
			parts = append(parts, fmt.Sprintf("field %s would be lost", field))
		}
	}
	if !c.hidden && c.from.hidden() > 0 {
		lost = true
		parts = append(parts, "fields that are not exported would be lost")
	}
	if c.migrate != nil {
		parts = append(parts, fmt.Sprintf("migrated from version %d", c.Old.Version))
	}
	l.note(name, n, lost, "%s", strings.Join(parts, ", "))
}

// apply converts n values: the entity of each is in handles, 0 for events.
func (c *conversion) apply(to, from []byte, handles []uint64, n int) error {
	for i := range n {
		src, dst := from[i*c.from.size:], to[i*c.now.size:(i+1)*c.now.size]
		copy(dst, c.Now.Default)
		at, now := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
		c.Apply(at, now)
		if h := c.from.hidden(); c.hidden && h > 0 {
			c.now.leaves[len(c.now.leaves)-1].scatter(dst, src[c.Old.Size:], c.now.size, 1)
		}
		if c.migrate == nil {
			continue
		}
		e := ecs.Entity(0)
		if handles != nil {
			e = ecs.Entity(handles[i])
		}
		if err := c.migrate(e, at, now); err != nil {
			return fmt.Errorf("%v: %w", e, err)
		}
	}
	return nil
}

// values makes n values of columns, which are the buffers of a shape of the save.
func (t *destination) values(buffers [][]byte, handles []uint64, n int) ([]byte, error) {
	to := capture.Bytes(make([]uint64, (n*t.now.size+7)/8))[:n*t.now.size]
	if t.convert == nil {
		scatterAll(t.now, to, buffers, n)
		return to, nil
	}
	old := capture.Bytes(make([]uint64, (n*t.from.size+7)/8))
	scatterAll(t.from, old, buffers, n)
	return to, t.convert.apply(to, old, handles, n)
}

// scatterAll copies the buffers of a shape to values.
func scatterAll(h *columnar, to []byte, buffers [][]byte, n int) {
	for i, l := range h.data {
		if l >= 0 {
			h.leaves[l].scatter(to, buffers[i], h.size, n)
		}
	}
}
