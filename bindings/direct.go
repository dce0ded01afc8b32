package bindings

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Register is a place for a Lua value in which a number needs no box: Number, if
// Value is nil. Value never holds a number.
type Register struct {
	Value  lua.LValue
	Number float64
}

// Set puts a number into the register.
func (r *Register) Set(n float64) {
	if r.Number = n; r.Value != nil {
		r.Value = nil
	}
}

// Put puts a value of the Lua machine into the register.
func (r *Register) Put(v lua.LValue) {
	if n, ok := v.(lua.LNumber); ok {
		r.Set(float64(n))
		return
	}
	r.Value = v
}

// Truth reports whether Lua takes what the register holds for true.
func (r *Register) Truth() bool {
	switch v := r.Value.(type) {
	case *lua.LNilType:
		return false
	case lua.LBool:
		return bool(v)
	}
	return true
}

// Direct is a Lua function that is run in another way than by the Lua machine, with
// the same results, errors and effects. Between Begin, on the thread that the calls
// are made on, and End its arguments are set and it is called any number of times.
type Direct interface {
	Begin(L *lua.LState)
	// Args returns a register for each parameter. Call changes them.
	Args() []Register
	// Call calls the function. The registers of the results are good until the
	// next call.
	Call(L *lua.LState) []Register
	End()
}

// Native stands for a Go function that scripts call. The first register holds the
// function and takes the result, those behind it hold the arguments. Where it would raise an
// error, or does not know what to do, it changes nothing and returns false.
type Native func(call []Register) bool

// callDirect calls the function for one row beside the Lua machine.
func (x *eachRun) callDirect(L *lua.LState, v *view, i int) {
	regs := x.direct.Args()
	if len(regs) > 0 {
		regs[0].Set(float64(v.entities[i]))
		regs = regs[1:]
	}
	for k := range regs {
		if k < len(x.shape.args) {
			x.pass(L, &regs[k], v, k, i)
		} else {
			regs[k].Value = lua.LNil
		}
	}
	results := x.direct.Call(L)
	for k := range results {
		r := &x.shape.results[k]
		x.storeRegister(L, r, v.columns[r.term].at(i), &results[k])
	}
	x.storeRows(L, v, i)
}

// pass puts the k-th argument for the i-th row into a register.
func (x *eachRun) pass(L *lua.LState, to *Register, v *view, k, i int) {
	arg := &x.shape.args[k]
	switch arg.kind {
	case argScalar:
		p := v.columns[arg.term].at(i)
		switch {
		case !arg.numeric():
			to.Put(load(L, arg.field, p))
		case p == nil:
			to.Set(0)
		default:
			to.Set(loadNumber(arg.field, p))
		}
	case argRow, argTag:
		to.Put(x.present(L, v, k, i))
	default:
		to.Put(x.fixed[k])
	}
}

// loadNumber reads a field that is a number in Lua.
func loadNumber(f *ecs.Field, p unsafe.Pointer) float64 {
	p = unsafe.Add(p, f.Offset)
	switch f.Kind {
	case ecs.F64:
		return *(*float64)(p)
	case ecs.F32:
		return float64(*(*float32)(p))
	}
	return f.Kind.Load(p)
}

// storeRegister writes one returned field.
func (x *eachRun) storeRegister(L *lua.LState, r *eachArg, p unsafe.Pointer, v *Register) {
	if v.Value == nil {
		switch r.field.Kind {
		case ecs.F64:
			*(*float64)(unsafe.Add(p, r.field.Offset)) = v.Number
			return
		case ecs.F32:
			*(*float32)(unsafe.Add(p, r.field.Offset)) = float32(v.Number)
			return
		}
		x.store(L, r, p, lua.LNumber(v.Number))
		return
	}
	x.store(L, r, p, v.Value)
}
