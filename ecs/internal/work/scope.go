package work

import (
	"context"
	"runtime/pprof"
	"runtime/trace"
)

// What goroutines do has a name in CPU profiles and execution traces. A Scope is a name under
// which functions run: goroutines have it as the label "system" of package runtime/pprof while
// they do, and a trace shows it as a region. Scopes are those of a schedule.
//
// Why labels? Machine code that Go did not compile, such as kernels, has no functions that
// a profile could name. The labels of the goroutine are in each sample all the same.

// labelKey is the key of the label.
const labelKey = "system"

// mostScopes bounds the scopes that are kept: scripts choose the names.
const mostScopes = 4096

// Scopes makes scopes by name, and keeps them for the next time. The zero value makes none.
type Scopes struct {
	Labels bool // whether goroutines get labels

	on    bool // something is to be named in the step at hand
	base  context.Context
	tasks context.Context // with the task of the step; nil while no trace is taken
	task  *trace.Task
	known map[string]*Scope
}

// Scope is a name. A nil one does nothing.
type Scope struct {
	name   string
	of     *Scopes
	labels context.Context // nil without labels
}

// Begin starts a step under a context, nil for none, whose labels goroutines have outside
// of all scopes. If a trace is taken, the step is a task in it. End ends it.
func (s *Scopes) Begin(ctx context.Context, task string) {
	traced := trace.IsEnabled()
	if s.on = s.Labels || traced; !s.on {
		return
	}
	if ctx == nil {
		ctx = context.Background()
	}
	s.rebase(ctx)
	if traced {
		s.tasks, s.task = trace.NewTask(ctx, task)
	}
}

// rebase makes scopes anew if the labels outside of them may be others.
func (s *Scopes) rebase(ctx context.Context) {
	labelled := false
	pprof.ForLabels(ctx, func(string, string) bool { labelled = true; return false })
	if !labelled {
		ctx = context.Background() // one is as good as another, and holds nothing
	}
	if s.base == ctx && len(s.known) < mostScopes {
		return
	}
	s.base, s.known = ctx, map[string]*Scope{}
}

// End ends the step.
func (s *Scopes) End() {
	if s.task != nil {
		s.task.End()
		s.task, s.tasks = nil, nil
	}
}

// Of returns the scope of a name, nil if nothing is to be named. It belongs to the
// goroutine of the step; the scope may be entered by any.
func (s *Scopes) Of(name string) *Scope {
	if !s.on {
		return nil
	}
	return s.find(name)
}

// find looks a scope up, or makes it.
func (s *Scopes) find(name string) *Scope {
	p := s.known[name]
	if p == nil {
		p = &Scope{name: name, of: s}
		if s.Labels {
			p.labels = pprof.WithLabels(s.base, pprof.Labels(labelKey, name))
		}
		s.known[name] = p
	}
	return p
}

// Stay is the time that a goroutine is in a scope.
type Stay struct {
	scope  *Scope
	region *trace.Region
}

// Enter begins a stay: the goroutine gets the labels, and a region begins.
func (p *Scope) Enter() Stay {
	if p == nil {
		return Stay{}
	}
	return p.enter()
}

func (p *Scope) enter() Stay {
	v := Stay{scope: p}
	p.Relabel()
	if p.of.tasks != nil {
		v.region = trace.StartRegion(p.of.tasks, p.name)
	}
	return v
}

// Leave ends the stay, on the same goroutine. It has the labels of the step's context then.
func (v Stay) Leave() {
	if v.scope != nil {
		v.leave()
	}
}

func (v Stay) leave() {
	if v.region != nil {
		v.region.End()
	}
	if v.scope.labels != nil {
		pprof.SetGoroutineLabels(v.scope.of.base)
	}
}

// Relabel gives the goroutine the labels of a scope that it has not left, after it was in
// another one.
func (p *Scope) Relabel() {
	if p != nil && p.labels != nil {
		pprof.SetGoroutineLabels(p.labels)
	}
}

// unlabel takes the labels from a goroutine that was started inside a scope.
func unlabel() { pprof.SetGoroutineLabels(context.Background()) }
