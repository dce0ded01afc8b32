package machine

import (
	"math/bits"
	"slices"
	"unsafe"
)

// A function that is called for each of many rows of a host, and only computes with their
// fields, is executed in blocks: see the planner. What it has not stored yet, nobody sees: the
// fields are in vectors, which the host fills before a block and stores after it. Where a row
// comes to anything else, the block is done for the rows before it only, and the host calls the
// function for that row.

// RowField is a field of a row that a function gets as a parameter. It holds a number, true or
// false, or one of some words.
type RowField struct {
	Param int // from 0
	Key   string
	Truth bool
	Names []string // nil: it holds none
}

// rowField is a field as blocks have it.
type rowField struct {
	RowField
	kind     holdingKind
	vector   uint16
	assigned bool
	filled   bool
}

// words returns what the holding of the ith field says of its words.
func (f *rowField) words(i int) uint16 {
	if f.kind == isWord {
		return uint16(i)
	}
	return 0
}

// Rows executes a function for many rows. Between Open and Close no function may be called.
//
// Invariant: fields that are neither filled nor assigned have nothing in their vectors.
type Rows struct {
	block
	vm     *VM
	fields []rowField
	n      int   // rows of the block at hand
	charge int64 // what each costs beside its instructions
}

// PlanRows returns what executes a function in blocks, nil if nothing can. The first parameter
// is the number of the row; fields are those of others, and shared the parameters that are the
// same for all rows.
func (vm *VM) PlanRows(fn *Function, fields []RowField, shared []int) *Rows {
	p := fn.proto
	if p == nil || p.vararg || vm.noBlocks {
		return nil
	}
	p.ready()
	r := &Rows{vm: vm}
	pl := p.newPlanner(&r.block, 0, len(p.code))
	pl.rows = r
	begin := make([]holding, p.size)
	begin[0].kind = isTurn
	for _, s := range shared {
		if s < p.params {
			begin[s] = holding{kind: isOther, known: pl.value(blockKnown{from: fromRegister, at: register(s)}) + 1}
		}
	}
	for _, f := range fields {
		x := rowField{RowField: f, kind: isNumber, vector: pl.vector()}
		switch {
		case f.Truth:
			x.kind = isTruth
		case f.Names != nil:
			x.kind = isWord
		}
		if f.Param < p.params {
			begin[f.Param] = holding{kind: isRow, of: uint16(f.Param)}
		}
		r.fields = append(r.fields, x)
	}
	if p.params == 0 || len(fields) > mostVectors || !pl.plan(begin) || r.stopsFirst() {
		return nil
	}
	pl.finish()
	var kept vectorSet
	for i := range r.fields {
		if r.fields[i].assigned {
			kept.add(r.fields[i].vector)
		}
	}
	filled := r.tidy(&kept)
	for i := range r.fields {
		r.fields[i].filled = filled.has(r.fields[i].vector)
	}
	return r
}

// find returns the field of a parameter, −1 if it has none of that name.
func (r *Rows) find(param int, key string) int {
	return slices.IndexFunc(r.fields, func(f rowField) bool { return f.Param == param && f.Key == key })
}

// stopsFirst reports whether every row stops.
func (r *Rows) stopsFirst() bool {
	for i := range r.code {
		switch r.code[i].op {
		case blockStop:
			return true
		case blockJump, blockForLoop, blockEqual, blockLess, blockAtMost, blockTest:
			return false
		}
	}
	return false
}

// Filled reports whether the ith field must be put into its vector before a block, and Assigned
// whether it is to be stored after it.
func (r *Rows) Filled(i int) bool   { return r.fields[i].filled }
func (r *Rows) Assigned(i int) bool { return r.fields[i].assigned }

// ReadsNumber reports whether the function reads the number of the row.
func (r *Rows) ReadsNumber() bool { return r.turn != 0 }

// Ready reports whether so many rows are worth a block, and the budget need not be looked at
// before it.
func (r *Rows) Ready(left int) bool { return left >= fewTurns && r.vm.taken < r.vm.soft }

// Open prepares for blocks of rows. args are the arguments of the function, of which those are
// read that are the same for all rows. It reports whether there can be any; then Close ends what
// it has begun.
func (r *Rows) Open(fn *Function, args []Value) bool {
	if !r.open(r.vm, fn, unsafe.Pointer(unsafe.SliceData(args))) {
		r.letGo()
		return false
	}
	return true
}

// Close lets go of what Open has found.
func (r *Rows) Close() { r.letGo() }

// Next begins a block of as many rows as are left, or as the budget allows for where a row costs
// so many steps beside those of the function. It returns how many that are; 0 if there are too
// few of them for a block.
func (r *Rows) Next(left, charge int) int {
	if !r.Ready(left) {
		return 0
	}
	r.charge = int64(charge)
	return r.begin(min(left, blockTurns, int(max(r.most()-1, 0)/(r.cost+r.charge))))
}

// most is how many steps a block may take.
func (r *Rows) most() int64 { return r.vm.limit - r.vm.longest - 2 - r.vm.taken }

// begin makes the vectors those of n rows.
func (r *Rows) begin(n int) int {
	if n < fewTurns {
		return 0
	}
	r.n = n
	r.cut(r.vm, n)
	return n
}

// Vector returns the vector of the ith field, for the rows of the block: numbers, 1 and 0 for
// true and false, the indexes of words.
func (r *Rows) Vector(i int) []float64 { return r.vm.operands[r.fields[i].vector] }

// Numbers returns the vector of the numbers of the rows.
func (r *Rows) Numbers() []float64 { return r.vm.operands[r.turn] }

// Run executes the function for the rows of the block, and returns how many steps they cost. If
// done is not the number of the rows, it has come to that row at which the function does more
// than a block can: then the vectors hold nothing.
func (r *Rows) Run() (steps int64, done int) {
	beside := int64(r.n) * r.charge
	most := min(r.most(), r.vm.soft-r.vm.taken+longLoops) - beside
	steps, stopped := r.turns(r.vm.operands, r.n, most)
	if stopped != 0 {
		return 0, bits.TrailingZeros64(stopped)
	}
	return steps + beside, r.n
}

// Shorten makes the block one of its first n rows only. It returns 0 if they are too few.
func (r *Rows) Shorten(n int) int { return r.begin(n) }
