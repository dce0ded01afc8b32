package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/perigee-ecs/perigee/scripting/inspect"
)

// itself is a command that is this program.
func itself(t testing.TB, address string, args ...string) *exec.Cmd {
	t.Helper()
	own, err := os.Executable()
	must(t, err)
	cmd := exec.Command(own, args...)
	cmd.Env = append(os.Environ(), "PERIGEE_MCP_ITSELF=1", urlVariable+"="+address)
	return cmd
}

// TestStdio speaks to a process, by the client of the SDK.
func TestStdio(t *testing.T) {
	a := over(t, &mcp.CommandTransport{Command: itself(t, demo(t, inspect.Options{Control: true, Edit: true}), "--edit")})
	if v := a.call("step", object{"ticks": 3}); v["tick"] != 3.0 {
		t.Errorf("steps: %v", v)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// TestCommandLines starts the program with what cannot be: it says why on standard error, and nothing on standard output.
func TestCommandLines(t *testing.T) {
	good := demo(t, inspect.Options{})
	for _, c := range []struct {
		address, want string
		args          []string
	}{
		{"", "perigee run --view", nil},
		{good + "wrong", "another one each time", nil},
		{good, "unexpected argument", []string{"x"}},
		{good, "not defined", []string{"--none"}},
	} {
		cmd := itself(t, c.address, c.args...)
		var said, out strings.Builder
		cmd.Stderr, cmd.Stdout = &said, &out
		if err := cmd.Run(); err == nil || !strings.Contains(said.String(), c.want) || out.String() != "" || c.address != "" && strings.Contains(said.String(), good) {
			t.Errorf("%q %q: %v: %q, %q", c.address, c.args, err, said.String(), out.String())
		}
	}
}

// TestPerigeeMCP starts the command perigee mcp, as an assistant does, with a game of its own. Without go, or with
// -short, it is left out: it builds the command.
func TestPerigeeMCP(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	bin := t.TempDir()
	build := func(name, dir, pkg string) {
		cmd := exec.Command("go", "build", "-pgo=off", "-o", filepath.Join(bin, name), pkg)
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	build("perigee", "../..", "./cmd/perigee")
	build("perigee-mcp", ".", ".")
	game := t.TempDir()
	file := filepath.Join(game, "game.lua")
	must(t, os.WriteFile(file, []byte(counting), 0o644))
	cmd := exec.Command(filepath.Join(bin, "perigee"), "mcp", game)
	var said strings.Builder
	cmd.Stderr = &said
	a := over(t, &mcp.CommandTransport{Command: cmd})
	if v := a.call("step", object{"ticks": 4}); v["tick"] != 4.0 {
		t.Errorf("steps: %v", v)
	}
	if v := a.call("query_entities", object{"query": "Count.n == 4"}); len(v["entities"].([]any)) != 1 {
		t.Errorf("what they have done: %v", v)
	}
	a.refuses("spawn_entity", object{"components": object{"Count": object{"n": 1}}}, "--edit")
	must(t, os.WriteFile(file, []byte(strings.ReplaceAll(counting, "c.n + 1", "c.n + 10")), 0o644)) // the folder is followed
	for end := time.Now().Add(10 * time.Second); ; {
		if v := a.call("step", nil); v["reload"] != nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("a script that was saved is not taken over")
		}
	}
	before := a.call("query_entities", object{"query": "Count"})
	a.call("step", nil)
	after := a.call("query_entities", object{"query": "Count"})
	n := func(v object) float64 {
		return v["entities"].([]any)[0].(object)["components"].(object)["Count"].(object)["n"].(float64)
	}
	if n(after)-n(before) != 10 {
		t.Errorf("a tick with the new text adds %v", n(after)-n(before))
	}
	must(t, a.Close())
	if !strings.Contains(said.String(), "the game is at http://127.0.0.1:") {
		t.Errorf("standard error: %q", said.String())
	}
}

const counting = `local ecs = require "ecs"
local Count = ecs.component("Count", { n = ecs.f64(0) })
ecs.on_start(function() ecs.spawn(Count {}) end)
ecs.system "count" { query = { Count }, each = function(_, c) c.n = c.n + 1 end }
`

// FuzzMessages sends lines that may be anything: the program answers or ends, and the game is as it was.
func FuzzMessages(f *testing.F) {
	address := demo(f, inspect.Options{})
	begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"f","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	call := func(tool, args string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args)
	}
	for _, line := range []string{
		"", "{}", "null", "[]", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":null}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"perigee://scripts/../status"}}`, `{"jsonrpc":"2.0","id":2,"method":"resources/read"}`,
		call("status", "{}"), call("query_entities", `{"query":"Position, !Frozen","limit":2}`), call("get_entity", `{"entity":18446744073709551615}`), call("get_entity", `{"entity":1e300}`),
		call("read_script", `{"path":"../../etc/passwd"}`), call("check_scripts", `{"texts":{"a.lua":"x = = 1","b.lua":"\u0000"}}`), call("step", `{"ticks":9}`),
		call("spawn_entity", `{"components":{"Position":{"x":1}}}`), call("list_faults", `{"limit":-1,"cursor":9223372036854775807}`), call("list_systems", `{"cursor":9223372036854775808}`),
		call("status", strings.Repeat("[", 100_000)), call("status", `{"a":`+strings.Repeat("[", 200_000)+strings.Repeat("]", 200_000)+"}"), strings.Repeat("[", 200_000), strings.Repeat("x", mostMessage+2),
		call("query_entities", `{"query":"`+strings.Repeat("any(", 1000)+`"}`), "\xff\xfe", `{"jsonrpc":"2.0","id":{},"method":7}`,
	} {
		f.Add(line)
	}
	g, err := newGame(address)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line string) {
		in, out := strings.NewReader(begin+line+"\n"+call("status", "{}")+"\n"), &strings.Builder{}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_ = run(ctx, nil, address, io.NopCloser(in), out, io.Discard) // an error is an answer, too
		if ctx.Err() != nil {
			t.Fatal("it does not come to its end")
		}
		lines := bufio.NewScanner(strings.NewReader(out.String()))
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			if !json.Valid(lines.Bytes()) || strings.Contains(lines.Text(), "a fault of its own") {
				t.Errorf("an answer: %.300s", lines.Text())
			}
		}
		var now status
		if err := g.get(t.Context(), "/status", nil, &now); err != nil || now.Tick != 0 || now.Entities != 0 || !now.Paused {
			t.Errorf("the game: %+v, %v", now, err)
		}
	})
}
