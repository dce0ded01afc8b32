package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// seldom is a script of many rows, of which a system changes one of each component, or none,
// and two systems that say in which tick which component of the chunk has changed.
const seldom = `
local ecs = require "ecs"
local Left = ecs.component("Left", { x = ecs.f64(0), n = ecs.i32(0) })
local Right = ecs.component("Right", { y = ecs.f32(0), z = ecs.f32(0) })
local left, right = 0, 0
ecs.on_start(function()
  for i = 1, 1500 do ecs.spawn(Left { n = i }, Right) end
end)
ecs.system "s" { query = { Left, Right }, kernel = %q, each = function(e, l, r, ctx)
  local t = ctx.tick
  if l.n == (t * 397) %% 1900 + 1 then l.x = l.x + 1 end
  if l.n == (t * 611) %% 1700 + 1 then r.z = -r.z + (t %% 3) end
end }
ecs.system "left" { phase = "debug", query = { Left, changed = { Left } }, batch = function(b) left = left + b.n end }
ecs.system "right" { phase = "debug", query = { Right, changed = { Right } }, batch = function(b) right = right + b.n end }
ecs.system "report" { phase = "debug", after = { "left", "right" }, run = function(ctx)
  ecs.log(string.format("%%d: %%d %%d", ctx.tick, left, right))
  left, right = 0, 0
end }
`

// TestSeldomChanges: which component of a chunk counts as changed does not depend on how far
// from its first row the changed one is, or on where it was in the ticks before.
func TestSeldomChanges(t *testing.T) {
	play := func(mode string) string {
		seen := witnessed(t, 1, fmt.Appendf(nil, seldom, mode), scripting.Limits{}, 60, func(*ecs.World, int) {})
		return strings.ReplaceAll(seen, fmt.Sprintf("%q", mode), "MODE")
	}
	vm, kernel := play("off"), play("require")
	if vm != kernel {
		t.Errorf("the VM says\n%s\nthe kernel\n%s", vm, kernel)
	}
	for _, line := range []string{": 1500 1500", ": 1500 0", ": 0 1500", ": 0 0"} {
		if !strings.Contains(kernel, line) {
			t.Errorf("no tick says %q:\n%s", line, kernel)
		}
	}
}
