package machine

import (
	"github.com/perigee-ecs/perigee/ecs/detmath"
	"github.com/perigee-ecs/perigee/internal/numbers"
)

// Metamethods: operators on values that are no numbers, asked for by the loop, where a
// function of Lua becomes a frame, and by natives, for which it is a call of Go.

// event returns what the metatable of a value says about an event, nil if nothing.
func (vm *VM) event(v *Value, e event) Value { return vm.Meta(*v).event(e) }

// callMeta calls a metamethod with arguments behind the registers of the topmost frame.
func (th *Thread) callMeta(f *frame, h Value, ret, want int, a after, args ...Value) outcome {
	at := int(f.base) + f.fn.proto.size - scratch + 1
	th.stack[at] = h
	copy(th.stack[at+1:], args)
	if p := (*Function)(h.p).proto; p != nil && !p.vararg && at+1+p.size <= len(th.stack) && len(th.frames) < th.room {
		for i := len(args); i < p.params; i++ {
			th.stack[at+1+i].n = tagNil
		}
		th.push((*Function)(h.p), at+1, ret, want, modeOf(ofLua, a))
		return enters
	}
	return th.begin(callee{at: at, args: len(args), ret: ret, want: want, mode: modeOf(ofLua, a)})
}

// either returns what one of two values says about an event, the left one first.
func (th *Thread) either(x, y *Value, e event) Value {
	if x.n == tagTable {
		if h := (*Table)(x.p).meta.event(e); h.n == tagFunc {
			return h
		}
	} else if h := th.vm.event(x, e); h.n == tagFunc {
		return h
	}
	return th.vm.event(y, e)
}

// arithmetic executes an operator on two values, which may be texts of numbers.
func (th *Thread) arithmetic(f *frame, in *ins, e event, x, y Value) outcome {
	if x.isText() && y.isText() {
		if v, ok := th.compute(e, x, y); ok {
			*th.reg(f, in.a) = v
			return proceeds
		}
	}
	h := th.either(&x, &y, e)
	if h.n != tagFunc {
		return th.raise(th.notComputed(x, y))
	}
	if e == evUnm {
		return th.callMeta(f, h, int(f.base)+int(in.a>>4), 1, goesOn, x, x) // twice, as lua5.1 does
	}
	if p := (*Function)(h.p).proto; p != nil && !p.vararg {
		at := int(f.base) + f.fn.proto.size - scratch + 1
		if at+2+p.size <= len(th.stack) && len(th.frames) < th.room {
			th.stack[at+1], th.stack[at+2] = x, y
			for i := 2; i < p.params; i++ {
				th.stack[at+1+i].n = tagNil
			}
			th.push((*Function)(h.p), at+1, int(f.base)+int(in.a>>4), 1, modeOf(ofLua, goesOn))
			return enters
		}
	}
	return th.callMeta(f, h, int(f.base)+int(in.a>>4), 1, goesOn, x, y)
}

// compute executes an operator on numbers and texts of numbers, and reports whether the
// values were that.
func (th *Thread) compute(e event, x, y Value) (Value, bool) {
	a, ok := th.number(x)
	if !ok {
		return Nil, false
	}
	b, ok := th.number(y)
	if !ok {
		return Nil, false
	}
	if a != a && e <= evDiv {
		return Value{n: quieted(a)}, true // of two NaNs the left one, as in kernels
	}
	switch e {
	case evAdd:
		return Value{n: word(a + b)}, true
	case evSub:
		return Value{n: word(a - b)}, true
	case evMul:
		return Value{n: word(a * b)}, true
	case evDiv:
		return Value{n: word(a / b)}, true
	case evMod:
		return Value{n: remainder(a, b)}, true
	case evPow:
		return Number(float64(detmath.Pow(a, b)) + 0), true
	}
	return Number(-a), true
}

// number returns the number that a value is, or that a text says.
func (th *Thread) number(v Value) (float64, bool) {
	if v.n < tagBase {
		return v.Float(), true
	}
	if v.n != tagStr {
		return 0, false
	}
	text := (*Str)(v.p).s
	if len(text) > short {
		th.vm.charge(th, len(text)/readPerStep)
	}
	x, ok := numbers.Parse(text)
	if n := numbers.Steps(text, x); n > 0 {
		th.vm.charge(th, n)
	}
	return x, ok
}

// remainder returns the bits of x % y.
func remainder(x, y float64) uint64 {
	if x >= 0 && y > 0 && x < 1<<32 && y < 1<<32 {
		if a, b := uint32(x), uint32(y); float64(a) == x && float64(b) == y {
			return word(float64(a % b))
		}
	}
	return Number(detmath.Modulo(x, y) + 0).n
}

// The comparisons, in the order of their operations.
const (
	isEqual = iota
	isLess
	isAtMost
)

// compare executes a comparison.
func (th *Thread) compare(f *frame, in *ins, which uint16, x, y Value) outcome {
	is, h, a := th.order(which, x, y)
	if h.n == tagFunc {
		at := int(f.base) + f.fn.proto.size - scratch
		if a == inverts {
			x, y = y, x
		}
		return th.callMeta(f, h, at, 1, a, x, y)
	}
	if is == (in.a != 0) {
		return jumps
	}
	return passes
}

// order compares two values, or returns the metamethod that does. Where that is inverts,
// y < x is to be asked, and the answer turned round.
func (th *Thread) order(which uint16, x, y Value) (is bool, h Value, a after) {
	if which == isEqual {
		is, h = th.equal(x, y)
		return is, h, decides
	}
	if x.n < tagBase && y.n < tagBase {
		if which == isLess {
			return x.Float() < y.Float(), Nil, decides
		}
		return x.Float() <= y.Float(), Nil, decides
	}
	if x.n == tagStr && y.n == tagStr {
		a, b := (*Str)(x.p).s, (*Str)(y.p).s
		th.vm.comparing(th, a, b)
		if which == isLess {
			return a < b, Nil, decides
		}
		return a <= b, Nil, decides
	}
	if x.Kind() == y.Kind() && x.n != tagStr {
		if which == isAtMost {
			if h = th.both(x, y, evLe); h.n == tagFunc {
				return false, h, decides
			}
		}
		if h = th.both(x, y, evLt); h.n == tagFunc {
			if which == isAtMost {
				return false, h, inverts
			}
			return false, h, decides
		}
	}
	th.failCompare(x, y)
	return false, Nil, decides
}

// both returns the metamethod that two values share.
func (th *Thread) both(x, y Value, e event) Value {
	h := th.vm.event(&x, e)
	if h.n == tagFunc && th.vm.event(&y, e).Equal(h) {
		return h
	}
	return Nil
}

// equal compares two values, or returns the metamethod that does.
func (th *Thread) equal(x, y Value) (bool, Value) {
	if x.n == tagStr && y.n == tagStr {
		a, b := (*Str)(x.p).s, (*Str)(y.p).s
		if len(a) == len(b) && len(a) > short && x.p != y.p {
			th.vm.charge(th, len(a)/bytesPerStep)
		}
		return a == b, Nil
	}
	if x.Equal(y) {
		return true, Nil
	}
	if x.n == y.n && (x.n == tagTable || x.n == tagUser) {
		return false, th.both(x, y, evEq)
	}
	return false, Nil
}

// length executes the operator #.
func (th *Thread) length(f *frame, in *ins, v Value) outcome {
	if v.n == tagStr {
		*th.reg(f, in.a) = Number(float64(len((*Str)(v.p).s)))
		return proceeds
	}
	h := th.vm.event(&v, evLen)
	switch {
	case h.n == tagFunc:
		return th.callMeta(f, h, int(f.base)+int(in.a>>4), 1, goesOn, v)
	case v.n != tagTable:
		th.failLength(v)
	}
	*th.reg(f, in.a) = Number(float64((*Table)(v.p).Len()))
	return proceeds
}
