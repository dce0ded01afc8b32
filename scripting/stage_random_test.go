package scripting_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"weak"

	"github.com/perigee-ecs/perigee/scripting"
)

var stageGames = flag.Int("stage.games", 150, "games in which files are staged at any moment")

// TestWhatIsSavedComesIntoForce stages saves, removals, texts and programs at any moment: between two steps, from the
// host's goroutine and from others, and while a step swaps a set in. Some are refused at first. When all that was
// broken is mended and staged, what is in force is what is on disk, however it came there.
//
//	go test ./scripting -run WhatIsSavedComesIntoForce -stage.games 10000
func TestWhatIsSavedComesIntoForce(t *testing.T) {
	sideBySide(t)
	reached := map[string]int{}
	for seed := range uint64(*stageGames) {
		g := newStagedGame(t, seed, reached)
		for range 40 {
			g.act()
		}
		g.settle()
		on, in := g.onDisk(), maps.Clone(g.host.Texts())
		if on["d.json"] == nil {
			delete(in, "d.json") // nobody asks any more
		}
		if !maps.EqualFunc(on, in, func(a, b []byte) bool { return string(a) == string(b) }) {
			t.Fatalf("seed %d: in force is %q, on disk %q\n%s", seed, in, on, strings.Join(g.story, "\n"))
		}
		g.close(t)
	}
	for _, what := range []string{"save", "broken", "remove", "folder", "text", "scene", "unload", "step", "hook", "hook save", "hook broken", "hook remove", "hook folder", "program", "hook program", "refused"} {
		if reached[what] == 0 {
			t.Errorf("never: %s (%v)", what, reached)
		}
	}
}

// stagedGame is a room whose folder changes.
type stagedGame struct {
	*room
	t       *testing.T
	random  *rand.Rand
	mu      sync.Mutex // guards the folder: it is read by others
	disk    *fstest.MapFS
	hooks   int
	inHook  bool
	saves   int
	waits   bool // a program was staged, and no step has taken it: files come from the folder before
	story   []string
	reached map[string]int
}

// lockedFolder is the folder of the game, as it is at the moment.
type lockedFolder struct {
	*fstest.MapFS
	mu *sync.Mutex
}

func (f lockedFolder) ReadFile(name string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.MapFS.ReadFile(name)
}

func newStagedGame(t *testing.T, seed uint64, reached map[string]int) *stagedGame {
	g := &stagedGame{room: openRoom(t, scripting.Options{}), t: t, random: rand.New(rand.NewPCG(seed, 7)), disk: &fstest.MapFS{}, reached: reached}
	for _, name := range []string{"a.lua", "lib.lua", "sub/b.lua"} {
		g.put(name, g.file(name, false))
	}
	g.put("d.json", g.file("d.json", false))
	_, err := g.host.OnReload(func(v scripting.Reload) {
		if v.Err != nil {
			g.note("refused")
		}
	})
	musts(t, err, g.host.Expose("hook", func() {
		if g.inHook || g.hooks == 0 {
			return
		}
		g.hooks--
		g.note("hook")
		done := make(chan bool)
		go func() {
			defer close(done)
			g.inHook = true
			g.change()
			g.inHook = false
		}()
		<-done
	}), g.host.Load(lockedFolder{g.disk, &g.mu}), g.host.Step(1))
	return g
}

func (g *stagedGame) note(what string) {
	if g.inHook {
		what = "hook " + what
	}
	g.reached[what]++
	g.story = append(g.story, what)
}

// file is a new text: of a script that may require another, and calls the hook where a step runs it.
func (g *stagedGame) file(name string, broken bool) *fstest.MapFile {
	g.saves++
	text := fmt.Sprintf("local saved = %d ", g.saves)
	if strings.HasSuffix(name, ".json") {
		text = fmt.Sprintf(`{ "saved": %d }`, g.saves)
		if strings.HasPrefix(name, "scenes/") {
			text = fmt.Sprintf(`{ "entities": { "e%d": {} } }`, g.saves)
		}
		if broken {
			text = "{"
		}
		return &fstest.MapFile{Data: []byte(text)}
	}
	if g.random.IntN(3) == 0 && name != "lib.lua" {
		text += `require "lib" `
	}
	if g.random.IntN(3) == 0 {
		text += `require("ecs").data("d.json") `
	}
	if g.random.IntN(2) == 0 {
		text += `require("host").hook() `
	}
	if broken {
		text += `error("broken")`
	}
	return &fstest.MapFile{Data: []byte(text + "\nreturn {}")}
}

var stagedNames = []string{"a.lua", "lib.lua", "c.lua", "sub/b.lua", "sub/d.lua", "d.json", "scenes/one.json"}

// act does something between two steps, or makes one.
func (g *stagedGame) act() {
	switch g.random.IntN(12) {
	case 0:
		g.note("scene")
		_ = g.host.LoadScene("one") // there may be none
	case 1:
		g.note("unload")
		_ = g.host.Unload("c.lua") // likewise
		if !g.waits {
			g.put("c.lua", nil)
			g.host.Stage(nil, []string{"c.lua"})
		}
	case 2, 3, 4, 5:
		g.step(g.random.IntN(3))
	default:
		g.change()
	}
}

// step makes a step, in which some calls of the hook change files.
func (g *stagedGame) step(hooks int) {
	g.note("step")
	waited := g.waits
	g.hooks = hooks
	musts(g.t, g.host.Step(1))
	if g.hooks = 0; waited {
		g.waits = false
	}
}

// settle mends what is broken or missing, and stages that alone.
func (g *stagedGame) settle() {
	g.step(0)
	g.step(0)
	for _, name := range stagedNames {
		f := (*g.disk)[name]
		broken := f != nil && (strings.Contains(string(f.Data), "broken") || string(f.Data) == "{")
		if broken || f == nil && (name == "lib.lua" || name == "d.json") {
			g.put(name, g.file(name, false))
			g.host.Stage([]string{name}, nil)
		}
	}
	g.step(0)
	g.step(0)
}

// onDisk returns the texts that must be in force: a data file is when a script asks for it.
func (g *stagedGame) onDisk() map[string][]byte {
	texts := map[string][]byte{}
	asked := false
	for name, f := range *g.disk {
		texts[name] = f.Data
		asked = asked || strings.Contains(string(f.Data), "d.json")
	}
	if !asked {
		delete(texts, "d.json")
	}
	return texts
}

// change changes files, and stages that.
func (g *stagedGame) change() {
	if g.waits {
		return
	}
	name := stagedNames[g.random.IntN(len(stagedNames))]
	switch g.random.IntN(9) {
	case 0, 1, 2:
		g.note("save")
		g.put(name, g.file(name, false))
		g.host.Stage([]string{name}, nil)
	case 3:
		g.note("broken")
		g.put(name, g.file(name, true))
		g.host.Stage([]string{name}, nil)
	case 4:
		g.note("remove")
		g.put(name, nil)
		g.host.Stage(nil, []string{name})
	case 5:
		g.note("folder")
		g.put("sub/b.lua", nil)
		g.put("sub/d.lua", nil)
		g.host.Stage(nil, []string{"sub"})
	case 6:
		g.note("text")
		file := g.file(name, g.random.IntN(3) == 0)
		musts(g.t, g.host.StageTexts(context.Background(), map[string][]byte{name: file.Data}))
		g.put(name, file)
	case 7, 8:
		if g.inHook && g.random.IntN(2) == 0 {
			return
		}
		g.program()
	}
}

// program stages a program of other texts, all of them good, which is the disk from then on. It is the last thing
// before a step takes it: files would come from the folder of before.
func (g *stagedGame) program() {
	next := fstest.MapFS{}
	for _, name := range stagedNames {
		if old := (*g.disk)[name]; old != nil && g.random.IntN(3) > 0 && !strings.Contains(string(old.Data), "broken") && string(old.Data) != "{" {
			next[name] = old
		} else if g.random.IntN(2) == 0 {
			next[name] = g.file(name, false)
		}
	}
	if next["lib.lua"] == nil {
		next["lib.lua"] = g.file("lib.lua", false)
	}
	if next["d.json"] == nil {
		next["d.json"] = g.file("d.json", false)
	}
	p, err := scripting.Compile(lockedFolder{&next, &g.mu}, scripting.Limits{})
	musts(g.t, err)
	g.note("program")
	musts(g.t, g.host.StageProgram(context.Background(), p))
	g.disk, g.waits = &next, true
}

// put changes a file; nil removes it.
func (g *stagedGame) put(name string, f *fstest.MapFile) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f == nil {
		delete(*g.disk, name)
	} else {
		(*g.disk)[name] = f
	}
}

// TestProgramsThatWereLeftGo: a room that has left a Program behind keeps nothing of it, not even for kernels.
func TestProgramsThatWereLeftGo(t *testing.T) {
	text := func(n int) fstest.MapFS {
		return roomFolder("a.lua", fmt.Sprintf(`local Place = ecs.component("Place", { x = 0 })
ecs.system "move" { query = { Place }, each = function(e, p) p.x = p.x + %d end }`, n))
	}
	room := openRoom(t, scripting.Options{})
	defer room.close(t)
	first := compiled(t, text(1))
	left := []weak.Pointer[scripting.Program]{weak.Make(first)}
	musts(t, room.host.Load(first), room.host.Step(1))
	first = nil
	for n := range 4 {
		next := compiled(t, text(n+2))
		left = append(left, weak.Make(next))
		musts(t, room.host.StageProgram(t.Context(), next), room.host.Step(1), room.host.Step(1), room.fault)
	}
	if room.host.Kernels()[0].Reason != "" {
		t.Fatal(room.host.Kernels())
	}
	runtime.GC()
	runtime.GC()
	kept := slices.DeleteFunc(left, func(p weak.Pointer[scripting.Program]) bool { return p.Value() == nil })
	if len(kept) != 1 {
		t.Errorf("%d of %d programs are kept", len(kept), len(left))
	}
}
