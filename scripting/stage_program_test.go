package scripting_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// versionOf is a folder that changes with n: texts, a file that only some versions have, a data file.
func versionOf(n int) fstest.MapFS {
	folder := roomScripts(n)
	folder["data.json"] = &fstest.MapFile{Data: fmt.Appendf(nil, `{ "by": %d }`, n%4)}
	folder["reads.lua"] = &fstest.MapFile{Data: []byte(`local ecs = require "ecs"
local by = ecs.data("data.json").by
local state, Read = ecs.state("read", { n = 0 }), ecs.component("Read", { n = 0 })
ecs.system "reads" { run = function() state.n = state.n + by if state.n % 5 == 0 then ecs.spawn(Read { n = state.n }) end end }`)}
	if n%3 == 1 {
		folder["some.lua"] = &fstest.MapFile{Data: []byte(`local ecs = require "ecs"
local Mark = ecs.tag "Mark"
ecs.system "some" { run = function(ctx) if ctx.tick % 7 == 0 then ecs.spawn(Mark) end end }`)}
	}
	return folder
}

// TestAStagedProgramIsAStagedFolder has a room stage programs, and another one the files that differ: both are the
// same game, with kernels and without.
func TestAStagedProgramIsAStagedFolder(t *testing.T) {
	for seed := range uint64(6) {
		options := scripting.Options{NoKernels: seed%2 == 1}
		a, b := openRoom(t, options), openRoom(t, options)
		folder := versionOf(int(seed))
		musts(t, a.host.Load(folder), b.host.Load(compiled(t, folder)))
		random := rand.New(rand.NewPCG(seed, 2))
		for tick := range 200 {
			if random.IntN(12) == 0 {
				next := versionOf(random.IntN(1000))
				var changed, removed []string
				for name, file := range next {
					if old := folder[name]; old == nil || string(old.Data) != string(file.Data) {
						changed = append(changed, name)
					}
				}
				for name := range folder {
					if next[name] == nil {
						removed = append(removed, name)
					}
				}
				clear(folder)
				maps.Copy(folder, next)
				a.host.Stage(changed, removed)
				musts(t, b.host.StageProgram(t.Context(), compiled(t, next)))
			}
			musts(t, a.host.Step(1.0/60), a.fault, b.host.Step(1.0/60), b.fault)
			if a.world.Checksum() != b.world.Checksum() {
				t.Fatalf("seed %d: the room of the programs differs in tick %d", seed, tick)
			}
		}
		if a, b := a.host.Texts(), b.host.Texts(); !maps.EqualFunc(a, b, func(x, y []byte) bool { return string(x) == string(y) }) {
			t.Errorf("seed %d: the texts differ", seed)
		}
		_, reloads := b.host.LastReload()
		if reloads < 5 {
			t.Errorf("seed %d: %d reloads prove nothing", seed, reloads)
		}
		a.close(t)
		b.close(t)
	}
}

func compiled(t *testing.T, folder fs.FS) *scripting.Program {
	t.Helper()
	p, err := scripting.Compile(folder, scripting.Limits{})
	musts(t, err)
	return p
}

func musts(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestARefusedProgramMakesWay: a program that a room refuses changes nothing, and what it left waiting does not come
// with the next one. A file that changes later is read from the folder of the program that was taken over.
func TestARefusedProgramMakesWay(t *testing.T) {
	text := func(name, body string) fstest.MapFS {
		return roomFolder("a.lua", `value = ecs.state("value", { name = "" }) ecs.system "a" { run = function() value.name = "`+name+`" end }`, "b.lua", body)
	}
	first := text("first", "")
	room := openRoom(t, scripting.Options{})
	defer room.close(t)
	var verdicts []string
	_, err := room.host.OnReload(func(v scripting.Reload) {
		verdicts = append(verdicts, fmt.Sprint(v.Changed, v.Removed, v.Err != nil))
	})
	musts(t, err, room.host.Load(compiled(t, first)), room.host.Step(1))
	says := func(want string) {
		t.Helper()
		musts(t, room.host.Step(1))
		if got := string(room.host.Texts()["a.lua"]); !strings.Contains(got, `"`+want+`"`) {
			t.Errorf("%s runs, want %s: %v", got, want, verdicts)
		}
	}
	bad := text("bad", `error("at the top")`)
	bad["more.lua"] = &fstest.MapFile{Data: []byte("local x = 1")}
	musts(t, room.host.StageProgram(t.Context(), compiled(t, bad)))
	says("first")
	room.fault = nil
	second := text("second", "")
	musts(t, room.host.StageProgram(t.Context(), compiled(t, second)))
	says("second")
	if room.host.Texts()["more.lua"] != nil {
		t.Error("a file of the refused program came with the next one")
	}
	second["a.lua"].Data = []byte(strings.Replace(string(second["a.lua"].Data), "second", "saved", 1))
	room.host.Stage([]string{"a.lua"}, nil)
	says("saved")
	musts(t, room.host.StageProgram(t.Context(), compiled(t, second)))
	says("saved")
	if last := verdicts[len(verdicts)-1]; len(verdicts) != 3 || last != "[a.lua] [] false" || room.fault != nil {
		t.Errorf("%q, %v", verdicts, room.fault)
	}
	// What was staged of the folder makes way, too.
	second["b.lua"].Data = []byte("local broken = ")
	room.host.Stage([]string{"b.lua"}, nil)
	musts(t, room.host.StageProgram(t.Context(), compiled(t, text("third", ""))))
	says("third")
	// A data file that only the folder of the program has, and a file of the old folder that is staged before the step.
	fourth := text("fourth", `ecs.data("fourth.json")`)
	fourth["fourth.json"] = &fstest.MapFile{Data: []byte("[]")}
	musts(t, room.host.StageProgram(t.Context(), compiled(t, fourth)))
	says("fourth")
	fifth := text("fifth", `ecs.data("fifth.json")`)
	fifth["fifth.json"] = fourth["fourth.json"]
	musts(t, room.host.StageProgram(t.Context(), compiled(t, fifth)))
	fourth["a.lua"].Data = []byte(strings.Replace(string(fourth["a.lua"].Data), "fourth", "saved", 1))
	room.host.Stage([]string{"a.lua"}, nil)
	says("saved")
	if texts := room.host.Texts(); room.fault != nil || texts["fifth.json"] == nil || texts["fourth.json"] != nil {
		t.Error(room.fault, texts)
	}
}

// TestStagedProgramsAreRefused says which, and by which error.
func TestStagedProgramsAreRefused(t *testing.T) {
	room := openRoom(t, scripting.Options{})
	p := compiled(t, versionOf(1))
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name string
		err  error
		want error
	}{
		{"before Load", room.host.StageProgram(t.Context(), p), ecs.ErrUnknown},
		{"nil", room.host.StageProgram(t.Context(), nil), ecs.ErrConflict},
		{"zero", room.host.StageProgram(t.Context(), &scripting.Program{}), ecs.ErrConflict},
		{"an ended context", room.host.StageProgram(ended, p), context.Canceled},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.err, c.want)
		}
	}
	musts(t, room.host.Load(versionOf(1)))
	musts(t, room.host.StageProgram(t.Context(), p), room.host.Step(1))
	if _, n := room.host.LastReload(); n != 0 {
		t.Error("a program of the same texts was reloaded")
	}
	room.close(t)
	if err := room.host.StageProgram(t.Context(), p); !errors.Is(err, scripting.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	small := openRoom(t, scripting.Options{Limits: scripting.Limits{Files: 3}})
	defer small.close(t)
	musts(t, small.host.Load(roomFolder("a.lua", "")))
	musts(t, small.host.StageProgram(t.Context(), p), small.host.Step(1))
	if last, _ := small.host.LastReload(); !errors.Is(last.Err, scripting.ErrLimit) {
		t.Errorf("more files than the host takes: %v", last.Err)
	}
}

// TestManyRoomsStageOneProgram has rooms stage programs beside their steps: they end as the same game.
func TestManyRoomsStageOneProgram(t *testing.T) {
	first, next := compiled(t, versionOf(3)), compiled(t, versionOf(10))
	var all sync.WaitGroup
	sums := make([]uint64, 5)
	for i := range sums {
		all.Go(func() {
			r := openRoom(t, scripting.Options{})
			defer r.close(t)
			if err := r.host.Load(first); err != nil {
				t.Error(err)
				return
			}
			for tick := range 40 {
				if tick == 10 {
					staged := make(chan error)
					go func() { staged <- r.host.StageProgram(context.Background(), next) }()
					if err := <-staged; err != nil {
						t.Error(err)
					}
				}
				if err := errors.Join(r.host.Step(1.0/60), r.fault); err != nil {
					t.Error(err)
				}
			}
			sums[i] = r.world.Checksum()
		})
	}
	all.Wait()
	for _, sum := range sums {
		if sum != sums[0] {
			t.Fatalf("rooms differ: %x", sums)
		}
	}
}

// TestAStagedProgramIsAllOfIt: what differs without a script that does, and what a refused program leaves.
func TestAStagedProgramIsAllOfIt(t *testing.T) {
	open := func(folder fstest.MapFS) *room {
		r := openRoom(t, scripting.Options{})
		t.Cleanup(func() { r.close(t) })
		musts(t, r.host.Load(compiled(t, folder)), r.host.Step(1))
		return r
	}
	stage := func(r *room, folder fstest.MapFS) {
		musts(t, r.host.StageProgram(t.Context(), compiled(t, folder)), r.host.Step(1))
	}
	says := func(r *room, file, text string) {
		t.Helper()
		if got := string(r.host.Texts()[file]); got != text {
			t.Errorf("%s is %q in force, want %q", file, got, text)
		}
	}
	reads := func(file string) string { return fmt.Sprintf(`local ok = pcall(ecs.data, %q)`, file) }

	r := open(roomFolder("a.lua", reads("rare.json")))
	with := roomFolder("a.lua", reads("rare.json"))
	with["rare.json"] = &fstest.MapFile{Data: []byte(`{}`)}
	stage(r, with)
	says(r, "rare.json", `{}`) // asked for in vain before

	r = open(roomFolder("a.lua", "", "b.lua", ""))
	bad := roomFolder("a.lua", "local half", "b.lua", `error("bad")`)
	stage(r, bad)
	before := string(r.host.Texts()["a.lua"])
	r.host.Stage([]string{"b.lua"}, nil)
	musts(t, r.host.Step(1))
	says(r, "a.lua", before) // not half of what was refused

	scene := func(text string) fstest.MapFS {
		folder := roomFolder("a.lua", "")
		folder["scenes/one.json"] = &fstest.MapFile{Data: []byte(text)}
		return folder
	}
	r = open(scene(`{ "entities": {} }`))
	next := scene(`{ "entities": { "b": {} } }`)
	stage(r, next)
	says(r, "scenes/one.json", `{ "entities": { "b": {} } }`)
	next["a.lua"] = &fstest.MapFile{Data: []byte("local later")}
	r.host.Stage([]string{"a.lua"}, nil)
	musts(t, r.host.Step(1))
	says(r, "a.lua", "local later") // from the folder of the program, of which scenes were all that differed

	same := scene(`{ "entities": { "b": {} } }`)
	same["a.lua"] = &fstest.MapFile{Data: []byte("local later")}
	_, reloads := r.host.LastReload()
	stage(r, same)
	same["a.lua"] = &fstest.MapFile{Data: []byte("local last")}
	r.host.Stage([]string{"a.lua"}, nil)
	musts(t, r.host.Step(1))
	says(r, "a.lua", "local last") // nothing differed, and the folder is another one
	if _, n := r.host.LastReload(); n != reloads+1 {
		t.Errorf("%d reloads, want 1", n-reloads)
	}

	broken := scene(`{`)
	r = open(broken)
	p := compiled(t, broken)
	musts(t, r.host.StageProgram(t.Context(), p), r.host.Step(1), r.host.StageProgram(t.Context(), p), r.host.Step(1))
	if _, n := r.host.LastReload(); n != 0 {
		t.Errorf("a broken scene that is not loaded was reloaded %d times", n)
	}
}

// TestAProgramKeepsItsScenes: rooms of one program have the scenes of the moment at which it was compiled.
func TestAProgramKeepsItsScenes(t *testing.T) {
	folder := roomFolder("a.lua", "")
	folder["scenes/one.json"] = &fstest.MapFile{Data: []byte(`{ "entities": {} }`)}
	p := compiled(t, folder)
	folder["scenes/one.json"] = &fstest.MapFile{Data: []byte(`{ "entities": { "late": {} } }`)}
	folder["scenes/two.json"] = folder["scenes/one.json"]
	r := openRoom(t, scripting.Options{})
	defer r.close(t)
	musts(t, r.host.Load(p))
	if texts := r.host.Texts(); string(texts["scenes/one.json"]) != `{ "entities": {} }` || texts["scenes/two.json"] != nil {
		t.Errorf("%q", texts)
	}
}

// TestARefusedProgramMakesWayForScenes: a program that has only other scenes than what runs leaves nothing refused.
func TestARefusedProgramMakesWayForScenes(t *testing.T) {
	folder := func(body, scene string) fstest.MapFS {
		f := roomFolder("a.lua", body)
		f["scenes/one.json"] = &fstest.MapFile{Data: []byte(scene)}
		return f
	}
	r := openRoom(t, scripting.Options{})
	defer r.close(t)
	musts(t, r.host.Load(compiled(t, folder("", `{ "entities": {} }`))), r.host.LoadScene("one"), r.host.Step(1))
	musts(t, r.host.StageProgram(t.Context(), compiled(t, folder("error 'no'", `{ "entities": {} }`))), r.host.Step(1))
	if _, ok := r.host.Refused("a.lua"); !ok {
		t.Fatal("the program is not refused")
	}
	musts(t, r.host.StageProgram(t.Context(), compiled(t, folder("", `{ "entities": { "late": {} } }`))), r.host.Step(1))
	if last, _ := r.host.LastReload(); last.Err != nil || last.Scenes != 1 {
		t.Errorf("the verdict: %v", last)
	}
	if _, ok := r.host.Refused("a.lua"); ok {
		t.Error("still refused")
	}
}

// TestBackToWhatIsInForce: to stage what is in force, after another program was refused, changes nothing, and the verdict says so: it
// is the same program, one with the same texts, or a file that is saved as it was.
func TestBackToWhatIsInForce(t *testing.T) {
	text := `local n = 0 ecs.system "a" { run = function() n = n + 1 ecs.log(n) end }`
	folder := roomFolder("a.lua", text, "b.lua", "")
	good := compiled(t, folder)
	bad := compiled(t, roomFolder("a.lua", text+"\n", "b.lua", `error("bad")`))
	for name, back := range map[string]func(*room) error{
		"the same program": func(r *room) error { return r.host.StageProgram(t.Context(), good) },
		"the same texts":   func(r *room) error { return r.host.StageProgram(t.Context(), compiled(t, folder)) },
		"a file":           func(r *room) error { return r.host.StageContext(t.Context(), []string{"b.lua"}, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			r := openRoom(t, scripting.Options{})
			defer r.close(t)
			musts(t, r.host.Load(good), r.host.Step(1), r.host.StageProgram(t.Context(), bad), r.host.Step(1))
			if text, ok := r.host.Refused("b.lua"); !ok || !strings.HasSuffix(text, `error("bad")`) {
				t.Errorf("refused: %q, %v", text, ok)
			}
			musts(t, back(r), r.host.Step(1), r.host.Step(1))
			if last, n := r.host.LastReload(); n != 2 || last.Err != nil || name != "a file" && last.Files != 0 {
				t.Errorf("%d reloads, the last one %v", n, last)
			}
			if text, ok := r.host.Refused("b.lua"); ok {
				t.Errorf("still refused: %q", text)
			}
			musts(t, r.host.StageProgram(t.Context(), good), r.host.Step(1))
			if _, n := r.host.LastReload(); n != 2 {
				t.Errorf("what is in force was reloaded: %d", n)
			}
		})
	}
}
