package ecstest

import (
	"errors"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// Do applies one operation to the world and the model and compares the answers.
func (tw *Twin) Do(t T, op Op) {
	t.Helper()
	before := slices.Clone(tw.Model.order)
	tw.Model.clock++
	tw.do(t, op)
	tw.bury(before)
	if err := tw.compareCalls(); err != nil {
		t.Fatalf("%v: %v", op, err)
	}
}

func (tw *Twin) do(t T, op Op) {
	t.Helper()
	switch op.Kind % KindCount {
	case Spawn:
		tw.spawn(t, op)
	case SpawnMany:
		for range 20 {
			tw.spawn(t, op)
		}
	case SpawnPrefab:
		tw.prefab(t, op)
	case Despawn, Add, Remove, SetParent, MakeRoot, Reset:
		tw.change(t, op)
	case Edit:
		tw.edit(t, op)
	case Apply:
		tw.apply(t, op)
	case Drop:
		tw.commands.Drop()
		tw.Model.Drop()
		tw.mark = mark{}
	case MarkCommands:
		tw.mark = tw.markCommands(tw.commands)
	case RewindCommands:
		tw.rewind(t, op)
	case Migrate:
		tw.migrate(t, op)
	case Look:
		tw.look(t, op)
	case Refused:
		tw.refused(t, op)
	case OpenReader, CloseReader, ReadEvents, RewindReader:
		tw.boxes[op.B%2].do(t, op)
	case Step, System:
		tw.step(t, op)
	case Compact:
		tw.World.Compact()
	case Relate:
		tw.relate(t, op)
	case Traverse:
		tw.traverse(t, op)
	case Transfer:
		tw.transfer(t, op)
	case MarkPrefab:
		tw.markPrefab(t, op)
	case Instantiate:
		tw.instantiate(t, op)
	case SetPolicy:
		tw.setPolicy(op)
	case SpawnRun, Exchange, Copy, Reserve, DespawnLater, Flush, DespawnAll, ExchangeAll, Grow, Quiet:
		tw.several(t, op)
	case Seek:
		tw.seek(t, op)
	case LookSorted:
		tw.lookSorted(t, op)
	case SortPool:
		tw.sortPool(t, op)
	case Group:
		tw.group(t, op)
	default:
		tw.record(t, tw.commands, op)
		if tw.tight { // one command at a time: then a refusal says which
			tw.apply(t, op)
		}
	}
}

func (tw *Twin) spawn(t T, op Op) {
	t.Helper()
	if tw.World.Len() >= crowd {
		return
	}
	vs := tw.given(op)
	e, err := tw.World.TrySpawn(tw.values(vs)...)
	if tw.full(err) {
		return
	}
	_, want := tw.Model.complete(nil, nil, vs)
	if agree(t, op, err, want); err == nil {
		tw.settle(t, op, e, vs)
	}
}

// prefab makes a family of four: a root, two children, a grandchild.
func (tw *Twin) prefab(t T, op Op) {
	t.Helper()
	if tw.World.Len() >= crowd {
		return
	}
	vs := tw.given(op)
	child := ecs.Prefab{Values: tw.values([]given{{0, 1}})}
	p := ecs.Prefab{Values: tw.values([]given{{0, 5}, {4, 5}}), Children: []ecs.Prefab{
		{Values: tw.values([]given{{7, 3}}), Children: []ecs.Prefab{child}}, child,
	}}
	root, err := tw.World.SpawnPrefab(&p, tw.values(vs)...)
	_, want := tw.Model.complete(nil, nil, append([]given{{0, 5}, {4, 5}}, vs...))
	if err != nil {
		tw.calls = nil // of those that were made and ended again
	}
	if tw.full(err) {
		return
	}
	if agree(t, op, err, want); err != nil {
		return
	}
	family := slices.Collect(tw.World.Children(root))
	if len(family) != 2 || len(slices.Collect(tw.World.Children(family[0]))) != 1 {
		t.Fatalf("%v: the prefab's root has the children %v", op, family)
	}
	grandchild := slices.Collect(tw.World.Children(family[0]))[0]
	tw.settle(t, op, root, append([]given{{0, 5}, {4, 5}}, vs...))
	tw.settle(t, op, family[0], []given{{7, 3}})
	tw.settle(t, op, grandchild, []given{{0, 1}})
	agree(t, op, tw.Model.SetParent(grandchild, family[0]), nil)
	agree(t, op, tw.Model.SetParent(family[0], root), nil)
	tw.settle(t, op, family[1], []given{{0, 1}})
	agree(t, op, tw.Model.SetParent(family[1], root), nil)
}

func (tw *Twin) settle(t T, op Op, e ecs.Entity, vs []given) {
	t.Helper()
	agree(t, op, tw.Model.Reserve(e), nil)
	agree(t, op, tw.Model.settle(e, vs), nil)
}

// change makes one change directly.
func (tw *Twin) change(t T, op Op) {
	t.Helper()
	w, m, e := tw.World, tw.Model, tw.pick(op.A)
	var err error
	var want func() error
	switch op.Kind {
	case Despawn:
		err, want = w.Despawn(e), func() error { return m.Despawn(e) }
	case Add:
		vs := tw.given(op)
		err, want = w.Add(e, tw.values(vs)...), func() error { return m.Add(e, vs) }
	case Remove:
		ks := op.kindsOf(len(tw.kinds))
		err, want = w.Remove(e, tw.ids(ks)...), func() error { return m.Remove(e, ks) }
	case SetParent:
		parent := tw.pick(op.B)
		err, want = w.SetParent(e, parent), func() error { return m.SetParent(e, parent) }
	case MakeRoot:
		err, want = w.SetParent(e, 0), func() error { return m.SetParent(e, 0) }
	case Reset:
		if op.A%16 != 0 { // a reset ends all that the operations before built
			return
		}
		err, want = w.Reset(), func() error { m.Reset(); return nil }
	}
	if !tw.full(err) {
		agree(t, op, err, want())
	}
}

func (tw *Twin) edit(t T, op Op) {
	t.Helper()
	k := int(op.C) % len(tw.kinds)
	e := tw.pick(op.A)
	p := tw.World.Edit(e, tw.kinds[k].id)
	if (p != nil) != tw.Model.Edit(e, k, int(op.D)) {
		t.Fatalf("%v: Edit of kind %d of %v gave %v", op, k, e, p)
	}
	if p != nil {
		tw.kinds[k].write(p, int(op.D))
	}
}

// record adds a command to c and its meaning to the model.
func (tw *Twin) record(t T, c *ecs.Commands, op Op) {
	t.Helper()
	m, e := tw.Model, tw.pick(op.A)
	var do func() error
	switch op.Kind {
	case RecordSpawn:
		do = tw.recordSpawn(t, c, op)
	case RecordDespawn:
		c.Despawn(e)
		do = func() error { return m.Despawn(e) }
	case RecordAdd:
		vs := tw.given(op)
		c.Add(e, tw.values(vs)...)
		do = m.unlessDated(vs, e, func() error { return m.Add(e, vs) })
	case RecordRemove:
		k := int(op.C) % len(tw.kinds)
		c.Remove(e, tw.kinds[k].id)
		do = func() error { return m.Remove(e, []int{k}) }
	case RecordPatch:
		do = tw.recordPatch(c, e, op)
	case RecordParent:
		parent := tw.pick(op.B)
		c.SetParent(e, parent)
		do = func() error { return m.SetParent(e, parent) }
	case RecordRelate:
		target, r := tw.pick(op.B), int(op.C)%len(tw.relations)
		c.Relate(tw.relations[r], e, target)
		do = func() error { return m.Relate(r, e, target, -1) }
	case RecordExchange:
		vs, remove := tw.given(op), Op{B: op.A, C: op.D}.kindsOf(len(tw.kinds))
		c.Exchange(e, tw.ids(remove), tw.values(vs)...)
		do = m.unlessDated(vs, e, func() error { return m.Exchange(e, remove, vs) })
	case RecordCopy:
		do = tw.recordCopy(t, c, e, op)
	case RecordLater:
		c.DespawnLater(e)
		do = func() error { return m.DespawnLater(e) }
	case RecordSend:
		do = tw.boxes[op.A%2].send(c, int(op.D))
	case RecordDo:
		c.Do(func(w *ecs.World) error { return w.Despawn(e) })
		do = func() error { return m.Despawn(e) }
	default:
		return
	}
	m.pending.do = append(m.pending.do, do)
}

func (tw *Twin) recordSpawn(t T, c *ecs.Commands, op Op) func() error {
	t.Helper()
	if tw.World.Len() >= crowd {
		return func() error { return nil }
	}
	vs := tw.given(op)
	e := c.Spawn(tw.values(vs)...)
	if e == 0 && tw.tight {
		return func() error { return nil }
	}
	agree(t, op, tw.Model.Reserve(e), nil)
	tw.Model.pending.reserved = append(tw.Model.pending.reserved, e)
	dated := tw.Model.dated(vs)
	return func() error {
		if tw.Model.things[e] == nil {
			return nil
		}
		err := dated()
		if err == nil {
			err = tw.Model.settle(e, vs)
		}
		if thing := tw.Model.things[e]; err != nil && !thing.placed {
			tw.Model.forget(e) // as if it had never been issued
		}
		return err
	}
}

// recordCopy is recordSpawn with what e has when the command is applied.
func (tw *Twin) recordCopy(t T, c *ecs.Commands, e ecs.Entity, op Op) func() error {
	t.Helper()
	if tw.World.Len() >= crowd {
		return func() error { return nil }
	}
	vs, m := tw.given(op), tw.Model
	copied := c.Copy(e, tw.values(vs)...)
	if copied == 0 && tw.tight {
		return func() error { return nil }
	}
	agree(t, op, m.Reserve(copied), nil)
	m.pending.reserved = append(m.pending.reserved, copied)
	dated := m.dated(vs)
	return func() error {
		if thing := m.things[copied]; thing == nil || thing.placed {
			return nil
		}
		has, err := m.copied(e)
		if err == nil {
			err = dated()
		}
		if err == nil {
			err = m.settle(copied, append(has, vs...))
		}
		if err != nil {
			m.forget(copied)
		}
		return err
	}
}

// recordPatch overwrites a whole value byte by byte; one with Go pointers must
// not be patched so.
func (tw *Twin) recordPatch(c *ecs.Commands, e ecs.Entity, op Op) func() error {
	k := int(op.C) % len(tw.kinds)
	if tw.kinds[k].heap {
		k = 0
	}
	n, size := int(op.D), tw.kinds[k].size
	words := make([]uint64, size/8+1)
	tw.kinds[k].write(unsafe.Pointer(&words[0]), n)
	c.Patch(e, tw.kinds[k].id, 0, unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size))
	dated := tw.Model.dated([]given{{kind: k}})
	return func() error {
		t := tw.Model.things[e]
		if err := dated(); err != nil {
			return err
		}
		if t == nil {
			return ecs.ErrDead
		}
		if _, ok := t.values[k]; !ok {
			// the default comes first, and observers hear of it
			if err := tw.Model.Add(e, []given{{k, tw.Model.kinds[k].def}}); err != nil {
				return err
			}
		}
		return tw.Model.Add(e, []given{{k, n}})
	}
}

func (tw *Twin) apply(t T, op Op) {
	t.Helper()
	tw.mark = mark{}
	err := tw.commands.Apply()
	if tw.full(err) {
		tw.Model.Drop()
		return
	}
	agreeAll(t, op, err, tw.Model.Apply())
}

// agreeAll demands that joined errors are those of the model, whatever number of
// each there is.
func agreeAll(t T, op Op, got error, want []error) {
	t.Helper()
	for _, s := range []error{ecs.ErrCycle, ecs.ErrConflict, ecs.ErrRange} {
		if errors.Is(got, s) != slices.Contains(want, s) {
			t.Fatalf("%v: the world answered %v, the model %v", op, got, want)
		}
	}
	if got != nil && len(want) == 0 {
		t.Fatalf("%v: the world answered %v, the model nothing", op, got)
	}
}
