package machine

import (
	"math"
	"math/bits"
	"unsafe"
)

// Loops over lists of numbers are executed in blocks: up to 64 turns at once, one instruction
// after the other for all of them, which spares most of what an instruction costs.
//
// A loop is one for blocks if each turn works on numbers and on items at its own index alone.
// Then no turn sees what another one does, and their order means nothing: see planner. A
// block runs only where nothing can fail or ask a metatable, because all items that it may
// touch are numbers, and where the budget lasts for it; it counts what its turns count one by
// one. All else is left to the loop, so what a script sees is the same, and so is the count.

// vector is one register of the turns of a block.
type vector [blockTurns]float64

const (
	// blockTurns is how many turns a block has at most: one bit of a mask each.
	blockTurns = 64
	// fewTurns is how many turns are not worth a block.
	fewTurns = 8
	// mostVectors is how many values the body of a loop for blocks may have.
	mostVectors = 40
	// afterMiss is how many turns the loop makes by itself after a block that could not run.
	afterMiss = 64
)

// blockOp is what an instruction of a block does.
type blockOp uint8

const (
	blockNop blockOp = iota
	blockMove
	blockGet // x is a list
	blockSet // d is a list
	blockAdd
	blockSub
	blockMul
	blockDiv
	blockMod
	blockUnm
	blockJump
	blockEqual
	blockLess
	blockAtMost
)

// blockIns is an instruction of a block. d, x and y are vectors.
type blockIns struct {
	op      blockOp
	joins   bool // an instruction before it may jump here
	answer  bool // of a comparison: at which it jumps
	cost    uint8
	d, x, y uint16
	to      int // where it jumps
}

// blockLoop is the body of a loop that can be executed in blocks.
//
// Invariants: a turn reads no vector that it has not written before, but for those of known
// and the counter; items and waiting are empty between blocks.
type blockLoop struct {
	code    []blockIns
	index   uint16 // the register in which FORLOOP counts
	lists   []blockList
	known   []blockKnown
	counter int // the vector of the index; 0: it is not read as a number
	vectors int
	cost    int64    // of a turn, at most
	skip    int      // how many turns are the loop's, after a miss
	waiting []uint64 // by instruction: the turns that have jumped there
}

// blockList is a list that turns read or set.
type blockList struct {
	register uint16
	set      bool
	items    []uint64 // while a block runs
}

// blockKnown is a number that no turn changes.
type blockKnown struct {
	from   blockSource
	at     uint16 // the register's offset, or that of the captured local
	number uint64 // a constant
	vector uint16
}

// blockSource says where a number comes from.
type blockSource uint8

const (
	fromRegister blockSource = iota
	fromUpvalue
	fromConstant
)

// value returns the number.
func (k *blockKnown) value(fn *Function, base unsafe.Pointer) uint64 {
	switch k.from {
	case fromRegister:
		return at(base, k.at).n
	case fromUpvalue:
		return fn.up[k.at/8].v.n
	}
	return k.number
}

// run executes turns from the next one on, as many as can be. It begins no block after so many
// steps as are left to the next look at the budget, and counts fewer than there may be at most.
// It returns how many it has counted, and leaves the index at the last turn.
func (b *blockLoop) run(vm *VM, fn *Function, base unsafe.Pointer, left, most int64) (steps int64) {
	if left <= 0 || most < fewTurns*b.cost {
		return 0
	}
	if b.skip > 0 {
		b.skip--
		return 0
	}
	b.skip = afterMiss
	x, limit, step := at(base, b.index), at(base, b.index+16), at(base, b.index+32)
	i := int(x.Float()) + 1
	if step.Float() != 1 || float64(i-1) != x.Float() || i < 1 || !b.open(vm, fn, base) {
		return 0
	}
	last := b.last(limit.Float())
	for steps < left {
		n := min(blockTurns, last-i+1, int((most-1-steps)/b.cost))
		if n < fewTurns || !b.sound(i-1, n) {
			break
		}
		steps += b.turns(vm.vectors, i, n)
		i += n
		b.skip = 0
	}
	b.close()
	x.n = math.Float64bits(float64(i - 1))
	return steps
}

// open looks up the lists, and spreads what no turn changes. It reports whether all of it is
// as blocks need it.
func (b *blockLoop) open(vm *VM, fn *Function, base unsafe.Pointer) bool {
	for i := range b.lists {
		l := &b.lists[i]
		v := at(base, l.register)
		if v.n != tagTable {
			return false
		}
		t := (*Table)(v.p)
		if t.items != nil || len(t.nums) == 0 || l.set && t.sealed {
			return false
		}
		l.items = t.nums
	}
	if len(vm.vectors) < b.vectors {
		vm.vectors = make([]vector, b.vectors)
	}
	for i := range b.known {
		k := &b.known[i]
		n := k.value(fn, base)
		if PackedNaN(n) {
			return false
		}
		vm.vectors[k.vector].spread(float(n))
	}
	return true
}

// close lets go of the lists.
func (b *blockLoop) close() {
	for i := range b.lists {
		b.lists[i].items = nil
	}
}

func (v *vector) spread(x float64) {
	for i := range v {
		v[i] = x
	}
}

// last returns the last index that a block may reach.
func (b *blockLoop) last(limit float64) int {
	most := len(b.lists[0].items)
	for i := range b.lists {
		most = min(most, len(b.lists[i].items))
	}
	if limit < float64(most) {
		return int(math.Floor(max(limit, 0)))
	}
	return most
}

// sound reports whether the n items after the first ones are numbers and not NaN.
func (b *blockLoop) sound(first, n int) bool {
	for i := range b.lists {
		for _, x := range b.lists[i].items[first : first+n] {
			if PackedNaN(x) {
				return false
			}
		}
	}
	return true
}

// turns executes the turns from index i on, n of them, and returns how many steps they count.
func (b *blockLoop) turns(vectors []vector, i, n int) (steps int64) {
	all := ^uint64(0) >> (blockTurns - n)
	active, rows := all, int64(n)
	if b.counter != 0 {
		for r := range n {
			vectors[b.counter][r] = float64(i + r)
		}
	}
	for pc := range b.code {
		in := &b.code[pc]
		if in.joins {
			active |= b.waiting[pc]
			b.waiting[pc], rows = 0, int64(bits.OnesCount64(active))
		}
		if active == 0 {
			continue
		}
		steps += rows * int64(in.cost)
		switch in.op {
		case blockNop:
		case blockJump:
			b.waiting[in.to] |= active
			active, rows = 0, 0
		case blockEqual, blockLess, blockAtMost:
			is := compareVectors(in.op, vectors[in.x][:n], vectors[in.y][:n])
			if !in.answer {
				is = ^is
			}
			if is &= active; is != 0 {
				steps += int64(bits.OnesCount64(is)) // the jump after it
				b.waiting[in.to] |= is
				active &^= is
				rows = int64(bits.OnesCount64(active))
			}
		case blockSet:
			setItems(b.lists[in.d].items[i-1:i-1+n], &vectors[in.x], active, active == all)
		default:
			to := &vectors[in.d]
			if active != all {
				to = &vectors[0]
			}
			if in.op == blockGet {
				getItems(to[:n], b.lists[in.x].items[i-1:i-1+n])
			} else {
				computeVectors(in.op, to[:n], vectors[in.x][:n], vectors[in.y][:n])
			}
			if active != all {
				vectors[in.d].blend(to, active)
			}
		}
	}
	return steps
}

// blend takes over those elements of another vector that a mask names.
func (v *vector) blend(from *vector, mask uint64) {
	for ; mask != 0; mask &= mask - 1 {
		r := bits.TrailingZeros64(mask) & (blockTurns - 1)
		v[r] = from[r]
	}
}

func getItems(to []float64, items []uint64) {
	copy(to, unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(items))), len(items)))
}

// setItems sets the items of those turns that a mask names.
func setItems(items []uint64, from *vector, mask uint64, all bool) {
	to := unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(items))), len(items))
	if all {
		copy(to, from[:])
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		r := bits.TrailingZeros64(mask) & (blockTurns - 1)
		to[r] = from[r]
	}
}

// computeVectors computes as the loop does for each turn.
func computeVectors(op blockOp, to, x, y []float64) {
	x, y = x[:len(to)], y[:len(to)]
	switch op {
	case blockMove:
		copy(to, x)
	case blockAdd:
		for i := range to {
			sum := x[i] + y[i]
			if sum != sum && x[i] != x[i] {
				sum = x[i] // of two NaNs the left one
			}
			to[i] = float64(sum) + 0
		}
	case blockSub:
		for i := range to {
			to[i] = float64(x[i]-y[i]) + 0
		}
	case blockMul:
		for i := range to {
			product := x[i] * y[i]
			if product != product && x[i] != x[i] {
				product = x[i]
			}
			to[i] = float64(product) + 0
		}
	case blockDiv:
		for i := range to {
			to[i] = float64(x[i]/y[i]) + 0
		}
	case blockMod:
		for i := range to {
			to[i] = float(remainder(x[i], y[i]))
		}
	case blockUnm:
		for i := range to {
			to[i] = Number(-x[i]).Float()
		}
	}
}

// compareVectors returns a mask of the turns for which a comparison holds.
func compareVectors(op blockOp, x, y []float64) (mask uint64) {
	y = y[:len(x)]
	switch op {
	case blockEqual:
		for i := len(x) - 1; i >= 0; i-- {
			mask = mask<<1 | bitOf(x[i] == y[i])
		}
	case blockLess:
		for i := len(x) - 1; i >= 0; i-- {
			mask = mask<<1 | bitOf(x[i] < y[i])
		}
	case blockAtMost:
		for i := len(x) - 1; i >= 0; i-- {
			mask = mask<<1 | bitOf(x[i] <= y[i])
		}
	}
	return mask
}

func bitOf(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}
