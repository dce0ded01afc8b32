// Command 07-hot-reload edits a script while the game runs: once well, once
// badly, and once well again. What the world knows stays.
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
	"github.com/perigee-ecs/perigee/hotreload"
	"github.com/perigee-ecs/perigee/scripting"
)

//go:embed *.lua
var scripts embed.FS

// Gold is what the miners have dug up.
type Gold struct{ Nuggets float64 }

// edits are what a designer does to mine.lua, one after the other.
var edits = []struct{ old, new string }{
	{"per_dig = 1", "per_dig = 100"},
	{"per_dig = 100", "per_dig = = 5"}, // a slip of the finger
	{"per_dig = = 5", "per_dig = 5"},
}

func main() {
	if err := run(os.Stdout, scripts); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, scripts fs.FS) error {
	dir, err := os.MkdirTemp("", "perigee-reload")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, scripts); err != nil {
		return err
	}

	world := ecs.NewWorld()
	defer world.Close()
	gold := ecs.Register[Gold](world)
	chest := world.Spawn(gold.With(Gold{}))
	host, err := scripting.New(world, scripting.Options{OnReload: func(r scripting.Reload) {
		fmt.Fprintf(out, "reload of %v: %s\n", r.Changed, verdict(r))
	}})
	if err != nil {
		return err
	}
	defer host.Close()

	staged := make(chan struct{}, 16)
	// Follow loads the folder, and stages each save on a goroutine of its own. A game
	// hands it the host as it is; this one also says when a save is staged.
	watcher, err := hotreload.Follow(dir, announced{host, staged}, hotreload.Options{})
	if err != nil {
		return err
	}
	defer watcher.Close()

	play := func() error {
		for range 3 {
			if err := host.Step(1); err != nil {
				return err
			}
		}
		g, _ := gold.Get(chest)
		_, err := fmt.Fprintf(out, "%g nuggets\n", g.Nuggets)
		return err
	}
	for _, e := range edits {
		if err := play(); err != nil {
			return err
		}
		if err := edit(filepath.Join(dir, "mine.lua"), e.old, e.new); err != nil {
			return err
		}
		<-staged // for the example's output only: a game goes on with its steps
	}
	return play()
}

// announced is the host, which says when a save is staged.
type announced struct {
	*scripting.Host
	staged chan struct{}
}

// Stage implements hotreload.Stager.
func (a announced) Stage(changed, removed []string) {
	a.Host.Stage(changed, removed)
	a.staged <- struct{}{}
}

func edit(file, old, new string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(strings.Replace(string(text), old, new, 1)), 0o644)
}

func verdict(r scripting.Reload) string {
	if r.Err != nil {
		return "refused, " + r.Err.Error()
	}
	return "ok"
}
