package record

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Keyframes keep a whole host as bytes, for recordings that begin in the middle of a game, and for
// seeking. A host that was loaded goes on as the one that was saved. Package
// [github.com/perigee-ecs/perigee/scripting/saves] has some that are saves.
type Keyframes interface {
	Save(h *scripting.Host, w io.Writer) error
	Load(h *scripting.Host, r io.Reader) error
}

// Options of a recording. The zero value is the default.
type Options struct {
	// Meta is what the program needs to open the same game again, such as limits. It may have 1,000
	// entries.
	Meta map[string]string
	// Keyframes are needed for a recording that does not begin with tick 0, and for seeking. Nil: none. A step
	// that makes one takes as long as a save of the game. What cannot be saved then is left out, see
	// [Recorder.Missed]; but the keyframe that a recording begins with has to be there.
	Keyframes Keyframes
	// Every is how many ticks lie between two keyframes, zero for 3,600.
	Every int
	// Sparse leaves out what names the entity and the field of a difference: a tick then takes
	// about 40 bytes, and a replay names the first tick alone.
	Sparse bool
}

const (
	defaultEvery = 3600
	mostMeta     = 1000
)

// Header says what game was recorded.
type Header struct {
	Format int               `json:"format"`
	Seed   uint64            `json:"seed,string"`
	Tag    uint16            `json:"tag"` // of the handles, which scripts may compute with
	Meta   map[string]string `json:"meta,omitempty"`
	Inputs []InputInfo       `json:"inputs,omitempty"`
	Sparse bool              `json:"sparse,omitempty"`
}

// InputInfo is an input that was declared.
type InputInfo struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"` // command, event or resource
	Layout string `json:"layout"`
}

// syncer is what a file can do beside writing. It is synced while it is written.
type syncer interface{ Sync() error }

// syncEvery is after how many ticks a file is synced.
const syncEvery = 600

// Recorder writes the recording of a session. It holds one tick in memory: what a step has got is
// written at its end, in one call of Write. A recording is of one run: one that is loaded into the host ends it, see
// [Recorder.Err]; a [Rollback.Rewind] does not.
type Recorder struct {
	s       *Session
	to      io.Writer
	options Options
	frames  frames
	digests digests
	texts   map[string][]byte // that are in force, as the recording knows them
	err     error
	missed  error // why the newest keyframe was left out
	closed  bool
	ticks   int // that were written
	last    uint64
	syncing chan error // has the result of the sync that is under way; nil while none is
	ended   int        // scripting.Host.Unrepeatable, after the last tick
}

// Record begins to record the session: its scripts, which are loaded, and from now on each step. The
// errors are those of writing; of Options.Keyframes; or wrap [ecs.ErrConflict] where the session
// records already, or has made ticks and there are no Keyframes.
//
// A step costs a digest more: O(values in columns that were written).
func (s *Session) Record(w io.Writer, options Options) (*Recorder, error) {
	refuse := func(err error) (*Recorder, error) { return nil, fmt.Errorf("record: Record: %w", err) }
	if !s.open() {
		return refuse(scripting.ErrClosed)
	}
	_, now := s.host.World().Time()
	switch {
	case w == nil:
		return refuse(fmt.Errorf("%w: nothing to write to", ecs.ErrConflict))
	case s.recorder != nil:
		return refuse(fmt.Errorf("%w: the session records already", ecs.ErrConflict))
	case now > 0 && options.Keyframes == nil:
		return refuse(fmt.Errorf("%w: the world is in tick %d: begin before the first step, or with Keyframes", ecs.ErrConflict, now))
	case len(options.Meta) > mostMeta:
		return refuse(fmt.Errorf("%w: Meta has %d entries, it may have %d", ecs.ErrRange, len(options.Meta), mostMeta))
	case options.Every < 0:
		return refuse(fmt.Errorf("%w: Every is %d", ecs.ErrRange, options.Every))
	}
	if options.Every == 0 {
		options.Every = defaultEvery
	}
	if err := s.Present(); err != nil {
		return refuse(err)
	}
	s.follow()
	_, now = s.host.World().Time()
	r := &Recorder{s: s, to: w, options: options, last: now, ended: s.host.Unrepeatable(), texts: s.host.Texts()}
	r.digests.begin(s.host, !options.Sparse)
	if err := r.start(now); err != nil {
		return refuse(err)
	}
	s.recorder, s.reloads = r, nil
	return r, nil
}

// header describes the session.
func (s *Session) header(meta map[string]string, sparse bool) Header {
	raw := s.host.World().Raw()
	h := Header{Format: 1, Seed: raw.Seed(), Tag: raw.Tag(), Meta: meta, Sparse: sparse}
	for _, x := range s.list {
		h.Inputs = append(h.Inputs, InputInfo{x.name(), x.kind(), x.layout()})
	}
	return h
}

// start writes what comes before the first tick.
func (r *Recorder) start(now uint64) error {
	head, err := json.Marshal(r.s.header(r.options.Meta, r.options.Sparse))
	if err != nil {
		return err
	}
	f := &r.frames
	f.begin()
	err = f.add(frameHeader, func(to []byte) []byte { return append(to, head...) })
	for _, name := range slices.Sorted(maps.Keys(r.texts)) {
		err = errors.Join(err, checkPath(name), f.add(frameText, func(to []byte) []byte { return appendBytes(appendText(to, name), r.texts[name]) }))
	}
	if err == nil && now > 0 {
		if err = r.keyframe(); err == nil {
			err = r.missed
		}
	}
	if err == nil {
		d := r.digests.of(r.s.host)
		err = f.add(frameStart, func(to []byte) []byte { return d.append(binary.AppendUvarint(to, now)) })
	}
	if err != nil {
		return err
	}
	return r.write()
}

// The first byte of a piece of a keyframe says what follows it.
const (
	pieceMore   = iota // other pieces
	pieceLast          // nothing: the keyframe is whole
	pieceMissed        // nothing: the keyframe could not be made
)

// keyframe appends a keyframe, in pieces. The error is one of writing. What stands in the way of the keyframe itself is
// kept in missed: the recording goes on without it.
func (r *Recorder) keyframe() error {
	p := pieces{r: r}
	r.missed = r.options.Keyframes.Save(r.s.host, &p)
	switch {
	case p.err != nil:
	case r.missed == nil:
		p.flush(pieceLast)
		r.digests.whole = true // for those who begin here
	default:
		r.missed = fmt.Errorf("record: no keyframe of tick %d: %w", r.last, r.missed)
		if p.rest = nil; p.begun {
			p.flush(pieceMissed)
		}
	}
	if p.err != nil {
		return fmt.Errorf("keyframe: %w", p.err)
	}
	return nil
}

// pieces writes a keyframe as frames.
type pieces struct {
	r     *Recorder
	rest  []byte
	begun bool  // a piece was written
	err   error // of writing
}

// Write implements io.Writer. It holds one piece in memory, and writes the others.
func (p *pieces) Write(b []byte) (int, error) {
	p.rest = append(p.rest, b...)
	for len(p.rest) > keyframePiece && p.err == nil {
		p.flush(pieceMore)
	}
	if p.err != nil {
		return 0, p.err
	}
	return len(b), nil
}

// flush writes a piece of what is held.
func (p *pieces) flush(follows byte) {
	n := min(len(p.rest), keyframePiece)
	p.err = p.r.frames.add(frameKeyframe, func(to []byte) []byte { return append(append(to, follows), p.rest[:n]...) })
	if p.err == nil {
		p.rest, p.begun = append(p.rest[:0], p.rest[n:]...), true
		p.err = p.r.write()
	}
}

// write gives the file what was appended.
func (r *Recorder) write() error {
	_, err := r.to.Write(r.frames.bytes)
	r.frames.bytes = r.frames.bytes[:0]
	return err
}

// active reports whether ticks are to be written.
func (r *Recorder) active() bool { return r != nil && !r.closed && r.err == nil }

// fail ends the recording. What was written is good up to the tick before.
func (r *Recorder) fail(err error) {
	r.err = fmt.Errorf("record: the recording has ended with tick %d: %w", r.last, err)
}

// tick writes a step that was made.
func (r *Recorder) tick(now uint64, t *tick, reloads []scripting.Reload) {
	if !r.active() {
		return
	}
	f := &r.frames
	var err error
	for _, reload := range reloads {
		err = errors.Join(err, f.add(frameReload, func(to []byte) []byte { return appendReload(to, reload) }))
	}
	ended := r.s.host.Unrepeatable()
	t.ended, r.ended = uint64(ended-r.ended), ended
	d := r.digests.of(r.s.host)
	if err == nil {
		err = f.add(frameTick, func(to []byte) []byte { return d.append(t.append(binary.AppendUvarint(to, now))) })
	}
	if err == nil {
		err = r.write()
	}
	if err != nil {
		r.fail(err)
		return
	}
	r.last = now
	r.ticks++
	if r.options.Keyframes != nil && r.ticks%r.options.Every == 0 {
		if err := r.keyframe(); err != nil {
			r.fail(err)
			return
		}
	}
	r.sync()
}

// sync has the file synced from time to time, beside the game: no tick waits for a disk.
func (r *Recorder) sync() {
	select {
	case err := <-r.syncing: // never of a nil channel
		if r.syncing = nil; err != nil {
			r.fail(err)
			return
		}
	default:
	}
	if file, ok := r.to.(syncer); ok && r.ticks%syncEvery == 0 && r.syncing == nil {
		done := make(chan error, 1)
		r.syncing = done
		go func() { done <- file.Sync() }()
	}
}

// append writes the inputs.
func (t *tick) append(to []byte) []byte {
	to = binary.AppendUvarint(appendWord(to, math.Float64bits(t.dt)), t.ended)
	to = binary.AppendUvarint(to, uint64(len(t.inputs)))
	for _, x := range t.inputs {
		to = binary.AppendUvarint(binary.AppendUvarint(to, uint64(x.of)), x.from)
		to = appendBytes(to, x.data)
	}
	return to
}

// appendReload writes a reload: the names that were staged, and the texts that are new.
func appendReload(to []byte, r scripting.Reload) []byte {
	for _, list := range [][]string{r.Changed, r.Removed} {
		to = binary.AppendUvarint(to, uint64(len(list)))
		for _, name := range list {
			to = appendText(to, name)
		}
	}
	to = binary.AppendUvarint(to, uint64(len(r.Texts)))
	for _, name := range slices.Sorted(maps.Keys(r.Texts)) {
		text := r.Texts[name]
		to = appendText(to, name)
		if text == nil {
			to = append(to, 0)
			continue
		}
		to = appendBytes(append(to, 1), text)
	}
	return to
}

// rewound writes that the next tick follows an earlier one.
func (r *Recorder) rewound(tick uint64) {
	if !r.active() {
		return
	}
	if tick == r.last {
		return
	}
	if err := r.frames.add(frameRewound, func(to []byte) []byte { return binary.AppendUvarint(to, tick) }); err != nil {
		r.fail(err)
		return
	}
	r.last, r.digests.whole = tick, true
}

// reaches reports whether a tick is in the recording, or right before it; true without one.
func (r *Recorder) reaches(tick uint64) bool {
	return !r.active() || tick <= r.last && r.last-tick <= uint64(r.ticks)
}

// follow notes the tick that the next step begins with. If that is not the one that was written last, or another game's, the
// game was loaded or restored beside the session.
func (r *Recorder) follow(tick uint64) {
	if r.active() && (tick != r.last || r.s.replaced()) {
		if err := r.end(); err != nil {
			r.fail(err)
			return
		}
		r.fail(fmt.Errorf("the world is in tick %d now: a save was loaded, or a snapshot restored; begin another recording after that, or go back with Rollback.Rewind", tick))
	}
}

// lose notes that a tick was made that cannot be written.
func (r *Recorder) lose(why error) {
	if r.active() {
		r.fail(why)
	}
}

// Err says why the recording has ended before its time; nil while it goes on. The file is good up to
// the tick before.
func (r *Recorder) Err() error {
	if r == nil {
		return nil
	}
	return r.err
}

// Missed says why the newest keyframe that was due is not in the recording, which goes on: something of the game
// cannot be saved. It returns nil if the keyframe is there, or none was due.
func (r *Recorder) Missed() error {
	if r == nil {
		return nil
	}
	return r.missed
}

// Close ends the recording, and says so in the file, which it syncs if it can. The writer stays open. It
// returns what Err returns, or why the end could not be written. A second call returns the same.
func (r *Recorder) Close() error {
	if r == nil || r.s == nil {
		return nil
	}
	if r.closed {
		return r.err
	}
	if r.s.recorder == r {
		r.s.recorder = nil
	}
	if r.syncing != nil { // the writer is the caller's again after Close
		if err := <-r.syncing; err != nil && r.err == nil {
			r.fail(err)
		}
		r.syncing = nil
	}
	if r.err == nil {
		err := r.end()
		if file, ok := r.to.(syncer); ok && err == nil {
			err = file.Sync()
		}
		if err != nil {
			r.fail(err)
		}
	}
	r.closed = true
	return r.err
}

// end writes that there are no more ticks.
func (r *Recorder) end() error {
	if err := r.frames.add(frameEnd, func(to []byte) []byte { return to }); err != nil {
		return err
	}
	return r.write()
}
