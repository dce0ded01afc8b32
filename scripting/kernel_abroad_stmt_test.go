package scripting_test

import (
	"fmt"
	"strings"
)

// foreignStmt writes a statement about what is abroad.
func (p *program) foreignStmt() {
	if p.indent > 5 {
		p.line("count = count + %s", p.num(1))
		return
	}
	switch p.r.IntN(6) {
	case 0, 1:
		p.ownRow()
	case 2:
		p.value()
	case 3:
		p.captured()
	case 4:
		p.round()
	default:
		p.changes()
	}
}

// within writes a statement about one of the rows, with @ for its name, where the
// row is there; sometimes also where it is not, which is an error.
func (p *program) within(text string, rows ...string) {
	list := p.held(rows...)
	if len(list) == 0 {
		p.line("%s = %s", p.floatField(), p.num(1))
		return
	}
	name := p.pick(list...)
	text = strings.ReplaceAll(text, "@", name)
	switch {
	case name[0] != 'o':
		p.line("%s", text)
	case p.r.IntN(12) == 0:
		p.line("if a.u8 %% 16 == %d then %s end", p.r.IntN(16), text)
	default:
		p.line("if %s then %s end", name, text)
	}
}

// ownRow changes a field of the row.
func (p *program) ownRow() {
	frames := []string{"f", "of"}
	switch p.r.IntN(14) {
	case 0:
		p.within(fmt.Sprintf("@.at.%s = %s", p.pick("x", "y"), p.num(2)), frames...)
	case 1:
		p.within(fmt.Sprintf("@.at.deep.n = %s", p.whole(-32768, 32767)), frames...)
	case 2:
		p.within(fmt.Sprintf("@.small[%s] = %s", p.place(3), p.whole(0, 255)), frames...)
	case 3:
		p.within(fmt.Sprintf("@.long[%d] = %s", 1+p.r.IntN(20), p.whole(-2147483648, 2147483647)), frames...)
	case 4:
		p.within(fmt.Sprintf("@.slots[%s] = %s", p.place(4), p.num(1)), "f", "of", "og")
	case 5:
		p.within(fmt.Sprintf("@.slots[1], @.slots[2], @.slots[4] = @.slots[2], %s, @.slots[1]", p.num(1)), "f", "of", "og")
	case 6:
		p.within("@.mode = "+p.named(), "f", "of", "og")
	case 7:
		p.within("@.mate = "+p.pick("e", "0", "ecs.parent(e)", p.someone(), fmt.Sprintf("ecs.alive(%s) and e or 0", p.someone())), "f", "og")
	case 8:
		p.within(fmt.Sprintf("@.t, @.n = %s, %s", p.num(1), p.whole(-32768, 32767)), "h", "oh")
	case 9:
		p.within(fmt.Sprintf("@.a, @.s, @.n = %s, %s, %s", p.num(2), p.num(1), p.whole(0, 255)), "og")
	case 10:
		p.within(fmt.Sprintf("for i = 1, #@.%s do @.%[1]s[i] = @.%[1]s[i] * 0.5 + i end", "slots"), "f", "of", "og")
	case 11:
		p.within(fmt.Sprintf("if @.n < %d then @.n = @.n + %d end", 100+p.r.IntN(156), 1+p.r.IntN(3)), "og", "h")
	case 12:
		p.within("lib.clear(b, @.at.x)", frames...)
	default:
		p.within(fmt.Sprintf("@.at.x, b.f, @.at.deep.n = b.f, @.at.x, %s", p.pick("@.at.deep.n", "a.i8", "a.i16")), frames...)
	}
}

// whole is a number for an integer field: mostly what fits.
func (p *program) whole(low, high int) string {
	switch p.r.IntN(5) {
	case 0:
		return p.num(1)
	case 1:
		return p.pick("a.u8", "a.i8", "b.u16", "a.i16")
	}
	return fmt.Sprintf("floor(math.max(%d, math.min(%d, %s)))", low, high, p.num(1))
}

// value makes or changes a local of a kind that is more than a number.
func (p *program) value() {
	name := p.fresh()
	switch p.r.IntN(9) {
	case 0:
		if !p.has("f") {
			p.value()
			return
		}
		p.line("local %s = %s", name, p.mode())
		p.modes = append(p.modes, name)
	case 1:
		p.line("local %s = %s", name, p.maybe())
		p.maybes = append(p.maybes, name)
	case 2:
		p.line("local %s", name)
		p.line("if %s then %s = %s end", p.truth(1), name, p.pick(p.num(1), p.maybe()))
		p.maybes = append(p.maybes, name)
	case 3:
		p.line("local %s = ecs.get(%s, Frame)", name, p.someone())
		p.copies = append(p.copies, name)
	case 4:
		if len(p.maybes) == 0 {
			p.value()
			return
		}
		m := p.pick(p.maybes...)
		p.line("if %s then %s = %s %s %s end", m, p.floatField(), m, p.pick("+", "*", "<= 2 and 1 or"), p.num(1))
	case 5:
		if len(p.maybes) == 0 {
			p.value()
			return
		}
		p.line("if a.u8 %% 16 == %d then %s = %s - 1 end", p.r.IntN(16), p.floatField(), p.pick(p.maybes...)) // may be an error
	case 6:
		other, third := p.fresh(), p.fresh()
		p.line("local %s, %s, %s = three(%s)", name, other, third, p.num(1))
		p.nums, p.maybes = append(p.nums, name, other), append(p.maybes, third)
	case 7:
		p.line("%s, %s = lib.toward(%s, %s, %s)", p.floatField(), p.floatField(), p.num(1), p.num(1), p.num(1))
	default:
		p.line("if a.u8 %% 16 == %d then %s = ecs.get(%s, %s end", p.r.IntN(16), p.floatField(), p.someone(), p.pick("Frame).at.y", "Gear).a", `Heat, "t")`))
	}
}

// captured changes what the script holds, and what its modules do.
func (p *program) captured() {
	switch p.r.IntN(9) {
	case 0:
		p.line("least = math.min(least, %s)", p.num(1))
	case 1:
		p.line("flag = %s", p.truth(1))
	case 2:
		p.line("memory.on, memory.total = %s, memory.total + %s", p.truth(1), p.num(1))
	case 3:
		p.line("if %s then memory.deep.most = %s end", p.truth(1), p.num(1))
	case 4:
		p.line("count, %s, flag = %s, count, not flag", p.floatField(), p.num(1))
	case 5:
		p.line("lib.far.limit = lib.far.limit + %s", p.num(1))
	case 6:
		p.line("lib.%s", p.pick("hold(a.f)", "clear(b, a.f)", "age(a, ctx)", "none()"))
	case 7:
		p.line("if lib.hold(%s) > 100 then count = count + 1 end", p.plain())
	default:
		p.line("if %s > most then most = %s end", p.plain(), p.plain())
	}
}

// round writes a loop in another form than the plain ones.
func (p *program) round() {
	n := p.fresh()
	switch p.r.IntN(5) {
	case 0:
		p.line("local %s = 0", n)
		p.line("while true do")
		p.line("%s = %s + 1", n, n)
		p.line("if %s > %s or %s then break end", n, p.pick("3", "a.u8 % 5"), p.truth(1))
		p.body()
		p.line("end")
	case 1:
		p.line("local %s = 0", n)
		p.line("repeat")
		p.line("%s = %s + 1", n, n)
		p.loops++
		p.block(2) // a label at its end would be in front of the condition
		p.loops--
		p.line("until %s > 2 or %s", n, p.truth(1))
	case 2:
		p.line("for %s = %s, 1, -1 do", n, p.pick("3", "4", "a.u8 % 4"))
		p.with(p.body, n)
		p.line("end")
	case 3:
		inner := p.fresh()
		p.line("for %s = 1, 3 do for %s = 1, %s do", n, inner, p.pick("2", "3", n))
		p.with(p.body, n, inner)
		p.line("end end")
	default:
		v := p.fresh()
		p.line("for %s, %s in ipairs(%s) do", n, v, p.pick("levels", "memory.deep.list"))
		p.line("if %s then break end", p.truth(1))
		p.with(p.body, n, v)
		p.line("end")
	}
}

// changes has something be done when the system is through.
func (p *program) changes() {
	gear := func() string {
		return fmt.Sprintf("Gear { %s }", p.pick(
			fmt.Sprintf("a = %s, mode = %s", p.num(1), p.named()), fmt.Sprintf("n = %s, mate = %s", p.whole(0, 255), p.someone()), "s = a.g"))
	}
	text := ""
	switch p.r.IntN(9) {
	case 0:
		text = fmt.Sprintf("ecs.emit(Hit { amount = %s, kind = %s and \"soft\" or \"hard\", on = %s, who = e })", p.num(1), p.truth(1), p.truth(1))
	case 1:
		text = fmt.Sprintf("ecs.emit(Hit { n = %s }) ecs.emit(Hit)", p.whole(-128, 127))
	case 2:
		text = fmt.Sprintf("ecs.set(%s, %s, Alpha { g = %s, u8 = 9 })", p.someone(), gear(), p.num(1))
	case 3:
		text = fmt.Sprintf("ecs.add(%s, %s, Red)", p.someone(), gear())
	case 4:
		text = fmt.Sprintf("ecs.remove(%s, %s)", p.someone(), p.pick("Gear", "Red, Heat", "Frame"))
	case 5:
		text = fmt.Sprintf("ecs.spawn(Bolt, Alpha { f = %s, b = %s }, Red)", p.num(1), p.truth(1))
	case 6:
		text = fmt.Sprintf("ecs.spawn(Heat { t = %s }, %s) count = count + 1", p.num(1), gear())
	case 7:
		text = fmt.Sprintf("ecs.despawn(%s)", p.someone())
	default:
		text = fmt.Sprintf("ecs.add(e, Heat { t = %s, n = %s })", p.num(1), p.whole(-32768, 32767))
	}
	p.line("if %s and %s then %s end", p.pick("a.u8 < 40", "a.u8 % 8 == 2", "e % 9 == 4"), p.truth(1), text)
}
