package scripting_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// fillings are what random games keep; a number stands for %d.
var fillings = []string{
	`S[#S + 1] = { x = %d }`,
	`S[#S + 1] = {}`,
	`S[#S + 1] = { %d, 2, 3 }`,
	`S[#S + 1] = { %d, "two", true }`,
	`S[S.n + 0.5] = %d`,
	`S[-S.n] = { a = 1, b = %d, c = { d = 1 } }`,
	`S.numbers = S.numbers or {} for i = 1, 50 do S.numbers[#S.numbers + 1] = i end`,
	`S.wide = S.wide or { "" } for i = 1, 20 do S.wide[#S.wide + 1] = i end`,
	`S.gone = S.gone or {} for i = 1, 40 do S.gone[i + 0.5] = i end for i = 1, 40 do S.gone[i + 0.5] = nil end`,
	`S.room = {} for i = 1, 100 do S.room[i] = i end for i = 100, 1, -1 do S.room[i] = nil end`,
	`S["key" .. S.n] = "\0\1\255<&>" .. S.n`,
	`S["text" .. S.n] = ("\0"):rep(%d)`,
	`S.text = ("x"):rep(20 * S.n)`,
	`S.nan, S.inf = 0/0, -1/0 S[#S + 1] = { 0/0, 1/0 }`,
	`S.list = S.list or {} S.list[#S.list + 1] = S`,
	`kept[#kept + 1] = { S.n, { y = %d } }`,
	`kept = { kept }`,
	`ecs.after(1000, "handler_with_a_long_name", { S.n })`,
	`ecs.after(1000, "handler_with_a_long_name")`,
	`for i = 1, 5 do ecs.spawn(P { x = -1 }) end`,
}

// TestWhatIsSavedCanBeLoaded: whatever a capture takes within Limits.Saved is read within the same limits, up
// to the first capture that is refused. Timers, entities that rest and long names do not count in
// either.
func TestWhatIsSavedCanBeLoaded(t *testing.T) {
	seed := rand.Uint64() >> 1
	t.Logf("seed %d", seed)
	for i := range 25 {
		random := rand.New(rand.NewPCG(seed+uint64(i), 5))
		var b strings.Builder
		fmt.Fprintf(&b, `local S, kept = ecs.state("%s", { n = 0 }), {}
ecs.on_save(function() return kept end)
ecs.handler("handler_with_a_long_name", function() end)
ecs.system "fails" { query = { P }, each = function(e, p) if p.x < 0 then error(("long "):rep(20)) end end }
ecs.system "fill" { run = function() S.n = S.n + 1
`, strings.Repeat("name", 1+random.IntN(20)))
		for range 1 + random.IntN(4) {
			filling := fillings[random.IntN(len(fillings))]
			fmt.Fprintf(&b, "for i = 1, %d do %s end\n", 1+random.IntN(8), strings.ReplaceAll(filling, "%d", fmt.Sprint(random.IntN(40))))
		}
		b.WriteString("end }")
		limits := scripting.Limits{Saved: int64(2000 + random.IntN(60_000)), Instructions: 300_000, LogLines: -1}
		if random.IntN(3) == 0 {
			limits.Table, limits.String = 5000, 5000
		}
		r := newGame(t, limits)
		r.write("a.lua", script(b.String()))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err, b.String())
		}
		for tick := range 60 {
			r.host.Step(0.05) // which may fail for what the limits refuse
			s, err := r.host.Capture()
			if errors.Is(err, scripting.ErrLimit) {
				break
			}
			if err != nil {
				t.Fatal(err, b.String())
			}
			text := s.Scripts().Encode()
			x, err := scripting.ReadScripts(text, limits)
			if err != nil {
				t.Fatalf("seed %d, tick %d, %+v: what was captured is not read: %v\n%s\n%.2000s", seed+uint64(i), tick, limits.Saved, err, b.String(), text)
			}
			if string(x.Encode()) != string(text) {
				t.Fatal("it is read as something else")
			}
		}
	}
}

// TestManySmallTablesCanBeLoaded: tables of which a save takes many times more than they do in memory.
func TestManySmallTablesCanBeLoaded(t *testing.T) {
	for _, filling := range []string{`t[i] = { x = i }`, `t[i] = { i, i, i }`, `t[i + 0.5] = i`, `t[i] = {}`, `t[i] = i`} {
		r := newGame(t, scripting.Limits{Saved: 4 << 20, LogLines: -1})
		r.write("a.lua", script(`local S = ecs.state("s", {}) local n = 0 ecs.system "fill" { run = function() n = n + 1 local t = {} for i = 1, 2000 do `+filling+` end S[n] = t end }`))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		var last *scripting.Snapshot
		ticks := 0
		for ; ; ticks++ {
			r.step(1)
			s, err := r.host.Capture()
			if errors.Is(err, scripting.ErrLimit) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			last = s
		}
		if _, err := scripting.ReadScripts(last.Scripts().Encode(), scripting.Limits{Saved: 4 << 20}); err != nil {
			t.Errorf("%s, %d ticks: %v", filling, ticks, err)
		}
	}
}

// TestFilesThatWentBeforeASave: a file that went before a capture, and comes back under another name after it, is the file that it
// was also in a game that was restored: its on_start does not run again. Which file went first is known as well.
func TestFilesThatWentBeforeASave(t *testing.T) {
	const main, text = `ecs.system "s" { run = function() end }`, `ecs.handler("mine", function() end) ecs.on_start(function() ecs.log("started") end)`
	straight := loaded(t, "main.lua", main, "z.lua", text, "a.lua", `ecs.on_start(function() end)`)
	straight.step(2)
	straight.remove("z.lua")
	straight.step(1)
	straight.remove("a.lua")
	straight.step(1)
	kept := straight.captured()
	input := kept.Scripts().Encode()
	read, err := scripting.ReadScripts(input, scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	again := loaded(t, "main.lua", main)
	again.step(4)
	if _, err := again.host.RestoreScripts(read, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got := again.captured().Scripts().Encode(); !bytes.Equal(got, input) {
		t.Errorf("kept is %s\nwant %s", got, input)
	}
	for _, r := range []*game{straight, again, straight} { // the last time it has come back already
		if _, err := r.host.RestoreScripts(kept.Scripts(), func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		r.logs = nil
		r.save("b.lua", text)
		r.step(2)
		if len(r.logs) > 0 {
			t.Errorf("%q", r.logs)
		}
		delete(r.folder, "b.lua")
		r.host.Stage(nil, []string{"b.lua"})
		r.step(1)
	}
}
