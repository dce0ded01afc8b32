package scripting

import (
	"maps"
	"sync"
	"weak"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/facts"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/scripting/internal/analysis"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// program is a text that was compiled. What is known about its functions is found by their
// prototypes.
type program struct {
	*syntax.Program
	name    string
	text    *diag.Text // apart: places in it must not keep the program
	tokens  int64      // of the text, see weigh
	changes analysis.Changes
	values  bool // it is a list of expressions, see syntax.Options

	mu     sync.Mutex
	read   *learned // nil: nobody has asked since the last rest
	pinned bool     // rest drops nothing: an error refers to the tree
	shared bool     // nor for a Program, whose next host needs it
}

// learned is a tree with what was found out about it. It takes twenty times as much memory as
// the text; so a program drops it when its load is over, unless ticks are bound in time, see rest, and reads the text again
// for those who ask later. What a reload has read stays: who has saved a file saves it again.
type learned struct {
	*analysis.Facts
	parts   func() *analysis.Parts     // found when the first is asked for: by an error, in most cases
	kernels func() *kernel.ScriptFacts // what the compiler of kernels needs; found for the first kernel

	// What the bindings were told. Systems keep it, and those of all rooms of a Program the same.
	mu      sync.Mutex
	each    map[syntax.FuncID]*facts.Each
	options map[optionsKey]map[string]facts.OptionPlace
}

// optionsKey is a call that declares a system, or a function that is written out in one's table.
type optionsKey struct {
	call syntax.Pos
	fn   syntax.FuncID
}

// learn reads a text: a script, or a list of expressions.
func learn(name string, text []byte, values bool) (*learned, error) {
	options := inPrototypes
	options.Values = values
	tree, err := syntax.Parse(name, text, options)
	if err != nil {
		return nil, err
	}
	return &learned{
		Facts:   analysis.Of(tree),
		parts:   sync.OnceValue(func() *analysis.Parts { return analysis.PartsOf(tree) }),
		kernels: sync.OnceValue(func() *kernel.ScriptFacts { return kernel.Study(tree) }),
	}, nil
}

// learned returns what the text says. Ticks and a dry run may ask at the same time.
func (p *program) learned() *learned {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.read == nil {
		var err error
		if p.read, err = learn(p.name, p.text.Bytes(), p.values); err != nil {
			panic(err) // it was read once
		}
	}
	return p.read
}

// pin keeps the tree that the text has now.
func (p *program) pin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pinned = true
}

// rest drops what can be read again.
func (p *program) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.pinned && !p.shared {
		p.read = nil
	}
}

// ready finds out what a tick may ask of the text.
func (p *program) ready() {
	read := p.learned()
	read.parts()
	read.kernels()
}

// rest has all live programs rest, unless a dry run needs what they have read. Where limits bound the time of a tick, none
// rests: a tick that has an error to word or a kernel to make anew would read a whole text again, which takes a
// tenth of a second for the longest.
func (h *Host) rest() {
	if h.limits.InstructionTime > 0 {
		for _, m := range h.live {
			m.program.ready()
		}
		return
	}
	if !h.staging.TryLock() {
		return
	}
	defer h.staging.Unlock()
	for _, m := range h.live {
		m.program.rest()
	}
}

// place is a place in the text; nowhere for no place.
func (p *program) place(at syntax.Pos) diag.Place { return placeIn(p.text, p.name, at) }

func placeIn(text *diag.Text, script string, at syntax.Pos) diag.Place {
	if at.Line() == 0 {
		return diag.Place{}
	}
	return diag.Place{Script: script, Line: at.Line(), Column: at.Column(), Text: text}
}

// compile reads a script and compiles it.
func compile(name string, text []byte) (*program, error) {
	read, err := learn(name, text, false)
	if err != nil {
		return nil, err
	}
	return read.compiled(name, text)
}

// compileValues is compile for a list of expressions.
func compileValues(name string, text []byte) (*program, error) {
	read, err := learn(name, text, true)
	if err != nil {
		return nil, err
	}
	p, err := read.compiled(name, text)
	if err == nil {
		p.values = true
	}
	return p, err
}

// compiled compiles a text that was read.
func (l *learned) compiled(name string, text []byte) (*program, error) {
	compiled, err := l.Tree.Compile(syntax.Additions{Absent: l.Absent})
	if err != nil {
		return nil, err
	}
	return &program{Program: compiled, name: name, text: diag.NewText(text), tokens: weigh(text), changes: l.Changes, read: l}, nil
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
	if proto.SourceName == consoleName {
		return vm.console.program(proto)
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
	p, code := vm.program(lua.Proto(fn))
	if p == nil || p.learned().EachOf(code.Function) == nil {
		return nil, 0, false
	}
	return p, code.Function, true
}

// texts tells the bindings and their errors what the texts of scripts say.
type texts struct {
	program func(*lua.FunctionProto) (*program, *syntax.Code) // nil for prototypes of other texts
	old     *prototypes                                       // nil for none
}

// Each implements facts.Source.
func (f texts) Each(proto *lua.FunctionProto) *facts.Each {
	p, code := f.program(proto)
	if p == nil {
		return nil
	}
	return p.each(code.Function)
}

// each returns what the text says of a function over rows, nil for other functions.
func (p *program) each(id syntax.FuncID) *facts.Each {
	l := p.learned()
	each := l.EachOf(id)
	if each == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := l.each[id]; known != nil {
		return known
	}
	found := &facts.Each{Elsewhere: map[string]diag.Place{}}
	for name, at := range each.Elsewhere {
		found.Elsewhere[name] = p.place(at)
	}
	for _, param := range each.Params {
		known := facts.Param{Table: param.Table}
		for _, u := range param.Uses {
			known.Uses = append(known.Uses, facts.Use{Field: u.Field, At: p.place(u.First), Assigned: p.place(u.Assigned), Changed: p.place(u.Changed)})
		}
		found.Params = append(found.Params, known)
	}
	if l.each == nil {
		l.each = map[syntax.FuncID]*facts.Each{}
	}
	l.each[id] = found
	return found
}

// Options implements facts.Source.
func (f texts) Options(caller *lua.FunctionProto, pc int, functions []*lua.FunctionProto) map[string]facts.OptionPlace {
	if in, code := f.program(caller); in != nil && pc >= 0 && pc < len(code.Places) {
		if places := in.options(optionsKey{call: code.Places[pc]}); len(places) > 0 {
			return places
		}
	}
	for _, fn := range functions {
		if p, code := f.program(fn); p != nil {
			if places := p.options(optionsKey{fn: code.Function}); len(places) > 0 {
				return places
			}
		}
	}
	return nil
}

// options returns the places of the options of a system; empty when the text does not say.
func (p *program) options(of optionsKey) map[string]facts.OptionPlace {
	l := p.learned()
	l.mu.Lock()
	defer l.mu.Unlock()
	if places, ok := l.options[of]; ok {
		return places
	}
	found := l.OptionsOfFunction(of.fn)
	if of.call != (syntax.Pos{}) {
		found = l.parts().Options(of.call)
	}
	places := make(map[string]facts.OptionPlace, len(found))
	for key, at := range found {
		places[key] = facts.OptionPlace{Key: p.place(at.Key), Value: p.place(at.Value), Called: at.Called}
	}
	if l.options == nil {
		l.options = map[optionsKey]map[string]facts.OptionPlace{}
	}
	l.options[of] = places
	return places
}

// Place implements fault.Source.
func (f texts) Place(fn *lua.FunctionProto, pc int) diag.Place {
	p, at := f.instruction(fn, pc)
	if at.Line() > 0 {
		return p.place(at)
	}
	if at := f.old.place(fn, pc); at.Line > 0 {
		return at
	}
	line := fault.Line(fn, pc)
	if p != nil {
		line.Text = p.text
	}
	return line
}

// Part implements fault.Source.
func (f texts) Part(fn *lua.FunctionProto, pc int, part fault.Part) diag.Place {
	p, at := f.instruction(fn, pc)
	if p == nil {
		return diag.Place{}
	}
	parts := p.learned().parts()
	if field, ok := parts.Field(at, part.N, part.Key); ok && part.Value {
		return p.place(field.Value)
	} else if ok {
		return p.place(field.Key)
	}
	return p.place(parts.Place(at, part.N))
}

// Name implements fault.Source.
func (f texts) Name(fn *lua.FunctionProto, pc, n int) string {
	if p, at := f.instruction(fn, pc); p != nil {
		return p.learned().parts().Name(at, n)
	}
	return ""
}

// Parameter implements fault.Source.
func (f texts) Parameter(fn *lua.FunctionProto, pc, n int) int {
	if p, at := f.instruction(fn, pc); p != nil {
		return p.learned().parts().Parameter(at, n)
	}
	return 0
}

// instruction returns where an instruction stands, and for -1 where the function does, and
// the text; no place and nil for texts that are not in force.
func (f texts) instruction(fn *lua.FunctionProto, pc int) (*program, syntax.Pos) {
	p, code := f.program(fn)
	if p == nil {
		return nil, syntax.Pos{}
	}
	return p, code.At(pc)
}

// prototypes knows where the instructions of functions come from that are in no program:
// those of texts that are no longer in force, which a script may have kept. It keeps no
// prototype in memory.
type prototypes struct{ retired weakly[retired] }

// retired is what is kept of a function of a text that is no longer in force.
type retired struct {
	text   *diag.Text
	script string
	code   *syntax.Code
}

// retire notes the functions of a text that is no longer in force.
func (v *prototypes) retire(p *program) {
	for proto, code := range p.Codes() {
		v.retired.add(proto, retired{p.text, p.name, code})
	}
}

// place is where an instruction of a retired function stands, nowhere for other functions.
func (v *prototypes) place(fn *lua.FunctionProto, pc int) diag.Place {
	if v == nil {
		return diag.Place{}
	}
	r, ok := v.retired.get(fn)
	if !ok {
		return diag.Place{}
	}
	return placeIn(r.text, r.script, r.code.At(pc))
}

// weakly maps prototypes to values without keeping them in memory.
type weakly[V any] struct {
	of    map[weak.Pointer[lua.FunctionProto]]V
	check int // how many there are when those that are gone are dropped
}

func (w *weakly[V]) get(fn *lua.FunctionProto) (v V, ok bool) {
	v, ok = w.of[weak.Make(fn)]
	return v, ok
}

// add adds a value. O(1) on average: the values of prototypes that are gone are dropped
// when there are twice as many as were left the last time.
func (w *weakly[V]) add(fn *lua.FunctionProto, v V) {
	if w.of == nil {
		w.of = map[weak.Pointer[lua.FunctionProto]]V{}
	}
	w.of[weak.Make(fn)] = v
	if len(w.of) > w.check {
		maps.DeleteFunc(w.of, func(fn weak.Pointer[lua.FunctionProto], _ V) bool { return fn.Value() == nil })
		w.check = max(2*len(w.of), 64)
	}
}
