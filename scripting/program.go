package scripting

import (
	"maps"
	"sync"
	"weak"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/facts"
	"github.com/perigee-ecs/perigee/bindings/fault"
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
	kernels *kernel.Script         // see forKernels
	parts   func() *analysis.Parts // found when the first is asked for: by an error, in most cases
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
	return &program{Program: p, parts: sync.OnceValue(func() *analysis.Parts { return analysis.PartsOf(p.Tree) })}, nil
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
	for _, l := range [...]*loader{vm.loader, vm.trial} {
		if l == nil || l.texts[proto.SourceName] == nil {
			continue
		}
		if p, code := l.texts[proto.SourceName].program.of(proto); p != nil {
			return p, code
		}
	}
	if m := vm.live[proto.SourceName]; m != nil {
		return m.program.of(proto)
	}
	return nil, nil
}

// of returns the program with what is known of a prototype, nil for those of other texts.
func (p *program) of(proto *lua.FunctionProto) (*program, *syntax.Code) {
	if p == nil {
		return nil, nil
	}
	if code := p.Code(proto); code != nil {
		return p, code
	}
	return nil, nil
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
	in := func(at syntax.Pos) diag.Place { return placed(proto, at) }
	found := &facts.Each{Scalar: p.Scalar(code.Function)}
	for _, param := range each.Params {
		known := facts.Param{Table: param.Table}
		for _, u := range param.Uses {
			known.Uses = append(known.Uses, facts.Use{Field: u.Field, At: in(u.First), Assigned: in(u.Assigned)})
		}
		found.Params = append(found.Params, known)
	}
	return found
}

// placed is a place in the text of a prototype; nowhere for no place.
func placed(proto *lua.FunctionProto, at syntax.Pos) diag.Place {
	if at.Line() == 0 {
		return diag.Place{}
	}
	return diag.Place{Script: proto.SourceName, Line: at.Line(), Column: at.Column()}
}

// Options implements facts.Source.
func (f texts) Options(caller *lua.FunctionProto, pc int, functions []*lua.FunctionProto) map[string]facts.Option {
	var options analysis.Options
	if p, code := f.vm.program(caller); p != nil && pc >= 0 && pc < len(code.Places) {
		options = p.parts().Options(code.Places[pc])
	}
	for _, fn := range functions {
		if p, code := f.vm.program(fn); p != nil && options == nil {
			caller, options = fn, p.OptionsOfFunction(code.Function)
		}
	}
	places := map[string]facts.Option{}
	for key, at := range options {
		places[key] = facts.Option{Key: placed(caller, at.Key), Value: placed(caller, at.Value)}
	}
	return places
}

// Place implements fault.Source.
func (f texts) Place(fn *lua.FunctionProto, pc int) diag.Place {
	if _, at := f.instruction(fn, pc); at.Line() > 0 {
		return placed(fn, at)
	}
	return fault.Line(fn, pc)
}

// Part implements fault.Source.
func (f texts) Part(fn *lua.FunctionProto, pc int, part fault.Part) diag.Place {
	p, at := f.instruction(fn, pc)
	if p == nil {
		return diag.Place{}
	}
	return partAt(p.parts(), fn, at, part)
}

// partAt returns the place of a part of what stands at a place.
func partAt(parts *analysis.Parts, fn *lua.FunctionProto, at syntax.Pos, part fault.Part) diag.Place {
	if field, ok := parts.Field(at, part.N, part.Key); ok && part.Value {
		return placed(fn, field.Value)
	} else if ok {
		return placed(fn, field.Key)
	}
	return placed(fn, parts.Place(at, part.N))
}

// instruction returns where an instruction stands, and for -1 where the function does, and
// the text; no place and nil for texts that are gone.
func (f texts) instruction(fn *lua.FunctionProto, pc int) (*program, syntax.Pos) {
	p, code := f.vm.program(fn)
	if p == nil {
		if fn, pc = f.vm.variants.original(fn, pc); fn != nil {
			p, code = f.vm.program(fn)
		}
	}
	if p == nil {
		return nil, syntax.Pos{}
	}
	return p, code.At(pc)
}

// variants are the prototypes that package unboxed makes of others, for parts of a function
// that the VM is to execute: which instruction of which one theirs are.
type variants struct {
	of    map[weak.Pointer[lua.FunctionProto]]variant
	check int // how many there are when those that are gone are dropped
}

type variant struct {
	proto  *lua.FunctionProto
	origin []int // by instruction
}

// add notes a variant.
func (v *variants) add(made, of *lua.FunctionProto, origin []int) {
	if v.of == nil {
		v.of = map[weak.Pointer[lua.FunctionProto]]variant{}
	}
	v.of[weak.Make(made)] = variant{of, origin}
	if len(v.of) > v.check {
		maps.DeleteFunc(v.of, func(made weak.Pointer[lua.FunctionProto], _ variant) bool { return made.Value() == nil })
		v.check = max(2*len(v.of), 64)
	}
}

// original returns the prototype and the instruction that a variant has been made of; nil
// for other prototypes.
func (v *variants) original(made *lua.FunctionProto, pc int) (*lua.FunctionProto, int) {
	found, ok := v.of[weak.Make(made)]
	switch {
	case !ok:
		return nil, 0
	case pc < 0:
		return found.proto, pc
	case pc >= len(found.origin):
		return nil, 0
	}
	return found.proto, found.origin[pc]
}
