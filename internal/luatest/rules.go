package luatest

import (
	"fmt"
	"regexp"
	"strings"
)

// kind is what an expression gives.
type kind byte

const (
	number   kind = 'n'
	text     kind = 's'
	boolean  kind = 'b'
	list     kind = 'l' // a table of numbers
	object   kind = 'o' // a table with metamethods
	function kind = 'f' // from any numbers to one
	several  kind = 'v' // any number of values
)

// A rule is one thing that can be written. Its text is Lua with these parts in braces:
//
//	{n} {s} {b} {l} {o} {f} {v}  an expression of the kind of that letter; {x} one of any kind
//	{i}                          a whole number from 1 to 5
//	{A} … {E}                    a name of its own, the same in the whole text
//	{K}                          the label to be shown
//	{block}                      some statements; {loop} those of a loop's body
//	{e} {body}                   what stands in the place, or in the context
//	{|a|b|c}                     one of these
type rule struct {
	name   string
	kind   kind // 0 for statements, places and contexts
	text   string
	speaks Lua // who understands it; 0 means everyone
}

func (r *rule) spoken(by Lua) bool { return r.speaks == 0 || by&^r.speaks == 0 }

var parts = regexp.MustCompile(`\{(\|[^{}]*|[nsblofvxiKABCDE]|block|loop|e|body)\}`)

// fill writes a text with its parts.
func (g *generator) fill(text string, depth int, given string) string {
	names := map[string]string{}
	return parts.ReplaceAllStringFunc(text, func(part string) string {
		part = part[1 : len(part)-1]
		switch {
		case part[0] == '|':
			return g.oneOf(strings.Split(part[1:], "|")...)
		case part == "e" || part == "body":
			return given
		case part == "i":
			return fmt.Sprint(1 + g.r.IntN(5))
		case part == "K":
			return fmt.Sprint(g.label)
		case part == "block":
			return g.block()
		case part == "loop":
			return g.loop()
		case part == "x":
			return g.expression(kinds[g.r.IntN(len(kinds))], depth-1)
		case part[0] >= 'A' && part[0] <= 'E':
			if names[part] == "" {
				names[part] = g.fresh()
			}
			return names[part]
		}
		return g.expression(kind(part[0]), depth-1)
	})
}

var kinds = []kind{number, text, boolean, list, object, function, several}

// expression is a random expression of a kind. Deep ones are locals and literals.
func (g *generator) expression(k kind, depth int) string {
	if name := g.local(k); name != "" && (depth <= 0 || g.chance(30)) {
		return name
	}
	if depth <= 0 {
		return g.fill(g.oneOf(plain[k]...), 0, "")
	}
	rules := expressionsOf(k, g.speaks)
	return g.fill(rules[g.r.IntN(len(rules))].text, depth, "")
}

// plain are expressions without parts.
var plain = map[kind][]string{
	number:   {"1", "2", "3", "-1", "0.5", "10", "1e3", "0x1F", "0010", "2.5e-1", "-7", "100"},
	text:     {`("a")`, `("hello world")`, `("")`, `("x=1, y=22")`, `("12")`, `("l\065\n\\")`, `("(a)(b)")`, `([[long]])`},
	boolean:  {"true", "false"},
	list:     {"({ 4, 5, 6 })", "({ 1 })", "({ 2, 0.5 })"},
	object:   {"V(5)", "V(0.5)", "V(-3)"},
	function: {"math.max", "math.min", "(function(a, b) return a - (b or 1) end)"},
	several:  {"unpack({ 8, 9 })", "keep(1, 2, 3)", "nothing()", "keep()", "keep(nil, nil)", "(keep(7, 8))"},
}

// block is one or two statements whose locals end with it.
func (g *generator) block() string {
	known := len(g.vars)
	g.depth++
	label := g.label
	g.label = 0
	var b strings.Builder
	for range 1 + g.r.IntN(2) {
		b.WriteString(g.statement() + ";\n")
	}
	g.label = label
	g.depth--
	g.vars = g.vars[:known]
	return strings.TrimSuffix(b.String(), "\n")
}

// loop is a block that may leave the loop around it.
func (g *generator) loop() string {
	g.loops++
	text := g.block()
	g.loops--
	if g.chance(25) {
		text += "\nif " + g.expression(boolean, 1) + " then break end"
	}
	return text
}

// statement is a random statement. A new local can be used after it.
func (g *generator) statement() string {
	switch {
	case g.depth > 3:
		return g.fill("show({K}, {n})", 1, "")
	case g.chance(30) && len(g.vars) < 40:
		k := kinds[g.r.IntN(len(kinds)-1)]
		value, name := g.expression(k, 2), g.fresh()
		g.vars = append(g.vars, variable{name, k})
		return "local " + name + " = " + value
	case g.chance(25):
		return g.assignment()
	case g.chance(20):
		c := contexts[g.r.IntN(len(contexts))]
		for !c.spoken(g.speaks) {
			c = contexts[g.r.IntN(len(contexts))]
		}
		return g.within(&c, func() string { return g.fill("{block}", 2, "") })
	case g.chance(30):
		p := places[g.r.IntN(len(places))]
		return g.fill(p.text, 2, g.expression(kinds[g.r.IntN(len(kinds))], 3))
	}
	rules := statementsOf(g.speaks)
	return g.fill(rules[g.r.IntN(len(rules))].text, 2, "")
}

// assignment gives locals new values. Texts do not grow without end.
func (g *generator) assignment() string {
	k := kinds[g.r.IntN(len(kinds)-1)]
	name, also := g.local(k), g.local(k)
	value := g.expression(k, 3)
	if k == text {
		value = "(" + value + "):sub(1, 60)"
	}
	switch {
	case name == "":
		return g.fill("show({K}, {x})", 2, "")
	case name != also && g.chance(40):
		return fmt.Sprintf("%s, %s = %s, %s", name, also, also, value)
	}
	return name + " = " + value
}

// within writes statements inside a context. What leads out of functions changes there.
func (g *generator) within(context *rule, body func() string) string {
	known, loops, vararg := len(g.vars), g.loops, g.vararg
	g.loops, g.vararg = 0, strings.Contains(context.text, "(...)")
	g.depth++
	text := strings.TrimSuffix(body(), ";") + ";"
	g.depth--
	g.vars, g.loops, g.vararg = g.vars[:known], loops, vararg
	return g.fill(context.text, 1, text)
}
