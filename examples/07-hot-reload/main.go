// Command 07-hot-reload edits a script while the game runs: once well, once
// badly, and once well again. What the world knows stays.
package main

import (
	"embed"
	"fmt"
	"io"
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
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer) error {
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

	// Watch first and load afterwards: no save is lost in between.
	saves := make(saves, 16)
	watcher, err := hotreload.Watch(dir, saves, hotreload.Options{})
	if err != nil {
		return err
	}
	defer watcher.Close()
	if err := host.Load(os.DirFS(dir)); err != nil {
		return err
	}

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
		change := <-saves // a game would look here once a tick, and not wait
		host.Stage(change.Changed, change.Removed)
	}
	return play()
}

// saves hands over what the watcher found.
type saves chan hotreload.Change

// FilesChanged makes it a hotreload.Sink.
func (s saves) FilesChanged(c hotreload.Change) { s <- c }

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
