// Command 09-transforms turns a small solar system: what is attached to something
// moves along with it.
package main

import (
	"fmt"
	"io"
	"log"
	"math"
	"os"

	"github.com/perigee-ecs/perigee/ecs"
)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer) error {
	world := ecs.NewWorld()
	defer world.Close()
	t := newTransforms(world)
	if err := world.Schedule().Add(ecs.System{Name: "transforms", Run: t.run}); err != nil {
		return err
	}
	sun, err := t.spawn(0, Local{Scale: 1})
	if err != nil {
		return err
	}
	earth, err := t.spawn(sun, Local{X: 10, Scale: 0.5})
	if err != nil {
		return err
	}
	if _, err = t.spawn(earth, Local{X: 4, Scale: 0.5}); err != nil {
		return err
	}
	for _, turn := range []struct {
		what string
		who  ecs.Entity
		at   Local
	}{
		{"at first", sun, Local{Scale: 1}},
		{"the sun turns", sun, Local{Angle: math.Pi / 2, Scale: 1}},
		{"the earth turns", earth, Local{X: 10, Angle: math.Pi, Scale: 0.5}},
	} {
		if err := t.move(turn.who, turn.at); err != nil {
			return err
		}
		if err := world.Step(1); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d placed\n", turn.what, t.placed)
		for e, depth := range world.ChildOf().DepthFirst(sun) {
			g, _ := t.global.Get(e)
			fmt.Fprintf(out, "  %-5s (%3.0f, %3.0f)\n", [...]string{"sun", "earth", "moon"}[depth], g.X+0, g.Y+0)
		}
	}
	return nil
}
