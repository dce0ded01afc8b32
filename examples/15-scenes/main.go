// Command 15-scenes loads a scene, lets the game run, and saves the scene again with changes: what
// the game has changed stays, and the rest becomes what the file says.
package main

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

//go:embed *.lua scenes
var scripts embed.FS

// Place and Cargo are declared in Go, to print them here.
type (
	Place struct{ X, Y float64 }
	Cargo struct{ Crates int32 }
)

func main() {
	if err := run(os.Stdout, scripts); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, scripts fs.FS) error {
	dir, err := os.MkdirTemp("", "harbour") // a folder that somebody edits
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, scripts); err != nil {
		return err
	}
	world := ecs.NewWorld()
	defer world.Close()
	place, cargo := ecs.Register[Place](world), ecs.Register[Cargo](world)
	host, err := scripting.New(world, scripting.Options{})
	if err != nil {
		return err
	}
	defer host.Close()
	if err := host.Load(os.DirFS(dir)); err != nil {
		return err
	}
	show := func(when string) {
		fmt.Fprintf(out, "%s:\n", when)
		for _, name := range []string{"pier", "tug", "barge"} {
			e := host.SceneEntity("harbour", name)
			if p, ok := place.Get(e); ok {
				c, _ := cargo.Get(e)
				fmt.Fprintf(out, "  the %s is at %g, %g with %d crates\n", name, p.X, p.Y, c.Crates)
			}
		}
	}
	if err := steps(host, 1); err != nil {
		return err
	}
	show("loaded")
	if err := steps(host, 10); err != nil {
		return err
	}
	show("after ten ticks")

	if err := save(host, dir, "pier_y = 0", "pier_y = 7", "crates = 3", "crates = 30"); err != nil {
		return err
	}
	show("the scene was saved")
	return nil
}

// steps runs ticks.
func steps(host *scripting.Host, n int) error {
	for range n {
		if err := host.Step(1); err != nil {
			return err
		}
	}
	return nil
}

// save changes words of the scene, as an editor does, and announces the file.
func save(host *scripting.Host, dir string, changes ...string) error {
	file := filepath.Join(dir, "scenes", "harbour.lua")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed := strings.NewReplacer(changes...).Replace(string(text))
	if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
		return err
	}
	host.Stage([]string{"scenes/harbour.lua"}, nil)
	return host.Step(0)
}
