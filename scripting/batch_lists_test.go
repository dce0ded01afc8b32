package scripting_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// listsBegin declares what random functions over batches do with lists: assignments in
// several forms, each of which notes what the world must hold if the assignment and the call
// succeed. The note is in a state table, so it is undone with the call.
const listsBegin = `local ecs = require "ecs"
local L = ecs.component("L", { x = ecs.f64(0), y = ecs.f32(0), n = ecs.i32(0), on = false, w = ecs.enum("a", "b"), l = ecs.array(ecs.f64(0), 3) })
local st = ecs.state("want", { e = 0 })
local E, want
local function wanted(i, field, v) if i >= 1 and i <= #E then want[E[i] .. " " .. field] = v end end
local function put(t, i, field, v) t[i] = v wanted(i, field, v) end
local function inner(t, i, v) t[i][2] = v wanted(i, "l", v) end
ecs.on_start(function() ecs.spawn_many(5, L) end)
ecs.system "s1" { query = { L }, batch = function(b)
  E, want = b.entities, {}
  local x1, y1, n1, on1, w1, l1, x2, y2, n2, on2, w2, l2
`

const listsEnd = `
  st.want = want
end }
ecs.system "s2" { run = function()
  for key, v in pairs(st.want or {}) do
    local e, field = string.match(key, "(%d+) (%a+)")
    local now = ecs.get(tonumber(e), L, field)
    if field == "l" then now = now[2] end
    if now ~= v then error("LOST " .. key .. ": " .. tostring(now) .. ", not " .. tostring(v)) end
  end
  st.want = {}
end }
`

// randomLists draws the statements of a function over a batch: lists asked for by b:read and
// b:write in any order, and assignments to elements, to what is no element, by functions, in
// tables that are elements, and caught ones.
func randomLists(r *rand.Rand) string {
	fields := []string{"x", "y", "n", "on", "w", "l"}
	values := map[string][]string{"x": {"1", "2.5"}, "y": {"1", "0.5"}, "n": {"3", "-4"}, "on": {"true", "false"}, "w": {`"a"`, `"b"`}, "l": {"{ 1, 2, 3 }"}}
	var text strings.Builder
	for range 2 + r.IntN(10) {
		f := fields[r.IntN(len(fields))]
		list := fmt.Sprintf("%s%d", f, 1+r.IntN(2))
		v := values[f][r.IntN(len(values[f]))]
		i := fmt.Sprint(1 + r.IntN(5))
		if r.IntN(8) == 0 {
			i = []string{"6", "0", "b.n + 2", "1.5", `"x"`}[r.IntN(5)]
		}
		noted := fmt.Sprintf("wanted(%s, %q, %s)", i, f, v)
		if f == "l" {
			noted = fmt.Sprintf("wanted(%s, %q, 2)", i, f)
		}
		if i == `"x"` || i == "1.5" {
			noted = ""
		}
		switch r.IntN(11) {
		case 0, 1:
			fmt.Fprintf(&text, "%s = b:read(L, %q)\n", list, f)
		case 2, 3:
			fmt.Fprintf(&text, "%s = b:write(L, %q)\n", list, f)
		case 4, 5:
			fmt.Fprintf(&text, "if %s then %s[%s] = %s %s end\n", list, list, i, v, noted)
		case 6:
			if f == "l" || noted == "" {
				break
			}
			fmt.Fprintf(&text, "if %s then pcall(put, %s, %s, %q, %s) end\n", list, list, i, f, v)
		case 7:
			fmt.Fprintf(&text, "if l%d then inner(l%d, %d, 7) end\n", 1+r.IntN(2), 1+r.IntN(2), 1+r.IntN(5))
		case 8:
			fmt.Fprintf(&text, "if %s then %s end\n", list, []string{list + ".foo = 3", "table.insert(" + list + ", " + v + ")", "b.entities[1] = 5", "rawset(" + list + ", \"foo\", 1)", "rawset(b, \"n\", 2)"}[r.IntN(5)])
		case 9:
			fmt.Fprintf(&text, "if %s then local k = #%s for i = 1, k do local v = %s[i] end end\n", list, list, list)
		case 10:
			fmt.Fprintf(&text, "for i = 1, b.n do local v = b:read(L, %q)[i] end\n", f)
		}
	}
	return text.String()
}

// TestRandomListsAreStoredOrRefused: whatever a function over a batch assigns through its
// lists is in the world afterwards, or the call has failed and said why; the VM and the
// evaluator agree, with the place of the error.
func TestRandomListsAreStoredOrRefused(t *testing.T) {
	sideBySide(t)
	refusals := map[string]int{"a list of b:read cannot be changed": 0, "and none at": 0, "b.entities cannot be changed": 0, "b.n cannot be assigned": 0}
	for seed := *kernelSeed; seed < *kernelSeed+400; seed++ {
		text := listsBegin + randomLists(rand.New(rand.NewPCG(seed, 5))) + listsEnd
		play := func() string {
			w := ecs.NewWorld()
			defer w.Close()
			h := newHost(t, w, scripting.Options{OnError: func(*scripting.Error) {}})
			if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}}); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			var errors []string
			for range 3 {
				errors = append(errors, split(h.StepAll(0.1))...)
			}
			return strings.Join(errors, "\n")
		}
		plain := play()
		if strings.Contains(plain, "LOST") {
			t.Errorf("seed %d: %s\n%s", seed, plain, text)
		}
		for words := range refusals {
			refusals[words] += strings.Count(plain, words)
		}
	}
	for words, n := range refusals {
		if n == 0 {
			t.Errorf("no program was refused because %s", words)
		}
	}
}
