package scripting_test

import (
	"fmt"
	"testing"
)

// TestReloadCompilesWhatChanged counts what is compiled: kernels of the same
// instructions once, and by a reload only those whose instructions are new,
// whatever else of the file has changed.
func TestReloadCompilesWhatChanged(t *testing.T) {
	text := func(a, b, c string) string {
		return fmt.Sprintf(`local speed = 3
ecs.system "a" { query = { P }, kernel = "require", each = function(e, p, ctx) p.x = %s end }
ecs.system "b" { query = { P }, kernel = "require", each = function(e, p, ctx) p.x = %s end }
local c = ecs.kernel({ V }, function(e, v) v.y = %s end, { kernel = "require" })
ecs.system "d" { run = function() c() end }`, a, b, c)
	}
	const other = `ecs.system "o" { query = { V }, kernel = "require", each = function(e, v) v.x = v.x + 7 end }`
	r := loaded(t, "a.lua", text("p.x + 1", "p.x + 2", "v.y + 3"), "o.lua", other)
	for _, step := range []struct {
		what string
		save func()
		made int
	}{
		{"the load", func() {}, 4},
		{"a file that is saved as it was", func() { r.save("a.lua", text("p.x + 1", "p.x + 2", "v.y + 3")) }, 0},
		{"a comment", func() { r.save("a.lua", text("p.x + 1", "p.x --[[ meters ]] + 2", "v.y + 3")) }, 0},
		{"one of three", func() { r.save("a.lua", text("p.x + 1", "p.x + 20", "v.y + 3")) }, 1},
		{"names that change places", func() { r.save("a.lua", text("p.x + 20", "p.x + 1", "v.y + 3")) }, 0},
		{"two that become the same", func() { r.save("a.lua", text("p.x + 5", "p.x + 5", "v.y + 3")) }, 1},
		{"a called kernel", func() { r.save("a.lua", text("p.x + 5", "p.x + 5", "v.y + 4")) }, 1},
		{"a value that it only reads", func() { r.save("a.lua", text("p.x + speed", "p.x + 5", "v.y + 4")) }, 1},
		{"the other file", func() { r.save("o.lua", other+"\n-- that is all") }, 0},
		{"what nobody has any more, and all again", func() {
			r.remove("o.lua")
			r.run(1)
			r.save("o.lua", other)
		}, 1},
	} {
		before := r.host.CompiledKernels()
		if step.what == "the load" {
			before = 0
		}
		step.save()
		r.run(1)
		if made := r.host.CompiledKernels() - before; made != step.made {
			t.Errorf("%s: %d kernels were compiled, want %d", step.what, made, step.made)
		}
	}
	for _, reload := range r.reloads {
		if reload.Err != nil {
			t.Error(reload.Err)
		}
	}
}
