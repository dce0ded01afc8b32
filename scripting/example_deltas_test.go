package scripting_test

import (
	"fmt"
	"maps"

	"github.com/perigee-ecs/perigee/ecs"
)

// spot is what clients are sent.
type spot struct{ X, Y float64 }

// update is one message to a client: all that differs between two versions of the server's world.
type update struct {
	base, version uint64 // what the client must have, and what it has then
	whole         bool   // it holds everything: what it does not name is gone
	changed       map[ecs.Entity]spot
	removed       []ecs.Entity
}

// updateFor makes the message for a client that has confirmed a version; 0 for a new one.
func updateFor(spots ecs.Component[spot], confirmed uint64) (update, error) {
	delta, err := spots.Since(confirmed)
	if err != nil {
		return update{}, err
	}
	u := update{base: confirmed, version: delta.Version, whole: delta.Whole, changed: map[ecs.Entity]spot{}, removed: delta.Removed()}
	for e, s := range delta.Changed() {
		u.changed[e] = *s
	}
	return u, nil
}

// client is what a client keeps: the version that it has, and the values of that version.
type client struct {
	version uint64
	spots   map[ecs.Entity]spot
}

// take brings the client to the version of a message, and returns the version to confirm.
func (c *client) take(u update) uint64 {
	if u.version <= c.version || u.base > c.version && !u.whole {
		return c.version // doubled, or overtaken by a later one; or of a base that this client never had
	}
	if u.whole {
		clear(c.spots)
	}
	for _, e := range u.removed {
		delete(c.spots, e)
	}
	maps.Copy(c.spots, u.changed)
	c.version = u.version
	return c.version
}

// Example_deltas: a client gets what has changed over a connection that loses messages, doubles them
// and changes their order. The server makes each message from the last version that the client has
// confirmed, so that the next one makes up for those that were lost.
func Example_deltas() {
	world := ecs.NewWorld()
	defer world.Close()
	spots := ecs.Register[spot](world, ecs.Tracked)
	var es []ecs.Entity
	for i := range 10 {
		es = append(es, world.Spawn(spots.With(spot{X: float64(i)})))
	}
	c, confirmed := &client{spots: map[ecs.Entity]spot{}}, uint64(0)
	var late []update
	lost, doubled, overtaken := 0, 0, 0
	for tick := range 40 {
		spots.Edit(es[tick%len(es)]).Y++
		if tick%4 == 3 { // one dies, another one comes
			i := tick / 4 % len(es)
			if err := world.Despawn(es[i]); err != nil {
				fmt.Println(err)
			}
			es[i] = world.Spawn(spots.With(spot{X: float64(tick)}))
		}
		if err := world.Step(1.0 / 30); err != nil {
			fmt.Println(err)
		}
		u, err := updateFor(spots, confirmed)
		switch {
		case err != nil:
			fmt.Println(err)
		case tick%5 == 1:
			lost++
		case tick%5 == 2: // it comes after the next one
			late = append(late, u)
		default:
			confirmed = c.take(u)
			if tick%5 == 4 {
				doubled++
				confirmed = c.take(u)
			}
			for _, u := range late {
				overtaken++
				confirmed = c.take(u)
			}
			late = late[:0]
		}
	}
	alike := len(c.spots) == world.Len()
	for e, s := range c.spots {
		v, ok := spots.Get(e)
		alike = alike && ok && v == s
	}
	fmt.Println(lost, "lost,", doubled, "doubled,", overtaken, "overtaken; alike:", alike)
	// Output: 8 lost, 8 doubled, 8 overtaken; alike: true
}
