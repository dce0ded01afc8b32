package twin

import (
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// Exchange removes kinds from e and gives it values; what is given stays.
func (m *Model) Exchange(e ecs.Entity, remove []int, values []given) error {
	t := m.things[e]
	switch {
	case t == nil:
		return gone(e)
	case !t.placed:
		return m.settle(e, values)
	}
	values, err := m.complete(t, remove, values)
	if err != nil {
		return err
	}
	kept := func(k int) bool { return slices.ContainsFunc(values, func(v given) bool { return v.kind == k }) }
	m.Remove(e, slices.DeleteFunc(slices.Clone(remove), kept))
	m.give(e, t, values)
	return nil
}

// copied returns what a copy of e is given: columns first, then pools.
func (m *Model) copied(e ecs.Entity) ([]given, error) {
	t, err := m.find(e)
	if err != nil {
		return nil, err
	}
	var vs []given
	for _, pooled := range []bool{false, true} {
		for k, p := range m.pooled {
			if n, ok := t.values[k]; ok && p == pooled {
				vs = append(vs, given{k, n})
			}
		}
	}
	return vs, nil
}

// DespawnLater remembers e for Flush.
func (m *Model) DespawnLater(e ecs.Entity) error {
	if m.things[e] == nil {
		return gone(e)
	}
	if !slices.Contains(m.later, e) {
		m.later = append(m.later, e)
	}
	return nil
}

// Flush ends the remembered entities that live. An entity whose death is refused lives on.
func (m *Model) Flush() (n int, errs []error) {
	for _, e := range m.later {
		if m.things[e] == nil {
			continue
		}
		n++
		if err := m.Despawn(e); err != nil {
			errs = append(errs, err)
		}
	}
	m.later = nil
	return n, errs
}

// several applies an operation on more than one entity, or more than one component.
func (tw *Twin) several(t T, op Op) {
	t.Helper()
	switch op.Kind {
	case SpawnRun:
		tw.spawnRun(t, op)
	case Exchange:
		e, vs := tw.pick(op.A), tw.given(op)
		remove := Op{B: op.A, C: op.D}.kindsOf(len(tw.kinds))
		err := tw.World.Exchange(e, tw.refs(remove), tw.values(vs)...)
		if !tw.full(err) {
			agree(t, op, err, tw.Model.Exchange(e, remove, vs))
		}
	case Copy:
		tw.copy(t, op)
	case Reserve:
		tw.reserve(t, op)
	case DespawnLater:
		e := tw.pick(op.A)
		agree(t, op, tw.World.DespawnLater(e), tw.Model.DespawnLater(e))
	case Flush:
		n, err := tw.World.FlushDespawns()
		want, errs := tw.Model.Flush()
		agreeAll(t, op, err, errs)
		tw.counted(t, op, n, want)
	case DespawnAll:
		tw.despawnAll(t, op)
	case ExchangeAll:
		tw.exchangeAll(t, op)
	case Grow:
		tw.grow(t, op)
	case Quiet:
		tw.quiet(t, op)
	}
}

func (tw *Twin) counted(t T, op Op, n, want int) {
	t.Helper()
	if n != want {
		t.Fatalf("%v: the world counts %d, the model %d", op, n, want)
	}
}

// spawnRun makes some entities at once; at times init overwrites a column.
func (tw *Twin) spawnRun(t T, op Op) {
	t.Helper()
	if tw.World.Len() >= tw.crowd {
		return
	}
	n := min(tw.amount(op.A), max(tw.crowd-tw.World.Len(), 40))
	vs := tw.light(tw.given(op), n)
	var made []ecs.Entity
	init := func(c *ecs.Chunk) { made = append(made, c.Entities()...) }
	k := int(op.A) % len(tw.kinds)
	column := !tw.kinds[k].pooled && slices.ContainsFunc(vs, func(v given) bool { return v.kind == k })
	if column {
		init = func(c *ecs.Chunk) {
			p := c.Column(tw.kinds[k].id, true)
			for i := range c.Len() {
				tw.kinds[k].write(tw.kinds[k].at(p, i), len(made)+i)
			}
			made = append(made, c.Entities()...)
		}
	}
	err := tw.World.SpawnMany(n, init, tw.values(vs)...)
	if tw.full(err) {
		return
	}
	_, want := tw.Model.complete(nil, nil, vs)
	if n == 0 {
		want = nil
	}
	agree(t, op, err, want)
	if want != nil {
		n = 0
	}
	tw.counted(t, op, len(made), n)
	for i, e := range made {
		tw.settle(t, op, e, vs)
		if column {
			tw.Model.things[e].values[k] = i
		}
	}
}

// amount is how many entities a byte means where several are made at once: less
// than forty in a small world.
func (tw *Twin) amount(n byte) int {
	if tw.burst == 40 {
		return int(n % 40)
	}
	return int(n) * tw.burst / 255
}

// isPlain reports whether a kind has a column and no rules.
func isPlain(k int) bool { return slices.Contains([]int{0, 1, 3, 9, 16, 17}, k) }

// mostBulks is how many entities may get a bulk at once, which is 4,000 bytes long.
const mostBulks = 2000

// light leaves the bulk out of values that many entities get.
func (tw *Twin) light(vs []given, n int) []given {
	if n <= mostBulks {
		return vs
	}
	return slices.DeleteFunc(vs, func(v given) bool { return v.kind == bulkKind })
}

func (tw *Twin) copy(t T, op Op) {
	t.Helper()
	if tw.World.Len() >= tw.crowd {
		return
	}
	vs := tw.given(op)
	e, err := tw.World.Copy(tw.pick(op.A), tw.values(vs)...)
	if tw.full(err) {
		return
	}
	has, want := tw.Model.copied(tw.pick(op.A))
	if want == nil {
		_, want = tw.Model.complete(nil, nil, append(has, vs...))
	}
	agree(t, op, err, want)
	if err == nil {
		tw.settle(t, op, e, append(has, vs...))
	}
}

func (tw *Twin) reserve(t T, op Op) {
	t.Helper()
	if tw.World.Len() >= tw.crowd {
		return
	}
	if e, err := tw.World.Raw().Reserve(); !tw.full(err) {
		agree(t, op, err, nil)
		agree(t, op, tw.Model.Reserve(e), nil)
	}
}

// chosen returns a query without change filters, and the entities that it must yield. A
// change filter may yield more than changed.
func (tw *Twin) chosen(op Op) (*ecs.Query, []ecs.Entity) {
	plain := slices.DeleteFunc(slices.Clone(tw.lookers), func(l *liveQuery) bool { return !l.plain() })
	q := plain[int(op.A)%len(plain)].query
	var list []ecs.Entity
	for c := range q.Chunks() {
		list = append(list, c.Entities()...)
	}
	return q, list
}

func (tw *Twin) despawnAll(t T, op Op) {
	t.Helper()
	q, list := tw.chosen(op)
	if len(list) > tw.burst && op.B%4 != 0 {
		return // or few would ever grow old
	}
	n, err := tw.World.DespawnAll(q)
	agree(t, op, err, tw.Model.despawnAll(list))
	if err == nil {
		tw.counted(t, op, n, len(list))
	}
}

// despawnAll ends all entities of a list and those that die with them, or none.
func (m *Model) despawnAll(list []ecs.Entity) error {
	var all []ecs.Entity
	met := map[ecs.Entity]bool{}
	for _, e := range list {
		all = m.doom(all, met, e)
	}
	if err := m.refusal(all); err != nil {
		return err
	}
	m.bury(all)
	return nil
}

func (tw *Twin) exchangeAll(t T, op Op) {
	t.Helper()
	q, list := tw.chosen(op)
	vs := tw.light(tw.given(op), len(list))
	remove := Op{B: op.A, C: op.D}.kindsOf(len(tw.kinds))
	if op.D%3 == 0 { // the way by whole columns is for these only
		vs = slices.DeleteFunc(vs, func(v given) bool { return !isPlain(v.kind) })
		remove = slices.DeleteFunc(remove, func(k int) bool { return !isPlain(k) })
	}
	n, err := tw.World.ExchangeAll(q, tw.refs(remove), tw.values(vs)...)
	if tw.full(err) {
		return
	}
	want := tw.Model.refuses(list, remove, vs)
	agree(t, op, err, want)
	if want != nil {
		return
	}
	tw.counted(t, op, n, len(list))
	for _, e := range list {
		agree(t, op, tw.Model.Exchange(e, remove, vs), nil)
	}
}

// grow makes room, which only the invariants show.
func (tw *Twin) grow(t T, op Op) {
	t.Helper()
	var hs []ecs.ComponentRef
	for _, id := range tw.ids(op.kindsOf(len(tw.kinds))) {
		hs = append(hs, id)
	}
	if err := tw.World.Grow(int(op.A%60)*tw.burst/40, hs...); !tw.full(err) {
		agree(t, op, err, nil)
	}
}

// quiet takes the observers away, or brings them back: the world has faster code for
// changes that no observer watches, and that code needs a judge too.
func (tw *Twin) quiet(t T, op Op) {
	t.Helper()
	tw.step(t, Op{Kind: Step}) // what has happened is told first
	agree(t, op, tw.report(op.B%2 == 0), nil)
	if tw.Model.quiet = !tw.Model.quiet; !tw.Model.quiet {
		agree(t, op, tw.observe(), nil)
		return
	}
	for _, name := range tw.watching {
		tw.World.Unobserve(name)
	}
	tw.watching = nil
}

// compact gives memory back; inside of a loop, only free memory of the arena.
func (tw *Twin) compact(op Op) {
	if op.A%4 != 3 {
		tw.World.Raw().Compact()
		return
	}
	for range tw.World.Query().Chunks() {
		tw.World.Raw().Compact()
		break
	}
}
