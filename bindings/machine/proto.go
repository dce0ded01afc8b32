package machine

import (
	"fmt"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// ins is an instruction, taken apart once. It has the index that the instruction of
// gopher-lua has from which it comes, so lines, names of locals and counts stay right.
//
// a, b and c are registers as byte offsets, or small numbers. Where an operand may be a
// constant, inConstants says that it is one. k has the rest: the bits of a number, the
// distance of a jump in bytes, the index of a cache.
type ins struct {
	op, a, b, c uint16
	k           uint64
}

const (
	insSize     = unsafe.Sizeof(ins{})
	valueSize   = unsafe.Sizeof(Value{})
	pointerSize = uint16(unsafe.Sizeof((*Upvalue)(nil)))
	inConstants = 1 << 15
)

// proto is a function's prototype as one VM executes it.
//
// Invariant: len(code) is len(source.Code); before the function runs for the first time, code is
// the one instruction that translates it, and before the first closure is made there is none.
type proto struct {
	source   *lua.FunctionProto
	vm       *VM
	code     []ins
	step     []ins // the same, where each instruction looks at the budget first; nil until it is needed
	k        []Value
	caches   []cache
	blocks   []*blockLoop
	inner    []*proto
	captures []capture // what closures of it capture, in the function around it
	params   int
	size     int  // registers, with some behind them for calls of metamethods
	vararg   bool // has "..."
	arg      bool // has the table arg of Lua 5.0 instead
}

// capture is a local of the function around a closure: one of its registers, or what that
// has captured itself.
type capture struct {
	register bool
	i        int
}

// scratch is how many registers a function has behind its own, for a metamethod with its
// arguments, and for the values of an iterator.
const scratch = 6

// mostRegisters is more than any function has: operands have nine bits at most.
const mostRegisters = 1 << 10

// newProto makes a prototype that is not translated yet.
func (vm *VM) newProto(source *lua.FunctionProto) *proto {
	const has, needs = lua.VarArgIsVarArg, lua.VarArgNeedsArg
	return &proto{
		source: source, vm: vm, params: int(source.NumParameters),
		vararg: source.IsVarArg != 0, arg: source.IsVarArg&needs != 0 && source.IsVarArg&has == has,
	}
}

// untranslated is the code of all functions that have not run yet, and the careful one.
var untranslated = [...]ins{{op: xTranslate}, {op: xTranslate + stepping}}

// prepare makes the prototype ready for closures. Most functions of a script that is compiled
// to kernels never run on the machine, so the code is filled in when the first one does.
func (p *proto) prepare() {
	p.measure()
	p.code, p.step = untranslated[:1:1], untranslated[1:]
	p.vm.longest = max(p.vm.longest, int64(len(p.source.Code)))
}

// translated reports whether the code has been filled in.
func (p *proto) translated() bool { return len(p.code) > 0 && p.code[0].op != xTranslate }

// ready fills the code in if nobody has.
func (p *proto) ready() {
	if !p.translated() {
		p.translate()
	}
}

// measure finds how many registers the function uses: of some functions the compiler counts
// too few.
func (p *proto) measure() {
	s := p.source
	p.size = max(int(s.NumUsedRegisters), p.params+1)
	for pc := 0; pc < len(s.Code); pc++ {
		t := translator{p: p, pc: pc}
		t.takeApart()
		p.size = max(p.size, t.registers())
		pc += t.words()
	}
	p.size += scratch
}

// translate fills the code in.
func (p *proto) translate() {
	s := p.source
	p.measure()
	p.k, p.inner = make([]Value, len(s.Constants)), make([]*proto, len(s.FunctionPrototypes))
	for i, c := range s.Constants {
		p.k[i] = p.vm.constant(c)
	}
	for i, inner := range s.FunctionPrototypes {
		p.inner[i] = p.vm.newProto(inner)
	}
	p.code, p.step = make([]ins, len(s.Code)), nil
	p.caches = make([]cache, 0, cachesOf(s.Code))
	for pc := 0; pc < len(s.Code); pc++ {
		t := translator{p: p, pc: pc, in: &p.code[pc]}
		t.takeApart()
		pc += t.instruction()
	}
	p.findBlocks()
	p.vm.longest = max(p.vm.longest, int64(len(p.code)))
}

// findBlocks looks for loops that can be executed in blocks.
func (p *proto) findBlocks() {
	for pc := range p.code {
		if in := &p.code[pc]; in.op == xForLoop && !p.vm.noBlocks {
			if b := p.planBlocks(pc); b != nil {
				in.op, in.c = xForBlocks, uint16(len(p.blocks))
				p.blocks = append(p.blocks, b)
			}
		}
	}
}

// constant returns a constant as the machine has it.
func (vm *VM) constant(c lua.LValue) Value {
	switch c := c.(type) {
	case lua.LNumber:
		return Number(float64(c))
	case lua.LString:
		return vm.text(string(c))
	case lua.LBool:
		return Bool(bool(c))
	case *lua.LNilType:
		return Nil
	case *lua.LUserData:
		switch held := c.Value.(type) {
		case Primitive:
			return OfFunction(vm.Builtin(held))
		case *Function:
			return OfFunction(held)
		case Native:
			return OfFunction(NewNative("", held))
		}
	}
	if vm.Constant != nil {
		return vm.Constant(c)
	}
	return Nil
}

// translator translates one instruction.
type translator struct {
	p       *proto
	pc      int
	in      *ins
	word    uint32
	a, b, c int
}

// takeApart reads the instruction.
func (t *translator) takeApart() {
	t.word = t.p.source.Code[t.pc]
	t.a, t.b, t.c = int(t.word>>18)&0xff, int(t.word)&0x1ff, int(t.word>>9)&0x1ff
	t.closed()
}

// registers returns how many registers the instruction needs.
func (t *translator) registers() int {
	switch op := int(t.word >> 26); op {
	case lua.OP_LOADNIL:
		return max(t.a, t.b) + 1
	case lua.OP_SELF:
		return t.a + 2
	case lua.OP_TFORLOOP:
		return t.a + 6 + t.c
	case lua.OP_FORLOOP, lua.OP_FORPREP:
		return t.a + 4
	case lua.OP_CALL:
		return t.a + max(t.b, t.c) + 1
	case lua.OP_TAILCALL, lua.OP_VARARG:
		return t.a + t.b + 1
	default:
		return t.a + 1
	}
}

// words returns how many words after the instruction belong to it.
func (t *translator) words() int {
	switch op := int(t.word >> 26); {
	case op == lua.OP_SETLIST && t.c == 0:
		return 1
	case op == lua.OP_CLOSURE:
		return int(t.p.source.FunctionPrototypes[t.bx()].NumUpvalues)
	}
	return 0
}

// cachesOf returns for how many caches of a code there has to be room.
func cachesOf(code []uint32) (n int) {
	for _, word := range code {
		switch int(word >> 26) {
		case lua.OP_GETGLOBAL, lua.OP_SETGLOBAL, lua.OP_GETTABLEKS, lua.OP_SETTABLEKS, lua.OP_SELF:
			n++
		}
	}
	return n
}

// closed fixes the number of values of an instruction that takes all up to the top, where
// the instruction before it has left a fixed number. The compiler writes that for a call in
// parentheses.
func (t *translator) closed() {
	switch int(t.word >> 26) {
	case lua.OP_CALL, lua.OP_TAILCALL, lua.OP_RETURN, lua.OP_SETLIST:
	default:
		return
	}
	if t.b != 0 || t.pc == 0 {
		return
	}
	before := t.p.source.Code[t.pc-1]
	top := int(before>>18) & 0xff
	switch b, c := int(before)&0x1ff, int(before>>9)&0x1ff; {
	case int(before>>26) == lua.OP_CALL && c != 0:
		top += c - 1
	case int(before>>26) == lua.OP_VARARG && b != 0:
		top += b - 1
	default:
		return
	}
	t.b = top - t.a
	switch int(t.word >> 26) {
	case lua.OP_RETURN:
		t.b++
	case lua.OP_SETLIST:
		t.b--
	}
}

func (t *translator) bx() int { return int(t.word) & (1<<18 - 1) }

// jump is the distance that an instruction jumps, in bytes.
func (t *translator) jump() uint64 { return uint64(int64(1+t.bx()-(1<<17-1)) * int64(insSize)) }

// fuse has a test jump by itself as the jump does that stands after it.
func (t *translator) fuse() {
	next := t.p.source.Code[t.pc+1]
	t.in.k = uint64(2 * insSize)
	switch op := int(next >> 26); op {
	case lua.OP_JMP:
		t.in.k = uint64(int64(2+int(next&(1<<18-1))-(1<<17-1)) * int64(insSize))
	case lua.OP_NOP: // a jump to the next instruction
	default:
		panic(fmt.Sprintf("machine: instruction %d after a test is no jump", op))
	}
}

func register(r int) uint16 { return uint16(r) * uint16(valueSize) }

func operand(r int) uint16 {
	if r&256 != 0 {
		return uint16(r&255)*uint16(valueSize) | inConstants
	}
	return register(r)
}

// number returns the constant that an operand names, if it is a number that is one: the
// compiler folds 0/0, and of two NaNs an operator has to choose.
func (t *translator) number(r int) (Value, bool) {
	if r&256 == 0 {
		return Nil, false
	}
	v := t.p.k[r&255]
	return v, v.IsNumber() && v.Float() == v.Float()
}

// cache returns the index of a new cache for a text key.
func (t *translator) cache(key Value) uint64 {
	t.p.caches = append(t.p.caches, cache{remembered: remembered{key: key.Str()}})
	return uint64(len(t.p.caches)-1) * uint64(unsafe.Sizeof(cache{}))
}

// set fills the instruction in.
func (t *translator) set(op, a, b, c uint16) { t.in.op, t.in.a, t.in.b, t.in.c = op, a, b, c }

// moves maps the operations that are taken over with three registers as they are.
var moves = map[int]uint16{lua.OP_MOVE: xMove, lua.OP_NOP: xNop, lua.OP_CLOSE: xClose, lua.OP_NOT: xNot, lua.OP_LEN: xLen, lua.OP_UNM: xUnm}

// instruction translates the instruction, and returns how many words after it belong to it.
func (t *translator) instruction() int {
	op, a := int(t.word>>26), register(t.a)
	if x, ok := moves[op]; ok {
		t.set(x, a, operand(t.b), operand(t.c))
		return 0
	}
	switch op {
	case lua.OP_MOVEN:
		t.set(xMoveN, a, register(t.b), 0)
		t.in.k = uint64(t.c)
	case lua.OP_LOADK:
		t.set(xLoadK, a, 0, 0)
		if t.in.k = uint64(t.bx()) * uint64(valueSize); t.p.k[t.bx()].IsNumber() {
			t.in.op, t.in.k = xLoadN, t.p.k[t.bx()].n
		}
	case lua.OP_LOADBOOL:
		t.set(xLoadBool, a, 0, uint16(t.c)*uint16(insSize))
		t.in.k = Bool(t.b != 0).n
	case lua.OP_LOADNIL:
		t.set(xLoadNil, a, register(t.b), 0)
	case lua.OP_GETUPVAL:
		t.set(xGetUpvalue, a, uint16(t.b)*pointerSize, 0)
	case lua.OP_SETUPVAL:
		t.set(xSetUpvalue, a, uint16(t.b)*pointerSize, 0)
	case lua.OP_GETGLOBAL:
		t.set(xGetGlobal, a, 0, 0)
		t.in.k = t.cache(t.p.k[t.bx()])
	case lua.OP_SETGLOBAL:
		t.set(xSetGlobal, a, 0, 0)
		t.in.k = t.cache(t.p.k[t.bx()])
	case lua.OP_GETTABLE, lua.OP_GETTABLEKS, lua.OP_SELF:
		t.get(op)
	case lua.OP_SETTABLE, lua.OP_SETTABLEKS:
		t.set(xSetTable, a, operand(t.b), operand(t.c))
		if key, ok := t.key(t.b); ok && op == lua.OP_SETTABLEKS {
			t.in.op, t.in.k = xSetField, t.cache(key)
		}
	case lua.OP_NEWTABLE:
		t.set(xNewTable, a, uint16(t.b), uint16(t.c))
	case lua.OP_ADD, lua.OP_SUB, lua.OP_MUL, lua.OP_DIV, lua.OP_MOD, lua.OP_POW:
		t.arithmetic(xAdd + 3*uint16(op-lua.OP_ADD))
	case lua.OP_CONCAT:
		t.set(xConcat, a, register(t.b), register(t.c))
	case lua.OP_JMP:
		t.set(xJump, a, 0, 0)
		t.in.k = t.jump()
	case lua.OP_EQ, lua.OP_LT, lua.OP_LE:
		t.compare(xEqual + 3*uint16(op-lua.OP_EQ))
	case lua.OP_TEST:
		t.set(xTest, a, 0, uint16(t.c))
		t.fuse()
	case lua.OP_TESTSET:
		t.set(xTestSet, a, register(t.b), uint16(t.c))
		t.fuse()
	case lua.OP_TFORLOOP:
		t.set(xForIn, a, 0, uint16(t.c))
		t.fuse()
	case lua.OP_FORLOOP:
		t.set(xForLoop, a, 0, 0)
		t.in.k = t.jump()
	case lua.OP_FORPREP:
		t.set(xForPrep, a, 0, 0)
		t.in.k = t.jump()
	case lua.OP_SETLIST:
		return t.list()
	case lua.OP_CLOSURE:
		return t.closure()
	default:
		t.call(op)
	}
	return 0
}

// key returns the text that an operand names. The compiler writes many of them into a
// register first, which keeps its value up to the instruction that uses it.
func (t *translator) key(r int) (Value, bool) {
	if r&256 != 0 {
		v := t.p.k[r&255]
		return v, v.IsString()
	}
	for pc := t.pc - 1; pc >= 0; pc-- {
		if word := t.p.source.Code[pc]; int(word>>26) == lua.OP_LOADK && int(word>>18)&0xff == r {
			v := t.p.k[int(word)&(1<<18-1)]
			return v, v.IsString()
		}
	}
	return Nil, false
}

// get translates what reads a field.
func (t *translator) get(op int) {
	a, b := register(t.a), register(t.b)
	key, ok := Nil, false
	if op != lua.OP_GETTABLE {
		key, ok = t.key(t.c)
	}
	switch {
	case op == lua.OP_SELF && ok:
		t.set(xSelf, a, b, 0)
		t.in.k = t.cache(key)
	case op == lua.OP_SELF:
		t.set(xSelfAny, a, b, operand(t.c))
	case ok:
		t.set(xGetField, a, b, 0)
		t.in.k = t.cache(key)
	case t.c&256 != 0 && t.p.k[t.c&255].IsNumber():
		t.set(xGetNumber, a, b, operand(t.c))
		t.in.k = t.p.k[t.c&255].n
	default:
		t.set(xGetTable, a, b, operand(t.c))
	}
}

// arithmetic translates an operator: x is the operation on two registers. After it come
// those with a number on the right and on the left.
func (t *translator) arithmetic(x uint16) {
	left, isLeft := t.number(t.b)
	right, isRight := t.number(t.c)
	t.set(x, register(t.a), operand(t.b), operand(t.c))
	switch {
	case isRight && t.b < 256:
		t.in.op, t.in.k = x+1, right.n
	case isLeft && t.c < 256:
		t.in.op, t.in.k = x+2, left.n
	case (t.b|t.c)&256 != 0:
		t.in.op = xArith
		t.in.k = uint64(x)
	}
}

// compare is arithmetic for a comparison: in.a is the answer at which it jumps.
func (t *translator) compare(x uint16) {
	_, isLeft := t.number(t.b)
	_, isRight := t.number(t.c)
	t.set(x, uint16(t.a), operand(t.b), operand(t.c))
	switch {
	case isRight && t.b < 256:
		t.in.op, t.in.c = x+1, register(t.c&255)
	case isLeft && t.c < 256:
		t.in.op, t.in.b = x+2, register(t.b&255)
	case (t.b|t.c)&256 != 0:
		t.in.op = xCompareAny + (x-xEqual)/3
	}
	t.fuse()
}

// call translates calls and what has to do with their values.
func (t *translator) call(op int) {
	a := register(t.a)
	switch op {
	case lua.OP_CALL:
		t.set(xCall, a, uint16(t.b), uint16(t.c))
		if t.c == 2 {
			t.in.k = modePlain
		}
	case lua.OP_TAILCALL:
		t.set(xTailCall, a, uint16(t.b), 0)
	case lua.OP_RETURN:
		t.set(xReturn, a, uint16(t.b), 0)
		if t.b == 2 {
			t.in.op = xReturnOne
		}
	case lua.OP_VARARG:
		t.set(xVararg, a, uint16(t.b), 0)
	default:
		panic(fmt.Sprintf("machine: unknown instruction %d", op))
	}
}

// list translates the items of a constructor.
func (t *translator) list() int {
	t.set(xSetList, register(t.a), uint16(t.b), 0)
	c, words := t.c, 0
	if c == 0 {
		c, words = int(t.p.source.Code[t.pc+1]), 1
		t.p.code[t.pc+1].op = xNop
	}
	t.in.k = uint64((c - 1) * lua.FieldsPerFlush)
	t.in.c = uint16(words) * uint16(insSize)
	return words
}

// closure translates the making of a function, with what it captures.
func (t *translator) closure() int {
	inner := t.p.inner[t.bx()]
	t.set(xClosure, register(t.a), 0, 0)
	t.in.k = uint64(t.bx())
	n := int(inner.source.NumUpvalues)
	t.in.c = uint16(n) * uint16(insSize)
	known := inner.captures != nil
	for i := 1; i <= n; i++ {
		word := t.p.source.Code[t.pc+i]
		t.p.code[t.pc+i].op = xNop
		if !known {
			inner.captures = append(inner.captures, capture{int(word>>26) == lua.OP_MOVE, int(word) & 0x1ff})
		}
	}
	return n
}

// careful returns the code where each instruction looks at the budget first.
func (p *proto) careful() []ins {
	if p.step == nil {
		p.step = append(p.step, p.code...)
		for i := range p.step {
			p.step[i].op += stepping
		}
	}
	return p.step
}

// index returns which instruction stands at a place of the code.
func (p *proto) index(at unsafe.Pointer) int {
	i := (uintptr(at) - uintptr(unsafe.Pointer(unsafe.SliceData(p.code)))) / insSize
	if i < uintptr(len(p.code)) {
		return int(i)
	}
	if at == unsafe.Pointer(&untranslated[0]) || at == unsafe.Pointer(&untranslated[1]) {
		return 0 // another thread has made it run since
	}
	return int((uintptr(at) - uintptr(unsafe.Pointer(unsafe.SliceData(p.step)))) / insSize)
}

// at and carefulAt return the place of an instruction in the code.
func (p *proto) at(i int) unsafe.Pointer { return unsafe.Pointer(&p.code[i]) }

func (p *proto) carefulAt(i int) unsafe.Pointer { return unsafe.Pointer(&p.careful()[i]) }

func (p *proto) begin() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(p.code)) }

// cacheAt returns a cache by its offset.
func (p *proto) cacheAt(offset uint64) *cache {
	return &p.caches[uintptr(offset)/unsafe.Sizeof(cache{})]
}
