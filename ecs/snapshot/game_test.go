package snapshot_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/tests/twin"
)

type (
	velocity struct{ X, Y float64 }
	burning  struct{ Left float64 }
	heat     struct{ V int64 }
	label    struct{ Text string }
	bag      struct{ Items []string }
	perch    struct{ X int32 }
	hit      struct {
		By ecs.Entity
		N  int64
	}
	score struct {
		Hits, Seen, Came, Told, Ran int64
		Log                         []string
		By                          map[string]int
	}
	weather struct{ Wind, Rain float64 }
	cache   struct{ Made func() }
)

func (b bag) Clone() bag { return bag{slices.Clone(b.Items)} }

func (s *score) Clone() score {
	c := *s
	c.Log, c.By = slices.Clone(s.Log), maps.Clone(s.By)
	return c
}

// game is a world with something of everything that a world can have. All that decides what
// happens is in the world.
type game struct {
	*ecs.World
	position ecs.Component[position]
	velocity ecs.Component[velocity]
	burning  ecs.Component[burning]
	heat     ecs.Component[heat]
	label    ecs.Component[label]
	bag      ecs.Component[bag]
	perch    ecs.Component[perch]
	frozen   ecs.ComponentID
	targets  *ecs.Relation
	hits     ecs.Event[hit]
	waits    *ecs.Reader // reads one event in three ticks
	score    *score
	weather  *weather
	index    *ecs.Index[int64]
	came     *ecs.Query
	inputs   uint64 // from which the host's changes follow
	trace    []string
}

// newGame opens a game.
func newGame(t testing.TB, options ecs.Options) *game {
	t.Helper()
	if options.MaxBytes == 0 {
		options.MaxBytes = 32 << 20
	}
	w, err := ecs.Open(options)
	must(t, err)
	t.Cleanup(func() { w.Close() })
	g := &game{World: w, inputs: 1}
	g.position, g.velocity = ecs.Register[position](w), ecs.Register[velocity](w)
	g.burning = ecs.Register[burning](w, ecs.Sparse)
	g.heat = ecs.Register[heat](w, ecs.Tracked)
	g.label, g.bag = ecs.Register[label](w), ecs.Register[bag](w)
	g.perch = ecs.Register[perch](w, ecs.Stored(func() ecs.Storage[perch] { return twin.NewBlocks[perch]() }))
	g.frozen, err = w.Raw().Define(ecs.Schema{Name: "Frozen"}, true)
	must(t, err)
	g.targets, err = w.Relation("Targets", ecs.RelationOptions{})
	must(t, err)
	must(t, w.Group(g.burning, g.frozen))
	g.hits = ecs.RegisterEvent[hit](w)
	must(t, g.hits.Retain(ecs.Retention{Ticks: 20}))
	g.waits = g.hits.Reader("waits")
	g.score = ecs.Provide(w, &score{By: map[string]int{}})
	g.weather = &weather{}
	must(t, w.Raw().ProvideNamed("weather", g.weather))
	ecs.Provide(w, &cache{})
	must(t, snapshot.Leave[cache](w))
	g.index, err = ecs.NewIndex(g.heat, func(h *heat) int64 { return h.V })
	must(t, err)
	g.came = w.Query().Added(g.label, g.burning)
	must(t, w.Observe(ecs.Observer{Name: "told", On: ecs.OnAdd | ecs.OnRemove, Component: g.bag, Run: func(_ *ecs.Tick, n ecs.Notice) error {
		g.score.Told = g.score.Told*3 + int64(n.Trigger)
		if n.Trigger == ecs.OnRemove {
			g.score.Told += int64(len((*bag)(n.Old).Items))
		}
		if g.score.Told%4 == 0 {
			return errors.New("planned")
		}
		return nil
	}}))
	must(t, g.hits.Subscribe("fails at times", func(w *ecs.World, h hit) error {
		g.score.By["hits"]++
		if h.N%3 == 0 {
			return errors.New("planned")
		}
		return nil
	}))
	must(t, w.Schedule().Add(g.systems()...))
	return g
}

// systems are of all kinds: of fixed steps, of an interval, parallel, skipped when nothing has
// changed, failing, disabled.
func (g *game) systems() []ecs.System {
	w := g.World
	moving := w.Query(ecs.Write(g.position), ecs.Read(g.velocity))
	heated := w.Query(ecs.Read(g.position), ecs.Write(g.heat))
	changed := w.Query(ecs.Read(g.heat)).Changed(g.heat)
	burns := w.Query(ecs.Write(g.burning))
	return []ecs.System{
		{Name: "move", Phase: ecs.Physics, Fixed: true, Parallel: true, Queries: []*ecs.Query{moving}, Run: func(t *ecs.Tick) error {
			for c := range moving.Chunks() {
				p, v := g.position.Mut(c), g.velocity.Of(c)
				for i := range p {
					p[i].X += v[i].X * t.DT
				}
			}
			return nil
		}},
		{Name: "heat", Phase: ecs.Logic, Every: 0.05, Parallel: true, Queries: []*ecs.Query{heated}, Run: func(t *ecs.Tick) error {
			n := int64(t.Random().Uint64() % 16)
			for c := range heated.Chunks() {
				h := g.heat.Mut(c)
				for i := range h {
					h[i].V += n
				}
			}
			if es := g.firstOf(heated); es != 0 && n < 4 {
				t.Commands.Spawn(g.position.With(position{X: float64(n)}), g.velocity.With(velocity{X: 1}))
			}
			return nil
		}},
		{Name: "seen", Phase: ecs.Logic, Priority: 10, Queries: []*ecs.Query{changed}, Run: func(t *ecs.Tick) error {
			for c := range changed.Chunks() {
				for _, h := range g.heat.Of(c) {
					g.score.Seen = g.score.Seen*31 + h.V
				}
			}
			g.score.Ran++
			return nil
		}},
		{Name: "burn", Phase: ecs.Logic, Priority: 20, Run: func(t *ecs.Tick) error {
			for e, b := range ecs.Rows(burns, g.burning) {
				if b.Left -= t.DT; b.Left < 0 {
					g.hits.Send(t.Commands, hit{e, int64(t.N)})
					t.Commands.DespawnLater(e)
				}
			}
			return nil
		}},
		{Name: "fails", Phase: ecs.Animation, Breaker: &ecs.Breaker{Failures: 2, Retry: 0.1}, Run: func(t *ecs.Tick) error {
			if t.Random().Float64() < 0.5 {
				return errors.New("planned")
			}
			return nil
		}},
		{Name: "needs", Phase: ecs.Animation, Priority: 5, Requires: []string{"fails"}, Run: func(t *ecs.Tick) error {
			g.score.Hits++
			return nil
		}},
		g.hits.Each(ecs.System{Name: "hits", Phase: ecs.Render}, func(t *ecs.Tick, h hit) error {
			g.score.Log = append(g.score.Log, fmt.Sprintf("%v at %d", h.By, h.N))
			if len(g.score.Log) > 40 {
				g.score.Log = g.score.Log[20:]
			}
			return nil
		}),
		{Name: "debug", Phase: ecs.Debug, Disabled: true, Run: func(t *ecs.Tick) error {
			g.score.By["debug"]++
			return nil
		}},
	}
}

// firstOf returns the first entity of a query's chunks.
func (g *game) firstOf(q *ecs.Query) ecs.Entity {
	for c := range q.Chunks() {
		return c.Entities()[0]
	}
	return 0
}

// input does what the host does before a tick: it follows from the tick and the world alone.
func (g *game) input(t testing.TB) {
	_, tick := g.Time()
	r := rand.New(rand.NewPCG(g.inputs, tick))
	alive := slices.Collect(g.Entities())
	pick := func() ecs.Entity {
		if len(alive) == 0 {
			return 0
		}
		return alive[r.IntN(len(alive))]
	}
	for range r.IntN(8) {
		e, n := pick(), r.IntN(1000)
		switch r.IntN(19) {
		case 0, 1, 2:
			g.Spawn(g.position.With(position{X: float64(n)}), g.velocity.With(velocity{X: float64(n % 7)}), g.heat.With(heat{int64(n)}))
		case 3:
			g.Spawn(g.position.With(position{}), g.bag.With(bag{[]string{fmt.Sprint(n)}}), g.label.With(label{fmt.Sprint(n)}))
		case 4:
			_ = g.Add(e, g.burning.With(burning{float64(n) / 2000}))
		case 5:
			_ = g.Add(e, g.bag.With(bag{[]string{fmt.Sprint(n), "x"}}), g.perch.With(perch{int32(n)}))
		case 6:
			_ = g.Remove(e, g.bag, g.velocity)
		case 7:
			_ = g.SetParent(e, pick())
		case 8:
			_ = g.targets.Set(e, pick())
		case 9:
			if g.Len() > 60 {
				_ = g.Despawn(e)
			}
		case 10:
			_ = g.MarkPrefab(e)
		case 11:
			g.weather.Wind, g.score.By["wind"] = float64(n), n
		case 12:
			if b := g.bag.Edit(e); b != nil && len(b.Items) > 0 {
				b.Items[0] = fmt.Sprint(n) // written in place: a shared slice would show it
				b.Items = append(b.Items, "y")
			}
		case 13:
			g.Schedule().Enable("debug", n%2 == 0)
		case 14:
			_ = g.hits.Emit(hit{e, int64(n)})
		case 15:
			_ = g.DespawnLater(e)
		case 16:
			must(t, g.targets.SetPolicy(ecs.Policy(n%2)))
			must(t, g.hits.Retain(ecs.Retention{Ticks: n%30 + 1}))
		case 17:
			_ = g.Add(e, g.Raw().ValueAt(g.frozen, nil), g.label.With(label{fmt.Sprint(n)}))
		case 18:
			_ = g.World.Run("host", func(t *ecs.Tick) error {
				t.Commands.Spawn(g.heat.With(heat{int64(t.Random().Uint64() % 100)}))
				return nil
			})
		}
	}
}

// step makes one tick and notes all that can be seen of the world.
func (g *game) step(t testing.TB) {
	t.Helper()
	g.input(t)
	_ = g.Step(0.02) // some systems fail on purpose
	must(t, g.Check())
	_, tick := g.Time()
	if tick%3 == 0 {
		for h := range g.hits.Read(g.waits) {
			g.score.Hits += h.N
			break
		}
	}
	if tick%4 == 0 {
		for c := range g.came.Chunks() {
			g.score.Came = g.score.Came*7 + int64(c.Len())
		}
	}
	if tick%7 == 0 {
		for e, k := range g.index.Range(0, 400) {
			g.score.Came = g.score.Came*5 + k + int64(e.Index())
		}
	}
	g.trace = append(g.trace, g.look())
}

// look describes the world.
func (g *game) look() string {
	seconds, tick := g.Time()
	h := fnv.New64a()
	for e := range g.Entities() {
		fmt.Fprint(h, e, g.Raw().Components(e, nil), g.Parent(e).String(), g.targets.Target(e).String(), g.Raw().IsPrefab(e))
		if b, ok := g.bag.Get(e); ok {
			fmt.Fprint(h, b)
		}
		for source := range g.targets.Sources(e) {
			fmt.Fprint(h, source)
		}
	}
	var health []string
	for _, name := range g.Schedule().Names() {
		s, _ := g.Schedule().Health(name)
		health = append(health, s.String())
	}
	var died []string
	for slot := uint32(1); slot < uint32(g.Raw().Slots()); slot++ {
		if now := g.Raw().At(slot); now == 0 || now.Generation() > 1 {
			died = append(died, strings.Join(strings.Fields(fmt.Sprint(g.Despawn(ecs.Entity(slot)|ecs.Entity(uint64(g.Raw().Tag()))<<24|1<<32))), " "))
		}
	}
	st := g.Stats()
	for i := range st.Events {
		st.Events[i].Dropped = 0 // counts for the host go on
	}
	runs := []uint64{st.Transitions, st.TickMoves, uint64(st.ArenaBytes), uint64(st.Free), uint64(st.Chunks), uint64(len(st.Archetypes))}
	for _, s := range st.Systems {
		runs = append(runs, s.Runs, s.Skipped, math.Float64bits(s.Since))
	}
	return fmt.Sprintf("tick %d at %.3f: checksum %x, entities %x (%d), random %x, %+v, %+v, waiting %d from %d, lost %d, %v, policy %v, %+v, %v, runs %v, died %v",
		tick, seconds, g.Checksum(), h.Sum64(), g.Len(), g.World.Random().State(), *g.score, *g.weather, g.waits.Len(), g.waits.Position(), g.waits.Lost(), health,
		g.targets.Options().OnDespawn, st.Events, st.Retired, runs, died)
}

// play makes some ticks.
func (g *game) play(t testing.TB, ticks int) {
	t.Helper()
	for range ticks {
		g.step(t)
	}
}

// same compares two traces.
func same(t testing.TB, what string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d ticks, want %d", what, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			a, b := strings.Fields(got[i]), strings.Fields(want[i])
			for j := range min(len(a), len(b)) {
				if a[j] != b[j] {
					from := max(j-3, 0)
					t.Fatalf("%s: tick %d differs: %v, want %v", what, i, a[from:min(j+4, len(a))], b[from:min(j+4, len(b))])
				}
			}
			t.Fatalf("%s: tick %d differs", what, i)
		}
	}
}
