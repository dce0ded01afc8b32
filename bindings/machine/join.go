package machine

import "slices"

// Instructions of a function that holds fields are joined: an operator takes fields from the
// registers in which they stand, and puts its result into one. What only moved them is passed
// over, and counted as before: a joined instruction stands in the place of the first one that
// it does the work of, and goes on after the last one.
//
// Invariants: between two blocks, all registers that are read later are as they would be
// without it. Where a joined instruction cannot do its work, the function stops.

// registers is a set of registers.
type registers [4]uint64

func (s *registers) add(r int)      { s[r>>6] |= 1 << (r & 63) }
func (s *registers) drop(r int)     { s[r>>6] &^= 1 << (r & 63) }
func (s *registers) has(r int) bool { return s[r>>6]>>(r&63)&1 != 0 }

// joiner joins the instructions of one function.
type joiner struct {
	p     *proto
	first int         // register of a field
	live  []registers // that are read from an instruction on, before they are written
	begin []bool      // blocks begin here
	out   []ins

	pieces []joined    // of the block at hand
	alias  map[int]int // registers in whose place a field is read
}

// joined is an instruction of the joined code. One that is fixed stands where it stood.
type joined struct {
	ins
	fixed bool
	at    int // where a fixed one stands
	words int // that it goes over
}

// join returns the joined code, or the code as it is where it is too long.
func (p *proto) join() []ins {
	j := &joiner{p: p, first: p.size - scratch - len(p.fields), out: slices.Clone(p.code)}
	if p.size > 256 || len(p.code) > 4000 {
		return p.code
	}
	j.findBlocks()
	j.findLive()
	for from := 0; from < len(p.code); {
		to := from + 1
		for to < len(p.code) && !j.begin[to] {
			to++
		}
		j.block(from, to)
		from = to
	}
	return j.out
}

// next returns the instructions to which one leads.
func (j *joiner) next(i int) []int {
	in := &j.p.code[i]
	to := i + int(int64(in.k))/int(insSize)
	switch {
	case in.op == xJump || in.op == xForPrep:
		return []int{to}
	case in.op >= xEqual && in.op <= xTestSet:
		return []int{to, i + 2}
	case in.op == xForLoop:
		return []int{to, i + 1}
	case in.op == xReturn || in.op == xReturnOne || in.op == xJoinedStop:
		return nil
	case in.op == xLoadBool:
		return []int{i + 1 + int(in.c)/int(insSize)}
	}
	return []int{i + 1}
}

// leads reports whether an instruction ends a block.
func (j *joiner) leads(i int) bool {
	next := j.next(i)
	return len(next) != 1 || next[0] != i+1
}

func (j *joiner) findBlocks() {
	j.begin = make([]bool, len(j.p.code)+2)
	for i := range j.p.code {
		if j.leads(i) {
			j.begin[i+1] = true
			for _, to := range j.next(i) {
				j.begin[to] = true
			}
		}
	}
}

// findLive goes through the code backwards until nothing changes any more.
func (j *joiner) findLive() {
	j.live = make([]registers, len(j.p.code)+2)
	for changed := true; changed; {
		changed = false
		for i := len(j.p.code) - 1; i >= 0; i-- {
			var now registers
			for _, to := range j.next(i) {
				for k := range now {
					now[k] |= j.live[to][k]
				}
			}
			reads, writes := j.uses(i)
			for _, r := range writes {
				now.drop(r)
			}
			for _, r := range reads {
				now.add(r)
			}
			if now != j.live[i] {
				j.live[i], changed = now, true
			}
		}
	}
}

// uses returns which registers an instruction reads, and which it writes in any case.
func (j *joiner) uses(i int) (reads, writes []int) {
	in := &j.p.code[i]
	a := int(in.a >> 4)
	use := func(operands ...uint16) {
		for _, o := range operands {
			if o&inConstants == 0 {
				reads = append(reads, int(o>>4))
			}
		}
	}
	switch op := in.op; {
	case op == xMove || op == xGetNumber || op == xGetField || op == xUnm || op == xNot || op == xLen:
		use(in.b)
		writes = []int{a}
	case op == xLoadN || op == xLoadK || op == xLoadBool || op == xGetUpvalue || op == xGetGlobal:
		writes = []int{a}
	case op == xLoadNil:
		writes = span(a, int(in.b>>4)+1)
	case op == xSetHeld:
		use(in.c)
		writes = []int{a}
	case op >= xAdd && op <= xPowNR:
		if kind := (op - xAdd) % 3; kind != 2 {
			use(in.b)
		}
		if kind := (op - xAdd) % 3; kind != 1 {
			use(in.c)
		}
		writes = []int{a}
	case op == xGetTable || op == xArith:
		use(in.b, in.c)
		writes = []int{a}
	case op >= xCompareAny && op <= xAtMostAny:
		use(in.b, in.c)
	case op >= xEqual && op <= xAtMostNR:
		if kind := (op - xEqual) % 3; kind != 2 {
			use(in.b)
		}
		if kind := (op - xEqual) % 3; kind != 1 {
			use(in.c)
		}
	case op == xTest:
		use(in.a)
	case op == xTestSet:
		use(in.b)
	case op == xForLoop:
		reads, writes = span(a, a+3), []int{a}
	case op == xForPrep:
		reads, writes = span(a, a+3), []int{a}
	case (op == xReturn || op == xReturnOne) && in.b > 0:
		reads = append(span(a, a+int(in.b)-1), span(j.first, j.first+len(j.p.fields))...)
	case op == xJoinedPure:
		reads, writes = span(a, a+2), []int{a}
	case op == xJump || op == xNop || op == xJoinedStop:
	default:
		reads = span(0, j.p.size-scratch)
	}
	return reads, writes
}

// span returns the numbers from one to before another.
func span(from, to int) (all []int) {
	for r := from; r < to; r++ {
		all = append(all, r)
	}
	return all
}

// block joins the instructions of a block.
func (j *joiner) block(from, to int) {
	j.pieces, j.alias = j.pieces[:0], map[int]int{}
	for i := from; i < to; {
		i += j.step(i, to)
	}
	j.place(from, to)
}

// step adds what an instruction does to the pieces, and returns how many words it took.
func (j *joiner) step(i, end int) int {
	in := j.p.code[i]
	a, b := int(in.a>>4), int(in.b>>4)
	after := &j.live[i+1]
	switch op := in.op; {
	case op == xMove && a < j.first && j.fieldOf(b) >= 0:
		field := j.fieldOf(b)
		if delete(j.alias, a); j.foldable(i+1, end, a, field) {
			j.alias[a] = field
		} else {
			j.put(ins{op: xJoinedMove, a: in.a, b: register(field)})
		}
		return 1
	case (op == xLoadK || op == xLoadN) && !after.has(a):
		delete(j.alias, a)
		return 1
	case op >= xAdd && op <= xDivNR:
		j.operate(in)
		return 1
	case op == xUnm && in.b&inConstants == 0:
		j.put(ins{op: xJoinedUnm, a: in.a, b: j.read(in.b)})
		delete(j.alias, a)
		return 1
	case op == xSetHeld:
		j.assign(in, after)
		return 1
	}
	return j.fix(i, end)
}

// fieldOf returns the field that a register has, by its register; -1: it has none.
func (j *joiner) fieldOf(r int) int {
	if r >= j.first {
		return r
	}
	if field, ok := j.alias[r]; ok {
		return field
	}
	return -1
}

// read returns from where the value of a register is read.
func (j *joiner) read(offset uint16) uint16 {
	if field, ok := j.alias[int(offset>>4)]; ok {
		return register(field)
	}
	return offset
}

func (j *joiner) put(in ins) { j.pieces = append(j.pieces, joined{ins: in}) }

// operate adds an operator on numbers.
func (j *joiner) operate(in ins) {
	made := ins{op: xJoinedAdd + in.op - xAdd, a: in.a, k: in.k}
	kind := (in.op - xAdd) % 3
	if kind != 2 {
		made.b = j.read(in.b)
	}
	if kind != 1 {
		made.c = j.read(in.c)
	}
	j.put(made)
	delete(j.alias, int(in.a>>4))
}

// assign adds an assignment to a field. The operator that has made the value makes it in the
// field's register, if nobody else reads it.
func (j *joiner) assign(in ins, after *registers) {
	if in.c&inConstants != 0 {
		k := j.p.k[in.c&(inConstants-1)>>4]
		if op := uint16(xJoinedLoad); k.IsNumber() {
			j.put(ins{op: op, a: in.a, k: k.n})
		} else {
			j.put(ins{op: xJoinedStop})
		}
		return
	}
	y := int(in.c >> 4)
	if n := len(j.pieces) - 1; n >= 0 && j.fieldOf(y) < 0 && !after.has(y) {
		if last := &j.pieces[n]; !last.fixed && last.a == in.c && (last.op == xJoinedUnm || last.op >= xJoinedAdd) {
			last.a = in.a
			return
		}
	}
	j.put(ins{op: xJoinedMove, a: in.a, b: j.read(in.c)})
}

// foldable reports whether all instructions of a block from one on that read a register can
// read the field instead of which it has the value.
func (j *joiner) foldable(i, end, r, field int) bool {
	for ; i < end; i++ {
		in := &j.p.code[i]
		reads, writes := j.uses(i)
		if slices.Contains(reads, r) && !in.folds() || in.op == xMoveN {
			return false
		}
		if slices.Contains(writes, r) {
			return true
		}
		if slices.Contains(writes, field) {
			break // from here on it has another value
		}
	}
	return !slices.ContainsFunc(j.next(min(i, end-1)), func(to int) bool { return j.live[to].has(r) })
}

// folds reports whether an instruction can read a field in the place of another register.
func (in *ins) folds() bool {
	switch op := in.op; {
	case op == xMove, op == xSetHeld, op >= xAdd && op <= xPowNR, op >= xEqual && op <= xAtMostNR:
		return true
	case op == xUnm:
		return in.b&inConstants == 0
	}
	return false
}

// fix adds an instruction as it is, but for where comparisons and some operators read numbers.
func (j *joiner) fix(i, end int) int {
	in := j.p.code[i]
	words := 1
	_, writes := j.uses(i)
	switch op := in.op; {
	case op >= xMod && op <= xPowNR, op >= xEqual && op <= xAtMostNR:
		kind := (op - xMod) % 3
		if op >= xEqual {
			kind = (op - xEqual) % 3
		}
		if kind != 2 {
			in.b = j.read(in.b)
		}
		if kind != 1 {
			in.c = j.read(in.c)
		}
	case op == xMoveN:
		words += int(in.k)
	}
	for _, r := range writes {
		delete(j.alias, r)
	}
	j.pieces = append(j.pieces, joined{in, true, i, words})
	return words
}

// place gives the pieces of a block their places.
func (j *joiner) place(from, to int) {
	at := from
	skip := func(until int) {
		if at < until {
			j.out[at] = ins{op: xJoinedSkip, k: uint64(until-at) * uint64(insSize)}
			at = until
		}
	}
	for n := range j.pieces {
		x := &j.pieces[n]
		if x.fixed {
			skip(x.at)
			j.out[at] = x.ins
			at += x.words
			continue
		}
		until := at + 1
		if n+1 == len(j.pieces) {
			until = to
		} else if next := &j.pieces[n+1]; next.fixed {
			until = next.at
		}
		x.advance(uint64(until-at) * uint64(insSize))
		j.out[at] = x.ins
		at = until
	}
	skip(to)
}

// advance says how far a joined instruction goes on, in bytes: where it has room for that.
func (x *joined) advance(bytes uint64) {
	switch {
	case x.op < xJoinedAdd && x.op != xJoinedLoad, x.op >= xJoinedAdd && (x.op-xJoinedAdd)%3 == 0:
		x.k = bytes
	case x.op == xJoinedLoad, (x.op-xJoinedAdd)%3 == 1:
		x.c = uint16(bytes)
	default:
		x.b = uint16(bytes)
	}
}
