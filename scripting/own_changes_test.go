package scripting_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Title is a component with a string.
type Title struct {
	Text string
	N    int32
}

// pendingText declares what the cases share: entities with hp and a tally of what was
// seen.
const pendingText = `
local Health = ecs.component("Health", { hp = ecs.f32(100), max = ecs.f32(100), name = ecs.u8(0) })
local Armor = ecs.component("Armor", { n = ecs.i32(3) }, { sparse = true })
local Burning = ecs.tag("Burning")
local Damage = ecs.event("Damage", { target = ecs.entity(), amount = ecs.f32(1) })
local Big = ecs.prefab("Big", { Health { hp = 500 }, children = { { Armor }, { Armor { n = 9 } } } })
local who
ecs.on_start(function() who = ecs.spawn(Health, P { x = 1 }) end)
local function hp(e) local h = ecs.get(e, Health) return h and h.hp or "none" end
`

// TestARunSeesWhatItHasDone: within one call everything that asks the world answers
// with what the call has done.
func TestARunSeesWhatItHasDone(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"set then get", `ecs.set(who, Health { hp = 70 }) ecs.set(who, Health { hp = hp(who) - 30 }) ecs.log(hp(who), ecs.get(who, Health, "max"))`, "40 100"},
		{"a field", `ecs.set(who, Health { max = 7 }) ecs.log(ecs.get(who, Health, "max"), ecs.get(who, Health, "hp"))`, "7 100"},
		{"add", `ecs.add(who, Armor) ecs.log(ecs.has(who, Armor), ecs.get(who, Armor).n) ecs.add(who, Armor { n = 8 }, Burning) ecs.log(ecs.get(who, Armor, "n"), ecs.has(who, Burning, Health), ecs.get(who, Burning))`, "true 3 8 true true"},
		{"set adds", `ecs.set(who, Armor { n = 5 }) ecs.log(ecs.get(who, Armor).n)`, "5"},
		{"remove", `ecs.remove(who, Health) ecs.log(ecs.has(who, Health), ecs.get(who, Health), ecs.get(who, Health, "hp"), ecs.alive(who))`, "false nil nil true"},
		{"remove then add", `ecs.set(who, Health { hp = 5 }) ecs.remove(who, Health) ecs.add(who, Health) ecs.log(hp(who))`, "100"},
		{"add then remove", `ecs.add(who, Armor) ecs.remove(who, Armor) ecs.log(ecs.has(who, Armor), ecs.count(Armor))`, "false 0"},
		{"despawn", `ecs.despawn(who) ecs.log(ecs.alive(who), ecs.has(who, Health), ecs.get(who, Health), ecs.count(Health), ecs.find(Health))`, "false false nil 0 nil"},
		{"despawn twice", `ecs.despawn(who) ecs.despawn(who) ecs.set(who, Health { hp = 3 }) ecs.add(who, Armor) ecs.log(ecs.get(who, Armor))`, "nil"},
		{"spawn", `local e = ecs.spawn(Health { hp = 9 }) ecs.log(ecs.alive(e), hp(e), ecs.count(Health)) ecs.set(e, Health { hp = hp(e) + 1 }) ecs.add(e, Armor) ecs.log(hp(e), ecs.has(e, Armor, Health))`, "true 9 2 10 true"},
		{"spawn then despawn", `local e = ecs.spawn(Health) ecs.despawn(e) ecs.log(ecs.alive(e), hp(e), ecs.count(Health))`, "false none 1"},
		{"spawn many", `local list = ecs.spawn_many(3, Health, function(i) return Armor { n = i } end) ecs.log(ecs.count(Armor), ecs.get(list[2], Armor).n, ecs.count { Health, without = { Armor } })`, "3 2 1"},
		{"a prefab", `local e = ecs.spawn(Big) local c = ecs.children(e) ecs.log(hp(e), #c, ecs.get(c[2], Armor).n, ecs.parent(c[1]) == e)`, "500 2 9 true"},
		{"parents", `local a, b = ecs.spawn(Armor), ecs.spawn(Armor) ecs.set_parent(a, who) ecs.set_parent(b, who) ecs.set_parent(a, who) local c = ecs.children(who) ecs.log(#c, c[1] == b, c[2] == a, ecs.parent(b) == who) ecs.set_parent(b, nil) ecs.log(#ecs.children(who), ecs.parent(b))`, "2 true true true 1 nil"},
		{"the family dies", `local a = ecs.spawn(Armor) ecs.set_parent(a, who) ecs.despawn(who) ecs.log(ecs.alive(a), ecs.count(Armor), #ecs.children(who), ecs.parent(a))`, "false 0 0 nil"},
		{"a child dies", `local a, b = ecs.spawn(Armor), ecs.spawn(Armor) ecs.set_parent(a, who) ecs.set_parent(b, who) ecs.despawn(a) ecs.log(#ecs.children(who), ecs.children(who)[1] == b)`, "1 true"},
		{"despawn all", `ecs.spawn(Health) ecs.log(ecs.despawn_all(Health), ecs.count(Health), ecs.alive(who), ecs.despawn_all(Health))`, "2 0 false 0"},
		{"entities", `local e = ecs.spawn(Health) ecs.add(who, Burning) local n, seen = 0, {} for x in ecs.entities { Health, without = { Burning } } do n = n + 1 seen[n] = x end ecs.log(n, seen[1] == e, ecs.find { Health, with = { Burning } } == who)`, "1 true true"},
		{"update", `local function hurt(h) h.hp = h.hp - 30 end ecs.log(ecs.update(who, Health, hurt), ecs.update(who, Health, hurt), hp(who), ecs.get(who, Health).max)`, "true true 40 100"},
		{"update of nothing", `ecs.log(ecs.update(who, Armor, function(a) a.n = 1 end), ecs.has(who, Armor)) ecs.despawn(who) ecs.log(ecs.update(who, Health, function(h) h.hp = 1 end), ecs.update(0, Health, function() end))`, "false false false false"},
		{"update in an update", `ecs.update(who, Health, function(h) h.hp = h.hp - 1 ecs.update(who, Health, function(g) g.max = g.max + g.hp end) end) local h = ecs.get(who, Health) ecs.log(h.hp, h.max)`, "99 200"},
		{"an update that is over", `local kept ecs.update(who, Health, function(h) kept = h end) ecs.log(pcall(function() return kept.hp end)) ecs.log(ecs.update(who, Health, function(h) h.hp = h.hp + 1 kept = h end), hp(who))`,
			"false a.lua:11: this Health is over: it lasts for the function of ecs.update that got it; keep its fields, not the table true 101"},
		{"a failed update that is over", `local kept ecs.log(pcall(ecs.update, who, Health, function(h) kept = h error("no", 0) end), pcall(function() kept.hp = 5 end)) ecs.log(ecs.update(who, Health, function(h) h.hp = h.hp + 1 end), hp(who))`,
			"false false a.lua:11: this Health is over: it lasts for the function of ecs.update that got it; keep its fields, not the table true 101"},
		{"an update of what does not fit", `local kept ecs.log((pcall(ecs.update, who, Health, function(h) kept = h h.name = 300 end))) ecs.log(pcall(function() kept.hp = 5 end)) ecs.log(hp(who))`,
			"false false a.lua:11: this Health is over: it lasts for the function of ecs.update that got it; keep its fields, not the table 100"},
		{"update that removes", `ecs.log(ecs.update(who, Health, function(h) h.hp = 5 ecs.remove(who, Health) end), ecs.has(who, Health))`, "false false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, kind := range []string{"run", "event", "timer", "each"} {
				r := loaded(t, "a.lua", pendingText+pendingCall(kind, c.text))
				r.run(3)
				if got := r.logged(); got != c.want {
					t.Errorf("%s: logged %q, want %q", kind, got, c.want)
				}
			}
		})
	}
}

// pendingCall makes a text be run once, in a call of some kind.
func pendingCall(kind, text string) string {
	switch kind {
	case "run":
		return fmt.Sprintf("local done ecs.system \"s\" { run = function() if done then return end done = true %s end }", text)
	case "event":
		return fmt.Sprintf("local Go = ecs.event(\"Go\") ecs.on_start(function() ecs.emit(Go) end) ecs.system \"s\" { on = Go, each = function() %s end }", text)
	case "timer":
		return fmt.Sprintf("ecs.handler(\"go\", function() %s end) ecs.on_start(function() ecs.after(0, \"go\") end)", text)
	default:
		return fmt.Sprintf("local done ecs.system \"s\" { query = { P }, kernel = \"off\", each = function() if done then return end done = true %s end }", text)
	}
}

// TestTwoEventsTakeBothOff: the case that everybody writes.
func TestTwoEventsTakeBothOff(t *testing.T) {
	r := loaded(t, "a.lua", pendingText+`
ecs.system "strike" { run = function() for i = 1, 3 do ecs.emit(Damage { target = who, amount = 30 }) end end }
ecs.system "damage" { on = Damage, priority = 5, each = function(d)
  local h = ecs.get(d.target, Health)
  if h then ecs.set(d.target, Health { hp = h.hp - d.amount }) end
end }
ecs.system "show" { priority = 9, run = function() ecs.log(hp(who)) end }`)
	r.run(1)
	r.wantLog("10")
}

// TestOthersSeeNothingYet: what a run has done is seen by later systems and not by
// what runs before its commands are applied.
func TestOthersSeeNothingYet(t *testing.T) {
	r := loaded(t, "a.lua", pendingText+`
ecs.on_set(Health, function(e, h) ecs.log("told", h.hp, hp(who)) end)
ecs.system "a" { run = function() ecs.set(who, Health { hp = 1 }) ecs.set(who, Health { hp = hp(who) + 1 }) end }
ecs.system "b" { priority = 1, run = function() ecs.log("b", hp(who)) end }`)
	r.run(1)
	r.wantLog("told 2 2 told 2 2 b 2")
}

// TestRowsSeeWhatTheRunHasDone: rows show what was set, those that no longer match are
// passed over, new ones wait, and what a row leaves is later than what was set before.
func TestRowsSeeWhatTheRunHasDone(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"values", `each = function(e, h) if e == who then ecs.set(other, Health { hp = 7, max = 8 }) end h.hp = h.hp + 1 end`, "101/100 8/8"},
		{"a row's own set", `each = function(e, h) ecs.set(e, Health { hp = 7 }) h.max = h.max + 1 end`, "7/101 7/101"},
		{"a row wins over its set", `each = function(e, h) h.hp = 3 ecs.set(e, Health { hp = 7 }) end`, "3/100 3/100"},
		{"despawned", `each = function(e, h) if e == who then ecs.despawn(other) end h.hp = h.hp + 1 seen = seen + 1 end`, "101/100 none"},
		{"removed", `each = function(e, h) if e == who then ecs.remove(other, Health) else seen = 99 end end`, "100/100 none"},
		{"excluded", `each = function(e, h) if e == who then ecs.add(other, Burning) else seen = 99 end end`, "100/100 100/100"},
		{"new ones wait", `each = function(e, h) if seen < 10 then seen = seen + 1 ecs.spawn(Health, Armor) ecs.add(third, Health) end h.hp = h.hp - 1 end`, "99/100 99/100"},
		{"removed and added", `each = function(e, h) if e == who then ecs.remove(other, Health) ecs.add(other, Health { hp = 50 }) end h.hp = h.hp + 1 end`, "101/100 51/100"},
		{"optional", `each = function(e, h, a) if e == who then ecs.add(other, Armor { n = 4 }) elseif a then h.max = a.n a.n = 6 end end`, "100/100 100/4 6"},
		{"scalars", `each = function(e, h) local hp, max = h.hp, h.max if e == who then ecs.set(other, Health { hp = 7 }) end h.hp = hp + max end`, "200/100 107/100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mode := range []string{"off", "auto"} {
				r := loaded(t, "a.lua", pendingText+fmt.Sprintf(`
local other, third, seen = nil, nil, 0
local say = function(e) local h = ecs.get(e, Health) return h and h.hp .. "/" .. h.max or "none" end
ecs.on_start(function() other = ecs.spawn(Health, P { x = 1 }) third = ecs.spawn(P) end)
local done
ecs.system "a" { query = { Health, without = { Burning }, optional = { Armor } }, kernel = %q, when = function() local first = not done done = true return first end, %s }
ecs.system "z" { priority = 9, run = function() local a = ecs.get(other, Armor)
  if seen == 99 then ecs.log("seen") end
  if a then ecs.log(say(who), say(other), a.n) else ecs.log(say(who), say(other)) end end }`, mode, c.text))
				r.run(1)
				if got := r.logged(); got != c.want {
					t.Errorf("kernel %q: logged %q, want %q", mode, got, c.want)
				}
			}
		})
	}
}

// TestAFailingRowTakesItBack: rows after one that failed see nothing of it.
func TestAFailingRowTakesItBack(t *testing.T) {
	r := loaded(t, "a.lua", pendingText+`
ecs.on_start(function() ecs.spawn(P { x = 2 }) ecs.spawn(P { x = 3 }) end)
ecs.system "a" { query = { P }, each = function(e, p)
  ecs.set(who, Health { hp = hp(who) - 10 })
  if p.x == 2 then ecs.spawn(Health) ecs.remove(who, Health) error("planned") end
  ecs.log(p.x, hp(who), ecs.count(Health))
end }`)
	r.step(1)
	r.wantLog("1 90 1 3 80 1")
}

// TestAFailingRunTakesItBack: the next run begins with the world as it was.
func TestAFailingRunTakesItBack(t *testing.T) {
	r := loaded(t, "a.lua", pendingText+`
local n = 0
ecs.system "a" { run = function()
  ecs.log(hp(who), ecs.count(Health))
  ecs.set(who, Health { hp = 5 }) ecs.spawn(Health) ecs.despawn(who)
  ecs.log(hp(who), ecs.count(Health))
  n = n + 1
  if n == 1 then error("planned") end
end }`)
	r.step(2)
	r.wantLog("100 1 none 1 100 1 none 1")
}

// TestBatchesSeeWhatTheRunHasDone: a batch shows what was set before it began, rows
// that no longer match are left out, and what it leaves in its arrays comes last.
func TestBatchesSeeWhatTheRunHasDone(t *testing.T) {
	r := loaded(t, "a.lua", pendingText+`
local all = {}
ecs.on_start(function() ecs.despawn(who) for i = 1, 700 do all[i] = ecs.spawn(Health { hp = i }) end end)
local calls = 0
ecs.system "a" { query = { Health, without = { Burning }, optional = { Armor } }, batch = function(b)
  local hp, ids = b:write(Health, "hp"), b.entities
  calls = calls + 1
  ecs.log(calls, b.n, hp[1], hp[b.n], b:has(Armor))
  if calls == 1 then
    ecs.set(all[513], Health { hp = 1000, max = 9 })
    ecs.despawn(all[514])
    ecs.add(all[515], Burning)
    ecs.add(all[516], Armor)
    ecs.set(all[3], Health { hp = 3000, max = 5 })
    ecs.set(all[4], Health { hp = 4000 })
  end
  for i = 1, b.n do if ids[i] ~= all[4] then hp[i] = hp[i] + 1 end end
end }
ecs.system "z" { priority = 9, run = function()
  local function say(i) local h = ecs.get(all[i], Health) return h and h.hp .. "/" .. h.max or "none" end
  ecs.log(say(1), say(3), say(4), say(513), say(514), say(515), say(516), say(517), say(700))
end }`)
	r.run(1)
	r.wantLog("1 512 1 512 false 2 1 1000 1000 false 3 1 516 516 true 4 184 517 700 false " +
		"2/100 4/5 4000/100 1001/9 none 515/100 517/100 518/100 701/100")
}

// TestStringsThatWereSetAreSeen: what holds Go pointers is seen and set, too.
func TestStringsThatWereSetAreSeen(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	ecs.Register[Title](r.world)
	r.write("a.lua", `
local Title = ecs.native("Title")
ecs.on_start(function()
  local e = ecs.spawn(Title { text = "a", n = 1 })
  ecs.set(e, Title { text = ecs.get(e, Title).text .. "b" })
  ecs.update(e, Title, function(t) t.n = t.n + 1 t.text = t.text .. "c" end)
  ecs.log(ecs.get(e, Title).text, ecs.get(e, Title, "n"))
end)
ecs.system "rows" { query = { Title }, each = function(e, t)
  ecs.set(e, Title { n = 9 })
  t.text = t.text .. "d"
  ecs.log(t.n, ecs.get(e, Title, "n"))
end }
ecs.system "show" { priority = 5, query = { Title }, each = function(e, t) ecs.log(t.text, t.n) end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(1)
	r.wantLog("abc 2 2 9 abcd 9")
}

// TestKernelsSeeWhatTheyHaveDone: compiled functions that look at what they change, or
// end whole families, leave what Lua leaves.
func TestKernelsSeeWhatTheyHaveDone(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"a family", `if l.n % 3 == 0 then ecs.emit(Told { who = e, n = l.n }) ecs.despawn(e) end`},
		{"others", `local o = ecs.get(l.mate, Life) if o then ecs.set(l.mate, Life { v = o.v - 1 }) ecs.emit(Told { who = e, n = o.v }) end`},
		{"one for all", `local o = ecs.get(boss, Life) if o then ecs.set(boss, Life { v = o.v - l.n }) end`},
		{"twice in a row", `for i = 1, 2 do local o = ecs.get(l.mate, Life) if o then ecs.set(l.mate, Life { v = o.v * 2 }) end end`},
		{"others die", `if l.n % 5 == 0 and ecs.alive(l.mate) then ecs.despawn(l.mate) end ecs.emit(Told { who = e, n = l.n })`},
		{"its own", `ecs.set(e, Life { v = l.n }) local o = ecs.get(e, Life) if o then ecs.emit(Told { who = e, n = o.v }) end l.v = l.v + 1`},
		{"a tag", `if ecs.has(l.mate, Burning) then ecs.emit(Told { who = e, n = l.n }) else ecs.add(l.mate, Burning) end`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var logs [2]string
			for i, mode := range []string{"off", "auto"} {
				r := loaded(t, "a.lua", pendingText+fmt.Sprintf(`
local Life = ecs.component("Life", { n = ecs.f64(0), v = ecs.f64(10), mate = ecs.entity() })
local Told = ecs.event("Told", { who = ecs.entity(), n = ecs.f64(0) })
local boss, all = 0, {}
ecs.on_start(function()
  for i = 1, 60 do all[i] = ecs.spawn(Life { n = i, mate = all[(i * 7) %% i + 1] or 0 }) end
  for i = 1, 60, 4 do if all[i + 1] then ecs.set_parent(all[i + 1], all[i]) end end
  for i = 1, 60 do ecs.set(all[i], Life { mate = all[(i * 11) %% 60 + 1] }) end
  boss = all[13]
end)
ecs.system "s" { query = { Life, without = { Armor } }, kernel = %q, each = function(e, l) %s end }
ecs.system "told" { on = Told, priority = 5, each = function(t) ecs.log(t.who %% 2^24, t.n) end }
ecs.system "show" { priority = 9, run = function() for i = 1, 60 do local l = ecs.get(all[i], Life) if l then ecs.log(i, l.n, l.v, ecs.has(all[i], Burning)) end end end }`, mode, c.text))
				if k := r.host.Kernels(); mode == "auto" && !slices.ContainsFunc(k, func(s scripting.KernelStatus) bool { return s.System == "s" && s.Compiled }) {
					t.Fatalf("not compiled: %v", k)
				}
				r.run(4)
				logs[i] = r.logged()
			}
			if logs[0] != logs[1] {
				t.Errorf("lua\n%s\nkernel\n%s", logs[0], logs[1])
			}
		})
	}
}

// TestColumnsOfRowsThatWereChanged: what b:col computes over rows to which the run has
// done something comes before what the function sets, and before what its arrays leave,
// as over other rows; others see it at once.
func TestColumnsOfRowsThatWereChanged(t *testing.T) {
	const self = `ecs.get(b.entities[1], Health, "hp")`
	for _, c := range []struct{ body, want string }{
		{`b:col(Health, "hp"):add(1) local w = b:write(Health, "hp") w[1] = w[1] + 10 ecs.set(b.entities[1], Health { name = 5 })`, "111 100 5"},
		{`b:col(Health, "hp"):add(1) ecs.set(b.entities[1], Health { hp = 5 })`, "5 100 0"},
		{`ecs.set(b.entities[1], Health { hp = 5 }) b:col(Health, "hp"):add(1)`, "5 100 0"},
		{`b:col(Health, "hp"):add(1) local w = b:write(Health, "hp") ecs.set(b.entities[1], Health { hp = 5 }) w[1] = w[1] + 10`, "111 100 0"},
		{`b:col(Health, "hp"):add(1) local w = b:write(Health, "hp") ecs.set(b.entities[1], Health { hp = 5 })`, "5 100 0"},
		{`b:col(Health, "hp"):add(1) ecs.log(` + self + `) b:col(Health, "hp"):mul(2) ecs.log(` + self + `)`, "101 202 202 100 0"},
		{`b:col(Health, "hp"):add(1) b:col(Health, "max"):copy(b:col(Health, "hp")) b:write(Health, "name")[1] = 3`, "101 101 3"},
		{`b:col(Health, "hp"):add(1) ecs.add(b.entities[1], Burning) ecs.update(b.entities[1], Health, function(h) h.max = h.hp end)`, "101 101 0"},
		{`ecs.remove(b.entities[1], Health) b:col(Health, "hp"):add(1)`, "none"},
	} {
		for _, before := range []string{"", "ecs.set(who, Health { hp = 100 })", "ecs.set(who, P { x = 3 })", "ecs.add(who, Armor)"} {
			r := loaded(t, "a.lua", pendingText+`
ecs.system "a" { query = { Health, P }, when = function(ctx) `+before+` return true end, batch = function(b) `+c.body+` end }
ecs.system "z" { priority = 9, run = function()
  local h = ecs.get(who, Health)
  if h then ecs.log(h.hp, h.max, h.name) else ecs.log("none") end
end }`)
			r.run(1)
			if got := r.logged(); got != c.want {
				t.Errorf("%s, then %s: %s, want %s", before, c.body, got, c.want)
			}
		}
	}
}
