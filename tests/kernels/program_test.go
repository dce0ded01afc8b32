package kernels_test

import (
	"fmt"
	"strings"
)

// program is a script and the world that it begins in.
type program struct {
	root    *node
	crowd   crowd
	ticks   int
	systems []string
}

// newProgram writes the program of a seed.
func newProgram(seed uint64, all map[string]*shape) *program {
	w := &writer{chance: newChance(seed), shapes: all}
	w.wild = one(w.chance, 0, 0, 0, 4, 4, 8, 16)
	p := &program{root: body(), ticks: 2 + w.IntN(4)}
	p.crowd = crowd{seed: seed, entities: one(w.chance, 0, 1, 3, 8, 20, 20, 40, 40, 70, 130, 300), kinds: 1 + w.IntN(24)}
	if w.in(2) {
		p.crowd.entities, p.crowd.kinds = 2000, 300
	}
	w.head(p.root)
	for range w.IntN(5) {
		p.root.kids = append(p.root.kids, w.function())
	}
	w.drive(p.root)
	for i := range 2 + w.IntN(4) {
		name := fmt.Sprintf("s%d", i)
		p.systems = append(p.systems, name)
		p.root.kids = append(p.root.kids, w.system(name))
	}
	w.report(p.root)
	return p
}

// changes is how many percent of the queries ask for what has changed.
const changes = 10

func line(form string) *node { return stmt("", form) }

// head declares all that programs use.
func (w *writer) head(b *node) {
	add := func(form string, kids ...*node) { b.kids = append(b.kids, stmt("", form, kids...)) }
	add(`local ecs = require "ecs"`)
	for _, name := range components[:hosts] {
		add(fmt.Sprintf("local %s = ecs.native(%q)", name, name))
	}
	for _, d := range declarations {
		add(d)
	}
	add(`local Ping = ecs.native_event("Ping")`)
	add(`local arena = ecs.resource("Arena")`)
	add("local hits, turns = 0, 0")
	add("local speed = $", w.literal())
	add("local open = " + one(w.chance, "true", "false"))
	add("local limit = $", w.literal())
	add("local mood = " + one(w.chance, moods...))
	add("local chosen = 0")
	add("local bonus = " + one(w.chance, "2", "2", "2", "nil", "false"))
	add("local tuning = { speed = $, near = $, on = true, inner = { deep = $ } }", w.literal(), w.literal(), w.literal())
	levels := make([]string, 1+w.IntN(7))
	for i := range levels {
		levels[i] = w.literal().form
	}
	add("local levels = { " + strings.Join(levels, ", ") + " }")
	add("local route = { { x = 1, y = $ }, { x = $, y = -2 }, { x = 0.5, y = 8 } }", w.literal(), w.literal())
	add("local grid = { { 1, 2, 3 }, { $, 0, -1 } }", w.literal())
	add(`local state = ecs.state("game", { score = 1, open = false })`)
	add("local function whole(v, low, high)\n  if v ~= v then return low end\n  return math.max(low, math.min(high, math.floor(v)))\nend")
	w.tables = true
	w.scope = append(w.scope,
		variable{name: "speed", kind: aNumber}, variable{name: "limit", kind: aNumber, fixed: true}, variable{name: "hits", kind: aNumber, fixed: true},
		variable{name: "open", kind: aBool}, variable{name: "mood", kind: aWord, fixed: true}, variable{name: "chosen", kind: aHandle, fixed: true},
		variable{name: "bonus", kind: maybe, fixed: true})
}

// function is one that the file's other functions may call.
func (w *writer) function() *node {
	name := w.fresh("help")
	before := len(w.scope)
	s := signature{name: name, returns: one(w.chance, aNumber, aBool, aBool, aHandle)}
	var names []string
	for range w.IntN(3) + 1 {
		k := one(w.chance, aNumber, aNumber, aHandle, aHandle, aBool, aRow)
		if k == aRow && s.shape != nil {
			continue
		}
		v := variable{name: w.fresh("p"), kind: k}
		if k == aRow {
			s.shape = w.full()
			v.shape, v.fixed = s.shape, true
		}
		s.kinds = append(s.kinds, k)
		names = append(names, v.name)
		w.scope = append(w.scope, v)
	}
	w.gives = &s.returns
	b := w.block(func(b *node) {
		w.statements(b, w.IntN(4), 2)
		b.kids = append(b.kids, stmt("return of a value", "return $", w.result(s.returns, 2)))
	})
	w.gives = nil
	w.scope = w.scope[:before]
	w.helpers = append(w.helpers, s)
	return stmt("local function", "local function "+name+"("+strings.Join(names, ", ")+")$end", b)
}

// query is what a system asks for, and the parameters that its function gets.
func (w *writer) query() (text string, params []variable) {
	used := map[string]bool{}
	take := func(rows bool) *shape {
		for {
			s := w.shapes[w.component()]
			if used[s.name] || rows && len(s.fields) == 0 || s.name == "Label" && w.IntN(8) > 0 {
				continue
			}
			used[s.name] = true
			return s
		}
	}
	list := func(key string, count int) {
		names := []string{}
		for range count {
			names = append(names, take(false).name)
		}
		if count > 0 {
			text += ", " + key + " = { " + strings.Join(names, ", ") + " }"
		}
	}
	var names []string
	for range 1 + w.IntN(3) {
		s := take(true)
		names = append(names, s.name)
		params = append(params, variable{name: strings.ToLower(s.name), kind: aRow, shape: s, fixed: true})
	}
	text = strings.Join(names, ", ")
	if w.in(35) {
		names = nil
		for range 1 + w.IntN(2) {
			s := take(true)
			names = append(names, s.name)
			params = append(params, variable{name: strings.ToLower(s.name), kind: maybeRow, shape: s, fixed: true})
		}
		text += ", optional = { " + strings.Join(names, ", ") + " }"
	}
	if w.in(15) {
		list("with", 1)
	}
	if w.in(20) {
		list("without", 1+w.IntN(2))
	}
	if w.in(15) {
		list("any", 2+w.IntN(2))
	}
	if w.in(changes) {
		text += ", changed = { " + params[0].shape.name + " }"
	}
	return "{ " + text + " }", params
}

// each is a function over rows.
func (w *writer) rows(params []variable) *node {
	before := len(w.scope)
	w.scope = append(w.scope, variable{name: "e", kind: aHandle, fixed: true})
	w.scope = append(w.scope, params...)
	w.each = true
	names := "e"
	for _, p := range params {
		names += ", " + p.name
	}
	b := w.block(func(b *node) {
		if w.in(60) {
			if n := w.leave(2); n != nil {
				b.kids = append(b.kids, n)
			}
		}
		w.statements(b, 2+w.IntN(6), 2)
		if n := w.assignField(1); n != nil {
			b.kids = append(b.kids, n) // so that it shows who has left
		}
	})
	w.each = false
	w.scope = w.scope[:before]
	return &node{"", other, "function(" + names + ", ctx)$end", []*node{b}}
}

func (w *writer) system(name string) *node {
	query, params := w.query()
	options := ""
	if w.in(20) {
		options = "every = " + one(w.chance, "0.5", "0.2", "0.02") + ", "
	}
	if w.in(10) {
		options += "fixed = true, "
	}
	switch {
	case w.in(6):
		// One of ecs.kernel, called more than once.
		return stmt("ecs.kernel", "local "+name+" = ecs.kernel(\""+name+"\", "+query+", $)\necs.system \""+name+".run\" { "+options+"run = function() "+
			name+"() "+one(w.chance, "", name+"() ")+"end }", w.rows(params))
	case w.in(8):
		return w.batch(name, options, query, params)
	}
	return stmt("each", "ecs.system \""+name+"\" { "+options+"query = "+query+", each = $ }", w.rows(params))
}

// batch is a system over lists.
func (w *writer) batch(name, options, query string, params []variable) *node {
	before := len(w.scope)
	first := params[0]
	head, fields := "", 0
	for _, f := range first.shape.fields {
		if f.Len == 0 && isNumber(f.Kind) && !f.Kind.Integer() && fields < 3 {
			fields++
			list := w.fresh("list")
			head += "\n  local " + list + " = b:" + one(w.chance, "read", "write", "write") + "(" + first.shape.name + ", \"" + f.Name + "\")"
			w.scope = append(w.scope, variable{name: list + "[at]", kind: aNumber})
		}
	}
	w.loops++
	b := w.block(func(b *node) {
		b.kids = append(b.kids, line("local e = b.entities[at]"))
		w.scope = append(w.scope, variable{name: "e", kind: aHandle, fixed: true})
		w.statements(b, 2+w.IntN(4), 2)
	})
	w.loops--
	w.scope = w.scope[:before]
	return stmt("batch", "ecs.system \""+name+"\" { "+options+"query = "+query+", batch = function(b, ctx)"+head+"\n  for at = 1, b.n do$end\nend }", b)
}

// drive is a system that changes the captured values between ticks.
func (w *writer) drive(b *node) {
	odd := func(usual string) string {
		if w.in(w.wild / 2) {
			return one(w.chance, "nil", `"5"`, "true", "0/0", "{}")
		}
		return usual
	}
	inside := w.block(func(b *node) {
		b.kids = append(b.kids,
			line("speed = "+odd(one(w.chance, "speed + 1", "-speed", "0.5", "ctx.tick"))),
			line("open = "+odd(one(w.chance, "not open", "ctx.tick % 2 == 0", "true"))),
			line("mood = "+odd(one(w.chance, `"angry"`, `"red"`, `"calm"`))),
			line("bonus = "+odd(one(w.chance, "ctx.tick", "nil", "false", "ctx.tick % 2 == 0 and 3 or nil"))),
			line("limit = "+odd(one(w.chance, "limit", "limit + 1", "math.huge", "0"))),
			line("chosen = ecs.find { "+one(w.chance, "Body", "Mind", "Boss", "Stats")+" } or 0"),
			line("tuning.speed = "+odd("(tonumber(tuning.speed) or 0) + 0.25")),
			line("tuning.on = "+odd("not tuning.on")),
			line(one(w.chance, "levels[#levels + 1] = ctx.tick", "levels[1] = 4", "route[2] = { x = 3, y = ctx.tick }", "grid[2][1] = ctx.tick", "state.open = not state.open")),
		)
		if w.in(w.wild) {
			b.kids = append(b.kids, line(one(w.chance, `levels[2] = "x"`, "route[1] = nil", `tuning.near = "4"`, "grid[1] = { 1 }", "levels = {}", "tuning = { speed = 1, near = 2, inner = { deep = 3 } }")))
		}
	})
	b.kids = append(b.kids, stmt("", "ecs.system \"a.drive\" { phase = \"input\", run = function(ctx)$end }", inside))
}

// report is a system that says what the file holds.
func (w *writer) report(b *node) {
	inside := body(
		line("ecs.log(\"held\", exact(hits), exact(turns), exact(speed), tostring(open), tostring(mood), exact(chosen), exact(bonus), exact(limit))"),
		line("ecs.log(\"tables\", exact(tuning.speed), exact(tuning.near), exact(tuning.inner.deep), tostring(tuning.on), exact(state.score), tostring(state.open), #levels)"),
	)
	b.kids = append(b.kids,
		line("local function exact(v)\n  if type(v) == \"number\" then return string.format(\"%.17g\", v) end\n  return tostring(v)\nend"),
		stmt("", "ecs.system \"z.report\" { phase = \"debug\", run = function(ctx)$end }", inside))
}
