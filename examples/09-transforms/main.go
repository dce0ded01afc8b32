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
	"github.com/perigee-ecs/perigee/scripting/kit"
)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// family is a world with the kit, whose system kit.transform works out where everything is.
type family struct {
	*ecs.World
	local  ecs.Component[kit.Transform]
	global ecs.Component[kit.GlobalTransform]
}

func newFamily(w *ecs.World) (*family, error) {
	if _, err := kit.Install(w, kit.Options{}); err != nil {
		return nil, err
	}
	return &family{w, ecs.Register[kit.Transform](w), ecs.Register[kit.GlobalTransform](w)}, nil
}

// spawn places a new entity below a parent, or nowhere below for parent 0.
func (f *family) spawn(parent ecs.Entity, at kit.Transform) (ecs.Entity, error) {
	e, err := f.TrySpawn(f.local.With(at))
	if err != nil {
		return e, err
	}
	return e, f.SetParent(e, parent)
}

func run(out io.Writer) error {
	world := ecs.NewWorld()
	defer world.Close()
	f, err := newFamily(world)
	if err != nil {
		return err
	}
	sun, err := f.spawn(0, kit.Transform{Scale: 1})
	if err != nil {
		return err
	}
	earth, err := f.spawn(sun, kit.Transform{X: 10, Scale: 0.5})
	if err != nil {
		return err
	}
	if _, err = f.spawn(earth, kit.Transform{X: 4, Scale: 0.5}); err != nil {
		return err
	}
	for _, turn := range []struct {
		what string
		who  ecs.Entity
		at   kit.Transform
	}{
		{"at first", sun, kit.Transform{Scale: 1}},
		{"the sun turns", sun, kit.Transform{Angle: math.Pi / 2, Scale: 1}},
		{"the earth turns", earth, kit.Transform{X: 10, Angle: math.Pi, Scale: 0.5}},
	} {
		*f.local.Edit(turn.who) = turn.at
		if err := world.Step(1); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s:\n", turn.what)
		for e, depth := range world.ChildOf().DepthFirst(sun) {
			g, _ := f.global.Get(e)
			fmt.Fprintf(out, "  %-5s (%3.0f, %3.0f)\n", [...]string{"sun", "earth", "moon"}[depth], g.X+0, g.Y+0)
		}
	}
	return nil
}
