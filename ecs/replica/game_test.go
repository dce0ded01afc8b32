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
	hit     struct {
		By ecs.Entity
		N  int64
	}
	score struct {
		Hits int64
		Log  []string
	}
)

func (s *score) Clone() score { return score{s.Hits, slices.Clone(s.Log)} }

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
	state    ecs.ComponentID // defined at run time, with an enum
	frozen   ecs.ComponentID
	targets  *ecs.Relation
	hits     ecs.Event[hit]
	reader   *ecs.Reader
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
	moving := w.Query(ecs.Write(g.position), ecs.Read(g.velocity))
	burns := w.Query(ecs.Write(g.burning))
	must(t, w.Schedule().Add(
		ecs.System{Name: "move", Fixed: true, Parallel: true, Queries: []*ecs.Query{moving}, Run: func(t *ecs.Tick) error {
			for c := range moving.Chunks() {
				p, v := g.position.Mut(c), g.velocity.Of(c)
				for i := range p {
					p[i].X += v[i].X * float32(t.DT)
				}
			}
			return nil
		}},
		ecs.System{Name: "burn", Every: 0.05, Run: func(t *ecs.Tick) error {
			for e, b := range ecs.Rows(burns, g.burning) {
				if b.Left -= 0.1; b.Left < 0 {
					g.hits.Send(t.Commands, hit{e, int64(t.Random().Uint64() % 100)})
					t.Commands.DespawnLater(e)
				}
			}
			return nil
		}},
		ecs.System{Name: "fails", Breaker: &ecs.Breaker{Failures: 2, Retry: 0.1}, Run: func(t *ecs.Tick) error {
			if t.Random().Float64() < 0.3 {
				return fmt.Errorf("planned")
			}
			return nil
		}},
		g.hits.Each(ecs.System{Name: "hits"}, func(_ *ecs.Tick, h hit) error {
			g.score.Hits += h.N
			if g.score.Log = append(g.score.Log, fmt.Sprint(h.By)); len(g.score.Log) > 5 {
				g.score.Log = g.score.Log[1:]
			}
			return nil
		}),
	))
	return g
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
		switch r.IntN(16) {
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
		}
	}
	if tick%3 == 0 {
		for range g.hits.Read(g.reader) {
			break
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
	seconds, tick := g.Time()
	var systems []string
	for _, s := range g.Stats().Systems {
		health, _ := g.Schedule().Health(s.Name)
		systems = append(systems, fmt.Sprint(s.Name, s.Runs, s.Skipped, health))
	}
	said, _ := json.Marshal(g.score)
	return fmt.Sprintf("tick %d at %.3f: checksum %x, entities %x (%d), random %x, score %s, waiting %d from %d, %v, free %d",
		tick, seconds, g.Checksum(), h.Sum64(), g.Len(), g.World.Random().State(), said, g.reader.Len(), g.reader.Position(), systems, g.Stats().Free)
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
