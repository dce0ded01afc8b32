package scripting_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// besideText is a script whose system takes so long to compile that this is done beside the ticks,
// over a list that grows in some of them, and with a function that is another one from some on.
func besideText(version int) string {
	return besideTextOf(version, "if ctx.tick % 20 == 3 then for i = 1, 10 do list[#list + 1] = ctx.tick end end\n"+
		"if ctx.tick % 20 == 13 then local by = ctx.tick shift = function(x) return x - by end end")
}

// besideTextOf is such a script, with what changes in a tick.
func besideTextOf(version int, change string) string {
	var b strings.Builder
	b.WriteString("local ecs = require 'ecs'\nlocal P = ecs.native('P')\nlocal list = {}\nfor i = 1, 40 do list[i] = i end\n" +
		"local shift = function(x) return x end\n" +
		"ecs.system 'grow' { phase = 'input', run = function(ctx) " + change + " end }\n" +
		"ecs.system 's' { query = { P }, each = function(e, p)\np.y = shift(p.y)\n")
	for i := range 30 {
		fmt.Fprintf(&b, "do local q = p.x + list[p.x %% #list + 1] if q > p.y then p.y = q %% 7.%d else p.y = math.max(p.y, list[2] + %d) end end\n", i, i+version)
	}
	b.WriteString("end }\n")
	return b.String()
}

// besideGame is a game with that script.
type besideGame struct {
	*scripting.Host
	world *ecs.World
	files fstest.MapFS
}

// openBeside makes one.
func openBeside(t testing.TB) *besideGame { return openBesideWith(t, besideText(0)) }

// openBesideWith makes one with a script.
func openBesideWith(t testing.TB, text string) *besideGame {
	t.Helper()
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	p := ecs.Register[point](w, ecs.Named("P"))
	for i := range 20 {
		w.Spawn(p.With(point{X: float64(i)}))
	}
	g := &besideGame{newHost(t, w, scripting.Options{Limits: scripting.ReleaseLimits(60)}), w, fstest.MapFS{}}
	t.Cleanup(func() { g.Close() })
	g.files["r.lua"] = &fstest.MapFile{Data: []byte(text)}
	if err := g.Load(g.files); err != nil {
		t.Fatal(err)
	}
	return g
}

// save writes a version of the script.
func (g *besideGame) save(version int) {
	g.files["r.lua"] = &fstest.MapFile{Data: []byte(besideText(version))}
}

// tick makes a step and says what it has left: the world, what has run where, and which kernel is
// to come.
func (g *besideGame) tick(t testing.TB) string {
	t.Helper()
	if err := g.StepAll(1.0 / 60); err != nil {
		t.Fatal(err)
	}
	sum := g.world.Checksum()
	_, n := g.world.Time()
	rows := ""
	for _, s := range g.Ran() {
		rows += fmt.Sprint(s.System, " ", s.Kernel.Rows, " ", s.VM.Rows, " ", s.VM.Calls, "; ")
	}
	var used []int64
	for _, u := range g.Usage() {
		used = append(used, u.Instructions)
	}
	comes := uint64(0)
	if all := g.Kernels(); len(all) > 0 {
		comes = all[0].Comes
	}
	return fmt.Sprintf("%d: %x, %srows, used %v, comes %d", n, sum, rows, used, comes)
}

// TestKernelsBesideTakeOverAtATick: which of the two runs a row does not depend on how long the
// compiler takes.
func TestKernelsBesideTakeOverAtATick(t *testing.T) {
	if raceEnabled {
		t.Skip("compiles large kernels")
	}
	const ticks = 80
	play := func(slow bool) (log []string) {
		g := openBeside(t)
		var gate chan struct{}
		if slow {
			gate = make(chan struct{})
			g.BeforeKernels(func() { <-gate })
		}
		for range ticks {
			if !slow {
				g.AwaitKernels() // as fast as can be
			} else if s := g.Kernels()[0]; s.Comes > 0 {
				if _, n := g.world.Time(); n+1 == s.Comes {
					gate <- struct{}{} // as late as can be: the next tick is that of the kernel, and waits
				}
			}
			log = append(log, g.tick(t))
		}
		if slow {
			close(gate)
		}
		if s := g.Kernels()[0]; !s.Compiled || g.LoadedKernels() != 1 {
			t.Errorf("%v; %d kernels are loaded", s, g.LoadedKernels())
		}
		return log
	}
	fast, slow := play(false), play(true)
	for i := range fast {
		if fast[i] != slow[i] {
			t.Fatalf("with a fast compiler and a slow one:\n%s\n%s", fast[i], slow[i])
		}
	}
	if first := fast[0]; !strings.HasSuffix(first, "comes 0") {
		t.Error(first)
	}
}

// TestKernelsBesideSayWhenTheyCome: up to the tick that the status names, the VM runs the rows, and
// the kernel from that tick on.
func TestKernelsBesideSayWhenTheyCome(t *testing.T) {
	g := openBeside(t)
	vm := func() uint64 {
		for _, s := range g.Ran() {
			if s.System == "s" {
				return s.VM.Rows
			}
		}
		return 0
	}
	windows := 0
	for range 60 {
		comes, before := g.Kernels()[0].Comes, vm()
		g.tick(t)
		_, n := g.world.Time()
		byVM := vm() > before
		if comes > 0 && byVM != (n < comes) {
			t.Errorf("tick %d, the kernel comes at %d: by the VM %v", n, comes, byVM)
		}
		if now := g.Kernels()[0]; comes == 0 && now.Comes > 0 {
			windows++
			want := fmt.Sprintf(`being compiled: the VM runs its rows until tick %d: "`, now.Comes)
			if text := now.String(); now.Comes <= n || !strings.Contains(text, want+"list") && !strings.Contains(text, want+"shift") {
				t.Errorf("tick %d: %v, want %s", n, now, want)
			}
		}
	}
	if windows < 2 {
		t.Errorf("%d kernels were compiled beside the ticks", windows)
	}
}

// TestListsThatGrowNeedFewLargeKernels: where a kernel takes long, the second one has room for a
// list as long as it may be, however it is read, beside other lists, and if there were no items at load.
func TestListsThatGrowNeedFewLargeKernels(t *testing.T) {
	if raceEnabled {
		t.Skip("compiles large kernels")
	}
	const filled = "for i = 1, 40 do list[i] = i end\n"
	for _, c := range []struct{ name, more, read string }{
		{"an item", "", ""},
		{"empty at first", "ecs.on_start(function() " + filled + "end)\n", ""},
		{"empty for some ticks", "ecs.system 'fill' { phase = 'input', run = function(ctx) if ctx.tick == 7 then " + filled + "end end }\n", "if #list == 0 then return end"},
		{"a loop", "", "for i = 1, #list do p.y = p.y + list[i] end"},
		{"ipairs", "", "for i, v in ipairs(list) do p.y = p.y + i * v end"},
		{"beside others", "local others = {} for i = 1, 1200 do others[i] = { a = i, b = -i } end\n", "local o = others[p.x + 1] p.y = p.y + o.a + o.b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := besideTextOf(0, "if #list > 0 then list[#list + 1] = ctx.tick end")
			if strings.Contains(c.name, "empty") {
				text = strings.Replace(text, filled, "", 1)
			}
			text = strings.Replace(text, "local shift", c.more+"local shift", 1)
			text = strings.Replace(text, "p.y = shift(p.y)\n", c.read+"\n", 1)
			g := openBesideWith(t, text)
			const ticks, rows = 300, 20
			windows, vm := 0, uint64(0)
			for range ticks {
				comes := g.Kernels()[0].Comes
				g.tick(t)
				if now := g.Kernels()[0].Comes; now != 0 && now != comes {
					windows++
				}
			}
			for _, s := range g.Ran() {
				if s.System == "s" {
					vm = s.VM.Rows
				}
			}
			if s := g.Kernels()[0]; windows != 1 || vm > 6*rows || !s.Compiled || s.Unready != "" {
				t.Errorf("%d windows, %d rows by the VM; %v", windows, vm, s)
			}
		})
	}
}

// inWindow steps until a kernel is being compiled, which waits for the gate.
func (g *besideGame) inWindow(t *testing.T) (gate chan struct{}) {
	t.Helper()
	gate = make(chan struct{})
	g.BeforeKernels(func() { <-gate })
	for g.Kernels()[0].Comes == 0 {
		g.tick(t)
	}
	return gate
}

// TestCloseEndsKernelsBeside: a host that is closed has no compiler at work, and nothing that it
// has made.
func TestCloseEndsKernelsBeside(t *testing.T) {
	g := openBeside(t)
	ended := false
	gate := make(chan struct{})
	g.BeforeKernels(func() { <-gate; ended = true })
	for g.Kernels()[0].Comes == 0 {
		g.tick(t)
	}
	closed := make(chan error)
	go func() { closed <- g.Close() }()
	close(gate)
	if err := <-closed; err != nil || !ended {
		t.Errorf("%v; the compiler has come to its end: %v", err, ended)
	}
	if n := g.LoadedKernels(); n != 0 {
		t.Errorf("%d kernels are loaded", n)
	}
}

// TestReloadDropsKernelsBeside: a kernel of the old version never comes, and what was compiled for
// it goes.
func TestReloadDropsKernelsBeside(t *testing.T) {
	g := openBeside(t)
	gate := g.inWindow(t)
	made := g.CompiledKernels()
	g.save(1000)
	g.Stage([]string{"r.lua"}, nil)
	g.tick(t)
	if s := g.Kernels()[0]; s.Comes != 0 || !s.Compiled {
		t.Errorf("after the reload: %v", s)
	}
	g.BeforeKernels(nil)
	close(gate)
	g.AwaitKernels()
	if n := g.CompiledKernels() - made; n != 2 { // that of the new version, and that of the old one
		t.Errorf("%d kernels were compiled", n)
	}
	if n := g.LoadedKernels(); n != 1 {
		t.Errorf("%d kernels are loaded", n)
	}
}

// TestAStepCompilesNothingThatWasStaged: the kernels of a set that was tried beside the game are translated
// and compiled there, the first ones of a game, too: the engine is made for them.
func TestAStepCompilesNothingThatWasStaged(t *testing.T) {
	if raceEnabled {
		t.Skip("compiles large kernels")
	}
	for _, first := range []bool{false, true} {
		text := besideText(0)
		if first {
			text = "-- no system so far"
		}
		g := openBesideWith(t, text)
		if !first {
			g.tick(t)
		}
		g.save(1000)
		if first {
			g.Stage([]string{"r.lua"}, nil) // a set that makes way leaves its engine
		}
		g.Stage([]string{"r.lua"}, nil)
		staged, made := g.StagedTranslations(), g.CompiledKernels()
		if staged.Len() != 1 || staged.Again() != 0 {
			t.Fatalf("first %v: %d kernels translated, %d of them again", first, staged.Len(), staged.Again())
		}
		if made == 0 {
			t.Fatalf("first %v: the dry run has compiled nothing", first)
		}
		if err := g.Step(1.0 / 60); err != nil {
			t.Fatal(err)
		}
		if staged.Len() != 1 || staged.Again() != 1 {
			t.Errorf("first %v: the step has made %d kernels of its own, and taken %d over", first, staged.Len()-1, staged.Again())
		}
		if n := g.CompiledKernels() - made; n > 0 {
			t.Errorf("first %v: the step has compiled %d kernels", first, n)
		}
		if s := g.Kernels()[0]; !s.Compiled {
			t.Errorf("first %v: %v", first, s)
		}
	}
}

// largeOver is a script with a large function over the list of another one, which stays.
func largeOver(version int, more string) string {
	text := besideText(version)
	at := strings.Index(text, "ecs.system 's'")
	return "local ecs = require 'ecs'\nlocal P = ecs.native('P')\nlocal list = require 'list'\nlocal shift = function(x) return x end\n" + more + text[at:]
}

// besideList is a game with that script, whose list has more items than at load.
func besideList(t testing.TB, options scripting.Options, as ...func(testing.TB, fs.FS) fs.FS) *besideGame {
	t.Helper()
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	p := ecs.Register[point](w, ecs.Named("P"))
	for i := range 20 {
		w.Spawn(p.With(point{X: float64(i)}))
	}
	options.Limits = scripting.ReleaseLimits(60)
	g := &besideGame{newHost(t, w, options), w, fstest.MapFS{
		"list.lua": {Data: []byte("local ecs = require 'ecs'\nlocal list = {}\nfor i = 1, 40 do list[i] = i end\n" +
			"ecs.on_start(function() for i = 41, 300 do list[i] = i % 90 end end)\nreturn list")},
		"r.lua": {Data: []byte(largeOver(0, ""))},
	}}
	if err := g.Expose("fail", func() bool { return true }); err != nil {
		t.Fatal(err)
	}
	folder := fs.FS(g.files)
	for _, of := range as {
		folder = of(t, folder)
	}
	if err := g.Load(folder); err != nil {
		t.Fatal(err)
	}
	for range 12 {
		g.tick(t)
	}
	return g
}

// TestAStepDoesNotWaitForALargeKernel: the game has other values than the dry run, so the kernel that was made
// there is none for them. The VM has the rows until another one comes, with the same results.
func TestAStepDoesNotWaitForALargeKernel(t *testing.T) {
	if raceEnabled {
		t.Skip("compiles large kernels")
	}
	t.Run("a host", func(t *testing.T) { waitForNoLargeKernel(t, "") })
	t.Run("a kernel that it must have", func(t *testing.T) { waitForNoLargeKernel(t, "kernel = 'require', ") })
	t.Run("a room", func(t *testing.T) { waitForNoLargeKernel(t, "", asRoom) })
}

func waitForNoLargeKernel(t *testing.T, option string, as ...func(testing.TB, fs.FS) fs.FS) {
	g, model := besideList(t, scripting.Options{}, as...), besideList(t, scripting.Options{NoKernels: true})
	gate := make(chan struct{})
	g.BeforeKernels(func() { <-gate }) // whoever waits for the compiler waits for ever
	for _, game := range []*besideGame{g, model} {
		game.files["r.lua"] = &fstest.MapFile{Data: []byte(strings.Replace(largeOver(1000, ""), "query = { P }", option+"query = { P }", 1))}
		game.Stage([]string{"r.lua"}, nil)
	}
	made := g.CompiledKernels()
	g.tick(t)
	model.tick(t)
	_, now := g.world.Time()
	s := g.Kernels()[0]
	if want := fmt.Sprintf("r.lua: system \"s\": being compiled: the VM runs its rows until tick %d", s.Comes); s.Compiled || s.Comes <= now || s.String() != want {
		t.Fatalf("tick %d: %v, want %s", now, s, want)
	}
	if n := g.CompiledKernels() - made; n != 0 {
		t.Errorf("the step has compiled %d kernels", n)
	}
	close(gate)
	for comes := s.Comes; now < comes+3; now++ {
		g.tick(t)
		model.tick(t)
		if g.world.Checksum() != model.world.Checksum() {
			t.Errorf("tick %d is another one than by the VM", now+1)
		}
		if s := g.Kernels()[0]; s.Compiled != (now+1 >= comes) || s.Compiled && s.Unready != "" {
			t.Errorf("tick %d, the kernel comes at %d: %v", now+1, comes, s)
		}
	}
	if n := g.LoadedKernels(); n != 1 {
		t.Errorf("%d kernels are loaded", n)
	}
}

// asRoom is the folder of a host that is one of a Program.
func asRoom(t testing.TB, files fs.FS) fs.FS {
	t.Helper()
	p, err := scripting.Compile(files, scripting.ReleaseLimits(60))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAStepMakesAKernelThatRounds: without that of precision = "f32" the results are others, so no tick runs the rows without it.
func TestAStepMakesAKernelThatRounds(t *testing.T) {
	if raceEnabled {
		t.Skip("compiles large kernels")
	}
	g := besideList(t, scripting.Options{})
	g.files["r.lua"] = &fstest.MapFile{Data: []byte(strings.Replace(largeOver(1000, ""), "query = { P }", "precision = 'f32', query = { P }", 1))}
	g.Stage([]string{"r.lua"}, nil)
	g.tick(t)
	if s := g.Kernels()[0]; !s.Compiled || s.Comes != 0 || s.Unready != "" {
		t.Error(s)
	}
}

// TestAStepMakesFewSmallKernels: of many small functions over a list that has grown, a step compiles two, also in a room and
// where the kernels are required. The others come in later ticks, with the same results in each.
func TestAStepMakesFewSmallKernels(t *testing.T) {
	const n = 6
	for _, test := range []struct {
		option string
		as     []func(testing.TB, fs.FS) fs.FS
	}{{}, {option: "kernel = 'require', "}, {as: []func(testing.TB, fs.FS) fs.FS{asRoom}}} {
		var text strings.Builder
		text.WriteString("local ecs = require 'ecs'\nlocal P = ecs.native('P')\nlocal list = require 'list'\n")
		for i := range n {
			fmt.Fprintf(&text, "ecs.system 's%d' { %squery = { P }, each = function(e, p) p.y = p.y + list[p.x %% #list + 1] + %d end }\n", i, test.option, i)
		}
		g, model := besideList(t, scripting.Options{}, test.as...), besideList(t, scripting.Options{NoKernels: true})
		for _, game := range []*besideGame{g, model} {
			game.files["r.lua"] = &fstest.MapFile{Data: []byte(text.String())}
			game.Stage([]string{"r.lua"}, nil)
		}
		g.AwaitKernels()
		gate := make(chan struct{})
		g.BeforeKernels(func() { <-gate })
		made := g.CompiledKernels()
		g.tick(t)
		model.tick(t)
		if m := g.CompiledKernels() - made; m != 2 {
			t.Errorf("%q, %d: the step has compiled %d kernels, want 2", test.option, len(test.as), m)
		}
		close(gate)
		for range 2 * n {
			g.tick(t)
			model.tick(t)
			if g.world.Checksum() != model.world.Checksum() {
				t.Fatal("the world is another one than by the VM")
			}
		}
		for _, s := range g.Kernels() {
			if !s.Compiled || s.Comes != 0 {
				t.Error(s)
			}
		}
	}
}

// TestARefusedStepCompilesNothingBeside: of a set that is refused in the game, no kernel is to come.
func TestARefusedStepCompilesNothingBeside(t *testing.T) {
	if raceEnabled {
		t.Skip("compiles large kernels")
	}
	g := besideList(t, scripting.Options{OnError: func(*scripting.Error) {}})
	made := g.CompiledKernels()
	g.files["r.lua"] = &fstest.MapFile{Data: []byte(largeOver(1000, "if require('host').fail() then ecs.system 'same' { run = function() end } ecs.system 'same' { run = function() end } end\n"))}
	g.Stage([]string{"r.lua"}, nil)
	if err := g.Step(1.0 / 60); err != nil {
		t.Fatal(err)
	}
	g.AwaitKernels()
	if s, n := g.Kernels()[0], g.CompiledKernels()-made; s.Comes != 0 || !s.Compiled || g.LoadedKernels() != 1 || n > 1 {
		t.Errorf("%v; %d kernels were compiled, %d are loaded", s, n, g.LoadedKernels())
	}
}

// TestLargeKernelsComeOneAfterTheOther: there is one compiler, so a kernel that is begun after another one comes
// after it, by as many ticks as it takes alone. One that is begun later does not.
func TestLargeKernelsComeOneAfterTheOther(t *testing.T) {
	if raceEnabled {
		t.Skip("compiles large kernels")
	}
	text := besideTextOf(0, "if ctx.tick == 3 then list[#list + 1] = ctx.tick end if ctx.tick == 30 then local by = ctx.tick shift = function(x) return x - by end end")
	another := text[strings.Index(text, "ecs.system 's'"):]
	g := openBesideWith(t, text+strings.Replace(another, "'s'", "'another'", 1))
	var windows [][2]uint64 // how many ticks from the beginning of both to each
	for range 60 {
		before := g.Kernels()
		g.tick(t)
		_, now := g.world.Time()
		if all := g.Kernels(); before[0].Comes == 0 && before[1].Comes == 0 && all[0].Comes > 0 {
			windows = append(windows, [2]uint64{all[0].Comes - now, all[1].Comes - now})
		}
	}
	if len(windows) != 2 || windows[0] != windows[1] || windows[0][0] < 2 || windows[0][1] != 2*windows[0][0] {
		t.Errorf("two kernels come after %d ticks", windows)
	}
}

// TestRestoreInTheWindow: a world that is restored to an earlier tick while a kernel is compiled
// goes on as the first time, and the kernel comes no later than it would have.
func TestRestoreInTheWindow(t *testing.T) {
	g := openBeside(t)
	sum := func() uint64 {
		g.tick(t)
		return g.world.Checksum()
	}
	first, err := g.Capture()
	if err != nil {
		t.Fatal(err)
	}
	for range 30 {
		sum()
	}
	for g.Kernels()[0].Comes == 0 {
		sum()
	}
	_, at := g.world.Time()
	window := g.Kernels()[0].Comes - at
	kept, err := g.Capture()
	if err != nil {
		t.Fatal(err)
	}
	var want []uint64
	for range 10 {
		want = append(want, sum())
	}
	if _, err := g.Restore(kept); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got := sum(); got != want[i] {
			t.Errorf("%d ticks after it: %x, want %x", i+1, got, want[i])
		}
	}
	for g.Kernels()[0].Comes == 0 {
		sum()
	}
	if _, err := g.Restore(first); err != nil {
		t.Fatal(err)
	}
	sum()
	_, now := g.world.Time()
	if s := g.Kernels()[0]; s.Comes == 0 || s.Comes > now+window {
		t.Errorf("tick %d, the kernel comes at %d: %d ticks had been left", now, s.Comes, window)
	}
}
