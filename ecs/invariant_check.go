package ecs

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unsafe"
)

// ruleCheck finds the rows of a chunk that break a rule. columns are those of the components that
// the rule reads, in its order; nil for one that a chunk lacks.
type ruleCheck interface {
	// scan calls broken for each row that breaks the rule, in order.
	scan(c *Chunk, columns []unsafe.Pointer, broken func(row int))
	// cost is about how many nanoseconds a row takes: see Schedule.LimitChecks.
	cost() int64
	// show writes the values of a row that the rule is about: "hp = 7, max = 5".
	show(columns []unsafe.Pointer, row int) string
}

// scanned is how many rows a check works on at once.
//
// Why are numbers gathered before they are compared? A loop that knows the kind of a field
// does nothing but load and convert, one that compares need not know it: ten kinds and four
// checks make fourteen loops, and not forty.
const scanned = 64

// numbers are those of one operand in some rows.
type numbers [scanned]float64

// scanBlocks has test find the rows that break a rule, block by block, and reports them. test
// returns a bit for each row.
func scanBlocks(rows int, test func(first, n int) uint64, broken func(row int)) {
	for first := 0; first < rows; first += scanned {
		for bad := test(first, min(scanned, rows-first)); bad != 0; bad &= bad - 1 {
			broken(first + bits.TrailingZeros64(bad))
		}
	}
}

// at returns where the field of a row lies.
func (o *operand) at(columns []unsafe.Pointer, row int) unsafe.Pointer {
	return unsafe.Add(columns[o.column], uintptr(row)*o.size+o.offset)
}

// load reads the numbers of some rows; the field is no array.
func (o *operand) load(to []float64, columns []unsafe.Pointer, first int) {
	if o.column < 0 {
		for i := range to {
			to[i] = o.value
		}
		return
	}
	p := o.at(columns, first)
	switch o.field.Kind {
	case F32:
		loadNumbers[float32](to, p, o.size)
	case F64:
		loadNumbers[float64](to, p, o.size)
	case I8:
		loadNumbers[int8](to, p, o.size)
	case I16:
		loadNumbers[int16](to, p, o.size)
	case I32:
		loadNumbers[int32](to, p, o.size)
	case I64:
		loadNumbers[int64](to, p, o.size)
	case U16:
		loadNumbers[uint16](to, p, o.size)
	case U32:
		loadNumbers[uint32](to, p, o.size)
	case U64, Ref:
		loadNumbers[uint64](to, p, o.size)
	default: // U8, Bool and Enum are one byte
		loadNumbers[uint8](to, p, o.size)
	}
}

// loadNumbers reads values that lie so many bytes apart.
func loadNumbers[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](to []float64, p unsafe.Pointer, apart uintptr) {
	for i := range to {
		to[i] = float64(*(*T)(unsafe.Add(p, uintptr(i)*apart)))
	}
}

// show writes the value of a row: "hp = 7".
func (o *operand) show(columns []unsafe.Pointer, row int) string {
	p := o.at(columns, row)
	if o.field.Len == 0 {
		return o.label + " = " + showNumber(&o.field, p)
	}
	const most = 8
	var parts []string
	for i := range min(o.field.Len, most) {
		parts = append(parts, showNumber(&o.field, unsafe.Add(p, uintptr(i)*o.field.Stride)))
	}
	if o.field.Len > most {
		parts = append(parts, "…")
	}
	return fmt.Sprintf("%s = { %s }", o.label, strings.Join(parts, ", "))
}

// showNumber writes one element of a field.
func showNumber(f *Field, p unsafe.Pointer) string {
	switch f.Kind {
	case Bool:
		return fmt.Sprint(*(*uint8)(p) != 0)
	case I64:
		return fmt.Sprint(*(*int64)(p))
	case U64:
		return fmt.Sprint(*(*uint64)(p))
	case Ref:
		return fmt.Sprint(*(*Entity)(p))
	case Enum:
		if n := int(*(*uint8)(p)); n < len(f.Names) {
			return f.Names[n]
		}
	case F32:
		return fmt.Sprint(*(*float32)(p))
	}
	return number(f.Kind.Load(p))
}

// rangeCheck is that of a Range.
type rangeCheck struct {
	of      operand
	lo, hi  float64
	any     bool                        // the kind holds no other numbers
	outside func(p unsafe.Pointer) bool // of an array: whether an element is; nil for one number
}

// newRangeCheck prepares the check of a field.
func newRangeCheck(of operand, lo, hi float64) *rangeCheck {
	k := &rangeCheck{of: of, lo: of.rounded(lo), hi: of.rounded(hi)}
	least, most, whole := kindRange(of.field.Kind)
	k.any = whole && k.lo <= least && k.hi >= most
	if of.field.Len > 0 {
		k.outside = arrayOutside(&of.field, k.lo, k.hi)
	}
	return k
}

func (k *rangeCheck) scan(c *Chunk, columns []unsafe.Pointer, broken func(row int)) {
	if k.any {
		return
	}
	var v numbers
	scanBlocks(c.n, func(first, n int) (bad uint64) {
		if k.outside != nil {
			for i := range n {
				if k.outside(k.of.at(columns, first+i)) {
					bad |= 1 << i
				}
			}
			return bad
		}
		k.of.load(v[:n], columns, first)
		for i, x := range v[:n] {
			if !(x >= k.lo && x <= k.hi) {
				bad |= 1 << i
			}
		}
		return bad
	}, broken)
}

func (k *rangeCheck) cost() int64 {
	if k.any {
		return 0
	}
	return k.of.cost()
}

// cost is about how many nanoseconds a check of the field takes in a row.
func (o *operand) cost() int64 {
	n := int64(o.field.Len)
	switch {
	case n == 0:
		return 2
	case o.field.Stride == 1:
		n /= 4
	}
	return 4 + n
}

func (k *rangeCheck) show(columns []unsafe.Pointer, row int) string { return k.of.show(columns, row) }

// finiteCheck is that of Finite.
type finiteCheck struct{ of []operand }

func (k *finiteCheck) scan(c *Chunk, columns []unsafe.Pointer, broken func(row int)) {
	var v numbers
	scanBlocks(c.n, func(first, n int) (bad uint64) {
		for f := range k.of {
			o := &k.of[f]
			if o.field.Len > 0 {
				for i := range n {
					if arrayInfinite(&o.field, o.at(columns, first+i)) {
						bad |= 1 << i
					}
				}
				continue
			}
			o.load(v[:n], columns, first)
			for i, x := range v[:n] {
				if x-x != 0 { // NaN, where x is one or infinite
					bad |= 1 << i
				}
			}
		}
		return bad
	}, broken)
}

func (k *finiteCheck) cost() (sum int64) {
	for f := range k.of {
		sum += k.of[f].cost()
	}
	return sum
}

// show writes the fields that are not finite; if all are, as those of before may be, all.
func (k *finiteCheck) show(columns []unsafe.Pointer, row int) string {
	var parts, all []string
	for f := range k.of {
		o := &k.of[f]
		text := o.show(columns, row)
		all = append(all, text)
		for e := range max(o.field.Len, 1) {
			if x := o.field.Kind.Load(unsafe.Add(o.at(columns, row), uintptr(e)*o.field.Stride)); math.IsNaN(x) || math.IsInf(x, 0) {
				parts = append(parts, text)
				break
			}
		}
	}
	if len(parts) == 0 {
		parts = all
	}
	return strings.Join(parts, ", ")
}

// compareCheck is that of a Constraint.
type compareCheck struct {
	left, right operand
	op          compareOperator
}

func (k *compareCheck) scan(c *Chunk, columns []unsafe.Pointer, broken func(row int)) {
	var l, r numbers
	exact := k.left.field.Kind == Ref && k.right.field.Kind == Ref
	scanBlocks(c.n, func(first, n int) (bad uint64) {
		k.left.load(l[:n], columns, first)
		k.right.load(r[:n], columns, first)
		if bad = k.op.broken(l[:n], r[:n]); !exact {
			return bad
		}
		bad = 0 // handles have more bits than a float64
		for i := range n {
			same := *(*Entity)(k.left.at(columns, first+i)) == *(*Entity)(k.right.at(columns, first+i))
			if same != (k.op == equalTo) {
				bad |= 1 << i
			}
		}
		return bad
	}, broken)
}

// broken compares numbers, and returns a bit for each pair that the operator does not hold for.
//
// Why a loop for each operator? One loop that asks for the operator in each round took half as long again.
func (op compareOperator) broken(a, b []float64) (bad uint64) {
	switch b = b[:len(a)]; op {
	case equalTo:
		for i, x := range a {
			bad |= bit(x == b[i]) << i
		}
	case unequalTo:
		for i, x := range a {
			bad |= bit(x != b[i]) << i
		}
	case lessThan:
		for i, x := range a {
			bad |= bit(x < b[i]) << i
		}
	case atMost:
		for i, x := range a {
			bad |= bit(x <= b[i]) << i
		}
	case moreThan:
		return lessThan.broken(b, a)
	default:
		return atMost.broken(b, a)
	}
	return bad
}

// bit is 0 for what holds and 1 for what does not.
func bit(holds bool) uint64 {
	if holds {
		return 0
	}
	return 1
}

func (k *compareCheck) cost() int64 { return 4 }

func (k *compareCheck) show(columns []unsafe.Pointer, row int) string {
	var parts []string
	for _, o := range []*operand{&k.left, &k.right} {
		if o.column >= 0 {
			parts = append(parts, o.show(columns, row))
		}
	}
	return strings.Join(parts, ", ")
}

// transitionCheck is that of Transitions.
//
// Invariant: history has the states of the last check, of all entities that had the component then.
type transitionCheck struct {
	of        operand
	permitted [256][4]uint64 // by state: the set of those that may follow
	history   *tracker
}

func (k *transitionCheck) scan(c *Chunk, columns []unsafe.Pointer, broken func(row int)) {
	for row, e := range c.Entities() {
		was := k.history.shadow.Value(uint64(e))
		if was == nil {
			continue // it has begun since
		}
		from, to := *(*uint8)(unsafe.Add(was, k.of.offset)), *(*uint8)(k.of.at(columns, row))
		if from != to && k.permitted[from][to/64]>>(to%64)&1 == 0 {
			broken(row)
		}
	}
}

// cost: the value is copied, too.
func (k *transitionCheck) cost() int64 { return 24 + int64(k.of.size)/8 }

func (k *transitionCheck) show(columns []unsafe.Pointer, row int) string {
	return k.of.show(columns, row)
}

// holdsCheck is that of Holds.
type holdsCheck struct {
	holds  func(unsafe.Pointer) bool
	size   uintptr
	fields []Field
}

func (k *holdsCheck) scan(c *Chunk, columns []unsafe.Pointer, broken func(row int)) {
	for row := range c.n {
		if !k.holds(unsafe.Add(columns[0], uintptr(row)*k.size)) {
			broken(row)
		}
	}
}

// cost is a guess, as that of viewCheck is: the function may do anything.
func (k *holdsCheck) cost() int64 { return 10 }

func (k *holdsCheck) show(columns []unsafe.Pointer, row int) string {
	return showFields("", k.fields, unsafe.Add(columns[0], uintptr(row)*k.size))
}

// showFields writes the first fields of a value that are numbers.
func showFields(within string, fields []Field, p unsafe.Pointer) string {
	const most = 8
	var parts []string
	for i := range fields {
		f := &fields[i]
		if f.Kind < Bool || f.Kind > Enum || f.Len > 0 {
			continue
		}
		if len(parts) == most {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, within+f.Name+" = "+showNumber(f, unsafe.Add(p, f.Offset)))
	}
	return strings.Join(parts, ", ")
}

// viewCheck is that of View.Holds.
type viewCheck[T any] struct {
	fields []viewField
	holds  func(T) bool
}

func (k *viewCheck[T]) scan(c *Chunk, columns []unsafe.Pointer, broken func(row int)) {
	for row := range c.n {
		var at T
		for i := range k.fields {
			if f := &k.fields[i]; columns[i] != nil {
				*(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&at), f.offset)) = unsafe.Add(columns[i], uintptr(row)*f.info.size)
			}
		}
		if !k.holds(at) {
			broken(row)
		}
	}
}

func (k *viewCheck[T]) cost() int64 { return 20 }

func (k *viewCheck[T]) show(columns []unsafe.Pointer, row int) string {
	var parts []string
	for i := range k.fields {
		if c := k.fields[i].info; columns[i] != nil {
			if text := showFields(c.schema.Name+".", c.schema.Fields, unsafe.Add(columns[i], uintptr(row)*c.size)); text != "" {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, ", ")
}

// The elements of an array lie side by side, and those of the next row may be far away: so arrays
// are checked row by row, and bytes eight at a time.

// kindRange returns the least and the largest number that a field of whole numbers can hold, as
// they are compared; whole is false for the other kinds.
func kindRange(k Kind) (least, most float64, whole bool) {
	switch k {
	case F32, F64:
		return 0, 0, false
	case I8:
		return math.MinInt8, math.MaxInt8, true
	case I16:
		return math.MinInt16, math.MaxInt16, true
	case I32:
		return math.MinInt32, math.MaxInt32, true
	case I64:
		return math.MinInt64, math.MaxInt64, true
	case U16:
		return 0, math.MaxUint16, true
	case U32:
		return 0, math.MaxUint32, true
	case U64, Ref:
		return 0, math.MaxUint64, true
	}
	return 0, math.MaxUint8, true // U8, Bool and Enum are one byte
}

// arrayOutside makes the function that says whether an element of an array is outside of a range.
func arrayOutside(f *Field, lo, hi float64) func(p unsafe.Pointer) bool {
	n := f.Len
	switch f.Kind {
	case F32:
		return numbersOutside[float32](n, lo, hi)
	case F64:
		return numbersOutside[float64](n, lo, hi)
	case I16:
		return numbersOutside[int16](n, lo, hi)
	case I32:
		return numbersOutside[int32](n, lo, hi)
	case I64:
		return numbersOutside[int64](n, lo, hi)
	case U16:
		return numbersOutside[uint16](n, lo, hi)
	case U32:
		return numbersOutside[uint32](n, lo, hi)
	case U64, Ref:
		return numbersOutside[uint64](n, lo, hi)
	}
	least, most, _ := kindRange(f.Kind)
	lo, hi = math.Ceil(max(lo, least)), math.Floor(min(hi, most))
	if lo > hi {
		return func(unsafe.Pointer) bool { return true } // no byte is in it
	}
	t := newByteRange(uint8(lo-least), uint8(hi-least), uint8(int(least)))
	return func(p unsafe.Pointer) bool { return t.outside(unsafe.Slice((*byte)(p), n)) }
}

// numbersOutside is arrayOutside for n numbers of a type.
func numbersOutside[T int16 | int32 | int64 | uint16 | uint32 | uint64 | float32 | float64](n int, lo, hi float64) func(p unsafe.Pointer) bool {
	return func(p unsafe.Pointer) bool {
		for _, v := range unsafe.Slice((*T)(p), n) {
			if x := float64(v); !(x >= lo && x <= hi) {
				return true
			}
		}
		return false
	}
}

// arrayInfinite reports whether an element of an array of floats is NaN or infinite.
func arrayInfinite(f *Field, p unsafe.Pointer) bool {
	if f.Kind == F32 {
		return slices.ContainsFunc(unsafe.Slice((*float32)(p), f.Len), func(x float32) bool { return x-x != 0 })
	}
	return slices.ContainsFunc(unsafe.Slice((*float64)(p), f.Len), func(x float64) bool { return x-x != 0 })
}

// byteRange finds bytes outside of a range, eight at a time.
type byteRange struct {
	lo, hi, flip uint64 // each byte of them is the same
}

const (
	eachByte = 0x0101010101010101
	topBits  = 0x80 * eachByte
)

// newByteRange is about bytes that are between lo and hi once the bits of flip are turned: those
// of numbers with a sign are in order when the sign is turned.
func newByteRange(lo, hi, flip uint8) byteRange {
	return byteRange{uint64(lo) * eachByte, uint64(hi) * eachByte, uint64(flip) * eachByte}
}

func (r *byteRange) outside(b []byte) bool {
	for len(b) >= 8 {
		if r.strays(binary.LittleEndian.Uint64(b)) {
			return true
		}
		b = b[8:]
	}
	for _, x := range b {
		if r.strays(uint64(x) * eachByte) {
			return true
		}
	}
	return false
}

// strays reports whether one of eight bytes is outside. A byte is at least another one if its top bit
// is the larger one; if both are the same, the difference of the lower seven bits says it: the top
// bit of a minuend, which is set first, is borrowed if it is below zero.
func (r *byteRange) strays(word uint64) bool {
	word ^= r.flip
	low := (word | topBits) - r.lo&^topBits
	low = word&^r.lo | ^(word^r.lo)&low
	high := (r.hi | topBits) - word&^topBits
	high = r.hi&^word | ^(r.hi^word)&high
	return low&high&topBits != topBits
}
