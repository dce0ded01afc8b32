package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
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
	bin := buildCommands(t)
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

// buildCommands builds perigee and perigee-mcp into one folder.
func buildCommands(t *testing.T) (bin string) {
	t.Helper()
	bin = t.TempDir()
	for name, dir := range map[string]string{"perigee": "../..", "perigee-mcp": "."} {
		pkg := map[string]string{"perigee": "./cmd/perigee", "perigee-mcp": "."}[name]
		cmd := exec.Command("go", "build", "-pgo=off", "-o", filepath.Join(bin, name), pkg)
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	return bin
}

// TestFolderWithMistakes begins with a folder in which one of two scripts has a mistake, which the assistant sees and
// mends in two turns.
func TestFolderWithMistakes(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	game := t.TempDir()
	write := func(name, text string) { must(t, os.WriteFile(filepath.Join(game, name), []byte(text), 0o644)) }
	write("good.lua", counting)
	write("bad.lua", "local x = = 1\n")
	cmd := exec.Command(filepath.Join(buildCommands(t), "perigee"), "mcp", game)
	a := over(t, &mcp.CommandTransport{Command: cmd})
	verdict := func() object {
		v, _ := a.call("status", nil)["last_reload"].(object)
		return v
	}
	for end := time.Now().Add(10 * time.Second); verdict() == nil && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if v := verdict(); v["refused"] != true || !strings.Contains(fmt.Sprint(v["problems"]), "bad.lua:1:") {
		t.Fatalf("the verdict over the folder: %v", v)
	}
	for _, turn := range []struct {
		text, want string
		entities   float64
	}{{"local x = nowhere.y\n", "bad.lua:1:", 0}, {"local x = 1\n", "", 1}} {
		write("bad.lua", turn.text)
		for end := time.Now().Add(10 * time.Second); ; {
			v := a.call("step", nil)
			if text := fmt.Sprint(v["reload"]); v["reload"] != nil {
				if !strings.Contains(text, turn.want) {
					t.Errorf("with %q: %s", turn.text, text)
				}
				break
			}
			if time.Now().After(end) {
				t.Fatal("a script that was saved is not taken over")
			}
		}
		a.call("step", nil)
		if n := a.call("status", nil)["entities"]; n != turn.entities {
			t.Errorf("with %q: %v entities, want %v", turn.text, n, turn.entities)
		}
	}
	must(t, a.Close())
}

const counting = `local ecs = require "ecs"
local Count = ecs.component("Count", { n = ecs.f64(0) })
ecs.on_start(function() ecs.spawn(Count {}) end)
ecs.system "count" { query = { Count }, each = function(_, c) c.n = c.n + 1 end }
`

// TestSlowSteps steps a game whose steps take so long that it does not always answer, and one that makes no step at all.
func TestSlowSteps(t *testing.T) {
	tick, asked := 0, 0
	stands := false
	var mu sync.Mutex
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case r.URL.Path == "/api/v1/openapi.json":
			fmt.Fprint(w, "{}")
		case r.Method == "POST":
			var want struct{ Steps int }
			must(t, json.NewDecoder(r.Body).Decode(&want))
			if !stands {
				tick += min(want.Steps, 3) // the rest is dropped, as a slow loop does
			}
			fmt.Fprint(w, "{}")
		default:
			if asked++; asked > 3 && asked%3 == 0 {
				w.WriteHeader(http.StatusGatewayTimeout)
				fmt.Fprint(w, `{"error": {"text": "nobody has answered"}}`)
				return
			}
			fmt.Fprintf(w, `{"tick": %d, "paused": true, "control": true}`, tick)
		}
	}))
	t.Cleanup(web.Close)
	a := connect(t, web.URL+"/#token", rights{control: true})
	if v := a.call("step", object{"ticks": 20}); v["tick"] != 20.0 {
		t.Errorf("20 steps: %v", v)
	}
	mu.Lock()
	stands = true
	mu.Unlock()
	a.refuses("step", object{}, "0 of 1 ticks")
}

// TestRefusedTexts: the text that a reload has refused is read as that which runs is, with the notes at its lines.
func TestRefusedTexts(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/scripts/bad.lua":
			fmt.Fprint(w, `{"path": "bad.lua", "text": "one\ntwo\n", "refused": "one\nx = = 1\nthree\n", "notes": [{"line": 2, "kind": "refused", "text": "unexpected ="}]}`)
		case "/api/v1/scripts/good.lua":
			fmt.Fprint(w, `{"path": "good.lua", "text": "one\n", "notes": []}`)
		default:
			fmt.Fprint(w, "{}")
		}
	}))
	t.Cleanup(web.Close)
	a := connect(t, web.URL+"/#token", rights{})
	if v := a.call("read_script", object{"path": "bad.lua"}); v["text"] != "one\ntwo\n" || v["was_refused"] != true {
		t.Errorf("the text that runs: %v", v)
	}
	if v := a.call("read_script", object{"path": "bad.lua", "refused": true, "from": 2, "lines": 1}); v["text"] != "x = = 1\n" || v["next"] != 3.0 || !strings.Contains(fmt.Sprint(v["notes"]), "unexpected") {
		t.Errorf("the text that was refused: %v", v)
	}
	a.refuses("read_script", object{"path": "good.lua", "refused": true}, "no text of \"good.lua\" was refused")
}

// TestLinesThatAreNoMessages: each is answered with an error, and the session goes on.
func TestLinesThatAreNoMessages(t *testing.T) {
	address := demo(t, inspect.Options{})
	begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"f","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	const none, bad = -32700, -32600
	for line, code := range map[string]int{
		`{bad`: none, "\xff\xfe": none, `{"jsonrpc":"2.0","id":2,"method":"ping"}x`: none, `{"jsonrpc":"2.0","id":2,"method":"p` + "\xff" + `"}`: none, "{": none,
		strings.Repeat("[", 200_000): none,
		`null`:                       bad, `5`: bad, `"x"`: bad, `[]`: bad, `{}`: bad, `[{"jsonrpc":"2.0","id":2,"method":"ping"}]`: bad,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`: bad, `{"jsonrpc":"2.0","id":[],"method":"ping"}`: bad, `{"jsonrpc":"2.0","id":true,"method":"ping"}`: bad,
		`{"id":2,"method":"ping"}`: bad, `{"jsonrpc":"1.0","id":2,"method":"ping"}`: bad, `{"jsonrpc":"2.0","id":2,"method":7}`: bad, `{"jsonrpc":2,"id":2,"method":"ping"}`: bad,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`: bad, `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`: bad, `{"jsonrpc":"2.0","id":1e300,"method":"ping"}`: bad,
		`{"jsonrpc":"2.0","id":2,"error":5}`: bad, `{"jsonrpc":"2.0"}`: bad,
		`{"jsonrpc":"2.0","id":2,"result":{}}`: 0, // an answer to nothing
		``:                                     0, "  \r": 0,
	} {
		said := converseUntil(t, address, nil, begin+line+"\n"+` {"jsonrpc":"2.0","id":77,"method":"ping"} `+"\r\n", `"id":77`)
		codes, ping := 0, false
		for answer := range strings.Lines(said) {
			var a struct {
				ID    any
				Error *struct{ Code int }
			}
			if err := json.Unmarshal([]byte(answer), &a); err != nil {
				t.Errorf("%.60q: %v: %q", line, err, answer)
			}
			if a.Error != nil {
				codes = a.Error.Code
			}
			ping = ping || a.ID == 77.0 && a.Error == nil
		}
		if codes != code || !ping {
			t.Errorf("%.60q: code %d, want %d; the next line is answered: %v", line, codes, code, ping)
		}
	}
}

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
		said := converse(t, address, nil, begin+line+"\n"+call("status", "{}")+"\n")
		for answer := range strings.Lines(said) {
			if !json.Valid([]byte(answer)) || strings.Contains(answer, "a fault of its own") || strings.Contains(answer, "validating tool output") {
				t.Errorf("an answer: %.300s", answer)
			}
		}
		var now status
		if err := g.get(t.Context(), "/status", nil, &now); err != nil || now.Tick != 0 || now.Entities != 0 || !now.Paused {
			t.Errorf("the game: %+v, %v", now, err)
		}
	})
}

// converse sends lines to the program, and returns what it says until it has answered all that it read, or ended.
func converse(t testing.TB, address string, args []string, lines string) string {
	t.Helper()
	return converseUntil(t, address, args, lines, "")
}

// converseUntil is converse that waits until a text is answered: what came later may be answered before it, and the end of the
// input ends what is under way.
func converseUntil(t testing.TB, address string, args []string, lines, awaited string) string {
	t.Helper()
	in, typed := io.Pipe()
	said, out := io.Pipe()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	go func() {
		_ = run(ctx, args, address, in, out, io.Discard) // an error is an answer, too
		_ = in.Close()
		_ = out.Close()
	}()
	typing := make(chan string, 4)
	defer close(typing)
	go func() {
		for text := range typing {
			_, _ = io.WriteString(typed, text)
		}
	}()
	typing <- lines + lastCall
	defer time.AfterFunc(time.Second, func() { _ = typed.Close() }).Stop() // an object without its end waits for more
	var all strings.Builder
	for r, asked := bufio.NewReader(said), 1; ; {
		line, err := r.ReadString('\n')
		all.WriteString(line)
		if err != nil {
			break
		}
		if strings.Contains(line, `"id":987654`) {
			if asked++; asked > 4 && strings.Contains(all.String(), awaited) || asked > 1000 { // calls run beside each other, and the end of the input ends those under way
				break
			}
			typing <- lastCall
		}
	}
	_ = typed.Close()
	_, _ = io.Copy(&all, said)
	if ctx.Err() != nil {
		t.Errorf("it does not come to its end: %.300q", lines)
	}
	return all.String()
}

// lastCall is a call whose answer says that the lines before it were read.
const lastCall = `{"jsonrpc":"2.0","id":987654,"method":"tools/call","params":{"name":"status","arguments":{}}}` + "\n"
