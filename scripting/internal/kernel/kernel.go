package kernel

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/engine"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/lower"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/passes"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/wasm"
	"github.com/yuin/gopher-lua/ast"
)

// What callers need of the first stage.
type (
	Script    = lower.Script
	Signature = lower.Signature
	Term      = lower.Term
	Value     = lower.Value
	Refusal   = lower.Refusal
)

// The kinds of values.
const (
	Other   = lower.Other
	Number  = lower.Number
	Truth   = lower.Truth
	Builtin = lower.Builtin
)

// Study looks through the untouched tree of a script for its each functions.
func Study(stmts []ast.Stmt, functions []*ast.FunctionExpr) *Script {
	return lower.Study(stmts, functions)
}

// Program is an each function, translated.
type Program struct {
	f      *ir.Func
	module *wasm.Module
}

// Translate makes a program of a function of the script. The error is a
// *Refusal when the function has no translation.
func Translate(s *Script, function int, sig *Signature) (*Program, error) {
	return translate(s, function, sig, func(Stage) {})
}

// Stage is what a kernel looks like at one point of its translation.
type Stage struct {
	Name   string
	Reason string // what would be slower without the pass
	Text   string
}

// Explain is Translate with what the stages make of the kernel: the first one,
// and those passes that change something.
func Explain(s *Script, function int, sig *Signature) (*Program, []Stage, error) {
	var stages []Stage
	p, err := translate(s, function, sig, func(st Stage) {
		if n := len(stages); n == 0 || stages[n-1].Text != st.Text {
			stages = append(stages, st)
		}
	})
	return p, stages, err
}

func translate(s *Script, function int, sig *Signature, watch func(Stage)) (*Program, error) {
	f, err := s.Lower(function, sig)
	if err != nil {
		return nil, err
	}
	if err := ir.Check(f); err != nil {
		return nil, err
	}
	watch(Stage{Name: "lower", Reason: "the function as it was written", Text: f.String()})
	passes.Run(f, func(p passes.Pass) { watch(Stage{p.Name, p.Reason, f.String()}) })
	return &Program{f, wasm.New(f)}, nil
}

// Obstacles says what can make the kernel stop at a row; nothing when it is safe.
func (p *Program) Obstacles() []string { return p.f.Obstacles() }

// Grouped reports whether one turn of the loop works on several rows.
func (p *Program) Grouped() bool { return p.module.Grouped() }

// IR returns the kernel as text, after all passes.
func (p *Program) IR() string { return p.f.String() }

// Text returns the instructions as text.
func (p *Program) Text() string { return p.module.Text() }

// Safe reports that no row can make the kernel stop.
func (p *Program) Safe() bool { return p.f.Safe() }

// Bytes returns the module for an arena of so many pages.
func (p *Program) Bytes(pages uint32) []byte { return p.module.Encode(pages) }

// Kernel is a program that can be run.
type Kernel struct {
	module *engine.Module
	memory []byte
	terms  []int // of the query, by column
	stack  []uint64
	safe   bool
}

// New compiles a program for an arena.
func New(p *Program, e *engine.Engine, memory []byte) (*Kernel, error) {
	m, err := e.Load(p.Bytes(e.Pages()), wasm.Run)
	if err != nil {
		return nil, err
	}
	k := &Kernel{module: m, memory: memory, safe: p.Safe(), stack: make([]uint64, p.module.Params())}
	for _, c := range p.f.Columns {
		k.terms = append(k.terms, c.Term)
	}
	return k, nil
}

// Safe reports that no row can make the kernel stop.
func (k *Kernel) Safe() bool { return k.safe }

// Rows says what one call runs over.
type Rows struct {
	Columns        []unsafe.Pointer // by term: the struct of row 0
	Len            int
	Next           int   // the row to begin with
	Fuel           int64 // for loops
	DT, Time, Tick float64
}

// Run runs the rows from Next on and moves Next to the row at which it stopped,
// and Fuel to what is left, below zero when it was too little. Next is Len when
// no row is left. A column outside of the arena stops it at once.
func (k *Kernel) Run(r *Rows) error {
	i := len(k.terms)
	base := uintptr(unsafe.Pointer(unsafe.SliceData(k.memory)))
	for c, term := range k.terms {
		at := uintptr(r.Columns[term]) - base
		if at >= uintptr(len(k.memory)) {
			return nil
		}
		k.stack[c] = uint64(at)
	}
	copy(k.stack[i:], []uint64{
		uint64(uint32(r.Len)), uint64(uint32(r.Next)), uint64(r.Fuel),
		bits(r.DT), bits(r.Time), bits(r.Tick),
	})
	if err := k.module.Call(k.stack); err != nil {
		return err
	}
	r.Next, r.Fuel = int(uint32(k.stack[0])), int64(k.stack[1])
	return nil
}

// Close gives the kernel's module back to its engine.
func (k *Kernel) Close() error { return k.module.Release() }
