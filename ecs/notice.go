package ecs

import "unsafe"

// notices waits between a change and its observers.
//
// Invariant: between deliveries, causes, unseen and cause are empty; with the
// queue, data and passed are empty too.
type notices struct {
	any      Trigger    // all that anybody watches for
	watch    Trigger    // OnSpawn and OnDespawn of it
	filtered bool       // some observer has a Query
	watchers []*watcher // replaced, not changed: tellAll may be walking it
	queue    []queued
	data     []uint64
	passed   []*watcher // whose query matched just before a removal

	causes []cause
	cause  int32            // of what changes now: 1 + index in causes
	unseen map[absence]bool // what came, and was not told because it had gone
}

type queued struct {
	Notice
	at       uint32 // 1 + index of the removed value in data
	from, to uint32 // of passed
	cause    int32  // 1 + index in causes; 0 is not an observer's doing
	kept     any    // the removed value, if it holds Go pointers
}

// cause is an observer that was told of something and changed something.
type cause struct {
	by *watcher
	up int32 // the cause of what it was told of
}

// absence is something that came and went: a component of an entity, or the
// entity. For one observer only if another one made it go.
type absence struct {
	to        *watcher // nil for all
	entity    Entity
	component ComponentID
	whole     bool
}

func (n *Notice) absence(to *watcher) absence {
	if n.Trigger&(OnSpawn|OnDespawn) != 0 {
		return absence{to, n.Entity, 0, true}
	}
	return absence{to, n.Entity, n.Component, false}
}

// notice queues a change if anybody watches for it, before it is made. old is
// the value that is about to be removed.
func (w *World) notice(on Trigger, id ComponentID, e Entity, old unsafe.Pointer) {
	watch := w.notices.watch
	if on&(OnSpawn|OnDespawn) == 0 {
		c := w.components[id]
		if watch = c.observed; on == OnAdd && len(c.added) > 0 {
			c.noteAdded(w, e)
		}
	}
	if watch&on == 0 {
		return
	}
	q := queued{Notice: Notice{Trigger: on, Component: id, Entity: e}, cause: w.notices.cause}
	if old != nil {
		w.keepOld(&q, old)
	}
	if w.notices.filtered && on&(OnRemove|OnDespawn) != 0 {
		w.notices.pass(&q)
	}
	w.notices.queue = append(w.notices.queue, q)
}

// pass asks the observers' queries while the entity is still what it was.
func (n *notices) pass(q *queued) {
	q.from = uint32(len(n.passed))
	for _, o := range n.watchers {
		if o.Query != nil && o.cares(&q.Notice) && o.Query.Matches(q.Entity) {
			n.passed = append(n.passed, o)
		}
	}
	q.to = uint32(len(n.passed))
}

func (w *World) keepOld(q *queued, old unsafe.Pointer) {
	c := w.components[q.Component]
	if heap, ok := c.pool.(heapStored); ok {
		q.kept = heap.clone(old)
		return
	}
	n := &w.notices
	at := len(n.data)
	for range c.size/8 + 1 {
		n.data = append(n.data, 0)
	}
	copyBytes(unsafe.Pointer(&n.data[at]), old, c.size)
	q.at = uint32(at + 1)
}

// waiting is how much waits to be told.
type waiting struct{ queue, data, passed int }

func (n *notices) waiting() waiting { return waiting{len(n.queue), len(n.data), len(n.passed)} }

// cut takes back what has come since so much was waiting.
func (n *notices) cut(to waiting) {
	clear(n.queue[to.queue:])
	clear(n.passed[to.passed:])
	n.queue, n.data, n.passed = n.queue[:to.queue], n.data[:to.data], n.passed[:to.passed]
}

// forget empties everything that waits, old values included.
func (n *notices) forget() {
	clear(n.queue)
	clear(n.passed)
	clear(n.causes)
	clear(n.unseen)
	n.queue, n.data, n.passed, n.causes = n.queue[:0], n.data[:0], n.passed[:0], n.causes[:0]
}
