// Command 06-prefabs spawns prefabs with children and shows what came of them.
package main

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

//go:embed *.lua
var scripts embed.FS

// Name is declared in Go, because only Go has strings in components.
type Name struct{ Text string }

func main() {
	if err := run(os.Stdout, scripts); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, scripts fs.FS) error {
	world := ecs.NewWorld()
	defer world.Close()
	name := ecs.Register[Name](world)
	host, err := scripting.New(world, scripting.Options{})
	if err != nil {
		return err
	}
	defer host.Close()
	if err := host.Load(scripts); err != nil {
		return err
	}
	for range 3 {
		if err := host.Step(1); err != nil {
			return err
		}
	}
	for e := range ecs.Rows(world.Query(ecs.Read(name)), name) {
		if world.Parent(e) == 0 {
			show(out, world, name, e, 0)
		}
	}
	return nil
}

// show prints an entity and, deeper, its children.
func show(out io.Writer, world *ecs.World, name ecs.Component[Name], e ecs.Entity, depth int) {
	n, _ := name.Get(e)
	fmt.Fprintf(out, "%s%s\n", strings.Repeat("  ", depth), n.Text)
	for child := range world.Children(e) {
		show(out, world, name, child, depth+1)
	}
}
