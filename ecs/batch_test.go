package ecs

import (
	"errors"
	"slices"
	"testing"
)

// TestSpawnManyShowsTheNewRowsOnly: init gets views that begin after the rows
// from before, in order, and none of another chunk.
func TestSpawnManyShowsTheNewRowsOnly(t *testing.T) {
	w := open(t, Options{})
	position, velocity := Register[Position](w), Register[Velocity](w)
	old := w.Spawn(position.With(Position{-1, 0}), velocity.With(Velocity{}))
	var made []Entity
	must(t, w.SpawnMany(3000, func(c *Chunk) {
		p := position.Mut(c)
		for i := range p {
			if p[i] != (Position{7, 8}) {
				t.Fatalf("init sees %v before it writes", p[i])
			}
			p[i].X = float64(len(made) + i)
		}
		made = append(made, c.Entities()...)
	}, position.With(Position{7, 8}), velocity.With(Velocity{1, 2})))
	if len(made) != 3000 || slices.Contains(made, old) || w.Len() != 3001 {
		t.Fatalf("init saw %d entities of 3000", len(made))
	}
	for i, e := range made {
		p, _ := position.Get(e)
		v, _ := velocity.Get(e)
		if p != (Position{float64(i), 8}) || v != (Velocity{1, 2}) {
			t.Fatalf("entity %d has %v and %v", i, p, v)
		}
	}
	if p, _ := position.Get(old); p.X != -1 {
		t.Error("an entity from before was overwritten")
	}
	must(t, w.Check())
}

// TestSpawnManyIsAllOrNothing in entities and in memory, with pools and without.
func TestSpawnManyIsAllOrNothing(t *testing.T) {
	type Wide struct{ V [200]int64 }
	w := open(t, Options{MaxBytes: 1, MaxEntities: 3000})
	wide, heat := Register[Wide](w), Register[Wide2](w, Sparse)
	position := Register[Position](w)
	must(t, w.SpawnMany(100, nil, position.With(Position{})))
	before := w.Checksum()
	for name, c := range map[string]struct{ got, want error }{
		"entities":            {w.SpawnMany(2901, nil, position.With(Position{})), ErrEntityLimit},
		"memory":              {w.SpawnMany(2000, nil, wide.With(Wide{})), ErrArenaFull},
		"memory of a pool":    {w.SpawnMany(2000, nil, heat.With(Wide2{})), ErrArenaFull},
		"a negative number":   {w.SpawnMany(-1, nil), ErrRange},
		"room, entities":      {w.Grow(2901, position), ErrEntityLimit},
		"room, memory":        {w.Grow(2000, position, wide), ErrArenaFull},
		"room in a pool":      {w.Grow(2000, position, heat), ErrArenaFull},
		"negative room":       {w.Grow(-1), ErrRange},
		"room for what":       {w.Grow(1, ComponentID(400)), ErrUnknown},
		"by query, in memory": {errorOf(w.AddAll(w.Query(), wide.With(Wide{}), heat.With(Wide2{}))), nil},
	} {
		if c.want != nil && !errors.Is(c.got, c.want) {
			t.Errorf("%s: answered %v", name, c.got)
		}
		must(t, w.Check())
	}
	_, err := w.RemoveAll(w.Query(), wide.ID(), heat.ID())
	must(t, err)
	if w.Checksum() != before || w.Query().Count() != 100 {
		t.Error("something was left behind")
	}
}

// TestBatchesByQueryAreAllOrNothing: when the memory does not suffice for all,
// nobody moves.
func TestBatchesByQueryAreAllOrNothing(t *testing.T) {
	type Wide struct{ V [200]int64 }
	w := open(t, Options{MaxBytes: 1})
	wide, heat, position := Register[Wide](w), Register[Wide2](w, Sparse), Register[Position](w)
	must(t, w.SpawnMany(1500, nil, position.With(Position{})))
	for name, v := range map[string]Value{"columns": wide.With(Wide{}), "a pool": heat.With(Wide2{})} {
		n, err := w.AddAll(w.Query(), v)
		if !errors.Is(err, ErrArenaFull) || n != 0 {
			t.Errorf("%s: answered %d, %v", name, n, err)
		}
		if w.Query(Read(position)).Without(wide, heat).Count() != 1500 {
			t.Errorf("%s: some have changed", name)
		}
		must(t, w.Check())
	}
}

// TestWholeChunksChangeHands when a tag comes or goes: no row is copied, and the
// order is the one that is documented.
func TestWholeChunksChangeHands(t *testing.T) {
	w := open(t, Options{})
	position, frozen := Register[Position](w), Register[Frozen](w)
	must(t, w.SpawnMany(5, nil, position.With(Position{}), frozen.With(Frozen{})))
	must(t, w.SpawnMany(30000, nil, position.With(Position{1, 1})))
	q := w.Query(Read(position)).Without(frozen)
	var first *Position
	for c := range q.Chunks() {
		first = &position.Of(c)[0]
		break
	}
	n, err := w.AddAll(q, frozen.With(Frozen{}))
	must(t, err)
	if n != 30000 || q.Count() != 0 || w.Query(Read(position), Read(frozen)).Count() != 30005 {
		t.Errorf("%d changed; %d are left", n, q.Count())
	}
	for c := range w.Query(Read(position), Read(frozen)).Chunks() {
		if &position.Of(c)[0] != first {
			t.Error("the first full chunk was copied instead of handed over")
		}
		break
	}
	must(t, w.Check())
}

// TestExchangeIsOneMove, and what is both taken and given is set.
func TestExchangeIsOneMove(t *testing.T) {
	w := open(t, Options{})
	position, velocity, frozen := Register[Position](w), Register[Velocity](w), Register[Frozen](w)
	label := Register[Label](w)
	e := w.Spawn(position.With(Position{1, 2}), frozen.With(Frozen{}), label.With(Label{"x"}))
	moves := w.Stats().Transitions
	must(t, w.Exchange(e, []ComponentRef{frozen.ID(), position.ID(), label}, velocity.With(Velocity{3, 4}), position.With(Position{5, 6})))
	p, _ := position.Get(e)
	v, _ := velocity.Get(e)
	if p != (Position{5, 6}) || v != (Velocity{3, 4}) || frozen.Has(e) || label.Has(e) {
		t.Errorf("after the exchange: %v, %v, frozen %v, label %v", p, v, frozen.Has(e), label.Has(e))
	}
	if n := w.Stats().Transitions - moves; n != 1 {
		t.Errorf("%d moves", n)
	}
	if err := w.Exchange(e, []ComponentRef{ComponentID(999)}); !errors.Is(err, ErrUnknown) {
		t.Errorf("a component that does not exist: %v", err)
	}
	must(t, w.Check())
}

// TestGrownRoomIsEnough: what room was made for takes no memory any more, though
// the rest of the arena is gone.
func TestGrownRoomIsEnough(t *testing.T) {
	w := open(t, Options{MaxBytes: 1, ReuseAfter: -1})
	position, heat := Register[Position](w), Register[Burning](w, Sparse)
	label := Register[Label](w)
	must(t, w.Grow(700, position, heat, label))
	must(t, w.Check())
	w.arena.Allow(0)
	for range 700 {
		if _, err := w.TrySpawn(position.With(Position{}), heat.With(Burning{}), label.With(Label{})); err != nil {
			t.Fatalf("after %d of 700: %v", w.Len(), err)
		}
	}
}

// TestReservedHandles are alive and nowhere until something is added to them.
func TestReservedHandles(t *testing.T) {
	w := open(t, Options{MaxEntities: 2})
	position := Register[Position](w)
	e, err := w.reserve()
	must(t, err)
	if !w.Alive(e) || w.Query().Count() != 0 || w.Len() != 1 {
		t.Error("a reserved entity is alive and no query finds it")
	}
	must(t, w.Add(e))
	if w.Query().Count() != 1 {
		t.Error("Add without values gives a place")
	}
	must(t, position.Set(e, Position{1, 2}))
	f, _ := w.reserve()
	must(t, w.Despawn(f))
	if w.Alive(f) {
		t.Error("a reserved entity can die")
	}
	w.reserve()
	if _, err := w.reserve(); !errors.Is(err, ErrEntityLimit) {
		t.Errorf("past the limit: %v", err)
	}
	must(t, w.Check())
}

// TestDespawnLater lives until the end of the tick, once for all calls.
func TestDespawnLater(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	es := []Entity{w.Spawn(position.With(Position{})), w.Spawn(), w.Spawn()}
	told := 0
	must(t, w.Observe(Observer{Name: "o", On: OnDespawn, Run: func(*Tick, Notice) error { told++; return nil }}))
	must(t, w.Schedule().Add(System{Name: "s", Run: func(*Tick) error {
		for range w.Query(Read(position)).Chunks() {
			must(t, w.DespawnLater(es[0]))
		}
		must(t, w.DespawnLater(es[0]))
		must(t, w.DespawnLater(es[1]))
		return w.Despawn(es[1])
	}}))
	must(t, w.DespawnLater(es[2]))
	if n, err := w.FlushDespawns(); n != 1 || err != nil || w.Alive(es[2]) {
		t.Errorf("flushed %d, %v", n, err)
	}
	must(t, w.Step(0))
	if w.Len() != 0 || told != 3 {
		t.Errorf("%d are alive, %d deaths were told", w.Len(), told)
	}
	if err := w.DespawnLater(es[0]); !errors.Is(err, ErrDead) {
		t.Errorf("of a dead entity: %v", err)
	}
	must(t, w.Check())
}

// TestDespawnsThatAPanicHasLeft come at the next flush, before what was named meanwhile.
func TestDespawnsThatAPanicHasLeft(t *testing.T) {
	w := open(t, Options{})
	var es, ended []Entity
	fuse := Register[Position](w, Hooks[Position]{Removed: func(e Entity, _ *Position) {
		if ended = append(ended, e); len(ended) == 1 {
			must(t, w.DespawnLater(es[3]))
			panic("planned")
		}
	}})
	for range 4 {
		es = append(es, w.Spawn(fuse.With(Position{})))
	}
	for _, e := range es[:3] {
		must(t, w.DespawnLater(e))
	}
	recovered(func() { _, _ = w.FlushDespawns() })
	if _, err := w.FlushDespawns(); err != nil || !slices.Equal(ended, es) {
		t.Errorf("ended %v, %v, want %v", ended, err, es)
	}
}

func errorOf(_ int, err error) error { return err }

// TestBatchesAllocateNothingOnceWarm: what a wave of enemies does every second.
func TestBatchesAllocateNothingOnceWarm(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates by itself")
	}
	w := open(t, Options{ReuseAfter: -1})
	position, frozen, burning := Register[Position](w), Register[Frozen](w), Register[Burning](w, Sparse)
	ruled := Register[Engine](w, Requires(burning), Hooks[Engine]{Added: func(Entity, *Engine) {}})
	velocity := Register[Velocity](w)
	e := w.Spawn(velocity.With(Velocity{}), burning.With(Burning{1}))
	w.SpawnMany(100, nil, velocity.With(Velocity{}))
	others := w.Query(Read(velocity))
	all, cold := w.Query(Read(position)), []ComponentRef{frozen}
	for name, f := range map[string]func(){
		"an exchange": func() {
			w.Exchange(e, nil, frozen.With(Frozen{}), burning.With(Burning{2}))
			w.Exchange(e, cold, velocity.With(Velocity{}))
		},
		"a copy":          func() { c, _ := w.Copy(e); w.Despawn(c) },
		"a tag for all":   func() { w.AddAll(others, frozen.With(Frozen{})); w.RemoveAll(others, cold...) },
		"a pool for all":  func() { w.AddAll(others, burning.With(Burning{})); w.RemoveAll(others, burning.ID()) },
		"dying later":     func() { w.DespawnLater(w.Spawn()); w.FlushDespawns() },
		"a reserved one":  func() { r, _ := w.reserve(); w.Add(r, position.With(Position{})); w.Despawn(r) },
		"rules and hooks": func() { w.Despawn(w.Spawn(ruled.With(Engine{1}))) },
		"a wave": func() {
			w.SpawnMany(500, nil, position.With(Position{}))
			w.AddAll(all, frozen.With(Frozen{}), position.With(Position{1, 1}))
			w.DespawnAll(all)
		},
		"a wave with pools": func() {
			w.SpawnMany(50, nil, position.With(Position{}), burning.With(Burning{}))
			w.DespawnAll(all)
		},
	} {
		allocates(t, name, f)
	}
	must(t, w.Check())
}
