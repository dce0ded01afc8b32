//go:build !machine

package scripting_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestFarItems: what is far behind the end of a list is charged, as gopher-lua fills the
// list up to it.
func TestFarItems(t *testing.T) {
	for text, c := range map[string]struct {
		limits scripting.Limits
		want   string
	}{
		`for i = 1, 300 do s.list[#s.list + 1] = i end if ctx.tick == 20 then s.list[50000] = 1 end`: {scripting.Limits{Instructions: 100_000, Bytes: 1 << 20}, "(Limits.Bytes)"},
		`local t = { list = {} } t.list[200000] = 1 while true do local n = #t.list end`:             {scripting.Limits{Table: 5000}, "table too large: 200,000 of 5,000 entries (Limits.Table)"},
	} {
		r := loadedWith(t, c.limits, "a.lua", `local s = ecs.state("s", { list = {} }) `+once("far", text))
		for range 20 {
			if r.step(1); len(r.errors) > 0 {
				break
			}
		}
		r.wantError(`system "far": tick `, c.want)
	}
}
