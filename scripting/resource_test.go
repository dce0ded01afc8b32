package scripting_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Settings is a resource with all that can be in one.
type Settings struct {
	Level int8
	Sub   struct {
		A    uint8
		Deep struct{ Name string }
	}
	Sizes [3]int8
	Names [2]string
	Spots [2]struct {
		X float32
		L [2]uint8
	}
	Home [2]ecs.Entity
}

// settled runs an on_start over settings, and returns them with what was logged.
func settled(t *testing.T, body string) (*Settings, *game) {
	t.Helper()
	r := newGame(t, scripting.Limits{})
	s := &Settings{Sizes: [3]int8{1, 2, 3}, Names: [2]string{"a", "b"}}
	ecs.Provide(r.world, s)
	r.write("a.lua", `local cfg = ecs.resource("Settings") `+body)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	return s, r
}

// TestResourceParts: what a script writes into an array or a struct of a resource is in
// the resource, and what the script reads afterwards.
func TestResourceParts(t *testing.T) {
	s, r := settled(t, `
ecs.on_start(function()
  local sizes = cfg.sizes
  sizes[2] = 5
  cfg.sub.a = 7
  cfg.sub.deep.name = "deep"
  cfg.names[1] = "first"
  cfg.spots[2].x = 0.1
  cfg.spots[2].l[1] = 9
  cfg.spots[1] = { x = 4 }
  cfg.home[1] = ecs.spawn()
  ecs.log(sizes[2], cfg.sizes[2], #cfg.sizes, cfg.sub.a, cfg.sub.deep.name, table.concat(cfg.names, "+"), cfg.spots[2].x == 0.1, cfg.spots[2].l[1])
  cfg.sizes = { 7, 6, 5 }
  table.sort(sizes)
  ecs.log(table.concat(sizes, " "), table.concat(cfg.sizes, " "))
  cfg.home[1] = nil
end)`)
	r.run(1)
	want := Settings{Level: 0, Sizes: [3]int8{5, 6, 7}, Names: [2]string{"first", "b"}}
	want.Sub.A, want.Sub.Deep.Name = 7, "deep"
	want.Spots[0].X, want.Spots[1].X, want.Spots[1].L[0] = 4, 0.1, 9
	if *s != want {
		t.Errorf("the resource is %+v, want %+v", *s, want)
	}
	if got := strings.Join(r.logs, "\n"); !strings.Contains(got, "5 5 3 7 deep first+b false 9") || !strings.Contains(got, "5 6 7 5 6 7") {
		t.Errorf("logged %s", got)
	}
}

// TestResourcePartsRefuse: what an array or a struct of a resource cannot hold is an
// error at the line that writes it, and the call leaves nothing behind.
func TestResourcePartsRefuse(t *testing.T) {
	for body, want := range map[string]string{
		`cfg.sizes[2] = 300`:               `element 2 of "Settings.sizes": `,
		`cfg.sizes[4] = 1`:                 `"Settings.sizes" has the elements 1 to 3, and none at 4`,
		`cfg.sizes[0] = 1`:                 `none at 0`,
		`cfg.sizes[1.5] = 1`:               `none at 1.5`,
		`cfg.sizes.x = 1`:                  `none at "x"`,
		`cfg.sizes[1] = nil`:               `expected a number, got nil`,
		`table.insert(cfg.sizes, 4)`:       `none at 4`,
		`cfg.sub.a = 700`:                  `field "a" of "Settings.sub": `,
		`cfg.sub.aa = 1`:                   `unknown field "aa" of "Settings.sub" (did you mean "a"?)`,
		`cfg.sub.deep.name = 1`:            `field "name" of "Settings.sub.deep": expected a string`,
		`cfg.spots[1].l[3] = 1`:            `"Settings.spots[1].l" has the elements 1 to 2`,
		`cfg.spots[1] = { y = 1 }`:         `unknown field "y"`,
		`cfg.names[2] = "c" error("stop")`: `stop`,
		`old[1] = 1`:                       `is a copy, from before this call`,
		`top[1] = 1`:                       `is a copy, from before this call`,
	} {
		s, r := settled(t, `local top, old = cfg.sizes, nil
ecs.system "s" { run = function(ctx)
  if ctx.tick == 1 then old = cfg.sizes return end
  cfg.sizes[1] = 9 cfg.sub.a = 9 cfg.sub.deep.name = "x" cfg.spots[1].x = 1 cfg.names[1] = "z"
`+body+`
end }`)
		before := *s
		r.step(2)
		if len(r.errors) != 1 || r.errors[0].Line != 6 || !strings.Contains(r.errors[0].Error(), want) {
			t.Errorf("%s: %v, want %q in line 6", body, r.errors, want)
		}
		if *s != before {
			t.Errorf("%s: left %+v", body, *s)
		}
	}
}

// TestResourcePartsOfRows: a row that fails takes its writes back, and no others, in
// functions that are compiled and in those that are not.
func TestResourcePartsOfRows(t *testing.T) {
	for _, kernel := range []string{"", `kernel = "off", `} {
		s, r := settled(t, fmt.Sprintf(`
local C = ecs.component("C", { n = 0 })
ecs.on_start(function() for i = 1, 3 do ecs.spawn(C { n = i }) end end)
ecs.system "s" { %squery = { C }, each = function(e, c)
  cfg.sizes[c.n] = cfg.sizes[c.n] + 10
  cfg.sub.a = cfg.sub.a + 1
  if c.n == 2 then error("no") end
end }`, kernel))
		r.step(1)
		if want := [3]int8{11, 2, 13}; s.Sizes != want || s.Sub.A != 2 || len(r.errors) != 1 {
			t.Errorf("sizes %v and a %d with %v, want %v and 2", s.Sizes, s.Sub.A, r.errors, want)
		}
	}
}

// TestResourcePartsAreCopied: what goes into a state table or an event is a copy.
func TestResourcePartsAreCopied(t *testing.T) {
	s, r := settled(t, `
local st = ecs.state("st", {})
ecs.on_start(function()
  st.sizes = cfg.sizes
  st.all = { spots = cfg.spots }
  cfg.sizes[1] = 50
  st.sizes[2], st.all.spots[1].x = 60, 70
  ecs.log(st.sizes[1], st.sizes[2], cfg.sizes[1], cfg.sizes[2], cfg.spots[1].x)
  ecs.after(0, "h", cfg.sizes)
end)
ecs.handler("h", function(d) ecs.log(d[1]) end)`)
	r.run(2)
	if s.Sizes != [3]int8{50, 2, 3} || !slices.ContainsFunc(r.logs, func(l string) bool { return strings.Contains(l, "1 60 50 2 0") }) {
		t.Errorf("sizes %v, logged %q", s.Sizes, r.logs)
	}
}
