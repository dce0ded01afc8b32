package library_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/library"
)

var odd = flag.Int("odd", 500, "how many programs with changed words to run")

var word = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*|"[^"\n]*"|[0-9.]+|--[^\n]*|\s+|[^\sA-Za-z_0-9]`)

// spares are values that take the places of others, beside those of the program itself, and
// operators are what operators become.
var (
	spares = []string{
		"nil", "true", "{}", "{ 1, nil, 3 }", "-1", "2^53", "1e308", "0", `""`, "(0/0)", "math.huge", "pcall", "error", "setmetatable({}, { __index = _G })",
		"coroutine.wrap", "coroutine.yield", "coroutine.running()", "table.sort", "table.insert", "select", "unpack", "next", "_G", "print", "function(...) return ... end", "string.rep",
	}
	operators = []string{"+", "-", "*", "/", "%", "^", "<", ">", " .. ", "==", " and ", " or "}
	keywords  = regexp.MustCompile(`^(and|break|do|else|elseif|end|false|for|function|goto|if|in|local|nil|not|or|repeat|return|then|true|until|while)$`)
	isValue   = regexp.MustCompile(`^([A-Za-z_0-9"])`)
)

// changed returns a text with some values and operators replaced. Most of what comes out
// means nothing that anybody would write, and a large part of it compiles.
func changed(r *rand.Rand, text string) string {
	words := word.FindAllString(text, -1)
	var values, between []int
	for i, w := range words {
		switch {
		case keywords.MatchString(w):
		case isValue.MatchString(w):
			values = append(values, i)
		case len(w) == 1 && strings.Contains("+*/%^<>", w) && words[i+1] != "=":
			between = append(between, i)
		}
	}
	for range 1 + r.IntN(4) {
		i := values[r.IntN(len(values))]
		switch n := r.IntN(4); {
		case n == 0 && len(between) > 0:
			words[between[r.IntN(len(between))]] = operators[r.IntN(len(operators))]
		case n == 1:
			words[i] = spares[r.IntN(len(spares))]
		default:
			words[i] = words[values[r.IntN(len(values))]]
		}
	}
	return strings.Join(words, "")
}

// TestOddPrograms runs programs whose words were changed at random. Bytecode comes from the
// compiler alone, so these are the odd prototypes that there can be. They must end with a
// result or an error of the script: never with a panic of the machine's own, and afterwards
// the machine is as before.
func TestOddPrograms(t *testing.T) {
	paths, err := filepath.Glob("../../../tests/bench/lua/programs/*.lua")
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d programs: %v", len(paths), err)
	}
	var texts []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, "local ops, run = (function()\n"+string(text)+"\nend)()\nprint(pcall(run))\nlocal co = coroutine.wrap(run)\nprint(pcall(co))\nprint(pcall(co))")
	}
	ran := 0
	for i := range *odd {
		r := rand.New(rand.NewPCG(*seed, uint64(i)))
		text := changed(r, texts[r.IntN(len(texts))])
		m := newHost(library.Options{MaxTable: 1 << 16})
		out, steps := m.run(text, 30_000, 8<<20)
		if steps > 0 {
			ran++
		}
		if strings.Contains(out, "panic in Go") || strings.Contains(out, "runtime error") {
			t.Fatalf("program %d: %s\n%s", i, out, text)
		}
		if got, _ := m.run(`local t = {} for i = 1, 9 do t[i] = i .. "" end print(table.concat(t), pcall(error, "x"))`, 10_000, 0); got != "123456789\tfalse\tx\n" {
			t.Fatalf("program %d: the machine says %q afterwards\n%s", i, got, text)
		}
	}
	if ran < *odd/5 {
		t.Errorf("only %d of %d programs compile", ran, *odd)
	}
	t.Logf("%d of %d programs compile", ran, *odd)
}
