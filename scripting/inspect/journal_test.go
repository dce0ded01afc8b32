package inspect_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/inspect"
)

// journalScript changes entities in each of the ways that there are.
const journalScript = `local ecs = require "ecs"
local Health = ecs.component("Health", { hp = ecs.f32(100) })
local Potion = ecs.component("Potion", { dose = ecs.f32(0), taste = ecs.f32(0) })
local Burning = ecs.tag("Burning")
local Marked = ecs.tag("Marked")
local hero = 0
ecs.on_start(function()
  hero = ecs.spawn(Health, Potion)
  ecs.set_parent(ecs.spawn(Health { hp = 7 }), hero)
end)
local function harm(h, by) h.hp = h.hp - by end
ecs.system "poison" { query = { Health }, each = function(_, h) harm(h, 1) end }
ecs.system "heal" {
  query = { Health },
  each = function(e, h, ctx)
    if ctx.tick == 2 then
      ecs.add(e, Burning)
    end
  end,
}
ecs.system "judge" {
  query = { Health },
  each = function(e, h, ctx)
    if ctx.tick == 3 then h.hp = 50 end
  end,
}
ecs.system "end" {
  phase = "render",
  run = function(ctx)
    if ctx.tick == 2 then
      ecs.after(0, "mark", { of = hero })
    elseif ctx.tick == 6 then
      ecs.despawn(hero)
    end
  end,
}
ecs.system "brew" {
  query = { Potion },
  each = function(e, p, ctx)
    p.dose = ctx.tick
    if ctx.tick == 5 then
      ecs.set(e, Potion { taste = 3 })
    end
  end,
}
ecs.handler("mark", function(data)
  ecs.add(data.of, Marked)
end)
`

// TestWhoHasChangedIt: the journal names the system and the line, whether a kernel has made the change, the VM, a
// handler, or a death of another entity.
func TestWhoHasChangedIt(t *testing.T) {
	for _, compiled := range []bool{true, false} {
		w := ecs.NewWorld()
		defer w.Close()
		host, err := scripting.New(w, scripting.Options{NoKernels: !compiled, Logger: slog.New(slog.DiscardHandler)})
		must(t, err)
		defer host.Close()
		view, err := inspect.New(host, inspect.Options{Control: true, Journal: true})
		must(t, err)
		defer view.Close()
		must(t, host.Load(fstest.MapFS{"life.lua": {Data: []byte(journalScript)}}))
		g := &game{t: t, host: host, view: view, between: view.Answer}
		must(t, host.Step(0.1))
		first := at(g.get("/api/v1/journal"), "entries").([]any)
		if len(first) == 0 {
			t.Fatal("there are no entries")
		}
		hero := at(first, len(first)-1, "entity")
		g.call("POST", "/api/v1/journal", fmt.Sprintf(`{"watch": %.0f}`, hero), 200)
		for range 6 {
			must(t, host.Step(0.1))
		}
		for _, k := range host.Kernels() {
			if k.Compiled != compiled {
				t.Fatal(k)
			}
		}
		var got []string
		for _, e := range at(g.get(fmt.Sprintf("/api/v1/journal?entity=%.0f&limit=200", hero)), "entries").([]any) {
			line := fmt.Sprintf("%v %v %v", at(e, "kind"), at(e, "components"), at(e, "system"))
			if at(e, "field") == "taste" || at(e, "components", 0) == "Marked" {
				line = strings.ReplaceAll(fmt.Sprintf("%v %v %v %v %v", at(e, "tick"), at(e, "kind"), at(e, "components"), at(e, "field"), at(e, "system")), " <nil>", "")
			}
			if p := at(e, "at"); p != nil {
				line += fmt.Sprintf(" %v:%v", at(p, "script"), at(p, "line"))
			}
			if p := at(e, "likely", 0); p != nil {
				line += fmt.Sprintf(" likely %v:%v", at(p, "script"), at(p, "line"))
			}
			got = append(got, line)
		}
		all := strings.Join(got, "\n")
		for _, want := range []string{
			"spawn [Health Potion] on_start life.lua life.lua:8", "link <nil> on_start life.lua life.lua:9",
			"add [Burning] heal life.lua:17",
			"write [Health] poison likely life.lua:11", "write [Health] judge likely life.lua:24",
			"5 write [Potion] taste brew life.lua:42",
			"3 add [Marked] timer mark life.lua:47",
			"despawn <nil> end life.lua:33",
		} {
			if !strings.Contains(all, want) {
				t.Errorf("compiled: %v: there is no %q in\n%s", compiled, want, all)
			}
		}
	}
}

// TestJournalIsAskedFor: without it there is nothing, and only who may control the game begins it.
func TestJournalIsAskedFor(t *testing.T) {
	g := newGame(t, inspect.Options{})
	if a := g.get("/api/v1/journal"); at(a, "on") != false || len(at(a, "entries").([]any)) != 0 {
		t.Errorf("the journal is %v", a)
	}
	g.call("POST", "/api/v1/journal", `{"on": true}`, 403)
	g.end()

	g = newGame(t, inspect.Options{Control: true})
	for _, bad := range []string{`{}`, `{"on": true, "watch": 3}`, `{"on": 1}`, `{"other": 1}`} {
		g.call("POST", "/api/v1/journal", bad, 400)
	}
	g.call("POST", "/api/v1/journal", `{"watch": 3}`, 409)
	g.call("POST", "/api/v1/journal", `{"on": true}`, 200)
	g.call("POST", "/api/v1/journal", `{"watch": 3}`, 404)
	for _, bad := range []string{"?entity=x", "?entity=-1", "?entity=0", "?limit=0", "?limit=201"} {
		g.call("GET", "/api/v1/journal"+bad, "", 400)
	}
	g.call("GET", "/api/v1/journal?entity=12345678901234", "", 200)
	if a := g.call("POST", "/api/v1/journal", `{"on": false}`, 200); at(a, "on") != false {
		t.Errorf("the journal is %v", a)
	}
}
