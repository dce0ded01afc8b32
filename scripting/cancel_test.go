package scripting_test

import (
	"strings"
	"testing"
)

// tasks runs functions of other scripts, a step in each tick.
const tasks = `local list, M = {}, {}
function M.start(name, fn) list[#list + 1] = { name, coroutine.create(fn) } end
ecs.system "tasks" { run = function()
  for i, t in ipairs(list) do ecs.log(t[1], select(2, coroutine.resume(t[2])), coroutine.status(t[2])) end
end }
return M`

// worker begins a task when its on_start, or its first tick, runs.
const worker = `local tasks, begun = require "tasks", false
ecs.on_unload(function() ecs.log("bye") end)
ecs.system "worker" { run = function()
  if begun then return end
  begun = true
  tasks.start("VERSION", function() for i = 1, 100 do coroutine.yield(i) end end)
  own = coroutine.wrap(function() coroutine.yield() end)
  own()
end }`

// TestSuspendedCoroutinesAreCancelled: those of a version that ends are dead,
// whoever holds them, and the verdict says how many; those of others go on.
func TestSuspendedCoroutinesAreCancelled(t *testing.T) {
	version := func(name string) string { return strings.ReplaceAll(worker, "VERSION", name) }
	r := loaded(t, "tasks.lua", tasks, "worker.lua", version("one"), "other.lua", strings.ReplaceAll(version("other"), `"worker"`, `"other"`))
	r.run(3)
	if got := r.logged(); !strings.Contains(got, "one 1 suspended") || !strings.Contains(got, "other 1 suspended") {
		t.Fatal(got)
	}
	r.save("worker.lua", "oops(")
	r.refused("worker.lua:2")
	r.run(1)
	if got := r.logged(); !strings.Contains(got, "one 4 suspended") { // a refused save cancels nothing
		t.Fatal(got)
	}
	r.save("worker.lua", version("two"))
	r.accepted()
	notes := func() []string { return r.reloads[len(r.reloads)-1].Notes }
	if notes := notes(); len(notes) != 1 || notes[0] != "2 suspended coroutines of the old version of worker.lua were cancelled" {
		t.Error(notes)
	}
	r.run(1)
	got := r.logged()
	for _, want := range []string{"bye", "one cannot resume dead coroutine: it was cancelled", "dead", "other 7 suspended", "two 1 suspended"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	r.remove("other.lua")
	r.accepted()
	if notes := notes(); len(notes) != 1 || !strings.Contains(notes[0], "of the old version of other.lua were") {
		t.Error(notes)
	}
	r.save("worker.lua", `tasks = require "tasks"`)
	r.accepted()
	if notes := notes(); len(notes) != 1 || !strings.HasPrefix(notes[0], "2 ") {
		t.Error(notes)
	}
	r.save("worker.lua", "")
	r.accepted()
	if notes := notes(); len(notes) != 0 {
		t.Error(notes)
	}
}
