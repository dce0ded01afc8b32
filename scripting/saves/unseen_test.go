package saves_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/saves"
)

const (
	staying = `local ecs = require "ecs"
local H = ecs.component("H", { hp = ecs.f32(1) })
ecs.on_start(function() ecs.spawn_many(4, H) end)
ecs.system "heals" { query = { H }, each = function(e, h) h.hp = h.hp * 0.5 + 1 end }`
	leaving = `local ecs = require "ecs"
local H = ecs.component("H", { hp = ecs.f32(1) })
local Q = ecs.component("Q", { x = ecs.f64(1), list = ecs.array(ecs.i16(7), 3), of = ecs.enum("red", "blue") })
local S = ecs.component("S", { n = ecs.u8(5) }, { sparse = true })
local T = ecs.tag("T")
local Never = ecs.component("Never", { n = ecs.u8(5) })
local Hit = ecs.event("Hit", { n = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(3, Q) ecs.spawn(Q { x = 8, of = "blue" }, S { n = 9 }, H, T) ecs.spawn(S, T) end)
ecs.system "emits" { run = function(ctx) Hit.emit { n = ctx.tick } end }
ecs.system "hears" { every = 99, on = Hit, each = function(hit) end }`
	coming = `local ecs = require "ecs"
local Q = ecs.component("Q", { of = ecs.enum("blue", "green", "red"), x = ecs.f64(2), y = ecs.i32(4) }, { drop = { "list" } })
local S = ecs.component("S", { n = ecs.u8(5) }, { sparse = true })
ecs.on_start(function() ecs.spawn_many(3, Q) end)
ecs.system "finds" { query = { Q }, each = function(e, q) q.x = q.x + q.y end }`
)

// project is a host whose files are changed while it runs.
type project struct {
	*scripting.Host
	files fstest.MapFS
	t     testing.TB
}

// openFiles opens a project with files.
func openFiles(t testing.TB, files ...string) *project {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Tag: 5, MaxBytes: 16 << 20})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	h, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler), OnReload: func(r scripting.Reload) {
		if r.Err != nil {
			t.Error(r)
		}
	}})
	must(t, err)
	t.Cleanup(func() { h.Close() })
	p := &project{h, fstest.MapFS{}, t}
	for i, text := range files {
		p.files[string(rune('a'+i))+".lua"] = &fstest.MapFile{Data: []byte(text)}
	}
	must(t, h.Load(p.files))
	return p
}

// edit gives b.lua another text, or deletes it, and makes some steps.
func (p *project) edit(text string, steps int) *project {
	p.t.Helper()
	if text == "" {
		delete(p.files, "b.lua")
		p.Stage(nil, []string{"b.lua"})
	} else {
		p.files["b.lua"] = &fstest.MapFile{Data: []byte(text)}
		p.Stage([]string{"b.lua"}, nil)
	}
	step(p.t, p.Host, steps)
	return p
}

// saved writes the game.
func (p *project) saved() *save.File {
	p.t.Helper()
	s, err := p.Capture()
	must(p.t, err)
	var text bytes.Buffer
	must(p.t, saves.Write(&text, s, save.Options{}))
	f, err := save.Open(bytes.NewReader(text.Bytes()), int64(text.Len()))
	must(p.t, err)
	return f
}

// TestUnseenValuesAreLoaded: the last file that has declared some components is deleted while the game runs. Its saves are
// loaded with the scripts that have written them, again and again, and go on as the game does: also when a file
// comes that declares them with other fields.
func TestUnseenValuesAreLoaded(t *testing.T) {
	for _, steps := range []int{1, 2, 5} { // events of the file wait, or do not
		p := openFiles(t, staying, leaving)
		step(t, p.Host, 3)
		p.edit("", steps)
		f := p.saved()
		q := openFiles(t, staying)
		report, err := saves.Check(f, q.Host, save.LoadOptions{})
		must(t, err)
		if text := report.String(); len(report.Loses()) > 0 || !strings.Contains(text, "Q: 4 entities have it, and nothing declared it when this was saved") {
			t.Error(text)
		}
		if _, known := q.World().Raw().ComponentNamed("Q"); known {
			t.Error("a check has changed the world")
		}
		_, err = saves.Load(f, q.Host, save.LoadOptions{})
		must(t, err)
		must(t, q.World().Check())
		if _, known := q.World().Raw().ComponentNamed("Never"); known {
			t.Error("a component without values has come")
		}
		again := openFiles(t, staying)
		_, err = saves.Load(q.saved(), again.Host, save.LoadOptions{})
		must(t, err)
		for _, x := range []*project{p, q, again} {
			step(t, x.Host, 3)
			x.edit(coming, 3)
			must(t, x.World().Check())
			if n, ok := x.World().Raw().ComponentNamed("Q"); !ok || x.World().Query(ecs.Read(n)).Count() != 4 {
				t.Error("the values have not stayed")
			}
			if got, want := x.World().Checksum(), p.World().Checksum(); got != want {
				t.Errorf("%d steps: checksum %x, want %x", steps, got, want)
			}
		}
		if report, err := saves.Check(p.saved(), openFiles(t, staying).Host, save.LoadOptions{}); !errors.Is(err, save.ErrLoss) || len(report.Loses()) != 2 {
			t.Errorf("what a script declares is no longer unseen: %v %v", err, report)
		}
	}
}

// TestDeclaredValuesAreLost: what a script, or the program, declared when the game was saved is not taken for
// unseen. Nothing changes then, also where something unseen is in the save beside it.
func TestDeclaredValuesAreLost(t *testing.T) {
	p := openFiles(t, staying, leaving)
	step(t, p.Host, 3)
	q := openFiles(t, staying)
	before := q.World().Checksum()
	if _, err := saves.Load(p.saved(), q.Host, save.LoadOptions{}); !errors.Is(err, save.ErrLoss) || !strings.Contains(err.Error(), "Q: 4 entities have it, and this world has no such component") {
		t.Error(err)
	}
	native, err := p.World().Raw().Define(ecs.Schema{Name: "Native", Fields: []ecs.Field{{Name: "x", Kind: ecs.F64}}}, false)
	must(t, err)
	p.World().Raw().Edit(p.World().Spawn(p.World().Raw().ValueAt(native, p.World().Raw().Default(native))), native)
	p.edit("", 5)
	_, err = saves.Load(p.saved(), q.Host, save.LoadOptions{})
	if !errors.Is(err, save.ErrLoss) || !strings.Contains(err.Error(), "Native: 1 entity has it") || strings.Contains(err.Error(), "Q:") {
		t.Error(err)
	}
	if _, known := q.World().Raw().ComponentNamed("Q"); known || q.World().Checksum() != before {
		t.Error("a load that was refused has changed the world")
	}
}

// TestMigrateRunsOnce: values of a component that was migrated are made once, also where a type that nothing declares comes
// with them.
func TestMigrateRunsOnce(t *testing.T) {
	p := openFiles(t, staying, leaving)
	step(t, p.Host, 3)
	f := p.edit("", 5).saved()
	q := openFiles(t, `local ecs = require "ecs"
local n = 0
local H = ecs.component("H", { n = ecs.f32(0) }, { version = 2, migrate = function(old) n = n + 1 return { n = n } end })
ecs.system "sums" { query = { H }, each = function(e, h) ecs.log(h.n) end }`)
	_, err := saves.Load(f, q.Host, save.LoadOptions{})
	must(t, err)
	id, _ := q.World().Raw().ComponentNamed("H")
	sum := float32(0)
	for e := range q.World().Entities() {
		if v := q.World().Raw().Pointer(e, id); v != nil {
			sum += *(*float32)(v)
		}
	}
	if sum != 1+2+3+4+5 {
		t.Errorf("the values are together %v", sum)
	}
}

// Bound is a component that a script declares first.
type Bound struct{ N float64 }

// Rung is an event likewise.
type Rung struct{ N float64 }

// TestTypesOfTheProgramAreNeverUnseen: what a script has declared, and the program by a type of Go since, is not unseen when the
// script goes.
func TestTypesOfTheProgramAreNeverUnseen(t *testing.T) {
	p := openFiles(t, staying, `local ecs = require "ecs"
local B = ecs.component("Bound", { n = ecs.f64(1) })
local Rung = ecs.event("Rung", { n = ecs.f64(1) })
ecs.on_start(function() ecs.spawn(B) end)
ecs.system "rings" { run = function() Rung.emit {} end }
ecs.system "hears" { every = 99, on = Rung, each = function(r) end }`)
	step(t, p.Host, 2)
	if _, err := ecs.TryRegister[Bound](p.World()); err != nil {
		t.Fatal(err)
	}
	ecs.RegisterEvent[Rung](p.World())
	p.edit("", 1)
	s, err := p.Capture()
	must(t, err)
	if s.Scripts().Unseen("Bound", false) || s.Scripts().Unseen("Rung", true) {
		t.Error("the program has declared them")
	}
}

// TestForgedUnseen: what a save says of types and scripts that are gone is read as all of it: an error where it cannot be.
func TestForgedUnseen(t *testing.T) {
	for text, want := range map[string]string{
		`"gone":[{"name":"b.lua","started":null}],"unseen":[{"name":"Q","event":false}]`: "",
		`"gone":[{"name":"b.lua","started":1},{"name":"a.lua","started":1}],"unseen":[]`: "not in the order",
		`"gone":[{"name":"b.lua","started":1},{"name":"b.lua","started":1}],"unseen":[]`: "not in the order",
		`"gone":[{"name":"b.lua","started":-1}],"unseen":[]`:                             "whole number",
		`"gone":[{"name":"b.lua","starting":1}],"unseen":[]`:                             "starting",
		`"gone":[],"unseen":[{"name":"","event":true}]`:                                  "expected a name",
		`"gone":[],"unseen":[{"name":"Q","event":1}]`:                                    "event",
		`"gone":[],"unseen":[{"name":"Q","event":true,"fields":[]}]`:                     "fields",
		`"scripts":[{"name":"b.lua","started":1}],"gone":[{"name":"b.lua","started":2}]`: "loaded, and gone",
	} {
		x, err := scripting.ReadScripts([]byte(`{"format":1,"tick":3,`+text+`}`), scripting.Limits{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if err == nil && (!x.Unseen("Q", false) || x.Unseen("Q", true) || x.Unseen("P", false)) {
			t.Error("other types are unseen")
		}
	}
}
