package scripting_test

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Radio is an object that a host exposes: scripts see what is exported.
type Radio struct {
	Channel int
	secret  string
	heard   []string
}

// Say is a method with several kinds of parameters.
func (r *Radio) Say(text string, times int) (string, error) {
	if times < 0 {
		return "", errors.New("cannot say it less than never")
	}
	r.heard = append(r.heard, strings.Repeat(text, times))
	return fmt.Sprint(len(r.heard), r.secret), nil
}

func TestExposed(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	radio := &Radio{Channel: 5, secret: "!"}
	for name, value := range map[string]any{
		"radio": radio,
		"sum":   func(a, b float64) float64 { return a + b },
		"fails": func() error { return errors.New("not today") },
		"panic": func() { list := []int{}; list[len(list)] = 1 },
		"word":  "hello",
		"flag":  true,
		"n":     7,
		"step":  func() string { return fmt.Sprint(r.host.Step(1)) },
		"close": func() string { return fmt.Sprint(r.host.Close()) },
		"load":  func() string { return fmt.Sprint(r.host.Load(r.folder)) },
	} {
		if err := r.host.Expose(name, value); err != nil {
			t.Fatal(err)
		}
	}
	r.write("a.lua", `local host = require "host"
ecs.system "a" { run = function(ctx)
  if ctx.tick > 1 then return end
  assert(host.sum(2, 3) == 5 and host.word == "hello" and host.flag == true and host.n == 7)
  local radio = host.radio
  assert(radio.channel == 5)
  radio.channel = 6
  assert(radio:say("x", 3) == "1!")
  local function refuses(text, call, ...)
    local ok, why = pcall(call, ...)
    assert(not ok and string.find(tostring(why), text, 1, true), tostring(why))
  end
  refuses("exposes no \"rado\" (did you mean \"radio\"?)", function() return host["rad" .. string.char(111)] end)
  refuses("", function() host.sum("x") end)
  refuses("", function() return radio ^ {} end)
  refuses("", function() return -radio end)
  refuses("", function() return radio() end)
  refuses("", function() return radio + {} end)
  refuses("", function() radio.secret = "mine" end)
  refuses("the host's Radio has no field \"chanel\" (did you mean \"Channel\"?)", function() radio.chanel = 5 end)
  refuses("the host's Radio has no field and no method \"secret\"", function() return radio.secret end)
  refuses("did you mean \"Channel\"?", function() return radio.Chanel end)
  refuses("", setmetatable, radio, {})
  assert(not getmetatable(radio) or type(getmetatable(radio)) ~= "table")
  for method, name in pairs { Step = "step", Close = "close", Load = "load" } do
    local why = host[name]()
    assert(string.find(why, "scripting: " .. method .. " while Step runs: it was called inside of it", 1, true), why)
    assert(not string.find(why, "query", 1, true), why)
  end
  ecs.log("done")
end }
ecs.system "b" { run = function() host.panic() end }
assert(not pcall(rawset, host, "mine", 5))
`, "b.lua", `local host = require "host"
assert(not pcall(function() return host[string.lower "MINE"] end), "each script has its own host table")`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	e := r.wantError(`a.lua:33: system "b"`, "host.panic: panic in Go: ", "index out of range")
	var cause runtime.Error
	if !strings.Contains(e.GoStack, "host_test.go") || !errors.As(e, &cause) {
		t.Errorf("the Go programmer cannot find it: %v, %s", e.Err, e.GoStack)
	}
	r.wantLog("done")
	if radio.Channel != 6 || radio.heard[0] != "xxx" {
		t.Errorf("%+v", radio)
	}
	r.step(1)
	if e := r.wantError("a.lua:33"); e.Tick != 2 {
		t.Error("the VM did not survive a panic:", e)
	}
}

// TestErrorsOfTheHostComeBack: errors.Is finds what a function of the host has returned, also
// after a script has caught it, and raised it again.
func TestErrorsOfTheHostComeBack(t *testing.T) {
	full := errors.New("no disk")
	for _, text := range []string{
		`host.save()`,
		`local ok, why = pcall(host.save) error(why, 0)`,
		`assert(pcall(host.save))`,
		`local co = coroutine.create(function() host.save() end) local _, why = coroutine.resume(co) error(why, 0)`,
	} {
		r := newGame(t, scripting.Limits{})
		if err := r.host.Expose("save", func() (int, error) { return 0, fmt.Errorf("saving: %w", full) }); err != nil {
			t.Fatal(err)
		}
		r.write("a.lua", `local host = require "host" ecs.system "s" { run = function() `+text+` end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		if err := r.host.StepAll(1); !errors.Is(err, full) || !strings.Contains(err.Error(), "host.save: saving: no disk") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestNotExposable(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	var nobody *Radio
	var nothing func()
	for name, value := range map[string]any{
		"no value": nil, "channel": make(chan int), "complex": 1i, "uintptr": uintptr(1), "nil pointer": nobody, "nil function": nothing,
	} {
		if err := r.host.Expose(strings.ReplaceAll(name, " ", "_"), value); err == nil || !strings.Contains(err.Error(), "cannot be exposed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type inner struct{ Level int8 }

type speaker struct {
	Vol    uint16
	Inner  inner
	Levels [2]int8
	Names  []string
	Bits   map[int8]uint8
}

func (s *speaker) Say(int) error     { return errors.New("the radio is off") }
func (s *speaker) Ask(f func() bool) { f() }
func (s *speaker) Fall()             { s.Names[3] = "" }

// TestNumbersForTheHostArriveAsTheyAre, or not at all; and what a function returns as
// an error is one.
func TestNumbersForTheHostArriveAsTheyAre(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	var got []any
	take := func(x any) { got = append(got, x) }
	for name, value := range map[string]any{
		"i8":     func(x int8) { take(x) },
		"u":      func(x uint) { take(x) },
		"i64":    func(x int64) { take(x) },
		"e":      func(e ecs.Entity) { take(e) },
		"f32":    func(x float32) { take(x) },
		"list":   func(x []int) { take(x) },
		"map":    func(x map[string]uint8) { take(x) },
		"struct": func(x inner) { take(x) },
		"many":   func(first string, rest ...int8) { take(append([]int8{int8(len(first))}, rest...)) },
		"save": func(ok bool) (int, error) {
			if ok {
				return 5, nil
			}
			return 0, errors.New("the disk is full")
		},
		"sp":   &speaker{},
		"made": func() func(uint8) { return func(x uint8) { take(x) } },
		"each": func(f func(int) int) { f(3) },
	} {
		if err := r.host.Expose(name, value); err != nil {
			t.Fatal(err)
		}
	}
	r.write("a.lua", `local host = require "host"
local function no(text, f, ...)
  local ok, why = pcall(f, ...)
  if ok or not string.find(tostring(why), text, 1, true) then ecs.log("expected", text, "got", tostring(why)) end
end
ecs.on_start(function()
  local sp = host.sp
  no("host.i8: argument 1: expected a whole number from -128 to 127, got the number 300", host.i8, 300)
  no("host.i8: argument 1: expected a whole number", host.i8, 1.5)
  no("expected a whole number", host.i8, 0/0)
  no("host.i8: argument 1: expected a whole number, got the string \"5\"", host.i8, "5")
  no("host.i8: expected 1 argument, got 0", host.i8)
  no("host.i8: expected 1 argument, got 2", host.i8, 1, 2)
  no("from 0 to 2^64 - 1, got the number -1", host.u, -1)
  no("from -2^63 to 2^63 - 1", host.i64, 2^63)
  no("host.e: argument 1: the negative number -1 is not an entity", host.e, -1)
  no("host.e: argument 1: the number +Inf is too large for an entity", host.e, 1/0)
  no("host.e: argument 1: expected an entity, got nil", host.e, nil)
  no("host.e: argument 1: expected an entity, got the string \"x\"", host.e, "x")
  no("host.each: what the function of argument 1 returns: result 1: expected a whole number, got the string \"x\"", host.each, function() return "x" end)
  no("host.each: what the function of argument 1 returns: result 1: expected a whole number from", host.each, function() return 1.5 end)
  no("host.each: what the function of argument 1 returns: expected 1 result, got 0", host.each, function() end)
  no("host.each: what the function of argument 1 returns: expected 1 result, got 2", host.each, function() return 1, 2 end)
  no(": mine", host.each, function() error("mine") end)
  no("sp.Say is a method: call it with a colon, sp:Say(…)", function() sp.Say(3) end)
  no("host.sp.Say is a method: call it with a colon, host.sp:Say(…)", function() host.sp.Say() end)
  no("Say is a method: call it with a colon, object:Say(…)", sp.Say, 3)
  no("host.sp:Say: expected 1 argument, got 0", function() host.sp:Say() end)
  no("host.sp:Say: the radio is off", function() host.sp:Say(3) end)
  no("host.sp:Ask: what the function of argument 1 returns: result 1: expected true or false, got nil", function() host.sp:Ask(function() return nil end) end)
  no("Say: the radio is off", sp.Say, sp, 3)
  no("host.sp:Fall: panic in Go", function() host.sp:Fall() end)
  no("host.f32: argument 1: expected a number, got true", host.f32, true)
  no("host.list: argument 1: item 2: expected a whole number", host.list, { 1, 1.5 })
  no("host.list: argument 1: expected a list, got ", host.list, sp)
  no("host.list: argument 1: expected a list, got a function", host.list, print)
  no("host.struct: argument 1: expected a table of fields, or the host's scripting_test.inner, got nil", host.struct, nil)
  no("host.map: argument 1: item the string \"b\": expected a whole number from 0 to 255", host.map, { a = 1, b = 256 })
  no("host.struct: argument 1: level: expected a whole number from -128 to 127", host.struct, { level = 128 })
  no("host.many: argument 3: expected a whole number", host.many, "a", 1, 300)
  no("host.many: expected at least 1 argument, got 0", host.many)
  no("host.save: the disk is full", host.save, false)
  no("the host's speaker: vol: expected a whole number from 0 to 65535, got the number -1", function() sp.vol = -1 end)
  no("the host's speaker: vol: expected a whole number, got the string \"x\"", function() sp.vol = "x" end)
  no("the host's inner: Level: expected", function() sp.Inner.Level = 200 end)
  no("expected a whole number from -128 to 127", function() sp.levels[1] = 128 end)
  no("expected a whole number from 0 to 255", host.made(), 256)
  host.i8(-128) host.u(2^53) host.i64(-2^63) host.f32(0.5) host.list { 1, 2 } host.map { a = 255 } host.struct { level = 3 } host.many("a", 1, -2) host.made()(255)
  sp.vol = 65535 sp.Inner.Level = -3 sp.levels[2] = 4
  ecs.log(host.save(true), select("#", host.save(true)), sp.vol, sp.Inner.Level, sp.levels[2])
end)`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	r.wantLog("5 1 65535 -3 4")
	if s, want := fmt.Sprint(got), "[-128 9007199254740992 -9223372036854775808 0.5 [1 2] map[a:255] {3} [1 1 -2] 255]"; s != want {
		t.Errorf("the host got %s, want %s", s, want)
	}
}

// node is a type of the host's that can contain itself.
type node struct {
	Next   *node
	Names  []string
	hidden int
}

// TestValuesOfTheWrongTypeForTheHost: what a function of the host cannot take is an error of
// the fence, which says what to write, and shows neither what a struct keeps to itself nor an
// address.
func TestValuesOfTheWrongTypeForTheHost(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	taken := 0
	for name, value := range map[string]any{
		"list":   func([]int) { taken++ },
		"three":  func([3]int) { taken++ },
		"bytes":  func([]byte) { taken++ },
		"map":    func(map[string]int) { taken++ },
		"node":   func(node) { taken++ },
		"to":     func(*node) { taken++ },
		"number": func(*int) { taken++ },
		"any":    func(...any) { taken++ },
		"err":    func(error) { taken++ },
		"text":   func(fmt.Stringer) { taken++ },
		"nodes":  func([]*node) { taken++ },
		"sky":    &node{hidden: 4711, Names: []string{"a"}},
		"keys":   map[any]int{},
		"bare":   func() complex128 { return 1i },
	} {
		if err := r.host.Expose(name, value); err != nil {
			t.Fatal(err)
		}
	}
	r.write("a.lua", `local host = require "host"
local own = ecs.component("Own", { x = ecs.f64(0) })
local deep, wide = {}, {} deep.Next = deep
for i = 1, 9 do wide = { wide, wide, wide, wide } end
local co = coroutine.create(function() end)
ecs.on_start(function()
  local values = { 3, "x", true, print, co, host.sky, host.sky.Names, own, { 1, x = 2 }, { [2.5] = 1 }, deep, wide, { Nxt = 3 }, { [{}] = 1 }, { print }, host.node, { 1, "x" }, { a = "x" }, { Next = 3 }, { [5] = 1 } }
  for _, name in ipairs { "list", "three", "bytes", "map", "node", "to", "number", "any", "err", "text", "nodes" } do
    for i = 0, #values do
      local ok, why = pcall(host[name], values[i])
      why = tostring(why)
      if not ok and (why:find("4711") or why:find("0x") or why:find("cannot use") or why:find("anonymous") or why:find("panic")) then ecs.log(name, i, why) end
    end
  end
  ecs.log(select(2, pcall(function() host.sky.Names = host.sky end)))
  ecs.log(select(2, pcall(function() host.keys[deep] = 1 end)))
  local bare = host.bare()
  ecs.log(tostring(bare), select(2, pcall(function() return bare.x end)), select(2, pcall(function() bare[1] = 1 end)))
  for _, call in ipairs { { host.list, 3 }, { host.list, { 1, x = 2 } }, { host.three, { 1 } }, { host.node, host.sky }, { host.node, { Nmes = {} } }, { host.to, deep }, { host.any, co }, { host.map, 3 }, { host.err, "x" } } do
    ecs.log(select(2, pcall(unpack(call))))
  end
end)`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	r.wantLog(strings.Join([]string{
		`a.lua:16: the host's node: Names: expected a list, got the host's *scripting_test.node`,
		`a.lua:17: the host's map: a table: a table cannot be a key of a map of the host: take a number or a string`,
		`the host's complex128 a.lua:19: attempt to index "bare", the host's complex128, with key "x"`,
		`a.lua:19: attempt to index "bare", the host's complex128, with key 1`,
		`host.list: argument 1: expected a list, got the number 3`,
		`host.list: argument 1: expected a list, got a table with the string "x" as a key`,
		`host.three: argument 1: expected a list of 3 items, got 1`,
		`host.node: argument 1: expected a table of fields, or the host's scripting_test.node, got the host's *scripting_test.node`,
		`host.node: argument 1: the host's node has no field "Nmes" (did you mean "Names"?)`,
		`host.to: argument 1: data nests deeper than 32 levels, or contains itself`,
		`host.any: argument 1: expected anything but a coroutine, got a coroutine`,
		`host.map: argument 1: expected a table, got the number 3`,
		`host.err: argument 1: expected the host's error, got the string "x"`,
	}, " "))
	if taken == 0 {
		t.Error("nothing was taken")
	}
}

// TestNoAddressInMessages: a key that is a table, a function or a coroutine is called so
// wherever a message says a key. Its address would give scripts another text in each run; the
// numbers of tostring have eight digits.
func TestNoAddressInMessages(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	if err := r.host.Expose("sky", &node{}); err != nil {
		t.Fatal(err)
	}
	ecs.Provide(r.world, &inner{})
	r.write("a.lua", `local ecs, host = require "ecs", require "host"
local H = ecs.component("H", { x = ecs.f64(0), l = ecs.array(ecs.f32(), 3) })
local Ev, st = ecs.event("Ev", { x = ecs.f64(0) }), ecs.state("s", { n = 1 })
local res, pf = ecs.resource("inner"), ecs.prefab("pf", { H })
local function get(t, k) return t[k] end
local function set(t, k) t[k] = 1 end
local function try(...) local _, why = pcall(...) ecs.log(tostring(why)) end
ecs.on_start(function() ecs.spawn(H) end)
ecs.system "s" { query = { H }, each = function(e, h, ctx)
  for _, k in ipairs { print, coroutine.create(get), {}, H } do
    for _, t in ipairs { ctx, h, h.l, ecs, host, host.sky, res, H, Ev, st, pf, _G, "x", 1 } do try(get, t, k) try(set, t, k) end
    try(H, { [k] = 1 }) try(Ev, { [k] = 1 }) try(ecs.find, { H, [k] = H }) try(ecs.get, e, H, k)
    try(ecs.spawn_many, 3, k) try(require, k) try(get, nil, k) try(ecs.set, e, k)
  end
end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	if said := r.logged(); regexp.MustCompile("0x[0-9a-f]{9}").MatchString(said) || strings.Count(said, "a function") < 5 || strings.Count(said, "a coroutine") < 5 || strings.Count(said, "a table") < 5 {
		t.Error(said)
	}
}

// TestWrongResultIsTheScripts: what a function of a script returns to the host is a fault of
// the script, where the function stands, and no panic of the host's.
func TestWrongResultIsTheScripts(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	if err := r.host.Expose("each", func(f func(int) int) { f(3) }); err != nil {
		t.Fatal(err)
	}
	r.write("a.lua", "local host = require \"host\"\nlocal function add(n)\n  return \"x\"\nend\n"+once("s", "host.each(add)"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	if e := r.wantError("a.lua:3:", "host.each: what the function of argument 1 returns: result 1: expected a whole number"); e.Kind == diag.Panic || e.GoStack != "" {
		t.Errorf("the host is blamed: %s", e.Detail())
	}
}

// link is a Go type that contains itself, as a table can.
type link struct{ Next *link }

// TestTableWithoutEnd: a table that contains itself is refused on each way to the host, before
// anybody looks for its end.
func TestTableWithoutEnd(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	for name, given := range map[string]any{
		"take": func(*link) {}, "one": &link{}, "ask": func(f func() *link) { f() },
		"any": func(...any) {},
	} {
		if err := r.host.Expose(name, given); err != nil {
			t.Fatal(err)
		}
	}
	for i, call := range []string{"host.take(t)", "host.one.next = t", "host.ask(function() return t end)", "host.any(1, t)"} {
		name := string(rune('a' + i))
		r.write(name+".lua", "local host = require \"host\"\n"+once(name, "local t = {} t.next = t "+call))
	}
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	if len(r.errors) != 4 {
		t.Fatalf("%d errors: %v", len(r.errors), r.errors)
	}
	for _, e := range r.errors {
		if !strings.Contains(e.Error(), "data nests deeper than 32 levels, or contains itself") {
			t.Error(e)
		}
	}
}

type base struct{ Pub int }

// Open is an embedded struct that scripts can name.
type Open struct{ Level int }

// derived shows the fields of its embedded structs as its own.
type derived struct {
	First int
	base
	Open
	*node
}

// TestKeysOfHostValues: a key that a list or a map of the host does not have as it is written,
// and one that Go could not hash or find again, is an error for reads and for writes, with its
// place; nothing is cut to the next whole number.
func TestKeysOfHostValues(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	array, list, ints, mixed := &[3]int{1, 2, 3}, []int{4, 5}, map[int]string{1: "a"}, map[any]any{}
	var took derived
	for name, value := range map[string]any{
		"array": array, "list": list, "ints": ints, "mixed": mixed, "floats": map[float64]int{}, "derived": &derived{Open: Open{9}},
		"take": func(d derived) { took = d },
		"all":  func(...any) {}, "run": func(_ int, f func()) { f() },
	} {
		if err := r.host.Expose(name, value); err != nil {
			t.Fatal(err)
		}
	}
	var lines strings.Builder
	no := func(want, text string) { fmt.Fprintf(&lines, "no(%q, function() %s end)\n", want, text) }
	for _, key := range []string{"1.5", "0", "9", "-1", "1/0", "0/0", "{}", "true", "print"} {
		for kind, name := range map[string]string{"array": "array", "slice": "list"} {
			no("the host's "+kind+": ", "return host."+name+"["+key+"]")
			no("the host's "+kind+": ", "host."+name+"["+key+"] = 7")
		}
	}
	for _, key := range []string{"{}", "print", "host.list", "host.mixed", "0/0"} {
		no("the host's map: ", "return host.mixed["+key+"]")
		no("the host's map: ", "host.mixed["+key+"] = 1")
	}
	for text, want := range map[string]string{
		"return host.list.x":                     "the host's slice: x: there is no such item: it has 2 items, counted from 1",
		"return host.ints[1.5]":                  "the host's map: 1.5: expected a whole number from",
		"host.ints[1.5] = 'z'":                   "the host's map: 1.5: expected a whole number from",
		"return host.ints.x":                     "the host's map: x: expected a whole number",
		"host.floats[0/0] = 1":                   "the host's map: NaN: the number NaN cannot be a key",
		"host.all { [host.list] = 1 }":           "host.all: argument 1: a key: the host's []int cannot be a key",
		"host.all(1, { print })":                 "host.all: argument 2: a function inside of a table cannot be given",
		"local t = {} t.t = t host.all(t)":       "host.all: argument 1: data nests deeper",
		"local t = {} t.t = t host.mixed[1] = t": "the host's map: 1: data nests deeper",
		"host.take { pub = 3 }":                  "host.take: argument 1: pub is a field of the embedded base, which a table cannot set",
		"host.take { level = 3 }":                "host.take: argument 1: level is a field of the embedded Open: write Open = { level = … }",
		"host.run(1, nil)":                       "host.run, with nil as argument 2: panic in Go: ",
	} {
		no(want, text)
	}
	r.write("a.lua", `local host = require "host"
local function no(want, f)
  local ok, why = pcall(f)
  local words, placed = tostring(why):gsub("^a%.lua:%d+: ", "")
  if ok or placed == 0 or words:find(want, 1, true) ~= 1 then ecs.log("expected", want, "got", ok, why) end
end
ecs.on_start(function()
`+lines.String()+`
  ecs.log(host.ints[2], host.ints[nil])
  host.take { first = 1, open = { level = 2 } }
  host.derived.pub = host.derived.level
  host.array[2], host.list[1], host.ints[7], host.mixed[true] = 8, host.derived.level, "b", 1
end)`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	r.wantLog("nil nil")
	if got, want := fmt.Sprint(*array, list, ints, mixed, took.First, took.Level), "[1 8 3] [9 5] map[1:a 7:b] map[true:1] 1 2"; got != want {
		t.Errorf("the host has %s, want %s", got, want)
	}
}

// TestExposeIsBeforeLoad: and for one value a name.
func TestExposeIsBeforeLoad(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	if err := r.host.Expose("n", 1); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"n", "", "two words", "a.b", "7", "ä"} {
		if err := r.host.Expose(name, 2); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
	if err := r.host.Load(nil); err == nil {
		t.Error("no folder was loaded")
	}
	r.write("a.lua", `if`)
	for _, when := range []string{"a Load that is refused", "a Load"} {
		if err := r.host.Load(r.folder); (err == nil) != (when == "a Load") {
			t.Fatal(err)
		}
		if err := r.host.Expose("late", 1); !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), "Load was called before") {
			t.Errorf("after %s: %v", when, err)
		}
		r.write("a.lua", ``)
	}
	if err := r.host.RunKernel(nil, "k"); err == nil {
		t.Error("a kernel without a tick")
	}
}

func TestTwoHostsOfOneProcess(t *testing.T) {
	text := `local s = ecs.state("s", { n = 0 }) string.mine = 5
ecs.on_start(function() ecs.spawn(P) end)
ecs.system "a" { query = { P }, each = function(e, p) s.n = s.n + 1 p.x = s.n ecs.log(e, s.n) end }`
	a, b := loaded(t, "a.lua", text), loaded(t, "a.lua", text)
	a.run(3)
	b.run(1)
	if x, y := a.logged(), b.logged(); !strings.HasSuffix(x, " 3") || !strings.HasSuffix(y, " 1") {
		t.Error(x, y)
	}
	if a.world.Checksum() == b.world.Checksum() {
		t.Error("the worlds are alike")
	}
	b.run(2)
	if a.world.Checksum() != b.world.Checksum() {
		t.Error("the same scripts made different worlds")
	}
}

func TestClose(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	ecs.Register[Position](w)
	ecs.Register[Velocity](w)
	r := newGame(t, scripting.Limits{})
	h := newHost(t, w, scripting.Options{})
	r.write("a.lua", `ecs.on_add(P, function() end)
ecs.on_start(function() coroutine.wrap(function() coroutine.yield() end)() ecs.spawn(P) end)`+"\n"+once("a", ""))
	if err := h.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	if err := h.StepAll(1); err != nil {
		t.Fatal(err)
	}
	after := ecs.System{Name: "go", Phase: ecs.Logic, After: []string{"a"}, Run: func(*ecs.Tick) error { return nil }}
	if err := w.Schedule().Add(after); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err == nil || !strings.Contains(err.Error(), `system "go" runs after "a"`) {
		t.Error("closed, though a Go system waits for a script's:", err)
	}
	if err := h.StepAll(1); err != nil {
		t.Error("a host that could not close does not run:", err)
	}
	if err := w.Schedule().Change([]string{"go"}, nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
	h.Stage([]string{"a.lua"}, nil)
	if err := h.StepAll(1); err == nil {
		t.Error("a closed host steps")
	}
	if err := h.Load(r.folder); err == nil {
		t.Error("a closed host loads")
	}
	w.Spawn(ecs.Register[Position](w).With(Position{}))
	if err := w.Step(1); err != nil || len(w.Schedule().Names()) != 0 {
		t.Error("the world does not go on alone:", err)
	}
}

// TestCloseWhileTheWorldIsAtWork is refused, and so is Unload: no on_unload could run.
func TestCloseWhileTheWorldIsAtWork(t *testing.T) {
	r := loaded(t, "a.lua", `ecs.on_unload(function() ecs.spawn(V) end)`)
	velocity := ecs.Register[Velocity](r.world)
	r.world.Spawn(ecs.Register[Position](r.world).With(Position{}))
	r.run(1)
	refused := func(where string) {
		t.Helper()
		for _, err := range []error{r.host.Close(), r.host.Unload("a.lua")} {
			if !errors.Is(err, ecs.ErrIterating) || !strings.Contains(err.Error(), "call it after that") || strings.Contains(err.Error(), "Commands") {
				t.Errorf("%s: %v", where, err)
			}
		}
		if len(r.host.Modules()) != 1 || r.world.Query(ecs.Read(velocity)).Count() != 0 {
			t.Errorf("%s: something was closed", where)
		}
	}
	for range r.world.Query().Chunks() {
		refused("in a loop")
	}
	inside := func(*ecs.Tick) error { refused("in a run"); return nil }
	if err := errors.Join(r.world.Run("r", inside), r.world.Schedule().Add(ecs.System{Name: "go", Run: inside}), r.world.Step(1)); err != nil {
		t.Fatal(err)
	}
	if err := r.world.Schedule().Change([]string{"go"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := r.host.Close(); err != nil || r.world.Query(ecs.Read(velocity)).Count() != 1 || len(r.reported) > 0 {
		t.Errorf("closed: %v, reported %v", err, r.reported)
	}
}

func TestNewWithoutWorld(t *testing.T) {
	if _, err := scripting.New(nil, scripting.Options{}); err == nil {
		t.Error("a host without a world")
	}
	if _, err := scripting.New(&ecs.World{}, scripting.Options{}); !errors.Is(err, ecs.ErrClosed) || !strings.Contains(err.Error(), "not made by NewWorld or Open") {
		t.Error("a host of the zero World:", err)
	}
}

// TestSameSeedSameBytes runs a busy game twice.
func TestSameSeedSameBytes(t *testing.T) {
	text := `local H = ecs.component("H", { hp = 100, mate = ecs.entity() })
ecs.on_start(function() ecs.spawn_many(20, P, H, function(i) return V { x = math.random(100), y = ecs.random() } end) ecs.every(0.1, "wave", { a = 1, b = 2, c = 3, d = 4, e = 5 }) end)
ecs.handler("wave", function(data) for k, n in pairs(data) do ecs.spawn(P { x = n }, H { hp = math.random(5) + n }) end end)
ecs.system "a" { query = { P, V }, each = function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt v.y = math.random() - 0.5 end }
ecs.system "b" { query = { H }, batch = function(b) local hp = b:write(H, "hp") for i = 1, b.n do hp[i] = hp[i] - ecs.random(3) if hp[i] < 0 then ecs.despawn(b.entities[i]) end end end }`
	a, b := loaded(t, "a.lua", text), loaded(t, "a.lua", text)
	for range 100 {
		a.run(1)
		b.run(1)
		if a.world.Checksum() != b.world.Checksum() {
			t.Fatal("the worlds part")
		}
	}
}
