package record

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Player runs a recording again in a session. The session is the player's until Close: nothing else
// steps it.
type Player struct {
	r       *Recording
	s       *Session
	folder  *fileSet
	digests digests
	want    map[string]sums // of the tick at hand, as recorded
	tick    uint64
	differs bool
	ended   uint64 // the first tick in which the recorded run was no longer repeatable; 0 for none
	alone   uint64 // the first tick in which this run was no longer repeatable, where the recorded one was; 0 for none
	from    uint64 // the tick of the keyframe that this run has begun with; 0 for none
	other   bool   // the scripts are not those of the recording
	err     error  // of the steps, which are made all the same
}

// PlayOptions say how a recording is run again.
type PlayOptions struct {
	// Keyframes are those with which it was recorded. Nil: only a recording from tick 0 on can be run,
	// and all of it.
	Keyframes Keyframes
	// At is the tick to begin with, or the nearest before it that has a keyframe. Zero: the beginning.
	At uint64
	// Scripts are run in place of those of the recording, to see from which tick on other scripts make another game; nil for
	// those that were recorded. Reloads of the recording are passed over then, and what scripts keep is not compared.
	Scripts fs.FS
}

// Play loads the scripts of a recording into the session's host, which has none, and makes it what the recording began with.
// The host is as the one that was recorded: its world has the seed and the tag of
// [Recording.Header], and was filled by the program in the same way; the same inputs are declared in
// the same order. Limits that measure time should be off: see [scripting.Host.Unrepeatable].
//
// The error wraps [ErrDiffers] and says what is not the same, or is that of [scripting.Host.Load] or
// of the keyframe.
func (r *Recording) Play(s *Session, options PlayOptions) (*Player, error) {
	refuse := func(err error) (*Player, error) { return nil, fmt.Errorf("record: Play: %w", err) }
	switch {
	case r == nil:
		return refuse(fmt.Errorf("%w: no recording", ecs.ErrConflict))
	case !s.open():
		return refuse(scripting.ErrClosed)
	case s.recorder != nil || s.rollback != nil:
		return refuse(fmt.Errorf("%w: the session records, or can be rewound", ecs.ErrConflict))
	}
	if err := r.fits(s); err != nil {
		return refuse(err)
	}
	k := r.keyframeBefore(max(options.At, r.start))
	if r.start == 0 && options.Keyframes == nil {
		k = nil
	}
	p := &Player{r: r, s: s, folder: r.folder(), tick: r.start, want: map[string]sums{}, other: options.Scripts != nil}
	if k != nil {
		if err := p.follow(k.tick); err != nil {
			return refuse(err)
		}
	}
	scripts := options.Scripts
	if scripts == nil {
		scripts = p.folder
	}
	if err := s.host.Load(scripts); err != nil {
		return refuse(err)
	}
	if k != nil {
		if err := p.restore(k, options.Keyframes); err != nil {
			return refuse(err)
		}
	}
	p.digests.begin(s.host, true)
	if _, now := s.host.World().Time(); now != p.tick {
		return refuse(fmt.Errorf("%w: the world is in tick %d, the recording in tick %d", ErrDiffers, now, p.tick))
	}
	if k == nil || k.tick == r.start {
		p.expect(&r.begun)
	}
	if !p.other && (k == nil || k.tick == r.start) {
		if d := p.compare(&r.begun); d != nil {
			return refuse(fmt.Errorf("%w: before the first tick: %v", ErrDiffers, d))
		}
	}
	return p, nil
}

// fits says whether a session is of the game that was recorded.
func (r *Recording) fits(s *Session) error {
	is := s.header(nil, false)
	switch {
	case is.Seed != r.header.Seed:
		return fmt.Errorf("%w: the seed is %d, recorded was %d", ErrDiffers, is.Seed, r.header.Seed)
	case is.Tag != r.header.Tag:
		return fmt.Errorf("%w: the tag of the world is %d, recorded was %d", ErrDiffers, is.Tag, r.header.Tag)
	case !slices.Equal(is.Inputs, r.header.Inputs):
		return fmt.Errorf("%w: the declared inputs are %v, recorded were %v", ErrDiffers, is.Inputs, r.header.Inputs)
	}
	return nil
}

// follow makes the folder what was in force after a tick.
func (p *Player) follow(tick uint64) error {
	for n := p.r.start + 1; n <= tick; n++ {
		if !p.reloads(n) {
			continue
		}
		t, err := p.r.read(n)
		if err != nil {
			return err
		}
		for _, reload := range t.reloads {
			p.write(reload)
		}
	}
	return nil
}

// restore loads a keyframe.
func (p *Player) restore(k *keyframe, keys Keyframes) error {
	if keys == nil {
		return fmt.Errorf("%w: the recording begins with a keyframe of tick %d, and there is nothing to load it with", ErrDiffers, k.tick)
	}
	if err := keys.Load(p.s.host, &pieceReader{r: p.r, at: k.at, sum: k.sum}); err != nil {
		return fmt.Errorf("the keyframe of tick %d: %w", k.tick, err)
	}
	p.tick, p.from = k.tick, k.tick
	return nil
}

// write puts the texts of a reload into the folder.
func (p *Player) write(r scripting.Reload) {
	for name, text := range r.Texts {
		p.folder.write(name, text)
	}
}

// Tick returns the tick that was made last.
func (p *Player) Tick() uint64 {
	if p == nil {
		return 0
	}
	return p.tick
}

// Step makes the next tick as it was recorded. It returns how it differs from the recording, nil if it does
// not, or if it has differed before. The error wraps [ErrEnd] after the last tick, [ErrDamaged], or
// [ErrDiffers] when an input cannot be read. What a step of the host returns is no error of the replay: see Err.
func (p *Player) Step() (*Divergence, error) {
	t, err := p.next()
	if err != nil {
		return nil, err
	}
	return p.compare(&t.digest), nil
}

// Skip makes the next tick as Step does, and compares nothing.
func (p *Player) Skip() error {
	_, err := p.next()
	return err
}

// next makes the next tick.
func (p *Player) next() (*step, error) {
	if p == nil || !p.s.open() {
		return nil, fmt.Errorf("record: replay: %w", scripting.ErrClosed)
	}
	t, err := p.r.read(p.tick + 1)
	if err != nil {
		return nil, fmt.Errorf("record: replay: %w", err)
	}
	for _, reload := range t.reloads {
		if !p.other {
			p.write(reload)
			p.s.host.Stage(reload.Changed, reload.Removed)
		}
	}
	list, err := p.s.decode(&t.tick)
	if err != nil {
		return nil, fmt.Errorf("record: replay: tick %d: %w", p.tick+1, err)
	}
	before := p.s.host.Unrepeatable()
	if _, err := p.s.run(context.Background(), t.dt, list); err != nil {
		p.err = err
	}
	_, now := p.s.host.World().Time()
	if now != p.tick+1 {
		return nil, fmt.Errorf("record: replay: tick %d was not made: %w", p.tick+1, p.err)
	}
	if p.tick = now; t.ended > 0 && p.ended == 0 {
		p.ended = now
	}
	if t.ended == 0 && p.s.host.Unrepeatable() > before && (p.alone == 0 || now < p.alone) {
		p.alone = now
	}
	p.expect(&t.digest)
	return t, nil
}

// expect notes what a digest says of components.
func (p *Player) expect(d *digest) {
	for _, c := range d.changed {
		if c.sums == (sums{}) { // as of a name that is not there
			delete(p.want, c.name)
		} else {
			p.want[c.name] = c.sums
		}
	}
}

// Err returns what the newest step of the host has returned that returned an error: of Go systems, or
// of inputs.
func (p *Player) Err() error {
	if p == nil {
		return nil
	}
	return p.err
}
