package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Errors of this package. What they are wrapped in says more.
var (
	// ErrDamaged says that bytes are not what a recorder has written.
	ErrDamaged = errors.New("damaged recording")
	// ErrDiffers says that a game is not the one that was recorded: other inputs are declared, or
	// the world is another one at the beginning.
	ErrDiffers = errors.New("not the game that was recorded")
	// ErrEnd says that a recording has no more ticks.
	ErrEnd = errors.New("end of the recording")
)

// Session is a host whose inputs are known. Steps of the host go through it. A session that neither
// records nor can be rewound steps as its host does, and keeps nothing.
//
// It belongs to the goroutine of its host, but for posts of inputs, which any goroutine may make.
//
// Invariant: inputs of list have the numbers of their places, from 0 on.
type Session struct {
	host   *scripting.Host
	inbox  *ecs.Inbox // nil without commands
	list   []inputType
	names  map[string]bool
	unhook func()

	recorder *Recorder // nil: nothing is recorded
	rollback *Rollback // nil: nothing can be rewound
	reloads  []scripting.Reload
	restores uint64 // of the world, as far as the session knows them

	mu      sync.Mutex // guards what follows
	waiting []posted
}

// inputType is something that the host has declared as an input.
type inputType interface {
	name() string
	// kind and layout say what the data are; both sides of a recording have the same.
	kind() string
	layout() string
	// read makes of data, which may come from anybody, what was posted.
	read(data []byte) (any, error)
	// append writes what was posted. A resource ignores it and writes what it is.
	append(to []byte, v any) ([]byte, error)
	// use does to the world what was posted, before its step.
	use(s *Session, from uint64, v any) error
}

// posted is an input that waits for the next step.
type posted struct {
	from uint64
	of   int // in list
	v    any
}

// tick is what a step has got.
type tick struct {
	dt     float64
	ended  uint64 // calls that were ended by what cannot be repeated: see scripting.Host.Unrepeatable
	inputs []recorded
}

// recorded is one input of a tick, as data.
type recorded struct {
	of   int
	from uint64
	data []byte
}

// mostInputs is how many inputs a session may declare, and mostPosts how many may wait for a step.
const (
	mostInputs = 1000
	mostPosts  = 1_000_000
)

// New makes a session of a host. Declare its inputs next, in the same order in each program that is to
// replay what it records. The error wraps [scripting.ErrClosed], or [ecs.ErrConflict] for no host.
func New(h *scripting.Host) (*Session, error) {
	if h == nil || h.World() == nil {
		return nil, fmt.Errorf("record: New: %w: a session needs a host", ecs.ErrConflict)
	}
	s := &Session{host: h, names: map[string]bool{}}
	unhook, err := h.OnReload(func(r scripting.Reload) {
		if r.Err == nil && (s.recorder != nil || s.rollback != nil) {
			s.reloads = append(s.reloads, r)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("record: New: %w", err)
	}
	s.unhook = unhook
	return s, nil
}

// Host returns the host.
func (s *Session) Host() *scripting.Host {
	if s == nil {
		return nil
	}
	return s.host
}

// Close ends what is recorded, and lets the host go, which stays open. A second call does nothing.
func (s *Session) Close() error {
	if s == nil || s.host == nil || s.unhook == nil {
		return nil
	}
	s.unhook()
	s.unhook = nil
	var err error
	if s.recorder != nil {
		err = s.recorder.Close()
	}
	if s.rollback != nil {
		s.rollback.Close()
	}
	if s.inbox != nil {
		s.inbox.Close()
	}
	return err
}

// open reports whether the session can be used.
func (s *Session) open() bool { return s != nil && s.unhook != nil }

// declare adds an input.
func (s *Session) declare(x inputType) error {
	switch {
	case !s.open():
		return fmt.Errorf("record: input %q: %w", x.name(), scripting.ErrClosed)
	case x.name() == "" || len(x.name()) > longestName:
		return fmt.Errorf("record: %w: an input needs a name of 1 to %d bytes", ecs.ErrRange, longestName)
	case s.names[x.name()]:
		return fmt.Errorf("record: input %q: %w: the name is taken", x.name(), ecs.ErrConflict)
	case len(s.list) == mostInputs:
		return fmt.Errorf("record: input %q: %w: there may be %d inputs", x.name(), ecs.ErrRange, mostInputs)
	case s.recorder != nil || s.rollback != nil:
		return fmt.Errorf("record: input %q: %w: declare inputs before anything is recorded", x.name(), ecs.ErrConflict)
	}
	s.names[x.name()] = true
	s.list = append(s.list, x)
	return nil
}

// post has an input wait for the next step.
func (s *Session) post(of int, from uint64, v any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) >= mostPosts {
		return fmt.Errorf("record: input %q: %w: %d inputs wait for the next step", s.list[of].name(), ecs.ErrInboxFull, len(s.waiting))
	}
	s.waiting = append(s.waiting, posted{from, of, v})
	return nil
}

// take returns what waits, by the numbers of those who have posted.
func (s *Session) take() []posted {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.waiting
	s.waiting = nil
	slices.SortStableFunc(list, func(a, b posted) int {
		switch {
		case a.from < b.from:
			return -1
		case a.from > b.from:
			return 1
		}
		return 0
	})
	return list
}

// own does what restores the world for the session.
func (s *Session) own(restore func() error) error {
	before := s.host.World().Raw().Restores()
	err := restore()
	s.restores += s.host.World().Raw().Restores() - before
	return err
}

// Back calls a function that makes the game what it was at an earlier moment of the session, between two steps, such as
// [scripting.Console.Undo]: the ticks since are given up, and those before stay kept in a [Rollback]. A look ends before. A
// recording goes on from there, unless that is before its beginning: then it ends, as with a save that is loaded. The error is that of the
// function, or says why the tick was not kept. O(bytes changed since).
func (s *Session) Back(restore func() error) error {
	switch {
	case !s.open():
		return fmt.Errorf("record: Back: %w", scripting.ErrClosed)
	case restore == nil:
		return fmt.Errorf("record: Back: %w: there is nothing to call", ecs.ErrConflict)
	}
	if err := s.rollback.Return(); err != nil {
		return err
	}
	_, before := s.host.World().Time()
	known := !s.replaced()
	if err := restore(); err != nil {
		return err
	}
	_, now := s.host.World().Time()
	if !known || now > before || !s.recorder.reaches(now) {
		return nil // the next step finds another game
	}
	s.restores = s.host.World().Raw().Restores()
	s.recorder.rewound(now)
	return s.rollback.back(now)
}

// replaced reports whether the game is another one since the last step: a save was loaded beside the session, or a snapshot
// restored.
func (s *Session) replaced() bool { return s.host.World().Raw().Restores() != s.restores }

// follow has the recorder and the rollback see the game that the next step begins with.
func (s *Session) follow() {
	_, tick := s.host.World().Time()
	s.recorder.follow(tick)
	s.rollback.follow(tick)
	s.restores = s.host.World().Raw().Restores()
}

// putBack has inputs wait again, before those that were posted meanwhile.
func (s *Session) putBack(list []posted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(list, s.waiting...)
}

// Step makes a step of the host, with the inputs that were posted since the last one. What it returns
// is what [scripting.Host.Step] returns, and why inputs could not be done. If the step is recorded and
// cannot be, [Recorder.Err] says why, and the game goes on; a [Rollback] then begins anew, and Step says why. The inputs of
// a step that is refused wait for the next one.
func (s *Session) Step(dt float64) error { return s.step(context.Background(), dt) }

// StepContext is Step that a context ends early: see [scripting.Host.StepContext]. A step that was cut
// short cannot be repeated: a recording ends with the tick before, and a rollback begins anew after
// the next whole step.
func (s *Session) StepContext(ctx context.Context, dt float64) error {
	if ctx == nil {
		return fmt.Errorf("record: StepContext: %w: the context is nil", ecs.ErrConflict)
	}
	return s.step(ctx, dt)
}

// step makes a step under a context, and has it kept. What is posted while the step runs waits for the next one. The inputs
// are written before the step and kept after it: a step that is refused has not been, and its inputs wait for the next.
func (s *Session) step(ctx context.Context, dt float64) error {
	if !s.open() {
		return fmt.Errorf("record: Step: %w", scripting.ErrClosed)
	}
	if err := s.rollback.Return(); err != nil {
		return fmt.Errorf("record: Step: %w", err)
	}
	list := s.take()
	t, lost := s.encode(dt, list)
	_, before := s.host.World().Time()
	begun, err := s.run(ctx, dt, list)
	if !begun {
		s.putBack(list)
		return err
	}
	_, now := s.host.World().Time()
	reloads := s.reloads
	s.reloads = nil
	switch cut := ctx.Err() != nil && errors.Is(err, ctx.Err()); {
	case cut || now == before:
		s.recorder.lose(fmt.Errorf("tick %d was cut short, and cannot be repeated", before+1))
		s.rollback.forget()
		return err
	case lost != nil:
		s.recorder.lose(fmt.Errorf("tick %d: %w", now, lost))
		return errors.Join(err, s.rollback.lose(lost))
	}
	s.recorder.tick(now, &t, reloads)
	return errors.Join(err, s.rollback.tick(now, &t, reloads))
}

// written returns a value as its codec writes it. A panic of the codec is an error: the game goes on.
func written(of inputType, v any) (data []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("its codec has panicked: %v", p)
		}
	}()
	return of.append(nil, v)
}

// encode writes the inputs of a step as data, if somebody keeps them. Resources are in each tick, the others as they came.
func (s *Session) encode(dt float64, list []posted) (tick, error) {
	t := tick{dt: dt}
	if !s.recorder.active() && s.rollback == nil {
		return t, nil
	}
	for i, x := range s.list {
		if x.kind() != kindResource {
			continue
		}
		data, err := written(x, nil)
		if err != nil {
			return t, fmt.Errorf("resource %q: %w", x.name(), err)
		}
		t.inputs = append(t.inputs, recorded{i, 0, data})
	}
	for _, p := range list {
		data, err := written(s.list[p.of], p.v)
		if err != nil {
			return t, fmt.Errorf("input %q: %w", s.list[p.of].name(), err)
		}
		t.inputs = append(t.inputs, recorded{p.of, p.from, data})
	}
	return t, nil
}

// decode reads the inputs of a tick.
func (s *Session) decode(t *tick) ([]posted, error) {
	list := make([]posted, 0, len(t.inputs))
	for _, r := range t.inputs {
		if r.of < 0 || r.of >= len(s.list) {
			return nil, fmt.Errorf("%w: input %d, and %d are declared", ErrDiffers, r.of, len(s.list))
		}
		v, err := s.list[r.of].read(r.data)
		if err != nil {
			return nil, fmt.Errorf("input %q: %w", s.list[r.of].name(), err)
		}
		list = append(list, posted{r.from, r.of, v})
	}
	return list, nil
}

// run makes a step with inputs. If it has not begun, nothing was done.
func (s *Session) run(ctx context.Context, dt float64, list []posted) (begun bool, err error) {
	var errs []error
	err = s.host.StepWith(ctx, dt, func() {
		begun = true
		s.follow()
		for _, p := range list {
			if err := s.list[p.of].use(s, p.from, p.v); err != nil {
				errs = append(errs, fmt.Errorf("record: input %q: %w", s.list[p.of].name(), err))
			}
		}
	})
	if len(errs) == 0 {
		return begun, err
	}
	return begun, errors.Join(append(errs, err)...)
}

// again makes a step that was made before.
func (s *Session) again(t *tick) error {
	list, err := s.decode(t)
	if err != nil {
		return err
	}
	_, err = s.run(context.Background(), t.dt, list)
	return err
}
