package ecs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"
)

const (
	// maxRounds is how often the commands of observers may trigger observers
	// again before that counts as a storm.
	maxRounds = 64
	// maxGrowth and maxWaiting bound what waits: observers that answer one change
	// with two would fill the memory long before the last round.
	maxGrowth  = 16
	maxWaiting = 1 << 16
	// maxChains is how many chains the error names.
	maxChains = 3
)

// deliver tells observers what has happened, and what their answers caused,
// until nothing is left to tell.
func (w *World) deliver(t *Tick) error {
	n := &w.notices
	if len(n.queue) == 0 {
		return nil
	}
	var errs []error
	limit := maxGrowth*len(n.queue) + maxWaiting
	for round := 1; len(n.queue) > 0; round++ {
		told, count := 0, len(n.queue)
		for ; told < count && len(n.queue)-count <= limit; told++ {
			if err := w.notifyAll(t, told); err != nil {
				errs = append(errs, err)
			}
		}
		n.queue = slices.Delete(n.queue, 0, told)
		if told < count || round == maxRounds && len(n.queue) > 0 {
			errs = append(errs, n.storm(round))
			break
		}
	}
	n.forget()
	return errors.Join(errs...)
}

// notifyAll gives the i-th notice to those who watch for it.
func (w *World) notifyAll(t *Tick, i int) error {
	n := &w.notices
	if !w.current(&n.queue[i].Notice, nil) {
		return nil
	}
	var errs []error
	for _, o := range n.watchers {
		q := &n.queue[i] // telling may move the queue
		if !o.cares(&q.Notice) || !n.matches(o, q) || !w.current(&q.Notice, o) {
			continue
		}
		if err := w.notify(t, o, q); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// matches asks the observer's query.
func (n *notices) matches(o *watcher, q *queued) bool {
	switch {
	case o.Query == nil:
		return true
	case q.Trigger&(OnRemove|OnDespawn) != 0:
		return slices.Contains(n.passed[q.from:q.to], o)
	}
	return o.Query.Matches(q.Entity)
}

// current reports whether a notice is to be told, to one observer or, with nil,
// at all. What came must still be there; if it is not, its end is not told.
func (w *World) current(n *Notice, to *watcher) bool {
	unseen := w.notices.unseen
	switch n.Trigger {
	case OnSet:
		return w.has(n.Entity, n.Component)
	case OnAdd, OnSpawn:
		if n.Trigger == OnAdd && w.has(n.Entity, n.Component) || n.Trigger == OnSpawn && w.Alive(n.Entity) {
			return true
		}
		if unseen == nil {
			unseen = map[absence]bool{}
			w.notices.unseen = unseen
		}
		unseen[n.absence(to)] = true
		return false
	}
	if gone := n.absence(to); unseen[gone] {
		delete(unseen, gone)
		return false
	}
	return true
}

func (w *World) notify(t *Tick, o *watcher, q *queued) error {
	n, note := &w.notices, q.Notice
	if q.kept != nil {
		note.Old = w.components[q.Component].pool.(heapStored).address(q.kept)
	} else if q.at > 0 {
		note.Old = unsafe.Pointer(&n.data[q.at-1])
	}
	before, up := len(n.queue), q.cause
	n.cause = int32(len(n.causes) + 1)
	err := w.schedule.guard(t, o.Name, &o.health, func() error { return o.Run(t, note) })
	if n.cause = 0; len(n.queue) > before {
		n.causes = append(n.causes, cause{o, up})
	}
	return err
}

// storm says who triggered whom, as far as changes are left that nobody was told.
func (n *notices) storm(rounds int) error {
	var chains []string
	for i := range n.queue[:min(len(n.queue), maxWaiting)] {
		for _, o := range n.watchers {
			if len(chains) == maxChains || !o.cares(&n.queue[i].Notice) {
				continue
			}
			if c := n.chain(o, n.queue[i].cause); !slices.Contains(chains, c) {
				chains = append(chains, c)
			}
		}
	}
	return fmt.Errorf("%w: %s; after %d rounds %d changes were not told", ErrStorm, strings.Join(chains, ", "), rounds, len(n.queue))
}

// chain names the observers that led to one being told: from the first that
// comes up twice, or from the beginning if none does.
func (n *notices) chain(o *watcher, up int32) string {
	path := []string{fmt.Sprintf("%q", o.Name)}
	for again := false; up > 0 && !again; up = n.causes[up-1].up {
		name := fmt.Sprintf("%q", n.causes[up-1].by.Name)
		again = slices.Contains(path, name)
		path = append(path, name)
	}
	slices.Reverse(path)
	return strings.Join(path, " → ")
}
