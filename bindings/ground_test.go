package bindings

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// hostHealth, Hit and hostArena are types of a host's.
type (
	hostHealth struct{ Hp float64 }
	Hit        struct{ Amount float64 }
	hostArena  struct{ Width float64 }
)

// declareOn runs the top level of a text and returns what is wrong with it.
func declareOn(m *Binding, text string) (*Declarations, []string) {
	s := m.Declare(nil, "t", func(L *lua.LState) {
		fn, err := L.Load(strings.NewReader(text), "t")
		if err != nil {
			L.RaiseError("%v", err)
		}
		lua.SetEnv(fn, L.NewTable())
		lua.Env(fn).RawSetString("ecs", m.Table(L))
		L.Push(fn)
		L.Call(0, 0)
	})
	var problems []string
	for _, e := range s.Problems {
		problems = append(problems, e.Error())
	}
	return s, problems
}

// declarations are what random top levels are made of. Some are right and some wrong,
// some alone and some after others.
var declarations = []string{
	`ecs.component("Armor", { plate = ecs.f32(1), worn = false })`,
	`ecs.component("Armor", { plate = ecs.f64(1) })`,
	`ecs.component("Armor", { plate = ecs.f64(1), hp = 2 }, { version = 2, migrate = function(old) return old end })`,
	`ecs.component("Plate", { plate = ecs.f32(1) }, { was = "Armor" })`,
	`ecs.component("Plate", { plate = ecs.f32(1) }, { was = "Health" })`,
	`ecs.component("Health", { hp = 1 })`,
	`ecs.component("Health", { Hp = ecs.f64() })`,
	`ecs.component("Mode", { at = ecs.enum("idle", "walk") }, { sparse = true })`,
	`ecs.component("Mode", { at = "walk" }, { sparse = 1, odd = 2 })`,
	`ecs.tag("Frozen")`,
	`ecs.tag("Frozen", { sparse = true })`,
	`ecs.event("Hit", { Amount = 1 })`,
	`ecs.event("Hit", { amount = 1 })`,
	`ecs.event("Bang", { size = 1 })`,
	`ecs.event("Bang", { size = 1, loud = true })`,
	`local h = ecs.native("Health"); h{ Hp = 3 }; h{ hp = 3 }`,
	`local a = ecs.native("Armor"); a{ plate = 3 }`,
	`local e = ecs.native_event("Hit"); e{ Amount = 3 }`,
	`local e = ecs.native_event("Bang"); e{ size = "x" }`,
	`ecs.prefab("orc", { ecs.native("Health"){ Hp = 2 }, children = { { ecs.tag("Frozen") } } })`,
	`ecs.prefab("orc", { 3 })`,
	`ecs.system "walk" { query = { ecs.native("Health") }, each = function(e, h) h.Hp = h.Hp + 1 end }`,
	`ecs.system "walk" { query = { ecs.native("Health"), with = ecs.nothing_at_all }, each = function(e, h) end }`,
	`ecs.system "runs" { run = function() end, phase = "logik" }`,
	`ecs.kernel({ ecs.native("Health") }, function(e, h) h.Hp = 1 end)`,
	`ecs.on_add(ecs.native("Health"), function(e, h) end)`,
	`ecs.on_spawn("seen", function(e) return e.x end)`,
	`ecs.handler("tick", function() end)`,
	`ecs.state("score", { points = 0 })`,
	`ecs.drop("Frozen")`,
	`ecs.resource("hostArena")`,
	`ecs.resource("arena")`,
	`ecs.spawn()`,
	`ecs.get(1, 2)`,
	`assert(ecs.random(3) <= 3)`,
}

// differences says where a catalogue of the world of a binding answers other than the world,
// or keeps what is the business of that world's scripts alone.
func differences(live *Binding, names []string) (list []string) {
	c := live.Catalog()
	tried := &rehearsed{Catalog: c}
	compare := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			list = append(list, fmt.Sprintf("%s: %v, want %v", what, got, want))
		}
	}
	compare("components", tried.components().Names(), live.components.Existing())
	compare("events", tried.events().Names(), live.events.Existing())
	for _, name := range live.components.Existing() {
		known, copied := live.components.InForce(name), tried.components().Make(name)
		compare("the type of "+name, tried.goType(copied), live.ground.goType(known))
		compare("traits of "+name, tried.traits(copied), live.ground.traits(known))
		compare("fields of "+name, copied.Schema.Fields, known.Schema.Fields)
		compare("evolution of "+name, copied.Evolution, decl.Evolution{Place: known.Place})
	}
	for _, name := range names {
		compare("resource "+name, tried.resource(name), live.ground.resource(name))
		compare("component "+name, tried.components().Has(name), live.ground.components().Has(name))
		compare("event "+name, tried.events().Has(name), live.ground.events().Has(name))
	}
	return list
}

// staged says what a load has made of each type that it declares.
func staged(m *Binding) string {
	var list []string
	for name, c := range m.components.Staged {
		list = append(list, fmt.Sprint(name, c.Broken, c.Ready, c.Heap, c.Changes != nil, c.From != nil, c.Ready && c.GoType, c.Place))
	}
	for name, e := range m.events.Staged {
		list = append(list, fmt.Sprint(name, e.Broken, e.Ready, e.Changes != nil, e.Place))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// TestGroundsAnswerAlike: the same top level declares the same, and has the same faults, in
// the live world and in a rehearsal with its catalogue, also after loads that have changed
// the world. Only types and resources that the world does not have leave the rehearsal unsure.
func TestGroundsAnswerAlike(t *testing.T) {
	faults, sure := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		w := ecs.NewWorld()
		ecs.Register[hostHealth](w, ecs.Named("Health"))
		ecs.RegisterEvent[Hit](w)
		ecs.Provide(w, &hostArena{5})
		L := lua.NewState()
		live := New(w, L, Options{})
		var before []*Declarations
		for load := range 3 {
			var lines []string
			for range 1 + rng.IntN(6) {
				lines = append(lines, declarations[rng.IntN(len(declarations))])
			}
			text := strings.Join(lines, "\n")
			other := lua.NewState()
			unsure := false
			tried := NewRehearsal(live.Catalog(), other, Options{Unsure: func() { unsure = true }})
			tried.Begin()
			rehearsed, want := declareOn(tried, text)
			live.Begin()
			s, got := declareOn(live, text)
			faults += len(got)
			unknown := slices.ContainsFunc(got, func(why string) bool {
				return strings.Contains(why, "unknown native") || strings.Contains(why, "unknown resource")
			})
			if unsure != unknown {
				t.Fatalf("seed %d, load %d:\n%s\nunsure: %v\nlive: %q", seed, load, text, unsure, got)
			}
			if !unsure {
				sure++
				if a, b := staged(live), staged(tried); a != b {
					t.Fatalf("seed %d, load %d:\n%s\nlive:\n%s\nrehearsed:\n%s", seed, load, text, a, b)
				}
			}
			if !unsure && (!slices.Equal(got, want) || fmt.Sprint(s.Declares()) != fmt.Sprint(rehearsed.Declares())) {
				t.Fatalf("seed %d, load %d:\n%s\nlive: %q\nrehearsed: %q\nlive: %v\nrehearsed: %v", seed, load, text, got, want, s.Declares(), rehearsed.Declares())
			}
			tried.Abandon()
			other.Close()
			fresh := []*Declarations{s}
			if len(got) == 0 && len(live.Check(nil, before, fresh, false)) == 0 {
				if err := live.Commit(before, fresh); err != nil {
					t.Fatalf("seed %d, load %d: %v", seed, load, err)
				}
				before = fresh
			} else {
				live.Abandon()
			}
			if list := differences(live, []string{"hostArena", "arena", "Health", "Armor", "Plate", "Hit", "Bang", "ScriptError", "nobody"}); len(list) > 0 {
				t.Fatalf("seed %d, load %d:\n%s\n%s", seed, load, text, strings.Join(list, "\n"))
			}
		}
		L.Close()
	}
	if faults < 100 || sure < 300 {
		t.Errorf("only %d faults, and %d loads that are sure: the texts are too tame", faults, sure)
	}
}
