package ecs_test

import (
	"errors"
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
)

// The types of the examples.
type (
	Position struct{ X, Y float64 }
	Velocity struct{ X, Y float64 }
	Health   struct{ HP float32 }
	Frozen   struct{}
	Name     struct{ Text string }
	Hit      struct {
		Target ecs.Entity
		Damage float32
	}
)

// A world, two components, and a system that runs once a tick. The package doc shows it.
func Example() {
	w := ecs.NewWorld()
	defer w.Close()
	position, velocity := ecs.Register[Position](w), ecs.Register[Velocity](w)
	w.Spawn(position.With(Position{}), velocity.With(Velocity{X: 1}))
	moving := w.Query(ecs.Write(position), ecs.Read(velocity))
	err := w.Schedule().Add(ecs.System{
		Name: "move", Phase: ecs.Physics, Queries: []*ecs.Query{moving},
		Run: func(t *ecs.Tick) error {
			for c := range moving.Chunks() {
				p, v := position.Mut(c), velocity.Of(c)
				for i := range p {
					p[i].X += v[i].X * t.DT
				}
			}
			return nil
		},
	})
	fmt.Println(err)
	err = w.Step(1.0 / 60)
	p, _ := position.Get(moving.First())
	fmt.Printf("%v %.4f\n", err, p.X)
	// Output:
	// <nil>
	// <nil> 0.0167
}

// Systems run by phase; what they change they record, and the schedule applies.
// A struct names the components of a system once: what it reads, what it writes, and what an
// entity may lack.
func ExampleView() {
	w := ecs.NewWorld()
	defer w.Close()
	position, velocity := ecs.Register[Position](w), ecs.Register[Velocity](w)
	w.Spawn(position.With(Position{1, 0}), velocity.With(Velocity{10, 0}))

	type moving struct {
		Position *Position
		Velocity *Velocity `ecs:"read"`
	}
	view := ecs.NewView[moving](w)
	err := w.Schedule().Add(view.Each(ecs.System{Name: "move"}, func(t *ecs.Tick, _ ecs.Entity, m moving) {
		m.Position.X += m.Velocity.X * t.DT
	}))
	fmt.Println(err, w.Step(0.5))
	for e, m := range view.Rows() {
		fmt.Println(e, *m.Position)
	}
	// Output:
	// <nil> <nil>
	// 1v1 {6 0}
}

func ExampleSchedule_Add() {
	w := ecs.NewWorld()
	defer w.Close()
	health := ecs.Register[Health](w)
	living := w.Query(ecs.Write(health))
	err := w.Schedule().Add(
		ecs.System{Name: "bury", Phase: ecs.Logic, After: []string{"burn"}, Run: func(t *ecs.Tick) error {
			for e, h := range ecs.Rows(living, health) {
				if h.HP <= 0 {
					t.Commands.Despawn(e)
				}
			}
			return nil
		}},
		ecs.System{Name: "burn", Phase: ecs.Logic, Every: 0.5, Run: func(t *ecs.Tick) error {
			for _, h := range ecs.Rows(living, health) {
				h.HP -= float32(10 * t.DT)
			}
			return nil
		}},
	)
	if err != nil {
		fmt.Println(err)
	}
	w.Spawn(health.With(Health{HP: 12}))
	w.Spawn(health.With(Health{HP: 4}))
	for range 4 {
		if err := w.Step(0.25); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(w.Schedule().Names(), w.Len())
	// Output: [burn bury] 1
}

// A failing system is reported and, after three failures, parked; the others go
// on.
func ExampleWorld_Step() {
	w := ecs.NewWorld()
	defer w.Close()
	err := w.Schedule().Add(ecs.System{Name: "steer", Run: func(*ecs.Tick) error {
		return errors.New("no wheel")
	}})
	if err != nil {
		fmt.Println(err)
	}
	for range 4 {
		fmt.Println(w.Step(0.1), w.Stats().Systems[0].Health)
	}
	// Output:
	// system "steer": tick 1: no wheel monitoring
	// system "steer": tick 2: no wheel monitoring
	// system "steer": tick 3: no wheel parked
	// <nil> parked
}

// Commands change a world that is being iterated.
func ExampleCommands() {
	w := ecs.NewWorld()
	defer w.Close()
	position, frozen := ecs.Register[Position](w), ecs.Register[Frozen](w)
	for x := range 5 {
		w.Spawn(position.With(Position{X: float64(x)}))
	}
	commands := w.NewCommands()
	for e, p := range ecs.Rows(w.Query(ecs.Read(position)), position) {
		if p.X > 2 {
			commands.Add(e, frozen.With(Frozen{}))
		}
		if err := frozen.Set(e, Frozen{}); p.X == 0 {
			fmt.Println(err)
		}
	}
	if err := commands.Apply(); err != nil {
		fmt.Println(err)
	}
	fmt.Println(w.Query().With(frozen).Count(), "are frozen")
	// Output:
	// a query is being iterated or a script is running: record the change in Commands
	// 2 are frozen
}

// Each reader sees each event once.
func ExampleEvent() {
	w := ecs.NewWorld()
	defer w.Close()
	hit := ecs.RegisterEvent[Hit](w)
	reader := hit.Reader("score")
	for _, damage := range []float32{3, 4} {
		if err := hit.Emit(Hit{Damage: damage}); err != nil {
			fmt.Println(err)
		}
	}
	for range 2 {
		total := float32(0)
		for h := range hit.Read(reader) {
			total += h.Damage
		}
		fmt.Println(total)
	}
	// Output:
	// 7
	// 0
}

// Observers are told of changes after they were made.
func ExampleWorld_Observe() {
	w := ecs.NewWorld()
	defer w.Close()
	name := ecs.Register[Name](w)
	err := w.Observe(ecs.Observer{
		Name: "mourner", On: ecs.OnRemove, Component: name,
		Run: func(_ *ecs.Tick, n ecs.Notice) error {
			fmt.Println("goodbye", (*Name)(n.Old).Text, w.Alive(n.Entity))
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	bob := w.Spawn(name.With(Name{"Bob"}))
	if err := w.Step(0); err != nil { // what came is told, and so will be that it went
		fmt.Println(err)
	}
	if err := w.Despawn(bob); err != nil {
		fmt.Println(err)
	}
	if err := w.Step(0); err != nil {
		fmt.Println(err)
	}
	// Output: goodbye Bob false
}

// A prefab is a template with children; overrides replace its values.
func ExampleWorld_SpawnPrefab() {
	w := ecs.NewWorld()
	defer w.Close()
	name := ecs.Register[Name](w)
	tank := ecs.Prefab{Values: []ecs.Value{name.With(Name{"tank"})}, Children: []ecs.Prefab{{Values: []ecs.Value{name.With(Name{"turret"})}}}}
	e, err := w.SpawnPrefab(&tank, name.With(Name{"the general's tank"}))
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(name.Get(e))
	for child := range w.Children(e) {
		fmt.Println(name.Get(child))
	}
	// Output:
	// {the general's tank} true
	// {turret} true
}

// Components may be defined at run time, with the same standing as Go types.
func ExampleRaw_Define() {
	w := ecs.NewWorld()
	defer w.Close()
	id, err := w.Raw().Define(ecs.Schema{Name: "Fuel", Fields: []ecs.Field{{Name: "on", Kind: ecs.Bool}, {Name: "litres", Kind: ecs.F32}}}, false)
	if err != nil {
		fmt.Println(err)
	}
	litres := w.Raw().Schema(id).Field("litres")
	fmt.Println(w.Raw().Schema(id).Size, litres.Offset, litres.Kind, ecs.I32.Fit(0.5))
	// Output: 8 4 f32 number out of range: i32 takes a whole number from -2147483648 to 2147483647, got 0.5
}
