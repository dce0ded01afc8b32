package scripting

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// KernelStatus says how one each function runs: that of a system, or one that a
// script has given to ecs.kernel.
type KernelStatus struct {
	Script   string
	System   string // or the name of the kernel
	Called   bool   // it is one of ecs.kernel
	Compiled bool
	// Interpreted says that nothing can be compiled in this process, and that the kernel is
	// interpreted all the same, for precision = "f32": the VM has other results. It is Compiled, too.
	Interpreted bool
	Safe        bool // compiled, and proven unable to fail: it keeps no copy for the undo, but for changes that might reach a limit
	// Line and Column, in bytes, both from 1, are the place of the token that stands in
	// the way of a kernel, and Reason says what it is: "a string is not available in
	// kernels". When the function is compiled, rows that come there are run by the VM all
	// the same; 0 and empty when there is no such place.
	Line, Column int
	Reason       string
	// Origin is where that token is, in whichever script: a helper that several functions call is the Origin of
	// all of them. Nowhere when there is no such place.
	Origin diag.Place
	// Alike is how many other functions have the same Origin, see [KernelNotes].
	Alike int
	// Unready is why the kernel could not run the last time, so that the VM ran all rows:
	// "\"gates\" has another length". It is made anew soon. Empty when the kernel could.
	Unready string
	// Comes is the tick of the world from which on the function has another kernel, for values that have
	// become others: it takes long to compile, or a step has had many to compile, so that it is done beside the ticks. Until then the
	// VM runs the rows that it would without. 0 when there is none to come.
	Comes uint64
	// Ran says what has run where.
	Ran Ran
	// Took is how long it took to compile it, by the clock: next to nothing where
	// a kernel of the same instructions was there already.
	Took time.Duration

	elsewhere bool // it would be compiled on another platform
}

// String returns the status in one line, with the place first.
func (s KernelStatus) String() string { return diag.OneLine(s.text()) }

// text is String before characters that cannot be shown are replaced.
func (s KernelStatus) text() string {
	switch {
	case s.Comes > 0:
		return fmt.Sprintf("%s: %s: %s", s.Script, s.What(), s.Coming())
	case s.Unready != "":
		return fmt.Sprintf("%s: %s: compiled, but the VM runs its rows now: %s", s.Script, s.What(), s.Unready)
	case s.Reason == "" && s.Interpreted:
		return fmt.Sprintf("%s: %s: interpreted, because %s", s.Script, s.What(), rows.ErrNoCompiler)
	case s.Reason == "":
		return fmt.Sprintf("%s: %s: compiled", s.Script, s.What())
	case s.Compiled:
		return fmt.Sprintf("%s: %s: compiled, but the VM runs rows that come here: %s", s.Place(), s.What(), s.Reason)
	}
	return fmt.Sprintf("%s: %s: not compiled: %s", s.Place(), s.What(), s.Reason)
}

// Coming says of a status with Comes what runs the rows until then.
func (s KernelStatus) Coming() string {
	why := s.Unready
	if why == "" {
		why = s.Reason
	}
	switch {
	case why == "" && !s.Compiled:
		return fmt.Sprintf("being compiled: the VM runs its rows until tick %d", s.Comes)
	case why == "":
		return fmt.Sprintf("compiled; another kernel is being compiled, for tick %d", s.Comes)
	}
	return fmt.Sprintf("being compiled: the VM runs its rows until tick %d: %s", s.Comes, why)
}

// Place returns script:line:column of what stands in the way, as far as they are known.
func (s KernelStatus) Place() string {
	return diag.Place{Script: s.Script, Line: s.Line, Column: s.Column}.String()
}

// explainedBy notes what stands in the way of a system's kernel. Where that is in the text
// of another script, the status has the system's own place, and the reason begins with the
// other one. The second place is that in a function which the system's calls; nowhere if it is in its own.
func (s *KernelStatus) explainedBy(sys *bindings.System, at, in diag.Place, reason string) {
	s.Origin = at
	if in.Line > 0 {
		s.Origin = in
	}
	if at.Script != s.Script {
		at, reason = sys.Place, at.String()+": "+reason
	}
	s.Line, s.Column, s.Reason = at.Line, at.Column, reason
}

// calledBy returns the place of a refusal that is in a function which the refused one calls; nowhere for any other.
func calledBy(why *Error) diag.Place {
	if refusal, ok := errors.AsType[*kernel.Refusal](why.Err); ok {
		return calledAt(refusal.In)
	}
	return diag.Place{}
}

// calledAt is a place of the compiler as others have it.
func calledAt(p kernel.TextPlace) diag.Place {
	return diag.Place{Script: p.File, Line: p.Line, Column: p.Column}
}

// leaves notes the first branch that a kernel leaves to the VM, if there is one worth
// reporting.
func (s *KernelStatus) leaves(sys *bindings.System, branches []kernel.Fallback) {
	if f := worthReporting(branches); f != nil {
		s.explainedBy(sys, diag.Place{Script: lua.Proto(sys.Each).SourceName, Line: f.Line, Column: f.Column}, calledAt(f.In), f.Why)
	}
}

// Note is what the log says of a status with a reason, without its place.
func (s KernelStatus) Note() string {
	who, are := s.What(), "is"
	if s.Alike > 0 {
		who, are = fmt.Sprintf("%s and %s", who, diag.Count(s.Alike, "other function", "other functions")), "are"
	}
	how := "not compiled" // which is slower, and no mistake: hence the word
	if s.Compiled {
		how = "compiled, but the VM runs rows that come here"
	}
	return diag.OneLine(fmt.Sprintf("note: %s %s %s: %s", who, are, how, s.Reason))
}

// KernelNotes returns the statuses that a log has, in their order: those with a reason, unless all
// that is missing is a compiler. Of functions with the same Origin, as a helper is that all of them call, it has
// the first one, with Alike: one change of the text helps them all. O(statuses).
func KernelNotes(list []KernelStatus) (notes []KernelStatus) {
	type cause struct {
		at       diag.Place
		compiled bool
	}
	first := map[cause]int{}
	for _, s := range list {
		if s.Reason == "" || s.elsewhere {
			continue
		}
		s.Alike = 0
		why := cause{s.Origin, s.Compiled}
		if i, ok := first[why]; ok && s.Origin.Line > 0 {
			notes[i].Alike++
			continue
		}
		first[why] = len(notes)
		notes = append(notes, s)
	}
	return notes
}

// What names the function: system "walk", or kernel "relax".
func (s KernelStatus) What() string {
	if s.Called {
		return fmt.Sprintf("kernel %q", s.System)
	}
	return fmt.Sprintf("system %q", s.System)
}

// Kernels returns the status of every loaded system that has an each function
// over a query, and of every ecs.kernel, by script and name. Those with
// kernel = "off" are left out. Any goroutine may call it, see [Host.Usage].
func (h *Host) Kernels() []KernelStatus {
	if !h.made() {
		return nil
	}
	return h.readings.kernels.read(h, h.kernelsNow, slices.Clone)
}

// kernelsNow is Kernels of this moment.
func (h *Host) kernelsNow() []KernelStatus {
	var list []KernelStatus
	for _, m := range h.modules() {
		for _, sys := range eachOf(m.script) {
			if s, ok := statusOf(sys); ok {
				list = append(list, s)
			}
		}
	}
	slices.SortFunc(list, func(a, b KernelStatus) int {
		return cmp.Or(cmp.Compare(a.Script, b.Script), cmp.Compare(a.System, b.System))
	})
	return list
}

// eachOf lists what may have an each function over a query.
func eachOf(s *bindings.Declarations) []*bindings.System {
	return slices.Concat(s.Systems, s.Kernels())
}

// statusOf returns the status of a system; ok is false for one that has no each
// function over a query, or says kernel = "off".
func statusOf(sys *bindings.System) (s KernelStatus, ok bool) {
	made, why := sys.Kernel()
	s = KernelStatus{Script: sys.Script, System: sys.Name, Called: sys.Called(), Compiled: made != nil, Comes: sys.KernelComes(), Ran: ranOf(sys)}
	switch {
	case made != nil:
		s.Safe, s.Unready = made.Facts().Safe, made.Unready()
		if k, ok := made.(*kernel.Kernel); ok {
			s.Took, s.Interpreted = k.Took, k.Interpreted()
			s.leaves(sys, k.Fallbacks())
		}
	case why != nil:
		s.explainedBy(sys, why.At(), calledBy(why), why.Message)
		s.elsewhere = errors.Is(why, rows.ErrNoCompiler)
	case s.Comes == 0:
		return s, false
	}
	return s, true
}

// reportKernels logs which functions are not compiled, or not as a whole, once for each
// reason. A reload that changes nothing about it logs nothing.
func (h *Host) reportKernels() {
	reported, fresh := map[string]bool{}, []KernelStatus(nil)
	for _, s := range h.kernelsNow() {
		if s.elsewhere || s.Interpreted {
			h.warnOfPlatform()
		}
		if s.Reason == "" {
			continue
		}
		reported[s.String()] = true
		if !h.kernels.reported[s.String()] {
			fresh = append(fresh, s)
		}
	}
	h.kernels.reported = reported
	if h.opts.OnKernel != nil {
		for _, s := range fresh {
			h.callHost("OnKernel", func() { h.opts.OnKernel(s) })
		}
		return
	}
	for _, s := range KernelNotes(fresh) {
		h.opts.Logger.Info(s.Note(), "script", diag.OneLine(s.Script), "line", s.Line, "column", s.Column)
	}
}

// warnOfPlatform says once, for all functions, that nothing can be compiled here.
func (h *Host) warnOfPlatform() {
	if h.kernels.warned {
		return
	}
	h.kernels.warned = true
	h.opts.Logger.Warn("kernels cannot be compiled here, so functions over rows have the same results and take longer: " +
		"wazero has no compiler for " + runtime.GOOS + "/" + runtime.GOARCH + ", or the process may not have executable memory")
}

// KernelReport holds everything about the kernel of one function.
type KernelReport struct {
	KernelStatus
	Source      string       // the function's lines, each with its number
	Passes      []KernelPass // of the compiler; empty when the function is not compiled
	Text        string       // the instructions, in the text format of WebAssembly
	StopReasons []string     // what can make the kernel stop at a row; none when it is safe
	Changes     bool         // it changes the world: a tick in which limits might stop that keeps a copy for the undo, safe or not
	NoRows      bool         // nothing of it can be compiled: it has no each function over a query
	Obstacle    string       // what stands in the way, with its line and a caret under the token; empty when nothing does
	Vector      string       // how rows go together, and why not several at a time
}

// KernelPass is the kernel after one pass of the compiler. Passes that change nothing are
// left out.
type KernelPass struct {
	Name   string
	Reason string
	Text   string
}

// Explain reports on the systems of a loaded script, then on its kernels, each in the order of the
// text; with a name, on what is called so. Systems with kernel = "off" are translated as if they had
// none. Of those without an each function over a query, whose function the VM runs, the report has
// the source, what has run, and the reason. The error wraps [ecs.ErrUnknown] where there is no such
// script or system, or [ErrClosed].
func (h *Host) Explain(script, system string) ([]KernelReport, error) {
	if h.gone() {
		return nil, fmt.Errorf("scripting: Explain: %w", ErrClosed)
	}
	m := h.live[script]
	if m == nil {
		return nil, unknownf("scripting: no script %q%s", script, diag.DidYouMean(script, slices.Collect(maps.Keys(h.live))))
	}
	var reports []KernelReport
	var names []string
	for _, sys := range eachOf(m.script) {
		names = append(names, sys.Name)
		if system != "" && system != sys.Name {
			continue
		}
		if source, ok := sys.KernelSource(); ok {
			reports = append(reports, h.explain(sys, &source))
		} else {
			reports = append(reports, h.explainOther(sys))
		}
	}
	if system != "" && len(reports) == 0 {
		return nil, unknownf("scripting: %s has no kernel and no system %q%s", script, system, diag.DidYouMean(system, names))
	}
	return reports, nil
}

// explainOther reports on a system that has no rows of its own, so that nothing is compiled.
func (h *Host) explainOther(sys *bindings.System) (r KernelReport) {
	fn := cmp.Or(sys.Run, sys.Batch, sys.Each)
	if proto := lua.Proto(fn); proto != nil {
		r.Source = h.sourceOf(proto)
	}
	r.KernelStatus, _ = statusOf(sys)
	r.explainedBy(sys, sys.Place, diag.Place{}, onVM(sys))
	r.NoRows, r.Obstacle = true, r.Reason
	return r
}

// onVM says why the VM runs the function of a system.
func onVM(sys *bindings.System) string {
	switch {
	case sys.Run != nil:
		return "the VM runs it, because run is called once, and only what is called for each row is compiled: " +
			"work over many rows goes into the each of a system with a query, or into an ecs.kernel that run calls"
	case sys.Batch != nil:
		return "the VM runs it, because batch is called for whole columns, and only what is called for each row is compiled: an each over the same query is"
	}
	return "the VM runs it, because each is called for events here, and only what is called for each row of a query is compiled: " +
		"work over many rows goes into an ecs.kernel that it calls"
}

// sourceOf returns the lines of a function, each with its number; empty for one of another text.
func (h *Host) sourceOf(proto *lua.FunctionProto) string {
	text := h.texts().Place(proto, -1).Text
	if text == nil {
		return ""
	}
	return numbered(text.Bytes(), proto.LineDefined, proto.LastLineDefined)
}

// explain reports on one system, which is compiled once more, because the host keeps no
// passes. If that fails, the reason is in the report.
func (h *Host) explain(sys *bindings.System, s *bindings.KernelSource) (r KernelReport) {
	proto := lua.Proto(s.Closure)
	r.Source = h.sourceOf(proto)
	r.KernelStatus, _ = statusOf(sys)
	text, id, ok := h.each(s.Closure)
	if !ok {
		r.obstructed(sys, h.whyNot(s, notWritten()), diag.Place{})
		return r
	}
	sig := h.signature(s)
	sig.Budget = nil // it is no part of the load
	p, passes, err := kernel.Explain(text.learned().kernels(), id, sig)
	if err != nil {
		why := h.whyNot(s, err)
		r.obstructed(sys, why, calledBy(why))
		return r
	}
	if f := worthReporting(p.Fallbacks()); f != nil {
		r.obstructed(sys, (&Error{Message: f.Why}).On(text.place(syntax.At(f.Line, f.Column))), calledAt(f.In))
	}
	for _, pass := range passes {
		r.Passes = append(r.Passes, KernelPass(pass))
	}
	r.Text, r.StopReasons, r.Changes, r.Vector = p.Text(), p.StopReasons(), p.Changes(), p.Packing()
	return r
}

// obstructed notes what stands in the way of a kernel, with the line of the text in which
// it stands: that need not be the text of the system.
func (r *KernelReport) obstructed(sys *bindings.System, why *Error, in diag.Place) {
	r.explainedBy(sys, why.At(), in, why.Message)
	why.Quote()
	r.Obstacle = why.Detail()
}

// numbered returns lines of a text with their numbers.
func numbered(text []byte, first, last int) string {
	var b strings.Builder
	for i, line := range strings.Split(string(text), "\n") {
		if i+1 >= first && i+1 <= last {
			fmt.Fprintf(&b, "%4d  %s\n", i+1, line)
		}
	}
	return b.String()
}
