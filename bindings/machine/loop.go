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

// number returns what a value is that is a number. It reads the memory a second time: what comes
// from there is ready sooner than what goes through the register that the tag was looked at in.
func number(v *Value) float64 { return *(*float64)(unsafe.Pointer(&v.n)) }

// word returns the bits of a number that was computed. −0 becomes 0, as in all arithmetic
// of scripts. Why is 0 not added? Whoever needs the number next would wait for the sum.
func word(f float64) uint64 {
	if f == 0 {
		return 0
	}
	return math.Float64bits(f)
}

// quieted is word for a number that was chosen and not computed: NaNs that signal become quiet.
func quieted(f float64) uint64 { return math.Float64bits(float64(f) + 0) }

// itemAt returns the item of a list of values of any kind, for an index that is in it.
func itemAt(t *Table, i int) *Value {
	return (*Value)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(t.items)), uintptr(i-1)*valueSize))
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

// kept is what the loop keeps in memory: what it needs seldom, and a copy of what stands in
// registers, from which it goes on after a call.
//
// Why are there copies, which the compiler would make by itself? It would store them before
// each instruction: a variable that is read after a call is stored where all of its later
// readers come from, and that is the head of the loop.
//
// Invariant: bases, caches, th, f and fn are right at all times; pc, mark and taken are
// copied before a call and read after it.
type kept struct {
	bases  [2]unsafe.Pointer // the first register, the first constant
	caches unsafe.Pointer
	pc     unsafe.Pointer
	mark   unsafe.Pointer
	taken  int64
	th     *Thread
	f      *frame
	fn     *Function
}

// found looks up the topmost frame after a call, in which the stacks may have moved.
func (k *kept) found() {
	k.f = &k.th.frames[len(k.th.frames)-1]
	k.bases[0] = unsafe.Pointer(&k.th.stack[k.f.base])
}

// show makes the function of frame f the one that is executed.
func (k *kept) show() {
	k.fn = k.f.fn
	k.bases[0] = unsafe.Pointer(&k.th.stack[k.f.base])
	k.bases[1] = unsafe.Pointer(unsafe.SliceData(k.fn.proto.k))
	k.caches = unsafe.Pointer(unsafe.SliceData(k.fn.proto.caches))
}

// loop executes the topmost frame of the running thread and all that it calls, until a
// frame is done that was entered from Go.
func (vm *VM) loop() {
	var (
		kept   kept
		pc     unsafe.Pointer
		mark   unsafe.Pointer
		base   unsafe.Pointer
		caches unsafe.Pointer
		taken  int64
		soft   int64
		in     *ins
		is     bool
	)
reload:
	kept.th = vm.running
	kept.f = &kept.th.frames[len(kept.th.frames)-1]
	pc = kept.f.code
	taken, mark = vm.taken, pc
refresh:
	kept.show()
	base, caches, soft = kept.bases[0], kept.caches, vm.soft
	if taken >= soft {
		kept.f.code = pc
		vm.taken = taken
		vm.attend(kept.th)
		pc = kept.f.code
		base, caches = kept.bases[0], kept.caches
		taken, soft, mark = vm.taken, vm.soft, pc
	}
	for {
		in = (*ins)(pc)
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
			*at(base, in.a) = *(*Value)(unsafe.Add(kept.bases[1], uintptr(in.k)))
		case xLoadBool:
			at(base, in.a).n = in.k
			pc = unsafe.Add(pc, uintptr(in.c))
			mark = unsafe.Add(mark, uintptr(in.c))
		case xLoadNil:
			for o := in.a; o <= in.b; o += uint16(valueSize) {
				at(base, o).n = tagNil
			}
		case xGetUpvalue:
			u := *(**Upvalue)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(kept.fn.up)), uintptr(in.b)))
			x, y := at(base, in.a), u.v
			if y.n < tagBase {
				x.n = y.n
			} else {
				*x = *y
			}
		case xSetUpvalue:
			u := *(**Upvalue)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(kept.fn.up)), uintptr(in.b)))
			store(u.v, at(base, in.a))
		case xGetGlobal:
			s := (*cache)(unsafe.Add(caches, uintptr(in.k)))
			if g := kept.fn.env; g.shape == s.shape {
				if v := g.slot(uintptr(s.offset)); v.n != tagNil {
					*at(base, in.a) = *v
					break
				}
			}
			goto slow
		case xSetGlobal:
			kept.pc, kept.mark, kept.taken = pc, mark, taken
			if !(*cache)(unsafe.Add(caches, uintptr(in.k))).set(kept.fn.env, at(base, in.a)) {
				goto slowAfter
			}
			goto after
		case xGetTable:
			x, k := at(base, in.b), either(&kept.bases, in.c)
			if x.n != tagTable {
				goto slow
			}
			t := (*Table)(x.p)
			if k.n < tagBase {
				if i := int(k.Float()); float64(i) == k.Float() {
					if uint(i-1) < uint(len(t.nums)) {
						if n := t.nums[i-1]; n != tagNil {
							at(base, in.a).n = n
							break
						}
						goto slow
					}
					if uint(i-1) < uint(len(t.items)) {
						if v := itemAt(t, i); v.n != tagNil {
							*at(base, in.a) = *v
							break
						}
					}
				}
			}
			if t.meta == nil && (k.n != tagStr || len((*Str)(k.p).s) <= short) {
				kept.pc, kept.mark, kept.taken = pc, mark, taken
				v := t.get(k)
				*at(kept.bases[0], (*ins)(kept.pc).a) = v
				goto after
			}
			goto slow
		case xGetNumber:
			x := at(base, in.b)
			if x.n != tagTable {
				goto slow
			}
			t, i := (*Table)(x.p), int(float(in.k))
			if float64(i) != float(in.k) {
				goto slow
			}
			if uint(i-1) < uint(len(t.nums)) {
				if n := t.nums[i-1]; n != tagNil {
					at(base, in.a).n = n
					break
				}
			} else if uint(i-1) < uint(len(t.items)) {
				if v := itemAt(t, i); v.n != tagNil {
					*at(base, in.a) = *v
					break
				}
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
				} else if t.shape == s.lacking && (t.meta == nil || t.shape.fixed) {
					at(base, in.a).n = tagNil
					break
				} else if v := s.inherited(t); v != nil && v.n != tagNil {
					*at(base, in.a) = *v
					break
				} else if s.steps != nil {
					kept.pc, kept.mark, kept.taken = pc, mark, taken+int64(len(s.steps)-1)
					if v := s.far(t); v != nil && v.n != tagNil {
						*at(kept.bases[0], (*ins)(kept.pc).a) = *v
						goto after
					}
					goto slowAfterFar
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
					kept.pc, kept.mark, kept.taken = pc, mark, taken+int64(len(s.steps)-1)
					if v := s.far(t); v != nil && v.n != tagNil {
						in := (*ins)(kept.pc)
						*at(kept.bases[0], in.a+uint16(valueSize)) = *at(kept.bases[0], in.b)
						*at(kept.bases[0], in.a) = *v
						goto after
					}
					goto slowAfterFar
				}
			}
			goto slow
		case xSetTable:
			x, k := at(base, in.a), either(&kept.bases, in.b)
			if x.n != tagTable {
				goto slow
			}
			t, v := (*Table)(x.p), either(&kept.bases, in.c)
			if k.n < tagBase {
				if i := int(k.Float()); v.n < tagStr && v.n != tagNil && uint(i-1) < uint(len(t.nums)) && float64(i) == k.Float() {
					if n := &t.nums[i-1]; *n != tagNil && !t.sealed {
						*n = v.n
						break
					}
					goto slow
				}
				kept.pc, kept.mark, kept.taken = pc, mark, taken
				if t.put(k.Float(), v) {
					goto after
				}
				pc, mark, base, taken = kept.pc, kept.mark, kept.bases[0], kept.taken
				in = (*ins)(pc)
				k, v = either(&kept.bases, in.b), either(&kept.bases, in.c)
				t = (*Table)(at(base, in.a).p)
			}
			if t.meta == nil && (k.n != tagStr || len((*Str)(k.p).s) <= short) {
				kept.pc, kept.mark, kept.taken = pc, mark, taken
				kept.f.code = pc
				vm.taken = taken + int64((uintptr(pc)-uintptr(mark))/insSize)
				if !t.set(k, v) {
					goto slowAfter
				}
				vm.noteBytes()
				goto after
			}
			goto slow
		case xSetField:
			x := at(base, in.a)
			if x.n != tagTable {
				goto slow
			}
			t, c, v := (*Table)(x.p), (*cache)(unsafe.Add(caches, uintptr(in.k))), either(&kept.bases, in.c)
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
			kept.pc, kept.mark, kept.taken = pc, mark, taken
			if !c.set(t, v) {
				goto slowAfter
			}
			goto after
		case xAdd:
			x, y := at(base, in.b), at(base, in.c)
			if x.n >= tagBase || y.n >= tagBase {
				goto slow
			}
			sum := number(x) + number(y)
			if sum != sum { // which NaN it is, the compiler does not promise
				goto slow
			}
			at(base, in.a).n = word(sum)
		case xAddRN:
			x := at(base, in.b)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(number(x) + float(in.k))
		case xAddNR:
			x := at(base, in.c)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(float(in.k) + number(x))
		case xSub:
			x, y := at(base, in.b), at(base, in.c)
			if x.n >= tagBase || y.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(number(x) - number(y))
		case xSubRN:
			x := at(base, in.b)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(number(x) - float(in.k))
		case xSubNR:
			x := at(base, in.c)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(float(in.k) - number(x))
		case xMul:
			x, y := at(base, in.b), at(base, in.c)
			if x.n >= tagBase || y.n >= tagBase {
				goto slow
			}
			product := number(x) * number(y)
			if product != product { // which NaN it is, the compiler does not promise
				goto slow
			}
			at(base, in.a).n = word(product)
		case xMulRN:
			x := at(base, in.b)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(number(x) * float(in.k))
		case xMulNR:
			x := at(base, in.c)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(float(in.k) * number(x))
		case xDiv:
			x, y := at(base, in.b), at(base, in.c)
			if x.n >= tagBase || y.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(number(x) / number(y))
		case xDivRN:
			x := at(base, in.b)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(number(x) / float(in.k))
		case xDivNR:
			x := at(base, in.c)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = word(float(in.k) / number(x))
		case xMod:
			x, y := at(base, in.b), at(base, in.c)
			if x.n >= tagBase || y.n >= tagBase {
				goto slow
			}
			kept.pc, kept.mark, kept.taken = pc, mark, taken
			n := remainder(x.Float(), y.Float())
			at(kept.bases[0], (*ins)(kept.pc).a).n = n
			goto after
		case xModRN:
			x := at(base, in.b)
			if x.n >= tagBase {
				goto slow
			}
			kept.pc, kept.mark, kept.taken = pc, mark, taken
			n := remainder(x.Float(), float(in.k))
			at(kept.bases[0], (*ins)(kept.pc).a).n = n
			goto after
		case xUnm:
			x := either(&kept.bases, in.b)
			if x.n >= tagBase {
				goto slow
			}
			at(base, in.a).n = Number(-x.Float()).n
		case xNot:
			at(base, in.a).n = Bool(!either(&kept.bases, in.b).Truth()).n
		case xLen:
			x := either(&kept.bases, in.b)
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
			is = false
			switch {
			case x.n < tagBase && y.n < tagBase:
				is = x.Float() == y.Float()
			case x.n != y.n:
			case x.n < tagStr || x.p == y.p:
				is = true
			case x.n == tagStr && len((*Str)(x.p).s) <= short:
				if len((*Str)(x.p).s) != len((*Str)(y.p).s) {
					break
				}
				kept.pc, kept.mark, kept.taken = pc, mark, taken
				is = (*Str)(x.p).s == (*Str)(y.p).s
				goto compared
			case x.n == tagStr || x.n == tagTable || x.n == tagUser:
				goto slow
			}
			if is == (in.a != 0) {
				goto jump
			}
			goto pass
		case xCompareAny: // with a constant that is no number
			x, y := either(&kept.bases, in.b), either(&kept.bases, in.c)
			is = false
			switch {
			case x.n < tagBase && y.n < tagBase:
				is = x.Float() == y.Float()
			case x.n != y.n:
			case x.n < tagStr || x.p == y.p:
				is = true
			case len((*Str)(x.p).s) != len((*Str)(y.p).s):
			case len((*Str)(x.p).s) <= short:
				kept.pc, kept.mark, kept.taken = pc, mark, taken
				is = (*Str)(x.p).s == (*Str)(y.p).s
				goto compared
			default:
				goto slow
			}
			if is == (in.a != 0) {
				goto jump
			}
			goto pass
		case xEqualRN:
			x, y := at(base, in.b), at(kept.bases[1], in.c)
			if (x.n < tagBase && x.Float() == y.Float()) == (in.a != 0) {
				goto jump
			}
			goto pass
		case xEqualNR:
			x, y := at(kept.bases[1], in.b), at(base, in.c)
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
			x, y := at(base, in.b), at(kept.bases[1], in.c)
			if x.n >= tagBase {
				goto slow
			}
			if (x.Float() < y.Float()) == (in.a != 0) {
				goto jump
			}
			goto pass
		case xLessNR:
			x, y := at(kept.bases[1], in.b), at(base, in.c)
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
			x, y := at(base, in.b), at(kept.bases[1], in.c)
			if x.n >= tagBase {
				goto slow
			}
			if (x.Float() <= y.Float()) == (in.a != 0) {
				goto jump
			}
			goto pass
		case xAtMostNR:
			x, y := at(kept.bases[1], in.b), at(base, in.c)
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
				kept.pc, kept.mark, kept.taken = pc, mark, taken
				counted := kept.fn.proto.blocks[in.c].run(vm, kept.fn, base, soft-now, vm.limit-vm.longest-2-now)
				pc, mark, base, caches, soft = kept.pc, kept.mark, kept.bases[0], kept.caches, vm.soft
				taken = kept.taken + counted
				in = (*ins)(pc)
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
			kept.pc, kept.mark, kept.taken = pc, mark, taken
			switch (*Function)(x.p).native.duty {
			case walks:
				passed := walk((*Table)(t.p), at(base, in.a+32), at(base, in.a+48), int(in.c))
				if passed < 0 {
					goto slowAfter
				}
				kept.taken += int64(passed / valuesPerStep)
			case steps:
				if !step((*Table)(t.p), at(base, in.a+32), at(base, in.a+48), int(in.c)) {
					goto slowAfter
				}
			default:
				goto slow
			}
			pc, mark, base, caches, taken, soft = kept.pc, kept.mark, kept.bases[0], kept.caches, kept.taken, vm.soft
			in = (*ins)(pc)
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
			th, f := kept.th, kept.f
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
			kept.f, kept.fn = f, callee
			base = unsafe.Pointer(&th.stack[first])
			for i := args; i < p.params; i++ {
				(*Value)(unsafe.Add(base, uintptr(i)*valueSize)).n = tagNil
			}
			caches = unsafe.Pointer(unsafe.SliceData(p.caches))
			kept.bases[0], kept.caches = base, caches
			kept.bases[1] = unsafe.Pointer(unsafe.SliceData(p.k))
			pc = unsafe.Pointer(unsafe.SliceData(p.code))
			mark = pc
			if taken >= soft {
				goto attend
			}
			continue
		case xReturnOne:
			taken += int64((uintptr(pc)-uintptr(mark))/insSize) + 1
			th, f := kept.th, kept.f
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
			kept.f = &th.frames[len(th.frames)-1]
			pc = unsafe.Add(kept.f.code, insSize)
			mark = pc
			goto refresh
		case xReturn:
			taken += int64((uintptr(pc)-uintptr(mark))/insSize) + 1
			th, f := kept.th, kept.f
			if th.open != nil {
				th.closeFrom(int(f.base))
			}
			if in.b != 1 || f.want != 0 || f.after() != goesOn {
				goto returned
			}
			th.frames = th.frames[:len(th.frames)-1]
			kept.f = &th.frames[len(th.frames)-1]
			pc = unsafe.Add(kept.f.code, insSize)
			mark = pc
			goto refresh
		case xClose:
			if kept.th.open != nil {
				kept.th.closeFrom(int(kept.f.base) + int(in.a>>4))
			}
		case xNop:
		case xVararg:
			th, f := kept.th, kept.f
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
			kept.pc, kept.mark, kept.taken = pc, mark, taken
			kept.f.code = pc
			vm.taken = taken + int64((uintptr(pc)-uintptr(mark))/insSize)
			if op == xClosure {
				kept.th.closure(kept.f, in)
				skip := uintptr((*ins)(kept.pc).c)
				kept.pc, kept.mark = unsafe.Add(kept.pc, skip), unsafe.Add(kept.mark, skip)
			} else {
				t := vm.Heap.NewTable(0, int(in.c))
				*at(kept.bases[0], (*ins)(kept.pc).a) = OfTable(t)
			}
			vm.noteBytes()
			goto after
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

	compared: // after a call that has compared two texts
		pc, mark, base, caches, taken, soft = kept.pc, kept.mark, kept.bases[0], kept.caches, kept.taken, vm.soft
		in = (*ins)(pc)
		if is == (in.a != 0) {
			goto jump
		}
		goto pass

	after: // a call that has done what the instruction does
		pc, mark, base, caches, taken, soft = unsafe.Add(kept.pc, insSize), kept.mark, kept.bases[0], kept.caches, kept.taken, vm.soft
		continue

	slowAfterFar: // a call that has found nothing where fields are inherited from afar
		kept.taken -= int64(len((*cache)(unsafe.Add(kept.caches, uintptr((*ins)(kept.pc).k))).steps) - 1)
	slowAfter: // a call that has not done it
		pc, mark, taken = kept.pc, kept.mark, kept.taken
		in = (*ins)(pc)
		goto slow

	call: // of a native, of a function with "…", with open arguments
		taken += int64((uintptr(pc)-uintptr(mark))/insSize) + 1
		kept.pc = pc
		kept.f.code = pc
		vm.taken = taken
		if x := (*Function)(at(base, in.a).p); x.proto != nil || x.native.duty <= walks {
			if x.proto == nil && x.native.pure != nil && in.c == 2 {
				if v, ok := x.native.pure.call(at(base, in.a+16), int(in.b)-1); ok {
					at(kept.bases[0], (*ins)(kept.pc).a).n = v.n
					goto ended
				}
				pc, base = kept.pc, kept.bases[0]
				in, x = (*ins)(pc), (*Function)(at(base, (*ins)(pc).a).p)
			}
			th, f := kept.th, kept.f
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
				if vm.finish(kept.th.raise(vm.pending)) == leaves {
					return
				}
				goto reload
			}
			kept.found()
			if in := (*ins)(kept.pc); in.c == 2 && n > 0 {
				*at(kept.bases[0], in.a) = kept.th.stack[from]
			} else {
				kept.th.place(from, n, int(kept.f.base)+int(in.a>>4), int(in.c)-1)
			}
			goto ended
		}
		goto enter
	called:
		kept.pc = pc
		vm.taken++
	enter:
		switch kept.th.callFrom(kept.f, in) {
		case proceeds:
		case leaves:
			return
		default:
			goto reload
		}
		kept.found()
	ended: // a call of a native
		mark = unsafe.Add(kept.pc, insSize)
		pc, base, caches, taken, soft = mark, kept.bases[0], kept.caches, vm.taken, vm.soft
		continue

	returned:
		kept.f.code = pc
		vm.taken = taken
		if th, f := kept.th, kept.f; f.mode == modeRepeats && in.b != 0 {
			th.frames = th.frames[:len(th.frames)-1]
			if !th.again(int(f.base)+int(in.a>>4), int(in.b)-1) {
				return
			}
			goto reload
		}
		if kept.th.leave(kept.f, in) {
			return
		}
		goto reload

	slow:
		kept.pc = pc
		kept.f.code = pc
		vm.taken = taken + int64((uintptr(pc)-uintptr(mark))/insSize) + 1
		switch vm.finish(kept.th.slow(kept.f, in)) {
		case proceeds:
			mark = unsafe.Add(kept.pc, insSize)
		case passes:
			mark = unsafe.Add(kept.pc, 2*insSize)
		case jumps:
			vm.taken++
			mark = unsafe.Add(kept.pc, int((*ins)(kept.pc).k))
		case enters:
			goto reload
		case leaves:
			return
		}
		kept.found()
		pc, base, caches, taken, soft = mark, kept.bases[0], kept.caches, vm.taken, vm.soft
		if taken >= soft {
			goto attend
		}
		continue

	attend:
		kept.f.code = pc
		vm.taken = taken
		vm.attend(kept.th)
		mark = kept.f.code
		pc, base, caches, taken, soft = mark, kept.bases[0], kept.caches, vm.taken, vm.soft
	}
}
