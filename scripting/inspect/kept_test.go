package inspect

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestWhatScriptsKeepIsCompared by the ways that Lua writes, whatever numbers the tables have.
func TestWhatScriptsKeepIsCompared(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	host, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	err = host.Load(fstest.MapFS{"a.lua": {Data: []byte(`local ecs = require "ecs"
local S = ecs.state("game", { score = 0, list = { 1, 2, 3 }, same = { deep = { 7 } }, ["two words"] = true, name = "a" })
local k = 0
ecs.on_save(function() return { k = k } end)
ecs.on_load(function(v) k = v.k end)
ecs.handler("late", function() end)
ecs.system "play" { run = function(ctx)
  if ctx.tick ~= 2 then return end
  k = 5
  S.extra = { {}, { x = 1 } }
  S.extra[3] = S.extra
  S.score, S.list[2], S["two words"], S.name = 2.5, nil, nil, "b\"\n"
  S.list[4] = 9
  ecs.after(3, "late", { n = 4 })
end }`)}})
	if err != nil {
		t.Fatal(err)
	}
	var texts [2][]byte
	for k := range texts {
		if err := host.Step(0.5); err != nil {
			t.Fatal(err)
		}
		var x scripting.Scripts
		if err := host.UpdateScripts(&x); err != nil {
			t.Fatal(err)
		}
		texts[k] = x.Encode()
	}
	list, n, err := keptChanges(texts[0], texts[1])
	if err != nil || n != len(list) {
		t.Fatal(n, err)
	}
	got := map[string]string{}
	for _, c := range list {
		got[c.Name] = c.Was + " -> " + c.Is
	}
	for way, want := range map[string]string{
		`ecs.state "game".score`: "0 -> 2.5", `ecs.state "game".list[2]`: "2 -> ", `ecs.state "game".list[4]`: " -> 9", `ecs.state "game"["two words"]`: "true -> ",
		`ecs.state "game".name`: `"a" -> "b\"\n"`, `ecs.state "game".extra[1]`: " -> {}", `ecs.state "game".extra[2].x`: " -> 1", `ecs.state "game".extra[3]`: " -> {…}",
		`a.lua on_save.k`: "0 -> 5",
	} {
		if got[way] != want {
			t.Errorf("%s: %q, want %q", way, got[way], want)
		}
		delete(got, way)
	}
	for way := range got {
		if !strings.Contains(way, "timer ") || !strings.Contains(way, " late ") {
			t.Errorf("%s is different, too: %s", way, got[way])
		}
	}
	if len(got) != 2 {
		t.Errorf("of the timer: %v", got)
	}
	if list, n, err := keptChanges(texts[1], texts[1]); n != 0 || len(list) != 0 || err != nil {
		t.Error(list, err)
	}
}

// TestTicksThatAreMany: an answer has a bound for them, the newest, and some of each time before.
func TestTicksThatAreMany(t *testing.T) {
	for _, n := range []int{0, 1, 1999, 4000, 4001, 123_457} {
		ticks := make([]uint64, n)
		for k := range ticks {
			ticks[k] = uint64(3 * k)
		}
		list := listed(ticks)
		if len(list) != min(n, mostListedTicks) || n > 0 && (list[0] != 0 || list[len(list)-1] != uint64(3*n-3)) {
			t.Errorf("of %d: %d, %v", n, len(list), list[:min(len(list), 3)])
		}
		for k := 1; k < len(list); k++ {
			if gap := list[k] - list[k-1]; gap == 0 || gap%3 != 0 || k > 2000 && gap != 3 || gap > uint64(3*(n/2000+1)) {
				t.Fatalf("of %d: %d after %d", n, list[k], list[k-1])
			}
		}
	}
}

// TestTablesThatAreMany, or deep, or damaged take no more than their bound.
func TestTablesThatAreMany(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"states":[{"name":"s","value":{"table":0}},{"name":"t","value":{"table":99999999}},{"name":"u","value":{"table":-1}}],"tables":[`)
	for n := range 40 { // each leads to the next one twice
		fmt.Fprintf(&b, `{"list":[{"table":%d},{"table":%d}],"keys":[["a"],["b",1,2],[{"table":1},2]]},`, n+1, n+1)
	}
	b.WriteString(`{"list":[1],"keys":[]}]}`)
	values, err := readKept([]byte(b.String()))
	if err != nil || len(values) < mostPaths || len(values) > mostPaths+10 {
		t.Errorf("%d values, %v", len(values), err)
	}
	long := strings.Repeat("x", 1<<16)
	far := func(end string) []byte {
		return fmt.Appendf(nil, `{"states":[{"name":"s","value":{"table":0}}],"tables":[{"list":["%s%s"],"keys":[["%s%s",1]]}]}`, long, end, long, end)
	}
	list, n, err := keptChanges(far("a"), far("b"))
	if err != nil || n != 3 || len(list[0].Name)+len(list[0].Was)+len(list[1].Name) > 2000 {
		t.Errorf("%d changes, %v: %.300v", n, err, list)
	}
	loop := `{"states":[{"name":"s","value":{"table":0}}],"tables":[` + strings.Repeat(`{"list":[],"keys":[["`+long[:300]+`",{"table":1}],["b",{"table":0}]]},`, 2) + `{"list":[],"keys":[]}]}`
	if values, err := readKept([]byte(loop)); err != nil || len(values) > 100 {
		t.Errorf("%d values, %v", len(values), err)
	}
	for _, bad := range []string{"", "[]", `{"tables":3}`, `{"states":[{"name":1}]}`} {
		if _, _, err := keptChanges([]byte(bad), []byte(`{}`)); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}
