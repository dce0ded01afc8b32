package fields_test

import (
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/fields"
)

// Health is a component like any other: nothing in it is made for package fields.
type Health struct {
	HP  float32 `ecs:"hp"`
	Max float32
}

func Example() {
	world := ecs.NewWorld()
	defer world.Close()
	e := world.Spawn(ecs.Register[Health](world).With(Health{HP: 30, Max: 100}))

	f := fields.Of(world)
	health, err := f.Component("Health")
	hp, err2 := f.Get(e, health, "hp")
	fmt.Println(hp, err, err2)
	fmt.Println(f.Set(e, health, "hp", 50), f.Set(e, health, "hp", "much"))

	text, err := f.JSON(e)
	fmt.Println(string(text), err)
	fmt.Println(f.SetJSON(e, []byte(`{"Health":{"hp":7}}`)))

	hurt, err := f.Query("Health.hp < 50")
	fmt.Println(hurt.Count(), err)
	_, err = f.Query("Helth.hp < 50")
	fmt.Println(err)
	// Output:
	// 30 <nil> <nil>
	// <nil> conflict: Health.hp is f32, and was given the text "much"
	// {"Health":{"hp":50,"max":100}} <nil>
	// <nil>
	// 1 <nil>
	// column 1: unknown: there is no component "Helth" (did you mean "Health"?)
}
