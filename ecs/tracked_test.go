package ecs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"unsafe"
)

// Padded has three bytes between its fields that mean nothing.
type Padded struct {
	Tag  uint8
	Left float32
}

// trackedWorld has components whose changes are tracked: in a column, in a pool, a tag, and one
// with padding.
type trackedWorld struct {
	*World
	position Component[Position]
	burning  Component[Burning]
	frozen   Component[Frozen]
	padded   Component[Padded]
	version  uint64
	e        []Entity
}

// newTrackedWorld has three entities with a position and fire, the middle one frozen. What came
// by then counts as seen.
func newTrackedWorld(t testing.TB, options Options) *trackedWorld {
	t.Helper()
	w := open(t, options)
	z := &trackedWorld{
		World: w, position: Register[Position](w, Tracked), burning: Register[Burning](w, Sparse, Tracked),
		frozen: Register[Frozen](w, Tracked), padded: Register[Padded](w, Tracked),
	}
	for i := range 3 {
		z.e = append(z.e, w.Spawn(z.position.With(Position{X: float64(i)}), z.burning.With(Burning{float32(i)}), z.padded.With(Padded{})))
	}
	must(t, z.frozen.Set(z.e[1], Frozen{}))
	z.since(t)
	return z
}

// since returns what has happened since the last call: "p1" for a position of entity 1 that has
// come or changed, "-p1" for one that is gone; b for fire, f for frozen, d for what has padding;
// "!" for a component of which everything is sent. Entities after the third are "n".
func (z *trackedWorld) since(t testing.TB) (seen []string) {
	t.Helper()
	name := func(e Entity) string {
		if i := slices.Index(z.e, e); i >= 0 {
			return fmt.Sprint(i)
		}
		return "n"
	}
	next := uint64(0)
	for c, id := range map[string]ComponentID{"p": z.position.ID(), "b": z.burning.ID(), "f": z.frozen.ID(), "d": z.padded.ID()} {
		d, err := z.Raw().Since(id, z.version)
		must(t, err)
		if d.Whole {
			seen = append(seen, c+"!")
		}
		for e, v := range d.Bytes() {
			seen = append(seen, c+name(e))
			if p := z.Raw().Pointer(e, id); string(v) != string(unsafe.Slice((*byte)(p), len(v))) || len(v) != int(z.Raw().Schema(id).Size) {
				t.Errorf("the value of %v in a delta is not the one that it has", e)
			}
		}
		for _, e := range d.Removed() {
			seen = append(seen, "-"+c+name(e))
		}
		next = d.Version
	}
	z.version = next
	slices.Sort(seen)
	return seen
}

// TestTrackedRows: each way to change the world shows exactly the rows that have other
// values than before, and those that have come or gone; and nothing else shows any.
func TestTrackedRows(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(z *trackedWorld) error
		want []string
	}{
		"nothing": {func(z *trackedWorld) error { return nil }, nil},
		"a tick":  {func(z *trackedWorld) error { return z.Step(1) }, nil},
		"set":     {func(z *trackedWorld) error { return z.position.Set(z.e[1], Position{Y: 9}) }, []string{"p1"}},
		"set in a pool": {func(z *trackedWorld) error {
			return z.burning.Set(z.e[0], Burning{7})
		}, []string{"b0"}},
		"set to what it is": {func(z *trackedWorld) error {
			return errors.Join(z.position.Set(z.e[1], Position{X: 1}), z.burning.Set(z.e[1], Burning{1}))
		}, nil},
		"there and back": {func(z *trackedWorld) error {
			return errors.Join(z.position.Set(z.e[1], Position{Y: 9}), z.position.Set(z.e[1], Position{X: 1}))
		}, nil},
		"edit": {func(z *trackedWorld) error {
			z.position.Edit(z.e[2]).X = 8
			z.burning.Edit(z.e[0]).Left = 8
			return nil
		}, []string{"b0", "p2"}},
		"edit without a change": {func(z *trackedWorld) error {
			z.position.Edit(z.e[2])
			z.burning.Edit(z.e[2])
			return nil
		}, nil},
		"one row of a column": {func(z *trackedWorld) error {
			for c := range z.Query(Write(z.position)).With(z.frozen).Chunks() {
				z.position.Mut(c)[0].Y = 3
			}
			return nil
		}, []string{"p1"}},
		"one row of a pool": {func(z *trackedWorld) error {
			for c := range z.Query(Write(z.burning)).Chunks() {
				z.burning.Mut(c)[1].Left = 3
			}
			return nil
		}, []string{"b1"}},
		"rows": {func(z *trackedWorld) error {
			for e, r := range Rows2(z.Query(Write(z.position), Write(z.burning)), z.position, z.burning) {
				if e == z.e[2] {
					r.A.X, r.B.Left = 4, 4
				}
			}
			return nil
		}, []string{"b2", "p2"}},
		"raw memory": {func(z *trackedWorld) error {
			(*Position)(z.Raw().Pointer(z.e[0], z.position.ID())).X = 5
			z.Raw().Touch(z.e[0], z.position.ID())
			(*Burning)(z.Raw().Edit(z.e[0], z.burning.ID())).Left = 5
			return nil
		}, []string{"b0", "p0"}},
		"padding": {func(z *trackedWorld) error {
			*(*byte)(unsafe.Add(z.Raw().Edit(z.e[0], z.padded.ID()), 2)) = 99
			return nil
		}, nil},
		"both sides of padding": {func(z *trackedWorld) error {
			z.padded.Edit(z.e[0]).Tag, z.padded.Edit(z.e[1]).Left = 1, 1
			return nil
		}, []string{"d0", "d1"}},
		"a move to another archetype": {func(z *trackedWorld) error {
			return errors.Join(z.frozen.Set(z.e[0], Frozen{}), z.frozen.Remove(z.e[1]))
		}, []string{"-f1", "f0"}},
		"removed": {func(z *trackedWorld) error {
			return errors.Join(z.position.Remove(z.e[0]), z.burning.Remove(z.e[1]))
		}, []string{"-b1", "-p0"}},
		"removed and given again": {func(z *trackedWorld) error {
			return errors.Join(z.position.Remove(z.e[0]), z.position.Set(z.e[0], Position{}), z.burning.Remove(z.e[1]), z.burning.Set(z.e[1], Burning{2}))
		}, []string{"b1"}},
		"removed in one tick, given again in the next": {func(z *trackedWorld) error {
			err := errors.Join(z.position.Remove(z.e[0]), z.burning.Remove(z.e[1]), z.Step(1))
			return errors.Join(err, z.position.Set(z.e[0], Position{}), z.burning.Set(z.e[1], Burning{1}))
		}, []string{"b1", "p0"}},
		"there in one tick, back in the next": {func(z *trackedWorld) error {
			return errors.Join(z.position.Set(z.e[1], Position{Y: 9}), z.Step(1), z.position.Set(z.e[1], Position{X: 1}))
		}, []string{"p1"}},
		"spawned":   {func(z *trackedWorld) error { z.Spawn(z.position.With(Position{}), z.frozen.With(Frozen{})); return nil }, []string{"fn", "pn"}},
		"despawned": {func(z *trackedWorld) error { return z.Despawn(z.e[1]) }, []string{"-b1", "-d1", "-f1", "-p1"}},
		"despawned, and its slot used again": {func(z *trackedWorld) error {
			err := z.Despawn(z.e[1])
			if z.Spawn(z.position.With(Position{X: 1})).Index() != z.e[1].Index() {
				return errors.New("the slot is another")
			}
			return err
		}, []string{"-b1", "-d1", "-f1", "-p1", "pn"}},
		"came and went": {func(z *trackedWorld) error { return z.Despawn(z.Spawn(z.position.With(Position{}))) }, nil},
		"came and went, seen by a tick": {func(z *trackedWorld) error {
			e := z.Spawn(z.position.With(Position{}))
			return errors.Join(z.Step(1), z.Despawn(e))
		}, []string{"-pn"}},
		"batches": {func(z *trackedWorld) error {
			_, err := z.ExchangeAll(z.Query().With(z.frozen), []ComponentRef{z.burning}, z.position.With(Position{Y: 2}))
			return err
		}, []string{"-b1", "p1"}},
		"batches that add a tag": {func(z *trackedWorld) error {
			if err := z.SpawnMany(20000, nil, z.position.With(Position{}), z.padded.With(Padded{})); err != nil {
				return err
			}
			z.since(t)
			n, err := z.AddAll(z.Query().With(z.position), z.frozen.With(Frozen{}))
			if seen := z.since(t); n != 20003 || len(seen) != 20002 {
				return fmt.Errorf("%d entities, %d rows seen; %v", n, len(seen), err)
			}
			return err
		}, nil},
		"batches that keep the archetype": {func(z *trackedWorld) error {
			_, err := z.AddAll(z.Query().With(z.position).Without(z.frozen), z.position.With(Position{Y: 2}))
			return err
		}, []string{"p0", "p2"}},
		"a chunk of new rows, without a column to write": {func(z *trackedWorld) error {
			return z.SpawnMany(2, nil, z.position.With(Position{}), z.padded.With(Padded{}))
		}, []string{"dn", "dn", "pn", "pn"}},
		"a patch": {func(z *trackedWorld) error {
			c := z.NewCommands()
			c.Patch(z.e[0], z.position.ID(), 8, []byte{0, 0, 0, 0, 0, 0, 0, 64})
			c.Patch(z.e[1], z.burning.ID(), 0, []byte{0, 0, 1, 64})
			return c.Apply()
		}, []string{"b1", "p0"}},
		"pieces of values": {func(z *trackedWorld) error {
			c := z.NewCommands()
			c.Merge(z.e[0], z.position.With(Position{Y: 2}), []Piece{{Offset: 8, Size: 8}})
			c.Assign(z.e[1], z.burning.With(Burning{9}), []Piece{{Offset: 0, Size: 4}})
			return c.Apply()
		}, []string{"b1", "p0"}},
		"bytes under a mask": {func(z *trackedWorld) error {
			c := z.NewCommands()
			c.Blend(z.e[2], z.position.ID(), make([]byte, 16), []byte{6: 255, 7: 255, 15: 255})
			return c.Apply()
		}, []string{"p2"}},
		"a pool beside a column": {func(z *trackedWorld) error {
			for c := range z.Query(Read(z.position), Write(z.burning)).With(z.frozen).Chunks() {
				z.burning.Mut(c)[0].Left = 3
			}
			return nil
		}, []string{"b1"}},
		"a view": {func(z *trackedWorld) error {
			v := NewView[struct {
				Position *Position
				Burning  *Burning
			}](z.World)
			for e, r := range v.Rows() {
				if e == z.e[2] {
					r.Position.X, r.Burning.Left = 4, 4
				}
			}
			return nil
		}, []string{"b2", "p2"}},
		"many": {func(z *trackedWorld) error {
			return z.SpawnMany(2, func(c *Chunk) { z.position.Mut(c)[0].X = 1 }, z.position.With(Position{}))
		}, []string{"pn", "pn"}},
		"all despawned": {func(z *trackedWorld) error { _, err := z.DespawnAll(z.Query().With(z.frozen)); return err }, []string{"-b1", "-d1", "-f1", "-p1"}},
		"a reset":       {func(z *trackedWorld) error { return z.Reset() }, []string{"-b0", "-b1", "-b2", "-d0", "-d1", "-d2", "-f1", "-p0", "-p1", "-p2"}},
		"commands": {func(z *trackedWorld) error {
			c := z.NewCommands()
			c.Patch(z.e[0], z.position.ID(), 8, []byte{0, 0, 0, 0, 0, 0, 0, 64})
			c.Remove(z.e[2], z.burning)
			c.Add(z.e[1], z.burning.With(Burning{30}))
			return c.Apply()
		}, []string{"-b2", "b1", "p0"}},
		"a parallel loop": {func(z *trackedWorld) error {
			return z.Run("it", func(t *Tick) error {
				return t.Parallel(z.Query(Write(z.position)), func(_ *Tick, c *Chunk) {
					for i, e := range c.Entities() {
						if e == z.e[2] {
							z.position.Mut(c)[i].X = 77
						}
					}
				})
			})
		}, []string{"p2"}},
		"a failed run": {func(z *trackedWorld) error {
			err := z.Run("it", func(t *Tick) error {
				t.Commands.Add(z.e[0], z.position.With(Position{9, 9}))
				return errors.New("as planned")
			})
			if err == nil {
				return errors.New("it has not failed")
			}
			return nil
		}, nil},
		"a sorted pool": {func(z *trackedWorld) error {
			return z.burning.Sort(func(a, b *Burning) int { return int(b.Left - a.Left) })
		}, nil},
		"a longer chunk": {func(z *trackedWorld) error {
			err := z.SpawnMany(2000, nil, z.position.With(Position{}), z.padded.With(Padded{}))
			z.Raw().Compact()
			return errors.Join(err, z.Step(1), func() error { _, err := z.Since(); return err }(), z.Despawn(z.e[0]))
		}, []string{"-b0", "-d0", "-p0"}},
		"compacted": {func(z *trackedWorld) error { z.Raw().Compact(); return nil }, nil},
		"a prefab": {func(z *trackedWorld) error {
			if err := z.MarkPrefab(z.e[0]); err != nil {
				return err
			}
			_, err := z.Instantiate(z.e[0], 1)
			return err
		}, []string{"-b0", "-d0", "-p0", "bn", "dn", "pn"}},
		"a prefab that changes": {func(z *trackedWorld) error {
			err := errors.Join(z.MarkPrefab(z.e[0]), z.Step(1))
			err = errors.Join(err, z.position.Set(z.e[0], Position{5, 5}), z.burning.Set(z.e[0], Burning{5}), z.burning.Set(z.e[1], Burning{5}))
			if seen := z.since(t); !slices.Equal(seen, []string{"-b0", "-d0", "-p0", "b1"}) {
				t.Errorf("when it is marked: %q", seen)
			}
			return errors.Join(err, z.burning.Set(z.e[0], Burning{6}))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			z := newTrackedWorld(t, Options{ReuseAfter: -1})
			must(t, c.do(z))
			got := z.since(t)
			if name == "a longer chunk" {
				got = slices.DeleteFunc(got, func(s string) bool { return s == "pn" || s == "dn" })
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			must(t, z.Check())
			if got := z.since(t); len(got) > 0 {
				t.Errorf("once more: %q", got)
			}
		})
	}
}

// Since looks at the positions, for tests that look in between.
func (z *trackedWorld) Since() (Delta[Position], error) { return z.position.Since(0) }

// TestTrackedForSeveral: those who ask at different times get what is new for them.
func TestTrackedForSeveral(t *testing.T) {
	z := newTrackedWorld(t, Options{})
	changed := func(version uint64) (es []Entity, next uint64) {
		d, err := z.position.Since(version)
		must(t, err)
		for e := range d.Changed() {
			es = append(es, e)
		}
		return es, d.Version
	}
	_, slow := changed(z.version)
	fast := slow
	for i := range 3 {
		z.position.Edit(z.e[i]).Y = 1
		must(t, z.Step(1))
		var got []Entity
		if got, fast = changed(fast); !slices.Equal(got, z.e[i:i+1]) {
			t.Errorf("tick %d: got %v", i, got)
		}
		if got, _ = changed(slow); !slices.Equal(got, z.e[:i+1]) {
			t.Errorf("tick %d, since the beginning: got %v", i, got)
		}
	}
	for e := range func() Delta[Position] { d, _ := z.position.Since(0); return d }().Changed() {
		if e != z.e[0] {
			t.Errorf("a loop that has ended goes on with %v", e)
		}
		break
	}
}

// TestTrackedTooOld: who asks for more than is remembered gets everything, and is told so.
func TestTrackedTooOld(t *testing.T) {
	z := newTrackedWorld(t, Options{})
	d, err := z.position.Since(z.version)
	must(t, err)
	first := d.Version
	for range 1500 {
		e := z.Spawn(z.position.With(Position{}))
		must(t, z.Step(1))
		must(t, z.Despawn(e))
	}
	d, err = z.position.Since(first)
	must(t, err)
	n := 0
	for range d.Changed() {
		n++
	}
	if !d.Whole || n != 3 || d.Removed() != nil {
		t.Errorf("whole: %v, %d rows, %d removed", d.Whole, n, len(d.Removed()))
	}
	if bytes := z.Stats().Components[z.position.ID()].Tracked; bytes > 100_000 {
		t.Errorf("three rows take %d bytes", bytes)
	}
	if d, err = z.position.Since(d.Version - 600); err != nil || d.Whole || len(d.Removed()) < 200 {
		t.Errorf("some hundred removals are not remembered: %v, %v", d, err)
	}
	for name, version := range map[string]uint64{"nothing": 0, "the future": d.Version + 10} {
		if d, err = z.position.Since(version); err != nil || !d.Whole {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}

// TestTrackedLater: the option may come when there are values, and a migration begins anew.
func TestTrackedLater(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	e := w.Spawn(position.With(Position{1, 2}))
	if _, err := position.Since(0); !errors.Is(err, ErrConflict) {
		t.Errorf("without the option: %v", err)
	}
	version := w.Raw().Version()
	Register[Position](w, Tracked)
	d, err := position.Since(version)
	must(t, err)
	got := maps.Collect(d.Changed())
	if !d.Whole || len(got) != 1 || *got[e] != (Position{1, 2}) {
		t.Errorf("got %v, %v", d, got)
	}
	id, err := w.Raw().Define(runeSchema(), false)
	must(t, err)
	must(t, w.Add(e, w.valueAt(id, nil)))
	_, err = w.Raw().Define(runeSchema(), false, Tracked)
	must(t, err)
	raw, err := w.Raw().Since(id, 0)
	must(t, err)
	m := w.Raw().Migrate()
	must(t, m.Component(Schema{Name: "Rune", Fields: []Field{{Name: "n", Kind: F64}, {Name: "m", Kind: U8}}}, nil))
	must(t, m.Prepare())
	m.Commit()
	must(t, w.Check())
	raw, err = w.Raw().Since(id, raw.Version)
	must(t, err)
	bytes := 0
	for _, v := range raw.Bytes() {
		bytes += len(v)
	}
	if !raw.Whole || bytes != 16 {
		t.Errorf("after a migration: whole: %v, %d bytes", raw.Whole, bytes)
	}
	if raw, err = w.Raw().Since(id, raw.Version); err != nil || raw.Whole {
		t.Errorf("a second time: %v, %v", raw, err)
	}
}

// Hidden has a field in the padding that its definition has.
type Hidden struct {
	A uint8 `ecs:"a"`
	h uint8
	B float32 `ecs:"b"`
}

// TestTrackedPaddingOfDefinitions: bytes between the fields of a definition mean nothing, until a
// Go type has a field there.
func TestTrackedPaddingOfDefinitions(t *testing.T) {
	w := open(t, Options{})
	id, err := w.Raw().Define(Schema{Name: "Hidden", Fields: []Field{{Name: "a", Kind: U8}, {Name: "b", Kind: F32}}}, false, Tracked)
	must(t, err)
	e := w.Spawn(w.valueAt(id, nil))
	d, err := w.Raw().Since(id, 0)
	must(t, err)
	changes := func() (n int) {
		d, err = w.Raw().Since(id, d.Version)
		must(t, err)
		for range d.Bytes() {
			n++
		}
		must(t, w.Check())
		return n
	}
	at := func(i int) { *(*byte)(unsafe.Add(w.Raw().Edit(e, id), i))++ }
	if at(1); changes() != 0 {
		t.Error("padding has changed the value")
	}
	for _, i := range []int{0, 4, 7} {
		if at(i); changes() != 1 {
			t.Errorf("byte %d has not changed the value", i)
		}
	}
	hidden := Register[Hidden](w)
	if changes() != 1 || !d.Whole {
		t.Error("the type begins with what was there")
	}
	if hidden.Edit(e).h++; changes() != 1 {
		t.Error("a field that scripts do not see has not changed the value")
	}
	if at(2); changes() != 0 {
		t.Error("padding of the type has changed the value")
	}
}

// TestTrackedRefused: what cannot be tracked, and when one cannot ask.
func TestTrackedRefused(t *testing.T) {
	w := open(t, Options{})
	for name, err := range map[string]error{
		"Go pointers": onlyError(TryRegister[Label](w, Tracked)),
		"a storage":   onlyError(TryRegister[Position](w, Tracked, Stored(func() Storage[Position] { return &ring{} }))),
	} {
		if !errors.Is(err, ErrConflict) {
			t.Errorf("%s: %v", name, err)
		}
	}
	Register[Label](w)
	if _, err := TryRegister[Label](w, Tracked); !errors.Is(err, ErrConflict) {
		t.Errorf("Go pointers, later: %v", err)
	}
	if _, err := w.Raw().Since(999, 0); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown component: %v", err)
	}
	position := Register[Position](w, Tracked)
	w.Spawn(position.With(Position{}))
	q := w.Query(Read(position))
	for range q.Chunks() {
		if _, err := position.Since(0); !errors.Is(err, ErrIterating) {
			t.Errorf("in a loop: %v", err)
		}
	}
	must(t, w.Schedule().Add(System{Name: "parallel", Queries: []*Query{q}, Parallel: true, Run: func(*Tick) error {
		if _, err := position.Since(0); !errors.Is(err, ErrIterating) {
			t.Errorf("beside other systems: %v", err)
		}
		return nil
	}}, System{Name: "serial", Run: func(*Tick) error {
		_, err := position.Since(0)
		return err
	}}))
	must(t, w.Step(1))
}

// TestTrackingAllocatesNothing once it is warm.
func TestTrackingAllocatesNothing(t *testing.T) {
	z := newTrackedWorld(t, Options{})
	n := 0
	count := func(Entity, *Position) bool { n++; return true }
	if got := testing.AllocsPerRun(100, func() {
		z.position.Edit(z.e[0]).X++
		d, err := z.position.Since(z.version)
		must(t, err)
		d.Changed()(count)
		z.version = d.Version
		must(t, z.Step(1))
	}); got > 0 || n < 100 {
		t.Errorf("%v allocations, %d rows", got, n)
	}
}
