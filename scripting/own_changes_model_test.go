package scripting_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A sequential interpreter judges what runs see: a world of maps in which each
// operation takes effect at once. Random programs are written for it and for Lua at
// the same time; both say what they see after each operation, and at the end what the
// world is.

// sequel is that world, for entities that are known by their number in the program.
type sequel struct {
	alive  []bool
	has    [][3]bool // Hp, Gear (sparse), Mark
	hp     [][2]float64
	gear   []float64
	parent []int // -1: none
	family [][]int
}

func (s *sequel) clone() *sequel {
	c := *s
	c.alive, c.has, c.hp, c.gear, c.parent = slices.Clone(s.alive), slices.Clone(s.has), slices.Clone(s.hp), slices.Clone(s.gear), slices.Clone(s.parent)
	c.family = nil
	for _, f := range s.family {
		c.family = append(c.family, slices.Clone(f))
	}
	return &c
}

func (s *sequel) spawn(hp float64) int {
	s.alive, s.has, s.hp = append(s.alive, true), append(s.has, [3]bool{true}), append(s.hp, [2]float64{hp, 100})
	s.gear, s.parent, s.family = append(s.gear, 0), append(s.parent, -1), append(s.family, nil)
	return len(s.alive) - 1
}

func (s *sequel) leave(e int) {
	if p := s.parent[e]; p >= 0 {
		s.family[p] = slices.DeleteFunc(s.family[p], func(x int) bool { return x == e })
	}
	s.parent[e] = -1
}

func (s *sequel) despawn(e int) {
	if !s.alive[e] {
		return
	}
	for _, child := range slices.Clone(s.family[e]) {
		s.despawn(child)
	}
	s.leave(e)
	s.alive[e], s.has[e] = false, [3]bool{}
}

func (s *sequel) below(e, top int) bool {
	for ; e >= 0; e = s.parent[e] {
		if e == top {
			return true
		}
	}
	return false
}

// say is what the program's function say says of an entity.
func (s *sequel) say(e int) string {
	text := fmt.Sprintf("%d:%v", e, s.alive[e])
	if s.has[e][0] {
		text += fmt.Sprintf(" h%v/%v", s.hp[e][0], s.hp[e][1])
	}
	if s.has[e][1] {
		text += fmt.Sprintf(" g%v", s.gear[e])
	}
	if s.has[e][2] {
		text += " m"
	}
	text += fmt.Sprintf(" p%d c", s.parent[e])
	for _, child := range s.family[e] {
		text += fmt.Sprintf("%d,", child)
	}
	count := [3]int{}
	for i := range s.has {
		for k, has := range s.has[i] {
			if has {
				count[k]++
			}
		}
	}
	return text + fmt.Sprintf(" n%d,%d,%d", count[0], count[1], count[2])
}

const sequelText = `
local Hp = ecs.component("Hp", { v = ecs.f64(100), max = ecs.f64(100) })
local Gear = ecs.component("Gear", { n = ecs.f64(7) }, { sparse = true })
local Mark = ecs.tag("Mark")
local all, number = {}, {}
local function born(e) all[#all + 1] = e number[e] = #all - 1 end
local function say(i)
  local e = all[i + 1]
  local t = i .. ":" .. tostring(ecs.alive(e))
  local h, g = ecs.get(e, Hp), ecs.get(e, Gear, "n")
  if h then t = t .. " h" .. h.v .. "/" .. h.max end
  if g then t = t .. " g" .. g end
  if ecs.has(e, Mark) then t = t .. " m" end
  local p = ecs.parent(e)
  t = t .. " p" .. (p and number[p] or -1) .. " c"
  for _, c in ipairs(ecs.children(e)) do t = t .. number[c] .. "," end
  ecs.log(t .. " n" .. ecs.count(Hp) .. "," .. ecs.count(Gear) .. "," .. ecs.count(Mark))
end
`

// operate makes a random operation: its effect on the model, and its Lua.
func (s *sequel) operate(r *rand.Rand) string {
	e, v := r.IntN(len(s.alive)), float64(r.IntN(50))
	at := fmt.Sprintf("all[%d]", e+1)
	alive := s.alive[e]
	switch r.IntN(10) {
	case 0:
		s.spawn(v)
		return fmt.Sprintf("born(ecs.spawn(Hp { v = %v }))", v)
	case 1:
		s.despawn(e)
		return fmt.Sprintf("if ecs.alive(%s) then ecs.despawn(%s) end", at, at)
	case 2:
		if alive {
			if !s.has[e][0] {
				s.hp[e] = [2]float64{100, 100}
			}
			s.has[e][0], s.hp[e][0] = true, v
		}
		return fmt.Sprintf("if ecs.alive(%s) then ecs.set(%s, Hp { v = %v }) end", at, at, v)
	case 3, 4:
		if s.has[e][0] {
			s.hp[e][0] -= v
		}
		return fmt.Sprintf("do local h = ecs.get(%s, Hp) if h then ecs.set(%s, Hp { v = h.v - %v }) end end", at, at, v)
	case 5:
		if alive {
			s.has[e][1], s.gear[e] = true, 7
			s.has[e][2] = true
		}
		return fmt.Sprintf("if ecs.alive(%s) then ecs.add(%s, Gear, Mark) end", at, at)
	case 6:
		k := r.IntN(3)
		s.has[e][k] = false
		return fmt.Sprintf("if ecs.alive(%s) then ecs.remove(%s, %s) end", at, at, [...]string{"Hp", "Gear", "Mark"}[k])
	case 7:
		if s.has[e][0] {
			s.hp[e][1] += v
		}
		return fmt.Sprintf("ecs.update(%s, Hp, function(h) h.max = h.max + %v end)", at, v)
	case 8:
		if s.has[e][1] {
			s.gear[e] *= 2
		}
		return fmt.Sprintf("ecs.update(%s, Gear, function(g) g.n = g.n * 2 end)", at)
	default:
		p := r.IntN(len(s.alive))
		if s.below(p, e) || !alive || !s.alive[p] {
			return ""
		}
		s.leave(e)
		s.parent[e], s.family[p] = p, append(s.family[p], e)
		return fmt.Sprintf("ecs.set_parent(%s, all[%d])", at, p+1)
	}
}

// sequence writes random operations, after each of which an entity is looked at.
type sequence struct {
	*sequel
	r    *rand.Rand
	text strings.Builder
	want []string // what the program logs
	born bool     // there may be new entities: numbers of the program are not taken back
}

// some writes some operations.
func (q *sequence) some(n int) {
	for range n {
		before := len(q.alive)
		op := q.operate(q.r)
		if len(q.alive) > before && !q.born {
			q.alive, q.has, q.hp, q.gear = q.alive[:before], q.has[:before], q.hp[:before], q.gear[:before]
			q.parent, q.family = q.parent[:before], q.family[:before]
			continue
		}
		if op != "" {
			e := q.r.IntN(len(q.alive))
			fmt.Fprintf(&q.text, "  %s say(%d)\n", op, e)
			q.want = append(q.want, q.say(e))
		}
	}
}

// batch writes a run of a system over batches: what its when does, what it computes over
// columns, what it does to entities, and what it leaves in an array, which comes last.
func (q *sequence) batch(tick int) (ran bool) {
	had := slices.Clone(q.has)
	fmt.Fprintf(&q.text, "before[%d] = function()\n", tick)
	q.some(q.r.IntN(4))
	fmt.Fprintf(&q.text, "end\nwithin[%d] = function(b)\n", tick)
	var rows []int
	for e := range had {
		if had[e][0] && q.has[e][0] {
			rows = append(rows, e)
		}
	}
	if len(rows) == 0 {
		q.text.WriteString("end\n")
		return false
	}
	if q.r.IntN(3) > 0 {
		k := float64(1 + q.r.IntN(5))
		fmt.Fprintf(&q.text, "  b:col(Hp, \"v\"):add(%v)\n", k)
		for _, e := range rows {
			q.hp[e][0] += k
		}
	}
	field := q.r.IntN(2)
	fmt.Fprintf(&q.text, "  local ids, w = b.entities, b:write(Hp, %q)\n", [...]string{"v", "max"}[field])
	left, k := map[int]float64{}, float64(1+q.r.IntN(5))
	for _, e := range rows {
		if e%2 == tick%2 {
			left[e] = q.hp[e][field] + k
		}
	}
	q.some(q.r.IntN(5))
	fmt.Fprintf(&q.text, "  for i = 1, b.n do if number[ids[i]] %% 2 == %d then w[i] = w[i] + %v end end\n", tick%2, k)
	for e, v := range left {
		if q.has[e][0] {
			q.hp[e][field] = v
		}
	}
	return true
}

// TestRunsAreSequential runs random programs: in each tick one run of a system, of which
// some are over batches, and some of the third ones fail, and are undone as a whole.
func TestRunsAreSequential(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		q := &sequence{sequel: &sequel{}, r: r}
		q.text.WriteString(sequelText + "local program, before, within = {}, {}, {}\n")
		for i := range 6 {
			q.spawn(float64(10 * i))
		}
		q.text.WriteString("ecs.on_start(function() for i = 0, 5 do born(ecs.spawn(Hp { v = 10 * i })) end end)\n")
		for tick := range 5 {
			before := q.clone()
			fails, ran := tick == 2 && r.IntN(2) == 0, true
			q.born = !fails
			if r.IntN(2) == 0 {
				ran = q.batch(tick + 1)
			} else {
				fmt.Fprintf(&q.text, "program[%d] = function()\n", tick+1)
				q.some(1 + r.IntN(8))
			}
			if ran && fails {
				q.text.WriteString("  error(\"planned\")\n")
				q.sequel = before
			}
			if ran {
				q.text.WriteString("end\n")
			}
			for e := range q.alive {
				q.want = append(q.want, q.say(e))
			}
		}
		q.text.WriteString(`ecs.system "a" { run = function(ctx) if program[ctx.tick] then program[ctx.tick]() end end }
ecs.system "b" { query = { Hp }, when = function(ctx) if before[ctx.tick] then before[ctx.tick]() return true end end,
  batch = function(b, ctx) within[ctx.tick](b) end }
ecs.system "z" { priority = 9, run = function(ctx) for i = 0, #all - 1 do say(i) end end }`)
		g := loaded(t, "a.lua", q.text.String())
		g.step(5)
		if want := q.want; !slices.Equal(g.logs, want) {
			for i := range min(len(want), len(g.logs)) {
				if g.logs[i] != want[i] {
					t.Fatalf("seed %d, line %d of the log:\n%s\nwant\n%s\n%s", seed, i, g.logs[i], want[i], q.text.String())
				}
			}
			t.Fatalf("seed %d: %d lines, want %d\n%s", seed, len(g.logs), len(want), q.text.String())
		}
	}
}
