// Command 01-embed is the smallest host: a world, a folder of scripts, a loop.
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

// Position is shared: Go sees a slice of structs, Lua sees x and y.
type Position struct{ X, Y float64 }

func main() {
	if err := run(os.Stdout, scripts); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, scripts fs.FS) error {
	world := ecs.NewWorld()
	defer world.Close()
	position := ecs.Register[Position](world)
	ship := world.Spawn(position.With(Position{X: 100}))

	host, err := scripting.New(world, scripting.Options{})
	if err != nil {
		return err
	}
	defer host.Close()
	if err := host.Load(scripts); err != nil {
		return err
	}
	for range 60 {
		if err := host.Step(1.0 / 60); err != nil {
			return err
		}
	}
	p, _ := position.Get(ship)
	_, err = fmt.Fprintf(out, "after one second the ship is at %.1f, %.1f\n", p.X, p.Y)
	return err
}
