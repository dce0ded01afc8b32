package machine

import (
	"maps"
	"slices"
)

// planner finds out whether the body of a loop, or a function that is called for rows, can be
// executed in blocks, and translates it.
//
// It can if it has nothing but arithmetic, comparisons and known functions of numbers, jumps
// inside of it, and what is the turn's own: items of lists at the index of the loop, fields of
// rows. A loop writes no register that lives beyond the turn, and jumps forward only. Where a
// function does anything else, its block stops: nothing of it has been seen by anybody. Each
// register is written before it is read, on every way.
type planner struct {
	p         *proto
	from, end int // instructions
	index     int // of a loop: the register in which FORLOOP counts; three more belong to it
	lists     []blockList
	rows      *Rows // of a function
	b         *block
	cost      uint16 // of instructions since the last end
	reached   bool
	now       []holding         // of the registers
	ways      map[int][]holding // by instruction to which something jumps
	heads     map[int][]holding // the same, for those to which something jumps back
	places    map[int]uint16    // labels, by instruction
	vectors   map[int]uint16    // by register
	top       int               // of open arguments: the register after the last one
	failed    bool
	again     bool // a jump back has come with other contents than the plan was made with
}

// holding is what a register holds in every turn.
type holding struct {
	kind  holdingKind
	known uint16 // the known value, plus 1; 0: it is none
	of    uint16 // of a word: the field whose names it is one of; of a row: its parameter
	taken bool   // it is taken for a number: only whoever reads its vector has that checked
}

// holdingKind says what a register holds.
type holdingKind uint8

const (
	isNothing holdingKind = iota // that is known, or that a block can have
	isNumber                     // in the register's vector, unless it is a known value
	isTruth                      // true or false, likewise
	isWord                       // one of the names of a field, by its index, likewise
	isTurn                       // the number of the turn
	isRow                        // the table of a row
	isOther                      // a known value that is none of these
)

// newPlanner makes one for some instructions.
func (p *proto) newPlanner(b *block, from, end int) *planner {
	*b = block{vectors: 1}
	return &planner{p: p, from: from, end: end, b: b, heads: map[int][]holding{}}
}

// planBlocks translates the loop that ends at an instruction, nil if blocks cannot execute it.
func (p *proto) planBlocks(end int) *blockLoop {
	loop, l := &p.code[end], &blockLoop{}
	pl := p.newPlanner(&l.block, end+int(int64(loop.k))/int(insSize), end)
	l.index, pl.index = loop.a, int(loop.a>>4)
	begin := make([]holding, p.size)
	for r := range pl.index {
		begin[r] = holding{kind: isNumber, known: pl.value(blockKnown{from: fromRegister, at: register(r)}) + 1, taken: true}
	}
	begin[pl.index+3].kind = isTurn
	if !pl.plan(begin) || len(pl.lists) == 0 {
		return nil
	}
	pl.finish()
	l.lists = pl.lists
	var kept vectorSet
	for i := range l.lists {
		kept.add(l.lists[i].vector)
	}
	l.tidy(&kept)
	return l
}

// plan translates the instructions, and reports whether blocks can execute them. begin is what
// registers hold at the first one.
func (pl *planner) plan(begin []holding) bool {
	for range 8 {
		pl.again, pl.cost, pl.top, pl.reached = false, 0, 0, true
		pl.now, pl.b.code, pl.b.labels = slices.Clone(begin), pl.b.code[:0], pl.b.labels[:0]
		pl.ways, pl.places = maps.Clone(pl.heads), map[int]uint16{}
		if pl.vectors == nil {
			pl.vectors = map[int]uint16{}
		}
		for at := range pl.heads {
			pl.label(at)
		}
		for pc := pl.from; pc < pl.end && !pl.failed; {
			if pl.arrive(pc); !pl.reached {
				pc++
				continue
			}
			words := pl.step(pc)
			for i := 1; i < words && !pl.failed; i++ {
				_, jumped := pl.places[pc+i]
				pl.failed = jumped // into the midst of an instruction
			}
			pc += words
			pl.failed = pl.failed || pl.cost > mostCost || pl.b.vectors > mostVectors || len(pl.b.known) > mostKnown || len(pl.b.code) > mostCode
		}
		if pl.failed || !pl.again {
			break
		}
	}
	return !pl.failed && !pl.again
}

// finish ends the code, where all ways meet.
func (pl *planner) finish() {
	pl.emit(blockIns{op: blockJoin, to: pl.label(pl.end)})
	if pl.rows == nil {
		pl.cost = 1 // FORLOOP
		pl.emit(blockIns{op: blockJoin, to: pl.label(pl.end + 1)})
	}
	pl.b.waiting = make([]uint64, len(pl.b.labels))
}

// label returns the label of an instruction.
func (pl *planner) label(pc int) uint16 {
	l, ok := pl.places[pc]
	if !ok {
		l = uint16(len(pl.b.labels))
		pl.places[pc], pl.b.labels = l, append(pl.b.labels, 0)
	}
	return l
}

// arrive has those ways go on that lead to an instruction.
func (pl *planner) arrive(pc int) {
	l, ok := pl.places[pc]
	if !ok {
		return
	}
	way := pl.ways[pc]
	switch {
	case way == nil:
	case pl.reached:
		meet(pl.now, way)
	default:
		pl.now, pl.reached = slices.Clone(way), true
	}
	pl.emit(blockIns{op: blockJoin, to: l})
}

// meet leaves in x what is so in y, too. It reports whether that was all of it.
func meet(x, y []holding) bool {
	same := true
	for r := range x {
		a, b := &x[r], &y[r]
		if *a == *b {
			continue
		}
		if same = false; a.kind != b.kind || a.of != b.of || a.kind > isWord {
			*a = holding{}
		}
		a.taken = a.taken || b.taken
		a.known = 0 // else it stands in its vector, too
	}
	return same
}

// emit adds an instruction. One that is an end gets the cost so far.
func (pl *planner) emit(x blockIns) {
	if x.op >= blockJump {
		x.cost, pl.cost = pl.cost, 0
	}
	pl.b.code = append(pl.b.code, x)
}

// compute emits an instruction that writes a register.
func (pl *planner) compute(x blockIns, a uint16, kind holdingKind) bool {
	var ok bool
	if x.d, ok = pl.write(a, holding{kind: kind}); ok {
		pl.emit(x)
	}
	return ok
}

// step translates an instruction, and returns how many belong to it.
func (pl *planner) step(pc int) (words int) {
	words = 1
	in, emitted := &pl.p.code[pc], len(pl.b.code)
	pl.cost++
	done := true
	switch {
	case in.op == xMoveN:
		words += int(in.k)
		for i := 0; i < words && done; i++ {
			x := &pl.p.code[pc+i]
			done = pl.move(x.a, pl.now[x.b>>4], int(x.b>>4))
		}
	case in.op >= xEqual && in.op <= xTestSet:
		words++ // the jump after it
		fallthrough
	default:
		done = pl.instruction(pc, in)
	}
	if !done {
		pl.stop(emitted)
	}
	return words
}

// stop has turns stop where something else is to be done than a block can do.
func (pl *planner) stop(emitted int) {
	if pl.rows == nil {
		pl.failed = true
	}
	pl.b.code = pl.b.code[:emitted]
	pl.emit(blockIns{op: blockStop})
	pl.reached = false
}

// instruction translates one, and reports whether blocks can execute it.
func (pl *planner) instruction(pc int, in *ins) bool {
	switch op := in.op; {
	case op == xNop:
		return true
	case op == xMove:
		return pl.move(in.a, pl.now[in.b>>4], int(in.b>>4))
	case op == xLoadN:
		return pl.load(in.a, Value{n: in.k})
	case op == xLoadK:
		return pl.load(in.a, pl.p.k[in.k>>4])
	case op == xLoadBool:
		if !pl.load(in.a, Value{n: in.k}) {
			return false
		}
		if in.c > 0 {
			pl.jump(pc, pc+2)
		}
		return true
	case op == xLoadNil:
		for a := in.a; a <= in.b; a += uint16(valueSize) {
			if !pl.load(a, Nil) {
				return false
			}
		}
		return true
	case op == xGetUpvalue:
		return pl.find(in.a, blockKnown{from: fromUpvalue, at: in.b})
	case op == xGetGlobal:
		return pl.find(in.a, blockKnown{from: fromGlobal, key: pl.p.cacheAt(in.k).key})
	case op == xGetField:
		return pl.field(in)
	case op == xSetField:
		return pl.assign(in)
	case op == xGetTable:
		l, ok := pl.list(in.b, in.c, false)
		return ok && pl.compute(blockIns{op: blockMove, x: l}, in.a, isNumber)
	case op == xSetTable:
		x, ok := pl.number(in.c)
		l, is := pl.list(in.a, in.b, true)
		pl.emit(blockIns{op: blockMove, d: l, x: x})
		return ok && is
	case op >= xAdd && op <= xPowNR:
		x, y, ok := pl.operands(in, (op-xAdd)%3)
		return ok && pl.compute(blockIns{op: blockAdd + blockOp((op-xAdd)/3), x: x, y: y}, in.a, isNumber)
	case op == xUnm:
		x, ok := pl.number(in.b)
		return ok && pl.compute(blockIns{op: blockUnm, x: x}, in.a, isNumber)
	case op == xNot:
		x, ok := pl.truth(in.b)
		return ok && pl.compute(blockIns{op: blockNot, x: x}, in.a, isTruth)
	case op == xCall:
		return pl.call(in)
	case op == xJump:
		return pl.jump(pc, pl.target(pc))
	case op >= xEqual && op <= xAtMostNR:
		x, y, ok := pl.operands(in, (op-xEqual)%3)
		if op == xEqual && !ok {
			x, y, ok = pl.alike(in)
		}
		return ok && pl.branch(blockIns{op: blockEqual + blockOp((op-xEqual)/3), answer: in.a != 0, x: x, y: y}, pc, pl.target(pc))
	case op == xCompareAny:
		x, y, ok := pl.alike(in)
		return ok && pl.branch(blockIns{op: blockEqual, answer: in.a != 0, x: x, y: y}, pc, pl.target(pc))
	case op == xTest || op == xTestSet:
		return pl.test(pc, in)
	}
	return pl.rows != nil && pl.ofFunction(pc, in)
}

// ofFunction translates what no body of a loop has.
func (pl *planner) ofFunction(pc int, in *ins) bool {
	a := in.a
	switch in.op {
	case xReturn, xReturnOne:
		pl.jump(pc, pl.end)
		return true
	case xForPrep:
		x, first := pl.number(a)
		_, second := pl.number(a + 16)
		step, third := pl.number(a + 32)
		if !first || !second || !third || !pl.compute(blockIns{op: blockForPrep, x: x, y: step}, a, isNumber) {
			return false
		}
		return pl.jump(pc, pl.target(pc))
	case xForLoop, xForBlocks:
		limit, first := pl.number(a + 16)
		step, second := pl.number(a + 32)
		if c := pl.now[a>>4]; !first || !second || c.kind != isNumber || c.known != 0 {
			return false
		}
		exit := slices.Clone(pl.now)
		variable, ok := pl.write(a+48, holding{kind: isNumber})
		x := blockIns{op: blockForLoop, d: pl.vectors[int(a>>4)], x: limit, y: step, function: variable, to: pl.label(pl.target(pc))}
		pl.emit(x)
		pl.back(pl.target(pc))
		pl.now = exit
		pl.way(pc + 1)
		pl.label(pc + 1)
		return ok
	}
	return false
}

// target returns the instruction to which one jumps.
func (pl *planner) target(pc int) int { return pc + int(int64(pl.p.code[pc].k))/int(insSize) }

// way adds a way to an instruction.
func (pl *planner) way(to int) {
	pl.label(to)
	if way := pl.ways[to]; way != nil {
		way = slices.Clone(way)
		meet(way, pl.now)
		pl.ways[to] = way
		return
	}
	pl.ways[to] = slices.Clone(pl.now)
}

// back adds a way back to an instruction. What was planned with other contents there is planned
// again.
func (pl *planner) back(to int) {
	head, known := pl.heads[to]
	if known {
		head = slices.Clone(head)
	} else {
		head = slices.Clone(pl.now)
	}
	if same := meet(head, pl.now); !known || !same && !slices.Equal(head, pl.heads[to]) {
		pl.heads[to], pl.again = head, true
	}
}

// jump has all turns go on at an instruction.
func (pl *planner) jump(pc, to int) bool {
	switch {
	case to > pl.end || to <= pc && pl.rows == nil:
		return false
	case to <= pc:
		pl.label(to)
		pl.back(to)
	default:
		pl.way(to)
	}
	pl.emit(blockIns{op: blockJump, to: pl.label(to)})
	pl.reached = false
	return true
}

// branch has some turns jump.
func (pl *planner) branch(x blockIns, pc, to int) bool {
	if to <= pc || to > pl.end {
		return false
	}
	pl.way(to)
	x.to = pl.label(to)
	pl.emit(x)
	return true
}

// test translates a test of whether a value counts as true.
func (pl *planner) test(pc int, in *ins) bool {
	from, to := in.a, pl.target(pc)
	if in.op == xTestSet {
		from = in.b
	}
	c, before := pl.now[from>>4], pl.now
	if in.op == xTestSet { // those that jump have assigned
		pl.now = slices.Clone(before)
	}
	is, certain := pl.certain(c)
	if certain && is != (in.c != 0) {
		pl.now = before
		return true
	}
	x := uint16(0)
	if !certain {
		var ok bool
		if x, ok = pl.truth(from); !ok || in.op == xTestSet && in.a != in.b {
			return false
		}
	}
	if in.op == xTestSet && !pl.move(in.a, c, int(from>>4)) {
		return false
	}
	if certain {
		pl.cost++ // the jump after it
		return pl.jump(pc, to)
	}
	ok := pl.branch(blockIns{op: blockTest, answer: in.c != 0, x: x}, pc, to)
	pl.now = before
	return ok
}

// certain returns whether a holding counts as true, where that is so in all turns.
func (pl *planner) certain(c holding) (is, certain bool) {
	switch c.kind {
	case isNumber:
		return !c.taken, !c.taken
	case isWord, isTurn, isRow:
		return true, true
	case isTruth, isOther:
		if k := c.known; k != 0 && pl.b.known[k-1].from == fromConstant {
			return pl.b.known[k-1].value.Truth(), true
		}
	}
	return false, false
}

// truth returns the vector of whether a value counts as true.
func (pl *planner) truth(operand uint16) (uint16, bool) {
	if operand&inConstants != 0 {
		return 0, false
	}
	c := pl.now[operand>>4]
	if is, certain := pl.certain(c); certain {
		return pl.vectorOf(pl.constant(Bool(is))), true
	}
	if c.known != 0 {
		k := &pl.b.known[c.known-1]
		if k.truth == 0 {
			k.truth = pl.vector()
		}
		return k.truth, true
	}
	return pl.vectors[int(operand>>4)], c.kind == isTruth
}

// alike returns the vectors of two values of one kind that is not numbers.
func (pl *planner) alike(in *ins) (x, y uint16, ok bool) {
	left, right := pl.holdingOf(in.b), pl.holdingOf(in.c)
	if left.kind == isOther && right.kind == isWord {
		y, x, ok = pl.words(right, in.c, left)
		return x, y, ok
	}
	if left.kind == isWord && right.kind == isOther {
		return pl.words(left, in.b, right)
	}
	if left.kind != right.kind || left.of != right.of || left.kind != isTruth && left.kind != isWord {
		return 0, 0, false
	}
	return pl.read(in.b), pl.read(in.c), true
}

// words returns the vectors of a word and of a text with which it is compared.
func (pl *planner) words(word holding, operand uint16, text holding) (x, y uint16, ok bool) {
	s := pl.b.known[text.known-1].value.Str()
	if s == nil {
		return 0, 0, false
	}
	i := slices.Index(pl.rows.fields[word.of].Names, s.s) // −1 is none of them
	return pl.read(operand), pl.vectorOf(pl.constant(Number(float64(i)))), true
}

// holdingOf returns the holding of an operand.
func (pl *planner) holdingOf(operand uint16) holding {
	if operand&inConstants == 0 {
		return pl.now[operand>>4]
	}
	return pl.ofConstant(pl.p.k[operand&(inConstants-1)>>4])
}

// ofConstant returns the holding of a constant.
func (pl *planner) ofConstant(v Value) holding {
	c := holding{kind: isOther, known: pl.constant(v) + 1}
	switch {
	case v.IsNumber():
		c.kind = isNumber
	case v.IsBool():
		c.kind = isTruth
	}
	return c
}

// operands returns the vectors of those of an operator. form says which of them is a constant:
// neither, the right one or the left one.
func (pl *planner) operands(in *ins, form uint16) (x, y uint16, ok bool) {
	number := in.k // of arithmetic
	switch {
	case form == 1 && in.op >= xEqual:
		number = pl.p.k[in.c>>4].n
	case form == 2 && in.op >= xEqual:
		number = pl.p.k[in.b>>4].n
	}
	first, second := true, true
	if form != 2 {
		x, first = pl.number(in.b)
	} else {
		x = pl.vectorOf(pl.constant(Value{n: number}))
	}
	if form != 1 {
		y, second = pl.number(in.c)
	} else {
		y = pl.vectorOf(pl.constant(Value{n: number}))
	}
	return x, y, first && second
}

// number returns the vector of an operand that is a number.
func (pl *planner) number(operand uint16) (uint16, bool) {
	if c := pl.holdingOf(operand); c.kind != isNumber && c.kind != isTurn {
		return 0, false
	}
	return pl.read(operand), true
}

// read returns the vector of an operand that has one.
func (pl *planner) read(operand uint16) uint16 {
	c := pl.holdingOf(operand)
	switch {
	case c.kind == isTurn:
		if pl.b.turn == 0 {
			pl.b.turn = pl.vector()
		}
		return pl.b.turn
	case c.known != 0:
		return pl.vectorOf(c.known - 1)
	}
	return pl.vectors[int(operand>>4)]
}

// move copies a register.
func (pl *planner) move(a uint16, c holding, from int) bool {
	if c.kind == isNothing {
		return false
	}
	x := uint16(0)
	if c.kind <= isWord {
		x = pl.read(register(from))
	}
	d, ok := pl.write(a, c)
	if ok && c.kind <= isWord {
		pl.emit(blockIns{op: blockMove, d: d, x: x})
	}
	return ok
}

// load puts a constant into a register.
func (pl *planner) load(a uint16, v Value) bool {
	c := pl.ofConstant(v)
	d, ok := pl.write(a, c)
	if ok && c.kind <= isWord {
		pl.emit(blockIns{op: blockMove, d: d, x: pl.vectorOf(c.known - 1)})
	}
	return ok
}

// find puts a known value into a register. It is a number, unless it turns out to be used as
// something else: then nobody reads its vector.
func (pl *planner) find(a uint16, k blockKnown) bool {
	if k.key != nil && len(k.key.s) > short {
		return false
	}
	at := pl.value(k)
	d, ok := pl.write(a, holding{kind: isNumber, known: at + 1, taken: true})
	if ok {
		pl.emit(blockIns{op: blockMove, d: d, x: pl.vectorOf(at)})
	}
	return ok
}

// field translates a look at a field, of a row or of a known table.
func (pl *planner) field(in *ins) bool {
	c, key := pl.now[in.b>>4], pl.p.cacheAt(in.k).key
	if c.kind != isRow {
		if c.known == 0 || pl.b.known[c.known-1].from == fromConstant {
			return false
		}
		pl.b.known[c.known-1].index = true
		return pl.find(in.a, blockKnown{from: fromField, of: c.known - 1, key: key})
	}
	i := pl.rows.find(int(c.of), key.s)
	if i < 0 {
		return false
	}
	f := &pl.rows.fields[i]
	d, ok := pl.write(in.a, holding{kind: f.kind, of: f.words(i)})
	if ok {
		pl.emit(blockIns{op: blockMove, d: d, x: f.vector})
	}
	return ok
}

// assign translates an assignment to a field of a row.
func (pl *planner) assign(in *ins) bool {
	c := pl.now[in.a>>4]
	if c.kind != isRow {
		return false
	}
	i := pl.rows.find(int(c.of), pl.p.cacheAt(in.k).key.s)
	if i < 0 {
		return false
	}
	f, v := &pl.rows.fields[i], pl.holdingOf(in.c)
	x := uint16(0)
	switch {
	case v.kind == f.kind && (f.kind != isWord || v.of == uint16(i)), f.kind == isNumber && v.kind == isTurn:
		x = pl.read(in.c)
	case f.kind == isWord && v.kind == isOther && pl.b.known[v.known-1].value.Str() != nil:
		word := slices.Index(f.Names, pl.b.known[v.known-1].value.Str().s)
		if word < 0 {
			return false
		}
		x = pl.vectorOf(pl.constant(Number(float64(word))))
	default:
		return false
	}
	f.assigned = true
	pl.emit(blockIns{op: blockMove, d: f.vector, x: x})
	return true
}

// call translates a call of a known function of numbers.
func (pl *planner) call(in *ins) bool {
	r := int(in.a >> 4)
	n := int(in.b) - 1
	if in.b == 0 {
		n = pl.top - r - 1
	}
	c := pl.now[r]
	if c.known == 0 || pl.b.known[c.known-1].from == fromConstant || n < 1 || n > 8 || in.c != 2 && in.c != 0 {
		return false
	}
	args := make([]uint16, n)
	for i := range args {
		var ok bool
		if args[i], ok = pl.number(register(r + 1 + i)); !ok {
			return false
		}
	}
	k := &pl.b.known[c.known-1]
	k.function = true
	k.args |= 1 << min(n-1, 2)
	if in.c == 0 {
		pl.top = r + 1
	}
	x := blockIns{op: blockCallOne, x: args[0], y: args[0], function: c.known - 1}
	if n > 1 {
		x.op = blockCallTwo
		k.args |= 2
	}
	for _, y := range args[min(1, n-1):] {
		x.y = y
		if !pl.compute(x, in.a, isNumber) {
			return false
		}
		x.x = pl.vectors[r]
	}
	return true
}

// list returns the vector of a list that a register holds in all turns, for an item at the index
// of the turn.
func (pl *planner) list(operand, index uint16, set bool) (uint16, bool) {
	if pl.rows != nil || int(operand>>4) >= pl.index || index&inConstants != 0 || pl.now[index>>4].kind != isTurn {
		return 0, false
	}
	for i := range pl.lists {
		if l := &pl.lists[i]; l.register == operand {
			l.set = l.set || set
			return l.vector, true
		}
	}
	pl.lists = append(pl.lists, blockList{register: operand, vector: pl.vector(), set: set})
	return pl.lists[len(pl.lists)-1].vector, true
}

// write returns the vector of a register that a turn writes.
func (pl *planner) write(operand uint16, c holding) (uint16, bool) {
	r := int(operand >> 4)
	if pl.rows == nil && r <= pl.index+3 {
		return 0, false
	}
	pl.now[r] = c
	if pl.vectors[r] == 0 {
		pl.vectors[r] = pl.vector()
	}
	return pl.vectors[r], true
}

// vector returns a new one.
func (pl *planner) vector() uint16 {
	pl.b.vectors++
	return uint16(pl.b.vectors - 1)
}

// constant returns the known value that a constant is.
func (pl *planner) constant(v Value) uint16 {
	return pl.value(blockKnown{from: fromConstant, value: v})
}

// value returns the number of a known value.
func (pl *planner) value(k blockKnown) uint16 {
	for i := range pl.b.known {
		if x := &pl.b.known[i]; x.from == k.from && x.at == k.at && x.of == k.of && x.key == k.key && x.value.Same(k.value) {
			return uint16(i)
		}
	}
	pl.b.known = append(pl.b.known, k)
	return uint16(len(pl.b.known) - 1)
}

// vectorOf returns the vector of a known value.
func (pl *planner) vectorOf(known uint16) uint16 {
	k := &pl.b.known[known]
	if k.vector == 0 {
		k.vector = pl.vector()
	}
	return k.vector
}
