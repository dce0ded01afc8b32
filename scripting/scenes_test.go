package scripting_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/internal/nearest"
	"github.com/perigee-ecs/perigee/scripting"
)

const campScene = `-- the camp
local x = 10
return {
  entities = {
    fire = { components = { Position = { x = x, y = 20 }, Light = { color = "red", strength = 0.5 } } },
    guard = {
      prefab = "Orc", parent = "fire",
      components = { Position = { x = x + 2 }, Target = { who = "fire", marks = { 1, 2 } }, Frozen = true },
    },
    ["second guard"] = { prefab = "Orc", components = { Health = { hp = 7 }, Target = { who = "guard" } } },
  },
}
`

const campScript = `
local Health = ecs.component("Health", { hp = ecs.f32(100), max = ecs.f32(100) })
local Light = ecs.component("Light", { color = ecs.enum("white", "red"), strength = ecs.f32(1), on = ecs.bool(true) })
local Target = ecs.component("Target", { who = ecs.entity(), marks = ecs.array(ecs.u8(), 2) })
local Frozen = ecs.tag("Frozen")
local Sword = ecs.component("Sword", { length = ecs.f32(3) })
ecs.prefab("Orc", { Health { hp = 30 }, children = { { Sword { length = 4 } } } })
`

// withCamp opens a host with the camp's components and a scene.
func withCamp(t testing.TB, text string, more ...string) *game {
	t.Helper()
	return withData(t, map[string]string{"scenes/camp.lua": text}, append([]string{"a.lua", campScript}, more...)...)
}

// saveScene writes a scene and stages it.
func (r *game) saveScene(name, text string) { r.saveData("scenes/"+name, text) }

// written is all of the world as a scene.
func (r *game) written() string {
	r.Helper()
	text, left, err := r.host.WriteScene(r.world.Query(), scripting.SceneLua)
	if err != nil || len(left) > 0 {
		r.Fatal(err, left)
	}
	return string(text)
}

func TestScenesAreLoadedByScripts(t *testing.T) {
	r := withCamp(t, campScene, "b.lua", `
ecs.on_start(function() ecs.log(ecs.load_scene("camp"), ecs.load_scene("camp"), ecs.scene_entity("camp", "fire"), ecs.unload_scene("camp")) end)
local s = ecs.state("s", { n = 0 })
ecs.system "b" { run = function()
  s.n = s.n + 1
  local fire, guard, second = ecs.scene_entity("camp", "fire"), ecs.scene_entity("camp", "guard"), ecs.scene_entity("camp", "second guard")
  if s.n == 1 then
    ecs.log(ecs.scene_of(fire)) ecs.log(ecs.scene_of(guard)) ecs.log(ecs.scene_of(ecs.children(guard)[1]))
    ecs.log(ecs.parent(guard) == fire, #ecs.children(guard), ecs.get(guard, P).x, ecs.scene_entity("camp", "nobody"))
    ecs.log(ecs.load_scene("camp"), ecs.unload_scene("camp"), ecs.unload_scene("camp"))
  else
    ecs.log(s.n, fire, guard, ecs.count({ P }), ecs.unload_scene("camp"))
  end
end }`)
	r.run(2)
	r.wantLog(`true true nil false camp fire camp guard nil true 1 12 nil false true true 2 nil nil 0 false`)
	if len(r.host.Scenes()) != 0 || r.world.Len() != 0 {
		t.Errorf("%v, %d entities", r.host.Scenes(), r.world.Len())
	}
}

// TestScenesOfFailedCalls: a call that fails has not asked for a scene.
func TestScenesOfFailedCalls(t *testing.T) {
	r := withCamp(t, campScene, "b.lua", `ecs.system "b" { run = function() ecs.load_scene("camp") error("no") end }`)
	r.step(1)
	if len(r.errors) != 1 || len(r.host.Scenes()) != 0 || r.world.Len() != 0 {
		t.Errorf("%v, %v", r.errors, r.host.Scenes())
	}
}

// TestSceneErrorsInScripts: what is wrong with a scene, or with its name, is an error of the call.
func TestSceneErrorsInScripts(t *testing.T) {
	for call, want := range map[string]string{
		`ecs.load_scene("cmp")`:             `b.lua:2:65: system "b": tick 1: ecs.load_scene: the folder scenes has no scene "cmp" (did you mean "camp"?)`,
		`ecs.load_scene("camp.lua")`:        `ecs.load_scene: the folder scenes has no scene "camp.lua"`,
		`ecs.load_scene("../a")`:            `ecs.load_scene: "../a" is no name of a scene: write that of a file in the folder scenes, without .lua or .json`,
		`ecs.load_scene("")`:                `"" is no name of a scene`,
		`ecs.load_scene("a\nb")`:            `is no name of a scene`,
		`ecs.load_scene(("x"):rep(100000))`: `is no name of a scene`,
		`ecs.load_scene(5)`:                 `ecs.load_scene: argument 1: expected a string, got the number 5`,
		`ecs.load_scene("camp", 1)`:         `ecs.load_scene: expected at most 1 argument, got 2: write ecs.load_scene("camp")`,
		`ecs.load_scene("broken")`:          `scenes/broken.json:1:41: system "b": tick 1: there is no component "Helth" (did you mean "Health"?)`,
		`ecs.load_scene("syntax")`:          `scenes/syntax.lua:1:1: system "b": tick 1: a data file returns one table`,
		`ecs.load_scene("twice")`:           `there are two files of the scene "twice", scenes/twice.lua and scenes/twice.json: remove one of them`,
		`ecs.unload_scene("cmp")`:           `ecs.unload_scene: the folder scenes has no scene "cmp" (did you mean "camp"?)`,
		`ecs.scene_entity("cmp", "fire")`:   `ecs.scene_entity: the folder scenes has no scene "cmp" (did you mean "camp"?)`,
		`ecs.scene_of("x")`:                 `ecs.scene_of: argument 1: expected an entity, got`,
	} {
		r := withData(t, map[string]string{
			"scenes/camp.lua": campScene, "scenes/broken.json": `{"entities": {"a": {"components":      {"Helth": {}}}}}`,
			"scenes/syntax.lua": "return", "scenes/twice.lua": "return {}", "scenes/twice.json": "{}",
		}, "a.lua", campScript, "b.lua", `ecs.system "b" { run = function(ctx)             `+call+` end }`)
		r.step(1)
		if len(r.errors) != 1 || !strings.Contains(r.errors[0].Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", call, r.errors, want)
		}
		if r.world.Len() != 0 {
			t.Errorf("%s: there are entities", call)
		}
		r.errors = nil
	}
	r := withCamp(t, campScene)
	r.write("c.lua", `ecs.load_scene("camp")`)
	if err := r.host.LoadNext(r.folder); err == nil || !strings.Contains(err.Error(), "ecs.load_scene: cannot be used while a script is being loaded") {
		t.Error(err)
	}
}

func TestScenesOfHosts(t *testing.T) {
	r := withCamp(t, campScene)
	if err := r.host.LoadScene("camp"); err != nil {
		t.Fatal(err)
	}
	if err := r.host.LoadScene("camp"); err != nil {
		t.Fatal(err) // nothing to do
	}
	fire, guard := r.host.SceneEntity("camp", "fire"), r.host.SceneEntity("camp", "guard")
	if s, n := r.host.SceneOf(guard); s != "camp" || n != "guard" || r.world.Parent(guard) != fire || fmt.Sprint(r.host.Scenes()) != "[camp]" {
		t.Errorf("%s %s, %v", s, n, r.host.Scenes())
	}
	const want = `return {
  entities = {
    fire = {
      components = {
        Light = { color = "red", on = true, strength = 0.5 },
        Position = { x = 10, y = 20 }
      }
    },
    guard = {
      parent = "fire",
      components = {
        Frozen = {},
        Health = { hp = 30, max = 100 },
        Position = { x = 12, y = 0 },
        Target = { marks = {1, 2}, who = "fire" }
      }
    },
    entity_1 = {
      parent = "guard",
      components = {
        Sword = { length = 4 }
      }
    },
    entity_2 = {
      parent = "second guard",
      components = {
        Sword = { length = 4 }
      }
    },
    ["second guard"] = {
      components = {
        Health = { hp = 7, max = 100 },
        Target = { marks = {0, 0}, who = "guard" }
      }
    }
  }
}
`
	if got := r.written(); got != want {
		t.Errorf("got %s", got)
	}
	if err := r.world.Despawn(guard); err != nil {
		t.Fatal(err)
	}
	if r.host.SceneEntity("camp", "guard") != 0 || r.host.SceneEntity("camp", "x") != 0 || r.host.SceneEntity("x", "x") != 0 {
		t.Error("a dead entity has a name")
	}
	if err := r.host.UnloadScene("camp"); err != nil || r.world.Len() != 0 {
		t.Errorf("%v, %d entities", err, r.world.Len())
	}
	for name, err := range map[string]error{"unload": r.host.UnloadScene("camp"), "load": r.host.LoadScene("cmp")} {
		if !errors.Is(err, ecs.ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.folder["scenes/bad.json"] = newFile(`{"entities": {"a": {"components": {"Health": {"hp": "x"}}, "parent": "b"}}}`)
	var problems *scripting.LoadError
	if err := r.host.LoadScene("bad"); !errors.As(err, &problems) || len(problems.Problems) != 2 || problems.Problems[0].Source == "" {
		t.Errorf("%v", err)
	}
}

// TestScenesReload: a scene that is saved keeps what the game has changed, and the verdict counts it.
func TestScenesReload(t *testing.T) {
	r := withCamp(t, campScene)
	r.saveScene("camp.lua", strings.Replace(campScene, "local x = 10", "local x = 9", 1))
	r.accepted()
	if got := r.reloads[0].String(); r.world.Len() != 0 || !strings.Contains(got, "scene camp is not loaded") || string(r.host.Texts()["scenes/camp.lua"]) == campScene {
		t.Error(got)
	}
	r.saveScene("camp.lua", campScene)
	r.accepted()
	if text := r.reloads[1].Texts["scenes/camp.lua"]; string(text) != campScene {
		t.Errorf("whoever records gets %q", text)
	}
	if err := r.host.LoadScene("camp"); err != nil {
		t.Fatal(err)
	}
	fire, guard := r.host.SceneEntity("camp", "fire"), r.host.SceneEntity("camp", "guard")
	position, _ := r.world.Raw().ComponentNamed("Position")
	moved := ecs.Register[Position](r.world)
	if err := moved.Set(guard, Position{X: 99}); err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer("local x = 10", "local x = 50", `strength = 0.5`, `strength = 0.25`, `["second guard"]`, `third`).Replace(campScene)
	r.saveScene("camp.lua", changed)
	r.accepted()
	v := r.reloads[len(r.reloads)-1]
	if got := v.String(); !strings.HasPrefix(got, "reload ok: 1 scene, ") || !strings.Contains(got, "scene camp: 1 entity spawned, 1 despawned, 2 values changed, 1 kept as the game has made them") || v.Scenes != 1 {
		t.Errorf("%s", got)
	}
	if p, _ := moved.Get(guard); p.X != 99 || !r.world.Raw().Has(fire, position) {
		t.Errorf("the guard is at %v", p)
	}
	if p, _ := moved.Get(fire); p.X != 50 || r.host.SceneEntity("camp", "fire") != fire || r.host.SceneEntity("camp", "third") == 0 || r.host.SceneEntity("camp", "second guard") != 0 {
		t.Errorf("the fire is at %v", p)
	}

	before := r.written()
	r.saveScene("camp.lua", strings.Replace(changed, "Light", "Lihgt", 1))
	r.refused(`scenes/camp.lua:5:59: there is no component "Lihgt" (did you mean "Light"?)`)
	r.saveScene("camp.lua", "return {")
	r.refused(`scenes/camp.lua:1:9: expected "}"`)
	if r.written() != before {
		t.Error("a scene that was refused has changed the world")
	}

	// A component that comes later with a script: the scene is tried again.
	r.saveScene("camp.lua", strings.Replace(changed, "Light = {", "Lamp = { oil = 3 }, Light = {", 1))
	r.refused(`there is no component "Lamp"`)
	r.save("c.lua", `ecs.component("Lamp", { oil = ecs.u8(1) })`)
	n := len(r.reloads)
	r.run(1)
	if len(r.reloads) != n+2 || r.reloads[n].Err != nil || r.reloads[n+1].Err != nil || r.reloads[n+1].Scenes != 1 {
		t.Errorf("%v", r.reloads[n:])
	}
	if !strings.Contains(r.written(), "Lamp = { oil = 3 }") {
		t.Error(r.written())
	}

	delete(r.folder, "scenes/camp.lua")
	r.host.Stage(nil, []string{"scenes"})
	r.accepted()
	if r.world.Len() != 0 || len(r.host.Scenes()) != 0 {
		t.Errorf("%d entities, %v", r.world.Len(), r.host.Scenes())
	}
}

// TestSceneAndScriptTogether: a scene that needs what the same save brings comes after it, and waits if
// that is refused.
func TestSceneAndScriptTogether(t *testing.T) {
	r := withCamp(t, campScene)
	if err := r.host.LoadScene("camp"); err != nil {
		t.Fatal(err)
	}
	r.write("c.lua", `ecs.component("Lamp" { oil = ecs.u8(1) })`)
	r.folder["scenes/camp.lua"] = newFile(strings.Replace(campScene, "Light = {", "Lamp = { oil = 3 }, Light = {", 1))
	r.host.Stage([]string{"c.lua", "scenes/camp.lua"}, nil)
	r.refused(`c.lua`)
	r.save("c.lua", `ecs.component("Lamp", { oil = ecs.u8(1) })`)
	n := len(r.reloads)
	r.run(1)
	if len(r.reloads) != n+2 || r.reloads[n].Err != nil || r.reloads[n+1].Err != nil || !strings.Contains(r.written(), "Lamp = { oil = 3 }") {
		t.Errorf("%v", r.reloads[n:])
	}
}

// TestScenesInSnapshots: a restored game knows its scenes, and a scene that is saved then keeps what
// the game had changed before the capture, and not what it did after.
func TestScenesInSnapshots(t *testing.T) {
	for _, encoded := range []bool{false, true} {
		for _, edited := range []bool{false, true} {
			r := withCamp(t, campScene)
			if err := r.host.LoadScene("camp"); err != nil {
				t.Fatal(err)
			}
			position := ecs.Register[Position](r.world)
			fire, guard := r.host.SceneEntity("camp", "fire"), r.host.SceneEntity("camp", "guard")
			set := func(e ecs.Entity, x float64) {
				t.Helper()
				if err := position.Set(e, Position{X: x}); err != nil {
					t.Fatal(err)
				}
			}
			set(guard, 99)
			s, err := r.host.Capture()
			if err != nil {
				t.Fatal(err)
			}
			at := r.written()
			set(fire, 77)
			if edited {
				r.saveScene("camp.lua", strings.Replace(campScene, "local x = 10", "local x = 11", 1))
				r.accepted()
			} else if err := r.host.UnloadScene("camp"); err != nil {
				t.Fatal(err)
			}
			scripts := s.Scripts()
			if encoded {
				text := scripts.Encode()
				if scripts, err = scripting.ReadScripts(text, scripting.Limits{}); err != nil {
					t.Fatal(err)
				}
				if again := string(scripts.Encode()); again != string(text) {
					t.Fatalf("%s\nand again\n%s", text, again)
				}
			}
			if _, err := r.host.RestoreScripts(scripts, func() error { return restoreWorld(r.world, s) }); err != nil {
				t.Fatal(err)
			}
			if r.written() != at || r.host.SceneEntity("camp", "fire") != fire {
				t.Errorf("restored %s", r.written())
			}
			if edited { // the folder has another file than the capture
				r.accepted()
			} else {
				r.saveScene("camp.lua", strings.Replace(campScene, "local x = 10", "local x = 11", 1))
				r.accepted()
			}
			p, _ := position.Get(guard)
			q, _ := position.Get(fire)
			if p.X != 99 || q.X != 11 {
				t.Errorf("encoded %v, edited %v: the guard is at %v, the fire at %v", encoded, edited, p.X, q.X)
			}
			n := len(r.reloads)
			if r.run(2); len(r.reloads) != n {
				t.Errorf("reloaded again: %v", r.reloads[n:])
			}
			if err := r.host.UnloadScene("camp"); err != nil || r.world.Len() != 0 {
				t.Errorf("%v, %d entities", err, r.world.Len())
			}
		}
	}
}

// TestBrokenSceneNotes: what a save says of scenes comes from anybody.
func TestBrokenSceneNotes(t *testing.T) {
	r := withCamp(t, campScene)
	if err := r.host.LoadScene("camp"); err != nil {
		t.Fatal(err)
	}
	s, err := r.host.Capture()
	if err != nil {
		t.Fatal(err)
	}
	text := string(s.Scripts().Encode())
	for _, change := range [][2]string{
		{`"name":"guard"`, `"name":"fire"`}, {`"name":"guard"`, `"name":""`}, {`"name":"guard"`, `"name":5`}, {`"name":"camp"`, `"name":""`},
		{`"entity":`, `"entity":-`}, {`"prefab":"Orc"`, `"prefab":{}`}, {`"targets":{`, `"targets":[`}, {`"components":{`, `"components":{"x":1,`},
		{`"hash":"`, `"hash":"x`}, {`"entities":[`, `"entities":{`},
	} {
		at := strings.Index(text, `"scenes"`)
		broken := text[:at] + strings.Replace(text[at:], change[0], change[1], 1)
		if broken == text {
			t.Fatalf("%q is not in %s", change[0], text)
		}
		if _, err := scripting.ReadScripts([]byte(broken), scripting.Limits{}); err == nil || !errors.Is(err, ecs.ErrConflict) {
			t.Errorf("%q: %v", change, err)
		}
	}
	if _, err := scripting.ReadScripts([]byte(text), scripting.Limits{Saved: 1}); err != nil {
		t.Errorf("notes of scenes count as values of scripts: %v", err)
	}
}

// TestScenesWithinLimits: a scene has no more entities than a system may spawn, and all that a tick
// loads no more than a tick.
func TestScenesWithinLimits(t *testing.T) {
	of := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "e%d = {}, ", i)
		}
		return "return { entities = { " + b.String() + "} }"
	}
	r := newGame(t, scripting.Limits{Spawned: 10, TickSpawned: 25})
	for name, n := range map[string]int{"a": 10, "b": 10, "c": 10, "large": 11} {
		r.folder["scenes/"+name+".lua"] = newFile(of(n))
	}
	r.write("a.lua", `ecs.on_start(function() ecs.load_scene("a") ecs.load_scene("b") ecs.load_scene("c") end)`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	if len(r.errors) != 1 || r.errors[0].Limit != "TickSpawned" || r.errors[0].Script != "a.lua" || r.world.Len() != 20 {
		t.Errorf("%v, %d entities", r.errors, r.world.Len())
	}
	if err := r.host.LoadScene("large"); err == nil || !errors.Is(err, scripting.ErrLimit) {
		t.Errorf("%v", err)
	}
	r.errors = nil

	small := newGameOf(t, ecs.Options{MaxEntities: 5}, scripting.Limits{})
	small.folder["scenes/a.lua"] = newFile(of(10))
	small.write("a.lua", `ecs.on_start(function() ecs.load_scene("a") end)`)
	if err := small.host.Load(small.folder); err != nil {
		t.Fatal(err)
	}
	small.step(1)
	if len(small.errors) != 1 || !errors.Is(small.errors[0], ecs.ErrEntityLimit) || small.world.Len() != 0 || len(small.host.Scenes()) != 0 {
		t.Errorf("%v, %d entities", small.errors, small.world.Len())
	}
	if err := small.host.LoadScene("a"); !errors.Is(err, ecs.ErrEntityLimit) {
		t.Errorf("%v", err)
	}
	small.errors = nil
}

// TestCheckReadsScenes: what is wrong with the scenes and with the data of a folder, loaded or not, and
// with names of scenes in scripts.
func TestCheckReadsScenes(t *testing.T) {
	r := withData(t, map[string]string{
		"scenes/camp.lua": campScene, "scenes/a/b.json": `{"entities": {"a": {"parent": "c"}}}`, "scenes/twice.lua": "return { entities = {} }", "scenes/twice.json": `{"entities": {}}`,
		"data/units.lua": "return { x() }", "data/more.csv": "a,b\n1", "other.json": "[", "scenes/table.csv": "a\n1",
	}, "a.lua", campScript+`ecs.system "s" { run = function() ecs.load_scene("capm") ecs.load_scene("camp") end }`)
	problems, err := r.host.Check()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.Error())
	}
	want := []string{
		`a.lua:9:50: ecs.load_scene: the folder scenes has no scene "capm" (did you mean "camp"?)`,
		`data/more.csv:2:1: the row has 1 cell, and the first row names 2 columns: column "b" has none`,
		`data/units.lua:1:10: a data file calls nothing: it has tables, numbers, texts, true and false, and arithmetic with them`,
		`scenes/a/b.json:1:31: parent: the scene has no entity "c"`,
		`scenes/twice.lua:1:1: the scene has another file, scenes/twice.json: remove one of them`,
	}
	if slices.Sort(got); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r.world.Len() != 0 {
		t.Error("a check has made entities")
	}
}

// TestScenesOfRooms: rooms of a program read its scenes, and each has entities of its own.
func TestScenesOfRooms(t *testing.T) {
	p, err := scripting.Compile(fstest.MapFS{"a.lua": newFile(script(campScript)), "scenes/camp.lua": newFile(campScene)}, scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for range 2 {
		g := newGame(t, scripting.Limits{})
		if err := g.host.Load(p); err != nil {
			t.Fatal(err)
		}
		if err := g.host.LoadScene("camp"); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, g.written())
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], "second guard") {
		t.Error(texts)
	}
}

// restoreWorld brings a world to a snapshot.
func restoreWorld(w *ecs.World, s *scripting.Snapshot) error { return snapshot.Restore(w, s.World()) }

// TestScriptsPayForScenes: a script that loads a large scene between two ticks pays for what the host does then, so under
// the limits of a release it is refused one that would hold the frame, by name. A load of the game has no such frame.
func TestScriptsPayForScenes(t *testing.T) {
	file := func(n int) *fstest.MapFile {
		var text strings.Builder
		text.WriteString(`{"entities":{`)
		for i := range n {
			if i > 0 {
				text.WriteByte(',')
			}
			fmt.Fprintf(&text, `"e%d":{"components":{"C":{"a":%d}}}`, i, i)
		}
		text.WriteString("}}")
		return &fstest.MapFile{Data: []byte(text.String())}
	}
	for _, test := range []struct {
		when   string
		n      int
		loaded bool
	}{{"run", 1000, true}, {"run", 8000, false}, {"start", 8000, true}} {
		r := newGame(t, scripting.ReleaseLimits(60))
		text := `local ecs = require "ecs" ecs.component("C", { a = 0 }) `
		if test.when == "run" {
			text += `ecs.system "s" { run = function() ecs.load_scene("big") end }`
		} else {
			text += `ecs.on_start(function() ecs.load_scene("big") end)`
		}
		if err := r.host.Load(fstest.MapFS{"a.lua": {Data: []byte(text)}, "scenes/big.json": file(test.n)}); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		if got := len(r.host.Scenes()) == 1; got != test.loaded {
			t.Errorf("%s, %d entities: loaded %v, %v", test.when, test.n, got, r.host.Faults().Recent)
		}
		if !test.loaded {
			if e := r.wantError("a.lua:1", `the scene "big" is too large for this call`, "split it"); e.Limit != "Instructions" {
				t.Error(e)
			}
		}
	}
}

// TestScenesThatFailLookForOneName: a scene that a script loads in vain, because it has many names that do not exist or does
// not exist itself, has one name looked for, which the script pays for, in no more letters than a step has time for. To
// look costs no walk through the folder.
func TestScenesThatFailLookForOneName(t *testing.T) {
	var tags, wrong strings.Builder
	long := strings.Repeat("n", 30)
	for i := range 300 {
		fmt.Fprintf(&tags, "ecs.tag(\"%s%03d\")\n", long, i)
		fmt.Fprintf(&wrong, `"%s%03dx": {},`, long, i)
	}
	for name, want := range map[string]string{"s": `there is no component`, "st": `has no scene "st" (did you mean "s"?)`} {
		r := newGame(t, scripting.ReleaseLimits(60))
		folder := &walked{FS: fstest.MapFS{
			"a.lua":         {Data: []byte(`local ecs = require "ecs" ` + tags.String() + fmt.Sprintf(`ecs.system "l" { run = function() ecs.load_scene(%q) end }`, name))},
			"scenes/s.json": {Data: []byte(`{"entities": {"a": {"components": {` + strings.TrimSuffix(wrong.String(), ",") + `}}}}`)},
		}}
		if err := r.host.Load(folder); err != nil {
			t.Fatal(err)
		}
		letters, walks := nearest.Letters(), folder.lists
		r.step(1)
		r.wantError(want)
		if n := nearest.Letters() - letters; n > 10_000 || folder.lists > walks {
			t.Errorf("%s: %d letters were compared, the folder was listed %d times", name, n, folder.lists-walks)
		}
	}
}

// walked counts how often its folders are listed.
type walked struct {
	fs.FS
	lists int
}

func (w *walked) ReadDir(name string) ([]fs.DirEntry, error) {
	w.lists++
	return fs.ReadDir(w.FS, name)
}

// TestDeepTreesAsScenes: where more entities are above each other than a scene may have, the scene that is written has
// pieces of them, says so, and can be loaded.
func TestDeepTreesAsScenes(t *testing.T) {
	r := withCamp(t, campScene)
	pins, err := r.world.Relation("Pins", ecs.RelationOptions{Acyclic: true})
	must(t, err)
	const n = 5000
	top := r.world.Spawn()
	for range n - 1 {
		e := r.world.Spawn()
		must(t, r.world.SetParent(top, e))
		must(t, pins.Set(top, e))
		top = e
	}
	text, left, err := r.host.WriteScene(r.world.Query(), scripting.SceneLua)
	must(t, err)
	if want := `: parent: more than 500 entities are above each other`; len(left) != 18 || !strings.HasSuffix(left[0], want) {
		t.Errorf("left out %d: %q", len(left), left[0])
	}
	must(t, r.world.Despawn(top))
	other := withCamp(t, string(text))
	otherPins, err := other.world.Relation("Pins", ecs.RelationOptions{Acyclic: true})
	must(t, err)
	must(t, other.host.LoadScene("camp"))
	other.run(1)
	if other.world.Len() != n || other.world.ChildOf().Len() != n-10 || otherPins.Len() != n-10 {
		t.Errorf("%d entities, %d parents, %d pins; %q", other.world.Len(), other.world.ChildOf().Len(), otherPins.Len(), other.errors)
	}
}
