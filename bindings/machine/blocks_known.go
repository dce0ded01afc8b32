package machine

import "unsafe"

// A known value is one that no turn of a block changes: a constant, what a register holds that
// no turn writes, a captured local, a global, a field of such a value. It is looked up once for
// many blocks.
//
// Invariant: to look one up has no effect, and a turn that does so counts one step for it:
// fields and globals are those of the table itself, or of the table that __index names.

// blockKnown is a known value, and what turns need of it.
type blockKnown struct {
	from  blockSource
	at    uint16 // the register's offset, or that of the captured local
	of    uint16 // the known value that has the field
	value Value  // of a constant; of all others while blocks run
	key   *Str   // of a global, or of a field

	vector   uint16 // of the number; 0: nobody asks for it
	truth    uint16 // of 1 or 0, for whether it counts as true
	function bool   // it is called
	index    bool   // its fields are asked for
	args     uint8  // of the calls: a bit each for one, for two and for more
	pure     *Pure
}

// blockSource says where a known value comes from.
type blockSource uint8

const (
	fromRegister blockSource = iota
	fromUpvalue
	fromConstant
	fromGlobal
	fromField
)

// open looks up the known values, and spreads them for all turns. It reports whether all of
// them are as blocks need them. base has the registers of a loop, or the parameters of a
// function.
func (b *block) open(vm *VM, fn *Function, base unsafe.Pointer) bool {
	if len(vm.vectors) < b.vectors {
		vm.vectors, vm.operands = make([]vector, b.vectors), make([][]float64, b.vectors)
	}
	for i := range b.known {
		k := &b.known[i]
		if k.vector|k.truth == 0 && !k.function && !k.index {
			continue
		}
		v := b.lookUp(k, fn, base)
		if k.from != fromConstant {
			k.value = clean(v)
		}
		if !k.prepare(vm) {
			return false
		}
	}
	return true
}

// letGo forgets what open has found.
func (b *block) letGo() {
	for i := range b.known {
		if k := &b.known[i]; k.from != fromConstant {
			k.value, k.pure = Nil, nil
		}
	}
}

// lookUp returns a known value; nil where it may be anything.
func (b *block) lookUp(k *blockKnown, fn *Function, base unsafe.Pointer) Value {
	switch k.from {
	case fromRegister:
		return *at(base, k.at)
	case fromUpvalue:
		return *fn.up[k.at/pointerSize].v
	case fromGlobal:
		return fn.env.plain(k.key)
	case fromField:
		return b.known[k.of].value.Table().plain(k.key)
	}
	return k.value
}

// prepare reports whether the value is what turns take it for.
func (k *blockKnown) prepare(vm *VM) bool {
	v := k.value
	if k.vector != 0 {
		switch {
		case v.n < tagBase && !PackedNaN(v.n):
			vm.vectors[k.vector].spread(v.Float())
		case k.from == fromConstant && v.IsBool():
			vm.vectors[k.vector].spread(float64(bitOf(v.Truth())))
		default:
			return false
		}
	}
	if k.truth != 0 {
		if k.from >= fromGlobal && v.n == tagNil {
			return false // it may stand elsewhere
		}
		vm.vectors[k.truth].spread(float64(bitOf(v.Truth())))
	}
	if k.function {
		f := v.Function()
		if f == nil || f.native == nil || f.native.pure == nil {
			return false
		}
		k.pure = f.native.pure
		if k.args&1 != 0 && k.pure.One == nil || k.args&2 != 0 && k.pure.Two == nil || k.args&4 != 0 && !k.pure.More {
			return false
		}
	}
	return !k.index || v.n == tagTable
}

// plain returns the value of a text key of a table, or of the table that __index names; nil
// where it has none, or where that may be anything.
func (t *Table) plain(k *Str) Value {
	if t.Foreign() != nil {
		return Nil
	}
	v := t.getStr(k)
	if v.n != tagNil || t.meta == nil || t.meta.Foreign() != nil {
		return v
	}
	next := t.meta.event(evIndex).Table()
	if next == nil || next.Foreign() != nil {
		return Nil
	}
	return next.getStr(k)
}
