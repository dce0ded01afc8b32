package hotreload_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/perigee-ecs/perigee/hotreload"
)

// game takes settled sets between two ticks.
type game struct{ changes chan hotreload.Change }

func (g game) FilesChanged(c hotreload.Change) { g.changes <- c }

// Watch first, then load through the watcher: no save is lost in between.
func Example() {
	dir, err := os.MkdirTemp("", "scripts")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	save := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
	save("wander.lua", "return 1")

	g := game{changes: make(chan hotreload.Change, 16)}
	w, err := hotreload.Watch(dir, g, hotreload.Options{})
	if err != nil {
		panic(err)
	}
	defer w.Close()

	load := func(names []string) {
		for _, name := range names {
			text, err := w.ReadFile(name)
			fmt.Printf("%s: %s %v\n", name, text, err)
		}
	}
	load(w.Files())
	save("wander.lua", "return 2") // somebody's editor
	load((<-g.changes).Changed)
	// Output:
	// wander.lua: return 1 <nil>
	// wander.lua: return 2 <nil>
}

// scripts is a host: it prints what it runs. A scripting.Host is used in the same way.
type scripts struct {
	folder fs.FS
	staged chan struct{}
}

func (s *scripts) Load(folder fs.FS) error {
	s.folder = folder
	names, err := fs.Glob(folder, "*.lua")
	s.run(names)
	return err
}

func (s *scripts) Stage(changed, removed []string) {
	s.run(changed)
	s.staged <- struct{}{}
}

func (s *scripts) run(names []string) {
	for _, name := range names {
		text, err := fs.ReadFile(s.folder, name)
		fmt.Printf("%s: %s %v\n", name, text, err)
	}
}

// Follow is what most hosts need: load a folder now, and stage its saves later.
func ExampleFollow() {
	dir, err := os.MkdirTemp("", "scripts")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	save := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "wander.lua"), []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
	save("return 1")

	host := &scripts{staged: make(chan struct{})}
	w, err := hotreload.Follow(dir, host, hotreload.Options{})
	if err != nil {
		panic(err)
	}
	defer w.Close()
	save("return 2") // somebody's editor
	<-host.staged
	// Output:
	// wander.lua: return 1 <nil>
	// wander.lua: return 2 <nil>
}
