package ecs_test

import (
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
)

// Relations link entities under a name, and are asked both ways.
func ExampleWorld_Relation() {
	w, _ := ecs.Open(ecs.Options{Tag: 1}) // so that handles print alike each time
	defer w.Close()
	targets, err := w.Relation("Targets", ecs.RelationOptions{})
	if err != nil {
		fmt.Println(err)
	}
	tank, left, right := w.Spawn(), w.Spawn(), w.Spawn()
	fmt.Println(targets.Set(left, tank), targets.Set(right, tank))
	for turret := range targets.Sources(tank) {
		fmt.Println(turret, "aims at", targets.Target(turret))
	}
	aiming := w.Query().SourcesOf(targets, tank)
	fmt.Println(aiming.Count(), w.Despawn(tank), targets.Target(left), aiming.Count())
	// Output:
	// <nil> <nil>
	// 2v1 aims at 1v1
	// 3v1 aims at 1v1
	// 2 <nil> 0v0 0
}

// Batches change all that a query matches, by columns and not by entities.
func ExampleWorld_ExchangeAll() {
	w := ecs.NewWorld()
	defer w.Close()
	position, frozen := ecs.Register[Position](w), ecs.Register[Frozen](w)
	velocity := ecs.Register[Velocity](w)
	fmt.Println(w.SpawnMany(1000, func(c *ecs.Chunk) {
		for i := range c.Len() {
			position.Mut(c)[i].X = float64(i)
		}
	}, position.With(Position{}), velocity.With(Velocity{X: 1})))
	movers := w.Query(ecs.Read(velocity))
	fmt.Println(w.ExchangeAll(movers, []ecs.ComponentRef{velocity.ID()}, frozen.With(Frozen{})))
	fmt.Println(movers.Count(), w.Query().With(position, frozen).Count())
	// Output:
	// <nil>
	// 1000 <nil>
	// 0 1000
}

// A prefab entity is instantiated by thousands, with all that is below it.
func ExampleWorld_Instantiate() {
	w := ecs.NewWorld()
	defer w.Close()
	name, health := ecs.Register[Name](w), ecs.Register[Health](w)
	tank := w.Spawn(name.With(Name{"tank"}), health.With(Health{HP: 100}))
	turret := w.Spawn(name.With(Name{"turret"}))
	fmt.Println(w.SetParent(turret, tank), w.MarkPrefab(tank))
	tanks, err := w.Instantiate(tank, 1000, health.With(Health{HP: 80}))
	if err != nil {
		fmt.Println(err)
	}
	h, _ := health.Get(tanks[999])
	fmt.Println(len(tanks), h, w.ChildOf().Count(tanks[999]), w.Query(ecs.Read(name)).Count())
	// Output:
	// <nil> <nil>
	// 1000 {80} 1 2000
}

// Systems that promise to keep to their queries run beside each other; the plan
// shows it and Explain says why some do not. Tick.Parallel divides one query.
func ExampleSchedule_Explain() {
	w, err := ecs.Open(ecs.Options{Workers: 2})
	if err != nil {
		fmt.Println(err)
	}
	defer w.Close()
	position, velocity, health := ecs.Register[Position](w), ecs.Register[Velocity](w), ecs.Register[Health](w)
	movers := w.Query(ecs.Write(position), ecs.Read(velocity))
	living := w.Query(ecs.Write(health))
	steered := w.Query(ecs.Write(velocity))
	idle := func(*ecs.Tick) error { return nil }
	err = w.Schedule().Add(
		ecs.System{Name: "heal", Phase: ecs.Logic, Parallel: true, Queries: []*ecs.Query{living}, Run: idle},
		ecs.System{Name: "move", Phase: ecs.Logic, Parallel: true, Queries: []*ecs.Query{movers}, Run: func(t *ecs.Tick) error {
			return t.Parallel(movers, func(_ *ecs.Tick, c *ecs.Chunk) {
				p, v := position.Mut(c), velocity.Of(c)
				for i := range p {
					p[i].X += v[i].X * t.DT
				}
			})
		}},
		ecs.System{Name: "steer", Phase: ecs.Logic, Parallel: true, Queries: []*ecs.Query{steered}, Run: idle},
	)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(w.Schedule().Plan())
	fmt.Println(w.Schedule().Explain("move", "steer"))
	ship := w.Spawn(position.With(Position{}), velocity.With(Velocity{X: 2}))
	fmt.Println(w.Step(0.5))
	fmt.Println(position.Get(ship))
	// Output:
	// logic
	//    1  heal | move
	//    2  steer
	//
	// "steer" writes "Velocity", which "move" reads <nil>
	// <nil>
	// {1 0} true
}
