package kernels_test

import (
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
)

// statements fills a block with a few statements.
func (w *writer) statements(b *node, count, depth int) {
	for range count {
		if n := w.statement(depth); n != nil {
			b.kids = append(b.kids, n)
		}
	}
}

func (w *writer) some3(depth int) *node {
	return w.block(func(b *node) { w.statements(b, 1+w.IntN(3), depth) })
}

// expressionDepth is how deep an expression of a statement may be.
func (w *writer) expressionDepth() int { return 1 + w.IntN(3) }

func (w *writer) statement(depth int) *node {
	d := w.expressionDepth()
	if depth <= 0 {
		return w.choose(
			way{10, func() *node { return w.assignField(d) }},
			way{3, func() *node { return w.assignVariable(d) }},
			way{1, func() *node { return w.assignCaptured(d) }},
			way{1, func() *node { return w.change(1) }},
		)
	}
	return w.choose(
		way{18, func() *node { return w.assignField(d) }},
		way{8, func() *node { return w.declare(d) }},
		way{6, func() *node { return w.assignVariable(d) }},
		way{4, func() *node { return w.assignCaptured(d) }},
		way{12, func() *node { return w.leave(d) }},
		way{12, func() *node { return w.branch(depth-1, d) }},
		way{5, func() *node { return w.loop(depth-1, d) }},
		way{6, func() *node { return w.change(d - 1) }},
		way{4, func() *node { return w.guard(d) }},
		way{3, func() *node { return w.helperCall(d) }},
		way{1, func() *node { return stmt("do", "do$end", w.some3(depth-1)) }},
		way{w.wild / 6, func() *node { return w.loud(d) }},
	)
}

// assignField writes a field of a row: mostly of one that is kept.
func (w *writer) assignField(d int) *node {
	v := w.some(func(v variable) bool {
		return v.kind == aRow && (!v.copied || w.IntN(10) == 0) && len(v.shape.fields) > 0
	})
	if v == nil {
		return nil
	}
	p, ok := w.placeOf(v, func(k ecs.Kind) bool { return k != ecs.String || w.in(w.wild) }, d)
	if !ok {
		return nil
	}
	to := p.node(other)
	if isNumber(p.field.Kind) && w.in(25) && len(to.kids) == 0 {
		if !p.field.Kind.Integer() {
			return stmt("update of a field", p.form+" = "+p.form+" "+one(w.chance, "+", "-", "*")+" $", w.number(d))
		}
		if w.in(w.wild * 3) {
			return stmt("count in a field", p.form+" = "+p.form+" "+one(w.chance, "+", "-")+" 1")
		}
	}
	from := w.fitting(p.field, d)
	if w.in(6) {
		if q, ok := w.placeOf(v, isKind(p.field.Kind), 0); ok && p.field.Kind != ecs.Enum {
			return stmt("assignment of two", "$, $ = $, $", to, q.node(other), from, w.fitting(q.field, d))
		}
	}
	return stmt("assignment to a "+p.what, "$ = $", to, from)
}

// declare makes a local variable.
func (w *writer) declare(d int) *node {
	add := func(k kind, stem string, make func() *node) func() *node {
		return func() *node {
			value := make()
			if value == nil {
				return nil
			}
			name := w.fresh(stem)
			w.scope = append(w.scope, variable{name: name, kind: k})
			return stmt("local "+stem, "local "+name+" = $", value)
		}
	}
	return w.choose(
		way{10, add(aNumber, "n", func() *node { return w.number(d) })},
		way{6, add(aBool, "is", func() *node { return w.boolean(d) })},
		way{4, add(aHandle, "who", func() *node { return w.handle(d) })},
		way{3, add(aWord, "word", func() *node { return w.text(d) })},
		way{4, add(maybe, "m", func() *node {
			return one(w.chance,
				func() *node { return w.lookup(d) },
				func() *node { return &node{"and number", other, "$ and $", []*node{w.truth(d), w.number(d)}} },
				func() *node { return &node{"nil", other, "nil", nil} },
			)()
		})},
		way{3, add(maybeTrue, "t", func() *node { return w.operand(w.truth(d)) })},
		way{2, func() *node {
			a, b := w.fresh("n"), w.fresh("n")
			n := stmt("local of two", "local "+a+", "+b+" = $, $", w.number(d), w.number(d))
			w.scope = append(w.scope, variable{name: a, kind: aNumber}, variable{name: b, kind: aNumber})
			return n
		}},
		way{3, func() *node {
			s := w.full()
			name := w.fresh("its")
			n := stmt("local of ecs.get", "local "+name+" = ecs.get($, "+s.name+")", w.handle(d))
			w.scope = append(w.scope, variable{name: name, kind: maybeRow, shape: s, copied: true})
			return n
		}},
	)
}

// guard looks a component up and leaves when it is not there.
func (w *writer) guard(d int) *node {
	v := w.ofKind(maybeRow)
	out := w.out()
	if v != nil && w.in(40) && out != "" {
		found := variable{name: v.name, kind: aRow, shape: v.shape, copied: v.copied}
		extra, form := w.truth(d), one(w.chance, "not "+v.name, v.name+" == nil", "not "+v.name+" or $", "(not "+v.name+" or $) ")
		n := stmt("guard of a row", "if "+form+" then "+out+" end")
		if form[len(form)-1] != 'l' && form != "not "+v.name {
			n.kids = []*node{extra}
		}
		w.scope = append(w.scope, found)
		return n
	}
	if out == "" {
		return nil
	}
	s := w.full()
	name := w.fresh("its")
	n := stmt("guard of ecs.get", "local "+name+" = ecs.get($, "+s.name+")\nif not "+name+" then "+out+" end", w.handle(d))
	w.scope = append(w.scope, variable{name: name, kind: aRow, shape: s, copied: true})
	return n
}

// out is a statement that leaves: the function, or a loop.
func (w *writer) out() string {
	list := []string{}
	if w.gives == nil {
		list = append(list, "return")
	}
	if w.loops > 0 {
		list = append(list, "break")
		if w.labels {
			list = append(list, "goto continue", "goto continue")
		}
	}
	if len(list) == 0 {
		return ""
	}
	return one(w.chance, list...)
}

// leave is an if around a statement that leaves.
func (w *writer) leave(d int) *node {
	out := w.out()
	var value *node
	if w.gives != nil && (out == "" || w.in(50)) {
		out, value = "return $", w.result(*w.gives, d-1)
	}
	if out == "" {
		return nil
	}
	cond := w.reason(d)
	name := "if with " + firstWord(out)
	switch {
	case value != nil:
		return stmt(name, "if $ then return $ end", cond, value)
	case w.in(25):
		before := w.block(func(b *node) { w.statements(b, 1, 0) })
		before.kids = append(before.kids, stmt(firstWord(out), out))
		return stmt(name+" after a statement", "if $ then$end", cond, before)
	case w.in(10):
		instead := w.block(func(b *node) { w.statements(b, 1, 0) })
		return stmt(name+" and else", "if $ then "+out+" else$end", cond, instead)
	case w.in(10):
		instead := w.block(func(b *node) { w.statements(b, 1, 0) })
		return stmt(name+" in else", "if $ then$else "+out+" end", cond, instead)
	}
	return stmt(name, "if $ then "+out+" end", cond)
}

// reason is a condition to leave for. Mostly it is short, as designers write it: a
// question about an entity and one about a number, joined and denied in all ways.
func (w *writer) reason(d int) *node {
	if w.in(40) {
		return w.truth(one(w.chance, 0, 1, 2, d+1))
	}
	n := ask("short reason", "")
	parts := []func() *node{w.question, func() *node { return w.simple() }}
	if w.in(30) {
		parts = append(parts, one(w.chance, w.question, func() *node { return w.simple() }))
	}
	w.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	for i, part := range parts {
		if i > 0 {
			n.form += one(w.chance, " and ", " or ")
		}
		kid := part()
		if w.in(45) {
			n.form += "not "
			kid = w.operand(kid)
		}
		n.form += "$"
		n.kids = append(n.kids, kid)
	}
	return n
}

// question asks about an entity.
func (w *writer) question() *node {
	return w.choose(
		way{6, func() *node { return w.has(0) }},
		way{4, func() *node { return ask("ecs.get of a component", "ecs.get($, "+w.component()+")", w.handle(0)) }},
		way{2, func() *node { n := w.lookup(0); n.sort = truth; return n }},
		way{2, func() *node { return w.named(truth, maybeRow, "optional row") }},
		way{2, func() *node { return w.call(boolean, aBool, 0) }},
		way{1, func() *node { return w.equality(0) }},
	)
}

// simple is a condition about what is at hand.
func (w *writer) simple() *node {
	return w.choose(
		way{6, func() *node { return w.compare(0) }},
		way{3, func() *node { return w.field(boolean, isKind(ecs.Bool), 0) }},
		way{1, func() *node { return w.named(boolean, aBool, "bool") }},
	)
}

func firstWord(s string) string {
	var word string
	if _, err := fmt.Sscan(s, &word); err != nil {
		return s
	}
	return word
}

func (w *writer) branch(depth, d int) *node {
	d = one(w.chance, 0, 1, 1, 2, d)
	n := stmt("if", "if $ then$", w.truth(d), nil)
	if v := w.ofKind(maybeRow); v != nil && w.in(30) {
		// Inside, the row is there.
		n = stmt("if a row", "if "+v.name+" then$", nil)
		if w.in(30) {
			n = stmt("if a row and", "if "+v.name+" and $ then$", w.truth(d), nil)
		}
		found := variable{name: v.name, kind: aRow, shape: v.shape, copied: v.copied}
		n.kids[len(n.kids)-1] = w.block(func(b *node) {
			w.scope = append(w.scope, found)
			w.statements(b, 1+w.IntN(3), depth)
		})
	} else {
		n.kids[1] = w.some3(depth)
	}
	for range w.IntN(3) - 1 {
		n.form += "elseif $ then$"
		n.kids = append(n.kids, w.truth(d), w.some3(depth))
		n.what += " elseif"
	}
	if w.in(40) {
		n.form += "else$"
		n.kids = append(n.kids, w.some3(depth))
		n.what += " else"
	}
	n.form += "end"
	return n
}

// loop makes one of all kinds of loops, with few turns.
func (w *writer) loop(depth, d int) *node {
	if w.loops >= 2 {
		return nil
	}
	labels := w.labels
	w.loops++
	w.labels = w.in(35)
	defer func() { w.loops--; w.labels = labels }()
	inside := func(first *node, vars ...variable) *node {
		return w.block(func(b *node) {
			w.scope = append(w.scope, vars...)
			if first != nil {
				b.kids = append(b.kids, first)
			}
			if w.in(40) {
				if n := w.leave(d); n != nil {
					b.kids = append(b.kids, n)
				}
			}
			w.statements(b, 1+w.IntN(3), depth)
			if w.labels {
				// What is declared before the label must not be seen after it.
				kids := b.kids
				b.kids = append([]*node{}, stmt("body", "do$end", body(kids...)), stmt("label", "::continue::"))
			}
		})
	}
	return w.choose(
		way{8, func() *node { return w.forLoop(d, inside) }},
		way{3, func() *node {
			name := w.fresh("turn")
			count := stmt("count", name+" = "+name+" + 1")
			b := inside(count, variable{name: name, kind: aNumber, fixed: true})
			return stmt("while", "local "+name+" = 0\nwhile "+name+" < "+fmt.Sprint(2+w.IntN(6))+" and $ do$end", w.truth(d), b)
		}},
		way{3, func() *node {
			name := w.fresh("turn")
			count := stmt("count", name+" = "+name+" + 1")
			w.labels = w.labels && w.in(w.wild)
			b := inside(count, variable{name: name, kind: aNumber, fixed: true})
			return stmt("repeat", "local "+name+" = 0\nrepeat$until "+name+" > "+fmt.Sprint(2+w.IntN(6))+" or $", b, w.truth(d))
		}},
		way{3, func() *node {
			if !w.tables {
				return nil
			}
			i, v := w.fresh("i"), w.fresh("v")
			return stmt("ipairs", "for "+i+", "+v+" in ipairs("+one(w.chance, "levels", "grid[1]", "grid[2]")+") do$end",
				inside(nil, variable{name: i, kind: aNumber, fixed: true}, variable{name: v, kind: aNumber, fixed: true}))
		}},
		way{w.wild / 6, func() *node {
			k, v := w.fresh("k"), w.fresh("v")
			return stmt("pairs", "for "+k+", "+v+" in pairs(levels) do$end", inside(nil, variable{name: v, kind: aNumber, fixed: true}))
		}},
	)
}

// forLoop is a numeric for whose bounds may be anything, with an end to it.
func (w *writer) forLoop(d int, inside func(*node, ...variable) *node) *node {
	name := w.fresh("i")
	own := variable{name: name, kind: aNumber, fixed: !w.in(15)}
	switch w.IntN(5) {
	case 0, 1:
		return stmt("for to a few", fmt.Sprintf("for %s = %d, %d do$end", name, w.IntN(3), 1+w.IntN(6)), inside(nil, own))
	case 2:
		step := one(w.chance, "0.5", "0.1", "-1", "-0.25", "2", "3", "0.3", "-2")
		return stmt("for with a step", fmt.Sprintf("for %s = %s, %s, %s do$end", name, one(w.chance, "0", "1", "3", "-2", "0.5", "0.1"),
			one(w.chance, "0", "1", "2", "-1", "1.4", "-3", "0.95"), step), inside(nil, own))
	case 3:
		return stmt("for with odd bounds", fmt.Sprintf("for %s = %s, %s, %s do$end", name, one(w.chance, "0/0", "1", "0", "1/0", "-1/0", "2^53 - 2", "1e308"),
			one(w.chance, "0/0", "1", "2^53", "-1/0", "1/0", "0"), one(w.chance, "1", "-1", "0/0", "1/0", "1e308")), inside(w.stop(name), own))
	}
	return stmt("for to what is computed", "for "+name+" = whole($, -2, 3), math.min($, 8) do$end", w.number(d-1), w.number(d), inside(nil, own))
}

// stop ends a loop that might go on for ever. It counts in a captured variable,
// as a local one would have to stand before the loop.
func (w *writer) stop(name string) *node {
	return stmt("stop", "turns = turns + 1\nif turns % 5 == 0 then break end")
}

// assignVariable gives a local variable another value.
func (w *writer) assignVariable(d int) *node {
	v := w.some(func(v variable) bool { return !v.fixed && v.kind != aRow && v.kind != maybeRow })
	if v == nil {
		return nil
	}
	switch v.kind {
	case aNumber:
		if o := w.some(func(o variable) bool { return o.kind == aNumber && !o.fixed && o.name != v.name }); o != nil && w.in(15) {
			return stmt("swap", v.name+", "+o.name+" = "+o.name+", $", w.number(d))
		}
		return stmt("assignment to a number", v.name+" = $", w.number(d))
	case aBool:
		return stmt("assignment to a bool", v.name+" = $", w.boolean(d))
	case aHandle:
		return stmt("assignment to a handle", v.name+" = $", w.handle(d))
	case aWord:
		return stmt("assignment to a word", v.name+" = $", w.text(d))
	case maybe:
		return stmt("assignment to a maybe", v.name+" = $", one(w.chance, &node{"nil", other, "nil", nil}, w.number(d), w.lookup(d)))
	}
	return stmt("assignment to a truth", v.name+" = $", w.operand(w.truth(d)))
}

// assignCaptured changes what the file holds.
func (w *writer) assignCaptured(d int) *node {
	if !w.tables {
		return nil
	}
	switch w.IntN(9) {
	case 0, 1, 2:
		return stmt("count in a captured", "hits = hits + 1")
	case 3:
		return stmt("assignment to a captured number", "speed = $", w.number(d))
	case 4:
		return stmt("assignment to a captured bool", "open = $", w.boolean(d))
	case 5:
		return stmt("assignment to a table", one(w.chance, "tuning.speed", "tuning.inner.deep", "tuning.near")+" = $", w.number(d))
	case 6:
		return stmt("assignment to a state", "state.score = whole($, -100, 100)", w.number(d))
	case 7:
		return stmt("assignment to a table bool", one(w.chance, "tuning.on", "state.open")+" = $", w.boolean(d))
	}
	return stmt("assignment to a resource", one(w.chance, "arena.width = $", "arena.height = $", "arena.waves = whole($, -9, 9)"), w.number(d))
}

// change asks for a change of the world.
func (w *writer) change(d int) *node {
	d = max(d, 0)
	target := func() *node {
		if w.each && w.in(70) {
			return ent("own handle", "e")
		}
		return w.handle(d)
	}
	n := w.choose(
		way{5, func() *node { return stmt("ecs.add", "ecs.add($, $)", target(), w.value(d)) }},
		way{1, func() *node { return stmt("ecs.add of two", "ecs.add($, $, $)", target(), w.value(d), w.value(d)) }},
		way{4, func() *node { return stmt("ecs.remove", "ecs.remove($, "+w.component()+")", target()) }},
		way{5, func() *node {
			value := w.value(d)
			for value.what != "value of a component" && !w.in(w.wild) {
				value = w.value(d)
			}
			return stmt("ecs.set", "ecs.set($, $)", target(), value)
		}},
		way{2, func() *node { return stmt("ecs.despawn", "ecs.despawn($)", target()) }},
		way{3, func() *node { return stmt("ecs.spawn", "ecs.spawn($)", w.value(d)) }},
		way{1, func() *node { return stmt("ecs.spawn of a prefab", "ecs.spawn(Shot, $)", w.value(d)) }},
		way{3, func() *node {
			return stmt("ecs.emit", "ecs.emit(Scored { points = whole($, 0, 99), by = $ })", w.number(d), w.handle(d))
		}},
		way{2, func() *node {
			return stmt("ecs.emit of the host's", "ecs.emit(Ping { who = $, amount = $ })", w.handle(d), w.number(d))
		}},
		way{1, func() *node { return stmt("ecs.emit", "ecs.emit(Scored)") }},
		way{w.wild / 8, func() *node { return stmt("ecs.set_parent", "ecs.set_parent($, $)", target(), w.handle(d)) }},
	)
	if len(n.kids) == 0 || n.kids[0].sort != handle || n.kids[0].form == "e" && w.in(70) || w.in(w.wild) {
		return n
	}
	who := n.kids[0].copy()
	if who.what == "odd handle" {
		return n
	}
	return stmt("if alive", "if ecs.alive($) then$end", who, body(n))
}

// helperCall calls a function for what it does.
func (w *writer) helperCall(d int) *node {
	if n := w.call(statement, aNumber, d); n != nil {
		c := *n
		c.what = "call as a statement"
		return &c
	}
	return nil
}

// loud is what keeps a row, or a function, on the VM.
func (w *writer) loud(d int) *node {
	return w.choose(
		way{4, func() *node { return stmt("ecs.log", "if $ then ecs.log(\"row\", $) end", w.truth(d), w.number(d)) }},
		way{2, func() *node { return stmt("error", "if $ then error(\"bad\") end", w.compare(d)) }},
		way{2, func() *node { return stmt("assert", "assert($, \"not so\")", w.truth(d)) }},
		way{1, func() *node { return stmt("table made", "local made = { $ }\nhits = hits + #made", w.number(d)) }},
		way{1, func() *node { return stmt("text made", "hits = hits + #tostring($)", w.number(d)) }},
	)
}

// result is what a function returns.
func (w *writer) result(k kind, d int) *node {
	d = max(d, 0)
	switch k {
	case aBool:
		return w.boolean(d)
	case aHandle:
		return w.handle(d)
	}
	return w.number(d)
}
