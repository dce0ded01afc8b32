package scripting

import (
	"sync"

	"github.com/perigee-ecs/perigee/bindings/facts"
	"github.com/perigee-ecs/perigee/bindings/holes"
	"github.com/perigee-ecs/perigee/scripting/internal/analysis"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
	lua "github.com/yuin/gopher-lua"
)

// program is a text that was read, with everything that is known about it before it runs.
// The text is read once. Facts about a function are found by its prototype.
type program struct {
	*analysis.Program
	study   sync.Once
	kernels *kernel.Script // see forKernels
}

// noteAbsent depends on no state, so that prototypes that hold it run in any.
var noteAbsent = &lua.LFunction{IsG: true, GFunction: holes.Note}

// compile reads a text and compiles it.
func (h *Host) compile(name string, text []byte) (*program, error) {
	options := syntax.Options{Concat: h.library.Concat(), Pop: h.library.Pop(), Absent: noteAbsent}
	p, err := analysis.Compile(name, text, options)
	if err != nil {
		return nil, err
	}
	return &program{Program: p}, nil
}

// forKernels returns what the compiler of kernels needs to know about the text. It is made
// for the first kernel: in most cases by the dry run, on another goroutine than the ticks.
func (p *program) forKernels() *kernel.Script {
	p.study.Do(func() { p.kernels = kernel.Study(p.Tree) })
	return p.kernels
}

// program returns the program that a prototype belongs to, of this load or of the live
// scripts, and nil if the program is not known any more.
func (vm *interpreter) program(proto *lua.FunctionProto) (*program, *syntax.Code) {
	if proto == nil {
		return nil, nil
	}
	for _, p := range vm.programs(proto.SourceName) {
		if code := p.Code(proto); code != nil {
			return p, code
		}
	}
	return nil, nil
}

// programs returns the programs with a name: of the load that is going on, of the load
// that is being checked, and the live one.
func (vm *interpreter) programs(name string) []*program {
	var list []*program
	for _, l := range []*loader{vm.loader, vm.trial} {
		if l != nil && l.texts[name] != nil && l.texts[name].program != nil {
			list = append(list, l.texts[name].program)
		}
	}
	if m := vm.live[name]; m != nil && m.program != nil {
		list = append(list, m.program)
	}
	return list
}

// each returns the function over rows that a closure is of, and the text that it is
// written in; false for a function that is not written out in its system's table.
func (vm *interpreter) each(fn *lua.LFunction) (*program, syntax.FuncID, bool) {
	p, code := vm.program(fn.Proto)
	if p == nil || p.EachOf(code.Function) == nil {
		return nil, 0, false
	}
	return p, code.Function, true
}

// texts tells the bindings what the texts say.
type texts struct{ vm *interpreter }

// Each implements facts.Source.
func (f texts) Each(proto *lua.FunctionProto) *facts.Each {
	p, code := f.vm.program(proto)
	if p == nil {
		return nil
	}
	each := p.EachOf(code.Function)
	if each == nil {
		return nil
	}
	found := &facts.Each{Scalar: p.Scalar(code.Function)}
	for _, param := range each.Params {
		known := facts.Param{Table: param.Table}
		for _, u := range param.Uses {
			known.Uses = append(known.Uses, facts.Use{Field: u.Field, Line: u.First.Line(), Assigned: u.Assigned.Line()})
		}
		found.Params = append(found.Params, known)
	}
	return found
}

// OptionLines implements facts.Source.
func (f texts) OptionLines(caller *lua.FunctionProto, pc int, functions []*lua.FunctionProto) map[string]int {
	var options analysis.Options
	if p, code := f.vm.program(caller); p != nil && pc >= 0 && pc < len(code.Places) {
		options = p.OptionsOfCall(code.Places[pc])
	}
	for _, fn := range functions {
		if p, code := f.vm.program(fn); p != nil && options == nil {
			options = p.OptionsOfFunction(code.Function)
		}
	}
	lines := map[string]int{}
	for key, at := range options {
		lines[key] = at.Line()
	}
	return lines
}
