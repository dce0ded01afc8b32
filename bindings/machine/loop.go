package machine

import (
	"math"
	"unsafe"
)

// The loop. It executes the bytecode of the running thread, and does by itself what is
// frequent: numbers, items of lists, fields that a cache knows, calls of functions of Lua
// with so many arguments as they have parameters. All else it leaves to [Thread.slow],
// which knows every instruction as a whole.
//
// Registers are reached by byte offsets from base, the first register of the running
// function. Whatever may grow the stack or add frames is followed by reading base and f
// anew.
//
// How are instructions counted? pc−mark are those since the count was brought up to date,
// which happens at jumps, calls and returns, and before anybody else sees the count.

func at(base unsafe.Pointer, offset uint16) *Value {
	return (*Value)(unsafe.Add(base, uintptr(offset)))
}

// either is at for an operand that may be a constant.
func either(bases *[2]unsafe.Pointer, offset uint16) *Value {
	return (*Value)(unsafe.Add(bases[offset>>15], uintptr(offset&(inConstants-1))))
}

// behind returns the ith value after one.
func behind(v *Value, i int) *Value { return (*Value)(unsafe.Add(unsafe.Pointer(v), i*int(valueSize))) }

func float(n uint64) float64 { return math.Float64frombits(n) }

// word returns the bits of a number that was computed. −0 becomes 0, as in all arithmetic
// of scripts. The conversion keeps the compiler from fusing what was computed with the sum.
func word(f float64) uint64 { return math.Float64bits(float64(f) + 0) }

// item reads the item of a list, if it has one at an index that is no hole.
func item(t *Table, index float64, to *Value) bool {
	i := int(index)
	if uint(i-1) < uint(len(t.nums)) && float64(i) == index {
		n := t.nums[i-1]
		if n == tagNil {
			return false
		}
		to.n = n
		return true
	}
	if uint(i-1) < uint(len(t.items)) && float64(i) == index {
		v := (*Value)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(t.items)), uintptr(i-1)*valueSize))
		if v.n == tagNil {
			return false
		}
		*to = *v
		return true
	}
	return false
}

// copyExtra copies values of "…", which stand below the first register, and nil where there
// are too few.
func copyExtra(base, to *Value, extra, want int) {
	for i := range want {
		if i < extra {
			*behind(to, i) = *behind(base, i-extra)
		} else {
			behind(to, i).n = tagNil
		}
	}
}

// loop executes the topmost frame of the running thread and all that it calls, until a
// frame is done that was entered from Go.
func (vm *VM) loop() {
	var (
		th     *Thread
		f      *frame
		fn     *Function
		pc     unsafe.Pointer
		mark   unsafe.Pointer
		base   unsafe.Pointer
		bases  [2]unsafe.Pointer
		caches unsafe.Pointer
		taken  int64
		soft   int64
	)
reload:
	th = vm.running
	f = &th.frames[len(th.frames)-1]
	pc = f.code
	taken, soft, mark = vm.taken, vm.soft, pc
refresh:
	fn = f.fn
	base = unsafe.Pointer(&th.stack[f.base])
	bases[0] = base
	bases[1] = unsafe.Pointer(unsafe.SliceData(fn.proto.k))
	caches = unsafe.Pointer(unsafe.SliceData(fn.proto.caches))
	if taken >= soft {
		f.code = pc
		vm.taken = taken
		vm.attend(th)
		pc = f.code
		taken, soft, mark = vm.taken, vm.soft, pc
	}
	for {
		in := (*ins)(pc)
		op := in.op
	dispatch:
		switch op {
		case xMove:
			x, y := at(base, in.a), at(base, in.b)
			if y.n < tagBase {
				x.n = y.n
			} else {
				*x = *y
			}
		case xMoveN:
			*at(base, in.a) = *at(base, in.b)
			skip := uintptr(in.k) * insSize
			for end := unsafe.Add(pc, skip); pc != end; {
				pc = unsafe.Add(pc, insSize)
				next := (*ins)(pc)
				*at(base, next.a) = *at(base, next.b)
			}
			mark = unsafe.Add(mark, skip) // one instruction
		case xLoadN:
			at(base, in.a).n = in.k
		case xLoadK:
			*at(base, in.a) = *(*Value)(unsafe.Add(bases[1], uintptr(in.k)))
		case xLoadBool:
			at(base, in.a).n = in.k
			pc = unsafe.Add(pc, uintptr(in.c))
			mark = unsafe.Add(mark, uintptr(in.c))
		case xLoadNil:
			for o := in.a; o <= in.b; o += uint16(valueSize) {
				at(base, o).n = tagNil
			}
		case xGetUpvalue:
			u := *(**Upvalue)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(fn.up)), uintptr(in.b)))
			x, y := at(base, in.a), u.v
			if y.n < tagBase {
				x.n = y.n
			} else {
				*x = *y
			}
		case xSetUpvalue:
			u := *(**Upvalue)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(fn.up)), uintptr(in.b)))
			store(u.v, at(base, in.a))
		case xGetGlobal:
			s := (*cache)(unsafe.Add(caches, uintptr(in.k)))
			if g := fn.env; g.shape == s.shape {
				if v := g.slot(uintptr(s.offset)); v.n != tagNil {
					*at(base, in.a) = *v
					break
				}
			}
			goto slow
		case xSetGlobal:
			if !(*cache)(unsafe.Add(caches, uintptr(in.k))).set(fn.env, at(base, in.a)) {
				goto slow
			}
		case xGetTable:
			x, k := at(base, in.b), either(&bases, in.c)
			if x.n != tagTable {
				goto slow
			}
			t := (*Table)(x.p)
			if k.n < tagBase {
				if i := int(k.Float()); uint(i-1) < uint(len(t.nums)) && float64(i) == k.Float() {
					if n := t.nums[i-1]; n != tagNil {
						at(base, in.a).n = n
						break
					}
					goto slow
				}
				if item(t, k.Float(), at(base, in.a)) {
					break
				}
			}
			if t.meta == nil && (k.n != tagStr || len((*Str)(k.p).s) <= short) {
				*at(base, in.a) = t.get(k)
				break
			}
			goto slow
		case xGetNumber:
			x := at(base, in.b)
			if x.n == tagTable && item((*Table)(x.p), float(in.k), at(base, in.a)) {
				break
			}
			goto slow
		case xGetField:
			x := at(base, in.b)
			if x.n == tagTable {
				t, s := (*Table)(x.p), (*cache)(unsafe.Add(caches, uintptr(in.k)))
				if t.shape == s.shape {
					if v := t.slot(uintptr(s.offset)); v.n < tagBase {
						at(base, in.a).n = v.n
						break
					} else if v.n != tagNil {
						*at(base, in.a) = *v
						break
					}
				} else if v := s.inherited(t); v != nil && v.n != tagNil {
					*at(base, in.a) = *v
					break
				} else if s.steps != nil {
					if v := s.far(t); v != nil && v.n != tagNil {
						taken += int64(len(s.steps) - 1)
						*at(base, in.a) = *v
						break
					}
				}
			}
			goto slow
		case xSelf:
			x := at(base, in.b)
			if x.n == tagStr && vm.methods != nil {
				s := (*cache)(unsafe.Add(caches, uintptr(in.k)))
				if vm.methods.shape == s.shape {
					o, v := *x, vm.methods.slot(uintptr(s.offset))
					*at(base, in.a+uint16(valueSize)) = o
					*at(base, in.a) = *v
					break
				}
			}
			if x.n == tagTable {
				t, s := (*Table)(x.p), (*cache)(unsafe.Add(caches, uintptr(in.k)))
				if v := s.inherited(t); v != nil && v.n != tagNil {
					*at(base, in.a+uint16(valueSize)) = *x
					*at(base, in.a) = *v
					break
				}
				if t.shape == s.shape {
					if v := t.slot(uintptr(s.offset)); v.n != tagNil {
						*at(base, in.a+uint16(valueSize)) = *x
						*at(base, in.a) = *v
						break
					}
				}
				if s.steps != nil {
					if v := s.far(t); v != nil && v.n != tagNil {
						taken += int64(len(s.steps) - 1)
						*at(base, in.a+uint16(valueSize)) = *x
						*at(base, in.a) = *v
						break
					}
				}
			}
			goto slow
		case xSetTable:
			x, k := at(base, in.a), either(&bases, in.b)
			if x.n != tagTable {
				goto slow
			}
			t, v := (*Table)(x.p), either(&bases, in.c)
			if k.n < tagBase {
				if i := int(k.Float()); v.n < tagStr && v.n != tagNil && uint(i-1) < uint(len(t.nums)) && float64(i) == k.Float() {
					if n := &t.nums[i-1]; *n != tagNil && !t.sealed {
						*n = v.n
						break
					}
					goto slow
				}
				if t.put(k.Float(), v) {
					break
				}
			}
			if t.meta == nil && (k.n != tagStr || len((*Str)(k.p).s) <= short) {
				f.code = pc
				vm.taken = taken + int64((uintptr(pc)-uintptr(mark))/insSize)
				if !t.set(k, v) {
					goto slow
				}
				vm.noteBytes()
				soft = vm.soft
				break
			}
			goto slow
		case xSetField:
			x := at(base, in.a)
			if x.n != tagTable {
				goto slow
			}
			t, c, v := (*Table)(x.p), (*cache)(unsafe.Add(caches, uintptr(in.k))), either(&bases, in.c)
			if t.shape == c.shape {
				if field := t.slot(uintptr(c.offset)); field.n != tagNil && v.n != tagNil {
					if v.n < tagStr && field.p == nil {
						field.n = v.n
					} else {
						store(field, v)
					}
					break
				}
				goto slow
			}
			if !c.set(t, v) {
				goto slow
			}
		case xAdd:
			x, y := at(base, in.b), at(base, in.c)
			if x.n >= tagBase || y.n >= tagBase {
				goto slow
			}
			sum := x.Float() + y.Float()
			if sum != sum { // which NaN it is, the compiler does not promise
				goto slow
			}
			at(base, in.a).n = word(sum)
		case xAddRN:
			x := at(base, in.b)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(x.Float() + float(in.k))
		case xAddNR:
			x := at(base, in.c)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(float(in.k) + x.Float())
		case xSub:
			x, y := at(base, in.b), at(base, in.c)
			if x.n >= tagBase || y.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(x.Float() - y.Float())
		case xSubRN:
			x := at(base, in.b)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(x.Float() - float(in.k))
		case xSubNR:
			x := at(base, in.c)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(float(in.k) - x.Float())
		case xMul:
			x, y := at(base, in.b), at(base, in.c)
			if x.n >= tagBase || y.n >= tagBase {
				goto slow
			}
			product := x.Float() * y.Float()
			if product != product { // which NaN it is, the compiler does not promise
				goto slow
			}
			at(base, in.a).n = word(product)
		case xMulRN:
			x := at(base, in.b)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(x.Float() * float(in.k))
		case xMulNR:
			x := at(base, in.c)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(float(in.k) * x.Float())
		case xDiv:
			x, y := at(base, in.b), at(base, in.c)
			if x.n >= tagBase || y.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(x.Float() / y.Float())
		case xDivRN:
			x := at(base, in.b)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(x.Float() / float(in.k))
		case xDivNR:
			x := at(base, in.c)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(float(in.k) / x.Float())
		case xMod:
			x, y := at(base, in.b), at(base, in.c)
			if x.n >= tagBase || y.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = remainder(x.Float(), y.Float())
		case xModRN:
			x := at(base, in.b)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = remainder(x.Float(), float(in.k))
		case xUnm:
			x := either(&bases, in.b)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = Number(-x.Float()).n
		case xNot:
			at(base, in.a).n = Bool(!either(&bases, in.b).Truth()).n
		case xLen:
			x := either(&bases, in.b)
			if x.n != tagTable || (*Table)(x.p).meta != nil {
				goto slow
			}
			at(base, in.a).n = math.Float64bits(float64((*Table)(x.p).length()))
		case xJump:
			taken += int64((uintptr(pc)-uintptr(mark))/insSize) + 1
			pc = unsafe.Add(pc, int(in.k))
			mark = pc
			if taken >= soft {
				goto attend
			}
			continue
		case xEqual:
			x, y := at(base, in.b), at(base, in.c)
			is := false
			switch {
			case x.n < tagBase && y.n < tagBase:
				is = x.Float() == y.Float()
			case x.n != y.n:
			case x.n < tagStr || x.p == y.p:
				is = true
			case x.n == tagStr && len((*Str)(x.p).s) <= short:
				is = (*Str)(x.p).s == (*Str)(y.p).s
			case x.n == tagStr || x.n == tagTable || x.n == tagUser:
				goto slow
			}
			if is == (in.a != 0) {
				goto jump
			}
			goto pass
		case xCompareAny: // with a constant that is no number
			x, y := either(&bases, in.b), either(&bases, in.c)
			is := false
			switch {
			case x.n < tagBase && y.n < tagBase:
				is = x.Float() == y.Float()
			case x.n != y.n:
			case x.n < tagStr || x.p == y.p:
				is = true
			case len((*Str)(x.p).s) <= short:
				is = (*Str)(x.p).s == (*Str)(y.p).s
			default:
				goto slow
			}
			if is == (in.a != 0) {
				goto jump
			}
			goto pass
		case xEqualRN:
			x, y := at(base, in.b), at(bases[1], in.c)
			if (x.n < tagBase && x.Float() == y.Float()) == (in.a != 0) {
				goto jump
			}
			goto pass
		case xEqualNR:
			x, y := at(bases[1], in.b), at(base, in.c)
			if (y.n < tagBase && x.Float() == y.Float()) == (in.a != 0) {
				goto jump
			}
			goto pass
		case xLess:
			x, y := at(base, in.b), at(base, in.c)
			if x.n >= tagBase || y.n >= tagBase {
				goto slow
			}
			if (x.Float() < y.Float()) == (in.a != 0) {
				goto jump
			}
			goto pass
		case xLessRN:
			x, y := at(base, in.b), at(bases[1], in.c)
			if x.n >= tagBase {
				goto slow
			}
			if (x.Float() < y.Float()) == (in.a != 0) {
				goto jump
			}
			goto pass
		case xLessNR:
			x, y := at(bases[1], in.b), at(base, in.c)
			if y.n >= tagBase {
				goto slow
			}
			if (x.Float() < y.Float()) == (in.a != 0) {
				goto jump
			}
			goto pass
		case xAtMost:
			x, y := at(base, in.b), at(base, in.c)
			if x.n >= tagBase || y.n >= tagBase {
				goto slow
			}
			if (x.Float() <= y.Float()) == (in.a != 0) {
				goto jump
			}
			goto pass
		case xAtMostRN:
			x, y := at(base, in.b), at(bases[1], in.c)
			if x.n >= tagBase {
				goto slow
			}
			if (x.Float() <= y.Float()) == (in.a != 0) {
				goto jump
			}
			goto pass
		case xAtMostNR:
			x, y := at(bases[1], in.b), at(base, in.c)
			if y.n >= tagBase {
				goto slow
			}
			if (x.Float() <= y.Float()) == (in.a != 0) {
				goto jump
			}
			goto pass
		case xTest:
			if at(base, in.a).Truth() == (in.c != 0) {
				goto jump
			}
			goto pass
		case xTestSet:
			y := at(base, in.b)
			if y.Truth() == (in.c != 0) {
				*at(base, in.a) = *y
				goto jump
			}
			goto pass
		case xForLoop:
			x, limit, step := at(base, in.a), at(base, in.a+16), at(base, in.a+32)
			i := x.Float() + step.Float()
			if step.Float() > 0 {
				if !(i <= limit.Float()) {
					break
				}
			} else if !(i >= limit.Float()) {
				break
			}
			x.n = math.Float64bits(i)
			at(base, in.a+48).n = x.n
			taken += int64((uintptr(pc)-uintptr(mark))/insSize) + 1
			pc = unsafe.Add(pc, int(in.k))
			mark = pc
			if taken >= soft {
				goto attend
			}
			continue
		case xForBlocks:
			if at(base, in.a+16).Float()-at(base, in.a).Float() >= fewTurns {
				now := taken + int64((uintptr(pc)-uintptr(mark))/insSize)
				taken += fn.proto.blocks[in.c].run(vm, fn, base, soft-now, vm.limit-vm.longest-2-now)
			}
			op = xForLoop
			goto dispatch
		case xForPrep:
			x, limit, step := at(base, in.a), at(base, in.a+16), at(base, in.a+32)
			if x.n >= tagBase || limit.n >= tagBase || step.n >= tagBase {
				goto slow
			}
			x.n = math.Float64bits(x.Float() - step.Float())
			taken += int64((uintptr(pc)-uintptr(mark))/insSize) + 1
			pc = unsafe.Add(pc, int(in.k))
			mark = pc
			continue
		case xForIn:
			// pairs and ipairs need no call: what is walked stands in a register.
			x, t := at(base, in.a), at(base, in.a+16)
			if x.n != tagFunc || (*Function)(x.p).native == nil || t.n != tagTable {
				goto slow
			}
			switch (*Function)(x.p).native.duty {
			case walks:
				passed := walk((*Table)(t.p), at(base, in.a+32), at(base, in.a+48), int(in.c))
				if passed < 0 {
					goto slow
				}
				taken += int64(passed / valuesPerStep)
			case steps:
				if !step((*Table)(t.p), at(base, in.a+32), at(base, in.a+48), int(in.c)) {
					goto slow
				}
			default:
				goto slow
			}
			if at(base, in.a+48).n == tagNil {
				goto pass
			}
			*at(base, in.a+32) = *at(base, in.a+48)
			taken += int64((uintptr(pc)-uintptr(mark))/insSize) + 1
			pc = unsafe.Add(pc, int(in.k))
			mark = pc
			if taken >= soft {
				goto attend
			}
			continue
		case xCall:
			x := at(base, in.a)
			if x.n != tagFunc {
				goto slow
			}
			callee := (*Function)(x.p)
			p := callee.proto
			if p == nil || p.vararg {
				goto call
			}
			taken += int64((uintptr(pc)-uintptr(mark))/insSize) + 1
			f.code = pc
			first, args := int(f.base)+int(in.a>>4)+1, int(in.b)-1
			if args < 0 {
				args = th.top - first
			}
			depth := len(th.frames)
			if first+p.size > len(th.stack) || depth >= th.room {
				vm.taken = taken - 1
				mark = pc
				goto called
			}
			th.frames = th.frames[:depth+1]
			f = &th.frames[depth]
			f.fn = callee
			f.base = int32(first)
			f.ret = int32(first - 1)
			f.want = int32(in.c) - 1
			f.extra = 0
			f.mode = uint32(in.k)
			fn = callee
			base = unsafe.Pointer(&th.stack[first])
			for i := args; i < p.params; i++ {
				(*Value)(unsafe.Add(base, uintptr(i)*valueSize)).n = tagNil
			}
			bases[0] = base
			bases[1] = unsafe.Pointer(unsafe.SliceData(p.k))
			caches = unsafe.Pointer(unsafe.SliceData(p.caches))
			pc = unsafe.Pointer(unsafe.SliceData(p.code))
			mark = pc
			if taken >= soft {
				goto attend
			}
			continue
		case xReturnOne:
			taken += int64((uintptr(pc)-uintptr(mark))/insSize) + 1
			if th.open != nil {
				th.closeFrom(int(f.base))
			}
			x, to := at(base, in.a), (*Value)(unsafe.Add(base, -int(valueSize)))
			if f.mode != modePlain {
				if f.after() != goesOn || f.want != 1 {
					goto returned
				}
				to = &th.stack[f.ret]
			}
			if x.n < tagBase {
				to.n = x.n
			} else {
				*to = *x
			}
			th.frames = th.frames[:len(th.frames)-1]
			f = &th.frames[len(th.frames)-1]
			pc = unsafe.Add(f.code, insSize)
			mark = pc
			goto refresh
		case xReturn:
			taken += int64((uintptr(pc)-uintptr(mark))/insSize) + 1
			if th.open != nil {
				th.closeFrom(int(f.base))
			}
			if in.b != 1 || f.want != 0 || f.after() != goesOn {
				goto returned
			}
			th.frames = th.frames[:len(th.frames)-1]
			f = &th.frames[len(th.frames)-1]
			pc = unsafe.Add(f.code, insSize)
			mark = pc
			goto refresh
		case xClose:
			if th.open != nil {
				th.closeFrom(int(f.base) + int(in.a>>4))
			}
		case xNop:
		case xVararg:
			want := int(in.b) - 1
			if want < 0 { // all of them, behind which there is room for a call
				want = int(f.extra)
				top := int(f.base) + int(in.a>>4) + want
				if top+spare > len(th.stack) {
					goto slow
				}
				th.top = top
			}
			if want > 2*valuesPerStep {
				goto slow
			}
			copyExtra((*Value)(base), at(base, in.a), int(f.extra), want)
		case xClosure, xNewTable:
			f.code = pc
			vm.taken = taken + int64((uintptr(pc)-uintptr(mark))/insSize)
			if op == xClosure {
				th.closure(f, in)
				pc = unsafe.Add(pc, uintptr(in.c))
				mark = unsafe.Add(mark, uintptr(in.c))
			} else {
				*at(base, in.a) = OfTable(vm.Heap.NewTable(0, int(in.c)))
			}
			vm.noteBytes()
			soft = vm.soft
		default:
			if op < stepping {
				goto slow
			}
			if taken+int64((uintptr(pc)-uintptr(mark))/insSize) >= vm.limit {
				taken += int64((uintptr(pc) - uintptr(mark)) / insSize)
				goto attend
			}
			op -= stepping
			goto dispatch
		}
		pc = unsafe.Add(pc, insSize)
		continue

	jump: // of a test, with the jump after it
		taken += int64((uintptr(pc)-uintptr(mark))/insSize) + 2
		pc = unsafe.Add(pc, int(in.k))
		mark = pc
		if taken >= soft {
			goto attend
		}
		continue

	pass: // over the jump after a test
		pc = unsafe.Add(pc, 2*insSize)
		mark = unsafe.Add(mark, insSize)
		continue

	call: // of a native, of a function with "…", with open arguments
		taken += int64((uintptr(pc)-uintptr(mark))/insSize) + 1
		f.code = pc
		vm.taken = taken
		if x := (*Function)(at(base, in.a).p); x.proto != nil || x.native.duty <= walks {
			if x.proto == nil && x.native.pure != nil && in.c == 2 {
				if v, ok := x.native.pure.call(at(base, in.a+16), int(in.b)-1); ok {
					at(base, in.a).n = v.n
					pc = unsafe.Add(pc, insSize)
					mark = pc
					continue
				}
			}
			first := int(f.base) + int(in.a>>4) + 1
			n := int(in.b) - 1
			if n < 0 {
				n = th.top - first
			}
			if x.proto != nil {
				th.enter(x, callee{at: first - 1, args: n, ret: first - 1, want: int(in.c) - 1, mode: uint32(in.k)})
				goto reload
			}
			from, n := th.native(x, first, n)
			if n < 0 {
				if th.raise(vm.pending) == leaves {
					return
				}
				goto reload
			}
			f = &th.frames[len(th.frames)-1]
			base = unsafe.Pointer(&th.stack[f.base])
			bases[0] = base
			if in.c == 2 && n > 0 {
				*at(base, in.a) = th.stack[from]
			} else {
				th.place(from, n, first-1, int(in.c)-1)
			}
			taken, soft = vm.taken, vm.soft
			pc = unsafe.Add(pc, insSize)
			mark = pc
			continue
		}
		goto enter
	called:
		vm.taken++
	enter:
		switch th.callFrom(f, in) {
		case proceeds:
		case leaves:
			return
		default:
			goto reload
		}
		f = &th.frames[len(th.frames)-1]
		base = unsafe.Pointer(&th.stack[f.base])
		bases[0] = base
		taken, soft = vm.taken, vm.soft
		pc = unsafe.Add(pc, insSize)
		mark = pc
		continue

	returned:
		f.code = pc
		vm.taken = taken
		if f.mode == modeRepeats && in.b != 0 {
			th.frames = th.frames[:len(th.frames)-1]
			if !th.again(int(f.base)+int(in.a>>4), int(in.b)-1) {
				return
			}
			goto reload
		}
		if th.leave(f, in) {
			return
		}
		goto reload

	slow:
		f.code = pc
		vm.taken = taken + int64((uintptr(pc)-uintptr(mark))/insSize) + 1
		switch th.slow(f, in, op) {
		case proceeds:
			pc = unsafe.Add(pc, insSize)
		case passes:
			pc = unsafe.Add(pc, 2*insSize)
		case jumps:
			vm.taken++
			pc = unsafe.Add(pc, int(in.k))
		case enters:
			goto reload
		case leaves:
			return
		}
		f = &th.frames[len(th.frames)-1]
		base = unsafe.Pointer(&th.stack[f.base])
		bases[0] = base
		taken, soft = vm.taken, vm.soft
		mark = pc
		if taken >= soft {
			goto attend
		}
		continue

	attend:
		f.code = pc
		vm.taken = taken
		vm.attend(th)
		pc = f.code
		taken, soft, mark = vm.taken, vm.soft, pc
	}
}
