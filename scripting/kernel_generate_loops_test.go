package scripting_test

// counted writes a for over any numbers, with a way out.
func (p *program) counted() {
	i, n := p.fresh(), p.fresh()
	p.line("local %s = 0", n)
	switch p.r.IntN(3) {
	case 0:
		p.line("for %s = %d, %d do", i, p.r.IntN(3), p.r.IntN(6))
	case 1:
		p.line("for %s = %s, %s, %s do", i, p.literal(), p.literal(), p.literal())
	default:
		p.line("for %s = %s, %s, %s do", i, p.num(1), p.num(1), p.num(1))
	}
	p.indent++
	p.line("%s = %s + 1", n, n)
	p.line("if %s > 4 then break end", n)
	p.indent--
	p.with(p.body, i)
	p.line("end")
	p.nums = append(p.nums, n)
}

// with writes something that can name some more numbers.
func (p *program) with(write func(), nums ...string) {
	outer := p.scope
	p.nums = append(p.nums, nums...)
	write()
	p.scope = outer
}

func (p *program) while() {
	n := p.fresh()
	p.line("local %s = 0", n)
	p.line("while %s < 3 and %s do", n, p.truth(2))
	p.indent++
	p.line("%s = %s + 1", n, n)
	p.indent--
	p.body()
	p.line("end")
}

func (p *program) repeat() {
	n := p.fresh()
	p.line("local %s = 0", n)
	p.line("repeat")
	p.indent++
	inner := p.fresh()
	p.line("%s = %s + 1", n, n)
	p.line("local %s = %s", inner, p.num(2))
	p.indent--
	p.line("until %s > 3 or %s < %s", n, inner, p.num(1))
}

// body is that of a loop, sometimes with a goto to its end.
func (p *program) body() {
	p.loops++
	if p.r.IntN(3) > 0 {
		p.block(1 + p.r.IntN(2))
		p.loops--
		return
	}
	label := "next" + p.fresh()
	p.indent++
	p.line("if %s then goto %s end", p.truth(1), label)
	p.line("do")
	p.block(1)
	p.line("end")
	p.line("::%s::", label)
	p.indent--
	p.loops--
}
