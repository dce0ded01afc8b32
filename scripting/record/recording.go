package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"sort"

	"github.com/perigee-ecs/perigee/scripting"
)

// Recording is a file that was opened: a game that can be run again. It may come from anybody. All of
// it is read once by Open, and is read again tick by tick; in memory it is a list with some bytes for
// each tick, and the texts.
//
// Invariant: ticks are in the order in which they were made, without those that were rewound; the
// number of each is one above that of the one before.
type Recording struct {
	header Header
	texts  *fileSet
	frames frameReader
	start  uint64
	begun  digest
	ticks  []tickPlace
	keys   []keyframe
	closed bool
	damage *Damage
	usage  fileUsage // of the files in force, while it is opened
}

// tickPlace is where a tick is in the file, with the reloads before it.
type tickPlace struct {
	at   int64  // of the first frame that belongs to it
	sum  uint32 // of all before
	tick int64  // of the tick's frame
}

// keyframe is where the pieces of a keyframe begin.
type keyframe struct {
	tick  uint64
	at    int64
	sum   uint32
	bytes int64
}

// Damage says where a recording ceases to be one. The ticks before are good.
type Damage struct {
	At   int64  // the byte in the file
	Last uint64 // the last tick that is good
	Err  error
}

// Error says how far the recording is good, and why no further.
func (d *Damage) Error() string {
	return fmt.Sprintf("the recording is good up to tick %d; what follows from byte %d on is lost: %v", d.Last, d.At, d.Err)
}

// Unwrap returns the reason, which wraps [ErrDamaged] if it is no error of reading.
func (d *Damage) Unwrap() error { return d.Err }

// Bounds on what is read, beside the size of the file itself.
const (
	mostKeyframe = 4 << 30
	mostHeader   = 4 << 20
)

// Open reads a recording. If it is damaged or cut off somewhere, the ticks before are good, and
// [Recording.Damage] says so. The error wraps [ErrDamaged] when not even its beginning is there, or is that
// of reading. O(bytes of the file); memory for its texts and 24 bytes for each tick.
func Open(from io.ReaderAt, size int64) (*Recording, error) {
	if from == nil || size < 0 {
		return nil, fmt.Errorf("record: Open: %w: nothing to read", ErrDamaged)
	}
	r := &Recording{frames: frameReader{from: from, size: size}, texts: &fileSet{files: map[string][]byte{}}}
	if err := r.frames.begin(); err != nil {
		return nil, fmt.Errorf("record: Open: %w", err)
	}
	if err := r.readStart(); err != nil {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: it is cut off before the first tick", ErrDamaged)
		}
		return nil, fmt.Errorf("record: Open: %w", err)
	}
	r.readTicks()
	r.usage = fileUsage{}
	return r, nil
}

// readStart reads what comes before the first tick.
func (r *Recording) readStart() error {
	f, err := r.frames.next()
	if err != nil {
		return err
	}
	if f.kind != frameHeader || len(f.content) > mostHeader {
		return fmt.Errorf("%w: it does not begin with a header", ErrDamaged)
	}
	d := json.NewDecoder(bytes.NewReader(f.content))
	d.DisallowUnknownFields()
	if err := d.Decode(&r.header); err != nil {
		return fmt.Errorf("%w: the header: %w", ErrDamaged, err)
	}
	if r.header.Format != 1 || len(r.header.Inputs) > mostInputs || len(r.header.Meta) > mostMeta {
		return fmt.Errorf("%w: the header is of format %d, with %d inputs", ErrDamaged, r.header.Format, len(r.header.Inputs))
	}
	for {
		at, sum := r.frames.at, r.frames.sum
		if f, err = r.frames.next(); err != nil {
			return err
		}
		c := payload{left: f.content}
		switch f.kind {
		case frameText:
			name := string(c.bytes())
			r.texts.write(name, append([]byte{}, c.bytes()...))
			r.usage.note(name, true)
			if err := cmp.Or(c.end(), checkPath(name), r.usage.check()); err != nil {
				return err
			}
		case frameKeyframe:
			if err := r.readKeyframe(f, at, sum); err != nil {
				return err
			}
		case frameStart:
			r.start = c.whole()
			r.begun = c.digest(true)
			if err := c.end(); err != nil {
				return err
			}
			if len(r.keys) > 0 {
				r.keys[0].tick = r.start
			}
			if len(r.keys) > 1 || (len(r.keys) > 0) != (r.start > 0) || r.start > 1<<53 {
				return fmt.Errorf("%w: it begins with tick %d and %d keyframes", ErrDamaged, r.start, len(r.keys))
			}
			return nil
		default:
			return fmt.Errorf("%w: a frame of kind %q before the first tick", ErrDamaged, f.kind)
		}
	}
}

// readKeyframe reads the pieces of a keyframe, of which one was read.
func (r *Recording) readKeyframe(f rawFrame, at int64, sum uint32) error {
	k := keyframe{tick: r.last(), at: at, sum: sum}
	for {
		if f.kind != frameKeyframe || len(f.content) == 0 || f.content[0] > pieceMissed {
			return fmt.Errorf("%w: a keyframe is not whole", ErrDamaged)
		}
		k.bytes += int64(len(f.content) - 1)
		if k.bytes > mostKeyframe {
			return fmt.Errorf("%w: a keyframe of more than %d bytes", ErrDamaged, int64(mostKeyframe))
		}
		switch f.content[0] {
		case pieceLast:
			r.keys = append(r.keys, k)
			return nil
		case pieceMissed:
			return nil
		}
		var err error
		if f, err = r.frames.next(); err != nil {
			return err
		}
	}
}

// readTicks reads what follows, up to the end or to what is damaged.
func (r *Recording) readTicks() {
	for {
		place := tickPlace{at: r.frames.at, sum: r.frames.sum}
		err := r.readTick(&place)
		if err == io.EOF && place.at == r.frames.at {
			if !r.closed {
				r.damage = &Damage{place.at, r.last(), fmt.Errorf("%w: it has no end, as when the program was killed", ErrDamaged)}
			}
			return
		}
		if err == io.EOF {
			err = fmt.Errorf("%w: it is cut off", ErrDamaged)
		}
		if err != nil {
			r.damage = &Damage{place.at, r.last(), err}
			return
		}
	}
}

// readTick reads the frames of a tick, or what stands between ticks.
func (r *Recording) readTick(place *tickPlace) error {
	for {
		at, sum := r.frames.at, r.frames.sum
		f, err := r.frames.next()
		switch {
		case err != nil:
			return err
		case r.closed:
			return fmt.Errorf("%w: something follows the end", ErrDamaged)
		}
		c := payload{left: f.content}
		switch f.kind {
		case frameReload:
			reload, err := c.reload()
			for name, text := range reload.Texts {
				r.usage.note(name, text != nil)
			}
			if err = cmp.Or(err, r.usage.check()); err != nil {
				return err
			}
			continue // the tick follows
		case frameTick:
			n := c.whole()
			c.tick(false)
			c.digest(false)
			if err := c.end(); err != nil {
				return err
			}
			if n != r.last()+1 {
				return fmt.Errorf("%w: tick %d follows tick %d", ErrDamaged, n, r.last())
			}
			place.tick = f.at
			r.ticks = append(r.ticks, *place)
		case frameKeyframe:
			return r.readKeyframe(f, at, sum)
		case frameRewound:
			return r.rewound(&c)
		case frameEnd:
			r.closed = true
			return c.end()
		default:
			return fmt.Errorf("%w: a frame of kind %q between ticks", ErrDamaged, f.kind)
		}
		return nil
	}
}

// rewound drops the ticks that were rewound.
func (r *Recording) rewound(c *payload) error {
	to := c.whole()
	if err := c.end(); err != nil {
		return err
	}
	if to < r.start || to > r.last() {
		return fmt.Errorf("%w: back to tick %d, from tick %d", ErrDamaged, to, r.last())
	}
	r.ticks = r.ticks[:to-r.start]
	for n := len(r.keys); n > 0 && r.keys[n-1].tick > to; n-- { // they are in order
		r.keys = r.keys[:n-1]
	}
	return nil
}

// tick reads the inputs of a tick, or reads over them.
func (c *payload) tick(keep bool) (t tick) {
	t.dt, t.ended = c.float(), c.whole()
	n := c.count(3)
	for range n {
		x := recorded{of: int(min(c.whole(), mostInputs)), from: c.whole()}
		x.data = c.bytes()
		if keep {
			t.inputs = append(t.inputs, x)
		}
	}
	return t
}

// reload reads a reload.
func (c *payload) reload() (r scripting.Reload, err error) {
	for _, list := range []*[]string{&r.Changed, &r.Removed} {
		n := c.count(1)
		if n > mostTexts {
			c.fail()
		}
		for range min(n, mostTexts) {
			*list = append(*list, string(c.bytes()))
		}
	}
	r.Texts = map[string][]byte{}
	n := c.count(2)
	if n > mostTexts {
		c.fail()
	}
	for range min(n, mostTexts) {
		name := string(c.bytes())
		if err := checkPath(name); err != nil {
			return r, err
		}
		switch c.whole() {
		case 0:
			r.Texts[name] = nil
		case 1:
			r.Texts[name] = append([]byte{}, c.bytes()...)
		default:
			c.failed = true
		}
	}
	return r, c.end()
}

// Header says what game was recorded.
func (r *Recording) Header() Header {
	if r == nil {
		return Header{}
	}
	h := r.header
	h.Meta, h.Inputs = maps.Clone(h.Meta), slices.Clone(h.Inputs)
	return h
}

// Range returns the tick that the recording begins after, and its last one.
func (r *Recording) Range() (start, last uint64) {
	if r == nil {
		return 0, 0
	}
	return r.start, r.last()
}

// last returns the last tick that was read and not rewound.
func (r *Recording) last() uint64 { return r.start + uint64(len(r.ticks)) }

// Damage says from where on the recording is lost; nil if it is whole. One of a program that was killed
// has no end, and says so.
func (r *Recording) Damage() *Damage {
	if r == nil {
		return nil
	}
	return r.damage
}

// Folder returns the files that were loaded at the beginning, for [scripting.Host.Load].
func (r *Recording) Folder() fs.FS { return r.folder() }

// folder returns the files as a folder that can be written.
func (r *Recording) folder() *fileSet {
	if r == nil {
		return &fileSet{files: map[string][]byte{}}
	}
	return r.texts.clone()
}

// step is a tick that was read.
type step struct {
	tick
	reloads []scripting.Reload
	digest  digest
}

// read returns a tick.
func (r *Recording) read(n uint64) (*step, error) {
	if n <= r.start || n > r.last() {
		return nil, fmt.Errorf("%w: tick %d; it has those from %d to %d", ErrEnd, n, r.start+1, r.last())
	}
	place := r.ticks[n-1-r.start]
	s := &step{}
	at, sum := place.at, place.sum
	for {
		f, next, err := r.frames.read(at, sum)
		if err != nil {
			return nil, err
		}
		at, sum = f.at+frameHead+int64(len(f.content)), next
		c := payload{left: bytes.Clone(f.content)}
		if f.kind == frameReload {
			reload, err := c.reload()
			if err != nil {
				return nil, err
			}
			s.reloads = append(s.reloads, reload)
			continue
		}
		c.whole()
		s.tick, s.digest = c.tick(true), c.digest(true)
		return s, c.end()
	}
}

// keyframeBefore returns the newest keyframe that is not later than a tick; nil for none.
func (r *Recording) keyframeBefore(n uint64) *keyframe {
	i := sort.Search(len(r.keys), func(i int) bool { return r.keys[i].tick > n })
	if i == 0 {
		return nil
	}
	return &r.keys[i-1]
}

// pieceReader reads the pieces of a keyframe one after the other.
type pieceReader struct {
	r    *Recording
	at   int64
	sum  uint32
	rest []byte
	last bool
}

// Read implements io.Reader.
func (p *pieceReader) Read(to []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.last {
			return 0, io.EOF
		}
		f, sum, err := p.r.frames.read(p.at, p.sum)
		if err != nil {
			return 0, err
		}
		p.at, p.sum = f.at+frameHead+int64(len(f.content)), sum
		p.rest, p.last = bytes.Clone(f.content[1:]), f.content[0] == pieceLast
	}
	n := copy(to, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
