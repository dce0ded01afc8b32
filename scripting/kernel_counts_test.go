package scripting_test

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestKernelsCountNoMoreThanLua: with a limit that the VM just keeps, a kernel
// is not cut, whatever its branches, and what it counts is not far below.
func TestKernelsCountNoMoreThanLua(t *testing.T) {
	counted := func(mode, body string, most int64) (used int64, cut bool, sum uint64) {
		r := newGame(t, scripting.Limits{LogLines: -1, Instructions: most})
		p := ecs.Register[Position](r.world)
		for i := range 40 {
			r.world.Spawn(p.With(Position{X: float64(i)}))
		}
		r.write("a.lua", fmt.Sprintf("local limit, list, speed = 3000, { 1, 2, 3 }, 2\necs.system \"s\" { query = { P }, kernel = %q, each = function(e, p)\n%s\nend }", mode, body))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		return r.host.Steps(), len(r.errors) > 0, r.world.Checksum()
	}
	for name, body := range map[string]string{
		"plain":           "local i = 0 while i < limit do i = i + 1 end p.y = i",
		"both arms":       "local i = 0 while i < limit do if i % 2 == 0 then p.y = p.y * 2 + i - 1 / (i + 1) else p.x = p.x + math.sin(i) * math.cos(i) end i = i + 1 end",
		"one arm":         "for i = 1, limit do if i > 2990 then p.y = p.y * 2 + i - 1 / (i + 1) + math.floor(i / 3) end end",
		"early ends":      "for i = 1, limit do if i > p.x * 100 then break end p.y = p.y + i end",
		"goto":            "for i = 1, limit do if i % 3 == 0 then goto on end p.y = p.y + i * 2 ::on:: end",
		"repeat":          "local i = 0 repeat i = i + 1 p.y = p.y + list[i % 3 + 1] until i > limit",
		"loops in loops":  "local n = 0 for i = 1, 60 do for j = 1, limit / 30 do n = n + j end end p.y = n",
		"counted in it":   "local i = 0 while i < limit / 10 do i = i + 1 for k = 1, 20 do p.y = p.y + k end end",
		"many rows fail":  "local i = 0 while i < limit do i = i + 1 end if p.x == 7 then error('no') end p.y = i",
		"an endless one":  "local i = 0 while p.x ~= 30 or i < 10 do i = i + 1 end",
		"and, or":         "local i = 0 while i < limit and (i > -1 or p.x > 3) do i = i + (p.x > 5 and 1 or 2) * speed end p.y = i",
		"literal nesting": "for i = 1, 64 do for j = 1, 60 do p.y = p.y + j end end",
	} {
		lua, cut, want := counted("off", body, 10_000_000)
		if name == "many rows fail" || name == "an endless one" {
			continue
		}
		if cut {
			t.Fatalf("%s: cut with 10,000,000 instructions", name)
		}
		kernel, cut, got := counted("require", body, lua)
		if cut || got != want || kernel > lua {
			t.Errorf("%s: the Lua machine counts %d, a kernel %d; cut: %v", name, lua, kernel, cut)
		}
		if kernel < lua/8 && name != "early ends" && name != "literal nesting" {
			t.Errorf("%s: the Lua machine counts %d, a kernel only %d", name, lua, kernel)
		}
	}
	// A row of which the kernel cannot finish the loop stops where the VM stops.
	for _, body := range []string{
		"local i = 0 while p.x ~= 30 or i < 10 do i = i + 1 end",
		"local i = 0 while i < limit do i = i + 1 end if p.x == 7 then error('no') end p.y = i",
	} {
		for _, most := range []int64{3_000, 30_000, 300_000} {
			lua, luaCut, _ := counted("off", body, most)
			kernel, kernelCut, _ := counted("auto", body, most)
			if kernelCut && !luaCut || kernel > lua+16 {
				t.Errorf("%q with %d: the Lua machine counts %d, a kernel %d", body, most, lua, kernel)
			}
		}
	}
}

// TestKernelsLookAtWhatTheyPromise: a handle that a script has computed may be one that
// an earlier row has spawned. Such a row is Lua's, which knows the entity.
func TestKernelsLookAtWhatTheyPromise(t *testing.T) {
	for _, look := range []string{
		"ecs.get(e + 1, H, 't') or 0", "ecs.get(e + 1, V, 'x') or 0", "ecs.has(e + 1, V) and 1 or 2", "ecs.has(e + 1, H) and 1 or 2",
		"ecs.alive(e + 1) and 1 or 2", "ecs.parent(e + 2) or 7",
	} {
		outcome := func(mode string) uint64 {
			r := newGameOf(t, ecs.Options{Tag: 9}, scripting.Limits{LogLines: -1})
			p := ecs.Register[Position](r.world)
			for i := range 40 {
				r.world.Spawn(p.With(Position{X: float64(i)}))
			}
			r.write("a.lua", fmt.Sprintf(`local H = ecs.component("H", { t = ecs.f32(4) }, { sparse = true })
local B = ecs.prefab("B", { H, V { x = 3 }, children = { { V } } })
ecs.system "s" { query = { P }, kernel = %q, each = function(e, p)
  p.y = %s
  if p.x %% 3 == 0 then ecs.spawn(B) end
end }`, mode, look))
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			r.step(3)
			return r.world.Checksum()
		}
		if outcome("off") != outcome("require") {
			t.Errorf("%s: a kernel finds something else", look)
		}
	}
}
