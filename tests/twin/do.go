package twin

import (
	"errors"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// Do applies one operation to the world and to the model, and compares their results and
// errors.
func (tw *Twin) Do(t T, op Op) {
	t.Helper()
	tw.Model.clock++
	tw.turn = tw.Model.clock
	tw.do(t, op)
	if err := tw.bury(); err != nil {
		t.Fatalf("%v: %v", op, err)
	}
	if err := tw.compareCalls(); err != nil {
		t.Fatalf("%v: %v", op, err)
	}
	if err := tw.followAll(op); err != nil {
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
	case Capture:
		tw.capture(t, op)
	case Restore:
		tw.restore(t, op)
	case Look:
		tw.look(t, op)
	case Refused:
		tw.refused(t, op)
	case OpenReader, CloseReader, ReadEvents, RewindReader:
		tw.boxes[op.B%2].do(t, op)
	case Step, System:
		tw.step(t, op)
	case Compact:
		tw.compact(op)
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
		tw.setPolicy(t, op)
	case SpawnRun, Exchange, Copy, Reserve, DespawnLater, Flush, DespawnAll, ExchangeAll, Grow, Quiet:
		tw.several(t, op)
	case Lookup:
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
	if tw.World.Len() >= tw.crowd {
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
	if tw.World.Len() >= tw.crowd {
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
		err, want = w.Remove(e, tw.refs(ks)...), func() error { return m.Remove(e, ks) }
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
	p := tw.World.Raw().Edit(e, tw.kinds[k].id)
	if (p != nil) != tw.Model.Edit(e, k, int(op.D)) {
		t.Fatalf("%v: Edit of kind %d of %v gave %v", op, k, e, p)
	}
	if p != nil {
		tw.kinds[k].write(p, int(op.D))
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

// agreeAll demands that the joined errors are those of the model; how often each occurs
// does not matter.
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
	if got == nil && len(want) > 0 {
		t.Fatalf("%v: the world answered nothing, the model %v", op, want)
	}
}
