package scripting_test

import (
	"testing"
)

func TestSnapshotSmoke(t *testing.T) {
	r := loaded(t, "a.lua", textOf+`
local S = ecs.state("s", { n = 0, list = { 1, 2 } })
local list = S.list
ecs.handler("tick", function(data) data.n = data.n + 1 S.timer = data.n S.n = S.n + ecs.random() end)
ecs.on_start(function() S.started = (S.started or 0) + 1 ecs.every(0.5, "tick", { n = 0 }) end)
ecs.system "show" { run = function(ctx) list[#list + 1] = ctx.tick S.self = S ecs.log(text(S, 0) .. text(list, 1)) end }`)
	r.step(5)
	s, err := r.host.Capture()
	if err != nil {
		t.Fatal(err)
	}
	r.step(5)
	if _, err := r.host.Restore(s); err != nil {
		t.Fatal(err)
	}
	r.step(5)
	for i := range 5 {
		if r.logs[5+i] != r.logs[10+i] {
			t.Errorf("tick %d:\n%s\n%s", i, r.logs[5+i], r.logs[10+i])
		}
	}
	t.Log(r.logs[14])
}
