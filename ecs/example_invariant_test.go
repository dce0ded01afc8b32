package ecs_test

import (
	"errors"
	"fmt"
	"math"

	"github.com/perigee-ecs/perigee/ecs"
)

// Fighter is a component whose values have rules.
type Fighter struct {
	HP    float32 `ecs:"hp"`
	Max   float32 `ecs:"max"`
	State uint8   `ecs:"state,enum=idle|walk|dead"`
}

// Rules are said once, where the component is registered. The end of each step finds what breaks them, and
// stops nothing.
func ExampleInvariant() {
	w, _ := ecs.Open(ecs.Options{Tag: 1}) // so that handles print alike each time
	defer w.Close()
	fighters := ecs.Register[Fighter](w,
		ecs.Range("hp", 0, math.Inf(1)),
		ecs.Constraint("hp <= max"),
		ecs.Transitions("state", map[string][]string{"idle": {"walk"}, "walk": {"idle", "dead"}}))
	ant := w.Spawn(fighters.With(Fighter{HP: 5, Max: 10}))
	bee := w.Spawn(fighters.With(Fighter{HP: 5, Max: 10, State: 2}))

	all := w.Query(ecs.Write(fighters))
	heal := ecs.System{Name: "heal", Queries: []*ecs.Query{all}, Run: func(t *ecs.Tick) error {
		for c := range all.Chunks() {
			for i := range fighters.Mut(c) {
				fighters.Mut(c)[i].HP += 4 // and does not stop at the most
			}
		}
		return nil
	}}
	if err := w.Schedule().Add(heal); err != nil {
		fmt.Println(err)
	}
	remove, err := w.Schedule().OnViolation(func(v *ecs.Violation) {
		fmt.Printf("tick %d, %s: %s of %v; %q must hold\n", v.Tick, v.System, v.Value, v.Entity, v.Text)
	})
	fmt.Println(err, w.Step(1))
	fighters.Edit(bee).State = 0 // the dead stay dead
	fmt.Println(w.Step(1))
	remove()

	// A test asks for all that is broken now, whoever has written it.
	if err := w.Despawn(bee); err != nil {
		fmt.Println(err)
	}
	for _, v := range w.Schedule().Violations(0) {
		fmt.Println(v.Entity == ant, errors.Is(v, ecs.ErrInvariant), v.Value)
	}
	// Output:
	// <nil> <nil>
	// tick 2, heal: hp = 13, max = 10 of 1v1; "hp <= max" must hold
	// tick 2, heal: hp = 13, max = 10 of 2v1; "hp <= max" must hold
	// tick 2, heal: state = idle of 2v1; "state: idle -> walk; walk -> dead, idle" must hold
	// <nil>
	// true true hp = 13, max = 10
}
