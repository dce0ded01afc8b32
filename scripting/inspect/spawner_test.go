package inspect

import (
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

const leakingScript = `local ecs = require "ecs"
local Spark = ecs.tag "Spark"
local Pooled = ecs.component("Pooled", { x = ecs.f32() }, { sparse = true })
local Bullet = ecs.prefab("Bullet", { Spark })
ecs.system "weapons" {
  run = function()
    ecs.spawn(Bullet)
    ecs.spawn(Bullet, Pooled { x = 1 })
    ecs.despawn(ecs.spawn(Bullet))
  end,
}
local Gun = ecs.component("Gun", { heat = ecs.f64() })
local Shell = ecs.prefab("Shell", { ecs.tag "Brass" })
ecs.on_start(function() ecs.spawn(Gun) end)
ecs.system "guns" {
  query = { Gun },
  each = function(_, gun, ctx)
    gun.heat = gun.heat + ctx.dt
    ecs.spawn(Shell)
  end,
}
`

// TestWhoSpawnsWhatLeaks: the warning names the prefab and the line, of columns and of pools; without a journal it says
// what it would take.
func TestWhoSpawnsWhatLeaks(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	host, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler), OnError: func(e *scripting.Error) { t.Error(e) }})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if err := host.Load(fstest.MapFS{"weapons.lua": {Data: []byte(leakingScript)}}); err != nil {
		t.Fatal(err)
	}
	i, err := New(host, Options{Journal: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	for range 65 {
		if err := host.Step(1); err != nil {
			t.Fatal(err)
		}
		i.watchGrowth()
	}
	s := w.Stats()
	all := strings.Join(i.growth.leaks(&s), "\n")
	for _, want := range []string{
		`entities of Spark have become more for 60 s, by `, `Of the newest 65 of the prefab Bullet, by "weapons" at weapons.lua:8; 65 of the prefab Bullet, by "weapons" at weapons.lua:7`,
		`entities of Brass have`, `of the prefab Shell, by "guns"`, "\nentities of Pooled ", `Of the newest 65 of the prefab Bullet, by "weapons" at weapons.lua:8`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if o := i.growth.spawners[setKey([]string{"Pooled"}, true)]; len(o) != 1 || o[0].Prefab != "Bullet" || o[0].System != "weapons" || *o[0].At != (placeJSON{"weapons.lua", 8, 0}) || o[0].Entities != 65 {
		t.Errorf("%+v", o)
	}
	if k := host.Kernels(); len(k) != 1 || !k[0].Compiled {
		t.Errorf("%v", k)
	}
	if e := i.entryOf(&i.journal.Spawns(1)[0]); e.Prefab == "" || !strings.Contains(e.Text, "came from the prefab "+e.Prefab) {
		t.Errorf("%+v", e)
	}
	if err := i.keepJournal(false); err != nil {
		t.Fatal(err)
	}
	if err := host.Step(1); err != nil {
		t.Fatal(err)
	}
	i.watchGrowth()
	if all := strings.Join(i.growth.leaks(&s), "\n"); !strings.Contains(all, "With a journal, this says who spawns them") {
		t.Error(all)
	}
}
