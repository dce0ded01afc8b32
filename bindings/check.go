package bindings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// A review judges the scripts of a load taken together with those that stay: names used
// twice, an order that cannot be, more components than a world has room for, values that
// would be lost.
type review struct {
	*Binding
	stay, gone, fresh []*Declarations   // gone are those that the load replaces or removes
	quota             diag.Quota        // for what was meant by names
	users             map[string]string // by what scripts use: the first that does; made when it is asked for
}

// Check finds what is wrong with the scripts of a load taken together with those that
// stay, a system that must have a kernel and has none among it. gone are the scripts that
// the load replaces or removes. Scripts that have faults of their own are represented by
// what they declared before these, and by the systems of their old version, so that
// others are not blamed for them. Where a step waits, which brief says, no kernel is made of a load that has problems
// already.
func (m *Binding) Check(stay, gone, fresh []*Declarations, brief bool) []*diag.Error {
	problems := (&review{Binding: m, stay: stay, gone: gone, fresh: fresh}).together()
	refused := func() bool {
		return len(problems) > 0 || slices.ContainsFunc(fresh, func(s *Declarations) bool { return len(s.Problems) > 0 })
	}
	if !brief || !refused() {
		problems = append(problems, m.compile(fresh)...)
	}
	if refused() {
		return problems
	}
	m.migration.stay, m.migration.gone, m.migration.fresh = stay, gone, fresh
	return m.migration.prepare()
}

// Review is Check for scripts that were declared in a rehearsal and have faults: it finds
// what else is wrong. Kernels and values are left alone.
func (m *Binding) Review(rehearsal *Binding, stay, gone, fresh []*Declarations) []*diag.Error {
	m.Begin()
	m.staged, m.components.Staged, m.events.Staged = rehearsal.staged, rehearsal.components.Staged, rehearsal.events.Staged
	defer m.forget()
	return (&review{Binding: m, stay: stay, gone: gone, fresh: fresh}).together()
}

// Rehearse has the kernels of scripts made, and returns the problems of systems
// that must have one. The kernels are closed by Abandon.
func (m *Binding) Rehearse(fresh []*Declarations) []*diag.Error { return m.compile(fresh) }

func (m *review) together() []*diag.Error {
	problems := duplicates(m.stay, m.fresh)
	if e := m.checkSystems(); e != nil {
		problems = append(problems, e)
	}
	if len(problems) == 0 {
		problems = m.checkOrder()
	}
	if e := m.checkRoom(); e != nil {
		problems = append(problems, e)
	}
	if e := m.checkDeclared(); e != nil {
		problems = append(problems, e)
	}
	problems = append(append(problems, m.checkNames()...), m.checkObservers()...)
	m.noteHidden()
	m.noteForgotten()
	m.noteStates()
	m.noteOrphans()
	return append(problems, m.migration.check()...)
}

// checkRoom finds out whether the world has numbers for the new components.
func (m *review) checkRoom() *diag.Error {
	count := m.world.Raw().ComponentCount()
	for _, c := range m.components.Staged {
		if !c.Ready && !c.Broken && c.Changes == nil {
			count++
		}
	}
	if count <= ecs.MaxComponents || len(m.fresh) == 0 {
		return nil
	}
	return diag.New("there would be %d components; a world has at most %d", count, ecs.MaxComponents).On(diag.Place{Script: m.fresh[0].Name})
}

// maxPlanFaults is how many faults of the order one load reports. To find one takes as long as there are systems, and
// a step waits for it: so mostPlanned is how many systems are looked at, where one fault is found in any case.
const (
	maxPlanFaults = 20
	mostPlanned   = 2000
)

// checkOrder finds every system that has no place. The schedule reports one at a
// time: to find the next, the system is tried again without its wishes.
func (m *review) checkOrder() []*diag.Error {
	remove, add, known := m.replaced(), []ecs.System{}, map[string]bool{}
	for _, s := range m.fresh {
		for _, sys := range s.Systems {
			if known[sys.Name] {
				continue // a problem of the script's own
			}
			known[sys.Name] = true
			dry := sys.Spec
			dry.Run = func(*ecs.Tick) error { return nil }
			add = append(add, dry)
		}
	}
	var problems []*diag.Error
	most, blame := max(min(maxPlanFaults, mostPlanned/max(len(add), 1)), 1), m.planned(remove)
	for len(problems) < most {
		err := m.world.Schedule().Check(remove, add)
		if err == nil {
			break
		}
		e := m.planFault(err, blame())
		problems = append(problems, e)
		i := slices.IndexFunc(add, func(s ecs.System) bool { return s.Name == e.System })
		e.System = "" // the message names it
		if i < 0 || add[i].Before == nil && add[i].After == nil && add[i].Requires == nil && add[i].Priority == 0 {
			break
		}
		add[i] = ecs.System{Name: add[i].Name, Phase: add[i].Phase, Fixed: add[i].Fixed, Run: add[i].Run}
	}
	return problems
}

// replaced names the systems that a load takes away. Those of scripts whose new
// version has faults stay for the time being, but for what is declared anew.
func (m *review) replaced() []string {
	faulty, anew := map[string]bool{}, systemNames(m.fresh)
	for _, s := range m.fresh {
		faulty[s.Name] = len(s.Problems) > 0
	}
	declared := setOf(anew)
	var names []string
	for _, s := range m.gone {
		for _, name := range systemNames([]*Declarations{s}) {
			if !faulty[s.Name] || declared[name] {
				names = append(names, name)
			}
		}
	}
	return names
}

// lineup has the systems that there would be.
type lineup struct {
	names  []string                // those of the host, too
	byName map[string]*exec.System // of scripts
}

// planned returns the systems that there would be without those that go, when the first asks for them.
func (m *review) planned(remove []string) func() *lineup {
	return sync.OnceValue(func() *lineup {
		going := setOf(remove)
		p := &lineup{byName: map[string]*exec.System{}}
		p.names = slices.DeleteFunc(m.world.Schedule().Names(), func(name string) bool { return going[name] })
		for _, s := range slices.Concat(m.stay, m.fresh) {
			for _, sys := range s.Systems {
				p.names, p.byName[sys.Name] = append(p.names, sys.Name), sys
			}
		}
		return p
	})
}

// planFault puts a fault of the order at the system that it names.
func (m *review) planFault(err error, now *lineup) *diag.Error {
	e := &diag.Error{Message: err.Error(), Err: err}
	var plan *ecs.PlanError
	if !errors.As(err, &plan) {
		return e
	}
	// The sentinels are for programs: "which does not exist" and "exists already" say
	// the same to people.
	for _, sentinel := range []error{ecs.ErrUnknown, ecs.ErrConflict, ecs.ErrRange} {
		e.Message = strings.TrimPrefix(e.Message, sentinel.Error()+": ")
	}
	if plan.Missing != "" {
		e.Message += m.quota.DidYouMean(plan.Missing, func() []string {
			// To come after itself is never what was meant.
			return slices.DeleteFunc(slices.Clone(now.names), func(name string) bool { return name == plan.System })
		})
	}
	if sys := now.byName[plan.System]; sys != nil {
		wishes := plannedAt(plan, now.byName)
		e.Put(cmp.Or(append(wishes, sys.Place)...))
		e.System = sys.Name
		for i, at := range wishes {
			if i > 0 {
				e.Message += "; also asked for in " + at.String()
			}
		}
	}
	return e
}

// plannedAt returns where systems ask for what cannot be: the priority, the name of a system
// that is missing, or each step of an order.
func plannedAt(plan *ecs.PlanError, systems map[string]*exec.System) (wishes []diag.Place) {
	note := func(at diag.Place) {
		if at != (diag.Place{}) {
			wishes = append(wishes, at)
		}
	}
	switch first := systems[plan.System]; {
	case errors.Is(plan, ecs.ErrRange):
		note(first.Options["priority"].Value)
	case plan.Missing != "":
		note(asks(first, plan.Missing, "before", "after", "requires"))
	}
	for i := 1; i < len(plan.Order); i++ {
		from, to := plan.Order[i-1], plan.Order[i]
		note(cmp.Or(asks(systems[from], to, "before", "requires"), asks(systems[to], from, "after")))
	}
	return wishes
}

// asks returns where a system names another one in some of its options, nowhere if it does
// not.
func asks(sys *exec.System, other string, keys ...string) diag.Place {
	for _, key := range keys {
		if sys == nil {
			break
		}
		names := map[string][]string{"before": sys.Spec.Before, "after": sys.Spec.After, "requires": sys.Spec.Requires}[key]
		if i := slices.IndexFunc(names, func(name string) bool { return strings.TrimSuffix(name, "?") == other }); i >= 0 {
			return cmp.Or(sys.Options[fault.Within(key, fault.Index(lua.LNumber(i+1)))].Value, sys.Options[key].Value)
		}
	}
	return diag.Place{}
}

// duplicates finds systems, kernels and handlers that two scripts declare, up to mostTogether.
func duplicates(stay, fresh []*Declarations) []*diag.Error {
	var problems []*diag.Error
	owner := map[string]string{}
	claim := func(script *Declarations, at diag.Place, kind, name string, isNew bool) {
		key := kind + " " + name
		if other, taken := owner[key]; taken && isNew && other != script.Name && len(problems) < mostTogether {
			problems = append(problems, diag.New("%s %q is declared in %s already", kind, name, other).On(at))
		}
		owner[key] = script.Name
	}
	for i, s := range slices.Concat(stay, fresh) {
		isNew := i >= len(stay)
		for _, sys := range s.Systems {
			claim(s, sys.Place, "system", sys.Name, isNew)
		}
		for _, k := range s.kernels {
			claim(s, k.Place, "kernel", k.Name, isNew)
		}
		for _, h := range s.handlers {
			claim(s, h.at, "handler", h.name, isNew)
		}
	}
	return problems
}

// A load never throws away what a script has forgotten: values of a component that no
// file declares any more stay with their entities, and what ecs.state holds stays when
// its default is something else by now. The verdict says so, because nobody sees them.

// noteHidden notes what scripts cannot reach any more once the load is accepted.
func (m *review) noteHidden() {
	known := map[string]bool{}
	for _, s := range slices.Concat(m.stay, m.fresh) {
		for _, c := range s.Components {
			known[c.Name] = true
			if c.Was != "" {
				known[c.Was] = true // whatever becomes of it is said elsewhere
			}
		}
		for _, d := range s.drops {
			known[d.name] = true
		}
	}
	names := 0
	for _, s := range m.gone {
		for _, c := range s.Components {
			if known[c.Name] || !c.Ready {
				continue
			}
			known[c.Name] = true
			if n := holders(m.world, c.ID); n > 0 {
				if names++; names > mostOrphans {
					continue
				}
				m.migration.note("%s: %s it, and no file declares it any more: their values stay, unseen, until one declares %q again; "+
					"if it has another name now, give that the option was = %q; if they can go, ecs.drop(%q)",
					c.Name, diag.Count(n, "entity has", "entities have"), c.Name, c.Name, c.Name)
			}
		}
	}
	if more := names - mostOrphans; more > 0 {
		m.migration.note("so it is with the values of %s", diag.Plural(more, "other component"))
	}
}

// noteForgotten notes the state tables that no script names any more.
func (m *review) noteForgotten() {
	known := map[string]bool{}
	for _, s := range slices.Concat(m.stay, m.fresh) {
		for _, name := range s.stateNames {
			known[name] = true
		}
	}
	names := 0
	for _, s := range m.gone {
		for _, name := range s.stateNames {
			t := m.states.tables[name]
			if known[name] || t == nil {
				continue
			}
			known[name] = true
			if k, _ := proxy.Unwrap(t).Next(lua.LNil); k == lua.LNil {
				continue
			}
			if names++; names <= mostOrphans {
				m.migration.note("ecs.state %q: no file uses it any more: what it holds stays, unseen, until one does again", name)
			}
		}
	}
	if more := names - mostOrphans; more > 0 {
		m.migration.note("so it is with what is in %s of ecs.state", diag.Count(more, "other name", "other names"))
	}
}

// noteStates notes the keys of ecs.state that hold something else than what their
// new defaults are.
func (m *review) noteStates() {
	keys := 0
	for _, s := range m.fresh {
		for _, d := range s.states {
			content := proxy.Unwrap(d.table)
			proxy.Pairs(d.defaults, func(k, v lua.LValue) {
				held := content.RawGet(k)
				if held == lua.LNil || held.Type() == v.Type() {
					return
				}
				if keys++; keys > mostOrphans {
					return
				}
				m.migration.note("ecs.state %q in %s: key %s holds a %s and keeps it, the default is a %s now: convert it, or use another key",
					d.name, s.Name, value.Shown(k), held.Type(), v.Type())
			})
		}
	}
	if more := keys - mostOrphans; more > 0 {
		m.migration.note("so it is with %s of ecs.state", diag.Count(more, "other key", "other keys"))
	}
}

// noteOrphans notes what was kept by the name of a handler or a system that no file declares
// any more.
func (m *review) noteOrphans() {
	dropped := map[string]string{} // by the name of a reader: of what kind it is
	m.noteTimers(dropped)
	m.noteSwitched(dropped)
	for name, heir := range heirs(m.gone, m.fresh) {
		if heir == "" {
			dropped[name] = "the callback"
		}
	}
	m.noteUnread(dropped)
	m.noteLostEvents(dropped)
}

// mostOrphans is how many names one kind of note lists, such as those of handlers with timers that wait. A
// step waits until they are written.
const mostOrphans = 20

// noteUnread notes the events that nobody reads any more, since those who would are dropped.
func (m *review) noteUnread(dropped map[string]string) {
	left, names, events := m.readers.unread(), 0, 0
	for _, name := range slices.Sorted(maps.Keys(dropped)) {
		n := left[name]
		if n == 0 {
			continue
		}
		if names++; names > mostOrphans {
			events += n
			continue
		}
		m.migration.note("%s for %s %q, which no file declares any more: they are dropped", diag.Count(n, "event waits", "events wait"), dropped[name], strings.TrimPrefix(name, timerPrefix))
	}
	if more := names - mostOrphans; more > 0 {
		m.migration.note("so %s for %s: they are dropped", diag.Count(events, "event does", "events do"), diag.Plural(more, "other reader"))
	}
}

// noteTimers notes the timers of handlers that have vanished, and adds these to what is
// dropped.
func (m *review) noteTimers(dropped map[string]string) {
	gone := m.vanished(handlerNames)
	waiting, heirs := m.tx.Timers.Of(gone), m.newcomers(handlerNames)
	names, timers := 0, 0
	for _, name := range gone {
		dropped[timerPrefix+name] = "the handler"
		w := waiting[name]
		if w == nil {
			continue
		}
		if names++; names > mostOrphans {
			timers += w.N
			continue
		}
		m.migration.note("%s for the handler %q, which no file declares any more%s; ordered in %s",
			diag.Count(w.N, "timer waits", "timers wait"), name, heirs.instead(name), w.Places())
	}
	if more := names - mostOrphans; more > 0 {
		m.migration.note("so %s for %s", diag.Count(timers, "timer does", "timers do"), diag.Plural(more, "other handler"))
	}
}

// noteSwitched notes the systems that have vanished and were switched by hand, and adds all
// that have vanished to what is dropped.
func (m *review) noteSwitched(dropped map[string]string) {
	lost := m.vanished(systemNames)
	if len(lost) == 0 {
		return
	}
	for _, name := range lost {
		dropped[name] = "system"
	}
	heirs, off, names := m.newcomers(systemNames), m.off(), 0
	for _, s := range m.world.Schedule().Stats(nil) {
		if dropped[s.Name] == "system" && s.Enabled == off[s.Name] {
			if names++; names > mostOrphans {
				continue
			}
			is := map[bool]string{false: "off", true: "on"}
			m.migration.note("system %q is switched %s, and no file declares it any more%s: under another name it is %s, as the text says",
				s.Name, is[s.Enabled], heirs.instead(s.Name), is[!s.Enabled])
		}
	}
	if more := names - mostOrphans; more > 0 {
		m.migration.note("so %s", diag.Count(more, "other system is", "other systems are"))
	}
}

// noteLostEvents notes the events that wait for readers, but for those that are dropped, and
// that no file declares any more.
func (m *review) noteLostEvents(dropped map[string]string) {
	known := map[string]bool{}
	for _, s := range slices.Concat(m.stay, m.fresh) {
		for _, e := range s.events {
			known[e.Name] = true
		}
	}
	waiting, names := m.readers.waiting(dropped), 0
	for _, s := range m.gone {
		for _, e := range s.events {
			if n := waiting[e.ID]; n > 0 && e.Ready && !known[e.Name] {
				known[e.Name] = true
				if names++; names > mostOrphans {
					continue
				}
				m.migration.note("%s: %s to be read, and no file declares it any more: unseen, until one declares %q again",
					e.Name, diag.Count(n, "event waits", "events wait"), e.Name)
			}
		}
	}
	if more := names - mostOrphans; more > 0 {
		m.migration.note("so it is with the events of %s", diag.Plural(more, "other type"))
	}
}

// off has the systems that go and are off by their text.
func (m *review) off() map[string]bool {
	off := map[string]bool{}
	for _, s := range m.gone {
		for _, sys := range s.Systems {
			off[sys.Name] = off[sys.Name] || sys.Spec.Disabled
		}
	}
	return off
}

// vanished lists the names that scripts which go have declared and no other script declares.
func (m *review) vanished(names func([]*Declarations) []string) []string {
	still := map[string]bool{}
	for _, name := range names(slices.Concat(m.stay, m.fresh)) {
		still[name] = true
	}
	return slices.DeleteFunc(names(m.gone), func(name string) bool { return still[name] })
}

// newcomers are the names of one kind that new scripts declare.
type newcomers struct {
	quota *diag.Quota
	now   []string
	only  string // the only one that is new; "" where there are others, or none
}

func (m *review) newcomers(names func([]*Declarations) []string) *newcomers {
	old, n := setOf(names(slices.Concat(m.stay, m.gone))), &newcomers{quota: &m.quota, now: names(m.fresh)}
	fresh := slices.DeleteFunc(slices.Clone(n.now), func(name string) bool { return old[name] })
	if len(fresh) == 1 {
		n.only = fresh[0]
	}
	return n
}

// instead proposes what has taken the place of a name that has vanished: a name near to it,
// or the only one that is new.
func (n *newcomers) instead(name string) string {
	near := n.quota.DidYouMean(name, func() []string { return n.now })
	if near != "" || n.only == "" {
		return near
	}
	return fmt.Sprintf(" (did you mean %q?)", n.only)
}

// sum adds up a count over the scripts that stay and those of the load, of which it returns the one with the most. There
// must be one.
func (m *review) sum(count func(*Declarations) int64) (total int64, largest *Declarations) {
	for _, s := range m.stay {
		total += count(s)
	}
	largest = m.fresh[0]
	for _, s := range m.fresh {
		total += count(s)
		if count(s) > count(largest) {
			largest = s
		}
	}
	return total, largest
}

// checkDeclared finds out whether the scripts of a load and those that stay
// declare too much together. The largest of the new ones has to answer.
func (m *review) checkDeclared() *diag.Error {
	limit := m.opts.Limits.DeclaredTotal
	if limit <= 0 || len(m.fresh) == 0 {
		return nil
	}
	total, largest := m.sum(func(s *Declarations) int64 { return s.declared.bytes })
	if total <= limit {
		return nil
	}
	return &diag.Error{Script: largest.Name, Limit: "DeclaredTotal", Message: "the files together declare too much: " + diag.Grouped(total) + " of " + diag.Grouped(limit) +
		" bytes, most of the new ones in this file (Limits.DeclaredTotal)"}
}

// checkSystems finds out whether the scripts of a load and those that stay have too many systems and observers
// together. That file of the load has to answer which has the most.
func (m *review) checkSystems() *diag.Error {
	limit := int64(m.opts.Limits.Systems)
	if limit <= 0 || len(m.fresh) == 0 {
		return nil
	}
	total, largest := m.sum(func(s *Declarations) int64 { return int64(len(s.Systems) + len(s.observers)) })
	if total <= limit || len(largest.Problems) > 0 { // what is wrong with it already refuses the load
		return nil
	}
	return &diag.Error{Script: largest.Name, Limit: "Systems", Message: "the files together have too many systems and observers: " + diag.Grouped(total) + " of " +
		diag.Grouped(limit) + ", most of the new ones in this file (Limits.Systems)"}
}

// checkNames finds out whether what the load says of old names can be, and notes what
// becomes of their values.
func (m *review) checkNames() []*diag.Error {
	var problems []*diag.Error
	first := len(m.stay)+len(m.gone) == 0
	for _, s := range m.fresh {
		for _, c := range s.Components {
			if c.Was == "" || c.Broken || len(problems) >= mostTogether {
				continue
			}
			if e := m.checkOld(c.Was, fmt.Sprintf("component %q: was = %q", c.Name, c.Was), first || m.known(c.Name)); e != nil {
				e.Put(c.Place)
				problems = append(problems, e)
			}
		}
		for _, d := range s.drops {
			if len(problems) >= mostTogether {
				break
			}
			if e := m.checkDrop(d, first); e != nil {
				e.Put(d.at)
				problems = append(problems, e)
			}
		}
	}
	return problems
}

// checkObservers finds the observers whose names the host has given to its own. Nothing may
// refuse them any more when Commit comes to them, since the schedule has changed by then.
func (m *review) checkObservers() (problems []*diag.Error) {
	for _, s := range m.fresh {
		for _, o := range s.observers {
			if m.callbacks.observing[o.name] {
				continue // of an older version of the script, which ends before
			}
			try := ecs.Observer{Name: o.name, On: ecs.OnSpawn, Run: func(*ecs.Tick, ecs.Notice) error { return nil }}
			if m.world.Observe(try) != nil {
				problems = append(problems, diag.New("the host has an observer with the name %q already", o.name).On(o.at))
				continue
			}
			m.world.Unobserve(o.name)
		}
	}
	return problems
}

// known reports whether the world has a component of that name.
func (m *review) known(name string) bool {
	_, ok := m.world.Raw().ComponentNamed(name)
	return ok
}

// checkOld finds out whether a name can be one of earlier. Where it may be long gone,
// it need not be known.
func (m *review) checkOld(name, what string, longGone bool) *diag.Error {
	if user := m.userOf("component " + name); user != "" {
		return diag.New("%s, but %s uses %q still", what, user, name)
	}
	if !longGone && !m.known(name) && !m.migration.dropped[name] {
		return diag.New("%s: there is no such component%s", what, m.quota.DidYouMean(name, m.scriptNames))
	}
	return nil
}

// userOf returns the first script that uses something, "" if nobody does.
func (m *review) userOf(use string) string {
	if m.users == nil {
		m.users = map[string]string{}
		for _, s := range slices.Backward(slices.Concat(m.stay, m.fresh)) {
			for _, u := range s.uses {
				m.users[u] = s.Name
			}
		}
	}
	return m.users[use]
}

// scriptNames lists the components that scripts have made.
func (m *review) scriptNames() []string {
	var names []string
	for _, name := range m.components.Existing() {
		if c := m.components.InForce(name); !c.Hosts() {
			names = append(names, name)
		}
	}
	return names
}

func (m *review) checkDrop(d dropping, first bool) *diag.Error {
	what := fmt.Sprintf("ecs.drop(%q)", d.name)
	if c := m.staged.renamed[d.name]; c != nil && !c.Broken {
		return diag.New("%s, but %s says that it is %q now", what, c.Place.String(), c.Name)
	}
	if c := m.components.InForce(d.name); c != nil && c.Hosts() {
		return &diag.Error{Message: what + ": it is the host's"}
	}
	if e := m.checkOld(d.name, what, first); e != nil {
		return e
	}
	if id, ok := m.world.Raw().ComponentNamed(d.name); ok && m.migration.drops[d.name] == (diag.Place{}) {
		if n := holders(m.world, id); n > 0 {
			m.migration.note("%s: %s it, as %s says", d.name, diag.Count(n, "entity loses", "entities lose"), what)
		}
	}
	m.migration.drops[d.name] = d.at
	return nil
}
