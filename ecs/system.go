package ecs

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/ecs/internal/rng"
	"github.com/perigee-ecs/perigee/ecs/internal/work"
)

// Phase is a band of the schedule. Phases run in rising order.
type Phase uint16

// The phases. Each ends where the next begins: Logic has room for priorities 0
// to 199, the others for 0 to 99.
const (
	Input     Phase = 0
	Logic     Phase = 100
	Physics   Phase = 300
	Animation Phase = 400
	Render    Phase = 500
	Audio     Phase = 600
	Debug     Phase = 700
	phaseEnd  Phase = 800
)

var phases = [...]struct {
	phase Phase
	name  string
}{
	{Input, "input"}, {Logic, "logic"}, {Physics, "physics"}, {Animation, "animation"},
	{Render, "render"}, {Audio, "audio"}, {Debug, "debug"},
}

// String returns the name scripts use: "logic".
func (p Phase) String() string {
	for _, known := range phases {
		if known.phase == p {
			return known.name
		}
	}
	return fmt.Sprintf("phase %d", uint16(p))
}

// PhaseNamed returns the phase of a name.
func PhaseNamed(name string) (Phase, bool) {
	for _, known := range phases {
		if known.name == name {
			return known.phase, true
		}
	}
	return 0, false
}

// PhaseNames returns the names in running order.
func PhaseNames() []string {
	names := make([]string, len(phases))
	for i, known := range phases {
		names[i] = known.name
	}
	return names
}

// width returns how many priorities the phase has, 0 for no phase.
func (p Phase) width() int {
	for i, known := range phases {
		if known.phase == p && i+1 < len(phases) {
			return int(phases[i+1].phase - p)
		}
	}
	if p == Debug {
		return int(phaseEnd - Debug)
	}
	return 0
}

// System is a named function that the schedule runs. Go and script systems are
// the same kind of thing.
type System struct {
	Name     string
	Phase    Phase
	Priority int // lower first inside the phase; ties run in order of their names
	// Before and After name systems that this one precedes or follows; they
	// outrank Priority. A name that ends in '?' may be absent. Fixed steps come
	// before the tick's systems anyway: to ask for that is allowed, to ask for
	// the contrary wraps ErrCycle.
	Before, After []string
	// Requires names systems without which this one makes no sense: while one of
	// them is parked, or does not run for such a reason itself, this one does not
	// run either and is Blocked. A name that ends in '?' may be absent and does
	// not block; ask Schedule.Health where it matters. A required system that is
	// switched off blocks no other: that is the host's wish. To require a system
	// says nothing about the order: name it in After, too.
	Requires []string
	// Every is the interval in seconds of simulation time; zero runs each time.
	// Tick.DT is then the time since the last run.
	Every float64
	// Fixed runs the system in fixed steps, before the tick's other systems.
	Fixed bool
	// When decides before each run whether it takes place; nil means yes.
	When func(*World) bool
	// Unchanged decides whether the system runs although each of its Queries asks for what
	// has Changed, and nothing has; nil means that it does not. See Query.Changed.
	Unchanged func(*World) bool
	// Disabled systems are planned but not run; see Schedule.Enable.
	Disabled bool
	// Queries are what the system iterates: its access set is read off them.
	Queries []*Query
	// Parallel promises that the system touches nothing but the columns that its
	// Queries declare (those it writes with Write), its Tick and its Commands,
	// and what no other system touches. Then it may run at the same time as its neighbours
	// in the order, as far as none writes what another reads or writes and no Before
	// or After is between them; Schedule.Plan says which do. The same holds with
	// one worker and with many: such neighbours see the world as it was before
	// the first of them ran, and their commands are applied in order once the last
	// is done. A loop over a query that is not declared panics, a direct
	// structural change returns ErrIterating, and a system that ends its goroutine
	// has failed. What a system writes in a run counts as later than its own looks
	// for Changed in that run.
	Parallel bool
	// Serial says why the system is not Parallel, for Schedule.Explain.
	Serial string
	// Breaker says when the system is parked, nil that the world's Options do. Its zero
	// fields mean what theirs mean.
	Breaker *Breaker
	// Event names the event that the system reads, for tools; Event.Each fills it in.
	Event  string
	reader *Reader // of Event.Each: the schedule opens and closes it with the system
	// Init prepares the system: it is called once, when the system is added to the schedule and
	// before its first run, also for one that is Disabled. On an error or a panic the system
	// is not added. See Schedule.Change.
	//
	// It may do with the world what a function may that runs between two steps. What it
	// changes at once is there for the Init of the systems after it, and stays if one of these fails;
	// what it records in Tick.Commands is applied after the last of them, and dropped if one
	// fails. DT is zero. Step, Run, Close and changes of the schedule return ErrIterating.
	Init func(*Tick) error
	// Shutdown ends the system: it is called once, when the system has been removed or
	// replaced, or the world is being closed. When a system is replaced, the new one has been
	// prepared by then. It may do what Init may, and its commands are applied when it returns;
	// on an error or a panic they are dropped, and the system goes all the same.
	Shutdown func(*Tick) error
	// Run does the work. On an error its commands are dropped; the tick goes on.
	Run func(*Tick) error
}

// check refuses a system that lacks a part or contradicts itself.
func (s *System) check(w *World) error {
	switch {
	case s.Name == "":
		return fmt.Errorf("%w: a system needs a name", ErrConflict)
	case !utf8.ValidString(s.Name):
		return checkName("system", s.Name)
	case strings.HasSuffix(s.Name, "?"):
		return fmt.Errorf("%w: the name of system %q ends in '?', which says in lists of names that one may be missing", ErrConflict, s.Name)
	case s.Run == nil:
		return fmt.Errorf("%w: system %q has no function", ErrConflict, s.Name)
	case s.Phase.width() == 0:
		return fmt.Errorf("%w: system %q: there is no %s", ErrUnknown, s.Name, s.Phase)
	case s.Priority < 0 || s.Priority >= s.Phase.width():
		return fmt.Errorf("%w: system %q: priority %d, phase %s has 0 to %d", ErrRange, s.Name, s.Priority, s.Phase, s.Phase.width()-1)
	case !(s.Every >= 0 && s.Every < 1e9):
		return fmt.Errorf("%w: system %q: an interval of %v seconds", ErrRange, s.Name, s.Every)
	case slices.ContainsFunc(s.Queries, func(q *Query) bool { return q == nil || q.world != w }):
		return fmt.Errorf("%w: system %q declares a query of another world, or of none", ErrConflict, s.Name)
	case s.reader != nil && !slices.Contains(w.events.streams, s.reader.stream):
		return fmt.Errorf("%w: system %q reads events of another world", ErrConflict, s.Name)
	}
	if s.Breaker == nil {
		return nil
	}
	if err := s.Breaker.check(); err != nil {
		return fmt.Errorf("system %q: %w", s.Name, err)
	}
	return nil
}

// Tick is what a system and an observer get: the time, and the means to change
// things. It is valid during the call only: Parallel and ParallelFor of one that is over return
// ErrConflict, and what is recorded with its commands is dropped, which the step says that
// finds it.
type Tick struct {
	World        *World
	Commands     *Commands
	DT           float64 // seconds of simulation time since the system's last run
	Time         float64 // seconds of simulation time since the world began, at the end of the tick: the same in all of its fixed steps
	N            uint64  // number of the tick, from 1
	Alpha        float64 // how far the tick is into the next fixed step, 0 to 1; 0 in fixed steps
	System       string
	random       Random
	passed       bool          // see Pass
	idle         bool          // see Idle
	ofJob        bool          // that a function of Parallel gets
	over         bool          // nobody may use it
	parallelLoop *parallelLoop // of Parallel, once it was used
	parallelFor  *parallelFor  // of ParallelFor, likewise
	scope        *work.Scope   // of the run, for profiles; nil for none
}

// Pass says that this run does not count: the time since the last run goes on. It is for
// systems that find out only here whether they are wanted; those of parallel stages,
// and others that can know before, have System.When. An [Observer] that passes gets nothing
// more before the step, or the Run, has ended.
func (t *Tick) Pass() { t.passed = true }

// Idle says that this run has found nothing to do. If it returns nil and its commands apply, it
// is neither a success nor a failure: for its [Breaker] all is as if it had not run. A system that
// fails each time when there is work would else be well again each time when there is none.
// Of a Tick that a function of [Tick.Parallel] gets it says nothing.
func (t *Tick) Idle() { t.idle = true }

// Err returns nil while the tick can be used, which is until the run that it was made for ends: by
// then an error that wraps ErrConflict, as for a Tick that no world has made, or ErrClosed.
func (t *Tick) Err() error {
	switch {
	case t == nil || t.World == nil || t.Commands == nil:
		return fmt.Errorf("%w: this Tick is of no world", ErrConflict)
	case t.World.closed():
		return ErrClosed
	case t.over:
		return fmt.Errorf("%w: the Tick of %q is over", ErrConflict, t.System)
	}
	return nil
}

// Random returns the generator of this run of this system, or of this World.Run. What
// it yields follows from the world's seed, the name and how often it has run, so
// it is the same whatever other systems do and in whatever order they run.
func (t *Tick) Random() *Random { return &t.random }

// Breaker says when a failing system is parked and when it is tried again.
type Breaker struct {
	// Failures in a row that park a system; zero means 3, negative never. Runs that say
	// that they were idle, see [Tick.Idle], do not end the row.
	Failures int
	// Retry is the simulation time in seconds until a parked system is tried
	// again; it doubles with each failed retry. Zero means 1.
	Retry float64
	// MaxRetry bounds the doubling; zero means 60 seconds.
	MaxRetry float64
	// Burst is how many failures within Window park a system, whether it succeeds in
	// between or not; zero means that only those in a row count. At most 64.
	Burst int
	// Window is simulation time in seconds; zero means 10.
	Window float64
}

// mostBurst bounds Breaker.Burst: so many times are kept for each system that fails.
const mostBurst = 64

// check refuses numbers that are no times. Infinity is allowed as a bound only.
func (b *Breaker) check() error {
	switch {
	case !(b.Retry >= 0) || math.IsInf(b.Retry, 1):
		return fmt.Errorf("%w: Breaker.Retry is %v seconds", ErrRange, b.Retry)
	case !(b.MaxRetry >= 0):
		return fmt.Errorf("%w: Breaker.MaxRetry is %v seconds", ErrRange, b.MaxRetry)
	case b.Burst < 0 || b.Burst > mostBurst:
		return fmt.Errorf("%w: Breaker.Burst is %d, expected 0 to %d", ErrRange, b.Burst, mostBurst)
	case !(b.Window >= 0) || math.IsInf(b.Window, 1):
		return fmt.Errorf("%w: Breaker.Window is %v seconds", ErrRange, b.Window)
	}
	return nil
}

// fill puts the defaults in.
func (b *Breaker) fill() {
	if b.Failures == 0 {
		b.Failures = 3
	}
	if b.Retry == 0 {
		b.Retry = 1
	}
	if b.MaxRetry == 0 {
		b.MaxRetry = 60
	}
	if b.Window == 0 {
		b.Window = 10
	}
}

// Health is the state of a system's breaker.
type Health uint8

// The states, in the order in which a failing system goes through them.
const (
	Healthy    Health = iota // the last run that was not idle succeeded
	Monitoring               // failed, but not often enough to be parked
	Parked                   // open: not run until its retry time
	HalfOpen                 // being tried again
	Blocked                  // not run: a system that it requires does not run
)

// String returns the name of the state.
func (h Health) String() string {
	if names := [...]string{"healthy", "monitoring", "parked", "half-open", "blocked"}; int(h) < len(names) {
		return names[h]
	}
	return fmt.Sprintf("health %d", uint8(h))
}

// health is one breaker.
type health struct {
	state    Health
	failures int // in a row
	total    uint64
	wait     float64
	retryAt  float64
	own      *Breaker  // of the system; nil for that of the world
	since    float64   // when the state became what it is
	burst    []float64 // when it failed, the last Burst times, the oldest first
	recent   []Failure // the last ones, the oldest first
}

// Failure is a run of a system that has failed.
type Failure struct {
	Tick uint64
	Time float64 // of the simulation, in seconds
	Err  error
}

// mostRecent is how many failures of a system are kept.
const mostRecent = 8

// open reports whether the system has failed too often and not succeeded since.
func (h *health) open() bool { return h.state == Parked || h.state == HalfOpen }

// ready reports whether the system may run now.
func (h *health) ready(now float64) bool {
	if h.state == Parked && now >= h.retryAt {
		h.become(HalfOpen, now)
	}
	return h.state != Parked
}

// become changes the state.
func (h *health) become(state Health, now float64) {
	if h.state != state {
		h.state, h.since = state, now
	}
}

// succeeded counts a run.
func (h *health) succeeded(now float64) {
	h.failures, h.wait = 0, 0
	h.become(Healthy, now)
}

// failed counts a run; it reports whether this failure parked the system.
func (h *health) failed(f Failure, b *Breaker) bool {
	h.total++
	if len(h.recent) == mostRecent {
		h.recent = slices.Delete(h.recent, 0, 1)
	}
	h.recent = append(h.recent, f)
	now := f.Time
	switch {
	case errors.Is(f.Err, ErrCritical):
		h.wait, h.retryAt = math.Inf(1), math.Inf(1)
	case errors.Is(f.Err, ErrTransient) && h.state != HalfOpen:
		h.become(Monitoring, now)
		return false
	default:
		h.failures++
		inRow := h.state == HalfOpen || b.Failures >= 0 && h.failures >= b.Failures
		if burst := h.bursts(now, b); !inRow && !burst {
			h.become(Monitoring, now)
			return false
		}
		h.wait = min(max(h.wait*2, b.Retry), b.MaxRetry)
		h.retryAt = now + h.wait
	}
	h.become(Parked, now)
	h.burst = h.burst[:0]
	return true
}

// bursts notes a failure, and reports whether there were too many within the window.
func (h *health) bursts(now float64, b *Breaker) bool {
	if b.Burst == 0 {
		return false
	}
	if more := len(h.burst) + 1 - b.Burst; more > 0 { // many more if the breaker had another Burst
		h.burst = slices.Delete(h.burst, 0, more)
	}
	h.burst = append(h.burst, now)
	return len(h.burst) == b.Burst && now-h.burst[0] <= b.Window
}

// breakerImage is the health of what has a name.
type breakerImage struct {
	name   string
	health health
}

// capture copies the health, but for the breaker's own limits.
func (k *breakerImage) capture(name string, h *health) {
	burst, recent := append(k.health.burst[:0], h.burst...), append(k.health.recent[:0], h.recent...)
	k.name, k.health = name, *h
	k.health.own, k.health.burst, k.health.recent = nil, burst, recent
}

// restore makes a health what it was. Failures that were counted stay counted.
func (k *breakerImage) restore(h *health) {
	own, total := h.own, h.total
	burst, recent := append(h.burst[:0], k.health.burst...), append(h.recent[:0:0], k.health.recent...)
	*h = k.health
	h.own, h.total, h.burst, h.recent = own, max(total, k.health.total), burst, recent
}

// restoreBreaker makes the health of a name what it is in a list; one that is not there begins anew.
func restoreBreaker(list []breakerImage, name string, h *health, now float64) {
	for i := range list {
		if list[i].name == name {
			list[i].restore(h)
			return
		}
	}
	*h = health{own: h.own, total: h.total, since: now}
}

// SystemError reports a system or observer that failed or panicked.
type SystemError struct {
	System string
	Tick   uint64
	Parked bool // this failure parked the system
	Err    error
	Stack  []byte // of a panic
}

// Error returns one line; Stack holds the rest.
func (e *SystemError) Error() string {
	return fmt.Sprintf("system %q: tick %d: %v", e.System, e.Tick, e.Err)
}

// Unwrap returns what the system returned.
func (e *SystemError) Unwrap() error { return e.Err }

// protect turns a panic into an error.
func protect(run func() error) (stack []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			stack = debug.Stack()
			if e, ok := r.(error); ok {
				err = fmt.Errorf("panic: %w", e)
			} else {
				err = fmt.Errorf("panic: %v", r)
			}
		}
	}()
	return nil, realError(run())
}

// realError returns an error that can be asked for its text. A nil pointer cannot: it comes
// from a function that returns a variable of a pointer type as its error.
func realError(err error) error {
	if err == nil {
		return nil
	}
	if v := reflect.ValueOf(err); v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("%w: the error is a nil %T: return nil itself", ErrConflict, err)
	}
	return err
}

// Random is a generator of random numbers with 8 bytes of state and a period of
// 2⁶⁴. It is a rand.Source. The same seed gives the same numbers on every machine
// and in every later version; kernels draw the same ones from the same state.
type Random struct{ state rng.SplitMix }

// NewRandom returns a generator for a seed.
func NewRandom(seed uint64) *Random { return &Random{state: rng.SplitMix(seed)} }

// Uint64 returns the next number.
func (r *Random) Uint64() uint64 { return r.state.Uint64() }

// Float64 returns a number in [0, 1): the upper 53 bits of the next Uint64.
func (r *Random) Float64() float64 { return r.state.Float64() }

// State returns what Seed takes to go on from here.
func (r *Random) State() uint64 { return uint64(r.state) }

// Seed starts the generator anew.
func (r *Random) Seed(seed uint64) { r.state = rng.SplitMix(seed) }

// Rand returns a generator of the standard library that draws from this one.
func (r *Random) Rand() *rand.Rand { return rand.New(r) }

// systemSeed returns the seed of one run of a system. It follows from the world's
// seed, the system's name and how often it has run; so the order of systems, or
// another system, changes nothing that a system draws.
func systemSeed(world, name, run uint64) uint64 { return rng.Mix(world^name) + rng.Mix(run) }
