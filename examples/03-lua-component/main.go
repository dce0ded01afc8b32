// Command 03-lua-component lets Lua declare a component, and reads it in Go:
// once by its schema, as a tool would, and once as a Go type.
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

// Health is what health.lua declares. Lua tables have no order, so its fields
// lie in the order of their names, and so do these.
type Health struct {
	HP    float32 `ecs:"hp"`
	Max   float32
	Regen float32
}

func main() {
	if err := run(os.Stdout, scripts); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, scripts fs.FS) error {
	world := ecs.NewWorld()
	defer world.Close()
	host, err := scripting.New(world, scripting.Options{})
	if err != nil {
		return err
	}
	defer host.Close()
	if err := host.Load(scripts); err != nil {
		return err
	}

	id, ok := world.Raw().ComponentNamed("Health")
	if !ok {
		return fmt.Errorf("the scripts declare no component %q", "Health")
	}
	for _, f := range world.Raw().Schema(id).Fields {
		fmt.Fprintf(out, "%-5s %s at byte %d\n", f.Name, f.Kind, f.Offset)
	}

	for range 3 { // the first spawns, and each heals for a second
		if err := host.Step(1); err != nil {
			return err
		}
	}
	health, err := ecs.TryRegister[Health](world) // binds the Go type to Lua's component
	if err != nil {
		return err // the script has changed, and the error says in which fields
	}
	for _, h := range ecs.Rows(world.Query(ecs.Read(health)), health) {
		fmt.Fprintf(out, "%g of %g\n", h.HP, h.Max)
	}
	return nil
}
