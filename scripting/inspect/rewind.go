package inspect

import (
	"errors"
	"net/http"
	"slices"

	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/record"
)

// The bounds of Options.Rewind that is zero.
const (
	rewindTicks = 1800      // half a minute at 60 ticks a second
	rewindBytes = 256 << 20 // of memory
)

// rewind is the time machine: the last ticks, if they are kept.
//
// Invariant: it belongs to the goroutine of the host. back is a rollback of Options.Session, or nil: then
// nothing is kept, and a step costs nothing more.
type rewind struct {
	back  *record.Rollback
	notes []string // of the last tick that was run on from
}

// rewindJSON is what is kept, and what is looked at.
type rewindJSON struct {
	Keeping   bool     `json:"keeping"`
	Looking   bool     `json:"looking"` // the world shows an earlier tick
	At        uint64   `json:"at"`      // the tick that the world shows
	Oldest    uint64   `json:"oldest"`  // that is kept
	Newest    uint64   `json:"newest"`
	Kept      int      `json:"kept"` // how many ticks
	MostTicks int      `json:"most_ticks"`
	Bytes     int64    `json:"bytes"`
	MostBytes int64    `json:"most_bytes"`
	Error     string   `json:"error,omitempty"` // why the last tick was not kept
	Notes     []string `json:"notes,omitempty"` // what the last run_from has found of the scripts
	Ticks     []uint64 `json:"ticks,omitempty"` // that are kept, the oldest first, 4,000 at most; not in a status
}

// rewindStatus is the time machine in a status, without its ticks; nil without a session. For the
// goroutine of the host.
func (i *Inspector) rewindStatus() *rewindJSON {
	if i.options.Session == nil {
		return nil
	}
	b := i.rewind.back
	s := &rewindJSON{Keeping: b != nil, MostTicks: i.options.Rewind.Ticks, MostBytes: i.options.Rewind.Bytes, Bytes: b.Bytes(), Notes: i.rewind.notes}
	_, s.At = i.world.Time()
	_, s.Looking = b.Looking()
	for tick := range b.Ticks() {
		if s.Kept++; s.Kept == 1 {
			s.Oldest = tick
		}
		s.Newest = tick
	}
	if err := b.Err(); err != nil {
		s.Error = cut(err.Error())
	}
	return s
}

// wholeRewind is the time machine with its ticks.
func (i *Inspector) wholeRewind() rewindJSON {
	s := *i.rewindStatus()
	s.Ticks = listed(slices.Collect(i.rewind.back.Ticks()))
	return s
}

// mostListedTicks bounds the ticks in an answer.
const mostListedTicks = 4000

// listed returns the ticks that an answer names: the newer half of its room as they are, and of the
// older ones as many as fit, evenly, with the oldest.
func listed(ticks []uint64) []uint64 {
	const half = mostListedTicks / 2
	older := len(ticks) - half
	if older <= half {
		return ticks
	}
	list := make([]uint64, 0, mostListedTicks)
	for k := range half {
		list = append(list, ticks[k*older/half])
	}
	return append(list, ticks[older:]...)
}

// errNoSession is the answer where time goes forward only.
func errNoSession() error {
	return failf(http.StatusConflict, "this game cannot be rewound: the program has given the inspector no session")
}

// errNotKeeping is the answer while nothing is kept.
func errNotKeeping() error {
	return failf(http.StatusConflict, "no ticks are kept: begin with {\"keep\": true}")
}

func (i *Inspector) getRewind(r *http.Request) (any, error) {
	if i.options.Session == nil {
		return nil, errNoSession()
	}
	var s rewindJSON
	err := i.ask(r.Context(), func() error { s = i.wholeRewind(); return nil })
	return s, err
}

// rewindRequest is one thing that is asked of the time machine.
type rewindRequest struct {
	Keep    *bool   `json:"keep"`
	Look    *uint64 `json:"look"`
	Back    bool    `json:"back"`
	RunFrom *uint64 `json:"run_from"`
}

// single reports whether exactly one thing is asked.
func (q *rewindRequest) single() bool {
	n := 0
	for _, is := range []bool{q.Keep != nil, q.Look != nil, q.Back, q.RunFrom != nil} {
		if is {
			n++
		}
	}
	return n == 1
}

// postRewind keeps ticks, shows one, comes back, or makes an earlier one the present.
func (i *Inspector) postRewind(r *http.Request) (any, error) {
	var want rewindRequest
	if err := body(r, &want); err != nil {
		return nil, err
	}
	switch {
	case !want.single():
		return nil, failf(http.StatusBadRequest, "expected one of keep, look, back and run_from")
	case i.options.Session == nil:
		return nil, errNoSession()
	case want.RunFrom != nil && !i.options.Edit:
		return nil, failf(http.StatusForbidden, "to run on from an earlier tick changes the game, and this inspector only shows: the program has not set its option Edit")
	}
	var s rewindJSON
	if want.Keep != nil {
		err := i.ask(r.Context(), func() error { err := i.keepTicks(*want.Keep); s = i.wholeRewind(); return err })
		return s, err
	}
	if i.options.Loop == nil {
		return nil, failf(http.StatusConflict, "the program has given the inspector no loop, which would stand still meanwhile")
	}
	err := i.ask(r.Context(), func() error {
		err := i.goTo(&want)
		s = i.wholeRewind()
		return err
	})
	return s, err
}

// hold pauses the game after it was brought to another tick, between two steps. A step that was due, or asked for, before
// belongs to the present of then: it would end the look, or run on unseen, so it is taken back. So is the
// choice of one system for it.
func (i *Inspector) hold() {
	i.options.Loop.Halt()
	i.world.Schedule().Only("")
}

// keepTicks begins to keep ticks, or ends it.
func (i *Inspector) keepTicks(on bool) (err error) {
	switch b := i.rewind.back; {
	case on && b == nil:
		i.rewind.back, err = i.options.Session.Rollback(i.options.Rewind)
	case !on && b != nil:
		b.Close()
		i.rewind = rewind{}
		i.show()
	}
	return err
}

// goTo looks at a tick, comes back from there, or makes it the present.
func (i *Inspector) goTo(want *rewindRequest) error {
	b := i.rewind.back
	if b == nil {
		return errNotKeeping()
	}
	defer i.show()
	var err error
	switch {
	case want.Look != nil:
		err = b.Look(*want.Look)
	case want.Back:
		err = b.Return()
	default:
		err = i.runFrom(*want.RunFrom)
	}
	if err == nil {
		i.hold()
	}
	return err
}

// runFrom makes a tick that is kept the present.
func (i *Inspector) runFrom(tick uint64) error {
	b := i.rewind.back
	if !slices.Contains(slices.Collect(b.Ticks()), tick) {
		return failf(http.StatusNotFound, "tick %d is not kept", tick)
	}
	if err := b.Rewind(tick); err != nil {
		return err
	}
	i.rewind.notes = notesOf(b.Restored())
	if i.options.View != nil {
		i.options.Play(released) // keys that were held then are not held now
	}
	return nil
}

// notesOf says what a restore has found of the scripts.
func notesOf(r scripting.Restored) (notes []string) {
	for _, name := range r.Changed {
		notes = append(notes, cut(name+" has changed since then: its new text runs on"))
	}
	for _, name := range r.New {
		notes = append(notes, cut(name+" was not there then: it starts now"))
	}
	for _, name := range r.Missing {
		notes = append(notes, cut(name+" is gone since then"))
	}
	for _, n := range r.Notes {
		notes = append(notes, cut(n))
	}
	return notes[:min(len(notes), mostProblems)]
}

// edit is ask for what changes the world: not while an earlier tick is looked at, since it would be lost.
func (i *Inspector) edit(r *http.Request, do func() error) error {
	return i.ask(r.Context(), func() error {
		if tick, ok := i.rewind.back.Looking(); ok {
			return failf(http.StatusConflict, "this is tick %d, which is only looked at: run on from it first, or come back", tick)
		}
		return do()
	})
}

// isNotKept reports whether an error is of a tick that is not kept.
func isNotKept(err error) bool { return errors.Is(err, snapshot.ErrNotKept) }
