package kit

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// Position is where an entity is, in world units.
type Position struct{ X, Y float64 }

// Velocity is how an entity moves, in world units per second.
type Velocity struct{ X, Y float64 }

// Collider is a circle around an entity's Position. It finds the colliders
// whose Layer has a bit of its Mask.
type Collider struct {
	Radius      float32 // world units
	Layer, Mask uint32
}

// Box makes an entity's Collider a rectangle around its Position, with sides along the axes.
// The Collider's Radius does not count then.
type Box struct{ Width, Height float32 } // world units

// Edge gives an entity another rule for the arena's edge than the arena has.
type Edge struct {
	Rule Rule `ecs:"rule,enum=none|bounce|wrap|stop|despawn"`
}

// Rule says what happens to an entity whose position leaves the arena.
type Rule uint8

// The rules, in the order of their names in Lua.
const (
	None    Rule = iota // goes on
	Bounce              // comes back with its velocity turned
	Wrap                // comes in at the other side
	Stop                // stays at the edge without velocity
	Despawn             // ends
)

// Arena is the resource that says how large the world is: from 0,0 to Width and
// Height. An axis whose length is not above zero has no edge.
type Arena struct {
	Width, Height float64 // world units
	Edge          Rule    `ecs:"edge,enum=none|bounce|wrap|stop|despawn"`
}

// Collision says that A looks for B and that their circles or boxes touch.
type Collision struct{ A, B ecs.Entity }

// Collisions is the resource that bounds and counts what kit.collide sends.
type Collisions struct {
	// Limit is how many events there are at most in one tick; below zero counts as zero. Colliders look
	// around in the order in which a query yields them, and each gets all of its events before the next.
	// So it is the last ones that get none, in each tick the same: those of combinations of components that
	// came later, and in one of these those whose rows are later. More than Options.Limit counts as that.
	Limit   int
	Pairs   uint64 // touching pairs since the world began
	Dropped uint64 // of these, pairs above the limit, for which no event was sent
	// Work bounds the comparisons of colliders in one tick, see the package's
	// text; below zero counts as zero, and more than Options.Work as that. Cut counts the
	// searches that it has cut short so far.
	Work int
	Cut  uint64
}

// defaultLimit is how many events Lua systems read in some milliseconds.
const defaultLimit = 10_000

// defaultWork is about 8 ms of comparisons, half of a frame: in a crowd by mistake, the
// game becomes slower and goes on.
const defaultWork = 3_000_000

// Options configure a kit. The zero value is the documented default.
type Options struct {
	// Warn gets a sentence about a crowd of colliders that is too dense to be
	// compared whole: once when it comes up, and again after 600 ticks without one.
	// Nil means that it is logged by slog's default logger.
	Warn func(text string)
	// Limit and Work are the most that Collisions.Limit and Collisions.Work may be, and what they are
	// at first: 10,000 and 3,000,000 where they are 0, none where they are below. Whoever writes the
	// resource, a script for example, lowers them only.
	Limit, Work int
}

// Kit is the stock kit of one world. It belongs to the goroutine that owns the
// world.
type Kit struct{ collide *collide }

// Install registers the kit's components, events, resources and systems. The
// arena is 1000 by 1000 with bouncing edges until somebody changes it. It fails, and changes nothing, when the world has a
// system of the same name, as after another Install (the error wraps ecs.ErrConflict), and while
// the world is closed or runs. It panics as ecs.Register does when a type's name is
// taken.
func Install(w *ecs.World, options Options) (*Kit, error) {
	if err := ready(w); err != nil {
		return nil, err
	}
	arena := ecs.Provide(w, &Arena{Width: 1000, Height: 1000, Edge: Bounce})
	move, place, collide := newMove(w, arena), newTransform(w), newCollide(w, options)
	err := w.Schedule().Add(
		ecs.System{Name: "kit.move", Phase: ecs.Physics, Priority: 10,
			Queries: []*ecs.Query{move.movers}, Run: move.run},
		ecs.System{Name: "kit.transform", Phase: ecs.Physics, Priority: 15, After: []string{"kit.move"},
			Queries: []*ecs.Query{place.all, place.written, place.parents, place.pushed}, Run: place.run},
		ecs.System{Name: "kit.collide", Phase: ecs.Physics, Priority: 20, After: []string{"kit.move", "kit.transform"},
			Queries: []*ecs.Query{collide.bodies}, Run: collide.run},
	)
	if err == nil {
		w.Raw().OnBegin(collide.look)
	}
	return &Kit{collide}, err
}

// systems are the names of the kit's systems.
var systems = []string{"kit.move", "kit.transform", "kit.collide"}

// ready says why a world cannot get a kit: its resources would take the place of those that a kit
// which is there works with.
func ready(w *ecs.World) error {
	if w == nil {
		return fmt.Errorf("kit: Install: %w: the world is nil", ecs.ErrConflict)
	}
	if err := w.Raw().Ready(); err != nil {
		return fmt.Errorf("kit: Install: %w", err)
	}
	for _, name := range w.Schedule().Names() {
		if slices.Contains(systems, name) {
			return fmt.Errorf("kit: Install: %w: the world has a system %q", ecs.ErrConflict, name)
		}
	}
	return nil
}

// Nearest returns the entity nearest to a point, at most reach away, whose
// collider has one of the mask's layers; 0 if there is none. It asks the kit's [Index].
func (k *Kit) Nearest(x, y, reach float64, mask uint32) ecs.Entity {
	if mask == 0 || k.Index() == nil {
		return 0
	}
	var one [1]Hit
	hits, _ := k.collide.index.Nearest(one[:0], x, y, reach, 1, Filter{Mask: mask})
	if len(hits) == 0 {
		return 0
	}
	return hits[0].Entity
}

// Index returns the index of all entities with a Position and a Collider that has a layer, where they
// were when the tick or the World.Run began, and from kit.collide on where they were then. Between two ticks
// it is what the world is after the last one, or after a restore; what the host writes there is known when a tick
// begins. Its Work is that of Collisions, for the searches up to kit.collide, and for those from there on. Only
// the kit fills it. It is nil for a Kit that Install has not made.
func (k *Kit) Index() *Index {
	if k == nil || k.collide == nil {
		return nil
	}
	return k.collide.index
}
