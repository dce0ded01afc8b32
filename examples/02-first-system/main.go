// Command 02-first-system runs a Lua system and a Go system side by side, in one
// schedule and on the same components.
package main

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

//go:embed *.lua
var scripts embed.FS

// Height is how high a ball is, in metres.
type Height struct{ M float64 }

// Speed is how fast it rises, in metres per second.
type Speed struct{ MPS float64 }

func main() {
	if err := run(os.Stdout, scripts); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, scripts fs.FS) error {
	world := ecs.NewWorld()
	defer world.Close()
	height, speed := ecs.Register[Height](world), ecs.Register[Speed](world)
	ball := world.Spawn(height.With(Height{10}), speed.With(Speed{}))
	if err := world.Schedule().Add(move(world, height, speed)); err != nil {
		return err
	}

	host, err := scripting.New(world, scripting.Options{})
	if err != nil {
		return err
	}
	defer host.Close()
	if err := host.Load(scripts); err != nil {
		return err
	}
	fmt.Fprintln(out, "order:", world.Schedule().Names())
	for tick := 1; tick <= 8; tick++ {
		if err := host.Step(0.25); err != nil {
			return err
		}
		h, _ := height.Get(ball)
		fmt.Fprintf(out, "tick %d: %6.2f m\n", tick, h.M)
	}
	return nil
}

// move is the Go system: it changes the height by the speed.
func move(world *ecs.World, height ecs.Component[Height], speed ecs.Component[Speed]) ecs.System {
	balls := world.Query(ecs.Write(height), ecs.Read(speed))
	return ecs.System{
		Name: "move", Phase: ecs.Physics, Queries: []*ecs.Query{balls},
		Run: func(t *ecs.Tick) error {
			for c := range balls.Chunks() {
				hs, vs := height.Mut(c), speed.Of(c)
				for i := range hs {
					hs[i].M += vs[i].MPS * t.DT
				}
			}
			return nil
		},
	}
}
