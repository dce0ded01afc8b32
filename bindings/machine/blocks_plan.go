package machine

// planner finds out whether the body of a loop can be executed in blocks, and translates it.
//
// It can if it has nothing but arithmetic and comparisons of numbers, jumps forward inside of
// it, and items of lists at the index of the loop; if it writes no register that lives beyond
// the turn; and if each register is written before it is read, on every way. A list that two
// registers hold is no harm: what a turn reads at its index, no other turn writes.
type planner struct {
	p         *proto
	from, end int // the instruction after FORPREP, and FORLOOP
	index     int // the register in which FORLOOP counts; three more belong to the loop
	b         *blockLoop
	ways      []written      // by instruction, from from on
	vectors   map[int]uint16 // by register
	failed    bool
}

// written are the registers that are written on all ways to an instruction, and those among
// them that hold the index: the compiler copies it before it assigns an item.
type written struct {
	reached bool
	of      [4]uint64
	index   [4]uint64
}

func (w *written) has(r int) bool     { return w.of[r>>6]>>(r&63)&1 != 0 }
func (w *written) isIndex(r int) bool { return w.index[r>>6]>>(r&63)&1 != 0 }

func (w *written) add(r int, index bool) {
	w.of[r>>6] |= 1 << (r & 63)
	if w.index[r>>6] &^= 1 << (r & 63); index {
		w.index[r>>6] |= 1 << (r & 63)
	}
}

// join takes over another way to the same instruction.
func (w *written) join(from *written) {
	if !w.reached {
		*w = *from
	}
	for i := range w.of {
		w.of[i] &= from.of[i] &^ (w.index[i] ^ from.index[i])
		w.index[i] &= from.index[i]
	}
}

// planBlocks translates the loop that ends at an instruction, nil if blocks cannot execute it.
func (p *proto) planBlocks(end int) *blockLoop {
	loop := &p.code[end]
	pl := &planner{
		p: p, from: end + int(int64(loop.k))/int(insSize), end: end, index: int(loop.a >> 4),
		b: &blockLoop{index: loop.a, vectors: 1}, vectors: map[int]uint16{},
	}
	pl.ways = make([]written, end-pl.from+1)
	pl.b.code = make([]blockIns, end-pl.from+1)
	pl.ways[0].reached = true
	for pc := pl.from; pc < end && !pl.failed; pc++ {
		pc += pl.instruction(pc)
	}
	if pl.failed || len(pl.b.lists) == 0 || pl.b.vectors > mostVectors {
		return nil
	}
	return pl.finish()
}

// finish adds FORLOOP, at which all ways meet, and sums up what a turn costs at most.
func (pl *planner) finish() *blockLoop {
	b := pl.b
	last := &b.code[len(b.code)-1]
	last.joins, last.cost = true, 1
	for i := range b.code {
		b.cost += int64(b.code[i].cost)
		if b.code[i].op >= blockEqual {
			b.cost++
		}
	}
	b.waiting = make([]uint64, len(b.code))
	return b
}

// instruction translates one, and returns how many after it belong to it.
func (pl *planner) instruction(pc int) (more int) {
	in, x, now := &pl.p.code[pc], &pl.b.code[pc-pl.from], &pl.ways[pc-pl.from]
	if !now.reached {
		return 0
	}
	x.cost = 1
	next := pc + 1
	switch {
	case in.op == xNop:
	case in.op == xMove, in.op == xLoadN, in.op == xGetUpvalue:
		pl.move(x, now, in)
	case in.op == xMoveN:
		more = int(in.k)
		pl.moves(pc, now)
	case in.op == xGetTable && pl.isIndex(now, in.c):
		x.op, x.x = blockGet, pl.list(in.b, false)
		x.d = pl.write(now, in.a, false)
	case in.op == xSetTable && pl.isIndex(now, in.b):
		x.op, x.d, x.x = blockSet, pl.list(in.a, true), pl.read(now, in.c)
	case in.op >= xAdd && in.op <= xModNR:
		x.op = blockAdd + blockOp((in.op-xAdd)/3)
		pl.operands(x, now, in, (in.op-xAdd)%3)
		x.d = pl.write(now, in.a, false)
	case in.op == xUnm:
		x.op, x.x = blockUnm, pl.read(now, in.b)
		x.d = pl.write(now, in.a, false)
	case in.op == xJump:
		x.op, next = blockJump, 0
		pl.jump(x, now, pc)
	case in.op >= xEqual && in.op <= xAtMostNR:
		x.op, x.answer = blockEqual+blockOp((in.op-xEqual)/3), in.a != 0
		pl.operands(x, now, in, (in.op-xEqual)%3)
		pl.jump(x, now, pc)
		next++ // over the jump that it makes itself
	default:
		pl.failed = true
	}
	if next += more; next > pc && next <= pl.end {
		pl.ways[next-pl.from].join(now)
	}
	return more
}

// move translates what puts a number into a register.
func (pl *planner) move(x *blockIns, now *written, in *ins) {
	if in.op <= xMoveN && pl.isIndex(now, in.b) {
		pl.write(now, in.a, true)
		return
	}
	x.op = blockMove
	switch in.op {
	case xMove, xMoveN:
		x.x = pl.read(now, in.b)
	case xLoadN:
		x.x = pl.constant(in.k)
	case xGetUpvalue:
		x.x = pl.fixed(blockKnown{from: fromUpvalue, at: in.b})
	}
	x.d = pl.write(now, in.a, false)
}

// moves translates a move with those after it, which are one instruction.
func (pl *planner) moves(pc int, now *written) {
	for i := range int(pl.p.code[pc].k) + 1 {
		pl.move(&pl.b.code[pc+i-pl.from], now, &pl.p.code[pc+i])
		if i > 0 && pl.ways[pc+i-pl.from].reached {
			pl.failed = true // a jump leads into them
		}
	}
}

// operands translates those of an operator. form says which of them is a constant: neither,
// the right one or the left one.
func (pl *planner) operands(x *blockIns, now *written, in *ins, form uint16) {
	number := in.k // of arithmetic
	switch {
	case form == 1 && in.op >= xEqual:
		number = pl.p.k[in.c>>4].n
	case form == 2 && in.op >= xEqual:
		number = pl.p.k[in.b>>4].n
	}
	switch form {
	case 0:
		x.x, x.y = pl.read(now, in.b), pl.read(now, in.c)
	case 1:
		x.x, x.y = pl.read(now, in.b), pl.constant(number)
	case 2:
		x.x, x.y = pl.constant(number), pl.read(now, in.c)
	}
}

// jump notes where an instruction may jump.
func (pl *planner) jump(x *blockIns, now *written, pc int) {
	to := pc + int(int64(pl.p.code[pc].k))/int(insSize)
	if to <= pc || to > pl.end {
		pl.failed = true
		return
	}
	x.to = to - pl.from
	pl.b.code[x.to].joins = true
	pl.ways[x.to].join(now)
}

// isIndex reports whether an operand is the index of the turn.
func (pl *planner) isIndex(now *written, operand uint16) bool {
	return operand == register(pl.index+3) || operand&inConstants == 0 && now.isIndex(int(operand>>4))
}

// read returns the vector of a register or a constant.
func (pl *planner) read(now *written, operand uint16) uint16 {
	r := int(operand >> 4)
	switch {
	case operand&inConstants != 0:
		v := pl.p.k[operand&(inConstants-1)>>4]
		pl.failed = pl.failed || !v.IsNumber()
		return pl.constant(v.n)
	case pl.isIndex(now, operand):
		if pl.b.counter == 0 {
			pl.b.counter = int(pl.vector())
		}
		return uint16(pl.b.counter)
	case r < pl.index:
		return pl.fixed(blockKnown{from: fromRegister, at: operand})
	case !now.has(r):
		pl.failed = true
	}
	return pl.vectors[r]
}

// write returns the vector of a register that a turn writes.
func (pl *planner) write(now *written, operand uint16, index bool) uint16 {
	r := int(operand >> 4)
	if r <= pl.index+3 {
		pl.failed = true
	}
	now.add(r, index)
	if pl.vectors[r] == 0 {
		pl.vectors[r] = pl.vector()
	}
	return pl.vectors[r]
}

// vector returns a new one.
func (pl *planner) vector() uint16 {
	pl.b.vectors++
	return uint16(pl.b.vectors - 1)
}

func (pl *planner) constant(n uint64) uint16 {
	return pl.fixed(blockKnown{from: fromConstant, number: n})
}

// fixed returns the vector of a number that no turn changes.
func (pl *planner) fixed(k blockKnown) uint16 {
	for _, x := range pl.b.known {
		if x.from == k.from && x.at == k.at && x.number == k.number {
			return x.vector
		}
	}
	k.vector = pl.vector()
	pl.b.known = append(pl.b.known, k)
	return k.vector
}

// list returns the number of a list that a register holds in all turns.
func (pl *planner) list(operand uint16, set bool) uint16 {
	if int(operand>>4) >= pl.index {
		pl.failed = true
	}
	for i := range pl.b.lists {
		if l := &pl.b.lists[i]; l.register == operand {
			l.set = l.set || set
			return uint16(i)
		}
	}
	pl.b.lists = append(pl.b.lists, blockList{register: operand, set: set})
	return uint16(len(pl.b.lists) - 1)
}
