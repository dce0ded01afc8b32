package luatest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Lua is a set of Lua implementations.
type Lua uint8

// The implementations that can be asked what a program prints.
const (
	PUC      Lua = 1 << iota // lua5.1
	JIT                      // luajit: goto, and yields across pcall and metamethods
	VM                       // gopher-lua as it comes: goto, __len of tables
	Machine                  // bindings/machine with package library: all of these
	Everyone = PUC | JIT | VM | Machine
)

// Program is a random program.
type Program struct {
	Seed   uint64
	Source string
	Speaks Lua   // who must print the same
	Cells  []int // of the matrix that it was written to reach
}

// perProgram is how many cells of the matrix a program is written to reach.
const perProgram = 16

// stride is a prime: a few programs in a row take cells from everywhere in the matrix.
const stride = 7919

// New returns the program of a seed. Programs of seeds in a row take turns at the cells
// of the matrix, so Rounds of them reach all.
func New(seed uint64) Program {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x5eed)), speaks: Everyone}
	turn := dialects[seed%uint64(len(dialects))]
	g.speaks = turn.speaks
	cells := cellsOf(turn.speaks)
	at := int(seed/uint64(len(dialects)))*turn.share + turn.place
	p := Program{Seed: seed, Speaks: turn.speaks}
	for i := range perProgram {
		p.Cells = append(p.Cells, cells[(at*perProgram+i)*stride%len(cells)])
	}
	g.program(p.Cells)
	p.Source = g.out.String()
	return p
}

// A dialect is what programs of some seeds may use. Most speak what all understand.
type dialect struct {
	speaks Lua
	share  int // of the programs of each round
	place  int // of this one among them
}

var dialects = []dialect{
	{Everyone, 5, 0}, {Everyone, 5, 1}, {Everyone, 5, 2}, {JIT | VM | Machine, 1, 0},
	{Everyone, 5, 3}, {Everyone, 5, 4}, {VM | Machine, 1, 0}, {JIT | Machine, 1, 0},
}

// Rounds is how many programs reach every cell of the matrix.
func Rounds() int {
	most := 0
	for _, d := range dialects {
		programs := (len(cellsOf(d.speaks)) + perProgram - 1) / perProgram
		most = max(most, (programs+d.share-1)/d.share*len(dialects))
	}
	return most
}

// A generator writes one program. Every local has a kind, so most programs run to their
// end.
type generator struct {
	r      *rand.Rand
	out    strings.Builder
	speaks Lua
	vars   []variable
	names  int
	label  int  // of the cell that is being written, from 1; 0 for what is written by chance
	depth  int  // of blocks
	loops  int  // around the current place, inside the current function
	vararg bool // inside a function with ...
}

// variable is a local that can be used at the current place.
type variable struct {
	name string
	kind kind
}

// program writes the prelude, some locals of each kind, and the cells with statements by
// chance between them. Other locals come and go in blocks.
func (g *generator) program(cells []int) {
	g.out.WriteString(prelude)
	for _, k := range []kind{number, number, text, boolean, list, object, function, number} {
		name := g.fresh()
		g.lines(fmt.Sprintf("local %s = %s", name, g.expression(k, 2)))
		g.vars = append(g.vars, variable{name, k})
	}
	for _, c := range cells {
		if g.chance(40) {
			g.lines(g.statement())
		}
		g.label = c + 1
		g.lines(matrix[c].write(g))
		g.label = 0
	}
	for _, v := range g.vars {
		g.lines(fmt.Sprintf("show(0, %s)", v.name))
	}
}

// lines writes a statement. A semicolon keeps it apart from one that begins with "(".
func (g *generator) lines(text string) { g.out.WriteString(text + ";\n") }

func (g *generator) chance(percent int) bool { return g.r.IntN(100) < percent }

func (g *generator) oneOf(choices ...string) string { return choices[g.r.IntN(len(choices))] }

func (g *generator) fresh() string {
	g.names++
	return fmt.Sprintf("v%d", g.names)
}

// local returns a visible local of a kind, or "".
func (g *generator) local(k kind) string {
	var names []string
	for _, v := range g.vars {
		if v.kind == k {
			names = append(names, v.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return g.oneOf(names...)
}

// prelude defines what programs print with, and the class of all objects. An address is
// never printed. A number that becomes part of a text goes through signless: which zero and
// which not-a-number it is, shows in lengths of texts.
const prelude = `meta = {}
meta.__index = function(t, k) if k == "twice" then return rawget(t, "x") * 2 end return meta[k] end
meta.__newindex = function(t, k, v) rawset(t, k, v) end
meta.__add = function(a, b) return (type(a) == "table" and a.x or a) + (type(b) == "table" and b.x or b) end
meta.__sub = function(a, b) return (type(a) == "table" and a.x or a) - (type(b) == "table" and b.x or b) end
meta.__mul = function(a, b) return "mul" end
meta.__div = function(a, b) return "div", "lost" end
meta.__mod = function(a, b) return end
meta.__pow = function(a, b) return type(a) .. type(b) end
meta.__unm = function(a) return -a.x end
meta.__eq = function(a, b) return a.x == b.x end
meta.__lt = function(a, b) return a.x < b.x end
meta.__le = function(a, b) return a.x <= b.x end
meta.__call = function(self, ...) return self.x, select("#", ...), ... end
meta.__concat = function(a, b) return "<" .. tostring(a) .. tostring(b) .. ">" end
meta.__tostring = function(a) return "V(" .. signless(a.x) .. ")" end
function meta:get(n) return self.x + n end
function meta:many(...) return self.x, ... end
other = { __add = function() return "other" end, __lt = function() return 1 end, __concat = function() return "o" end, __eq = function() return true end }
function V(x) return setmetatable({ x = x }, meta) end
function shape(t)
  local parts = {}
  for k, v in pairs(t) do parts[#parts + 1] = word(k) .. "=" .. (type(v) == "table" and "table" or word(v)) end
  table.sort(parts)
  return "{" .. table.concat(parts, " ") .. "}"
end
function word(v)
  local k = type(v)
  if k == "table" then return getmetatable(v) and k or shape(v) end
  if k == "function" or k == "thread" then return k end
  return tostring(v)
end
function show(label, ...)
  local parts = { "@" .. label, select("#", ...) }
  for i = 1, select("#", ...) do parts[i + 2] = word((select(i, ...))) end
  print(unpack(parts, 1, select("#", ...) + 2))
end
function keep(...) return ... end
function nothing() end
function signless(v) return v ~= v and "nan" or v == 0 and 0 or v end
function written(t)
  local copy = {}
  for i = 1, #t do copy[i] = signless(t[i]) end
  return copy
end
`
