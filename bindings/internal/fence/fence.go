// Package fence passes values of the host to scripts and back.
//
// A [Fence] makes Lua values of Go values by reflection, and Go values of Lua values. Every
// value that comes out of Go passes out, every value that goes into Go passes in, on whatever
// way: as an exposed value, an argument, a result, a field, an item, or through a callback.
//
//   - Scripts see exported fields and methods under their names, and under these with a
//     small first letter; a tag of the form luar:"name" gives a field another name, and
//     luar:"-" takes it away.
//   - Objects have an index, a length and a comparison, and no other operators.
//   - Structs and arrays in what a pointer points to come out as pointers: what scripts
//     write there is written in the host's value.
//   - Numbers arrive as they are, or the call is an error, and so is one whose last
//     result is an error.
//   - Channels cannot be used at all: they would block the tick.
//   - Tables that go into Go are copied; so they are small and flat enough for that.
//   - Functions that go into Go run within the limits of the call that handed
//     them over, and not after it.
//
// # Where code lives
//
//	the fence, tables that can be copied     fence
//	types of Go, their values as objects     class
//	properties and items, as they are           property
//	numbers, texts and booleans in places    slot
//	functions, called from both sides        function
//	common signatures, without reflection    direct
//	all others, with places for arguments    reflected
//	values into Go and out of it             convert
//	what a Go type can hold                  arguments
//	functions written against gopher-lua     foreign, foreign_machine
package fence

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/running"
)

// Fence is what all values of the host that one Lua state has go through.
//
// All values of a Go type share a metatable.
type Fence struct {
	main      *lua.LState
	calls     *tx.Runner
	types     map[reflect.Type]*class  // of all values that have come out
	funcs     map[*lua.LFunction]bool  // that scripts have got, as far as they are known
	questions map[*lua.LFunction]asked // that kernels call, too
	inner     int                      // callbacks that are running in each other
	other     foreigners               // what is needed for values of gopher-lua's

	fields map[reflect.Type]map[string]reflect.StructField // see fieldsOf

	unknown lua.LValue // not nil while a call is judged: an argument of which nothing is known
	part    fault.Part // that the error of a judged call is about
}

// New makes the fence of a Lua state and the calls that run in it.
func New(main *lua.LState, calls *tx.Runner) *Fence {
	return &Fence{
		main: main, calls: calls, types: map[reflect.Type]*class{}, funcs: map[*lua.LFunction]bool{},
		fields: map[reflect.Type]map[string]reflect.StructField{}, questions: map[*lua.LFunction]asked{},
	}
}

// Value converts a Go value that the host exposes. Functions become
// functions; structs and pointers to structs become objects whose exported
// fields and methods scripts may use, and so does what these lead to. Nothing
// else of a value can be reached. Messages call it by the name.
func (f *Fence) Value(name string, given any) (v lua.LValue, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a %T cannot be exposed to scripts: %v", given, r)
		}
	}()
	if q, ok := given.(running.Question); ok {
		return f.question(name, &q)
	}
	if !exposable(reflect.TypeOf(given)) {
		return nil, fmt.Errorf("a %T cannot be exposed to scripts", given)
	}
	if isNil(reflect.ValueOf(given)) {
		return nil, fmt.Errorf("a %T that is nil cannot be exposed to scripts", given)
	}
	if rv := reflect.ValueOf(given); rv.Kind() == reflect.Func {
		if why := misplaced(rv.Type()); why != "" {
			return nil, fmt.Errorf("a %T cannot be exposed to scripts: %s", given, why)
		}
		return f.function(rv, name, 0), nil
	}
	return f.out(reflect.ValueOf(given)), nil
}

// Question is a function of the host that kernels call, and MostNumbers the most that it takes.
type Question = running.Question

const MostNumbers = running.MostNumbers

// asked is a question with its name.
type asked struct {
	name string
	*Question
}

// question makes the function that scripts get for a question.
func (f *Fence) question(name string, q *Question) (lua.LValue, error) {
	t := reflect.TypeOf(q.Func)
	if t == nil || t.Kind() != reflect.Func || q.Numbers == nil {
		return nil, errors.New("a scripting.Question without its functions cannot be exposed to scripts")
	}
	if x := newHostFunction(t, name, 0, 0); len(x.params) != q.Args || q.Args < 1 || q.Args > MostNumbers || t.IsVariadic() {
		return nil, fmt.Errorf("a scripting.Question of %d numbers cannot be exposed to scripts: its function takes %d, and 1 to %d are possible", q.Args, len(x.params), MostNumbers)
	} else if why := unasked(x.params, t, q.Second); why != "" {
		return nil, fmt.Errorf("a scripting.Question cannot be exposed to scripts: %s, and its function is a %v", why, t)
	}
	v, err := f.Value(name, q.Func)
	if fn, ok := v.(*lua.LFunction); ok && err == nil {
		f.questions[fn] = asked{name, q}
	}
	return v, err
}

// unasked says why a function with these parameters cannot be a question: kernels would have other
// values than scripts.
func unasked(params []reflect.Type, t reflect.Type, second bool) string {
	results := slices.Collect(t.Outs())
	if n := len(results); n > 0 && results[n-1] == errorType {
		results = results[:n-1]
	}
	wanted := 1
	if second {
		wanted = 2
	}
	switch {
	case len(results) == 0 || slices.ContainsFunc(append(params[:len(params):len(params)], results[0]), isNoNumber):
		return "it takes and returns numbers"
	case len(results) != wanted || second && results[1].Kind() != reflect.Bool:
		return fmt.Sprintf("Second is %v", second)
	}
	return ""
}

// isNoNumber reports whether a number of a script cannot become a value of a type.
func isNoNumber(t reflect.Type) bool {
	return t.Kind() < reflect.Int || t.Kind() > reflect.Float64 || t.Kind() == reflect.Uintptr
}

// Question returns the name and the question that a function of scripts stands for, nil for others.
func (f *Fence) Question(fn *lua.LFunction) (name string, q *Question) {
	a := f.questions[fn]
	return a.name, a.Question
}

// misplaced says what is wrong with where a function asks for the call of a script.
func misplaced(sig reflect.Type) string {
	for i := range sig.NumIn() {
		switch {
		case sig.In(i) != callType:
		case i > 0:
			return "a *scripting.Call is the first parameter, or none"
		case bypass(sig):
			return "a function that reads its arguments from a state of gopher-lua gets no *scripting.Call"
		}
	}
	return ""
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice:
		return v.IsNil()
	}
	return false
}

func exposable(t reflect.Type) bool {
	if t == nil {
		return false
	}
	switch t.Kind() {
	case reflect.Chan, reflect.UnsafePointer, reflect.Uintptr, reflect.Complex64, reflect.Complex128:
		return false
	}
	return true
}

// plain raises an error for a table on the stack, from one on, that cannot be copied.
func (f *Fence) plain(L *lua.LState, first int) {
	for i := first; i <= L.GetTop(); i++ {
		if t, ok := L.Get(i).(*lua.LTable); ok {
			if why := f.copied(L, t); why != "" {
				fault.Raisef(L, "%s", why)
			}
		}
	}
}

// copied says why a table cannot be copied: it is too large or too deep, or holds a function,
// which nothing would limit there.
func (f *Fence) copied(L *lua.LState, t *lua.LTable) string {
	budget := value.MaxEntries
	return f.check(L, t, 0, &budget)
}

// check is copied for a table in others.
func (f *Fence) check(L *lua.LState, t *lua.LTable, depth int, budget *int) (why string) {
	if why = proxy.Over(t); why != "" {
		return why
	}
	if depth > value.MaxNesting {
		return fmt.Sprintf("data nests deeper than %d levels, or contains itself", value.MaxNesting)
	}
	proxy.Pairs(t, func(k, v lua.LValue) {
		if why != "" {
			return
		}
		value.Charge(L, value.StepsPerEntry)
		if *budget--; *budget < 0 {
			why = fmt.Sprintf("data has more than %s entries", diag.Grouped(value.MaxEntries))
		}
		for _, part := range [...]lua.LValue{k, v} {
			if why != "" {
				return
			}
			switch part := part.(type) {
			case *lua.LTable:
				why = f.check(L, part, depth+1, budget)
			case *lua.LFunction:
				why = "a function inside of a table cannot be given to the host: give it as an argument of its own"
			}
		}
	})
	return why
}
