package ecs

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"unsafe"
)

// ruleCheck finds the rows of a chunk that break a rule. columns are those of the components that
// the rule reads, in its order; nil for one that a chunk lacks.
type ruleCheck interface {
	// scan calls broken for each row that breaks the rule, in order.
	scan(c *Chunk, columns []unsafe.Pointer, broken func(row int))
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

// load reads the numbers of some rows; of an array, those of one element.
func (o *operand) load(to []float64, columns []unsafe.Pointer, first, element int) {
	if o.column < 0 {
		for i := range to {
			to[i] = o.value
		}
		return
	}
	p := unsafe.Add(o.at(columns, first), uintptr(element)*o.field.Stride)
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
	of     operand
	lo, hi float64
}

func (k *rangeCheck) scan(c *Chunk, columns []unsafe.Pointer, broken func(row int)) {
	var v numbers
	scanBlocks(c.n, func(first, n int) (bad uint64) {
		for e := range max(k.of.field.Len, 1) {
			k.of.load(v[:n], columns, first, e)
			for i, x := range v[:n] {
				if !(x >= k.lo && x <= k.hi) {
					bad |= 1 << i
				}
			}
		}
		return bad
	}, broken)
}

func (k *rangeCheck) show(columns []unsafe.Pointer, row int) string { return k.of.show(columns, row) }

// finiteCheck is that of Finite.
type finiteCheck struct{ of []operand }

func (k *finiteCheck) scan(c *Chunk, columns []unsafe.Pointer, broken func(row int)) {
	var v numbers
	scanBlocks(c.n, func(first, n int) (bad uint64) {
		for f := range k.of {
			for e := range max(k.of[f].field.Len, 1) {
				k.of[f].load(v[:n], columns, first, e)
				for i, x := range v[:n] {
					if x-x != 0 { // NaN, where x is one or infinite
						bad |= 1 << i
					}
				}
			}
		}
		return bad
	}, broken)
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
		k.left.load(l[:n], columns, first, 0)
		k.right.load(r[:n], columns, first, 0)
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
