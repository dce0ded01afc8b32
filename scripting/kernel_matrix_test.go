package scripting_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var matrixPrograms = flag.Int("kernel.matrix", 400, "programs that fill the matrix of rules and places; from 4000 on every pair must be reached")

// everywhere is where all rules have something to be about: it has lists that are
// copied, and a second enum with some of the first one's names.
var everywhere = setting{opening: languageSetting.opening + `
local Tool = ecs.component("Tool", { mode = ecs.enum("swim", "walk", "idle"), mate = ecs.entity() })
local long, bits, spots = {}, {}, {}
for i = 1, 40 do long[i], bits[i] = i * 1.5 - 20, i % 7 < 3 end
for i = 1, 5 do spots[i] = { x = i - 2.5, on = i % 2 == 0, at = { n = i * i, row = { i, -i, 0 } } } end
local grid = { { 1, 0, 2 }, { 3, -4, 5 }, { 6, 7, 8 }, { 9, 0.5, 9 } }
ecs.on_start(function()
  for e in ecs.entities { Alpha } do if e % 4 == 1 then ecs.add(e, Tool { mode = "walk", mate = e }) end end
end)
`, system: languageSetting.system}

// pair is a rule in a place.
type pair struct{ rule, place string }

// cell counts how often programs that are compiled whole have a pair.
type cell struct {
	pair
	sown          *sown
	write         func(p *sower, x string) string // puts the rule in its place; nil: any place inside around
	around        string                          // empty: any
	reached, made int
}

// matrix is what random programs are to reach.
type matrix struct {
	cells []*cell
	known map[pair]*cell
	of    map[string][]*cell // by rule: its places
	none  map[string]int     // why pairs cannot exist, and how many
}

func newMatrix() *matrix {
	m := &matrix{known: map[pair]*cell{}, of: map[string][]*cell{}, none: map[string]int{}}
	for i := range sownRules {
		m.places(&sownRules[i])
	}
	for i := range sownForms {
		m.rounds(&sownForms[i])
	}
	return m
}

func (m *matrix) add(c *cell) {
	m.cells = append(m.cells, c)
	m.known[c.pair] = c
	if c.write != nil {
		m.of[c.rule] = append(m.of[c.rule], c)
	}
}

// places adds the places of an expression.
func (m *matrix) places(s *sown) {
	for _, d := range sownDecisions {
		if s.kind == aNumber && d.name != "if" {
			m.none["a number is always true: what it decides is known before it comes to a branch"] += 2 * len(sownJoins)
			continue
		}
		for _, j := range sownJoins {
			for _, sign := range []string{"", "not "} {
				if slices.Contains(sownFound, s.name) && sign == "" && strings.HasPrefix(j.name, "right") {
					m.none["what ecs.get finds is no value that a second operand leaves: such a function has no kernel"]++
					continue
				}
				m.add(&cell{pair: pair{s.name, sign + j.name + ", " + d.name}, sown: s, write: func(p *sower, x string) string {
					return strings.ReplaceAll(d.text, "C", strings.ReplaceAll(j.text, "X", sign+"("+x+")"))
				}})
			}
		}
	}
	for _, u := range sownUses {
		switch s.kind {
		case aNumber, aMaybe:
			m.add(&cell{pair: pair{s.name, u.name}, sown: s, write: func(p *sower, x string) string {
				if s.kind == aMaybe {
					x = "(" + x + " or $n)"
				}
				return strings.ReplaceAll(u.text, "X", x)
			}})
		default:
			m.none["in arithmetic only numbers are no error"]++
		}
	}
	for _, u := range sownNames {
		if s.kind != aName {
			m.none["only names of an enum are that"]++
			continue
		}
		m.add(&cell{pair: pair{s.name, u.name}, sown: s, write: func(p *sower, x string) string { return strings.ReplaceAll(u.text, "X", x) }})
	}
	m.rounds(s)
}

// rounds adds what can stand around a rule.
func (m *matrix) rounds(s *sown) {
	for _, a := range sownAround {
		m.add(&cell{pair: pair{s.name, "in " + a.name}, sown: s, around: a.name})
	}
}

// sower writes programs that have certain pairs.
type sower struct {
	*matrix
	r     *rand.Rand
	head  string
	pairs []pair // of the program
	names int
}

var (
	sownHeads = []string{"e, a, b, of, og, oh, red, ot, ctx", "e, a, b, f, og, oh, red, ot, ctx", "e, a, b, h, of, og, red, ot, ctx"}
	sownHoles = regexp.MustCompile(`\$[a-z]+[0-9]*|\$[0-9]+`)
	sownName  = regexp.MustCompile(`\b([a-z]+)#`)
)

func (p *sower) pick(list ...string) string { return list[p.r.IntN(len(list))] }

// text fills the holes of a text, and gives its names a number of their own.
func (p *sower) text(text string, depth int) string {
	p.names++
	text = sownName.ReplaceAllString(text, fmt.Sprintf("${1}_%d", p.names))
	return sownHoles.ReplaceAllStringFunc(text, func(hole string) string { return p.hole(hole[1:], depth) })
}

func (p *sower) hole(hole string, depth int) string {
	any := func(k kind) string { return p.text(p.rule(k, depth+1), depth+1) }
	deep := depth < 2 && p.r.IntN(3) == 0
	switch hole {
	case "n":
		if deep {
			return any(aNumber)
		}
		return p.pick("a.f", "b.h", "b.g", "a.u8", "a.i8", "2", "-0.5", "n0")
	case "t":
		if deep {
			return "(" + any(aTruth) + ")"
		}
		return p.pick("a.b", "b.b", "(a.i8 > 0)", "(b.h < 3)", "t0")
	case "h":
		return p.pick("e", "(og and og.mate or e)", "(e + 1)", "(ecs.parent(e) or e)", "(og and og.mate or 0)", "(e - 2)")
	case "m":
		return p.named()
	case "f":
		return p.pick("b.f", "b.h", "a.g", "b.g", "a.f")
	case "s":
		return p.text(p.pick("b.f = b.f + 1", "a.g = 7", "count = count + 1", "$f = $n", "b.h = 3"), depth+1)
	case "r":
		return p.pick("a.u8 < 40", "a.u8 % 8 == 2", "e % 9 == 4")
	case "k":
		return p.pick("3", "4", "20")
	case "w8":
		return p.text("floor(math.max(-128, math.min(127, $n)))", depth+1)
	case "wu8":
		return p.text("floor(math.max(0, math.min(255, $n)))", depth+1)
	}
	return p.pick("1", "2", "a.u8 % "+hole+" + 1", "floor(math.abs(b.g)) % "+hole+" + 1")
}

// named is a name of an enum.
func (p *sower) named() string {
	if strings.Contains(p.head, " f,") && p.r.IntN(2) == 0 {
		return "f.mode"
	}
	return "d0"
}

// rule returns any text of a kind.
func (p *sower) rule(k kind, depth int) string {
	for {
		if s := &sownRules[p.r.IntN(len(sownRules))]; s.kind == k {
			return p.pick(s.texts...)
		}
	}
}

// open returns the first cell that nothing has reached, from some place on.
func (p *sower) open() *cell {
	first := p.r.IntN(len(p.cells))
	for i := range p.cells {
		if c := p.cells[(first+i)%len(p.cells)]; c.reached == 0 && c.made < 200 {
			return c
		}
	}
	return p.cells[first]
}

// site writes one pair, and what stands around it.
func (p *sower) site() string {
	c := p.open()
	rule := c.sown
	x := p.pick(rule.texts...)
	around := c.around
	if places := p.of[rule.name]; c.write == nil && len(places) > 0 {
		c = places[p.r.IntN(len(places))]
	}
	if around == "" {
		around = sownAround[p.r.IntN(len(sownAround))].name
	}
	if rule.name == "a name in a field" {
		p.head = sownHeads[1]
	}
	stmt := x
	if c.write != nil {
		p.pairs = append(p.pairs, c.pair)
		c.made++
		stmt = c.write(p, x)
	}
	other := p.known[pair{rule.name, "in " + around}]
	other.made++
	p.pairs = append(p.pairs, other.pair)
	for _, a := range sownAround {
		if a.name == around {
			stmt = strings.ReplaceAll(p.text(a.text, 0), "S", p.text(stmt, 0))
		}
	}
	return "  " + stmt + "\n"
}

// sownFound are the rules that look for a component where they stand.
var sownFound = []string{"a copy", "a copy of one in a pool"}

// sownBefore are the locals that programs may name.
var sownBefore = []struct{ name, text string }{
	{"n0", "local n0 = b.g"}, {"t0", "local t0 = a.b"}, {"m0", "local m0 = lib.maybe(a.f)"}, {"m1", "local m1 if b.b then m1 = a.g end"},
	{"d0", `local d0 = a.b and "walk" or "idle"`}, {"w0", `local w0 = b.b and "high" or "low"`},
	{"c0", "local c0 = ecs.get(og and og.mate or e, Gear)"}, {"c1", "local c1 = ecs.get(e + 1, Frame)"},
	{"near", "local function near(x) if x > 0 then return x * 0.5 end return -x, 3 end"}, {"sure", "local function sure(x) return x > 1 end"},
}

// program writes a function with some sites.
func (p *sower) program() string {
	p.head, p.pairs, p.names = p.pick(sownHeads...), nil, 0
	body := ""
	for range 1 + p.r.IntN(4) {
		body += p.site()
	}
	if p.r.IntN(6) == 0 {
		body += "  if a.b then return end\n"
	}
	before := ""
	for _, b := range sownBefore {
		if regexp.MustCompile(`\b` + b.name + `\b`).MatchString(body) {
			before += "  " + b.text + "\n"
		}
	}
	body = before + body
	body = regexp.MustCompile(`\bo\.mode`).ReplaceAllString(body, "f.mode")
	if strings.Contains(p.head, " f,") {
		body = regexp.MustCompile(`\bof\b`).ReplaceAllString(body, "f")
	}
	if strings.Contains(p.head, " h,") {
		body = regexp.MustCompile(`\boh\b`).ReplaceAllString(body, "h")
	}
	return "function(" + p.head + ")\n" + body + "end\n"
}

// TestKernelMatrix runs programs in which every rule of the compiler stands in every
// place: what it depends on is not only the rule, but the side of the operator, the
// sign, and what is decided. It prints what is reached and fails for what is not.
func TestKernelMatrix(t *testing.T) {
	sideBySide(t)
	const batch = 20
	p := &sower{matrix: newMatrix()}
	compiled, total := 0, 0
	reasons := map[string]int{}
	for seed := *kernelSeed; total < *matrixPrograms; seed++ {
		p.r = rand.New(rand.NewPCG(seed, 21))
		texts, pairs := make([]string, batch), make([][]pair, batch)
		for i := range texts {
			texts[i] = p.program()
			pairs[i] = p.pairs
		}
		o, difference := everywhere.compare(t, texts, seed)
		if o.refused != nil {
			for _, text := range texts {
				if o, _ := everywhere.compare(t, []string{text}, seed); o.refused != nil {
					t.Fatalf("seed %d: %v\n%s", seed, o.refused, text)
				}
			}
			t.Fatal(o.refused)
		}
		total, compiled = total+batch, compiled+o.compiled
		for _, why := range o.reasons {
			reasons[why]++
		}
		if difference != "" {
			everywhere.explain(t, texts, seed, difference)
		}
		for i := range texts {
			if o.whole[fmt.Sprintf("s%02d", i)] {
				for _, pair := range pairs[i] {
					p.known[pair].reached++
				}
			}
		}
	}
	p.report(t, total, compiled, reasons)
}

// explain fails with the program that makes a difference, as short as it can be.
func (in setting) explain(t *testing.T, texts []string, seed uint64, difference string) {
	t.Helper()
	for _, text := range texts {
		if _, alone := in.compare(t, []string{text}, seed); alone != "" {
			text = shrink(text, func(text string) bool { _, d := in.compare(t, []string{text}, seed); return d != "" })
			_, alone = in.compare(t, []string{text}, seed)
			t.Fatalf("seed %d\n%s\n%s", seed, alone, text)
		}
	}
	t.Fatalf("seed %d: only together\n%s\n%s", seed, difference, strings.Join(texts, "\n"))
}

// report prints the matrix and fails for empty cells, if there were enough programs.
func (m *matrix) report(t *testing.T, total, compiled int, reasons map[string]int) {
	t.Helper()
	const enough = 4000
	reached := 0
	rows := map[string][]string{}
	for _, c := range m.cells {
		if c.reached > 0 {
			reached++
		} else {
			rows[c.rule] = append(rows[c.rule], c.place)
		}
	}
	t.Logf("%d programs from seed %d, %d compiled: %d of %d pairs of %d rules and their places are reached", total, *kernelSeed, compiled, reached, len(m.cells), len(sownRules)+len(sownForms))
	for why, n := range m.none {
		t.Logf("%d pairs cannot be: %s", n, why)
	}
	t.Logf("not compiled: %v", reasons)
	for rule, places := range rows {
		if total >= enough {
			t.Errorf("not reached: %s: %s", rule, strings.Join(places, "; "))
		}
	}
	if compiled < total*9/10 {
		t.Errorf("only %d of %d programs were compiled", compiled, total)
	}
}
