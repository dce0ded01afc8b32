package save

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/schema"
)

// hiddenName is the column of what a Go type has beside its fields: fields that are not exported,
// and those of kinds that scripts do not see.
const hiddenName = "_hidden"

// piece is some bytes of a value that lie side by side.
type piece struct{ at, size int }

// leafColumn is a part of a value that is a column of its own: the runs of its bytes, in order.
type leafColumn struct {
	kind schema.Kind // 0 for hidden bytes
	bits bool        // bools, which a column packs
	runs []piece
	size int // bytes of all runs
	per  int // elements of a value
}

// mostPlaces bounds what the shapes of one save take in memory: the values that their structs have, in arrays
// and arrays of arrays, each counted once for each of its fields. A list of numbers is one place.
const mostPlaces = 1 << 22

// placeBudget is how many places the shapes of a save may still have. A manifest of a few bytes may
// describe more of them than there is memory.
type placeBudget int64

// deepest is how many structs may be in each other.
const deepest = 100

// spend charges the fields of so many structs, each within others. The error wraps ErrTooLarge.
func (b *placeBudget) spend(fields []schema.Field, owners int64, within int) error {
	if within > deepest {
		return fmt.Errorf("%w: structs are more than %d deep in each other", ErrTooLarge, deepest)
	}
	for i := range fields {
		f, n := &fields[i], owners
		if f.Kind == schema.Struct {
			n *= int64(max(f.Len, 1))
		}
		if *b -= placeBudget(n); *b < 0 {
			return fmt.Errorf("%w: the fields of all components and events have more than %d places", ErrTooLarge, mostPlaces)
		}
		if err := b.spend(f.Fields, n, within+1); err != nil {
			return err
		}
	}
	return nil
}

// columnar is how values of one schema are cut into leaves.
type columnar struct {
	schema *schema.Schema
	size   int
	column arrowField
	leaves []leafColumn
	nodes  []int // for each field of the column, how many values it has for one of the whole
	data   []int // for each buffer, the index of its leaf, or -1
}

// shapeOf returns the shape of values of a schema; typ is their Go type, or nil.
func shapeOf(s *schema.Schema, typ reflect.Type) *columnar {
	return newShape(s, hiddenRuns(s, typ))
}

// newShape returns the shape of values of a schema that have hidden bytes at some places.
func newShape(s *schema.Schema, hidden []piece) *columnar {
	h := &columnar{schema: s, size: int(s.Size), column: arrowField{name: s.Name, kind: arrowStruct}}
	h.node(1)
	for i := range s.Fields {
		if c := h.field(&s.Fields[i], []int{0}); c != nil {
			h.column.children = append(h.column.children, *c)
		}
	}
	if len(hidden) > 0 {
		l := leafColumn{runs: hidden, per: 1}
		for _, r := range hidden {
			l.size += r.size
		}
		h.column.children = append(h.column.children, arrowField{name: hiddenName, kind: arrowFixed, width: l.size})
		h.leaf(l)
	}
	return h
}

// node notes a field that has so many values for one of the whole, with its buffer of validity, which
// is empty.
func (h *columnar) node(per int) {
	h.nodes, h.data = append(h.nodes, per), append(h.data, -1)
}

// leaf notes a field that has data.
func (h *columnar) leaf(l leafColumn) {
	h.node(l.per)
	h.data = append(h.data, len(h.leaves))
	h.leaves = append(h.leaves, l)
}

// field adds a field, whose owners begin at some places of a value; nil if nobody can read it.
func (h *columnar) field(f *schema.Field, owners []int) *arrowField {
	if f.Kind == schema.Opaque || f.Kind == schema.String || f.Kind == 0 {
		return nil
	}
	n := max(f.Len, 1)
	if f.Len > 0 {
		h.node(len(owners))
	}
	inner := arrowField{name: f.Name}
	if f.Kind == schema.Struct {
		at := make([]int, 0, len(owners)*n)
		for _, owner := range owners {
			for i := range n {
				at = append(at, owner+int(f.Offset)+i*int(f.Stride))
			}
		}
		inner.kind = arrowStruct
		h.node(len(at))
		for i := range f.Fields {
			if c := h.field(&f.Fields[i], at); c != nil {
				inner.children = append(inner.children, *c)
			}
		}
	} else {
		inner.kind, inner.width, inner.signed = arrowOf(f.Kind)
		if f.Kind == schema.Enum {
			inner.meta = append(inner.meta, [2]string{"perigee.enum", strings.Join(f.Names, "|")})
		}
		if f.Kind == schema.Ref {
			inner.meta = append(inner.meta, [2]string{"perigee.kind", "entity"})
		}
		h.leaf(newLeaf(f, owners))
	}
	if f.Len == 0 {
		return &inner
	}
	inner.name = "item"
	return &arrowField{name: f.Name, kind: arrowFixedList, width: f.Len, children: []arrowField{inner}}
}

// arrowOf returns the type of Arrow for a kind of numbers.
func arrowOf(k schema.Kind) (kind arrowKind, width int, signed bool) {
	switch k {
	case schema.Bool:
		return arrowBool, 0, false
	case schema.F32, schema.F64:
		return arrowFloat, int(k.Size()) * 8, false
	case schema.I8, schema.I16, schema.I32, schema.I64:
		return arrowInt, int(k.Size()) * 8, true
	}
	return arrowInt, int(k.Size()) * 8, false
}

// newLeaf returns the leaf of a field of numbers, whose owners begin at some places. The numbers of one
// owner lie side by side.
func newLeaf(f *schema.Field, owners []int) leafColumn {
	n := max(f.Len, 1)
	each := n * int(f.Kind.Size())
	l := leafColumn{kind: f.Kind, bits: f.Kind == schema.Bool, per: n * len(owners), size: each * len(owners)}
	for _, owner := range owners {
		place := owner + int(f.Offset)
		if n := len(l.runs); n > 0 && l.runs[n-1].at+l.runs[n-1].size == place {
			l.runs[n-1].size += each
			continue
		}
		l.runs = append(l.runs, piece{place, each})
	}
	return l
}

// hiddenRuns returns the bytes of a Go type that are neither padding nor in fields that a schema has
// and a column can hold.
func hiddenRuns(s *schema.Schema, typ reflect.Type) (hidden []piece) {
	if typ == nil {
		return nil
	}
	seen := make([]bool, s.Size)
	for _, l := range newShape(s, nil).leaves {
		for _, r := range l.runs {
			for i := range r.size {
				seen[r.at+i] = true
			}
		}
	}
	for _, r := range meaning(nil, typ, 0) {
		for i := r.at; i < r.at+r.size; i++ {
			if seen[i] {
				continue
			}
			if n := len(hidden); n > 0 && hidden[n-1].at+hidden[n-1].size == i {
				hidden[n-1].size++
			} else {
				hidden = append(hidden, piece{i, 1})
			}
		}
	}
	return hidden
}

// meaning appends the bytes of a type that are not padding.
func meaning(runs []piece, t reflect.Type, at int) []piece {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			runs = meaning(runs, t.Field(i).Type, at+int(t.Field(i).Offset))
		}
	case reflect.Array:
		for i := range t.Len() {
			runs = meaning(runs, t.Elem(), at+i*int(t.Elem().Size()))
		}
	default:
		runs = append(runs, piece{at, int(t.Size())})
	}
	return runs
}

// bytes returns how many bytes the leaf's column has for n values.
func (l *leafColumn) bytes(n int) int {
	if l.bits {
		return (n*l.per + 7) / 8
	}
	return n * l.size
}

// direct reports whether the column is the values themselves.
func (l *leafColumn) direct(size int) bool {
	return !l.bits && len(l.runs) == 1 && l.runs[0] == piece{0, size}
}

// gather copies the leaf of n values of some size to its column.
func (l *leafColumn) gather(to, from []byte, size, n int) {
	switch {
	case n == 0 || l.size == 0:
	case l.bits:
		l.pack(to, from, size, n)
	case len(l.runs) == 1:
		stride(to, from[l.runs[0].at:], l.size, size, l.size, n)
	default:
		for i := range n {
			for _, r := range l.runs {
				copy(to[:r.size], from[i*size+r.at:])
				to = to[r.size:]
			}
		}
	}
}

// scatter copies the column of a leaf to n values of some size.
func (l *leafColumn) scatter(to, from []byte, size, n int) {
	switch {
	case n == 0 || l.size == 0:
	case l.bits:
		l.unpack(to, from, size, n)
	case len(l.runs) == 1:
		stride(to[l.runs[0].at:], from, size, l.size, l.size, n)
	default:
		for i := range n {
			for _, r := range l.runs {
				copy(to[i*size+r.at:], from[:r.size])
				from = from[r.size:]
			}
		}
	}
}

// pack makes bits of bools. What is neither true nor false becomes true, as it reads.
func (l *leafColumn) pack(to, from []byte, size, n int) {
	clear(to[:l.bytes(n)])
	bit := 0
	for i := range n {
		for _, r := range l.runs {
			for j := range r.size {
				if from[i*size+r.at+j] != 0 {
					to[bit/8] |= 1 << (bit % 8)
				}
				bit++
			}
		}
	}
}

// unpack makes bools of bits.
func (l *leafColumn) unpack(to, from []byte, size, n int) {
	bit := 0
	for i := range n {
		for _, r := range l.runs {
			for j := range r.size {
				to[i*size+r.at+j] = from[bit/8] >> (bit % 8) & 1
				bit++
			}
		}
	}
}

// stride copies n pieces of width bytes, from places that are one distance apart to places that are
// another apart.
func stride(to, from []byte, apartTo, apartFrom, width, n int) {
	if apartTo == width && apartFrom == width {
		copy(to[:n*width], from)
		return
	}
	last := n - 1
	_, _ = to[last*apartTo+width-1], from[last*apartFrom+width-1]
	dst, src := unsafe.Pointer(&to[0]), unsafe.Pointer(&from[0])
	if width == 1 || width == 2 || width == 4 || width == 8 {
		if (uintptr(dst)|uintptr(src)|uintptr(apartTo)|uintptr(apartFrom))%uintptr(width) == 0 {
			strideWords(dst, src, apartTo, apartFrom, width, n)
			return
		}
	}
	for i := range n {
		copy(to[i*apartTo:i*apartTo+width], from[i*apartFrom:])
	}
}

// strideWords is stride for what a register holds. The addresses are aligned.
func strideWords(dst, src unsafe.Pointer, apartTo, apartFrom, width, n int) {
	switch width {
	case 1:
		for i := range n {
			*(*uint8)(unsafe.Add(dst, i*apartTo)) = *(*uint8)(unsafe.Add(src, i*apartFrom))
		}
	case 2:
		for i := range n {
			*(*uint16)(unsafe.Add(dst, i*apartTo)) = *(*uint16)(unsafe.Add(src, i*apartFrom))
		}
	case 4:
		for i := range n {
			*(*uint32)(unsafe.Add(dst, i*apartTo)) = *(*uint32)(unsafe.Add(src, i*apartFrom))
		}
	case 8:
		for i := range n {
			*(*uint64)(unsafe.Add(dst, i*apartTo)) = *(*uint64)(unsafe.Add(src, i*apartFrom))
		}
	}
}

// packed returns n values as they are in files, leaf by leaf.
func (h *columnar) packed(from []byte, n int) []byte {
	var to []byte
	for i := range h.leaves {
		l := &h.leaves[i]
		old := len(to)
		to = append(to, make([]byte, l.bytes(n))...)
		l.gather(to[old:], from, h.size, n)
	}
	return to
}

// unpacked writes n values that packed has made, and reports whether there are as many bytes.
func (h *columnar) unpacked(to, from []byte, n int) bool {
	for i := range h.leaves {
		l := &h.leaves[i]
		size := l.bytes(n)
		if size < 0 || size > len(from) {
			return false
		}
		l.scatter(to, slices.Clone(from[:size]), h.size, n) // aligned, as from need not be
		from = from[size:]
	}
	return len(from) == 0
}

// same reports whether two shapes have the same leaves, wherever they lie in a value.
func (h *columnar) same(o *columnar) bool {
	return sameColumn(&h.column, &o.column)
}

// sameColumn compares what two columns hold, but for the name of the whole.
func sameColumn(a, b *arrowField) bool {
	return a.kind == b.kind && a.width == b.width && a.signed == b.signed && slices.Equal(a.meta, b.meta) &&
		slices.EqualFunc(a.children, b.children, func(x, y arrowField) bool { return x.name == y.name && sameColumn(&x, &y) })
}
