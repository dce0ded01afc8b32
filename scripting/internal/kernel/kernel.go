package kernel

import (
	"sync"
	"time"

	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/engine"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/lower"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/passes"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/vector"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/wasm"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// What callers need of lower.
type (
	ScriptFacts   = lower.ScriptFacts
	Signature     = lower.Signature
	Term          = lower.Term
	Resolved      = lower.Resolved
	ValueKind     = lower.ValueKind
	Refusal       = lower.Refusal
	Mistake       = lower.Mistake
	Function      = lower.Function
	CompileBudget = lower.CompileBudget
	HostCall      = ir.HostCall
	Part          = ir.Part
	ComponentRef  = ir.Component
	Memory        = ir.Memory
	Fallback      = ir.Fallback
	TextPlace     = ir.TextPlace
)

// The kinds of values.
const (
	Other     = lower.Other
	Number    = lower.Number
	Truth     = lower.Truth
	Text      = lower.Text
	Builtin   = lower.Builtin
	Table     = lower.Table
	Code      = lower.Code
	Component = lower.Component
	Event     = lower.Event
	Prefab    = lower.Prefab
)

// Study looks through the tree of a script for what kernels of its functions need.
// After a *CompilerError, that is why none of them has one.
func Study(tree *syntax.Tree) *ScriptFacts {
	s, err := study(tree)
	if err != nil {
		return lower.Failed(err)
	}
	return s
}

func study(tree *syntax.Tree) (s *ScriptFacts, err error) {
	defer guard(&err)
	return lower.Study(tree), nil
}

// Translation is an each function, translated.
type Translation struct {
	*made
	f    *ir.Func // with what it has from outside
	text string   // of the instructions; empty: nobody has asked for it
}

// Translate makes a translation of a function of the script. The error is a
// *Refusal when the function has no translation, and a *CompilerError when the compiler
// fails.
func Translate(s *ScriptFacts, function syntax.FuncID, sig *Signature) (*Translation, error) {
	return (*Translations)(nil).Translate(s, function, sig)
}

// PassResult is what a kernel looks like after one pass of the compiler.
type PassResult struct {
	Name   string
	Reason string // what would be slower without the pass
	Text   string
}

// Explain is Translate, and returns what the passes make of the kernel: the first one, and
// those that change something.
func Explain(s *ScriptFacts, function syntax.FuncID, sig *Signature) (*Translation, []PassResult, error) {
	var list []PassResult
	p, err := translate(s, function, sig, func(after PassResult) {
		if n := len(list); n == 0 || list[n-1].Text != after.Text {
			list = append(list, after)
		}
	})
	if err == nil {
		err = p.describe()
	}
	return p, list, err
}

// describe makes sure that all can be said of a translation that will be asked for.
func (p *Translation) describe() (err error) {
	defer guard(&err)
	p.Text()
	p.Packing()
	p.StopReasons()
	return nil
}

func translate(s *ScriptFacts, function syntax.FuncID, sig *Signature, watch func(PassResult)) (p *Translation, err error) {
	defer guard(&err)
	f, err := s.Lower(function, sig)
	if err != nil {
		return nil, err
	}
	if err := ir.Check(f); err != nil {
		return nil, err
	}
	show := func(name, reason string) {
		if watch != nil { // the text takes as long as a pass does
			watch(PassResult{name, reason, f.String()})
		}
	}
	show("lower", "the function as it was written")
	passes.Run(f, func(p passes.Pass) { show(p.Name, p.Reason) })
	return Assemble(f, sig.Vectors)
}

// Assemble makes a translation of a kernel in the intermediate form, as it is; see
// vector.New for vectors. The error says which rule of that form the kernel breaks: a
// mistake of a pass is a function without a kernel, and no wrong result.
func Assemble(f *ir.Func, vectors int) (p *Translation, err error) {
	defer guard(&err)
	if err := ir.Check(f); err != nil {
		return nil, err
	}
	m := &made{shared: f}
	m.plan, m.whyNoPlan = vector.New(f, vectors)
	m.module = wasm.New(f, m.plan)
	return &Translation{made: m, f: f}, nil
}

// StopReasons says what can make the kernel stop at a row; nothing when it is safe.
func (p *Translation) StopReasons() []string { return p.f.StopReasons() }

// Fallbacks lists the branches that the kernel leaves to the VM.
func (p *Translation) Fallbacks() []Fallback { return p.f.Fallbacks }

// Vectorised reports whether rows go together in vectors.
func (p *Translation) Vectorised() bool { return p.plan != nil }

// IR returns the kernel as text, after all passes.
func (p *Translation) IR() string { return p.f.String() }

// Text returns the instructions as text.
func (p *Translation) Text() string {
	if p.text == "" {
		p.text = p.module.Text()
	}
	return p.text
}

// Safe reports that no row can make the kernel stop, as long as there is room for
// the changes that it notes.
func (p *Translation) Safe() bool { return p.f.Safe() }

// Changes reports whether the kernel notes changes.
func (p *Translation) Changes() bool { return p.f.Changes() }

// load compiles the module in an engine, with the mathematics that it calls.
func (p *Translation) load(e *Engine) (*engine.Module, error) {
	var shared []engine.Shared
	for _, formula := range p.module.Formulas() {
		shared = append(shared, formula)
	}
	return e.Load(p.bytes(e.Pages()), wasm.Run, shared...)
}

// HostCalls lists what the kernel asks of the host, by number.
func (p *Translation) HostCalls() []HostCall { return p.f.HostCalls }

// Components lists the components of other entities that the kernel finds by itself.
func (p *Translation) Components() []ComponentRef { return p.f.Components }

// Kernel is a translation that can be run: a [rows.Kernel].
type Kernel struct {
	Took time.Duration // to translate and compile it, as its maker says

	together   string // how rows go together
	fallbacks  []Fallback
	facts      *rows.KernelFacts
	module     *engine.Module
	engine     *Engine
	world      World // nil: it has no host calls
	columns    []ir.Column
	inputs     []ir.InputLocal
	kinds      []ir.Type // of the inputs
	names      []string  // of the inputs
	same       []ir.Condition
	unready    string // why it was not Ready last
	frame      wasm.StackLayout
	hostCalls  bool     // a run may ask the world; only then does it tell the engine which
	noted      int      // bytes, of the notes of one row of a safe kernel, at most
	components []uint32 // their numbers in the world
	sensed     []uint64 // the inputs, as Lua has them
	values     []uint64 // the same, with what rows have made of them
	lists      []listCopy
	kept       int     // bytes of scratch memory that lists take
	own        invoker // made for the first rows: its stack is most of what a small kernel takes

	mu    sync.Mutex
	spare []*invoker // that no goroutine uses just now
}

// New compiles a translation for an engine. The world answers its host calls; it may be nil if
// there are none.
func New(p *Translation, e *Engine, w World) (k *Kernel, err error) {
	defer guard(&err)
	m, err := p.load(e)
	if err != nil {
		return nil, err
	}
	known := p.learned()
	k = &Kernel{
		together: known.together, fallbacks: p.Fallbacks(), module: m, engine: e, world: w, columns: p.f.Columns, inputs: p.f.Inputs, same: p.f.Same,
		frame: known.frame, hostCalls: known.hostCalls, facts: &known.facts, noted: known.noted,
	}
	for i, l := range p.f.Lists {
		k.lists = append(k.lists, listCopy{l.Name, l.Read, floats(e.memory[p.f.ListAt(i):][:8*l.Len])})
	}
	k.kept = p.f.ListBytes()
	for _, in := range k.inputs {
		local := &p.f.Locals[in.Local]
		k.kinds, k.names = append(k.kinds, local.Type), append(k.names, local.Name)
	}
	k.components = make([]uint32, k.frame.Components)
	k.sensed, k.values = make([]uint64, len(k.inputs)), make([]uint64, len(k.inputs))
	return k, nil
}

// Packing says how rows go together, as [Translation.Packing].
func (k *Kernel) Packing() string { return k.together }

// Interpreted reports whether an interpreter runs the kernel, for want of a compiler.
func (k *Kernel) Interpreted() bool { return k.engine.Interprets() }

// Fallbacks lists the branches that the kernel leaves to the VM.
func (k *Kernel) Fallbacks() []Fallback { return k.fallbacks }

// Prepared is a translation that an engine has compiled already: until Close, New
// finds it there.
type Prepared struct{ module *engine.Module }

// Close lets the engine forget the translation when no kernel was made of it.
func (p *Prepared) Close() error {
	if p.module == nil {
		return nil
	}
	return p.module.Release()
}

// Facts implements [rows.Kernel].
func (k *Kernel) Facts() *rows.KernelFacts { return k.facts }

// Fits implements [rows.Kernel].
func (k *Kernel) Fits(count int) bool {
	return k.noted == 0 || k.noted <= k.engine.room-k.kept && count <= k.world.Begin()/k.noted
}

// Ready implements [rows.Kernel]: what the text names outside of the function is still what
// it was compiled for.
func (k *Kernel) Ready() bool {
	if k.unready != "" {
		k.unready = ""
	}
	if k.world != nil && !k.world.Ready(k.components) {
		k.unready = "something that it names is not there, or has other fields"
		return false
	}
	for i := range k.same {
		if !k.same[i].Holds() {
			k.unready = k.same[i].Else
			return false
		}
	}
	return k.sense() && k.copyLists()
}

// Unready implements [rows.Kernel].
func (k *Kernel) Unready() string { return k.unready }

// Close implements [rows.Kernel]: it gives the module back to the engine.
func (k *Kernel) Close() error { return k.module.Release() }
