package ecs

import (
	"errors"
	"time"
)

// stage is one entry of the running order: a system that runs by itself, or
// parallel systems that run beside each other.
//
// A stage of parallel systems means the same with one goroutine and with many:
//
//  1. Who is due, well and wanted is asked in order, before anybody runs.
//  2. They run against the world as it is then, under one version. The world
//     stands still: see still.
//  3. In order, each one's commands are applied and its observers told.
//
// Invariant: no two systems of a stage are apart, see World.apart.
type stage struct {
	systems  []*scheduled
	parallel bool   // as System.Parallel: a parallel system is a stage even alone
	why      string // why its first system is not part of the stage before
	writes   []ComponentID
}

// stages cuts the running order. O(systems of a stage) for each system.
func (w *World) stages(order []*scheduled) []stage {
	var all []stage
	for _, o := range order {
		o.access = accessOf(&o.System)
		n, why := len(all)-1, ""
		if n >= 0 {
			why = w.outside(&all[n], o)
		}
		if n < 0 || why != "" {
			all = append(all, stage{parallel: o.Parallel, why: why})
			n++
		}
		st := &all[n]
		st.systems = append(st.systems, o)
		st.writes = append(st.writes, o.access.writes...)
	}
	return all
}

// outside says why a system cannot join a stage.
func (w *World) outside(st *stage, o *scheduled) string {
	for _, member := range st.systems {
		if why := w.apart(member, o); why != "" {
			return why
		}
	}
	return ""
}

// anySetObserved reports whether one of the components is witnessed.
func (w *World) anySetObserved(writes []ComponentID) bool {
	for _, id := range writes {
		if w.components[id].setObserved() {
			return true
		}
	}
	return false
}

// setObserved reports whether a value that is set is told to somebody, or given to
// a hook: then the order of writes shows, and one goroutine makes them all.
func (c *component) setObserved() bool { return c.watch&OnSet != 0 || c.rules.hooks.set != nil }

// runParallel runs a stage of parallel systems.
func (s *Schedule) runParallel(st *stage, dt float64) {
	s.running = s.running[:0]
	for _, o := range st.systems {
		if s.wants(o, dt) {
			s.prepare(o)
			s.running = append(s.running, o)
		}
	}
	if len(s.running) == 0 {
		return
	}
	s.world.version++
	s.runStage(st)
	s.world.version++ // what commands change is later than what the systems wrote
	for _, o := range s.running {
		s.finish(o)
	}
}

// prepare gives a system its tick.
func (s *Schedule) prepare(o *scheduled) {
	if o.own == nil {
		o.own = &Tick{World: s.world, Commands: s.world.NewCommands()}
	}
	t := o.own
	t.N, t.Time, t.Alpha, t.System = s.tick.N, s.tick.Time, s.tick.Alpha, o.Name
	s.begun(o, t)
}

// runStage runs the systems while the world stands still.
func (s *Schedule) runStage(st *stage) {
	w, b := s.world, &s.batch
	if b.Job == nil {
		b.Job = func(i int) { s.running[i].perform() }
	}
	w.freeze()
	defer s.endStage()
	for i, o := range s.running {
		o.own.Commands.slot = b.Slot(i)
		o.declare(true)
	}
	if n := len(s.running); n == 1 || w.options.Workers == 1 || w.anySetObserved(st.writes) || !s.worth() {
		b.Inline(0, n)
	} else {
		w.workerPool().Run(b, 0, n)
	}
}

// worth reports whether the systems, by what their last runs took, are worth a
// second goroutine. What they do is the same either way.
func (s *Schedule) worth() bool {
	var all, most time.Duration
	for _, o := range s.running {
		all, most = all+o.busy, max(most, o.busy)
	}
	return all-most >= s.world.worth
}

// endStage ends what together began.
func (s *Schedule) endStage() {
	s.world.thaw()
	for _, o := range s.running {
		o.own.Commands.settle()
		o.declare(false)
	}
}

// declare marks the system's queries as allowed, or not, while the world stands
// still. They are made ready, so that only what belongs to a loop is written.
func (o *scheduled) declare(on bool) {
	for _, q := range o.Queries {
		q.declared, q.running = on, 0 // what a panic has left is over
		q.refresh()
	}
}

// errEnded is the answer of a system that ends its goroutine, as a test that
// fails does.
var errEnded = errors.New("the system ended its goroutine")

// perform runs the system, perhaps beside others.
func (o *scheduled) perform() {
	began := time.Now()
	o.err = errEnded
	o.stack, o.err = protect(func() error { return o.Run(o.own) })
	o.busy = time.Since(began)
}

// finish does in order what a system's run leads to.
func (s *Schedule) finish(o *scheduled) {
	began, t := time.Now(), o.own
	open := o.health.open()
	s.note(s.conclude(t, o.Name, &o.health, o.stack, o.err))
	s.note(s.world.deliver(t))
	o.stack, o.err = nil, nil
	o.last = o.busy + time.Since(began)
	o.total += o.last
	s.noteHealth(o, open)
}
