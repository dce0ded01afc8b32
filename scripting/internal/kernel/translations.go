package kernel

import (
	"cmp"
	"container/list"
	"slices"
	"sync"

	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/lower"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/passes"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/vector"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/wasm"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Translations keep what the compiler has made, for hosts that run the same scripts. Values of a
// host's scripts are in the kernel. So a function of a text that hosts share is lowered once for those in which the values
// are the same, which a [lower.Precedent] finds out; any other is lowered by each host. Where two hosts
// come to the same kernel, by [ir.Func.Key], the work after that is done once. A nil
// *Translations keeps nothing. Any number of goroutines may use it at the same time.
//
// Invariants: nothing that is kept leads to a host or a world; the keys of all entries and the precedents
// have at most Most bytes together, or there is one entry alone; the entry of each precedent is known; order has
// all of both.
type Translations struct {
	Most int // bytes of all keys and precedents; 0: mostKept

	first bool // beyond the bound nothing is kept, instead of the oldest being forgotten

	mu         sync.Mutex // guards what follows; not held while a kernel is made
	precedents map[precedentKey]*precedent
	known      map[string]*keptKernel
	order      list.List // of *keptKernel and *precedent, the oldest first
	bytes      int       // of the keys and the precedents
	again      int       // see Again
}

// mostKept is the bound unless another one is given. What the compiler makes of a kernel takes
// some twenty times as much as its key; a system of ten lines has a key of 1 KB. Scripts can
// make new keys by new values, and precedents by new names of systems, so the oldest go.
const mostKept = 2 << 20

// precedentKey is a function that is lowered. The last one for it is kept.
type precedentKey struct {
	script                 *ScriptFacts
	function               syntax.FuncID
	system                 string
	single, growing, ample bool
}

// precedent is a function that was lowered, with what has become of it. It goes with its entry.
type precedent struct {
	*lower.Precedent
	key   precedentKey
	entry *keptKernel
	work  int64
	bytes int           // that it counts
	at    *list.Element // in the order
}

// keptKernel is a kernel that was made, or is being made.
type keptKernel struct {
	once sync.Once
	made *made
	err  error

	// Guarded by the Translations.
	key        string
	at         *list.Element // in the order; nil: it is not kept, or no more
	precedents []*precedent  // the oldest first
}

// made is what the compiler makes of a kernel. It never changes but for what it learns late.
type made struct {
	shared    *ir.Func // after all passes
	plan      *vector.Plan
	whyNoPlan string // why there is no plan
	module    *wasm.Module

	once  sync.Once
	known kernelTraits

	mu    sync.Mutex // guards the module as it was encoded last
	pages uint32
	code  string
}

// kernelTraits are what kernels of a translation have in common.
type kernelTraits struct {
	facts     rows.KernelFacts
	together  string
	frame     wasm.StackLayout
	hostCalls bool
	noted     int
}

// Translate is the function Translate, which looks here first.
func (t *Translations) Translate(s *ScriptFacts, function syntax.FuncID, sig *Signature) (*Translation, error) {
	l, err := t.Lower(s, function, sig)
	if err != nil {
		return nil, err
	}
	return l.Translate()
}

// Lowered is a function of which the first part of a translation is done, the one that reads the
// values of scripts. What is left takes most of the time, and reads nothing of any script or world:
// any goroutine may do it.
type Lowered struct {
	f       *ir.Func // with what it has from outside
	vectors int
	entry   *keptKernel
	work    int64
	known   bool
}

// Lower does the first part of Translate. The error is that of the function Translate.
func (t *Translations) Lower(s *ScriptFacts, function syntax.FuncID, sig *Signature) (l *Lowered, err error) {
	defer guard(&err)
	if t != nil && sig.Shared {
		return t.lowerShared(s, function, sig)
	}
	f, err := s.Lower(function, sig)
	if err != nil {
		return nil, err
	}
	return t.lowered(f, sig), nil
}

// lowered is a function of which the kernel is looked for.
func (t *Translations) lowered(f *ir.Func, sig *Signature) *Lowered {
	l := &Lowered{f: f, vectors: sig.Vectors, entry: &keptKernel{}, work: lower.TimeToCompile(f)}
	if t != nil {
		l.entry, l.known = t.find(append(f.Key(), byte(sig.Vectors)))
	}
	return l
}

// lowerShared is Lower for a text that hosts share.
func (t *Translations) lowerShared(s *ScriptFacts, function syntax.FuncID, sig *Signature) (*Lowered, error) {
	key := precedentKey{s, function, sig.System, sig.Single, sig.Growing, sig.Ample}
	t.mu.Lock()
	before := t.precedents[key]
	t.mu.Unlock()
	if before != nil {
		f, err := before.Follow(sig)
		if err != nil {
			return nil, err
		}
		if f != nil {
			t.mu.Lock()
			t.again++
			t.mu.Unlock()
			return &Lowered{f: f, vectors: sig.Vectors, entry: before.entry, work: before.work, known: true}, nil
		}
	}
	f, made, err := s.LowerNoting(function, sig)
	if err != nil {
		return nil, err
	}
	l := t.lowered(f, sig)
	if made != nil {
		p := &precedent{Precedent: made, key: key, entry: l.entry, work: l.work, bytes: made.Bytes() + len(key.system)}
		if l.known {
			p.bytes += len(l.entry.key) // its tree is not that of the entry
		}
		t.keep(p)
	}
	return l, nil
}

// keep keeps a precedent in place of the one before.
func (t *Translations) keep(p *precedent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.entry.at == nil || !t.room(p.bytes) {
		return // others have taken its room
	}
	if before := t.precedents[p.key]; before != nil {
		t.forget(before)
	}
	if t.precedents == nil {
		t.precedents = map[precedentKey]*precedent{}
	}
	t.precedents[p.key], p.at, t.bytes = p, t.order.PushBack(p), t.bytes+p.bytes
	p.entry.precedents = append(p.entry.precedents, p)
	t.makeRoom(p.entry, p)
	if t.bytes > t.most() {
		t.forget(p)
	}
}

// room reports whether so many bytes more may be kept.
func (t *Translations) room(bytes int) bool { return !t.first || t.bytes+bytes <= t.most() }

// most is the bound.
func (t *Translations) most() int { return cmp.Or(t.Most, mostKept) }

// makeRoom lets the oldest go, as long as there is too much, but not what has come now: a precedent with its entry,
// or an entry alone.
func (t *Translations) makeRoom(e *keptKernel, p *precedent) {
	for at := t.order.Front(); at != nil && t.bytes > t.most(); {
		switch oldest := at.Value.(type) {
		case *keptKernel:
			if oldest == e {
				at = at.Next()
				continue
			}
			t.order.Remove(oldest.at)
			delete(t.known, oldest.key)
			oldest.at, t.bytes = nil, t.bytes-len(oldest.key)
			for len(oldest.precedents) > 0 {
				t.forget(oldest.precedents[len(oldest.precedents)-1])
			}
		case *precedent:
			if oldest == p {
				return // it is the last
			}
			t.forget(oldest)
		}
		at = t.order.Front()
	}
}

// forget lets a precedent go.
func (t *Translations) forget(p *precedent) {
	t.order.Remove(p.at)
	delete(t.precedents, p.key)
	t.bytes -= p.bytes
	i := slices.Index(p.entry.precedents, p)
	p.entry.precedents = slices.Delete(p.entry.precedents, i, i+1)
}

// Work returns how long it takes to do the rest, in microseconds of a slow machine. It is reckoned
// from the function alone: whoever asks on another machine gets the same.
func (l *Lowered) Work() int64 { return l.work }

// Known reports whether the kernel was asked for before, and kept.
func (l *Lowered) Known() bool { return l.known }

// Translate does the rest of a translation, or waits until another goroutine has done it. The error
// is a *CompilerError.
func (l *Lowered) Translate() (p *Translation, err error) {
	defer guard(&err)
	l.entry.once.Do(func() { l.entry.make(l.f.Detached(), l.vectors) })
	if l.entry.err != nil {
		return nil, l.entry.err
	}
	return &Translation{made: l.entry.made, f: l.entry.made.shared.Attached(l.f)}, nil
}

// Prepare does the rest of a translation and compiles it for an engine, where New finds it. Without
// an engine it only translates. Any goroutine may call it, also while kernels run.
func (l *Lowered) Prepare(e *Engine) (made *Prepared, err error) {
	p, err := l.Translate()
	if err != nil || e == nil {
		return &Prepared{}, err
	}
	defer guard(&err)
	p.learned() // New asks for it, and it takes as long as a pass
	m, err := p.load(e)
	return &Prepared{m}, err
}

// make makes the kernel.
func (e *keptKernel) make(f *ir.Func, vectors int) {
	defer guard(&e.err)
	if e.err = ir.Check(f); e.err != nil {
		return
	}
	passes.Run(f, nil)
	p, err := Assemble(f, vectors)
	if e.err = err; err == nil {
		e.made = p.made
	}
}

// find returns the entry of a key, a new one if it is not known.
func (t *Translations) find(key []byte) (e *keptKernel, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.known[string(key)]; e != nil {
		t.again++
		return e, true
	}
	e = &keptKernel{key: string(key)}
	if !t.room(len(key)) {
		return e, false
	}
	if t.known == nil {
		t.known = map[string]*keptKernel{}
	}
	t.known[e.key], e.at, t.bytes = e, t.order.PushBack(e), t.bytes+len(key)
	t.makeRoom(e, nil)
	return e, false
}

// Tried are the kernels that a dry run has compiled, for the step that takes its set over. They are kept in the order in
// which they come, up to a bound: if the oldest went, a step that asks in the same order would find none of them.
type Tried struct {
	In *Translations // for all that is lowered

	most  int
	kept  map[string]*keptKernel
	bytes int // of the keys
}

// NewTried returns one for a host that shares translations, nil for one that does not. The keys of what is kept have
// at most so many bytes.
func NewTried(shared *Translations, most int) *Tried {
	return &Tried{In: cmp.Or(shared, &Translations{Most: most, first: true}), most: most, kept: map[string]*keptKernel{}}
}

// Lower is the method of Translations. Known reports of what it returns whether it was kept here: what hosts that
// share translations have done does not count.
func (t *Tried) Lower(s *ScriptFacts, function syntax.FuncID, sig *Signature) (*Lowered, error) {
	l, err := t.In.Lower(s, function, sig)
	if err != nil {
		return nil, err
	}
	kept := t.kept[l.entry.key]
	l.known, l.entry = kept != nil, cmp.Or(kept, l.entry)
	return l, nil
}

// Keep keeps a kernel that was compiled, if there is room.
func (t *Tried) Keep(l *Lowered) {
	if key := l.entry.key; t.kept[key] == nil && t.bytes+len(key) <= t.most {
		t.kept[key], t.bytes = l.entry, t.bytes+len(key)
	}
}

// Len returns how many kernels are kept.
func (t *Translations) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.known)
}

// Again returns how many kernels were asked for that had been kept.
func (t *Translations) Again() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.again
}

// bytes returns the module for an arena of so many pages.
func (m *made) bytes(pages uint32) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.code == "" || m.pages != pages {
		m.pages, m.code = pages, string(m.module.Encode(pages))
	}
	return m.code
}

// workOf returns what a row takes where formulas hold, where none does, and how much of that is
// counted for each call of one that does not. Rows that use fuel may be begun twice, at places that
// depend on how they are shared out; so what is counted while they run would, too.
func workOf(f *ir.Func) (work, most, outside int64) {
	usual, without, most := f.Work()
	if f.Fuelled() {
		return without, most, 0
	}
	return usual, most, ir.Outside
}

// nsPerItem is what it takes to copy an item of a list, or a field of one, at most by far for those that are plain.
const nsPerItem = 20

// learned returns what kernels of the translation have in common.
func (m *made) learned() *kernelTraits {
	m.once.Do(func() {
		f := m.shared
		usual, most, outside := workOf(f)
		m.known = kernelTraits{
			together: m.Packing(), frame: m.module.StackLayout(), hostCalls: f.CallsHost(),
			facts: rows.KernelFacts{
				Writes: writes(f), Work: usual, Most: most, Outside: outside, Lists: int64(f.ListBytes()/8) * nsPerItem, Safe: f.Safe(), Fuelled: f.Fuelled(), Metered: f.Fuelled() || f.Invokes(), Independent: f.Independent(),
				Passing:  slices.ContainsFunc(f.Fallbacks, func(l Fallback) bool { return l.Passing }),
				Despawns: f.Despawns(), ReadsMarks: f.ReadsMarks(), Blind: f.ReadsEntities() && !f.ReadsMarks(),
			},
		}
		m.known.noted, _ = f.Noted()
	})
	return &m.known
}

// writes lists the terms of which the kernel may write a field.
func writes(f *ir.Func) []int {
	var terms []int
	for i := range f.Fields {
		if field := &f.Fields[i]; field.Store && !slices.Contains(terms, f.Columns[field.Column].Term) {
			terms = append(terms, f.Columns[field.Column].Term)
		}
	}
	return terms
}

// Packing says how rows go together: what a vector holds, or why they go one by one.
func (p *made) Packing() string {
	switch {
	case p.plan != nil:
		return "vectorised: " + p.plan.String()
	case p.module.Unrolled():
		return "not vectorised: " + p.whyNoPlan + "; four rows in each turn of the loop, one after the other"
	}
	return "not vectorised: " + p.whyNoPlan
}
