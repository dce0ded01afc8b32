package ecs

import (
	"errors"
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/capture"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// Content returns what the image says, for files. Columns are those of the image; all else is copied.
func (im *image) Content() *capture.Content {
	c := &im.clock
	st := &capture.Content{
		Tag: im.tag, Seed: im.seed, Random: im.random.State(),
		Clock: capture.Clock{
			Tick: c.tick, Time: capture.Float(c.time), Owed: capture.Float(c.owed),
			Before: c.before, Moves: c.moves, AllMoves: c.allMoves, Runs: c.runs,
		},
	}
	im.stateOfSlots(st)
	im.stateOfRows(st)
	im.stateOfComponents(st)
	im.stateOfWatchers(st)
	for _, k := range im.streams {
		st.Streams = append(st.Streams, k.state())
	}
	for _, e := range im.deferred {
		st.Deferred = append(st.Deferred, uint64(e))
	}
	for i := range im.resources {
		r := &im.resources[i]
		st.Resources = append(st.Resources, capture.Resource{Type: r.saved.Type().Elem(), Name: r.name, Saved: r.saved.Interface()})
	}
	return st
}

// Declared returns what a program has declared in the world, as a state without entities: components,
// relations, event types, resources. It is what a save is held against. O(components).
func (r Raw) Declared() *capture.Content {
	w, im := r.world, &image{}
	st := &capture.Content{Tag: w.options.Tag, Seed: w.options.Seed}
	for _, c := range w.components {
		im.captureComponent(w, c)
	}
	for i := range im.components {
		k := &im.components[i]
		st.Components = append(st.Components, capture.Component{
			Schema: k.schema, Type: k.typ, Kept: capture.Storage(k.stored), Mark: k.mark, Relation: k.typ == linksType, Group: int(k.group),
		})
	}
	for _, r := range w.relations {
		st.Relations = append(st.Relations, capture.Relation{Component: int(r.id), Policy: uint8(r.options.OnDespawn)})
	}
	for _, t := range w.events.streams {
		st.Streams = append(st.Streams, capture.Stream{Schema: t.schema, Type: t.typ, Absent: true})
	}
	for _, key := range w.resources.list {
		saved := w.resources.find(key)
		st.Resources = append(st.Resources, capture.Resource{Type: reflect.TypeOf(saved).Elem(), Name: key.name, Saved: saved})
	}
	return st
}

// stateOfSlots lists the lives of the slots, and those that wait.
func (im *image) stateOfSlots(st *capture.Content) {
	s := &st.Slots
	s.Lives, s.Deaths = make([]uint32, 0, im.slots.Used), make([]uint32, 0, im.slots.Used)
	for i, page := range im.pages {
		records, deaths := slots.Parts(page.Bytes)
		s.Deaths = append(s.Deaths, deaths...)
		for j, r := range records {
			life := r.Life
			switch slot := i*slots.PageSlots + j; {
			case slot == 0:
				life = 0
			case life == 0:
				life = r.Row
			case r.Table == limbo:
				s.Reserved = append(s.Reserved, uint64(life)<<slots.IndexBits|uint64(slot))
			}
			s.Lives = append(s.Lives, life)
		}
	}
	for slot := im.slots.Head; len(s.Free) < im.slots.Free; {
		s.Free = append(s.Free, slot)
		records, _ := slots.Parts(im.pages[slot/slots.PageSlots].Bytes)
		slot = records[slot%slots.PageSlots].Chunk
	}
}

// stateOfRows lists the archetypes and the pools, with their chunks.
func (im *image) stateOfRows(st *capture.Content) {
	layouts := make([]int, limbo+1+len(im.archetypes))
	for _, t := range im.tables {
		layouts[t.archetype]++
	}
	k := 0
	for i := range im.archetypes {
		a := &im.archetypes[i]
		rows := capture.Rows{Components: a.mask.IDs(), Layouts: layouts[limbo+1+i]}
		k = im.stateOfChunks(&rows, a, k)
		st.Sets = append(st.Sets, rows)
	}
	pool := 0
	for id := range im.components {
		if im.components[id].stored == inArenaPool {
			rows := capture.Rows{Components: []uint32{uint32(id)}, Layouts: 1}
			k = im.stateOfChunks(&rows, &im.arenaPools[pool], k)
			st.Pools = append(st.Pools, rows)
			pool++
		}
	}
}

// stateOfChunks lists the chunks of an archetype, from the k-th of the image on, and returns where
// those of the next one begin.
func (im *image) stateOfChunks(to *capture.Rows, a *archetypeImage, k int) int {
	columns := 1
	for _, id := range to.Components {
		if im.components[id].schema.Size > 0 {
			columns++
		}
	}
	for _, c := range im.chunks[k : k+a.used] {
		chunk := capture.Chunk{Class: c.class, N: c.n}
		for _, column := range im.columns[c.first:][:columns] {
			chunk.Versions = append(chunk.Versions, column.version)
			if column.block != nil {
				chunk.Columns = append(chunk.Columns, column.block.Bytes)
			}
		}
		to.Chunks = append(to.Chunks, chunk)
	}
	for _, c := range im.chunks[k+a.used : k+a.used+a.spare] {
		to.Spare = append(to.Spare, c.class)
	}
	return k + a.used + a.spare
}

// stateOfComponents lists the components, and the values of those that are copied by their Go type.
func (im *image) stateOfComponents(st *capture.Content) {
	heap, pool := 0, 0
	for id := range im.components {
		k := &im.components[id]
		c := capture.Component{Schema: k.schema, Type: k.typ, Kept: capture.Storage(k.stored), Mark: k.mark, Group: int(k.group), InAll: k.inAll}
		c.Relation = pool < len(im.relations) && k.typ == linksType
		if c.Relation {
			st.Relations = append(st.Relations, capture.Relation{Component: id, Policy: uint8(im.relations[pool].policy)})
			pool++
		}
		st.Components = append(st.Components, c)
		if k.stored != inHeapPool && k.stored != inStorage {
			continue
		}
		h := &im.heapPools[heap]
		heap++
		handles, data := h.values.list()
		st.Heaps = append(st.Heaps, capture.Typed{Component: id, Version: h.version, Handles: rawHandles(handles), Data: data})
	}
}

// rawHandles returns handles as numbers.
func rawHandles(list []Entity) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// stateOfWatchers lists what queries have seen, the past of systems and observers, and what waits for
// these.
func (im *image) stateOfWatchers(st *capture.Content) {
	for i := range im.looks {
		k := &im.looks[i]
		look := capture.Look{Number: k.number, Changed: rawIDs(k.changed), Since: k.since, Added: rawIDs(k.added)}
		for _, n := range k.entries {
			look.Entities, look.Which = append(look.Entities, uint64(n.entity)), append(look.Which, n.which)
		}
		st.Looks = append(st.Looks, look)
	}
	for i := range im.systems {
		k := &im.systems[i]
		st.Systems = append(st.Systems, capture.System{
			Breaker: k.state(), Elapsed: capture.Float(k.elapsed), Phase: capture.Float(k.phase),
			Runs: k.runs, Skipped: k.skipped, Disabled: k.disabled,
		})
	}
	for i := range im.watchers {
		st.Watchers = append(st.Watchers, im.watchers[i].state())
	}
	n := &im.notices
	for i := range n.queue {
		q := &n.queue[i]
		notice := capture.Notice{
			Trigger: uint8(q.Trigger), Component: uint32(q.Component), Entity: uint64(q.Entity),
			Passed: slices.Clone(n.passed[q.from:q.to]), Kept: q.kept,
		}
		if q.at > 0 {
			size := im.components[q.Component].schema.Size
			notice.Value = unsafe.Slice((*byte)(unsafe.Pointer(&n.data[q.at-1])), size)
		}
		st.Notices = append(st.Notices, notice)
	}
}

// rawIDs returns numbers of components as they are in files.
func rawIDs(ids []ComponentID) []uint32 {
	list := make([]uint32, len(ids))
	for i, id := range ids {
		list[i] = uint32(id)
	}
	return list
}

// state returns the health for files.
func (k *breakerImage) state() capture.Breaker {
	h := &k.health
	b := capture.Breaker{
		Name: k.name, State: uint8(h.state), Failures: h.failures, Total: h.total,
		Wait: capture.Float(h.wait), RetryAt: capture.Float(h.retryAt), Since: capture.Float(h.since),
	}
	for _, at := range h.burst {
		b.Burst = append(b.Burst, capture.Float(at))
	}
	for _, f := range h.recent {
		failure := capture.Failure{Tick: f.Tick, Time: capture.Float(f.Time)}
		if f.Err != nil {
			failure.Text = f.Err.Error()
		}
		b.Recent = append(b.Recent, failure)
	}
	return b
}

// read takes the health that was saved.
func (k *breakerImage) read(b *capture.Breaker) {
	k.name = b.Name
	k.health = health{
		state: Health(b.State), failures: b.Failures, total: b.Total,
		wait: float64(b.Wait), retryAt: float64(b.RetryAt), since: float64(b.Since),
	}
	for _, at := range b.Burst {
		k.health.burst = append(k.health.burst, float64(at))
	}
	for _, f := range b.Recent {
		k.health.recent = append(k.health.recent, Failure{f.Tick, float64(f.Time), errors.New(f.Text)})
	}
}

// state returns the stream for files.
func (k *streamImage) state() capture.Stream {
	s := capture.Stream{
		Schema: k.schema, Data: k.data, Events: k.keep.Events, Ticks: k.keep.Ticks, First: k.first, Sent: k.sent, Ends: k.ends,
	}
	for _, r := range k.readers {
		s.Readers = append(s.Readers, capture.Reader{Number: r.number, Name: r.name, Next: r.next, Lost: r.lost, Lagging: r.behind})
	}
	for i := range k.subscribers {
		s.Subscribers = append(s.Subscribers, k.subscribers[i].state())
	}
	return s
}

// typesBrought are the components and events of a state that the world does not have: the restore defines them, and
// whoever only looks whether it could leaves no trace of them.
type typesBrought struct {
	components []capture.Component
	events     []capture.Stream
}

// typesOf returns the types of a state that are new to its world.
func typesOf(state *capture.Content) (b typesBrought) {
	for i := range state.Components {
		if state.Components[i].New {
			b.components = append(b.components, state.Components[i])
		}
	}
	for i := range state.Streams {
		if state.Streams[i].New {
			b.events = append(b.events, state.Streams[i])
		}
	}
	return b
}

// define defines them. The function that it returns takes them back, with a mark and a bound on rows that were made after
// that, also where there are no such types: nothing may have such a component, or have emitted such an event, by then.
func (b *typesBrought) define(w *World) (takeBack func(), err error) {
	takeBack = w.declarations()
	for i := range b.components {
		c := &b.components[i]
		if _, known := w.names[c.Schema.Name]; known || c.Type != nil || c.Kept > capture.InArenaPool {
			return takeBack, wrong("component %q is not new to this world, or cannot be", c.Schema.Name)
		}
		if _, err := w.define(*c.Schema, c.Kept == capture.InArenaPool); err != nil {
			return takeBack, err
		}
	}
	for i := range b.events {
		if err := b.event(w, b.events[i].Schema); err != nil {
			return takeBack, err
		}
	}
	return takeBack, nil
}

// event defines one event.
func (b *typesBrought) event(w *World, schema *Schema) error {
	if _, known := w.events.names[schema.Name]; known {
		return wrong("event %q is not new to this world", schema.Name)
	}
	_, err := w.defineEvent(*schema)
	return err
}

// declarations notes what is declared. The function that it returns takes back the components and events without rules
// that were defined since, and the bound on the rows that were described since. O(those).
func (w *World) declarations() (takeBack func()) {
	components, pools, data, streams, widest := len(w.components), len(w.pools), len(w.dataPools), len(w.events.streams), w.widest
	return func() {
		w.widest = widest
		for _, c := range w.components[components:] {
			if c == w.mark {
				w.mark = nil
			} else {
				delete(w.names, c.schema.Name)
			}
		}
		for _, t := range w.events.streams[streams:] {
			delete(w.events.names, t.schema.Name)
		}
		w.components = cut(w.components, components)
		w.pools, w.dataPools = cut(w.pools, pools), cut(w.dataPools, data)
		w.events.streams = cut(w.events.streams, streams)
	}
}

// cut shortens a list, and lets go of what was there.
func cut[T any](list []T, n int) []T {
	clear(list[n:])
	return list[:n]
}
