package saves_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/saves"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open makes a host with one script.
func open(t testing.TB, tag uint16, script string) *scripting.Host {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Tag: tag, MaxBytes: 16 << 20})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	h, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler), Slots: true})
	must(t, err)
	t.Cleanup(func() { h.Close() })
	must(t, h.Load(fstest.MapFS{"a.lua": {Data: []byte(script)}}))
	return h
}

const growth = `
local ecs = require "ecs"
local Plant = ecs.component("Plant", { size = ecs.f32(1), age = ecs.u16() }, { version = 1 })
local Sick = ecs.component("Sick", { left = ecs.i8(3) }, { sparse = true })
local state = ecs.state("garden", { spring = 0, names = {} })
ecs.on_start(function() for i = 1, 5 do ecs.spawn(Plant { size = i }) end end)
ecs.system "grow" { query = { Plant }, each = function(e, p, ctx) p.size = p.size + ctx.dt p.age = p.age + 1 end }
ecs.system "seasons" { every = 0.5, run = function()
  state.spring = state.spring + 1
  state.names[#state.names + 1] = "year " .. state.spring
  local e = ecs.spawn(Plant { size = math.random() })
  if state.spring % 2 == 0 then ecs.add(e, Sick) end
  ecs.after(0.3, "seed", { n = state.spring })
end }
ecs.handler("seed", function(data) ecs.spawn(Plant { age = data.n }) end)
`

// step makes some steps.
func step(t testing.TB, h *scripting.Host, n int) {
	t.Helper()
	for range n {
		must(t, h.Step(1.0/60))
	}
}

// TestALoadedGameGoesOn: a game that is saved, and loaded by another host, is in each later tick what
// the game is that was never stopped; what scripts keep included.
func TestALoadedGameGoesOn(t *testing.T) {
	straight := open(t, 5, growth)
	step(t, straight, 100)
	s, err := straight.Capture()
	must(t, err)
	var text bytes.Buffer
	must(t, saves.Write(&text, s, save.Options{Sections: map[string][]byte{"note": []byte("hi")}}))
	step(t, straight, 100)
	want := straight.World().Checksum()
	must(t, straight.World().Close())

	h := open(t, 5, growth)
	step(t, h, 33)
	f, err := save.Open(bytes.NewReader(text.Bytes()), int64(text.Len()))
	must(t, err)
	report, err := saves.Check(f, h, save.LoadOptions{})
	must(t, err)
	if len(report.Changes) > 0 {
		t.Error(report)
	}
	loaded, err := saves.Load(f, h, save.LoadOptions{})
	must(t, err)
	if len(loaded.Changed)+len(loaded.Missing)+len(loaded.New)+len(loaded.Notes)+len(loaded.Changes) > 0 {
		t.Errorf("%+v", loaded)
	}
	must(t, h.World().Check())
	step(t, h, 100)
	if h.World().Checksum() != want {
		t.Error("another checksum after 100 ticks more")
	}
}

// TestANewerScript: values of a save are converted as those of a reload are, by the migrate, drop and
// was of the declarations.
func TestANewerScript(t *testing.T) {
	old := open(t, 5, growth)
	step(t, old, 61)
	s, err := old.Capture()
	must(t, err)
	var text bytes.Buffer
	must(t, saves.Write(&text, s, save.Options{}))
	must(t, old.World().Close())
	f, err := save.Open(bytes.NewReader(text.Bytes()), int64(text.Len()))
	must(t, err)

	lossy := open(t, 5, `
local ecs = require "ecs"
ecs.component("Plant", { size = ecs.f32(1) })
ecs.component("Ill", { left = ecs.i16(3) }, { sparse = true, was = "Sick" })`)
	before := lossy.World().Checksum()
	if _, err := saves.Load(f, lossy, save.LoadOptions{}); !errors.Is(err, save.ErrLoss) || lossy.World().Checksum() != before {
		t.Error(err)
	}
	must(t, lossy.World().Close())

	h := open(t, 5, `
local ecs = require "ecs"
ecs.component("Plant", { height = ecs.f64(1), age = ecs.u32(), leaves = ecs.u8(7) }, { version = 2,
  migrate = function(old, from) return { height = old.size * 10 * from, age = old.age, leaves = 7 } end })
ecs.component("Ill", { left = ecs.i16(3), hope = ecs.bool(true) }, { sparse = true, was = "Sick" })`)
	loaded, err := saves.Load(f, h, save.LoadOptions{})
	must(t, err)
	must(t, h.World().Check())
	if len(loaded.Changed) != 1 || len(loaded.Changes) != 3 {
		t.Errorf("%+v %s", loaded, loaded.Report)
	}
	id, _ := h.World().Raw().ComponentNamed("Ill")
	if ill := h.World().Query(ecs.Read(id)).Count(); ill != 1 {
		t.Errorf("%d are ill", ill)
	}
}

// TestFolder: saves by name, on their own from time to time, listed, loaded; names that are none.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "slots")
	h := open(t, 5, growth)
	var told []string
	f, err := saves.OpenFolder(h, dir, saves.Options{Every: 0.25, OnSaved: func(slot string, err error) { told = append(told, fmt.Sprint(slot, err)) }})
	must(t, err)
	for range 60 {
		step(t, h, 1)
		must(t, f.After())
	}
	must(t, f.Save("one"))
	want := h.World().Checksum()
	must(t, f.Wait())
	if n := len(told); n < 2 || told[n-1] != "one<nil>" || told[0] != "auto<nil>" {
		t.Error(told)
	}
	step(t, h, 30)
	if _, err := f.Load("one"); err != nil || h.World().Checksum() != want {
		t.Error(err)
	}
	if _, err := f.Load("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for _, name := range []string{"", "..", "a/b", ".hidden", "../../etc/passwd", "a\x00b", string(make([]byte, 200))} {
		if err := f.Save(name); !errors.Is(err, ecs.ErrConflict) {
			t.Errorf("%q: %v", name, err)
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "bad.save"), []byte("nonsense"), 0o666))
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o666))
	saved := 3
	if os.Symlink("one.save", filepath.Join(dir, "linked.save")) == nil && os.Symlink("nowhere", filepath.Join(dir, "loose.save")) == nil {
		saved = 4 // and the one that leads nowhere is none
	}
	list, err := saves.List(dir)
	must(t, err)
	names := map[string]bool{}
	for _, s := range list {
		names[s.Name] = s.Err == nil
	}
	if len(list) != saved || names["linked"] != (saved == 4) || !names["one"] || !names["auto"] || names["bad"] {
		t.Errorf("%+v", list)
	}
	must(t, os.RemoveAll(dir))
	must(t, f.Save("lost"))
	if must(t, f.Wait()); told[len(told)-1] == "lost<nil>" {
		t.Error("a save into a folder that is gone has gone well")
	}
}

// TestScriptsSaveAndLoad: what a script asks for is done between two ticks, and not if its call fails;
// a game that is loaded does not know that it was.
func TestScriptsSaveAndLoad(t *testing.T) {
	h := open(t, 5, `
local ecs = require "ecs"
local state = ecs.state("s", { n = 0 })
local loads = 0
ecs.system "s" { run = function(ctx)
  state.n = ctx.tick
  if state.n == 3 then ecs.save("three") ecs.save("three") end
  if state.n == 4 then ecs.save("four") error("undone") end
  if state.n == 8 and loads == 0 then loads = 1 ecs.load("three") ecs.save("late") end
  if state.n == 10 then ecs.load("none") end
end }`)
	dir := t.TempDir()
	var told []string
	f, err := saves.OpenFolder(h, dir, saves.Options{
		OnSaved: func(slot string, err error) { told = append(told, fmt.Sprint("saved ", slot, " ", err)) },
		OnLoaded: func(slot string, _ saves.Loaded, err error) {
			told = append(told, fmt.Sprint("loaded ", slot, " ", err == nil))
		},
	})
	must(t, err)
	for range 16 {
		_ = h.Step(1.0 / 60)
		must(t, f.After())
		must(t, f.Wait())
	}
	if _, n := h.World().Time(); n != 16-5 || fmt.Sprint(told) != "[saved three <nil> loaded three true loaded none false]" {
		t.Errorf("tick %d, %q", n, told)
	}
	for name, script := range map[string]string{
		`expected the name of a slot`: `ecs.save("../x")`, `takes 1 argument`: `ecs.load("a", "b")`,
	} {
		h := open(t, 0, `local ecs = require "ecs" ecs.system "s" { run = function() `+script+` end }`)
		_ = h.Step(0.1)
		if faults := h.Faults(); faults.Total != 1 || len(h.Asked()) > 0 {
			t.Errorf("%s: %+v", name, faults)
		}
	}
}

// TestALoadOfAnEmptySlotNamesTheOthers: whoever asks for a slot without a save reads which there are, and no
// word of files; programs find os.ErrNotExist.
func TestALoadOfAnEmptySlotNamesTheOthers(t *testing.T) {
	h := open(t, 1, `local ecs = require "ecs"`)
	f, err := saves.OpenFolder(h, t.TempDir(), saves.Options{})
	must(t, err)
	holds := func(slot, want string) {
		t.Helper()
		if _, err := f.Load(slot); !errors.Is(err, os.ErrNotExist) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	holds("camp", `saves: slot "camp" is empty, as no game is saved yet`)
	must(t, f.Save("quick"))
	must(t, f.Wait())
	holds("quik", `saves: slot "quik" is empty: there are saves in quick (did you mean "quick"?)`)
	for i := range 11 {
		must(t, f.Save(fmt.Sprint("slot", i)))
	}
	must(t, f.Wait())
	if _, err := f.Load("other"); err == nil || !strings.HasSuffix(err.Error(), " and 2 more") {
		t.Error(err)
	}
}

// TestALoadWaitsForItsSave: with Wait, a load is done after the tick in which it was asked for, while a save is being
// written that is asked for just before; so two games are the same in each tick. Without it, no tick waits, and what
// was done late is counted.
func TestALoadWaitsForItsSave(t *testing.T) {
	play := func(wait bool) (ticks string, late int) {
		h := open(t, 5, `
local ecs = require "ecs"
local Plant = ecs.component("Plant", { size = ecs.f32(1) })
local loads = 0
ecs.on_start(function() ecs.spawn_many(4000, Plant) end)
ecs.system "s" { run = function(ctx)
  if ctx.tick == 3 then ecs.save("a") end
  if ctx.tick == 5 and loads == 0 then loads = 1 ecs.save("b") ecs.load("a") end
  if ctx.tick == 6 and loads == 1 then loads = 2 ecs.save("c") ecs.load("none") ecs.load("b") end
end }`)
		f, err := saves.OpenFolder(h, t.TempDir(), saves.Options{Wait: wait, OnSaved: func(string, error) {}, OnLoaded: func(string, saves.Loaded, error) {}})
		must(t, err)
		for range 12 {
			step(t, h, 1)
			must(t, f.After())
			_, n := h.World().Time()
			ticks += fmt.Sprint(n, " ")
		}
		must(t, f.Wait())
		return ticks, f.Late()
	}
	const want = "1 2 3 4 3 4 5 5 6 7 8 9 "
	if ticks, late := play(true); ticks != want || late != 0 {
		t.Errorf("ticks %s, want %s; %d late", ticks, want, late)
	}
	if ticks, late := play(false); (ticks == want) != (late == 0) {
		t.Errorf("without Wait: ticks %s, %d late", ticks, late)
	}
}

// TestLeftovers: what a writer has left that was killed goes, what another one writes now stays, and so does all else.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, age time.Duration) {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte("half"), 0o666))
		must(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}
	gone := []string{".one.save.00c0ffee.tmp", ".auto.save.deadbeef.tmp"}
	for _, name := range gone {
		write(name, 2*time.Hour)
	}
	stay := map[string]time.Duration{".one.save.01234567.tmp": time.Minute, "one.save": 99 * time.Hour, ".hidden": 99 * time.Hour, ".a.save.tmp": 99 * time.Hour}
	for name, age := range stay {
		write(name, age)
	}
	_, err := saves.OpenFolder(open(t, 1, ""), dir, saves.Options{})
	must(t, err)
	for _, name := range gone {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
	for name := range stay {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestTimesBetweenSaves are numbers: one that is none would save after each step.
func TestTimesBetweenSaves(t *testing.T) {
	h := open(t, 1, "")
	for _, every := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := saves.OpenFolder(h, t.TempDir(), saves.Options{Every: every}); !errors.Is(err, ecs.ErrRange) {
			t.Errorf("%v: %v", every, err)
		}
	}
}

// TestASaveThatAScriptPreventsEndsNoGame: what cannot be kept is reported, and the host goes on.
func TestASaveThatAScriptPreventsEndsNoGame(t *testing.T) {
	h := open(t, 5, `local ecs = require "ecs"
ecs.on_save(function() return function() end end)`)
	var told []error
	f, err := saves.OpenFolder(h, t.TempDir(), saves.Options{Every: 0.25, OnSaved: func(_ string, err error) { told = append(told, err) }})
	must(t, err)
	quiet, err := saves.OpenFolder(h, t.TempDir(), saves.Options{Every: 0.25})
	must(t, err)
	for range 300 {
		step(t, h, 1)
		must(t, f.After())
		must(t, quiet.After())
	}
	if len(told) < 10 || !strings.Contains(told[0].Error(), "a.lua") || !strings.Contains(told[0].Error(), "function") {
		t.Errorf("%d: %v", len(told), told)
	}
	if err := quiet.Wait(); err == nil || strings.Count(err.Error(), "\n") > 1000 {
		t.Error(err)
	}
	if err := quiet.Wait(); err != nil {
		t.Error("said twice:", err)
	}
	if err := f.Save("by hand"); err == nil {
		t.Error("a save that was asked for by the host was not refused")
	}
}

// TestTwoClocks: a world and what scripts keep have to be of the same tick and the same time, also after
// steps without the host.
func TestTwoClocks(t *testing.T) {
	h := open(t, 1, growth)
	step(t, h, 3)
	must(t, h.World().Step(0.5))
	s, err := h.Capture()
	must(t, err)
	var text bytes.Buffer
	must(t, saves.Write(&text, s, save.Options{}))
	file, err := save.Open(bytes.NewReader(text.Bytes()), int64(text.Len()))
	must(t, err)
	_, err = saves.Load(file, open(t, 1, growth), save.LoadOptions{})
	must(t, err)
	step(t, h, 1)
	later, err := h.Capture()
	must(t, err)
	var b bytes.Buffer
	must(t, save.Write(&b, later.World(), save.Options{Sections: map[string][]byte{saves.Section: bytes.Replace(later.Scripts().Encode(), []byte(`"now":`), []byte(`"now":1`), 1)}}))
	forged, err := save.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must(t, err)
	if _, err := saves.Load(forged, open(t, 1, growth), save.LoadOptions{}); !errors.Is(err, save.ErrDamaged) {
		t.Errorf("a save of two times is loaded: %v", err)
	}
	if _, err := saves.Check(forged, open(t, 1, growth), save.LoadOptions{}); !errors.Is(err, save.ErrDamaged) {
		t.Errorf("a save of two times is checked: %v", err)
	}
}

// TestEventsOfASystemThatIsGone: a load says which events wait for a system that no script has any more.
func TestEventsOfASystemThatIsGone(t *testing.T) {
	const text = `local ecs = require "ecs"
local E, S = ecs.event("E", { n = ecs.i32(0) }), ecs.state("s", { n = 0 })
ecs.system "w" { run = function(ctx) ecs.emit(E { n = ctx.tick }) end }
ecs.system "r" { run = function(ctx) for e in ecs.events(E) do S.n = S.n + 1 end if ctx.tick == 2 then ecs.enable("r", false) end end }`
	h := open(t, 1, text)
	step(t, h, 6)
	s, err := h.Capture()
	must(t, err)
	var b bytes.Buffer
	must(t, saves.Write(&b, s, save.Options{}))
	f, err := save.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must(t, err)
	const said = `E: 5 events wait for "r", which reads no more: they are dropped`
	for script, want := range map[string]string{text: "", strings.ReplaceAll(text, `"r"`, `"r2"`): said} {
		h := open(t, 1, script)
		report, err := saves.Check(f, h, save.LoadOptions{})
		must(t, err)
		loaded, err := saves.Load(f, h, save.LoadOptions{})
		must(t, err)
		for _, r := range []*save.Report{report, loaded.Report} {
			if got := fmt.Sprint(r.Changes); strings.Contains(got, "dropped") != (want != "") || !strings.Contains(got, want) || len(r.Loses()) > 0 {
				t.Errorf("got %v, want %q", got, want)
			}
		}
	}
}

// TestAProgramsOwnSections: one with the name of that of the scripts is refused.
func TestAProgramsOwnSections(t *testing.T) {
	s, err := open(t, 1, growth).Capture()
	must(t, err)
	o := save.Options{Sections: map[string][]byte{saves.Section: []byte("mine")}}
	path := filepath.Join(t.TempDir(), "a.save")
	for _, err := range []error{saves.Write(&bytes.Buffer{}, s, o), saves.ToFile(path, s, o)} {
		if !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), saves.Section) {
			t.Errorf("got %v", err)
		}
	}
}

// TestChecksChangeNothing: a check of a save, and a load that is refused, leave what scripts keep, the random numbers and the numbers in
// texts as they are, whatever a migrate function does; each call of one sees what those before it did.
func TestChecksChangeNothing(t *testing.T) {
	old := open(t, 5, `local ecs = require "ecs" local P = ecs.component("Plant", { size = ecs.f32(1) }) ecs.on_start(function() ecs.spawn_many(3, P) end)`)
	step(t, old, 3)
	s, err := old.Capture()
	must(t, err)
	var text bytes.Buffer
	must(t, saves.Write(&text, s, save.Options{}))
	for _, fails := range []bool{false, true} {
		h := open(t, 5, fmt.Sprintf(`local ecs = require "ecs" local S = ecs.state("s", { n = 0, t = { n = 0 }, drawn = 0, text = "" })
ecs.component("Plant", { mass = ecs.f32(1) }, { version = 2, migrate = function(old)
  S.n = S.n + 1 S.t.n = S.n S.drawn = math.random() S.text = tostring({})
  if %v and S.n == 3 then error("planned") end
  return { mass = S.n }
end })`, fails))
		step(t, h, 1)
		look := func() string {
			x, err := h.Capture()
			must(t, err)
			return fmt.Sprintf("%s %d", x.Scripts().Encode(), h.World().Random().State())
		}
		before := look()
		f, err := save.Open(bytes.NewReader(text.Bytes()), int64(text.Len()))
		must(t, err)
		if _, err = saves.Check(f, h, save.LoadOptions{}); (err != nil) != fails {
			t.Error(err)
		}
		if after := look(); after != before {
			t.Errorf("after a check: %s\nwas %s", after, before)
		}
		if _, err = saves.Load(f, h, save.LoadOptions{}); (err != nil) != fails {
			t.Error(err)
		}
		if after := look(); fails && after != before {
			t.Errorf("after a load that was refused: %s\nwas %s", after, before)
		}
	}
}

// TestDeepFamilies: a script that puts a parent above the top of a tree, again and again, makes a game that can be saved
// and loaded. It is told where an entity cannot have children.
func TestDeepFamilies(t *testing.T) {
	const script = `
local ecs = require "ecs"
local C = ecs.component("C", { x = 1 })
local st = ecs.state("st", { top = 0, bottom = 0, n = 0 })
ecs.on_start(function() st.bottom = ecs.spawn(C) st.top = st.bottom end)
ecs.system "grow" { run = function()
  if st.n < 3000 then
    for i = 1, 500 do local e = ecs.spawn(C) ecs.set_parent(st.top, e) st.top = e end
    st.n = st.n + 500
    return
  end
  local e, n = ecs.parent(st.bottom), 0
  while e do e, n = ecs.parent(e), n + 1 end
  local _, why = pcall(ecs.set_parent, ecs.spawn(C), st.bottom)
  if n ~= 3000 or not tostring(why):find("which has 1,024 ancestors or more", 1, true) then error(n .. " above, " .. tostring(why)) end
end }`
	game := open(t, 5, script)
	step(t, game, 8)
	s, err := game.Capture()
	must(t, err)
	var text bytes.Buffer
	must(t, saves.Write(&text, s, save.Options{}))
	f, err := save.Open(bytes.NewReader(text.Bytes()), int64(text.Len()))
	must(t, err)
	h := open(t, 5, script)
	_, err = saves.Load(f, h, save.LoadOptions{})
	must(t, err)
	must(t, h.World().Check())
	step(t, game, 5)
	step(t, h, 5)
	if got, want := h.World().Checksum(), game.World().Checksum(); got != want || h.World().ChildOf().Len() != 3000 {
		t.Errorf("another checksum after 5 ticks more; %d have a parent", h.World().ChildOf().Len())
	}
}
