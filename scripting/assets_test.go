package scripting_test

import (
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs/asset"
	"github.com/perigee-ecs/perigee/scripting"
)

// withAssets opens a store of some files, and returns its table.
func (r *game) withAssets(names ...string) *asset.Cache[string] {
	r.Helper()
	files := fstest.MapFS{}
	for _, name := range names {
		files[name] = &fstest.MapFile{Data: []byte("text of " + name)}
	}
	store, err := asset.Open(r.world, files)
	if err != nil {
		r.Fatal(err)
	}
	table, err := asset.Register(store, func(files fs.FS, name string) (string, error) {
		text, err := fs.ReadFile(files, name)
		return string(text), err
	}, "*.png")
	if err != nil {
		r.Fatal(err)
	}
	return table
}

// TestAssets: a script gets the ID that the program has for a path, and the value is loaded; in rows that
// are compiled it is a number.
func TestAssets(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	table := r.withAssets("ships/scout.png", "late.png")
	r.write("a.lua", `
local scout = ecs.asset("ships/scout.png")
local Sprite = ecs.component("Sprite", { picture = ecs.u32(), seen = 0 })
ecs.on_start(function() ecs.spawn(Sprite { picture = scout }) end)
ecs.system "s" { query = { Sprite }, each = function(e, sprite) if sprite.picture == scout then sprite.seen = sprite.seen + 1 end end }
ecs.system "t" { run = function() for e in ecs.entities(Sprite) do local sprite = ecs.get(e, Sprite) ecs.log(sprite.picture, sprite.seen) end end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	id := asset.IDOf[string]("ships/scout.png")
	if v, ok := table.Get(id); !ok || v != "text of ships/scout.png" {
		t.Errorf("%q, %v", v, ok)
	}
	r.run(2)
	r.wantLog(fmt.Sprintf("%d 1 %d 2", id, id))
	for _, k := range r.host.Kernels() {
		if k.System == "s" && (!k.Compiled || k.Reason != "") {
			t.Error(k.Reason)
		}
	}
	if gone := asset.Of(r.world).Collect(); len(gone) != 0 {
		t.Errorf("%v went", gone)
	}

	r.save("b.lua", `local late = ecs.asset("late.png")`)
	r.accepted()
	if table.Len() != 2 {
		t.Error("a reload does not load it")
	}
	r.save("b.lua", `local late = ecs.asset("later.png")`)
	r.refused(`later.png`)
	if table.Len() != 2 {
		t.Error("a dry run has loaded something")
	}
}

// TestAssetsRefused: wrong paths have their place, and so has a call while systems run, or in a world
// without a store.
func TestAssetsRefused(t *testing.T) {
	for call, want := range map[string]string{
		`ecs.asset("none.png")`: "none.png",
		`ecs.asset("../a.png")`: "is no path",
		`ecs.asset("a.txt")`:    "no cache takes",
		`ecs.asset(5)`:          "expected a string",
		`ecs.asset()`:           "expected a string, got nil",
		`ecs.on_start(function() ecs.asset("a.png") end)`: "top level",
	} {
		r := newGame(t, scripting.Limits{})
		r.withAssets("a.png")
		r.write("a.lua", call)
		if err := r.host.Load(r.folder); err != nil {
			r.failed(err)
		} else {
			r.step(1)
		}
		r.wantError("a.lua:", want)
	}
	r := newGame(t, scripting.Limits{})
	r.write("a.lua", `ecs.asset("a.png")`)
	r.failed(r.host.Load(r.folder))
	r.wantError("a.lua:", "this host has no assets")
}
