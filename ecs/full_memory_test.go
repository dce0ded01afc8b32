package ecs

import (
	"errors"
	"fmt"
	"testing"
)

// fullWorld is a small world in which almost every change needs memory: entities of
// one archetype, whose chunk is full, and pools that have no page yet.
type fullWorld struct {
	*World
	position Component[Position]
	velocity Component[Velocity]
	burning  Component[Burning] // in a pool of the arena
	chill    Component[Chill]   // in another
	label    Component[Label]   // on the heap
	wide     Component[Wide2]
	targets  *Relation
	es       []Entity
}

// Chill is another type for a pool of the arena.
type Chill struct{ Left float32 }

func newBrink(t *testing.T) *fullWorld {
	w := open(t, Options{MaxBytes: 8 << 20, ReuseAfter: -1, Tag: 7})
	targets, err := w.Relation("Targets", RelationOptions{})
	must(t, err)
	b := &fullWorld{
		World: w, position: Register[Position](w), velocity: Register[Velocity](w), burning: Register[Burning](w, Sparse),
		chill: Register[Chill](w, Sparse), label: Register[Label](w), wide: Register[Wide2](w), targets: targets,
	}
	for full := false; !full; {
		b.es = append(b.es, w.Spawn(b.position.With(Position{float64(len(b.es)), 1})))
		a, _ := w.find(b.es[0])
		full = a.chunks[0].n == a.chunks[0].layout.capacity
	}
	return b
}

// fromNothing are operations that either happen or leave no trace.
var fromNothing = map[string]func(b *fullWorld) error{
	"spawn in a new chunk": func(b *fullWorld) error { _, err := b.TrySpawn(b.position.With(Position{})); return err },
	"spawn in new archetype": func(b *fullWorld) error {
		_, err := b.TrySpawn(b.velocity.With(Velocity{}), b.wide.With(Wide2{}))
		return err
	},
	"spawn in new pools": func(b *fullWorld) error {
		_, err := b.TrySpawn(b.burning.With(Burning{1}), b.label.With(Label{"x"}), b.chill.With(Chill{2}))
		return err
	},
	"spawn with everything": func(b *fullWorld) error {
		_, err := b.TrySpawn(b.burning.With(Burning{1}), b.wide.With(Wide2{}), b.velocity.With(Velocity{}), b.chill.With(Chill{2}))
		return err
	},
	"add a column":  func(b *fullWorld) error { return b.velocity.Set(b.es[0], Velocity{1, 2}) },
	"add to a pool": func(b *fullWorld) error { return b.burning.Set(b.es[0], Burning{1}) },
	"add columns and pool": func(b *fullWorld) error {
		return b.Add(b.es[3], b.wide.With(Wide2{}), b.burning.With(Burning{1}), b.velocity.With(Velocity{}))
	},
	"replace and add": func(b *fullWorld) error {
		return b.Add(b.es[3], b.position.With(Position{9, 9}), b.chill.With(Chill{1}))
	},
	"remove a column": func(b *fullWorld) error { return b.position.Remove(b.es[5]) },
	"exchange": func(b *fullWorld) error {
		return b.Exchange(b.es[2], []ComponentRef{b.position}, b.velocity.With(Velocity{}), b.chill.With(Chill{1}))
	},
	"set a parent": func(b *fullWorld) error { return b.SetParent(b.es[1], b.es[0]) },
	"relate":       func(b *fullWorld) error { return b.targets.Set(b.es[1], b.es[2]) },
	"despawn":      func(b *fullWorld) error { return b.Despawn(b.es[7]) },
	"reset":        func(b *fullWorld) error { return b.Reset() },
	"prefab": func(b *fullWorld) error {
		_, err := b.SpawnPrefab(&Prefab{
			Values:   []Value{b.velocity.With(Velocity{}), b.burning.With(Burning{1})},
			Children: []Prefab{{Values: []Value{b.wide.With(Wide2{})}}, {Children: []Prefab{{Values: []Value{b.chill.With(Chill{1})}}}}},
		})
		return err
	},
	"spawn many": func(b *fullWorld) error {
		return b.SpawnMany(2000, nil, b.position.With(Position{1, 2}), b.burning.With(Burning{1}), b.label.With(Label{"x"}))
	},
	"add to all": func(b *fullWorld) error {
		_, err := b.AddAll(b.movers(), b.velocity.With(Velocity{1, 2}), b.chill.With(Chill{1}))
		return err
	},
	"remove from all": func(b *fullWorld) error { _, err := b.RemoveAll(b.movers(), b.position.ID()); return err },
	"exchange for all": func(b *fullWorld) error {
		_, err := b.ExchangeAll(b.movers(), []ComponentRef{b.position}, b.wide.With(Wide2{}), b.burning.With(Burning{1}))
		return err
	},
	"despawn all": func(b *fullWorld) error { _, err := b.DespawnAll(b.movers()); return err },
	"copy": func(b *fullWorld) error {
		_, err := b.Copy(b.es[4], b.chill.With(Chill{1}), b.velocity.With(Velocity{}))
		return err
	},
	"reserve, add": func(b *fullWorld) error { return b.reserveAndAdd() },
	"grow":         func(b *fullWorld) error { return b.Grow(1500, b.velocity, b.wide, b.burning) },
	"commands, one": func(b *fullWorld) error {
		c := b.NewCommands()
		c.Spawn(b.velocity.With(Velocity{}), b.burning.With(Burning{1}))
		return c.Apply()
	},
}

// TestEveryAllocationMayFail: every operation is tried with no allocation
// granted, then with one, and so on until it succeeds. Refused, it wraps
// ErrArenaFull and leaves the world as it was, every invariant included; then,
// with memory again, it comes to what it comes to in a world that never lacked
// any.
func TestEveryAllocationMayFail(t *testing.T) {
	for name, do := range fromNothing {
		t.Run(name, func(t *testing.T) {
			want := newBrink(t)
			must(t, do(want))
			for granted := 0; ; granted++ {
				if granted > 50 {
					t.Fatal("50 allocations are not enough")
				}
				b := newBrink(t)
				before := b.look()
				b.arena.Allow(granted)
				err := do(b)
				b.arena.Allow(-1)
				must(t, b.Check())
				if err == nil {
					if got := b.look(); got != want.look() {
						t.Errorf("with %d allocations: %s, want %s", granted, got, want.look())
					}
					return
				}
				if !errors.Is(err, ErrArenaFull) {
					t.Fatalf("with %d allocations: %v", granted, err)
				}
				if got := b.look(); got != before {
					t.Fatalf("with %d allocations it failed and left %s, before %s", granted, got, before)
				}
				must(t, do(b))
				must(t, b.Check())
				// A refused handle is used up, so the entities have other generations.
				if got := b.look(); got.sets != want.look().sets {
					t.Errorf("after a failure with %d allocations: %s, want %s", granted, got, want.look())
				}
			}
		})
	}
}

func (b *fullWorld) movers() *Query { return b.Query(Read(b.position)) }

// reserveAndAdd places a handle that nobody has placed, or leaves none behind.
func (b *fullWorld) reserveAndAdd() error {
	e, err := b.reserve()
	if err != nil {
		return err
	}
	if err := b.Add(e, b.velocity.With(Velocity{}), b.burning.With(Burning{1})); err != nil {
		return errors.Join(err, b.Despawn(e))
	}
	return nil
}

// worldView is what can be seen of a world.
type worldView struct {
	world uint64
	sets  string // how many entities have which components, and are related
}

func (s worldView) String() string { return fmt.Sprintf("world %x: %s", s.world, s.sets) }

func (b *fullWorld) look() worldView {
	sets := fmt.Sprint("related ", b.ChildOf().Len(), b.targets.Len())
	for _, a := range b.Stats().Archetypes {
		if a.Entities > 0 {
			sets += fmt.Sprint("; ", a.Entities, a.Components)
		}
	}
	for _, p := range b.pools {
		sets += fmt.Sprint("; ", p.len(), p.of().schema.Name)
	}
	return worldView{b.Checksum(), sets}
}
