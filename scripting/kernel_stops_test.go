package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestVariablesAcrossStops holds that captured variables are what the Lua machine
// would make of them wherever a kernel stops: at rows that fail, and at rows that
// take longer than a kernel may, in several chunks and in the ticks after them.
func TestVariablesAcrossStops(t *testing.T) {
	const text = `
local total, last, odd, box = 0, 0, false, { n = 0 }
local store = ecs.state("store", { n = 0 })
ecs.system "a" { query = { P, optional = { V } }, kernel = %q, each = function(e, p, v)
  total = total + p.x
  odd = not odd
  box.n = box.n + total
  store.n = store.n + 1
  if p.x %% 97 == 5 then last = v.x end
  if p.x == 40 then
    local n = 0
    while n < 700000 do n = n + 1 end
    total = total + n
  end
  p.y = total + last
end }
ecs.system "b" { run = function() ecs.log(total .. " " .. last .. " " .. tostring(odd) .. " " .. box.n .. " " .. store.n) end }
`
	outcome := func(mode string) string {
		r := newGame(t, scripting.Limits{LogLines: -1})
		p, v := ecs.Register[Position](r.world), ecs.Register[Velocity](r.world)
		for i := range 1300 {
			if i%3 == 0 {
				r.world.Spawn(p.With(Position{X: float64(i)}), v.With(Velocity{X: float64(i) / 3}))
			} else {
				r.world.Spawn(p.With(Position{X: float64(i)}))
			}
		}
		r.write("a.lua", fmt.Sprintf(text, mode))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(4)
		if len(r.errors) == 0 {
			t.Fatal("no row has failed")
		}
		for _, e := range r.errors {
			r.logs = append(r.logs, e.Error())
		}
		return fmt.Sprint(strings.Join(r.logs, "\n"), r.world.Checksum())
	}
	want, got := outcome("off"), outcome("require")
	if want != got {
		t.Errorf("the Lua machine:\n%s\na kernel:\n%s", want, got)
	}
}
