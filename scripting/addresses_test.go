package scripting_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// address matches what is more than the number of a value whose text scripts have seen.
var address = regexp.MustCompile(`0x[0-9a-f]{9,}|0x0*[1-9a-f][0-9a-f]{6,7}\b`)

// unseen are values of scripts that Go knows by their addresses.
var unseen = []string{
	"{}", "{ {} }", "function() end", "coroutine.create(function() end)", "host.radio", "host.f", "host.bag", "host.stop", "host",
	"ecs", "P", "P { x = 1 }", "E", "E {}", "F", "Q", "S", "kept", "ecs.log", "print", "string.format", "ecs.resource('Hall')", "ecs.resource('Hall').sizes",
	"setmetatable({}, { __tostring = function() return {} end })", "setmetatable({}, { __index = {} })", "ecs.events(E)",
}

// contexts are what scripts may do with a value v whose result, or message, they see.
var contexts = []string{
	"ecs.log(v)", "ecs.warn(v)", "print(v)", "return tostring(v)", "return string.format('%s', v)", "return string.format('%q', v)",
	"return string.format('%p', v)", "return string.format('%d', v)", "return 'x' .. v", "return v .. v", "return table.concat({ v })", "error(v)", "error(v, 0)",
	"error({ v })", "assert(false, v)", "return v < 1", "return v < v", "return v + 1", "return -v", "return #v", "return v()", "return v.missing", "return v[v]", "return v[{}]",
	"v.x = 1", "v[{}] = v", "v[1] = v", "return ({})[v].x", "local t = nil return t[v]", "for i = v, v do end", "for k in v do end", "for k in pairs(v) do end",
	"return string.rep(v)", "return string.char(v)", "return math.abs(v)", "return tonumber(v, 10)", "return setmetatable(v, v)", "return select(v)", "return unpack(v)",
	"return next(v, v)", "return rawget(v, v)", "table.sort({ v, v })", "table.insert(v, v, v)", "return coroutine.resume(v, v)", "coroutine.wrap(function() error(v) end)()",
	"ecs.spawn(v)", "ecs.spawn(P { x = v })", "ecs.spawn(P { [v] = v })", "ecs.add(v, v)", "ecs.get(v, v)", "ecs.get(1, v)", "ecs.emit(v)", "ecs.emit(E { n = v })", "ecs.emit(E { [v] = 1 })",
	"ecs.after(v, v)", "ecs.after(0, 'h', v)", "ecs.after(0, 'h', { [v] = v })", "ecs.count(v)", "ecs.find(v)", "ecs.resource(v)", "ecs.random(v)", "ecs.state(v, v)", "ecs.native(v)",
	"kept.v = v", "kept[v] = v", "kept.list = { [v] = v }", "local hall = ecs.resource 'Hall' hall.sizes = v", "local hall = ecs.resource 'Hall' hall[v] = v",
	"local hall = ecs.resource 'Hall' hall.sizes[v] = v", "local hall = ecs.resource 'Hall' hall.door[v] = v", "local hall = ecs.resource 'Hall' hall.door.w = v", "local hall = ecs.resource 'Hall' return hall.door[v]",
	"host.radio:say(v, v)", "host.radio[v] = v", "return host.radio[v]", "host.radio.Channel = v", "host.f(v)", "host.bag[v] = v", "return host.bag[v]", "host.stop(v)", "host[v] = v", "return host[v]",
	"ecs[v] = v", "return ecs[v]", "F(v)", "return v:method(v)", "_G[v] = v", "missing(v)", "return require(v)", "return loadstring(v)", "return getmetatable(v).__index[v]",
}

// TestNoAddresses: a script sees no address of Go's memory, in no text that it gets and in no
// line that it has printed; nor does the program, of values of scripts.
func TestNoAddresses(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: -1, Instructions: -1, Time: -1})
	type Hall struct {
		Sizes [3]int32
		Door  struct{ W, H float64 }
	}
	ecs.Provide(r.world, &Hall{})
	for name, value := range map[string]any{
		"radio": &Radio{}, "f": func(int) {}, "bag": map[string]int{}, "stop": func(v any) { panic("stop") },
	} {
		if err := r.host.Expose(name, value); err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	text.WriteString(`local host = require "host"
local E, kept = ecs.event("E", { n = ecs.f64() }), ecs.state("kept", {})
local F = ecs.kernel("F", { P }, function(_, p) p.x = 1 end)
local Q = ecs.prefab("Q", { P })
local S = ecs.f64(1)
ecs.log({}, function() end, coroutine.create(function() end), P, host.radio, pcall(error, {}))
ecs.handler("h", function() end)
`)
	for i, v := range unseen {
		fmt.Fprintf(&text, "ecs.system 's%d' { run = function()\n", i)
		for _, c := range contexts {
			fmt.Fprintf(&text, "ecs.log(pcall(function() local v = %s %s end))\n", v, c)
		}
		fmt.Fprintf(&text, "end }\necs.system 'fails%d' { run = function() error(%s) end }\n", i, v)
	}
	r.write("a.lua", text.String())
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	said := r.logs
	for _, e := range r.reported {
		said = append(said, e.Error(), e.Trace.String())
	}
	if len(said) < len(unseen)*len(contexts) {
		t.Fatalf("%d texts: %v", len(said), r.errors)
	}
	seen := map[string]bool{}
	for _, line := range said {
		if found := address.FindString(line); found != "" && !seen[line] {
			seen[line] = true
			t.Errorf("%s in %q", found, line)
		}
	}
}
