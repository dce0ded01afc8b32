package scripting_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// room is a world with its host, which runs in silence.
type room struct {
	world *ecs.World
	host  *scripting.Host
	fault error
}

// openRoom opens a room without scripts.
func openRoom(t testing.TB, options scripting.Options) *room {
	t.Helper()
	r := &room{}
	var err error
	if r.world, err = ecs.Open(ecs.Options{Tag: 7, MaxBytes: 64 << 20}); err != nil {
		t.Fatal(err)
	}
	options.OnError = func(e *scripting.Error) { r.fault = errors.Join(r.fault, e) }
	options.OnReload = func(v scripting.Reload) { r.fault = errors.Join(r.fault, v.Err) }
	options.OnKernel = func(scripting.KernelStatus) {}
	if r.host, err = scripting.New(r.world, options); err != nil {
		t.Fatal(err)
	}
	return r
}

// close closes the room.
func (r *room) close(t testing.TB) {
	t.Helper()
	if err := errors.Join(r.host.Close(), r.world.Close()); err != nil {
		t.Error(err)
	}
}

// roomScripts are scripts that compute, spawn, draw random numbers, send events, have state, and
// require each other; n changes what they do.
func roomScripts(n int) fstest.MapFS {
	files := map[string]string{
		"lib/steps.lua": fmt.Sprintf(`return { far = 4 + %d %% 3, names = { "a", "b", "c" } }`, n),
		"move.lua": fmt.Sprintf(`local ecs = require "ecs"
local steps = require "lib.steps"
local Place = ecs.component("Place", { x = 0, y = 0, speed = 1 })
local moved = 0
ecs.system "move" { query = { Place }, each = function(e, p, ctx)
  p.x = p.x + p.speed * ctx.dt * %d
  if p.x > steps.far then p.x, p.y = 0, p.y + 1 end
  moved = moved + 1
end }
ecs.system "spawn" { run = function(ctx)
  if math.random() < 0.3 then ecs.spawn(Place { x = math.random() * 5, speed = math.random() }) end
end }`, 1+n%5),
		"tell.lua": fmt.Sprintf(`local ecs = require "ecs"
local state = ecs.state("told", { n = 0 })
local words = {}
ecs.system "tell" { run = function(ctx)
  state.n = state.n + %d
  words[#words %% 8 + 1] = string.format("%%d", state.n)
  for i = 1, 20 do words[i] = (words[i] or "") .. "x"; if #words[i] > 9 then words[i] = "" end end
end }
return words`, 1+n%7),
	}
	folder := fstest.MapFS{}
	for name, text := range files {
		folder[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return folder
}

// TestARoomOfAProgramIsAHostOfTheFolder compares them tick by tick, while random files
// change in between, with kernels and without.
func TestARoomOfAProgramIsAHostOfTheFolder(t *testing.T) {
	for _, without := range []bool{false, true} {
		for seed := range uint64(4) {
			folder := roomScripts(int(seed))
			program, err := scripting.Compile(folder, scripting.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			a, b := openRoom(t, scripting.Options{NoKernels: without}), openRoom(t, scripting.Options{NoKernels: without})
			other := openRoom(t, scripting.Options{NoKernels: without}) // nobody reloads it
			untouched := openRoom(t, scripting.Options{NoKernels: without})
			if err := errors.Join(a.host.Load(folder), untouched.host.Load(roomScripts(int(seed))), b.host.Load(program), other.host.Load(program)); err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(seed, 1))
			for tick := range 200 {
				if random.IntN(15) == 0 {
					next := roomScripts(random.IntN(1000))
					names := []string{"lib/steps.lua", "move.lua", "tell.lua"}[random.IntN(3):]
					for _, name := range names {
						folder[name] = next[name]
					}
					a.host.Stage(names, nil)
					b.host.Stage(names, nil)
				}
				for _, r := range []*room{a, b, other, untouched} {
					if err := r.host.Step(1.0 / 60); err != nil || r.fault != nil {
						t.Fatal(err, r.fault)
					}
				}
				if a.world.Checksum() != b.world.Checksum() {
					t.Fatalf("seed %d, kernels %v: the room of the program differs in tick %d", seed, !without, tick)
				}
				if other.world.Checksum() != untouched.world.Checksum() {
					t.Fatalf("seed %d, kernels %v: the reload of one room has changed another in tick %d", seed, !without, tick)
				}
			}
			if a.world.Stats().Entities < 10 || a.world.Checksum() == other.world.Checksum() {
				t.Errorf("seed %d: %d entities; the worlds prove nothing", seed, a.world.Stats().Entities)
			}
			for _, r := range []*room{a, b, other, untouched} {
				r.close(t)
			}
		}
	}
}

// TestRoomsOfOneProgramOnManyGoroutines opens, runs, reloads and closes rooms side by side.
func TestRoomsOfOneProgramOnManyGoroutines(t *testing.T) {
	folder := roomScripts(3)
	program, err := scripting.Compile(folder, scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	sums := make([]uint64, 6)
	var all sync.WaitGroup
	for i := range sums {
		all.Go(func() {
			for range 2 {
				r := openRoom(t, scripting.Options{})
				if err := r.host.Load(program); err != nil {
					t.Error(err)
					return
				}
				for tick := range 40 {
					if tick%20 == 10 {
						go r.host.Stage([]string{"move.lua"}, nil)
					}
					if err := r.host.Step(1.0 / 60); err != nil || r.fault != nil {
						t.Error(err, r.fault)
					}
				}
				sums[i] = r.world.Checksum()
				r.close(t)
			}
		})
	}
	all.Wait()
	if len(slices.Compact(sums)) != 1 {
		t.Errorf("rooms differ: %x", sums)
	}
}

// TestWrongUsesOfPrograms says what is refused, by name.
func TestWrongUsesOfPrograms(t *testing.T) {
	if _, err := scripting.Compile(nil, scripting.Limits{}); err == nil || !strings.Contains(err.Error(), "no folder") {
		t.Errorf("no folder: %v", err)
	}
	if _, err := scripting.Compile((*scripting.Program)(nil), scripting.Limits{}); err == nil {
		t.Error("a nil program was compiled")
	}
	var broken *scripting.LoadError
	if _, err := scripting.Compile(fstest.MapFS{"a.lua": {Data: []byte("local = 1")}}, scripting.Limits{}); !errors.As(err, &broken) || broken.Problems[0].Line != 1 {
		t.Errorf("a broken text: %v", err)
	}
	if _, err := scripting.Compile(roomScripts(1), scripting.Limits{Files: 2}); !errors.Is(err, scripting.ErrLimit) {
		t.Errorf("too many files: %v", err)
	}
	program, err := scripting.Compile(roomScripts(1), scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for name, limits := range map[string]scripting.Limits{"Files": {Files: 2}, "FileBytes": {FileBytes: 100}, "FolderBytes": {FolderBytes: 300}} {
		r := openRoom(t, scripting.Options{Limits: limits})
		if err := r.host.Load(program); !errors.Is(err, scripting.ErrLimit) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		r.close(t)
	}
	r := openRoom(t, scripting.Options{})
	if err := r.host.Load((*scripting.Program)(nil)); err == nil || !strings.Contains(err.Error(), "no folder") {
		t.Errorf("a nil program: %v", err)
	}
	if err := r.host.Load(program); err != nil {
		t.Error(err)
	}
	if err := r.host.Load(program); !errors.Is(err, ecs.ErrConflict) {
		t.Errorf("a second load: %v", err)
	}
	r.close(t)
	if err := r.host.Load(program); !errors.Is(err, scripting.ErrClosed) {
		t.Errorf("a closed host: %v", err)
	}
}
