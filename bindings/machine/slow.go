package machine

// Every instruction as a whole: what the loop leaves out because it is rare, asks a
// metatable, charges for its size, or fails. The count includes the instruction already.

// reg returns a register of a frame by its byte offset.
func (th *Thread) reg(f *frame, offset uint16) *Value { return &th.stack[int(f.base)+int(offset>>4)] }

// operand returns a register or a constant.
func (th *Thread) operand(f *frame, offset uint16) *Value {
	if offset&inConstants != 0 {
		return &f.fn.proto.k[offset&(inConstants-1)>>4]
	}
	return th.reg(f, offset)
}

func (f *frame) cache(in *ins) *cache { return f.fn.proto.cacheAt(in.k) }

// slow executes an instruction of the topmost frame.
func (th *Thread) slow(f *frame, in *ins) outcome {
	op := in.op &^ stepping
	if op >= xAdd && op <= xPowNR {
		return th.operator(f, in, op)
	}
	switch op {
	case xTranslate:
		f.fn.proto.ready()
		f.code = f.fn.proto.begin()
		th.vm.taken-- // it is no instruction of the script's
		return enters
	case xGetGlobal:
		env := OfTable(f.fn.env)
		return th.getField(f, in, &env, f.cache(in))
	case xGetField:
		return th.getField(f, in, th.reg(f, in.b), f.cache(in))
	case xSelf:
		o := *th.reg(f, in.b)
		th.stack[int(f.base)+int(in.a>>4)+1] = o
		if o.n == tagStr && th.vm.methods != nil {
			f.cache(in).learn(th.vm.methods)
		}
		return th.getField(f, in, &o, f.cache(in))
	case xSelfAny:
		o, k := *th.reg(f, in.b), *th.operand(f, in.c)
		th.stack[int(f.base)+int(in.a>>4)+1] = o
		return th.get(f, in, &o, &k)
	case xGetTable:
		return th.get(f, in, th.reg(f, in.b), th.operand(f, in.c))
	case xGetNumber:
		return th.get(f, in, th.reg(f, in.b), &Value{n: in.k})
	case xSetGlobal:
		env := OfTable(f.fn.env)
		return th.setField(&env, f.cache(in), th.reg(f, in.a))
	case xSetField:
		return th.setField(th.reg(f, in.a), f.cache(in), th.operand(f, in.c))
	case xSetTable:
		return th.setAny(th.reg(f, in.a), th.operand(f, in.b), th.operand(f, in.c))
	case xSetList:
		return th.setItems(f, in)
	case xLen:
		return th.length(f, in, *th.operand(f, in.b))
	case xUnm:
		x := *th.operand(f, in.b)
		return th.arithmetic(f, in, evUnm, x, x)
	case xConcat:
		return th.concatRegisters(f, in)
	case xCall:
		return th.callFrom(f, in)
	case xTailCall:
		return th.tailCall(f, in)
	case xForIn:
		return th.forIn(f, in)
	case xForPrep:
		th.failFor(f, in)
	case xVararg:
		th.varargs(f, in)
	default:
		return th.operator(f, in, op)
	}
	return proceeds
}

// operator executes an operator on two values.
func (th *Thread) operator(f *frame, in *ins, op uint16) outcome {
	k := f.fn.proto.k
	switch {
	case op == xArith:
		return th.arithmetic(f, in, evAdd+event((in.k-xAdd)/3), *th.operand(f, in.b), *th.operand(f, in.c))
	case op >= xAdd && op <= xPowNR:
		x, y := Value{n: in.k}, Value{n: in.k}
		if (op-xAdd)%3 != 2 {
			x = *th.reg(f, in.b)
		}
		if (op-xAdd)%3 != 1 {
			y = *th.reg(f, in.c)
		}
		return th.arithmetic(f, in, evAdd+event((op-xAdd)/3), x, y)
	case op >= xCompareAny:
		return th.compare(f, in, op-xCompareAny, *th.operand(f, in.b), *th.operand(f, in.c))
	}
	switch (op - xEqual) % 3 {
	case 1:
		return th.compare(f, in, (op-xEqual)/3, *th.reg(f, in.b), k[in.c>>4])
	case 2:
		return th.compare(f, in, (op-xEqual)/3, k[in.b>>4], *th.reg(f, in.c))
	}
	return th.compare(f, in, (op-xEqual)/3, *th.reg(f, in.b), *th.reg(f, in.c))
}

// getField reads a field by name, and has the cache learn where it is.
func (th *Thread) getField(f *frame, in *ins, o *Value, s *cache) outcome {
	if o.n == tagTable {
		t := (*Table)(o.p)
		if t.dict != nil {
			if v := s.entry(t.dict); v != nil && v.n != tagNil {
				*th.reg(f, in.a) = *v
				return proceeds
			}
		} else {
			if t.shape.retired {
				t.renew()
			}
			if v, steps, ok := s.find(t); ok {
				*th.reg(f, in.a) = v
				if steps > 0 {
					th.vm.charge(th, steps)
				}
				return proceeds
			}
			if h := s.handler(t); h != nil {
				k := Text(s.key)
				th.vm.hashing(th, &k)
				return th.callMeta(f, OfFunction(h), int(f.base)+int(in.a>>4), 1, goesOn, *o, k)
			}
		}
		place := s.place(t)
		if place != nil {
			place.learn(t)
		}
		if v := t.getStr(s.key); v.n != tagNil || t.meta == nil || t.shape.fixed {
			if v.n == tagNil && place != nil {
				place.learnAbsent(t)
			}
			*th.reg(f, in.a) = v
			return proceeds
		}
	}
	k := Text(s.key)
	return th.get(f, in, o, &k)
}

// get reads a field by any key. A function __index is called for it.
func (th *Thread) get(f *frame, in *ins, o, k *Value) outcome {
	v, owner, h, fieldless := th.find(*o, k)
	if h == nil && !fieldless {
		*th.reg(f, in.a) = v
		return proceeds
	}
	key := *k
	if fieldless {
		return th.raise(th.notIndexed(owner, key))
	}
	return th.callMeta(f, OfFunction(h), int(f.base)+int(in.a>>4), 1, goesOn, owner, key)
}

// find looks for a field, in as many tables as __index leads to. It returns the value, or
// a function __index with the value that it is asked about; fieldless says that owner has no fields.
func (th *Thread) find(o Value, k *Value) (v, owner Value, h *Function, fieldless bool) {
	th.vm.hashing(th, k)
	for hops := range maxHops {
		meta := (*Table)(nil)
		if o.n == tagTable {
			t := (*Table)(o.p)
			if v := t.get(k); v.n != tagNil || t.meta == nil {
				return v, o, nil, false
			}
			meta = t.meta
		} else if meta = th.vm.Meta(o); meta == nil {
			return Nil, o, nil, true
		}
		next := meta.event(evIndex)
		switch {
		case next.n == tagNil && o.n == tagTable:
			return Nil, o, nil, false
		case next.n == tagNil:
			return Nil, o, nil, true
		case next.n == tagFunc:
			return Nil, o, (*Function)(next.p), false
		}
		if hops > 0 {
			th.vm.charge(th, 1)
		}
		o = next
	}
	th.failHops()
	return Nil, Nil, nil, false
}

// maxHops is how many tables __index and __newindex are followed through.
const maxHops = 100

// setField sets a field by name, and has the cache learn how.
func (th *Thread) setField(o *Value, s *cache, v *Value) outcome {
	if o.n == tagTable {
		t := (*Table)(o.p)
		if t.dict != nil && !t.sealed && s.replace(t.dict, v) {
			return proceeds
		} else if t.shape.retired {
			t.renew()
		}
		if t.dict == nil && s.change(t, v) {
			th.vm.noteBytes()
			return proceeds
		}
		if place := s.place(t); place != nil {
			place.learnSet(t, v)
		}
		if t.meta == nil || t.meta.lacks(evNewindex) {
			t.setStr(s.key, v)
			th.vm.noteBytes()
			return proceeds
		}
	}
	k := Text(s.key)
	return th.setAny(o, &k, v)
}

// setAny sets a field by any key. A function __newindex is called for it.
func (th *Thread) setAny(o, k, v *Value) outcome {
	owner, h, fieldless := th.assign(*o, k, v)
	switch {
	case fieldless:
		return th.raise(th.notIndexed(owner, *k))
	case h == nil:
		return proceeds
	}
	return th.callMeta(th.innermost(), OfFunction(h), 0, 0, goesOn, owner, *k, *v)
}

// assign sets a field, in the table that __newindex leads to. It returns a function
// __newindex with the value that it is asked about, if there is one; fieldless says that owner has no
// fields.
func (th *Thread) assign(o Value, k, v *Value) (owner Value, h *Function, fieldless bool) {
	th.vm.hashing(th, k)
	for hops := range maxHops {
		meta := (*Table)(nil)
		if o.n == tagTable {
			t := (*Table)(o.p)
			if meta = t.meta; meta == nil || meta.lacks(evNewindex) {
				th.put(t, k, v)
				return o, nil, false
			}
			if !t.sealed && t.get(k).n != tagNil {
				th.put(t, k, v)
				return o, nil, false
			}
		} else if meta = th.vm.Meta(o); meta == nil {
			return o, nil, true
		}
		next := meta.event(evNewindex)
		switch {
		case next.n == tagNil && o.n == tagTable:
			th.put((*Table)(o.p), k, v)
			return o, nil, false
		case next.n == tagNil:
			return o, nil, true
		case next.n == tagFunc:
			return o, (*Function)(next.p), false
		}
		if hops > 0 {
			th.vm.charge(th, 1)
		}
		o = next
	}
	th.failHops()
	return Nil, nil, false
}

// put sets a field of the table itself.
func (th *Thread) put(t *Table, k, v *Value) {
	if !t.set(k, v) {
		if k.n == tagNil {
			th.Failf("table index is nil")
		}
		th.Failf("table index is NaN")
	}
	th.vm.noteBytes()
}

// setItems gives a table the items of its constructor.
func (th *Thread) setItems(f *frame, in *ins) outcome {
	at := int(f.base) + int(in.a>>4)
	n := int(in.b)
	if n == 0 {
		n = th.top - at - 1
	}
	th.vm.moved(n)
	(*Table)(th.stack[at].p).setList(int(in.k)+1, th.stack[at+1:at+1+n])
	th.vm.noteBytes()
	if in.c != 0 {
		return th.over(f, 1)
	}
	return proceeds
}

// over goes on after words that belong to the instruction, and count nothing.
func (th *Thread) over(f *frame, words int) outcome {
	f.skip(1 + words)
	return enters
}

// closure makes a function.
func (th *Thread) closure(f *frame, in *ins) {
	vm, outer := th.vm, f.fn
	p := outer.proto.inner[in.k]
	if p.code == nil {
		p.prepare()
	}
	fn := newClosure(p, outer.env)
	for i, c := range p.captures {
		if c.register {
			fn.up[i] = th.findUpvalue(int(f.base) + c.i)
		} else {
			fn.up[i] = outer.up[c.i]
		}
	}
	vm.Heap.Grow(functionBytes + upvalueBytes*len(p.captures))
	*th.reg(f, in.a) = OfFunction(fn)
}

// About how many bytes a function and a captured local take.
const (
	functionBytes = 96
	upvalueBytes  = 56
)

// closureOne and closureTwo are functions in one piece with what they capture.
type closureOne struct {
	Function
	up [1]*Upvalue
}

type closureTwo struct {
	Function
	up [2]*Upvalue
}

// newClosure makes a function whose captured locals are still to be set.
func newClosure(p *proto, env *Table) *Function {
	switch n := len(p.captures); n {
	case 0:
		return &Function{proto: p, env: env}
	case 1:
		x := &closureOne{Function: Function{proto: p, env: env}}
		x.Function.up = x.up[:]
		return &x.Function
	case 2:
		x := &closureTwo{Function: Function{proto: p, env: env}}
		x.Function.up = x.up[:]
		return &x.Function
	default:
		return &Function{proto: p, env: env, up: make([]*Upvalue, n)}
	}
}

// tailCall calls in the place of the running function.
func (th *Thread) tailCall(f *frame, in *ins) outcome {
	c := callee{at: int(f.base) + int(in.a>>4), args: int(in.b) - 1}
	if in.b == 0 {
		c.args = th.top - c.at - 1
	}
	if th.open != nil {
		th.closeFrom(int(f.base))
	}
	if x := &th.stack[c.at]; x.n != tagFunc {
		if r := th.callable(c.at, c.args); r != nil {
			return th.raise(r)
		}
		c.args++
	}
	fn := (*Function)(th.stack[c.at].p)
	if fn.proto == nil {
		c.ret, c.want, c.mode = c.at, -1, modeOf(ofLua, returns)
		return th.begin(c)
	}
	p, first, extra := fn.proto, int(f.base), 0
	if f.fn.proto.vararg {
		first -= f.fn.proto.params + int(f.extra)
	}
	th.vm.moved(2 * c.args)
	to := first
	if p.vararg {
		extra = max(c.args-p.params, 0)
		to += p.params + extra
	}
	if to+p.size+p.params+c.args > len(th.stack) {
		th.reserve(to + p.size + p.params + c.args)
	}
	copy(th.stack[first:], th.stack[c.at+1:c.at+1+c.args])
	f.fn, f.base, f.extra = fn, int32(to), int32(extra)
	if p.vararg {
		th.spread(p, first, to, c.args)
	} else {
		for i := c.args; i < p.params; i++ {
			th.stack[first+i].n = tagNil
		}
	}
	f.mode &^= modePlain
	if tails := f.mode >> 16 & 0xff; tails < maxTails {
		f.mode += 1 << 16
	}
	f.code = p.begin()
	return enters
}

// maxTails is how many tail calls of one frame are remembered for tracebacks.
const maxTails = 16

// forIn asks an iterator for the next values of a loop.
func (th *Thread) forIn(f *frame, in *ins) outcome {
	a := int(f.base) + int(in.a>>4)
	x := &th.stack[a]
	if x.n == tagFunc {
		fn := (*Function)(x.p)
		switch {
		case fn.proto != nil:
		case fn.native.duty == resumesWrapped:
			th.stack[a+3], th.stack[a+4], th.stack[a+5] = *x, th.stack[a+1], th.stack[a+2]
			return th.resumeWrapped(fn, callee{at: a + 3, args: 2, ret: a + 3, want: int(in.c), mode: modeOf(ofLua, tests)})
		case fn.native.duty <= walks:
			th.stack[a+4], th.stack[a+5] = th.stack[a+1], th.stack[a+2]
			from, n := th.native(fn, a+4, 2)
			if n < 0 {
				return th.raise(th.vm.pending)
			}
			th.place(from, n, a+3, int(in.c))
			if th.stack[a+3].n == tagNil {
				return passes
			}
			th.stack[a+2] = th.stack[a+3]
			th.vm.taken-- // the jump is no instruction of its own here
			return jumps
		}
	}
	th.stack[a+3], th.stack[a+4], th.stack[a+5] = *x, th.stack[a+1], th.stack[a+2]
	return th.begin(callee{at: a + 3, args: 2, ret: a + 3, want: int(in.c), mode: modeOf(ofLua, tests)})
}

// varargs copies the values of "…".
func (th *Thread) varargs(f *frame, in *ins) {
	extra, want := int(f.extra), int(in.b)-1
	first := int(f.base) - extra
	if want < 0 {
		want = extra
		th.reserve(int(f.base) + int(in.a>>4) + want + scratch)
		th.top = int(f.base) + int(in.a>>4) + want
	}
	th.vm.moved(want)
	th.place(first, min(extra, want), int(f.base)+int(in.a>>4), want)
	if in.b == 0 {
		th.top = int(f.base) + int(in.a>>4) + want
	}
}
