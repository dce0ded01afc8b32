package scripting_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// vandal changes all that a script can reach, in the rooms whose state says so: tables of the
// library and of ecs, metatables, its own globals and locals, tables that modules share, states
// and components. All others only look, each tick, at what they see of it.
var vandal = fstest.MapFS{
	"shared.lua": {Data: []byte(`return { n = 1, list = { 1, 2, 3 }, make = function(x) return x * 2 end }`)},
	"look.lua": {Data: []byte(`local ecs = require "ecs"
local shared = require "shared"
local Place = ecs.component("Place", { x = 0, y = 0 })
local Orders = ecs.native("Orders")
local state = ecs.state("state", { n = 0 })
local speed, mine = 2, { 1, 2 }
counter = 0
local word = ""

local function see()
  local keys = {}
  for _, t in ipairs { string, table, math, ecs, shared, mine } do
    local n = 0
    for k, v in pairs(t) do n = n + 1 end
    keys[#keys + 1] = tostring(n)
  end
  local meta = getmetatable(mine)
  return table.concat(keys, " ") .. " " .. tostring(math.floor(2.5)) .. " " .. ("x"):rep(3) .. " " .. string.format("%d", 3)
    .. " " .. tostring(math.pi) .. " " .. tostring(shared.n) .. tostring(shared.make(4)) .. tostring(#shared.list)
    .. " " .. tostring(meta) .. " " .. tostring(speed) .. tostring(state.n) .. tostring(counter) .. " " .. tostring(rawget(_G, "late")) .. " " .. tostring(ecs.log == print)
end

local function ruin()
  for k, v in pairs(math) do if k ~= "huge" then rawset(math, k, nil) end end
  for k, v in pairs(string) do if k ~= "format" then rawset(string, k, nil) end end
  math.floor = function() return "ruined" end
  pcall(function() ecs.log = print end)
  pcall(rawset, ecs, "log", print)
  pcall(function() getmetatable("").__index = nil end)
  pcall(function() getmetatable(ecs).__index = nil end)
  setmetatable(mine, { __index = function() return 7 end })
  setmetatable(shared, { __call = function() end })
  shared.n, shared.list[9], shared.make = "ruined", 9, function() return "ruined" end
  speed, state.n, counter = 99, 99, 99
  rawset(_G, "late", 1)
  rawset(_G, "tostring", function() return "ruined" end)
end

ecs.system "look" { run = function(ctx)
  if ctx.tick == 1 then ecs.spawn(Place { x = 1 }) end
  word = see()
  local ruins = false
  for e in ecs.entities { Orders } do ruins = ecs.get(e, Orders).ruin end
  ecs.log(word)
  if ruins then ruin() end
end }
ecs.system "move" { query = { Place }, each = function(e, p, ctx)
  p.x = p.x + speed
  p.y = math.floor(p.x / 3)
end }`)},
}

// Orders tell a room what to do.
type Orders struct{ Ruin bool }

// TestRoomsSeeNothingOfEachOther: one room of a program changes all that it can; the other sees
// in each tick what a host without neighbours sees.
func TestRoomsSeeNothingOfEachOther(t *testing.T) {
	program, err := scripting.Compile(vandal, scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var rooms [3]*game
	for i := range rooms {
		rooms[i] = newGame(t, scripting.Limits{LogLines: -1})
		orders := ecs.Register[Orders](rooms[i].world)
		rooms[i].world.Spawn(orders.With(Orders{Ruin: i == 0}))
		if i == 2 {
			err = rooms[i].host.Load(vandal) // alone
		} else {
			err = rooms[i].host.Load(program)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 6 {
		for _, r := range rooms {
			if err := r.host.Step(1.0 / 60); err != nil {
				t.Fatal(err)
			}
		}
	}
	if rooms[1].world.Checksum() != rooms[2].world.Checksum() || len(rooms[1].reported) > 0 || strings.Join(rooms[1].logs, "\n") != strings.Join(rooms[2].logs, "\n") {
		t.Errorf("beside a room that ruins what it can: %v\n%s\nalone:\n%s", rooms[1].reported, strings.Join(rooms[1].logs, "\n"), strings.Join(rooms[2].logs, "\n"))
	}
	if len(rooms[1].logs) != 6 || strings.Join(rooms[0].logs, "") == strings.Join(rooms[1].logs, "") && len(rooms[0].reported) == 0 {
		t.Errorf("the room has ruined nothing, or nobody has looked: %v", rooms[0].logs)
	}
}

// TestRoomsSideBySide opens, runs and closes rooms on several goroutines, some of which ruin
// what they can: for the race detector.
func TestRoomsSideBySide(t *testing.T) {
	program, err := scripting.Compile(vandal, scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var sums [4]uint64
	var all sync.WaitGroup
	for i := range sums {
		all.Go(func() {
			for range 2 {
				w, err := ecs.Open(ecs.Options{MaxBytes: 8 << 20})
				if err != nil {
					t.Error(err)
					return
				}
				orders := ecs.Register[Orders](w)
				w.Spawn(orders.With(Orders{Ruin: i%2 == 0}))
				host, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler), OnError: func(*scripting.Error) {}, OnKernel: func(scripting.KernelStatus) {}})
				if err == nil {
					err = host.Load(program)
				}
				for tick := 0; err == nil && tick < 10; tick++ {
					err = host.Step(1.0 / 60)
				}
				sums[i] = w.Checksum()
				if err := errors.Join(err, host.Close(), w.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if sums[1] != sums[3] || sums[0] != sums[2] || sums[0] == sums[1] {
		t.Errorf("rooms differ: %x", sums)
	}
}

// TestClosedRoomsLeaveNothing: rooms that come and go, some with a reload, leave the heap as
// large as it was, and their program has not grown.
func TestClosedRoomsLeaveNothing(t *testing.T) {
	folder := roomScripts(1)
	program, err := scripting.Compile(folder, scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	round := func(n int) {
		for i := range n {
			r := openRoom(t, scripting.Options{})
			if err := r.host.Load(program); err != nil {
				t.Fatal(err)
			}
			for tick := range 4 {
				if i%4 == 0 && tick == 2 {
					folder["move.lua"] = roomScripts(i)["move.lua"]
					r.host.Stage([]string{"move.lua"}, nil)
				}
				if err := r.host.Step(1.0 / 60); err != nil || r.fault != nil {
					t.Fatal(err, r.fault)
				}
			}
			r.close(t)
		}
	}
	round(30)
	first := liveHeap()
	round(90)
	if grown := int64(liveHeap()) - int64(first); grown > 600<<10 {
		t.Errorf("90 rooms that were closed have left %d bytes", grown)
	}
}

// TestAClosedRoomIsFreed: nothing that the rooms of a program share leads to one of them.
func TestAClosedRoomIsFreed(t *testing.T) {
	program, err := scripting.Compile(roomScripts(1), scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan string, 2)
	func() {
		r := openRoom(t, scripting.Options{})
		if err := errors.Join(r.host.Load(program), r.host.Step(0.1)); err != nil {
			t.Fatal(err)
		}
		runtime.AddCleanup(r.host, func(c chan string) { c <- "host" }, gone)
		runtime.AddCleanup(r.world, func(c chan string) { c <- "world" }, gone)
		r.close(t)
	}()
	for n, end := 0, time.Now().Add(20*time.Second); n < 2; {
		runtime.GC()
		select {
		case <-gone:
			n++
		case <-time.After(time.Millisecond):
			if time.Now().After(end) {
				t.Fatal(fmt.Sprint(n, " of a closed host and its world were freed"))
			}
		}
	}
	runtime.KeepAlive(program)
}

// edited is a folder whose scripts are others once all three of them were read.
type edited struct {
	fs.FS
	after fs.FS
	read  int
}

// Open implements fs.FS.
func (f *edited) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, ".lua") {
		if f.read++; f.read > 3 {
			return f.after.Open(name)
		}
	}
	return f.FS.Open(name)
}

// TestAReloadStaysInItsRoom: two of four rooms on goroutines of their own reload a script whose
// kernel is another one then, and end as a host without neighbours does that reloads; the others end
// as one that does not.
func TestAReloadStaysInItsRoom(t *testing.T) {
	folder := roomScripts(1)
	play := func(from fs.FS, reload bool) (sum uint64) {
		r := openRoom(t, scripting.Options{})
		defer r.close(t)
		err := r.host.Load(from)
		for tick := range 30 {
			if tick == 10 && reload {
				r.host.Stage([]string{"move.lua"}, nil)
			}
			err = errors.Join(err, r.host.Step(1.0/60))
		}
		if err != nil || r.fault != nil {
			t.Error(err, r.fault)
		}
		return r.world.Checksum()
	}
	program, err := scripting.Compile(folder, scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	folder["move.lua"] = roomScripts(3)["move.lua"]
	var sums [4]uint64
	var all sync.WaitGroup
	for i := range sums {
		all.Go(func() { sums[i] = play(program, i%2 == 1) })
	}
	all.Wait()
	still, changed := play(roomScripts(1), false), play(&edited{FS: roomScripts(1), after: folder}, true)
	if sums != [4]uint64{still, changed, still, changed} || still == changed {
		t.Errorf("rooms came to %x; a host alone to %x, and with a reload to %x", sums, still, changed)
	}
}

// TestWhatARoomHolds bounds what a room of 20 systems in 11 files holds of Go's heap after some ticks,
// and what is allocated to open it: both were more than this before rooms shared what they share now.
func TestWhatARoomHolds(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's build allocates otherwise")
	}
	const (
		first, rooms = 4, 20
		mostHeld     = 385 << 10 // 364 KB
		mostMade     = 12_500    // 10,900 allocations
	)
	program, err := scripting.Compile(mixedFolder(), scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var open []*room
	var before, after runtime.MemStats
	held, made := uint64(0), uint64(0)
	for i := range first + rooms {
		if i == first { // with what is made once
			held = liveHeap()
		}
		runtime.ReadMemStats(&before)
		r := openRoom(t, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
		err := r.host.Load(program)
		runtime.ReadMemStats(&after)
		if i >= first {
			made += after.Mallocs - before.Mallocs
		}
		for range 3 {
			err = errors.Join(err, r.host.Step(1.0/60))
		}
		if err := errors.Join(err, r.fault); err != nil {
			t.Fatal(err)
		}
		open = append(open, r)
	}
	held = (liveHeap() - held) / rooms
	if made /= rooms; held > mostHeld || made > mostMade {
		t.Errorf("a room holds %d bytes, of at most %d, and opening it takes %d allocations, of at most %d", held, mostHeld, made, mostMade)
	}
	for _, r := range open {
		r.close(t)
	}
}
