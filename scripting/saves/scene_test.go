package saves_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/saves"
)

// kinds has a component with fields of each kind that scripts have, one in a pool, and a tag. No two
// entities have the same Mark, so that they are found again.
const kinds = `
local ecs = require "ecs"
ecs.component("Mark", { n = ecs.u32() })
ecs.component("Whole", { a = ecs.i8(1), b = ecs.i16(2), c = ecs.i32(3), d = ecs.i64(4), e = ecs.u8(5), f = ecs.u16(6), g = ecs.u32(7), h = ecs.u64(8) })
ecs.component("Real", { x = ecs.f32(1), y = ecs.f64(2), on = ecs.bool(true), mood = ecs.enum("calm", "angry", "end") })
ecs.component("Lists", { bytes = ecs.array(ecs.u8(), 3), reals = ecs.array(ecs.f64(), 2), who = ecs.array(ecs.entity(), 2), ["end"] = ecs.array(ecs.bool(), 2) })
ecs.component("Who", { other = ecs.entity() }, { sparse = true })
ecs.tag("Frozen")
`

// withLinks opens a host with the components of kinds, a relation, and files beside.
func withLinks(t testing.TB, files fstest.MapFS) *scripting.Host {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Tag: 5, MaxBytes: 16 << 20})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	_, err = w.Relation("Likes", ecs.RelationOptions{})
	must(t, err)
	h, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	t.Cleanup(func() { h.Close() })
	if files == nil {
		files = fstest.MapFS{}
	}
	files["a.lua"] = &fstest.MapFile{Data: []byte(kinds)}
	must(t, h.Load(files))
	return h
}

// drawWorld fills a world at random, and returns its entities by their marks.
func drawWorld(t testing.TB, random *rand.Rand, w *ecs.World) (all []ecs.Entity) {
	t.Helper()
	raw := w.Raw()
	for range 1 + random.IntN(40) {
		all = append(all, w.Spawn())
	}
	for i, e := range all {
		for _, name := range []string{"Mark", "Whole", "Real", "Lists", "Who", "Frozen"} {
			id, ok := raw.ComponentNamed(name)
			if !ok {
				t.Fatal(name)
			}
			if name != "Mark" && random.IntN(2) == 0 {
				continue
			}
			s := raw.Schema(id)
			value := make([]uint64, s.Size/8+1)
			p := unsafe.Pointer(&value[0])
			for k := range s.Fields {
				drawField(random, &s.Fields[k], unsafe.Add(p, s.Fields[k].Offset), all)
			}
			if name == "Mark" {
				*(*uint32)(p) = uint32(i)
			}
			must(t, w.Add(e, raw.ValueAt(id, p)))
		}
		if i > 0 && random.IntN(2) == 0 {
			must(t, w.SetParent(e, all[random.IntN(i)]))
		}
		if random.IntN(3) == 0 {
			must(t, raw.RelationNamed("Likes").Set(e, all[random.IntN(len(all))]))
		}
	}
	return all
}

// drawField stores what a field of its kind may have, the ends of its range more often than others.
func drawField(random *rand.Rand, f *ecs.Field, at unsafe.Pointer, all []ecs.Entity) {
	for i := range max(f.Len, 1) {
		p := unsafe.Add(at, uintptr(i)*f.Stride)
		low, high := f.Kind.Range()
		switch f.Kind {
		case ecs.F32:
			*(*float32)(p) = math.Float32frombits(random.Uint32())
		case ecs.F64:
			*(*float64)(p) = []float64{math.Float64frombits(random.Uint64()), math.Copysign(0, -1), math.Inf(-1), math.NaN(), 0.1}[random.IntN(5)]
		case ecs.Ref:
			*(*ecs.Entity)(p) = append(slices.Clone(all), 0)[random.IntN(len(all)+1)]
		case ecs.Enum:
			*(*uint8)(p) = uint8(random.IntN(len(f.Names)))
		default:
			f.Kind.Store(p, []float64{low, high, math.Trunc(low + random.Float64()*(high-low))}[random.IntN(3)])
		}
	}
}

// saved writes a world without scripts, and opens what was written.
func saved(t testing.TB, h *scripting.Host) *save.File {
	t.Helper()
	s, err := h.Capture()
	must(t, err)
	var b bytes.Buffer
	must(t, saves.Write(&b, s, save.Options{}))
	f, err := save.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must(t, err)
	return f
}

// shown is an entity as text: all bytes of all fields, with entities by their marks; nobody and those that are
// not in the set are "-".
func shown(w *ecs.World, e ecs.Entity, marks map[ecs.Entity]uint32) string {
	raw := w.Raw()
	var parts []string
	who := func(e ecs.Entity) string {
		if mark, ok := marks[e]; ok {
			return fmt.Sprint("#", mark)
		}
		return "-"
	}
	for _, id := range raw.Components(e, nil) {
		s, text := raw.Schema(id), ""
		if found, ok := raw.ComponentNamed(s.Name); !ok || found != id {
			continue // of a relation
		}
		for _, f := range s.Fields {
			for i := range max(f.Len, 1) {
				switch p := unsafe.Add(raw.Pointer(e, id), f.Offset+uintptr(i)*f.Stride); f.Kind {
				case ecs.Ref:
					text += " " + f.Name + "=" + who(*(*ecs.Entity)(p))
				case ecs.F32, ecs.F64: // all NaN are one: no text says which
					if v := f.Kind.Load(p); v != v {
						text += " " + f.Name + "=NaN"
						continue
					}
					fallthrough
				default:
					text += fmt.Sprintf(" %s=%x", f.Name, unsafe.Slice((*byte)(p), f.Kind.Size()))
				}
			}
		}
		parts = append(parts, s.Name+text)
	}
	slices.Sort(parts)
	for r := range raw.Relations() {
		parts = append(parts, r.Name()+" "+who(r.Target(e)))
	}
	return strings.Join(parts, "\n")
}

// marksOf returns the marks of entities.
func marksOf(w *ecs.World, list []ecs.Entity) map[ecs.Entity]uint32 {
	id, _ := w.Raw().ComponentNamed("Mark")
	marks := map[ecs.Entity]uint32{}
	for _, e := range list {
		marks[e] = *(*uint32)(w.Raw().Pointer(e, id))
	}
	return marks
}

// TestScenesOfRandomWorlds: what is written of a save, by a query, by roots or with children, and
// loaded by a new game, is the chosen entities with the same values and links, and nobody else.
func TestScenesOfRandomWorlds(t *testing.T) {
	const rounds = 60
	links := 0
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 14))
			h := withLinks(t, nil)
			w := h.World()
			all := drawWorld(t, random, w)
			frozen, _ := w.Raw().ComponentNamed("Frozen")
			o := saves.SceneOptions{Syntax: scripting.SceneSyntax(seed % 2)}
			chosen := map[ecs.Entity]bool{}
			below := func(root ecs.Entity) {
				for _, e := range all {
					for at := e; at != 0; at = w.Parent(at) {
						if at == root {
							chosen[e] = true
						}
					}
				}
			}
			switch seed % 4 {
			case 0:
				o.Queries = []string{""}
				for _, e := range all {
					chosen[e] = true
				}
			case 1:
				o.Roots = []string{all[0].String()}
				below(all[0])
			default:
				o.Queries, o.Children = []string{"!Frozen, Mark.n >= 1"}, seed%4 == 3
				for i, e := range all {
					switch {
					case i == 0 || w.Raw().Has(e, frozen):
					case o.Children:
						below(e)
					default:
						chosen[e] = true
					}
				}
			}
			s, err := saves.WriteScene(saved(t, h), o)
			if len(chosen) == 0 {
				if !errors.Is(err, ecs.ErrConflict) {
					t.Fatal(err)
				}
				return
			}
			must(t, err)
			var want, got []string
			marks := map[ecs.Entity]uint32{}
			for e, mark := range marksOf(w, all) {
				if chosen[e] {
					marks[e] = mark
				}
			}
			for e := range chosen {
				want = append(want, shown(w, e, marks))
			}
			out := countLinksOut(w, chosen)
			if notes := len(s.Notes); (notes > 0) != (out > 0) || s.Entities != len(chosen) {
				t.Errorf("%d links lead out, and there are %d notes; %d of %d entities", out, notes, s.Entities, len(chosen))
			}
			links += out
			other := withLinks(t, fstest.MapFS{"scenes/x" + []string{".lua", ".json"}[o.Syntax]: {Data: s.Text}})
			must(t, other.LoadScene("x"))
			must(t, other.World().Check())
			list := slices.Collect(other.World().Entities())
			marks = marksOf(other.World(), list)
			for _, e := range list {
				got = append(got, shown(other.World(), e, marks))
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) {
				t.Errorf("there were\n%s\nand there are\n%s\nof\n%s", strings.Join(want, "\n\n"), strings.Join(got, "\n\n"), s.Text)
			}
		})
	}
	if links < rounds {
		t.Errorf("%d links lead out of %d sets: too few to say anything", links, rounds)
	}
}

// countLinksOut counts what leads out of a set, and the children that are not in it.
func countLinksOut(w *ecs.World, chosen map[ecs.Entity]bool) (n int) {
	raw := w.Raw()
	for e := range chosen {
		for r := range raw.Relations() {
			if to := r.Target(e); to != 0 && !chosen[to] {
				n++
			}
		}
		for child := range w.ChildOf().Sources(e) {
			if !chosen[child] {
				n++
			}
		}
		for _, id := range raw.Components(e, nil) {
			if found, ok := raw.ComponentNamed(raw.Schema(id).Name); !ok || found != id {
				continue
			}
			for _, f := range raw.Schema(id).Fields {
				for i := range max(f.Len, 1) {
					if f.Kind != ecs.Ref {
						continue
					}
					if to := *(*ecs.Entity)(unsafe.Add(raw.Pointer(e, id), f.Offset+uintptr(i)*f.Stride)); to != 0 && !chosen[to] {
						n++
					}
				}
			}
		}
	}
	return n
}

const campScript = `
local ecs = require "ecs"
local Health = ecs.component("Health", { hp = ecs.f32(100) })
local Sword = ecs.component("Sword", { length = ecs.f32(3) })
local Frozen = ecs.tag("Frozen")
ecs.prefab("Orc", { Health { hp = 30 }, Frozen, children = { { Sword { length = 4 } } } })
local state = ecs.state("s", { n = 0 })
ecs.system "play" { run = function()
  state.n = state.n + 1
  if state.n > 1 then return end
  ecs.set(ecs.scene_entity("camp", "guard"), Health { hp = 12.5 })
  ecs.remove(ecs.scene_entity("camp", "thawed"), Frozen)
  ecs.despawn(ecs.scene_entity("camp", "dead"))
end }
`

// camp is a game with two scenes, in which something has happened.
func camp(t testing.TB, more fstest.MapFS) *scripting.Host {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Tag: 5, MaxBytes: 16 << 20})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	h, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler), OnError: func(e *scripting.Error) { t.Error(e) }})
	must(t, err)
	t.Cleanup(func() { h.Close() })
	files := fstest.MapFS{
		"a.lua": {Data: []byte(campScript)},
		"scenes/camp.lua": {Data: []byte(`return { entities = {
			fire = {}, guard = { prefab = "Orc", parent = "fire" }, thawed = { prefab = "Orc" }, dead = { prefab = "Orc" } } }`)},
		"scenes/town.lua": {Data: []byte(`return { entities = { guard = { components = { Health = { hp = 1 } } } } }`)},
	}
	for name, f := range more {
		files[name] = f
	}
	must(t, h.Load(files))
	return h
}

// played is a save of the camp.
func played(t testing.TB) *save.File {
	t.Helper()
	h := camp(t, nil)
	must(t, h.LoadScene("camp"))
	must(t, h.LoadScene("town"))
	step(t, h, 2)
	return saved(t, h)
}

// TestScenesOfScenes: entities keep their names and, if asked for, their prefabs, as long as these make them what they
// are; what comes with a prefab is not written twice.
func TestScenesOfScenes(t *testing.T) {
	f := played(t)
	s, err := saves.WriteScene(f, saves.SceneOptions{Scenes: []string{"camp"}, Children: true, Prefabs: true})
	must(t, err)
	want := []string{
		"camp:thawed does not keep its prefab Orc: the game has removed its Frozen",
		"not written: 1 entity below prefabs, as they come with these",
	}
	if !slices.Equal(s.Notes, want) || s.Entities != 4 {
		t.Errorf("%q\n%s", s.Notes, s.Text)
	}
	h := camp(t, fstest.MapFS{"scenes/again.lua": {Data: s.Text}})
	must(t, h.LoadScene("again"))
	w := h.World()
	guard, thawed := h.SceneEntity("again", "guard"), h.SceneEntity("again", "thawed")
	health, _ := w.Raw().ComponentNamed("Health")
	frozen, _ := w.Raw().ComponentNamed("Frozen")
	children := func(e ecs.Entity) int { return len(slices.Collect(w.ChildOf().Sources(e))) }
	if *(*float32)(w.Raw().Pointer(guard, health)) != 12.5 || w.Parent(guard) != h.SceneEntity("again", "fire") ||
		w.Raw().Has(thawed, frozen) || children(guard) != 1 || children(thawed) != 1 || w.Len() != 5 || h.SceneEntity("again", "dead") != 0 {
		t.Errorf("%d entities\n%s", w.Len(), s.Text)
	}

	s, err = saves.WriteScene(f, saves.SceneOptions{Entities: []string{"camp:guard", "town:guard"}, Roots: []string{"thawed"}})
	must(t, err)
	if !slices.Equal(s.Notes, []string{"not written: 1 child of those that are, and what is below", "left out: guard: parent leads to an entity that is not written"}) ||
		s.Entities != 4 || strings.Contains(string(s.Text), "prefab") || !strings.Contains(string(s.Text), "entity_1") {
		t.Errorf("%q\n%s", s.Notes, s.Text)
	}
}

// TestScenesThatCannotBe: what is wrong is said by name, and nothing is written.
func TestScenesThatCannotBe(t *testing.T) {
	f := played(t)
	for _, c := range []struct {
		options saves.SceneOptions
		err     error
		text    string
	}{
		{saves.SceneOptions{}, ecs.ErrConflict, "no option says which entities are meant"},
		{saves.SceneOptions{Queries: []string{"Health.hp > 1000"}}, ecs.ErrConflict, "no entity of the save matches"},
		{saves.SceneOptions{Queries: []string{"Helth"}}, ecs.ErrUnknown, `the query "Helth": column 1: unknown: there is no component "Helth" (did you mean "Health"?)`},
		{saves.SceneOptions{Queries: []string{"Health, "}}, ecs.ErrConflict, "a component was expected"},
		{saves.SceneOptions{Scenes: []string{"cmap"}}, ecs.ErrUnknown, `no scene "cmap"`},
		{saves.SceneOptions{Entities: []string{"guard"}}, ecs.ErrConflict, `there are 2 entities of the name "guard": write "camp:guard" or "town:guard"`},
		{saves.SceneOptions{Entities: []string{"gaurd"}}, ecs.ErrUnknown, `no entity "gaurd" (did you mean "guard"?)`},
		{saves.SceneOptions{Entities: []string{"dead"}}, ecs.ErrUnknown, `no entity "dead"`},
		{saves.SceneOptions{Roots: []string{"999v1"}}, ecs.ErrUnknown, "its number, or its handle"},
		{saves.SceneOptions{Queries: []string{""}, Syntax: 7}, ecs.ErrConflict, "no such syntax"},
		{saves.SceneOptions{Queries: []string{""}, Limits: scripting.Limits{Spawned: 2}}, ecs.ErrConflict, "the scene has more than 2 entities"},
		{saves.SceneOptions{Queries: []string{""}, Limits: scripting.Limits{DataValues: 3}}, ecs.ErrConflict, "a game could not load the scene"},
		{saves.SceneOptions{Queries: []string{""}, Limits: scripting.Limits{DataBytes: 30}}, ecs.ErrConflict, "Limits.DataBytes is 30"},
	} {
		s, err := saves.WriteScene(f, c.options)
		if !errors.Is(err, c.err) || !strings.Contains(fmt.Sprint(err), c.text) || s.Text != nil {
			t.Errorf("%+v: %v", c.options, err)
		}
	}
	if _, err := saves.WriteScene(nil, saves.SceneOptions{Queries: []string{""}}); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
}

// TestWhatNoSceneCanSay is refused by the name of the component or field, and with Lose left out with a note.
func TestWhatNoSceneCanSay(t *testing.T) {
	type Label struct{ Text string }
	type Body struct {
		X      float32
		secret int32
	}
	type Count struct{ N uint64 }
	h := camp(t, nil)
	w := h.World()
	label, body, number := ecs.Register[Label](w), ecs.Register[Body](w), ecs.Register[Count](w)
	a, b := w.Spawn(label.With(Label{"a"}), body.With(Body{X: 3, secret: 4})), w.Spawn(number.With(Count{1<<53 + 1}))
	c := w.Spawn(number.With(Count{1 << 53}))
	f := saved(t, h)
	for e, want := range map[ecs.Entity][]string{
		a: {`component Label of 1 entity: its values of the Go type saves_test.Label have pointers`, `component Body of 1 entity: 4 bytes of it are in no field`},
		b: {`entity_1.Count.n: a whole number beyond 2⁵³`},
		c: nil,
	} {
		o := saves.SceneOptions{Entities: []string{fmt.Sprint(uint64(e))}}
		_, err := saves.WriteScene(f, o)
		if errors.Is(err, save.ErrLoss) != (want != nil) || want == nil && err != nil {
			t.Errorf("%v: %v", e, err)
		}
		o.Lose = true
		s, lost := saves.WriteScene(f, o)
		must(t, lost)
		for _, text := range want {
			if !strings.Contains(fmt.Sprint(err), text) || !slices.ContainsFunc(s.Notes, func(note string) bool { return strings.HasPrefix(note, "left out: "+text) }) {
				t.Errorf("%v: %v, %q", e, err, s.Notes)
			}
		}
		if len(s.Notes) != len(want) {
			t.Errorf("%v: %q", e, s.Notes)
		}
	}
	if _, err := saves.WriteScene(f, saves.SceneOptions{Queries: []string{"Label"}}); !errors.Is(err, ecs.ErrUnknown) || !strings.Contains(err.Error(), `the save has "Label", but its values`) {
		t.Error(err)
	}
}
