package machine

import (
	"math"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/internal/numbers"
)

// The operator ..: a chain of operands on the stack, joined from the right as Lua does.
// Neighbours that are texts are joined at once: a .. b .. c makes one text and not two.

// concatRegisters executes the instruction, whose operands are registers.
func (th *Thread) concatRegisters(f *frame, in *ins) outcome {
	return th.join(int(f.base)+int(in.b>>4), int(f.base)+int(in.c>>4), callee{ret: int(f.base) + int(in.a>>4), want: 1})
}

// concat is the function that a compiler may have put in the place of the operator.
func (th *Thread) concat(c callee) outcome {
	if c.args == 0 {
		th.reserve(c.at + 2)
		th.stack[c.at+1], c.args = th.vm.text(""), 1
	}
	return th.join(c.at+1, c.at+c.args, c)
}

// joinFew joins n operands of a call of concat, if they are texts, or numbers as they are
// written, and short. It is what nearly all joining comes to, and needs none of the frames that
// a metamethod may need. It returns nil, and has done nothing, if that is not so simple.
//
// The operands stay in their registers: they are short, too.
func (th *Thread) joinFew(first, n int) *Str {
	values, size := th.stack[first:first+n], 0
	texts := true
	for i := range values {
		switch v := &values[i]; {
		case v.n == tagStr:
			size += len((*Str)(v.p).s)
		case v.n < tagBase:
			texts = false
		default:
			return nil
		}
	}
	switch {
	case size > mostTogether:
		return nil
	case !texts:
		return th.vm.joined(th, values)
	}
	th.vm.newText(th, size)
	s, to := newStr(size)
	for i := range values {
		to = to[copy(to, (*Str)(values[i].p).s):]
	}
	return s
}

// join joins the operands from first to last, for what c says of the result.
func (th *Thread) join(first, last int, c callee) outcome {
	if last = th.joinTexts(first, last); last > first {
		f := th.pushMark(ofConcat, nil, first, c)
		f.extra = int32(last)
		return th.joinOn(f)
	}
	if a := after(c.mode >> 8); a != goesOn {
		return th.complete(c.ret, c.want, a, first, 1)
	}
	th.place(first, 1, c.ret, c.want)
	return proceeds
}

// joinOn goes on with a chain whose last two operands are no texts both, or that is done.
func (th *Thread) joinOn(f *frame) outcome {
	first := int(f.base)
	last := th.joinTexts(first, int(f.extra))
	f.extra = int32(last)
	if last == first {
		return th.vm.endWith(first, 1)
	}
	th.reserve(last + 4)
	x, y := &th.stack[last-1], &th.stack[last]
	h := th.either(x, y, evConcat)
	if h.n != tagFunc {
		th.failConcat(last-first, *x, *y)
	}
	th.stack[last+1], th.stack[last+2], th.stack[last+3] = h, *x, *y
	return th.begin(callee{at: last + 1, args: 2, ret: last + 1, want: 1, mode: modeOf(ofLua, completes)})
}

// joinTexts joins the texts at the end of a chain, and returns where the last operand is
// then.
func (th *Thread) joinTexts(first, last int) int {
	from := last + 1
	for from > first && th.stack[from-1].isText() {
		from--
	}
	if from >= last {
		return last
	}
	vm := th.vm
	if last == from+1 && th.stack[from].n == tagStr && th.stack[last].n == tagStr {
		a, b := (*Str)(th.stack[from].p).s, (*Str)(th.stack[last].p).s
		if len(a)+len(b) > len(vm.buffer) {
			vm.newText(th, len(a)+len(b))
			th.stack[from] = String(a + b)
			return from
		}
	}
	th.stack[from] = Text(vm.joined(th, th.stack[from:last+1]))
	return from
}

// joined joins values that are texts or numbers.
func (vm *VM) joined(th *Thread, values []Value) *Str {
	size := 0
	for i := range values {
		if v := &values[i]; v.n == tagStr {
			size += len((*Str)(v.p).s)
		}
	}
	if size > len(vm.buffer)/2 {
		return vm.joinedLong(th, values, size)
	}
	buffer := vm.buffer[:0]
	for i := range values {
		buffer = values[i].appendTo(buffer)
	}
	vm.chargeNumbers(th, values)
	vm.newText(th, len(buffer))
	return CopyStr(buffer)
}

// chargeNumbers counts the steps to write the numbers among some operands.
func (vm *VM) chargeNumbers(th *Thread, values []Value) {
	steps := 0
	for i := range values {
		if v := &values[i]; v.n != tagStr {
			steps += numbers.WriteSteps(v.Float())
		}
	}
	if steps > 0 {
		vm.charge(th, steps)
	}
}

// joinedLong is joined for texts of so many bytes, too many for the buffer. They are copied once.
func (vm *VM) joinedLong(th *Thread, values []Value, size int) *Str {
	for i := range values {
		if v := &values[i]; v.n != tagStr {
			size += len(v.appendTo(vm.buffer[:0]))
		}
	}
	vm.chargeNumbers(th, values)
	vm.newText(th, size)
	var joined strings.Builder
	joined.Grow(size)
	for i := range values {
		if v := &values[i]; v.n == tagStr {
			joined.WriteString((*Str)(v.p).s)
		} else {
			joined.Write(v.appendTo(vm.buffer[:0]))
		}
	}
	return NewStr(joined.String())
}

// appendTo appends a text, or the text of a number.
func (v *Value) appendTo(to []byte) []byte {
	if v.n == tagStr {
		return append(to, (*Str)(v.p).s...)
	}
	return appendNumber(to, v.Float())
}

// appendNumber writes a number as numbers.Format does.
func appendNumber(to []byte, x float64) []byte {
	if i := int64(x); float64(i) == x && i < 1e14 && i > -1e14 && (i != 0 || !math.Signbit(x)) {
		return strconv.AppendInt(to, i, 10)
	}
	return append(to, numbers.Format(x)...)
}

func (v *Value) isText() bool { return v.n < tagBase || v.n == tagStr }

// textOf returns the text of a text or a number.
func (vm *VM) textOf(v *Value) string {
	if v.n == tagStr {
		return (*Str)(v.p).s
	}
	return numbers.Format(v.Float())
}

// newText counts a text before it is made, and raises an error if it is too long.
func (vm *VM) newText(th *Thread, bytes int) {
	if bytes > vm.LongestText {
		th.Fail(diag.Reached("String", "string too long: %s of %s bytes", diag.Grouped(int64(bytes)), diag.Grouped(int64(vm.LongestText))))
	}
	vm.Alloc(th, bytes)
}
