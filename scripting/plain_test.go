package scripting_test

import (
	"context"
	"errors"
	"strings"
	"testing"

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
