package twin

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// kept is a snapshot of the world, with what the model and the twin knew then.
type kept struct {
	world    *snapshot.Snapshot
	model    Model
	reuse    reuse
	dead     []ecs.Entity
	boxes    [2]mailbox
	looks    []lookKept
	checksum uint64
}

// lookKept is what is known of a query: when it was looked at, and what waits for it.
type lookKept struct {
	last int
	list []arrival
}

// Clone copies a team: a copy by assignment would share the names.
func (t team) Clone() team {
	t.Names = slices.Clone(t.Names)
	return t
}

// capture keeps the world in one of two places: into the memory of the snapshot that is there, or
// anew.
func (tw *Twin) capture(t T, op Op) {
	t.Helper()
	k := &tw.kept[op.A%2]
	if op.B%4 == 0 || k.world == nil {
		k.world = &snapshot.Snapshot{}
	}
	agree(t, op, k.world.Update(tw.World), nil)
	k.model, k.reuse, k.dead = tw.Model.copy(), tw.reuse.copy(), slices.Clone(tw.dead)
	k.checksum = tw.World.Checksum()
	for i := range tw.boxes {
		k.boxes[i] = tw.boxes[i].copy()
	}
	k.looks = k.looks[:0]
	for _, l := range tw.lookers {
		look := lookKept{last: l.last}
		if l.log != nil {
			look.list = slices.Clone(l.log.list)
		}
		k.looks = append(k.looks, look)
	}
	if n := k.world.Entities(); n != len(tw.Model.order) {
		t.Fatalf("%v: the snapshot has %d entities, the model %d", op, n, len(tw.Model.order))
	}
}

// restore makes the world what it was at a capture or, at times, another world.
func (tw *Twin) restore(t T, op Op) {
	t.Helper()
	k := &tw.kept[op.A%2]
	if k.world == nil {
		agree(t, op, snapshot.Restore(tw.World, k.world), ecs.ErrConflict)
		return
	}
	before := tw.World.Checksum()
	migrated := !slices.Equal(k.model.eras, tw.Model.eras) || k.boxes[1].era != tw.boxes[1].era
	if op.B%4 == 3 {
		tw.restoreElsewhere(t, op, k)
		return
	}
	err := snapshot.Restore(tw.World, k.world)
	if migrated {
		if err != nil {
			agree(t, op, err, ecs.ErrConflict)
		}
		if err != nil && tw.World.Checksum() != before {
			t.Fatalf("%v: a refused restore has changed the world", op)
		}
		if err != nil {
			return
		}
	}
	agree(t, op, err, nil)
	grouped := len(k.model.groups) != len(tw.Model.groups) // since: rows of pools are in another order
	if !grouped && tw.World.Checksum() != k.checksum {
		t.Fatalf("%v: the restored world has another checksum", op)
	}
	tw.back(t, op, k)
}

// back makes the model what it was. Of what belongs to the program, nothing changes: commands that
// were recorded are void, readers and queries stay.
func (tw *Twin) back(t T, op Op, k *kept) {
	t.Helper()
	tw.restored++
	m, was := tw.Model, k.model.copy()
	for e := range m.things {
		if was.things[e] == nil && tw.World.Alive(e) {
			t.Fatalf("%v: %v, which came later, is alive", op, e)
		}
	}
	m.things, m.newest, m.known, m.recent, m.order = was.things, was.newest, was.known, was.recent, was.order
	m.later, m.rules, m.prefabs, m.lost, m.reissued = was.later, was.rules, was.prefabs, nil, nil
	m.notes, m.pending, m.calls = was.notes, batch{}, nil // notes also where nobody observes: they may be captured again
	if m.touched != nil {
		for _, e := range m.order {
			m.touch(e)
		}
	}
	tw.reported.read(tw)
	tw.reuse, tw.dead, tw.mark, tw.reused = k.reuse.copy(), slices.Clone(k.dead), mark{}, false
	for i := range tw.boxes {
		tw.boxes[i].back(&k.boxes[i])
	}
	for i, l := range tw.lookers {
		l.last = k.looks[i].last
		if l.log != nil {
			l.log.list = slices.Clone(k.looks[i].list)
		}
	}
	recorded := tw.commands.Len() > 0 || tw.commands.Spawned() > 0
	if err := tw.commands.Apply(); recorded != errors.Is(err, ecs.ErrConflict) {
		t.Fatalf("%v: commands of before are recorded: %v; applying them answered %v", op, recorded, err)
	}
}

// restoreElsewhere restores a snapshot into a world of the same program that was opened for it.
func (tw *Twin) restoreElsewhere(t T, op Op, k *kept) {
	t.Helper()
	options := tw.options
	options.Tag = k.world.Tag()
	w, err := ecs.Open(options)
	if err != nil {
		t.Fatalf("%v: opening another world: %v", op, err)
	}
	defer w.Close()
	var calls []call
	all, _ := ruled(w, kinds(w), &calls, tw.Model.removeHooks)
	finish(w, all)
	if _, err = relations(w); err == nil {
		_, err = openBoxes(w)
	}
	if err != nil {
		t.Fatalf("%v: preparing another world: %v", op, err)
	}
	if op.B%8 == 7 && slices.Max(k.model.eras) == 0 && k.boxes[1].era == 0 {
		err = throughFile(w, k.world)
	} else {
		err = snapshot.Restore(w, k.world)
	}
	if slices.Max(k.model.eras) > 0 || k.boxes[1].era > 0 {
		if err != nil {
			agree(t, op, err, ecs.ErrConflict)
			return
		}
	}
	agree(t, op, err, nil)
	if err := w.Check(); err != nil {
		t.Fatalf("%v: check of another world: %v", op, err)
	}
	if w.Checksum() != k.checksum {
		t.Fatalf("%v: another world has another checksum", op)
	}
	if len(calls) > 0 {
		t.Fatalf("%v: hooks were called for a restore: %v", op, calls)
	}
}

// throughFile restores a snapshot by way of a save.
func throughFile(w *ecs.World, s *snapshot.Snapshot) error {
	var b bytes.Buffer
	if err := save.Write(&b, s, save.Options{}); err != nil {
		return err
	}
	f, err := save.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return err
	}
	_, err = f.Load(w, save.LoadOptions{})
	return err
}

// copy returns a model that shares nothing with this one that changes.
func (m *Model) copy() Model {
	c := *m
	c.things = map[ecs.Entity]*modelEntity{}
	for e, t := range m.things {
		known := t.clone()
		known.values, known.touched = maps.Clone(t.values), maps.Clone(t.touched)
		c.things[e] = known
	}
	c.newest, c.known = maps.Clone(m.newest), maps.Clone(m.known)
	c.recent, c.order, c.notes, c.later = slices.Clone(m.recent), slices.Clone(m.order), slices.Clone(m.notes), slices.Clone(m.later)
	c.rules, c.eras = slices.Clone(m.rules), slices.Clone(m.eras)
	c.pending, c.lost, c.reissued, c.calls = batch{}, nil, nil, nil
	return c
}

// copy returns the same rule about the same slots.
func (r *reuse) copy() reuse {
	c := *r
	c.waiting = slices.Clone(r.waiting)
	for i := range c.waiting {
		c.waiting[i] = maps.Clone(c.waiting[i])
	}
	c.passed = maps.Clone(r.passed)
	return c
}

// copy returns the same mailbox, with copies of what is known of its readers.
func (m *mailbox) copy() mailbox {
	c := *m
	c.sent, c.readers = slices.Clone(m.sent), slices.Clone(m.readers)
	for i, s := range c.readers {
		known := *s
		c.readers[i] = &known
	}
	return c
}

// back makes the mailbox what it was. Readers that were opened later get what is sent from now on.
func (m *mailbox) back(was *mailbox) {
	m.sent, m.first, m.ended = slices.Clone(was.sent), was.first, was.ended
	for _, s := range m.readers {
		s.next = m.end()
		for _, o := range was.readers {
			if o.reader == s.reader {
				s.next = o.next
			}
		}
	}
}
