package scripting_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/scripting"
)

func TestPlain(t *testing.T) {
	var out strings.Builder
	p := scripting.Plain{Name: "p.lua", Args: []string{"a", "b"}, Output: &out, Text: []byte(`
		print("x", ...)
		print(arg[0], arg[1], arg[2], #arg, select("#", ...))
		local a, b = 1, 2
		a, b = b, a
		print(a .. b, tostring(1e15), pcall(error, "caught"))`)}
	if err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "x\ta\tb\np.lua\ta\tb\t2\t2\n21\t1e+15\tfalse\tcaught\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestPlainFails(t *testing.T) {
	for _, c := range []struct {
		name, text string
		limits     scripting.Limits
		want       string
	}{
		{"", "\nlocal x = nothing", scripting.Limits{}, `script:2:11: unknown name "nothing"`},
		{"a b", "local x = = 1", scripting.Limits{}, `a b:1:11: expected an expression, found "="`},
		{"p.lua", "while true do end", scripting.Limits{Instructions: 100}, "p.lua:1:1: script ran too long: used 101 of 100 instructions (Limits.Instructions)"},
		{"p.lua", "local t = {} for i = 1, 6000 do t[i] = i end local function f(...) return 1 + f(...) end f(unpack(t))", scripting.Limits{Time: -1}, `p.lua:1:81: stack overflow: the calls in each other hold more than 524,288 values, the most that there may be: "f" calls itself too deeply, or without end`},
		{"p.lua", "error { message = 'mine' }", scripting.Limits{}, "p.lua:1:1: mine"},
		{"p.lua", "coroutine.yield()", scripting.Limits{}, "p.lua:1:11: attempt to yield from outside a coroutine: only a function that coroutine.create or coroutine.wrap was given can yield, and what it calls"},
	} {
		p := scripting.Plain{Name: c.name, Text: []byte(c.text), Limits: c.limits}
		err := p.Run(t.Context())
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\n got %v\nwant %s", c.text, err, c.want)
		}
		var fault *scripting.Error
		if !errors.As(err, &fault) || fault.Script == "" {
			t.Errorf("%#v is no *Error with a script", err)
		}
	}
}

type brokenPipe struct{ error }

func (b brokenPipe) Write([]byte) (int, error) { return 0, b.error }

// What the outside does to a script ends it: a context, and a broken pipe.
func TestPlainIsEnded(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	err := scripting.Plain{Text: []byte("while true do end"), Limits: scripting.Limits{Instructions: -1}}.Run(ctx)
	if err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("the context's end gave %v", err)
	}
	err = scripting.Plain{Text: []byte("while true do print(1) end"), Output: brokenPipe{errors.New("broken pipe")}}.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "print: broken pipe") {
		t.Errorf("the broken pipe gave %v", err)
	}
}

// TestPlainRequiresFilesBesideIt: by the names that scripts of a host use, each once, with globals of its own,
// and with its own name in messages.
func TestPlainRequiresFilesBesideIt(t *testing.T) {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"lib/heap.lua": `mine = 1 local near = require "./near" local M = { n = near.n + 1 } function M.fail() error("in heap") end return M`,
		"lib/near.lua": `print("runs") return { n = 1 }`, "all/init.lua": `return "all"`, "nothing.lua": "", "broken.lua": "local x = = 1",
		"a.lua": `return require "b"`, "b.lua": `return require "a"`, "long.lua": "-- " + strings.Repeat("x", 200),
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for text, want := range map[string]string{
		`local h = require "lib.heap" print(h.n, require("lib/heap") == h, require "all", require "nothing")`: "runs\n2\ttrue\tall\ttrue\n",
		`require "lib.heap" print(mine)`: `runs` + "\n" + `p.lua:1:26: unknown name "mine"`,
		`require("lib.heap").fail()`:     "runs\nlib/heap.lua:1:87: in heap (called in p.lua:1:21)",
		`require "gone"`:                 `p.lua:1:9: module "gone" not found: there is no gone.lua beside the script`,
		`require "../etc/passwd"`:        `p.lua:1:9: module "../etc/passwd" not found: there is no ../etc/passwd.lua beside the script`,
		`require "broken"`:               `broken.lua:1:11: expected an expression, found "="`,
		`require "a"`:                    "b.lua:1:16: require goes in a circle: a.lua → b.lua → a.lua (called in a.lua:1:8)",
		`require "long"`:                 `p.lua:1:9: require "long": long.lua has more than 200 bytes (Limits.FileBytes)`,
		`require "lib.near" require "nothing" require "all"`: "runs\n" + `p.lua:1:46: require "all": more than 2 files (Limits.Files)`,
	} {
		var out strings.Builder
		limits := scripting.Limits{FileBytes: 200}
		if strings.Contains(want, "Limits.Files)") {
			limits.Files = 2
		}
		err := scripting.Plain{Name: "p.lua", Text: []byte(text), Files: files, Output: &out, Limits: limits}.Run(t.Context())
		got := out.String()
		if err != nil {
			got += err.Error()
		}
		if got != want {
			t.Errorf("%s\ngives %q\nwant  %q", text, got, want)
		}
	}
}
