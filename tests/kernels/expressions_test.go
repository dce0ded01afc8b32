package kernels_test

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
)

var plainNumbers = []string{"0", "1", "2", "3", "5", "10", "0.5", "0.25", "-1", "-2", "100", "7", "1.5", "20"}
var oddNumbers = []string{"-0", "1/0", "-1/0", "0/0", "1e308", "-1e308", "2^53", "-2^53", "255", "256", "-129", "65535", "65536", "32768", "2147483647",
	"2147483648", "4294967295", "4294967296", "0.1", "1e-310", "16777217", "1e16", "math.huge", "-math.huge", "math.pi", "3.4e38", "0x10"}

func (w *writer) literal() *node {
	if w.in(14) {
		return num("odd literal", "("+one(w.chance, oddNumbers...)+")")
	}
	s := one(w.chance, plainNumbers...)
	if s[0] == '-' {
		s = "(" + s + ")"
	}
	return num("literal", s)
}

// number is an expression that is a number.
func (w *writer) number(depth int) *node {
	if depth <= 0 {
		return w.choose(
			way{5, w.literal},
			way{8, func() *node { return w.field(number, isNumber, 0) }},
			way{5, func() *node { return w.named(number, aNumber, "number") }},
			way{1, w.clock},
			way{1, func() *node { return w.fromTable(0) }},
		)
	}
	d := depth - 1
	return w.choose(
		way{3, w.literal},
		way{9, func() *node { return w.field(number, isNumber, d) }},
		way{7, func() *node { return w.named(number, aNumber, "number") }},
		way{2, w.clock},
		way{3, func() *node { return w.fromTable(d) }},
		way{14, func() *node { return w.arithmetic(d) }},
		way{2, func() *node { return num("minus", "-($)", w.number(d)) }},
		way{7, func() *node { return w.mathCall(d) }},
		way{4, func() *node {
			return num("and-or number", "($ and $ or $)", w.truth(d), w.number(d), w.number(d))
		}},
		way{3, func() *node {
			if m := w.named(other, maybe, "maybe"); m != nil {
				return num("or default", "($ or $)", m, w.number(d))
			}
			return nil
		}},
		way{3, func() *node { return w.got(d) }},
		way{2, func() *node { return w.optional(d) }},
		way{4, func() *node { return w.call(number, aNumber, d) }},
		way{1, func() *node { return num("or of calls", "($ or $)", w.lookup(d), w.number(d)) }},
		way{1, func() *node {
			return num("function in place", "(function(v) return v * $ end)($)", w.number(d), w.number(d))
		}},
	)
}

// named is a variable of a kind.
func (w *writer) named(s sort, k kind, what string) *node {
	if v := w.ofKind(k); v != nil {
		return &node{"variable " + what, s, v.name, nil}
	}
	return nil
}

func (w *writer) clock() *node {
	if !w.each {
		return nil
	}
	return num("ctx", one(w.chance, "ctx.dt", "ctx.time", "ctx.tick"))
}

func (w *writer) arithmetic(d int) *node {
	op := one(w.chance, "+", "+", "+", "-", "-", "-", "*", "*", "*", "/", "/", "%", "%", "^")
	if op == "^" && w.in(70) {
		return num("power", "($ ^ "+one(w.chance, "2", "0.5", "3", "-1", "0", "1", "2.5")+")", w.number(d))
	}
	return num("operator "+op, "($ "+op+" $)", w.number(d), w.number(d))
}

func (w *writer) mathCall(d int) *node {
	switch w.IntN(10) {
	case 0, 1, 2:
		f := one(w.chance, "floor", "ceil", "abs", "sqrt", "floor", "abs")
		return num("math."+f, "math."+f+"($)", w.number(d))
	case 3, 4, 5:
		f := one(w.chance, "min", "max")
		if w.in(20) {
			return num("math."+f+" of three", "math."+f+"($, $, $)", w.number(d), w.number(d), w.number(d))
		}
		return num("math."+f, "math."+f+"($, $)", w.number(d), w.number(d))
	case 6:
		f := one(w.chance, "fmod", "pow", "atan2")
		return num("math."+f, "math."+f+"($, $)", w.number(d), w.number(d))
	case 7:
		return num("math.ldexp", "math.ldexp($, whole($, -20, 20))", w.number(d), w.number(d))
	case 8:
		return one(w.chance, num("random", "ecs.random()"), num("random", "math.random(6)"), num("random", "ecs.random(-3, 4)"),
			num("random of", "math.random(whole($, 1, 50))", w.number(d)))
	}
	f := one(w.chance, "sin", "cos", "tan", "exp", "log", "log10", "asin", "acos", "atan", "sinh", "cosh", "tanh", "rad", "deg", "modf", "frexp")
	return num("math."+f, "(math."+f+"($))", w.number(d))
}

// fromTable reads a module-level table, list or resource.
func (w *writer) fromTable(d int) *node {
	if !w.tables {
		return nil
	}
	switch w.IntN(8) {
	case 0, 1:
		return num("table field", one(w.chance, "tuning.speed", "tuning.near", "tuning.inner.deep", "state.score"))
	case 2:
		return num("length", one(w.chance, "#levels", "#route", "#grid", "#grid[1]"))
	case 3:
		return num("list item", "levels[whole($, 1, #levels)]", w.number(d))
	case 4:
		return num("list of tables", "route[whole($, 1, #route)]."+one(w.chance, "x", "y"), w.number(d))
	case 5:
		return num("list of lists", "grid[whole($, 1, 2)][whole($, 1, 3)]", w.number(d), w.number(d))
	case 6:
		return num("resource", one(w.chance, "arena.width", "arena.height", "arena.waves"))
	}
	return num("item or default", "(levels[math.floor($)] or $)", w.number(d), w.number(d))
}

// lookup is ecs.get of a field: a number, or nil where there is none.
func (w *writer) lookup(d int) *node {
	s := w.full()
	var names []string
	for _, f := range s.fields {
		if f.Len == 0 && isNumber(f.Kind) {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return &node{"ecs.get", other, "ecs.get($, Stats, \"hp\")", []*node{w.handle(d)}}
	}
	return &node{"ecs.get", other, fmt.Sprintf("ecs.get($, %s, %q)", s.name, one(w.chance, names...)), []*node{w.handle(d)}}
}

// got is a number from another entity, with something else where there is none.
func (w *writer) got(d int) *node {
	if w.in(50) {
		return num("ecs.get or", "($ or $)", w.lookup(d), w.number(d))
	}
	s := w.full()
	v := variable{name: "(ecs.get($, " + s.name + ")", kind: aRow, shape: s, copied: true}
	p, ok := w.placeOf(&v, isNumber, 0)
	if !ok || strings.Contains(p.form, "[") {
		return nil
	}
	inner := w.handle(d)
	return num("ecs.get of a row", "(ecs.has($, "+s.name+") and "+p.form[1:]+" or $)", inner, inner.copy(), w.number(d))
}

// optional is a field of a row that may be nil.
func (w *writer) optional(d int) *node {
	v := w.ofKind(maybeRow)
	if v == nil {
		return nil
	}
	p, ok := w.placeOf(v, isNumber, d)
	if !ok {
		return nil
	}
	return num("optional row", "("+v.name+" and $ or $)", p.node(number), w.number(d))
}

// call calls a function of the file that returns the kind.
func (w *writer) call(s sort, k kind, d int) *node {
	var fit []signature
	for _, h := range w.helpers {
		if h.returns == k {
			fit = append(fit, h)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	h := one(w.chance, fit...)
	n := &node{"call of a function", s, h.name + "(", nil}
	for i, p := range h.kinds {
		if i > 0 {
			n.form += ", "
		}
		n.form += "$"
		var a *node
		switch p {
		case aNumber:
			a = w.number(d)
		case aBool:
			a = w.boolean(d)
		case aHandle:
			a = w.handle(d)
		case aRow:
			v := w.some(func(v variable) bool { return v.kind == aRow && v.shape == h.shape })
			if v == nil {
				return nil
			}
			a = &node{"row as an argument", other, v.name, nil}
		}
		n.kids = append(n.kids, a)
	}
	n.form += ")"
	return n
}

// boolean is an expression that is true or false.
func (w *writer) boolean(depth int) *node {
	if depth <= 0 {
		return w.choose(
			way{2, func() *node { return yes("literal bool", one(w.chance, "true", "false")) }},
			way{5, func() *node { return w.field(boolean, isKind(ecs.Bool), 0) }},
			way{4, func() *node { return w.named(boolean, aBool, "bool") }},
			way{6, func() *node { return w.has(0) }},
			way{8, func() *node { return w.compare(0) }},
		)
	}
	d := depth - 1
	return w.choose(
		way{1, func() *node { return yes("literal bool", one(w.chance, "true", "false")) }},
		way{4, func() *node { return w.field(boolean, isKind(ecs.Bool), d) }},
		way{3, func() *node { return w.named(boolean, aBool, "bool") }},
		way{8, func() *node { return w.has(d) }},
		way{10, func() *node { return w.compare(d) }},
		way{6, func() *node { return yes("not", "not $", w.operand(w.truth(d))) }},
		way{4, func() *node { return yes("and of bools", "($ and $)", w.boolean(d), w.boolean(d)) }},
		way{4, func() *node { return yes("or of bools", "($ or $)", w.boolean(d), w.boolean(d)) }},
		way{3, func() *node { return w.equality(d) }},
		way{4, func() *node { return w.call(boolean, aBool, d) }},
		way{1, func() *node { return yes("table bool", one(w.chance, "tuning.on", "state.open", "arena.open")) }},
	)
}

// operand puts parentheses around what binds less than not and the comparisons.
func (w *writer) operand(n *node) *node {
	if strings.HasPrefix(n.form, "(") && strings.HasSuffix(n.form, ")") || !strings.Contains(n.form, " ") {
		return n
	}
	c := *n
	c.form = "(" + n.form + ")"
	return &c
}

func (w *writer) has(d int) *node {
	switch {
	case w.in(20):
		return yes("ecs.alive", "ecs.alive($)", w.handle(d))
	case w.in(15):
		return yes("ecs.has of two", fmt.Sprintf("ecs.has($, %s, %s)", w.component(), w.component()), w.handle(d))
	}
	return yes("ecs.has", fmt.Sprintf("ecs.has($, %s)", w.component()), w.handle(d))
}

func (w *writer) compare(d int) *node {
	op := one(w.chance, "<", "<", "<=", ">", ">", ">=", "==", "~=")
	return yes("comparison "+op, "$ "+op+" $", w.number(d), w.number(d))
}

// equality compares what is no number.
func (w *writer) equality(d int) *node {
	op := one(w.chance, "==", "~=")
	return w.choose(
		way{4, func() *node { return yes("handles "+op, "$ "+op+" $", w.handle(d), w.handle(d)) }},
		way{2, func() *node { return yes("handle "+op+" nil", "$ "+op+" nil", w.handle(d)) }},
		way{4, func() *node { return yes("words "+op, "$ "+op+" $", w.text(d), w.text(d)) }},
		way{2, func() *node {
			if m := w.named(other, maybe, "maybe"); m != nil {
				return yes("maybe "+op, "$ "+op+" $", m, one(w.chance, w.number(d), &node{"nil", other, "nil", nil}, &node{"false", other, "false", nil}))
			}
			return nil
		}},
		way{3, func() *node { return yes("ecs.get "+op+" nil", "$ "+op+" nil", w.lookup(d)) }},
		way{2, func() *node { return yes("ecs.get "+op+" number", "$ "+op+" $", w.lookup(d), w.number(d)) }},
		way{3, func() *node {
			if v := w.named(other, maybeRow, "optional row"); v != nil {
				return yes("optional "+op+" nil", "$ "+op+" nil", v)
			}
			return nil
		}},
		way{2, func() *node {
			return yes("bools "+op, "$ "+op+" $", w.operand(w.boolean(d)), w.operand(w.boolean(d)))
		}},
		way{1, func() *node {
			return yes("mixed "+op, "$ "+op+" $", one(w.chance, w.number(d), w.text(d), w.operand(w.boolean(d))), one(w.chance, w.text(d), w.operand(w.boolean(d))))
		}},
	)
}

// truth is an expression of which only the truth is asked: often a long chain.
func (w *writer) truth(depth int) *node {
	if depth <= 0 {
		return w.choose(way{8, func() *node { return w.boolean(0) }}, way{2, func() *node { return w.thing(0) }})
	}
	d := depth - 1
	return w.choose(
		way{6, func() *node { return w.boolean(d) }},
		way{5, func() *node { return w.thing(d) }},
		way{8, func() *node { return w.chain(d) }},
		way{2, func() *node { return ask("not", "not $", w.operand(w.truth(d))) }},
	)
}

// chain is several conditions, joined by and and or, some of them denied.
func (w *writer) chain(d int) *node {
	n := ask("chain", "(")
	count := 2 + w.IntN(2)
	if w.in(25) {
		count += 1 + w.IntN(3)
	}
	mostly := one(w.chance, "and", "or")
	ops := map[string]bool{}
	for i := range count {
		if i > 0 {
			op := mostly
			if w.in(25) {
				op = one(w.chance, "and", "or")
			}
			ops[op] = true
			n.form += " " + op + " "
		}
		kid := w.truth(d)
		if w.in(35) {
			n.form += "not "
			kid = w.operand(kid)
		}
		n.form += "$"
		n.kids = append(n.kids, kid)
	}
	n.form += ")"
	n.what = fmt.Sprintf("chain of %s", map[bool]string{true: "and and or", false: mostly}[len(ops) > 1])
	return n
}

// thing is what counts as true without being a boolean, or as false by being nil.
func (w *writer) thing(d int) *node {
	return w.choose(
		way{5, func() *node { n := w.lookup(d); n.sort = truth; return n }},
		way{5, func() *node { return ask("ecs.get of a component", "ecs.get($, "+w.component()+")", w.handle(d)) }},
		way{4, func() *node { return w.named(truth, maybeRow, "optional row") }},
		way{3, func() *node { return w.named(truth, maybe, "maybe") }},
		way{2, func() *node { return w.named(truth, maybeTrue, "maybe true") }},
		way{2, func() *node { n := *w.handle(d); n.sort = truth; return &n }},
		way{1, func() *node { n := *w.number(d); n.sort = truth; return &n }},
		way{1, func() *node { return w.named(truth, aRow, "row") }},
		way{1, func() *node { return ask("nil", "nil") }},
		way{1, func() *node { return ask("ecs.parent", "ecs.parent($)", w.handle(d)) }},
		way{1, func() *node {
			return ask("item as truth", "levels[$]", num("", fmt.Sprint(w.IntN(9))))
		}},
	)
}

// handle is an expression that is an entity, 0 or nil.
func (w *writer) handle(depth int) *node {
	self := func() *node {
		if w.each {
			return ent("own handle", "e")
		}
		return nil
	}
	ways := []way{
		{6, self},
		{8, func() *node { return w.field(handle, isKind(ecs.Ref), max(depth-1, 0)) }},
		{5, func() *node { return w.named(handle, aHandle, "handle") }},
		{1, func() *node { return ent("handle 0", "0") }},
	}
	if depth > 0 {
		d := depth - 1
		ways = append(ways,
			way{w.wild / 4, func() *node { return ent("handle nil", "nil") }},
			way{w.wild / 4, func() *node { return ent("ecs.parent", "ecs.parent($)", w.handle(d)) }},
			way{2, func() *node { return ent("ecs.parent or", "(ecs.parent($) or $)", w.handle(d), w.handle(d)) }},
			way{1, func() *node { return ent("handle or", "($ or $)", w.handle(d), w.handle(d)) }},
			way{1, func() *node { return ent("handle chosen", "($ and $ or $)", w.truth(d), w.handle(d), w.handle(d)) }},
			way{1, func() *node { return ent("ecs.get of a handle", "(ecs.get($, Mind, \"target\") or 0)", w.handle(d)) }},
		)
		if w.wild > 8 {
			ways = append(ways, way{1, func() *node {
				return ent("odd handle", one(w.chance, "12", "-1", "1.5", "2^53", "(0/0)", "4294967296"))
			}})
		}
	}
	return w.choose(ways...)
}

// text is an expression that is a text: a name of an enum, or one written out.
func (w *writer) text(d int) *node {
	return w.choose(
		way{5, func() *node { return w.field(word, isKind(ecs.Enum), d) }},
		way{4, func() *node {
			return &node{"text", word, one(w.chance, `"red"`, `"blue"`, `"green"`, `"walk"`, `"run"`, `"calm"`), nil}
		}},
		way{3, func() *node { return w.named(word, aWord, "word") }},
		way{1, func() *node {
			if d <= 0 {
				return nil
			}
			return &node{"text chosen", word, "($ and $ or $)", []*node{w.truth(d - 1), w.text(0), w.text(0)}}
		}},
	)
}

// fitting is an expression that a field of the kind can mostly hold.
func (w *writer) fitting(f ecs.Field, depth int) *node {
	switch f.Kind {
	case ecs.Bool:
		if w.in(w.wild / 4) {
			return w.truth(depth)
		}
		return w.boolean(depth)
	case ecs.Ref:
		return w.handle(depth)
	case ecs.Enum:
		if w.in(30) {
			if n := w.field(word, func(k ecs.Kind) bool { return k == ecs.Enum }, 0); n != nil && w.in(w.wild) {
				return n
			}
		}
		if w.in(20) {
			return &node{"name chosen", word, fmt.Sprintf("($ and %q or %q)", one(w.chance, f.Names...), one(w.chance, f.Names...)), []*node{w.truth(depth)}}
		}
		return &node{"name", word, fmt.Sprintf("%q", one(w.chance, f.Names...)), nil}
	case ecs.String:
		return &node{"text", word, one(w.chance, `"x"`, `"moth"`), nil}
	}
	if !f.Kind.Integer() {
		return w.number(depth)
	}
	low, high := f.Kind.Range()
	bounds := [][2]float64{{low, high}, {max(low, 0), min(high, 100)}, {max(low, -5), min(high, 5)}}
	b := one(w.chance, bounds...)
	limits := fmt.Sprintf("%s, %s", whole(b[0]), whole(b[1]))
	return w.choose(
		way{6, func() *node { return num("number made whole", "whole($, "+limits+")", w.number(depth)) }},
		way{2, func() *node {
			return num("clamped", "math.max("+whole(b[0])+", math.min("+whole(b[1])+", math.floor($)))", w.number(depth))
		}},
		way{2, func() *node { return num("wrapped", "math.floor($) % 100", w.number(depth)) }},
		way{2, func() *node { return num("range end", one(w.chance, whole(low), whole(high))) }},
		way{w.wild / 5, func() *node { return w.number(depth) }},
	)
}

func whole(v float64) string {
	if math.Abs(v) >= 1<<53 {
		return map[bool]string{true: "-2^53", false: "2^53"}[v < 0]
	}
	return fmt.Sprintf("%.0f", v)
}

// value is a component with some fields named.
func (w *writer) value(depth int) *node {
	s := w.shapes[w.component()]
	if len(s.fields) == 0 || w.in(15) {
		return &node{"component as a value", other, s.name, nil}
	}
	n := &node{"value of a component", other, s.name + " { ", nil}
	fields := slices.Clone(s.fields)
	w.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	for _, f := range fields[:1+w.IntN(min(3, len(fields)))] {
		if f.Len > 0 || f.Kind == ecs.Struct {
			continue
		}
		n.form += f.Name + " = $, "
		n.kids = append(n.kids, w.fitting(f, depth))
	}
	n.form += "}"
	return n
}
