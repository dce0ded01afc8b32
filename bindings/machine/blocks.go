package machine

import (
	"math"
	"math/bits"
	"unsafe"
)

// What computes with numbers is executed in blocks: up to 64 turns at once, one instruction
// after the other for all of them, which spares most of what an instruction costs. The turns
// are those of a loop over lists of numbers, or the calls of a function for the rows of a host:
// see blockLoop and Rows.
//
// Each turn works on numbers and on what is its own alone. Then no turn sees what another one
// does, and their order means nothing: see planner. A block runs only where nothing can fail or
// ask a metatable, and where the budget lasts for it; it counts what its turns count one by
// one. All else is left to the loop of the machine, so what a script sees is the same, and so
// is the count.

// vector is one value of each turn of a block: a number, or 1 and 0 for true and false.
type vector [blockTurns]float64

const (
	// blockTurns is how many turns a block has at most: one bit of a mask each.
	blockTurns = 64
	// fewTurns is how many turns are not worth a block.
	fewTurns = 8
	// mostVectors, mostKnown and mostCode are how many values, known values and instructions a
	// turn may have.
	mostVectors = 128
	mostKnown   = 512
	mostCode    = 4000
	// mostCost is how many instructions there may be between two ends.
	mostCost = 1 << 15
	// afterMiss is how many turns the loop makes by itself after a block that could not run.
	afterMiss = 64
	// longLoops is how many steps loops inside of the turns of a block may take, beyond those to
	// the next look at the budget.
	longLoops = 1 << 14
)

// blockOp is what an instruction of a block does.
type blockOp uint8

const (
	blockMove blockOp = iota
	blockAdd
	blockSub
	blockMul
	blockDiv
	blockMod
	blockPow
	blockUnm
	blockNot
	blockCallOne // function on x
	blockCallTwo // on x and y
	blockForPrep // d = x − y, as the machine begins a loop

	// Instructions that end a run of others with the same turns.
	blockJump
	blockJoin // turns that wait for the label to go on
	blockStop // a turn that comes here is not for a block
	blockForLoop
	blockEqual
	blockLess
	blockAtMost
	blockTest
)

// blockIns is an instruction of a block. d, x and y are vectors.
type blockIns struct {
	op       blockOp
	answer   bool   // of a comparison: at which it jumps
	cost     uint16 // at an end: of the instructions up to here
	d, x, y  uint16
	to       uint16 // the label to which it jumps, or where it stands
	function uint16 // the known value that it calls; of a loop the vector of its variable
}

// block is what the turns of a block do.
//
// Invariants: a turn reads no vector that it has not written before, but for known values and
// those that whoever runs the block fills; waiting is empty between blocks.
type block struct {
	code    []blockIns
	known   []blockKnown
	turn    uint16 // the vector of the number that each turn is given; 0: it is not read
	vectors int
	cost    int64    // of a turn, at most, but for what loops inside of it repeat
	labels  []int    // by label: where it stands
	waiting []uint64 // by label: the turns that have jumped there
}

// blockLoop is the body of a loop that can be executed in blocks.
//
// Invariant: items are empty between blocks.
type blockLoop struct {
	block
	index uint16 // the register in which FORLOOP counts
	lists []blockList
	skip  int // how many turns are the loop's, after a miss
}

// blockList is a list that turns read or set at their index.
type blockList struct {
	register uint16
	vector   uint16
	set      bool
	items    []uint64 // while a block runs
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
	defer b.close(vm)
	if step.Float() != 1 || float64(i-1) != x.Float() || i < 1 || !b.find(base) || !b.open(vm, fn, base) {
		return 0
	}
	last, room := b.last(limit.Float()), 0
	for steps < left {
		n := int(min(blockTurns, int64(last-i+1), (most-1-steps)/b.cost))
		if n < fewTurns || !b.sound(i-1, n) {
			break
		}
		if n != room {
			room = n
			b.cut(vm, n)
		}
		for k := range b.lists {
			l := &b.lists[k]
			vm.operands[l.vector] = floats(l.items[i-1 : i-1+n])
		}
		if b.turn != 0 {
			for r, to := 0, vm.operands[b.turn]; r < len(to); r++ {
				to[r] = float64(i + r)
			}
		}
		taken, _ := b.turns(vm.operands, n, most)
		steps += taken
		i += n
		b.skip = 0
	}
	x.n = math.Float64bits(float64(i - 1))
	return steps
}

func floats(items []uint64) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(items))), len(items))
}

// find looks up the lists. It reports whether they are as blocks need them.
func (b *blockLoop) find(base unsafe.Pointer) bool {
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
		for k := range b.lists[:i] {
			if other := &b.lists[k]; (l.set || other.set) && &other.items[0] == &t.nums[0] {
				return false // a turn takes what it has read for what stands there still
			}
		}
		l.items = t.nums
	}
	return true
}

// close lets go of the lists.
func (b *blockLoop) close(vm *VM) {
	for i := range b.lists {
		l := &b.lists[i]
		if l.items = nil; int(l.vector) < len(vm.operands) {
			vm.operands[l.vector] = nil
		}
	}
	b.letGo()
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
		odd := uint64(0)
		for _, x := range b.lists[i].items[first : first+n] {
			odd |= infinity - x&^(1<<63)
		}
		if odd>>63 != 0 {
			return false
		}
	}
	return true
}

// cut makes the vectors those of n turns.
func (b *block) cut(vm *VM, n int) {
	for i := range b.vectors {
		vm.operands[i] = vm.vectors[i][:n]
	}
}

// turns executes n turns. If one comes to a stop, or loops in them take too many steps, what
// they have computed means nothing: then stopped has that turn, or all of them.
func (b *block) turns(v [][]float64, n int, most int64) (steps int64, stopped uint64) {
	all := ^uint64(0) >> (blockTurns - n)
	active, rows := all, int64(n)
	for pc := 0; pc < len(b.code); pc++ {
		in := &b.code[pc]
		if in.op < blockJump {
			if active == all {
				b.compute(in, v[in.d], v)
			} else if active != 0 {
				b.masked(in, v, active)
			}
			continue
		}
		steps += rows * int64(in.cost)
		switch in.op {
		case blockJoin:
			active |= b.waiting[in.to]
			b.waiting[in.to] = 0
		case blockJump:
			b.waiting[in.to] |= active
			if to := b.labels[in.to]; to < pc && active != 0 {
				if steps > most-int64(n)*b.cost {
					clear(b.waiting)
					return 0, all
				}
				pc = to - 1
			}
			active = 0
		case blockForLoop:
			on := forLoop(v[in.d], v[in.x], v[in.y], v[in.function], active)
			if on != 0 {
				if steps > most-int64(n)*b.cost {
					clear(b.waiting)
					return 0, all
				}
				b.waiting[in.to] |= on
				b.waiting[b.code[pc+1].to] |= active &^ on
				active = 0
				pc = b.labels[in.to] - 1
			}
		case blockStop:
			if active != 0 {
				clear(b.waiting)
				return 0, active
			}
		default:
			is := compareVectors(in.op, v[in.x], v[in.y])
			if !in.answer {
				is = ^is
			}
			is &= active
			steps += int64(bits.OnesCount64(is)) // the jump after it
			b.waiting[in.to] |= is
			active &^= is
		}
		rows = int64(bits.OnesCount64(active))
	}
	return steps, 0
}

// masked is compute for some of the turns only.
func (b *block) masked(in *blockIns, v [][]float64, mask uint64) {
	to, from := v[in.d], v[0]
	switch in.op {
	case blockMove:
		from = v[in.x]
	case blockCallOne, blockCallTwo: // may take long
		b.call(in, to, v, mask)
		return
	default:
		b.compute(in, from, v)
	}
	for ; mask != 0; mask &= mask - 1 {
		r := bits.TrailingZeros64(mask)
		to[r] = from[r]
	}
}

// call calls a function for those turns that a mask names.
func (b *block) call(in *blockIns, to []float64, v [][]float64, mask uint64) {
	pure, x, y := b.known[in.function].pure, v[in.x], v[in.y]
	for ; mask != 0; mask &= mask - 1 {
		r := bits.TrailingZeros64(mask)
		if in.op == blockCallOne {
			to[r] = Number(pure.One(x[r])).Float()
		} else {
			to[r] = Number(pure.Two(x[r], y[r])).Float()
		}
	}
}
