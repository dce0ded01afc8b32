package replica_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/tests/twin"
)

type (
	position struct{ X, Y float32 }
	velocity struct{ X, Y float32 }
	mood     struct {
		Calm  bool
		Level float64 // seven bytes after Calm mean nothing
		kept  int16   // no script sees it, and it is state all the same
	}
	burning struct{ Left float64 }
	label   struct{ Text string }
	perch   struct{ X int32 }
	chip    struct{ A, B, C uint8 } // columns of odd sizes
	hit     struct {
		By ecs.Entity
		N  int64
	}
	score struct {
		Hits, Seen, Came, Told, Heard uint64
		Log                           []string
		Kept                          []ecs.Entity // handles that are alive and nowhere
	}
)

func (s *score) Clone() score {
	c := *s
	c.Log, c.Kept = slices.Clone(s.Log), slices.Clone(s.Kept)
	return c
}

// game is a world with something of all that a world can have. What happens follows from the
// world and the inputs alone.
type game struct {
	*ecs.World
	position ecs.Component[position]
	velocity ecs.Component[velocity]
	mood     ecs.Component[mood]
	burning  ecs.Component[burning]
	label    ecs.Component[label]
	perch    ecs.Component[perch]
	chip     ecs.Component[chip]
	state    ecs.ComponentID // defined at run time, with an enum
	frozen   ecs.ComponentID
	targets  *ecs.Relation
	hits     ecs.Event[hit]
	reader   *ecs.Reader
	came     *ecs.Query // yields what was added since it was asked last
	written  *ecs.Query // and this one what was written
	score    *score
}

func newGame(t testing.TB, options ecs.Options) *game {
	t.Helper()
	if options.MaxBytes == 0 {
		options.MaxBytes = 32 << 20
	}
	options.ReuseAfter = 4
	w, err := ecs.Open(options)
	must(t, err)
	t.Cleanup(func() { w.Close() })
	g := &game{World: w}
	g.position, g.velocity, g.mood = ecs.Register[position](w), ecs.Register[velocity](w), ecs.Register[mood](w)
	g.burning, g.label = ecs.Register[burning](w, ecs.Sparse), ecs.Register[label](w)
	g.perch = ecs.Register[perch](w, ecs.Stored(func() ecs.Storage[perch] { return twin.NewBlocks[perch]() }))
	g.chip = ecs.Register[chip](w)
	g.state, err = w.Raw().Define(ecs.Schema{Name: "State", Fields: []ecs.Field{{Name: "now", Kind: ecs.Enum, Names: []string{"idle", "run", "hide"}}, {Name: "since", Kind: ecs.F32}}}, false)
	must(t, err)
	g.frozen, err = w.Raw().Define(ecs.Schema{Name: "Frozen"}, true)
	must(t, err)
	must(t, w.Group(g.burning, g.frozen))
	g.targets, err = w.Relation("Targets", ecs.RelationOptions{})
	must(t, err)
	g.hits = ecs.RegisterEvent[hit](w)
	must(t, g.hits.Retain(ecs.Retention{Ticks: 5}))
	g.reader = g.hits.Reader("waits")
	g.score = ecs.Provide(w, &score{})
	g.came = w.Query().Added(g.label, g.burning)
	g.written = w.Query(ecs.Read(g.label)).Changed(g.label)
	must(t, g.hits.Subscribe("hears", func(_ *ecs.World, h hit) error {
		if g.score.Heard = g.score.Heard*3 + uint64(h.N); h.N%3 == 0 {
			return fmt.Errorf("planned")
		}
		return nil
	}))
	g.observe(t)
	must(t, w.Schedule().Add(g.systems()...))
	return g
}

// observe adds observers of all places in which values that are removed may lie. One of them fails at times, and one gets
// only what matches a query.
func (g *game) observe(t testing.TB) {
	told := func(of ecs.ComponentRef, on ecs.Trigger, q *ecs.Query, old func(ecs.Notice) uint64) {
		must(t, g.Observe(ecs.Observer{Name: fmt.Sprint("told of ", of.ID()), On: on, Component: of, Query: q, Run: func(_ *ecs.Tick, n ecs.Notice) error {
			g.score.Told = g.score.Told*5 + uint64(n.Trigger)
			if n.Trigger == ecs.OnRemove {
				g.score.Told += old(n)
			}
			if q == nil && g.score.Told%4 == 0 {
				return fmt.Errorf("planned")
			}
			return nil
		}}))
	}
	told(g.label, ecs.OnAdd|ecs.OnRemove, nil, func(n ecs.Notice) uint64 { return uint64(len((*label)(n.Old).Text)) })
	told(g.burning, ecs.OnRemove, g.Query(ecs.Read(g.position)), func(n ecs.Notice) uint64 { return uint64((*burning)(n.Old).Left * 1000) })
	told(g.chip, ecs.OnAdd|ecs.OnRemove|ecs.OnSet, g.Query(), func(n ecs.Notice) uint64 { return uint64((*chip)(n.Old).C) })
}

// systems are of all kinds: of fixed steps, of an interval, failing, skipped when nothing has changed, disabled at times.
func (g *game) systems() []ecs.System {
	moving := g.Query(ecs.Write(g.position), ecs.Read(g.velocity))
	burns := g.Query(ecs.Write(g.burning))
	changed := g.Query(ecs.Read(g.mood)).Changed(g.mood)
	return []ecs.System{
		{Name: "move", Fixed: true, Parallel: true, Queries: []*ecs.Query{moving}, Run: func(t *ecs.Tick) error {
			for c := range moving.Chunks() {
				p, v := g.position.Mut(c), g.velocity.Of(c)
				for i := range p {
					p[i].X += v[i].X * float32(t.DT)
				}
			}
			return nil
		}},
		{Name: "burn", Every: 0.05, Run: func(t *ecs.Tick) error {
			for e, b := range ecs.Rows(burns, g.burning) {
				if b.Left -= 5 * t.DT; b.Left < 0 {
					g.hits.Send(t.Commands, hit{e, int64(t.Random().Uint64() % 100)})
					t.Commands.DespawnLater(e)
				}
			}
			return nil
		}},
		{Name: "seen", Queries: []*ecs.Query{changed}, Run: func(*ecs.Tick) error {
			for c := range changed.Chunks() {
				for _, m := range g.mood.Of(c) {
					g.score.Seen = g.score.Seen*31 + uint64(m.kept)
				}
			}
			return nil
		}},
		{Name: "fails", Breaker: &ecs.Breaker{Failures: 2, Retry: 0.1}, Run: func(t *ecs.Tick) error {
			if t.Random().Float64() < 0.3 {
				return fmt.Errorf("planned")
			}
			return nil
		}},
		{Name: "at times", Disabled: true, Run: func(t *ecs.Tick) error {
			g.score.Seen = g.score.Seen*7 + t.Random().Uint64()%5
			return nil
		}},
		g.hits.Each(ecs.System{Name: "hits"}, func(_ *ecs.Tick, h hit) error {
			g.score.Hits += uint64(h.N)
			if g.score.Log = append(g.score.Log, fmt.Sprint(h.By)); len(g.score.Log) > 5 {
				g.score.Log = g.score.Log[1:]
			}
			return nil
		}),
	}
}

// input does what the host does before a tick.
func (g *game) input(seed uint64) {
	_, tick := g.Time()
	r := rand.New(rand.NewPCG(seed, tick))
	alive := slices.Collect(g.Entities())
	pick := func() ecs.Entity {
		if len(alive) == 0 {
			return 0
		}
		return alive[r.IntN(len(alive))]
	}
	for range r.IntN(10) {
		e, n := pick(), r.IntN(1000)
		switch r.IntN(22) {
		case 0, 1, 2:
			g.Spawn(g.position.With(position{X: float32(n)}), g.velocity.With(velocity{X: float32(n % 7)}))
		case 3:
			g.Spawn(g.mood.With(mood{n%2 == 0, float64(n), int16(n)}), g.label.With(label{fmt.Sprint(n)}))
		case 4:
			_ = g.Add(e, g.burning.With(burning{float64(n) / 500}))
		case 5:
			_ = g.Add(e, g.perch.With(perch{int32(n)}), g.Raw().ValueAt(g.state, nil))
		case 6:
			_ = g.Remove(e, g.label, g.velocity)
		case 7:
			_ = g.SetParent(e, pick())
		case 8:
			_ = g.targets.Set(e, pick())
		case 9:
			if g.Len() > 40 {
				_ = g.Despawn(e)
			}
		case 10:
			_ = g.MarkPrefab(e)
		case 11:
			if l := g.label.Edit(e); l != nil {
				l.Text = fmt.Sprint("text ", n)
			}
		case 12:
			_ = g.hits.Emit(hit{e, int64(n)})
		case 13:
			_ = g.DespawnLater(e)
		case 14:
			_ = g.Add(e, g.Raw().ValueAt(g.frozen, nil), g.mood.With(mood{}))
		case 15:
			if p := g.Raw().Edit(e, g.state); p != nil {
				*(*uint8)(p) = uint8(n % 3)
			}
		case 16:
			if h, err := g.Raw().Reserve(); err == nil {
				g.score.Kept = append(g.score.Kept, h)
			}
		case 17:
			if len(g.score.Kept) > 1 {
				_ = g.Add(g.score.Kept[0], g.chip.With(chip{C: uint8(n)}))
				_ = g.Despawn(g.score.Kept[1])
				g.score.Kept = g.score.Kept[2:]
			}
		case 18:
			_ = g.Add(e, g.chip.With(chip{uint8(n), uint8(n >> 2), 7}))
		case 19:
			_ = g.Remove(e, []ecs.ComponentRef{g.burning, g.chip, g.label, g.mood}[n%4])
		case 20:
			g.Schedule().Enable("at times", n%2 == 0)
			_ = g.targets.SetPolicy(ecs.Policy(n % 2))
			_ = g.Grow(n, g.mood, g.chip) // chunks without rows
		case 21:
			_ = g.World.Run([]string{"host", "guest"}[n%2], func(t *ecs.Tick) error {
				t.Commands.Spawn(g.chip.With(chip{A: uint8(t.Random().Uint64())}))
				return nil
			})
		}
	}
	if tick%3 == 0 {
		for range g.hits.Read(g.reader) {
			break
		}
	}
	if tick%4 == 0 {
		for c := range g.came.Chunks() {
			g.score.Came = g.score.Came*7 + uint64(c.Len())
		}
	}
	if tick%2 == 0 {
		for c := range g.written.Chunks() {
			g.score.Came = g.score.Came*3 + uint64(c.Len())
		}
	}
}

// step makes one tick.
func (g *game) step(seed uint64) {
	g.input(seed)
	_ = g.Step(0.02) // a system fails on purpose
}

// look describes the world.
func (g *game) look(t testing.TB) string {
	t.Helper()
	must(t, g.Check())
	h := fnv.New64a()
	for e := range g.Entities() {
		fmt.Fprint(h, e, g.Raw().Components(e, nil), g.Parent(e), g.targets.Target(e), g.Raw().IsPrefab(e), slices.Collect(g.targets.Sources(e)), slices.Collect(g.Children(e)))
		l, _ := g.label.Get(e)
		fmt.Fprint(h, l)
	}
	for _, e := range g.score.Kept {
		fmt.Fprint(h, e, g.Alive(e))
	}
	seconds, tick := g.Time()
	var systems []string
	for _, s := range g.Stats().Systems {
		health, _ := g.Schedule().Health(s.Name)
		systems = append(systems, fmt.Sprint(s.Name, s.Runs, s.Skipped, s.Enabled, health))
	}
	said, _ := json.Marshal(g.score)
	st := g.Stats()
	return fmt.Sprintf("tick %d at %.3f: checksum %x, entities %x (%d), random %x, score %s, waiting %d from %d, %v, free %d, moves %d and %d, policy %v, %s",
		tick, seconds, g.Checksum(), h.Sum64(), g.Len(), g.World.Random().State(), said, g.reader.Len(), g.reader.Position(), systems,
		st.Free, st.Transitions, st.TickMoves, g.targets.Options().OnDespawn, g.captured(t))
}

// captured says what a snapshot of the world has, in words that do not depend on where things lie. Versions count by their
// order: a restore gives columns new ones.
func (g *game) captured(t testing.TB) string {
	t.Helper()
	s, err := snapshot.Capture(g.World)
	must(t, err)
	st := s.Content()
	h := fnv.New64a()
	rows := slices.Concat(st.Sets, st.Pools)
	for i := range rows {
		for _, k := range rows[i].Chunks {
			for _, bytes := range k.Columns {
				h.Write(bytes)
			}
			clear(k.Versions)
		}
	}
	fmt.Fprint(h, st.Slots.Lives, st.Slots.Deaths, st.Slots.Free)
	for _, c := range st.Components {
		fmt.Fprint(h, c.Schema.Name, c.Group, c.InAll)
	}
	for _, k := range st.Heaps {
		fmt.Fprint(h, k.Component, k.Handles)
	}
	for i := range st.Looks {
		st.Looks[i].Since = 0
	}
	for _, k := range st.Streams {
		fmt.Fprint(h, k.Data)
	}
	for _, n := range st.Notices {
		fmt.Fprint(h, n.Value)
		if l, ok := n.Kept.(*label); ok {
			fmt.Fprint(h, *l)
		}
	}
	text, err := json.Marshal(st)
	must(t, err)
	return fmt.Sprintf("bytes %x, %s", h.Sum64(), text)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newBlocks() ecs.Storage[perch] { return twin.NewBlocks[perch]() }

// padding returns the seven bytes after one.
func padding(p *int8) []byte { return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(p), 1)), 7) }
