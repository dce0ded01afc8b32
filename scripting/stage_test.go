package scripting_test

import (
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// gated is a folder in which the reading of one file waits.
type gated struct {
	fs.FS
	name    string
	reached chan struct{} // gets a value when somebody wants to read the file
	open    chan struct{} // lets one through for each value
}

func (g *gated) ReadFile(name string) ([]byte, error) {
	if name == g.name {
		g.reached <- struct{}{}
		<-g.open
	}
	return fs.ReadFile(g.FS, name)
}

// gate opens a game whose file b.lua is read through a gate from now on.
func gate(t *testing.T, files ...string) (*game, *gated) {
	t.Helper()
	r := newGame(t, scripting.Limits{Instructions: 300_000, LogLines: -1})
	r.write(files...)
	g := &gated{FS: r.folder, name: "none", reached: make(chan struct{}), open: make(chan struct{})}
	_ = r.host.Load(g) // may be refused: then it may be loaded again
	g.name = "b.lua"
	return r, g
}

func TestTicksGoOnWhileFilesAreStaged(t *testing.T) {
	r, g := gate(t, "a.lua", once("a", "ecs.log('a')"), "b.lua", once("b", "ecs.log('old')"))
	r.write("b.lua", once("b", "ecs.log('new')"))
	staged := make(chan struct{})
	go func() {
		r.host.Stage([]string{"b.lua"}, nil)
		close(staged)
	}()
	<-g.reached
	r.run(3)
	r.wantLog("a old a old a old")
	g.open <- struct{}{}
	<-staged
	r.accepted()
	r.wantLog("a new")
}

// TestNewestTextWins stages a file again while it is being staged, and once more
// before the step: one verdict, over the newest text.
func TestNewestTextWins(t *testing.T) {
	r, g := gate(t, "b.lua", once("b", "ecs.log(0)"))
	var all sync.WaitGroup
	r.write("b.lua", once("b", "ecs.log(1)"))
	all.Go(func() { r.host.Stage([]string{"b.lua"}, nil) })
	<-g.reached
	all.Go(func() { r.host.Stage([]string{"b.lua"}, nil) })
	r.run(1)
	r.write("b.lua", once("b", "ecs.log(2)")) // nobody reads before the gate opens
	g.open <- struct{}{}
	<-g.reached
	r.run(1) // which may take the first over
	r.logged()
	g.open <- struct{}{}
	all.Wait()
	r.run(1)
	r.wantLog("2")
	g.name = "none"
	r.save("b.lua", once("b", "ecs.log(3"))
	r.save("b.lua", once("b", "ecs.log(4)"))
	r.accepted()
	r.wantLog("4")
}

func TestCloseWhileFilesAreStaged(t *testing.T) {
	r, g := gate(t, "b.lua", once("b", ""))
	staged := make(chan struct{})
	go func() {
		r.host.Stage([]string{"b.lua"}, nil)
		close(staged)
	}()
	<-g.reached
	if err := r.host.Close(); err != nil {
		t.Fatal(err)
	}
	g.open <- struct{}{}
	<-staged
	r.host.Stage([]string{"b.lua"}, nil) // for nothing
}

func TestLoadWhileFilesAreStaged(t *testing.T) {
	r, g := gate(t, "a.lua", "", "b.lua", once("b", "ecs.log('old'"))
	staged := make(chan struct{})
	go func() {
		r.host.Stage([]string{"b.lua"}, []string{"a.lua"})
		close(staged)
	}()
	<-g.reached
	r.write("b.lua", once("b", "ecs.log('loaded')"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.write("b.lua", once("b", "ecs.log('staged')"))
	g.open <- struct{}{}
	<-staged
	r.accepted()
	r.wantLog("staged")
	if got := fmt.Sprint(r.host.Modules()); got != "[b.lua]" {
		t.Error(got)
	}
}

// TestSavesFromAnotherGoroutine is for the race detector: everything that staging
// shares with a running game is in use on both sides.
func TestSavesFromAnotherGoroutine(t *testing.T) {
	lib := `local M, log = {}, {} function M.note(x) log[#log + 1] = x if #log > 9 then log = {} end return #log end M.half = 0.5 return M`
	text := `local lib, s, R = require "lib", ecs.state("s", { n = 0 }), ecs.resource("Score")
local H = ecs.component("Health", { hp = 1 })
local factor = %d.5
local function grow(x) return x * lib.half + factor end
ecs.system "each" { query = { P, V }, each = function(e, p, v, ctx) p.x = grow(p.x) + v.x * ctx.dt end }
ecs.system "run" { run = function() s.n = s.n + 1 R.points = lib.note(s.n) if ecs.count { H } < 5 then ecs.spawn(H, P { x = 1 }, V) end end }`
	r := loaded(t, "lib.lua", lib, "a.lua", fmt.Sprintf(text, 0))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 30 {
			switch i % 5 {
			case 3:
				r.save("a.lua", fmt.Sprintf(text, i)+" require('lib').note(1) error('no')")
			case 4:
				r.save("lib.lua", lib+fmt.Sprint("--", i))
			default:
				r.save("a.lua", fmt.Sprintf(text, i))
			}
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		r.run(1)
	}
	for _, v := range r.reloads {
		if v.Err != nil && !strings.Contains(v.Err.Error(), "no") {
			t.Error(v.Err)
		}
	}
	if len(r.reloads) == 0 {
		t.Error("nothing was reloaded")
	}
}

// library is a module with a variable of its own, in a local and in a table.
const library = `
local n, list = 0, { 1, 2 }
local M = { seen = {} }
function M.add(name) n = n + 1 list[#list + 1] = name M.seen[name] = true setmetatable(M.seen, { __call = print }) end
function M.tell()
  local names = {}
  for k in pairs(M.seen) do names[#names + 1] = k end
  return n .. ":" .. table.concat(list, ",") .. ":" .. table.concat(names, ",") .. ":" .. tostring(getmetatable(M.seen))
end
return M`

// TestRefusedTopLevelLeavesModulesAlone refuses files whose top level has called
// into a module that stays: for a fault of their own, for one that shows only with
// all files together, and for one after a question that only the game can answer.
func TestRefusedTopLevelLeavesModulesAlone(t *testing.T) {
	r := newGame(t, scripting.Limits{Instructions: 300_000, LogLines: -1})
	asked := 0
	if err := r.host.Expose("ask", func() int { asked++; return asked }); err != nil {
		t.Fatal(err)
	}
	r.write("lib.lua", library, "a.lua", `local lib = require "lib" lib.add("first") `+once("a", "ecs.log(lib.tell())"), "b.lua", "")
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	before := r.world.Random().State()
	for _, c := range []struct{ text, why string }{
		{`require "lib".add("x") error("no")`, "no"},
		{`require "lib".add("x") while true do end`, "instructions"},
		{`require "lib".add("x") ecs.log("not heard") print(math.random()) unknown()`, "unknown"},
		{`require "lib".add("x") math.random() ecs.system "b" { after = "nowhere", run = function() end }`, "nowhere"},
		{`require "lib".add("x") ecs.system "a" { run = function() end }`, "declared in a.lua"},
		{`local ask = require "host".ask require "lib".add("x") require "lib".add(ask()) error("asked")`, "asked"},
		{`local ask = require "host".ask pcall(ask) require "lib".add("x") error("asked")`, "asked"},
	} {
		r.save("b.lua", c.text)
		r.refused(c.why)
		r.wantLog("1:1,2,first:first:table: 0x00000001")
	}
	if asked != 2 {
		t.Errorf("the host was asked %d times, want once for each save that asks", asked)
	}
	if r.world.Random().State() != before {
		t.Error("files that were refused have drawn random numbers")
	}
}

// TestAcceptedTopLevelMayChangeModules: what a top level does to a module that
// stays has an effect when the file is taken, once.
func TestAcceptedTopLevelMayChangeModules(t *testing.T) {
	r := loaded(t, "lib.lua", library, "a.lua", `local lib = require "lib" `+once("a", "ecs.log(lib.tell())"), "b.lua", "")
	r.save("b.lua", `require "lib".add("b")`)
	r.accepted()
	r.wantLog("1:1,2,b:b:table: 0x00000001")
	r.save("b.lua", `require "lib".add("c")`)
	r.accepted()
	r.wantLog("2:1,2,b,c:b,c:table: 0x00000002")
}

// Mass is a component that the host registers late.
type Mass struct{ Kg float64 }

// TestTopLevelSeesTheGame: what only the running game knows is the same at the top
// level of a file that is staged.
func TestTopLevelSeesTheGame(t *testing.T) {
	r := loaded(t, "a.lua", `local s = ecs.state("s", { n = 0 }) `+once("a", "s.n = s.n + 1"), "b.lua", "")
	r.run(3)
	r.score.Points = 7
	ecs.Register[Mass](r.world) // after the last load, which a rehearsal does not know
	r.save("b.lua", `local M = ecs.native("Mass") local n = ecs.state("s").n if n ~= 3 then error("it is " .. n) end
local points = ecs.resource("Score").points `+once("b", "ecs.log(n, points)"))
	r.accepted()
	r.wantLog("3 7")
}

// TestRehearsalAnswersLikeTheGame calls every function of the ecs table at the top
// level with arguments that make little sense, in a file that is staged and in one
// that is loaded: the words must be the same.
func TestRehearsalAnswersLikeTheGame(t *testing.T) {
	for _, arguments := range []string{
		``, `1`, `"Health"`, `"Health", { hp = 1 }`, `H, { hp = 2 }`, `{ H }`, `"later", 1, 2`, `0.5, "h"`, `function() end`, `H, function() end`, `P { x = 1 }`, `"Position"`, `"Score"`,
		`"Position", { x = 1 }`, `"Health", { hp = 1, max = 2 }, { sparse = true, version = 2 }`,
	} {
		text := `ecs.log("in the game") local H = ecs.component("Health", { hp = 100 })
ecs.native("Position") ecs.resource("Score")
local names, said = {}, {}
for name in pairs(ecs) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
  if not ({ native = 1, native_event = 1, resource = 1, log = 1, warn = 1 })[name] then -- see TestTopLevelSeesTheGame
    local ok, what = pcall(ecs[name], ` + arguments + `)
    said[#said + 1] = name .. " " .. tostring(ok) .. " " .. type(what) .. " " .. (ok and "" or tostring(what))
  end
end
error(table.concat(said, "; "))`
		base := `ecs.component("Health", { hp = 100 })`
		staged, fresh := loaded(t, "a.lua", base), loaded(t, "a.lua", base)
		staged.save("b.lua", text)
		staged.step(1)
		fresh.write("b.lua", text)
		err := fresh.host.LoadNext(fresh.folder)
		if got := staged.reloads[0].Err; got == nil || err == nil || got.Error() != err.Error() {
			t.Errorf("%s:\nstaged: %v\nloaded: %v", arguments, got, err)
		}
		staged.wantLog("") // the rehearsal was enough to refuse it
	}
}

// TestKernelsThatReadState: what is in a state table may decide whether there is a
// kernel, and the rehearsal does not know it.
func TestKernelsThatReadState(t *testing.T) {
	r := loaded(t, "a.lua", `ecs.state("s", { speed = 2 })`, "b.lua", "")
	if !r.compiles() {
		t.Skip("no kernels on this machine")
	}
	text := `local s = ecs.state("s")
ecs.system "b" { kernel = "require", query = { P }, each = function(e, p) p.x = p.x + s.%s end }`
	r.save("b.lua", fmt.Sprintf(text, "speed"))
	r.accepted()
	r.save("b.lua", fmt.Sprintf(text, "sped"))
	r.refused("b.lua:3", "nil")
}

// compiles reports whether this machine has kernels.
func (r *game) compiles() bool {
	r.Helper()
	r.save("compiles.lua", `ecs.system "compiles" { query = { P }, each = function(e, p) p.x = p.x + 1 end }`)
	r.run(1)
	r.reloads = nil
	return r.host.LoadedKernels() > 0
}

// TestKernelsAreCompiledBesideTheTick: after Stage, the engine has what the step
// will need; what is refused, or saved again before the step, goes.
func TestKernelsAreCompiledBesideTheTick(t *testing.T) {
	text := "ecs.system 'a' { query = { P }, each = function(e, p) p.x = p.x + %d end } %s"
	r := loaded(t, "a.lua", fmt.Sprintf(text, 1, ""))
	if r.host.LoadedKernels() != 1 {
		t.Skip("no kernels on this machine")
	}
	want := func(n int) {
		t.Helper()
		if got := r.host.LoadedKernels(); got != n {
			t.Errorf("%d kernels, want %d", got, n)
		}
	}
	r.save("a.lua", fmt.Sprintf(text, 2, ""))
	want(2)
	r.save("a.lua", fmt.Sprintf(text, 3, ""))
	want(2)
	r.accepted()
	want(1)
	r.save("a.lua", fmt.Sprintf(text, 4, "ecs.system 'b' { after = 'nowhere', run = function() end }"))
	want(2)
	r.refused("nowhere")
	want(1)
	r.save("a.lua", fmt.Sprintf(text, 5, ""))
	want(2)
}
