package scripting_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// trackedScript declares a component that the host follows, with rows entities in two
// archetypes, and one system.
const trackedScript = `
local ecs = require "ecs"
local Unit = ecs.component("Unit", { n = ecs.i32(0), small = ecs.u8(0), x = ecs.f64(0) }, { tracked = true%s })
local Red = ecs.tag("Red", { tracked = true })
ecs.on_start(function()
  for i = 1, 40 do local e = ecs.spawn(Unit { n = i }) if i %% 3 == 0 then ecs.add(e, Red) end end
end)
local tick = 0
ecs.system "count" { phase = "input", run = function() tick = tick + 1 end }
%s
`

// TestTrackedWritesOfScripts: whatever a script does to a tracked component, by rows, batches,
// kernels or commands, the host gets exactly the rows that have another value than before.
func TestTrackedWritesOfScripts(t *testing.T) {
	each := func(mode, body string) string {
		return fmt.Sprintf("ecs.system \"s\" { query = { Unit }, kernel = %q, each = function(e, u, ctx) %s end }", mode, body)
	}
	systems := map[string]string{
		"batch": `ecs.system "s" { query = { Unit }, batch = function(b, ctx)
			local n, x = b:read(Unit, "n"), b:write(Unit, "x")
			for i = 1, b.n do if n[i] % 5 == tick % 5 then x[i] = x[i] + 1 end end
		end }`,
		"bulk": `ecs.system "s" { query = { Unit, with = { Red } }, batch = function(b, ctx) b:col(Unit, "x"):add(1) end }`,
		"batch that fails": `ecs.system "s" { query = { Unit }, batch = function(b, ctx)
			local x = b:write(Unit, "x")
			for i = 1, b.n do x[i] = x[i] + 1 end
			error("as planned")
		end }`,
		"set": `ecs.system "s" { run = function()
			for e in ecs.entities { Unit } do if ecs.get(e, Unit).n % 7 == tick % 7 then ecs.set(e, Unit { n = ecs.get(e, Unit).n, x = tick }) end end
		end }`,
		"commands": `ecs.system "s" { run = function()
			for e in ecs.entities { Unit } do
				local n = ecs.get(e, Unit).n
				if n == tick then ecs.despawn(e) elseif n == tick + 10 then ecs.remove(e, Unit) elseif n == tick + 20 then ecs.add(e, Red) end
			end
			ecs.spawn(Unit { n = 100 + tick })
		end }`,
	}
	for _, mode := range []string{"require", "off"} {
		systems[mode+": some rows"] = each(mode, "if u.n % 5 == 2 then u.x = u.x + 1 u.small = 1 end")
		systems[mode+": the same value"] = each(mode, "u.x = u.x u.n = u.n")
		systems[mode+": all rows"] = each(mode, "u.x = u.x + 0.5")
	}
	systems["off: rows that fail"] = each("off", `u.x = u.x + 1 if u.n % 2 == 0 then error("as planned") end`)
	for name, system := range systems {
		for _, sparse := range []string{"", ", sparse = true"} {
			t.Run(name+sparse, func(t *testing.T) { followScript(t, fmt.Sprintf(trackedScript, sparse, system)) })
		}
	}
}

// followScript plays a script and compares each delta with the values themselves.
func followScript(t *testing.T, text string) {
	w := ecs.NewWorld()
	defer w.Close()
	h := newHost(t, w, scripting.Options{OnError: func(e *scripting.Error) {
		if !strings.Contains(e.Error(), "as planned") {
			t.Error(e)
		}
	}})
	defer h.Close()
	if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	followed := map[string]map[ecs.Entity]string{"Unit": {}, "Red": {}}
	versions := map[string]uint64{}
	changes := 0
	for range 6 {
		_ = h.Step(1.0 / 60) // faults that are planned
		for name, copied := range followed {
			id, _ := w.Raw().ComponentNamed(name)
			d, err := w.Raw().Since(id, versions[name])
			if err != nil {
				t.Fatal(err)
			}
			for e, v := range d.Bytes() {
				if old, had := copied[e]; had && old == string(v) {
					t.Errorf("%s of %v is sent and has not changed", name, e)
				}
				copied[e] = string(v)
				changes++
			}
			for _, e := range d.Removed() {
				delete(copied, e)
			}
			versions[name] = d.Version
			now := map[ecs.Entity]string{}
			for c := range w.Query().With(id).Chunks() {
				for _, e := range c.Entities() {
					now[e] = string(valueBytes(w, e, id))
				}
			}
			if !maps.Equal(now, copied) {
				t.Fatalf("%s: the copy made of deltas has %d values, the world %d; or they differ", name, len(copied), len(now))
			}
		}
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
	}
	if changes < 40 {
		t.Errorf("only %d changes", changes)
	}
}

// valueBytes returns the bytes of a component of an entity, which lie in the world's memory.
func valueBytes(w *ecs.World, e ecs.Entity, id ecs.ComponentID) []byte {
	return unsafe.Slice((*byte)(w.Raw().Pointer(e, id)), w.Raw().Schema(id).Size)
}
