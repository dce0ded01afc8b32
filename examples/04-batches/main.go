// Command 04-batches moves the same crowd three times: entity by entity, in
// batches, and with operations on whole columns. The results are the same, to
// the last bit.
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

// Position and Velocity are in metres and metres per second.
type (
	Position struct{ X, Y float64 }
	Velocity struct{ X, Y float64 }
)

func main() {
	if err := run(os.Stdout, scripts); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, scripts fs.FS) error {
	for _, way := range []string{"each", "batch", "bulk"} {
		sum, err := simulate(scripts, "move."+way)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-5s %.9f\n", way, sum)
	}
	return nil
}

// simulate runs one of the three systems over a thousand entities and returns
// the sum of all coordinates.
func simulate(scripts fs.FS, system string) (sum float64, err error) {
	world := ecs.NewWorld()
	defer world.Close()
	position, velocity := ecs.Register[Position](world), ecs.Register[Velocity](world)
	for i := range 1000 {
		f := float64(i)
		world.Spawn(position.With(Position{f, -f}), velocity.With(Velocity{1 / (f + 1), f / 7}))
	}
	host, err := scripting.New(world, scripting.Options{})
	if err != nil {
		return 0, err
	}
	defer host.Close()
	if err := host.Load(scripts); err != nil {
		return 0, err
	}
	world.Schedule().Enable(system, true)
	for range 100 {
		if err := host.Step(1.0 / 60); err != nil {
			return 0, err
		}
	}
	for _, p := range ecs.Rows(world.Query(ecs.Read(position)), position) {
		sum += p.X + p.Y
	}
	return sum, nil
}
