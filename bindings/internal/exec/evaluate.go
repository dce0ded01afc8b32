//go:build !machine

package exec

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/bindings/vm"
	"github.com/perigee-ecs/perigee/ecs"
)

// evaluate calls the function for one row beside the VM, on registers. Numbers go from the
// column into a register and back without becoming Lua values. alone says that the function
// has called nothing, so it cannot have changed its own entity, and the mark of the row
// before is still good.
func (x *EachRunner) evaluate(L *lua.LState, v *rows.View, i int) {
	regs := x.evaluator.Args()
	if len(regs) > 0 {
		regs[0].Set(float64(v.Entities[i]))
		regs = regs[1:]
	}
	given := x.shape.Args[:min(len(regs), len(x.shape.Args))]
	for k := range given {
		if n := x.number(v, &given[k], i); n != nil {
			regs[k].Set(*n)
		} else {
			x.pass(L, &regs[k], v, k, i)
		}
	}
	for k := len(given); k < len(regs); k++ {
		regs[k].Value = lua.LNil
	}
	results, alone := x.evaluator.Call(L)
	if !alone {
		x.unmarked = true
		x.noteOwn(v, i)
	}
	for k := range results {
		r := &x.shape.Results[k]
		if n := x.number(v, r, i); n != nil && results[k].Value == nil {
			*n = results[k].Number // the column was opened for the view
			continue
		}
		tv, ti := x.at(v, i, r.Term)
		x.storeRegister(L, tv, r.Term, r.Field, ti, &results[k])
	}
	for k := range given {
		if tv, ti := x.at(v, i, given[k].Term); given[k].Kind == ArgRow && tv.Columns[given[k].Term].At(ti) != nil {
			x.storeLazy(L, tv, given[k].Term, ti)
			x.tables[given[k].Term].Recall(x.m)
		}
	}
}

// number returns where the i-th row has the number of an argument or a result, if that is
// an f64 in a chunk. Most are, and this is the only question that they need.
func (x *EachRunner) number(v *rows.View, arg *EachArg, i int) *float64 {
	if arg.Kind != ArgScalar || arg.Field.Kind != ecs.F64 || x.asides {
		return nil
	}
	c := &v.Columns[arg.Term]
	if c.Base == nil {
		return nil
	}
	return (*float64)(unsafe.Add(c.Base, uintptr(i)*c.Stride+arg.Field.Offset))
}

// pass puts the k-th argument for the i-th row into a register. A component as a whole is a
// lazy table, unless the function has needed a real one before: see [RowTable.Recall].
func (x *EachRunner) pass(L *lua.LState, to *vm.Register, v *rows.View, k, i int) {
	arg := &x.shape.Args[k]
	switch arg.Kind {
	case ArgScalar:
		v, i = x.at(v, i, arg.Term)
		p := v.Columns[arg.Term].At(i)
		if p == nil {
			to.Set(0)
		} else if !to.Load(arg.Field, unsafe.Add(p, arg.Field.Offset)) {
			to.Put(value.Load(L, arg.Field, p))
		}
	case ArgRow, ArgTag:
		tv, ti := x.at(v, i, arg.Term)
		p, r := tv.Columns[arg.Term].At(ti), x.tables[arg.Term]
		if p == nil || arg.Kind == ArgTag || r.materialised {
			to.Put(x.present(L, v, k, i))
			return
		}
		r.lazy.CopyRow(r, r.Schema, p)
		to.Value = &r.lazy
	default:
		to.Put(x.fixed[k])
	}
}

// storeLazy stores what the function has assigned to the fields of a row. Without a real
// table it is known which fields those are, and the others need not be compared.
func (x *EachRunner) storeLazy(L *lua.LState, v *rows.View, term, i int) {
	r := x.tables[term]
	if r.materialised {
		x.storeRow(L, v, term, i)
		return
	}
	for k := range r.Schema.Fields {
		f := &r.Schema.Fields[k]
		if given := r.lazy.Assigned(k); given != nil {
			x.storeRegister(L, v, term, f, i, given)
		} else if list := r.lazy.AssignedArray(f); list != nil {
			x.store(L, v, term, f, i, list)
		}
	}
}

// storeRegister stores what a register holds in one field.
func (x *EachRunner) storeRegister(L *lua.LState, v *rows.View, term int, f *ecs.Field, i int, given *vm.Register) {
	if given.Value == nil && isFloat(f) {
		x.storeFloat(L, v, term, f, i, given.Number)
		return
	}
	x.store(L, v, term, f, i, given.Box(L))
}
