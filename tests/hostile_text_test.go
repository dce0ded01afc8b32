package tests_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/hosttest"
	"github.com/perigee-ecs/perigee/scripting"
)

// nasty is a text in Lua that clears the screen, sets the title of the terminal,
// rings, returns to the beginning of the line, forges a line, turns the direction
// of writing and is no UTF-8.
const nasty = `"a\27[2J\27]0;t\7\r\0\nforged.lua:1: all is well\194\155\226\128\174\226\129\166\226\128\168\226\128\139\255z"`

// nastyScripts put that text everywhere where a script can put one. Names tells
// what each is about, for failures.
var nastyScripts = map[string]string{
	"log":       `ecs.on_start(function() ecs.log(N, N) ecs.log.warn(N) end)`,
	"print":     `print(N) ecs.on_start(function() print(N) end)`,
	"error":     `ecs.system "s" { run = function() error(N) end }`,
	"table":     `ecs.system "s" { run = function() error({ message = N }) end }`,
	"level":     `ecs.system "s" { run = function() error(N, 0) end }`,
	"top level": `error(N)`,
	"system":    `ecs.system(N) { run = function() error("x") end }`,
	"after":     `ecs.system "s" { after = { N }, run = function() end }`,
	"requires":  `ecs.system(N) { run = function() error("x") end } ecs.system "t" { requires = { N }, run = function() end }`,
	"component": `local C = ecs.component(N, { x = ecs.f32(0) }) ecs.on_start(function() ecs.spawn(C { y = 1 }) end)`,
	"field":     `local C = ecs.component("C", { [N] = ecs.f32(0) }) ecs.on_start(function() ecs.spawn(C { [N] = {} }) end)`,
	"option":    `ecs.system "s" { [N] = 1, run = function() end }`,
	"enum":      `local C = ecs.component("C", { x = ecs.enum("b", N) }) ecs.on_start(function() ecs.spawn(C { x = N .. "y" }) end)`,
	"tag":       `local T = ecs.tag(N) ecs.on_start(function() ecs.spawn(T { x = 1 }) end)`,
	"event":     `local E = ecs.event(N, { x = ecs.f32(0) }) ecs.on_start(function() ecs.emit(E { y = 1 }) end)`,
	"prefab":    `local P = ecs.prefab(N, { 5 })`,
	"native":    `ecs.native(N)`,
	"resource":  `ecs.resource(N)`,
	"state":     `local s = ecs.state(N, { a = 1 }) ecs.on_start(function() s.b[N] = 1 end)`,
	"handler":   `ecs.handler(N, function() error("x") end) ecs.on_start(function() ecs.after(0, N) end)`,
	"unknown":   `ecs.on_start(function() ecs.after(0, N) end)`,
	"global":    `ecs.on_start(function() local x = _G[N] x() end)`,
	"index":     `local t = {} ecs.on_start(function() local x = t.y[N] end)`,
	"require":   `require(N)`,
	"source":    "local x = = 1 -- \x1b[2J\x07\u009b\u202e\xff",
	"kernel":    "local C = ecs.component(\"C\", { x = ecs.f32(0) }) -- \x1b[2J\u202e\necs.system(N) { query = { C }, each = function(e, c) c.x = c.x + #tostring(c.x) end }",
	"called":    `local C = ecs.component("C", { x = ecs.f32(0) }) ecs.kernel(N, { C }, function(e, c) c.x = #tostring(c.x) end) ecs.system "q" { run = function() error(N) end }`,
	"observer":  `local C = ecs.component(N, {x = ecs.f32(0)}) ecs.on_add(C, function() error(N) end) ecs.on_start(function() ecs.spawn(C{}) end)`,
	"assert":    `ecs.on_start(function() assert(false, N) end)`,
}

// harmless reports what of an output could steer who shows it, "" for nothing.
func harmless(out string) string {
	for i, r := range out {
		_, n := utf8.DecodeRuneInString(out[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return "a byte that is no UTF-8: " + strings.ToValidUTF8(out, "<?>")
		case r != '\n' && r != '\t' && !unicode.IsPrint(r):
			return "a character that is not shown: " + strings.ToValidUTF8(out, "")
		}
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(strings.TrimSpace(line), "forged") {
			return "a forged line:\n" + out
		}
	}
	return ""
}

// everyScreen are the commands that show something of scripts.
var everyScreen = [][]string{
	{"run", "game", "--headless", "--ticks", "3"},
	{"run", "game", "--headless", "--ticks", "3", "--detail"},
	{"run", "game", "--headless", "--ticks", "3", "--json"},
	{"run", "game", "--ticks", "3"},
	{"check", "game"},
	{"check", "game", "--detail"},
	{"explain", "game/nasty.lua"},
	{"plan", "game", "--detail"},
	{"lua", "game/nasty.lua"},
}

func TestTextOfScriptsSteersNothing(t *testing.T) {
	t.Parallel()
	perigee := buildCLI(t)
	for about, script := range nastyScripts {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "game"), 0o755); err != nil {
				t.Fatal(err)
			}
			text := "local ecs = require \"ecs\" local N = " + nasty + "\n" + script
			save(t, dir, "game/nasty.lua", text)
			save(t, dir, "game/plain.lua", "local x = 1")
			shown := false
			for _, args := range everyScreen {
				cmd := exec.Command(perigee, args...)
				cmd.Dir = dir
				out, _ := cmd.CombinedOutput() // many of these are errors
				shown = shown || strings.Contains(string(out), `\x1b`) || strings.Contains(string(out), `\u001b`)
				if fault := harmless(string(out)); fault != "" {
					t.Errorf("%q prints %s", args, fault)
				}
			}
			if !shown {
				t.Error("the text is shown nowhere: this proves nothing")
			}
		})
	}
}

// TestNamesOfFilesSteerNothing: such a file is left out and told of, and the
// others run.
func TestNamesOfFilesSteerNothing(t *testing.T) {
	t.Parallel()
	perigee := buildCLI(t)
	for _, name := range []string{
		"a\x1b[2J.lua", "a\nforged.lua", "a\u202e.lua", "a\xff.lua", "a\r.lua", "a\u009b.lua", "a.lua:1: x.lua",
		"f\x1b[2J/a.lua", "f\xff/a.lua", "\nforged/a.lua",
	} {
		dir := t.TempDir()
		at := filepath.Join(dir, "game", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("this is no Lua"), 0o644); err != nil {
			t.Skipf("this system has no such names: %v", err)
		}
		save(t, dir, "game/plain.lua", `require("ecs").on_start(function() require("ecs").log "plain runs" end)`)
		for _, args := range everyScreen {
			if args[0] == "lua" || args[0] == "explain" {
				args = []string{args[0], filepath.Join("game", name)}
			}
			cmd := exec.Command(perigee, args...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if fault := harmless(string(out)); fault != "" {
				t.Errorf("%q prints %s", args, fault)
			}
			if args[0] == "run" && (err != nil || !strings.Contains(string(out), "plain runs")) || args[0] == "check" && err != nil {
				t.Errorf("%q with %q: %v: %s", args, name, err, out)
			}
			if (args[0] == "run" || args[0] == "check") && !strings.Contains(string(out), "cannot have such a name") {
				t.Errorf("%q does not tell of %q: %s", args, name, out)
			}
		}
	}
}

// TestErrorsForHosts: what a host gets can be shown as it is, however it asks.
func TestErrorsForHosts(t *testing.T) {
	for about, script := range nastyScripts {
		w := ecs.NewWorld()
		var told []string
		tell := func(text string) { told = append(told, text) }
		log := &texts{tell: tell}
		h, err := scripting.New(w, scripting.Options{
			Logger:   log.logger(),
			OnError:  func(e *scripting.Error) { tell(e.Error()); tell(e.Detail()); tell(e.Place()) },
			OnReload: func(r scripting.Reload) { tell(r.String()) },
			OnKernel: func(s scripting.KernelStatus) { tell(s.String()) },
		})
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		save(t, folder, "nasty.lua", "local ecs = require \"ecs\" local N = "+nasty+"\n"+script)
		if err := h.Load(os.DirFS(folder)); err != nil {
			tell(err.Error())
			for _, p := range err.(*scripting.LoadError).Problems {
				tell(p.Detail())
			}
		}
		for range 3 {
			if err := hosttest.Step(h, 0.1); err != nil {
				tell(err.Error())
			}
		}
		h.Stage([]string{"nasty.lua"}, nil)
		if err := hosttest.Step(h, 0.1); err != nil {
			tell(err.Error())
		}
		tell(w.Schedule().Plan().String())
		tell(w.Stats().String())
		for _, text := range told {
			if fault := harmless(text); fault != "" {
				t.Errorf("%s: %s", about, fault)
			}
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		w.Close()
	}
}

// TestJSONKeepsTheText: escapes of JSON are another way of writing, not another
// text.
func TestJSONKeepsTheText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const name = "a\x1b\u0085\u009b\u202e\u2028\U000e0041\u007f"
	save(t, dir, "a.lua", `require("ecs").system("`+name+`") { run = function() end }`)
	out, err := exec.Command(buildCLI(t), "run", dir, "--headless", "--ticks", "1", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var sum struct{ Systems []struct{ Name string } }
	if err := json.Unmarshal(out, &sum); err != nil {
		t.Fatal(err)
	}
	if fault := harmless(string(out)); fault != "" || sum.Systems[0].Name != name {
		t.Errorf("%q, %s", sum.Systems[0].Name, fault)
	}
}

func save(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
