package lower

import (
	"bytes"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Precedent is what a function has come to for one host, so that others need not translate it
// again: what the translation has asked of the signature, and the answers. Where another host
// gives the same answers, its kernel would be the same, but for what comes from outside: the
// functions and Refs of its own answers.
//
// Invariant: it never changes, and leads to no host: answers are kept as bytes. It keeps the
// trees of the texts that it is about.
type Precedent struct {
	inquiries   []inquiry
	answers     []byte // to all of them, after what the signature says by itself
	scripts     []*ScriptFacts
	provenances []provenance
	f           *ir.Func // without what is from outside
	statements  int64    // that were made, see CompileBudget
	time        int64    // see TimeToCompile
	at          syntax.Pos
}

// inquiry is what a translation asks of a signature. Two that are equal have one answer.
type inquiry struct {
	of   int // the number of the answer that it is about, counted from 1; 0: the signature itself
	what inquiryKind
	name string
}

// inquiryKind says which function of a signature, of a Function or of a table is asked.
type inquiryKind uint8

const (
	askCaptured inquiryKind = iota
	askLibrary
	askGlobal
	askField
)

// provenance is where something from outside comes from.
type provenance struct {
	answer int
	part   provenancePart
}

// provenancePart says which part of an answer something is.
type provenancePart uint8

const (
	readPart provenancePart = iota // Read and Write
	samePart
	stillPart
	homePart
	refPart
)

// witness notes what a translation asks. Its answers have numbers, by which the provenances are known.
type witness struct {
	inquiries   []inquiry
	known       map[inquiry]Resolved
	testimony   testimony
	provenances []provenance
	passed      bool // something was asked of which no precedent can be made: what is in a list
}

// ask returns a function of the signature, or of an answer, of which the inquiries are noted.
func (w *witness) ask(of int, what inquiryKind, function func(string) Resolved) func(string) Resolved {
	return func(name string) Resolved {
		q := inquiry{of, what, name}
		v, known := w.known[q]
		if !known {
			v = w.note(q, function(name))
			w.known[q] = v
		}
		return v
	}
}

// note numbers an answer, and has what it answers itself noted.
func (w *witness) note(q inquiry, v Resolved) Resolved {
	w.inquiries = append(w.inquiries, q)
	w.testimony.answer(&v)
	n := len(w.inquiries)
	v.answer = n
	if v.Code != nil {
		code := *v.Code
		code.Captured, code.Library, code.Global = w.ask(n, askCaptured, code.Captured), w.ask(n, askLibrary, code.Library), w.ask(n, askGlobal, code.Global)
		v.Code = &code
	}
	if v.Field != nil {
		v.Field = w.ask(n, askField, v.Field)
	}
	if v.Len != nil { // it has items
		length, item, inside := v.Len, v.Item, v.Inside
		v.Len = func() int { w.passed = true; return length() }
		v.Item = func(i int) Resolved { w.passed = true; return item(i) }
		v.Inside = func(path []string) Resolved { w.passed = true; return inside(path) }
	}
	return v
}

// from returns the number of the provenance of something, counted from 1.
func (l *lowerer) from(v *Resolved, part provenancePart) int {
	w := l.witness
	if w == nil {
		return 0
	}
	if v.answer == 0 {
		w.passed = true
		return 0
	}
	w.provenances = append(w.provenances, provenance{v.answer, part})
	return len(w.provenances)
}

// LowerNoting is Lower, and makes a precedent of it where that can be done; else nil.
func (s *ScriptFacts) LowerNoting(id syntax.FuncID, sig *Signature) (*ir.Func, *Precedent, error) {
	w := &witness{known: map[inquiry]Resolved{}}
	w.testimony.signature(sig)
	noted := *sig
	noted.Captured, noted.Library, noted.Global = w.ask(0, askCaptured, sig.Captured), w.ask(0, askLibrary, sig.Library), w.ask(0, askGlobal, sig.Global)
	f, made, err := s.lower(id, &noted, w)
	if err != nil || w.passed || len(f.Lists) > 0 {
		return f, nil, err
	}
	return f, &Precedent{
		inquiries: w.inquiries, answers: w.testimony.key, scripts: w.testimony.scripts, provenances: w.provenances,
		f: f.Detached(), statements: made, time: TimeToCompile(f), at: s.functions[id].expr.Position(),
	}, nil
}

// Bytes returns how many bytes there are of answers, and of the names that were asked for.
func (p *Precedent) Bytes() int {
	n := len(p.answers)
	for i := range p.inquiries {
		n += len(p.inquiries[i].name)
	}
	return n
}

// Follow returns what Lower would make for a signature, if its answers are those of the precedent; else
// nil. The tree is that of the first: whoever changes it does so once, for all. It takes of the budget what
// Lower does, and the error is the one that Lower would return for that.
func (p *Precedent) Follow(sig *Signature) (*ir.Func, error) {
	var t testimony
	t.signature(sig)
	if !bytes.HasPrefix(p.answers, t.key) || !sig.Budget.take(0) {
		return nil, nil
	}
	answers := make([]Resolved, len(p.inquiries))
	for i, q := range p.inquiries {
		v := q.put(sig, answers)
		answers[i] = v
		if t.answer(&v); !bytes.HasPrefix(p.answers, t.key) {
			return nil, nil
		}
	}
	if len(t.key) != len(p.answers) || !slices.Equal(t.scripts, p.scripts) {
		return nil, nil
	}
	defer sig.Budget.spend(p.statements * timePerStatement)
	if !sig.Budget.take(p.time) {
		return nil, sig.Budget.refusal(p.at)
	}
	return p.attached(answers), nil
}

// put makes an inquiry again.
func (q inquiry) put(sig *Signature, answers []Resolved) Resolved {
	captured, library, global := sig.Captured, sig.Library, sig.Global
	if q.of > 0 {
		if q.what == askField {
			return answers[q.of-1].Field(q.name)
		}
		code := answers[q.of-1].Code
		captured, library, global = code.Captured, code.Library, code.Global
	}
	switch q.what {
	case askLibrary:
		return library(q.name)
	case askGlobal:
		return global(q.name)
	}
	return captured(q.name)
}

// attached is the kernel with what some answers have.
func (p *Precedent) attached(answers []Resolved) *ir.Func {
	f := p.f.Detached()
	of := func(from int) *Resolved { return &answers[p.provenances[from-1].answer-1] }
	for i := range f.Inputs {
		in := &f.Inputs[i]
		in.Read, in.Write = of(in.From).Read, of(in.From).Write
	}
	for i := range f.Same {
		c := &f.Same[i]
		switch v := of(c.From); p.provenances[c.From-1].part {
		case samePart:
			c.Holds = v.Same
		case stillPart:
			c.Holds = v.Still
		case homePart:
			c.Holds = v.Home
		}
	}
	for i := range f.Components {
		f.Components[i].Ref = of(f.Components[i].From).Ref
	}
	for i := range f.HostCalls {
		for k := range f.HostCalls[i].Parts {
			part := &f.HostCalls[i].Parts[k]
			part.Ref = of(part.From).Ref
		}
	}
	return f
}

// testimony is all that a translation can find out of a signature and its answers, as bytes. What
// only tells things apart is numbered as it comes, so that the bytes are the same for two hosts in which the
// same things are the same.
type testimony struct {
	key     ir.KeyWriter
	numbers map[any]int
	scripts []*ScriptFacts
}

// signature writes what a signature says by itself.
func (t *testimony) signature(sig *Signature) {
	t.key.Text(sig.System)
	t.key.Ints(len(sig.Terms), len(sig.Filters), sig.Vectors)
	for i := range sig.Terms {
		term := &sig.Terms[i]
		t.key.Text(term.Name)
		t.key.Text(term.Unreachable)
		t.key.Ints(int(term.Stride))
		t.key.Bools(term.Optional)
		t.key.Fields(term.Fields)
	}
	for _, name := range sig.Filters {
		t.key.Text(name)
	}
	t.key.Bools(sig.Single, sig.Growing, sig.Ample)
	m := &sig.Memory
	t.key.Ints(int(m.Records), int(m.Slots), int(m.Directory), int(m.Unit), int(m.Scratch), int(m.ScratchEnd), int(m.Marks))
}

// answer writes what is in an answer.
func (t *testimony) answer(v *Resolved) {
	t.key.Ints(int(v.Kind), v.Takes, int(v.Size), len(v.Siblings))
	t.key.Floats(v.Number)
	t.key.Text(v.Name)
	t.key.Text(v.Path)
	t.key.Text(v.Unreachable)
	for _, name := range v.Siblings {
		t.key.Text(name)
	}
	t.key.Bools(v.Nil, v.Second, v.Ruled, v.Pooled, v.Read != nil, v.Write != nil, v.Same != nil, v.Still != nil, v.Home != nil,
		v.Field != nil, v.Item != nil, v.Len != nil, v.Code != nil)
	t.thing(v.Cell)
	t.thing(v.Place)
	t.thing(v.Ref)
	t.key.Fields(v.Fields)
	if v.Code != nil {
		t.thing(v.Code.Key)
		t.key.Text(v.Code.File)
		t.key.Ints(int(v.Code.ID))
		t.scripts = append(t.scripts, v.Code.Script)
	}
}

// thing writes the number of what only tells things apart; 0 for nothing.
func (t *testimony) thing(x any) {
	if x == nil {
		t.key.Ints(0)
		return
	}
	n, known := t.numbers[x]
	if !known {
		if t.numbers == nil {
			t.numbers = map[any]int{}
		}
		n = len(t.numbers) + 1
		t.numbers[x] = n
	}
	t.key.Ints(n)
}
