package scripting_test

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestTickCommandBytes: what the changes of all scripts in one tick may take. Scripts
// that have recorded little go on when others have used it up.
func TestTickCommandBytes(t *testing.T) {
	r := newGame(t, scripting.Limits{CommandBytes: 1_000_000, TickCommandBytes: 1_800_000})
	wide := func(script string) string {
		return fmt.Sprintf("local W = ecs.component('Wide%s', { x = ecs.array(ecs.f64(), 512) })\n", script)
	}
	for _, script := range []string{"a", "b", "c"} {
		r.write(script+".lua", wide(script)+once(script, "for i = 1, 100 do ecs.spawn(W) end"))
	}
	r.write("d.lua", wide("d")+once("d", "ecs.spawn(W)"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	for tick := range 2 {
		r.step(1)
		r.wantError(`c.lua:3: system "c": `, "of 1,800,000 bytes of changes in one tick of all scripts (Limits.TickCommandBytes)")
		if got := r.world.Len(); len(r.errors) > 1 || got != 201*(tick+1) {
			t.Fatalf("%d entities after tick %d, want those of two large scripts and of a small one; errors %v", got, tick+1, r.errors)
		}
		r.errors = nil
	}
}

// TestLongStateLists: to append to a list in a state table costs the same however long
// it is; what is far behind its end is charged.
func TestLongStateLists(t *testing.T) {
	r := newGame(t, scripting.Limits{Instructions: 100_000, Bytes: 1 << 20})
	r.write("a.lua", `local s = ecs.state("s", { list = {} })
local own = setmetatable({}, { __newindex = function(t, k, v) rawset(t, "last", v) end })
`+once("appends", "for i = 1, 300 do s.list[#s.list + 1] = i end for i = 1, 100 do own[100000 + i] = i end")+
		once("far", "if ctx.tick == 20 then s.list[50000] = 1 end"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(19)
	if len(r.errors) > 0 {
		t.Fatal(r.errors)
	}
	r.step(1)
	r.wantError(`system "far": tick 20: `, "(Limits.Bytes)")
}
