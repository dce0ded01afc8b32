package scripting_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// unit is a file with an on_start, a timer, state, an event that waits and a value to
// hand over.
const unit = `local T, s, n = ecs.tag("T"), ecs.state("unit", { n = 0 }), 0
ecs.on_start(function() ecs.spawn(T) ecs.every(1 / 64, "beat") end)
ecs.handler("beat", function() s.n = s.n + 1 end)
ecs.on_unload(function() return n end)
ecs.on_reload(function(old) n = old + 1 end)
ecs.system "unit" { run = function() ecs.log(ecs.count(T), s.n, n) end }`

// TestRenamedFilesGoOn: a file under another name is the same file, in one reload and in
// two: what it has begun goes on, on_start does not run again, what is handed over comes.
func TestRenamedFilesGoOn(t *testing.T) {
	r := loaded(t, "a.lua", unit, "keep.lua", `local list = {} return { put = function(t) list[1] = t end, list = list }`)
	r.run(3)
	r.wantLog("1 1 0 1 2 0 1 3 0")
	r.remove("a.lua")
	r.save("sub/b.lua", unit)
	r.accepted()
	r.run(1)
	r.wantLog("1 4 1 1 5 1")
	if got := r.verdict(); !strings.HasSuffix(got, "sub/b.lua: renamed from a.lua") {
		t.Error(got)
	}
	// The new file first, which is refused, for its names are taken; then the other goes.
	r.save("c.lua", unit+"\n-- and a word")
	r.refused("sub/b.lua")
	r.remove("sub/b.lua")
	r.accepted()
	if got := r.verdict(); !strings.HasSuffix(got, "c.lua: renamed from sub/b.lua, with changes: its on_start does not run again") {
		t.Error(got)
	}
	r.logged()
	// The file goes, and comes back later.
	r.remove("c.lua")
	r.step(1)
	r.step(3)
	r.errors = nil
	r.save("d.lua", unit+"\n-- and a word")
	r.accepted()
	if got := r.verdict(); !strings.HasSuffix(got, "d.lua: the text of c.lua, which went before: taken for the same file, so its on_start does not run again") {
		t.Error(got)
	}
	r.run(2)
	if r.world.Len() != 1 {
		t.Errorf("%d entities, want 1", r.world.Len())
	}
	// Under its first name it is still the same.
	r.remove("d.lua")
	r.save("a.lua", unit+"\n-- and a word")
	r.accepted()
	r.run(2)
	if r.world.Len() != 1 {
		t.Errorf("%d entities, want 1", r.world.Len())
	}
}

// TestFilesThatAreNew: one that has little of what goes, a copy, and one that takes the
// name of a file that has moved. Each is told of.
func TestFilesThatAreNew(t *testing.T) {
	part := func(n, of string) string {
		text := `ecs.on_start(function() ecs.log("start ` + n + `") end) `
		for _, name := range strings.Fields(of) {
			text += `ecs.system "` + name + `" { run = function() end } `
		}
		return text
	}
	r := loaded(t, "a.lua", part("1", "a b c d"))
	r.run(1)
	r.wantLog("start 1")
	// Split: the file with the greater part is the old one.
	r.remove("a.lua")
	r.save("big.lua", part("2", "a b c"), "small.lua", part("3", "d"))
	r.accepted()
	r.wantLog("start 3")
	if got := r.verdict(); !strings.Contains(got, "big.lua: renamed from a.lua, with changes: its on_start does not run again") ||
		!strings.Contains(got, "small.lua: a new file, though it declares 1 of the 4 names of a.lua, which is gone: its on_start runs") {
		t.Error(got)
	}
	// Split in halves: nobody is.
	r.remove("big.lua")
	r.save("x.lua", part("4", "a e"), "y.lua", part("5", "b c f g"))
	r.accepted()
	r.wantLog("start 4 start 5")
	if got := r.verdict(); strings.Contains(got, "renamed") || strings.Count(got, "of the 3 names of big.lua") != 2 {
		t.Error(got)
	}
	// Joined: the one that had the most of it.
	r.remove("x.lua", "small.lua", "y.lua")
	r.save("z.lua", part("6", "a b c d e f g"))
	r.accepted()
	r.wantLog("")
	if got := r.verdict(); !strings.Contains(got, "z.lua: renamed from y.lua, with changes") {
		t.Error(got)
	}
	// A copy is no rename.
	r.save("m.lua", `ecs.on_start(function() ecs.log("m") end) local T = ecs.tag("T")`)
	r.accepted()
	r.save("n.lua", `ecs.on_start(function() ecs.log("m") end) local T = ecs.tag("T")`)
	r.accepted()
	r.wantLog("m m")
	// The old text moves to a new name, and its name gets another file.
	r.save("k.lua", part("6", "a b c d e f g"), "z.lua", part("7", "h"))
	r.accepted()
	r.wantLog("start 7")
	if got := r.verdict(); !strings.Contains(got, "k.lua: renamed from z.lua") || !strings.Contains(got, "z.lua: another file under this name, so its on_start runs") {
		t.Error(got)
	}
	// A refused rename is none.
	r.remove("k.lua")
	r.save("q.lua", part("8", "a b c d e f g")+" if")
	r.refused("q.lua")
	r.save("q.lua", part("8", "a b c d e f g"))
	r.accepted()
	r.wantLog("")
}

// TestRenamedFileThatHasNotBegun: on_start functions that have failed are run by the new
// file, those that have run are not.
func TestRenamedFileThatHasNotBegun(t *testing.T) {
	text := func(why string) string {
		return `ecs.system "s" { run = function() end } ecs.on_start(function() ecs.log("one") end) ecs.on_start(function() ` + why + ` ecs.log("two") end)`
	}
	r := loaded(t, "a.lua", text(`error("no")`))
	r.step(1)
	r.wantError("a.lua:2", "no")
	r.wantLog("one")
	r.remove("a.lua")
	r.save("b.lua", text(""))
	r.accepted()
	r.wantLog("two")
}

// TestRenamedFolder holds that the files of a folder that is renamed are found again, and
// that the work for it grows with the files and not with their square, by what is allocated.
func TestRenamedFolder(t *testing.T) {
	moved := func(files int) uint64 {
		r := newGame(t, scripting.Limits{})
		name := func(folder string, i int) string { return fmt.Sprintf("%s/f%d.lua", folder, i) }
		text := func(i int, more string) string {
			var b strings.Builder
			for k := range 30 {
				fmt.Fprintf(&b, "ecs.handler('h%d_%d', function() end)\n", i, k)
			}
			return b.String() + more
		}
		for i := range files {
			r.write(name("old", i), text(i, ""))
		}
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		var changed, removed []string
		for i := range files {
			delete(r.folder, name("old", i))
			r.write(name("new", i), text(i, "-- edited"))
			changed, removed = append(changed, name("new", i)), append(removed, name("old", i))
		}
		r.host.Stage(changed, removed)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r.step(1)
		runtime.ReadMemStats(&after)
		if got := r.verdict(); strings.Count(got, "renamed from old/") != files {
			t.Fatal(got)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	once, twice := moved(40), moved(80)
	if ratio := float64(twice) / float64(once); ratio > 2.6 {
		t.Errorf("%d bytes, and %d for twice as many files: %.1f times as many", once, twice, ratio)
	}
}

// TestRenamedFolderOfOneText: many files with one text, which declare one component, are those of the same places in the folder that is renamed, on_start
// does not run again, and the work does not grow with their square.
func TestRenamedFolderOfOneText(t *testing.T) {
	moved := func(files int) uint64 {
		r := newGame(t, scripting.Limits{})
		name := func(folder string, i int) string { return fmt.Sprintf("%s/f%03d.lua", folder, i) }
		const text = "local C = ecs.component('C', { x = 1 }) ecs.on_start(function() ecs.spawn(C) end)"
		for i := range files {
			r.write(name("old", i), text)
		}
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		var changed, removed []string
		for i := range files {
			delete(r.folder, name("old", i))
			r.write(name("new", i), text)
			changed, removed = append(changed, name("new", i)), append(removed, name("old", i))
		}
		r.host.Stage(changed, removed)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r.step(1)
		runtime.ReadMemStats(&after)
		verdict := r.verdict()
		for i := range files {
			if want := fmt.Sprintf("%s: renamed from %s\n", name("new", i), name("old", i)); !strings.Contains(verdict+"\n", want) {
				t.Fatalf("%q is not in %.2000s", want, verdict)
			}
		}
		if n := r.world.Len(); n != files {
			t.Errorf("%d entities after %d on_start", n, files)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	once, twice := moved(150), moved(300)
	if ratio := float64(twice) / float64(once); ratio > 2.6 {
		t.Errorf("%d bytes, and %d for twice as many files: %.1f times as many", once, twice, ratio)
	}
}

// TestHalfIsNotStanding: a file with half of the names of the one that it replaces is another
// one, and the text that has gone elsewhere goes on there. What has gone under a name goes
// on once: the next file with its text is a copy.
func TestHalfIsNotStanding(t *testing.T) {
	file := func(tags string) string {
		return `ecs.on_start(function() ecs.log("` + tags + `") end) local A = ecs.tag("A") local B = ecs.tag("` + tags[1:] + `")`
	}
	r := loaded(t, "a.lua", file("AB"))
	r.run(1)
	r.wantLog("AB")
	r.save("a.lua", file("AC"), "b.lua", file("AB"))
	r.accepted()
	r.wantLog("AC")
	if got := r.verdict(); !strings.Contains(got, "b.lua: renamed from a.lua") {
		t.Error(got)
	}
	r.remove("b.lua")
	r.accepted()
	r.save("c.lua", file("AB"))
	r.accepted()
	r.save("d.lua", file("AB"))
	r.accepted()
	r.wantLog("AB")
	if got := r.verdict(); strings.Contains(got, "b.lua") {
		t.Error(got)
	}
}

// TestNewFileLikeOneThatWent: a file that has names of one which was removed in an earlier reload
// is a new one, and the verdict says so.
func TestNewFileLikeOneThatWent(t *testing.T) {
	const text = `
local Boss = ecs.component("Boss", { hp = 100 })
ecs.on_start(function() ecs.spawn(Boss) end)
ecs.handler("h", function() end)
ecs.system "think" { query = { Boss }, each = function(e, b) b.hp = b.hp + 1 end }`
	r := loaded(t, "a.lua", text, "other.lua", "")
	r.run(1)
	r.remove("a.lua")
	r.run(1)
	r.save("b.lua", strings.Replace(text, "b.hp + 1", "b.hp + 2", 1), "c.lua", `ecs.on_start(function() end)`)
	r.run(1)
	const want = "b.lua: a new file, though it declares 3 of the 3 names of a.lua, which went before: its on_start runs"
	if got := r.verdict(); !strings.Contains(got, want) || strings.Contains(got, "c.lua: a new file") {
		t.Errorf("the verdict is %s, want %s", got, want)
	}
	r.save("b.lua", strings.Replace(text, "b.hp + 1", "b.hp + 3", 1))
	r.run(1)
	if got := r.verdict(); strings.Contains(got, "a new file") {
		t.Errorf("the verdict of a file that stays is %s", got)
	}
}

// TestTheLastThatWentAreRemembered: of files that are gone the last thousand do not start again when they come back, in the game and in
// what a capture keeps.
func TestTheLastThatWentAreRemembered(t *testing.T) {
	starts := func(name string) string { return fmt.Sprintf("ecs.on_start(function() ecs.log(%q) end)", name) }
	name := func(i int) string { return fmt.Sprintf("f%04d.lua", i) }
	r := newGame(t, scripting.Limits{LogLines: -1})
	const most, batch = 1000, 300
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	for from := 0; from < most+batch; from += batch {
		var files, names []string
		for i := from; i < from+batch; i++ {
			files, names = append(files, name(i), starts(name(i))), append(names, name(i))
		}
		r.save(files...)
		r.accepted()
		r.remove(names...)
		r.accepted()
	}
	r.logged()
	kept, err := r.host.Capture()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(kept.Scripts().Encode()), `"name":"f`); n != most {
		t.Errorf("%d files are kept", n)
	}
	r.save(name(0), starts("first")+" -- anew", name(1499), starts("last")+" -- anew")
	r.accepted()
	r.wantLog("first")
	if _, err := r.host.Restore(kept); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	r.wantLog("first")
}
