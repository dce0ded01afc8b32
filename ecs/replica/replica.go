package replica

import (
	"errors"
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/codec"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
)

// Options bound what messages may ask for. The zero value is the default.
type Options struct {
	// Bytes is how much memory the state of a message may take; zero means a gibibyte. What is decoded may take
	// as much again.
	Bytes int64
	// Codecs say how values of types with Go pointers are read; see PrimaryOptions.Codecs.
	Codecs []codec.Codec
}

// defaultBytes is the default of Options.Bytes.
const defaultBytes = 1 << 30

// Replica makes a world what messages say. It belongs to the goroutine of its world.
//
// Invariant: parts are those of the state that the world was made of last, and of no other message.
type Replica struct {
	world   *ecs.World
	options Options
	codecs  *codec.Set
	source  uint64
	number  uint64
	tick    uint64
	said    *declaration
	parts   []fragment
}

// New makes a replica of a world, which stays what it is until the first full message. The error wraps
// [ecs.ErrConflict] for a nil world, [ecs.ErrClosed], [ecs.ErrRange], or [errors.ErrUnsupported] as for NewPrimary.
func New(w *ecs.World, options Options) (*Replica, error) {
	if w == nil {
		return nil, fmt.Errorf("replica: %w: the world is nil", ecs.ErrConflict)
	}
	switch err := w.Raw().Ready(); {
	case errors.Is(err, ecs.ErrClosed):
		return nil, fmt.Errorf("replica: %w", err)
	case options.Bytes < 0:
		return nil, fmt.Errorf("replica: %w: Options.Bytes is %d", ecs.ErrRange, options.Bytes)
	case !capture.LittleEndian:
		return nil, fmt.Errorf("replica: %w: this machine has another order of bytes than messages", errors.ErrUnsupported)
	}
	if options.Bytes == 0 {
		options.Bytes = defaultBytes
	}
	return &Replica{world: w, options: options, codecs: codec.NewSet(options.Codecs)}, nil
}

// Tag returns the tag of the handles in a message: the replica's world has to be opened with it, in
// [ecs.Options]. The error wraps [ErrDamaged] or [ErrVersion].
func Tag(message []byte) (uint16, error) {
	f, _, err := readFrame(message)
	if err != nil {
		return 0, fmt.Errorf("replica: %w", err)
	}
	return uint16(f.Tag), nil
}

// Number returns the number of the message that was applied last, 0 if none was.
func (r *Replica) Number() uint64 {
	if r == nil {
		return 0
	}
	return r.number
}

// Tick returns the tick of the primary's world after which that message was captured.
func (r *Replica) Tick() uint64 {
	if r == nil {
		return 0
	}
	return r.tick
}

// Apply makes the world what a message says. It is called between two steps. On an error nothing has changed, and the
// replica goes on with the next message that fits. The error wraps [ErrOld], [ErrGap], [ErrDamaged], [ErrVersion],
// [ErrTooLarge], those of [snapshot.Restore] (the world is not one that can become the primary's), or [codec.ErrNone].
func (r *Replica) Apply(message []byte) error {
	if r == nil || r.world == nil {
		return fmt.Errorf("replica: %w: a Replica that New has not made", ecs.ErrConflict)
	}
	if err := r.apply(message); err != nil {
		return fmt.Errorf("replica: %w", err)
	}
	return nil
}

func (r *Replica) apply(message []byte) error {
	if err := r.world.Raw().Ready(); err != nil {
		return err
	}
	f, packed, err := readFrame(message)
	if err != nil {
		return err
	}
	full := f.Flags&fullFlag != 0
	if err := r.due(&f, full); err != nil {
		return err
	}
	plain, err := f.unpack(packed, r.options.Bytes)
	if err != nil {
		return err
	}
	p, said, before := payload{plain}, r.said, r.parts
	if full {
		text, err := p.bytes()
		if err != nil {
			return err
		}
		if int64(len(text)) > r.options.Bytes/jsonRoom {
			return fmt.Errorf("%w: a declaration of %d bytes", ErrTooLarge, len(text))
		}
		if said, err = readDeclaration(text); err != nil {
			return err
		}
		before = nil
	}
	parts, err := p.apply(before, r.options.Bytes)
	if err != nil {
		return err
	}
	if sum := sumOf(parts); sum != f.Sum {
		return damaged("its state has the sum %#x, that of the primary %#x", sum, f.Sum)
	}
	if err := r.become(parts, said, &f); err != nil {
		return err
	}
	r.source, r.number, r.tick, r.said, r.parts = f.Primary, f.Number, f.Tick, said, parts
	return nil
}

// due says why a message is not the next one, or returns nil.
func (r *Replica) due(f *header, full bool) error {
	same := r.said != nil && f.Primary == r.source
	switch {
	case same && f.Number <= r.number:
		return fmt.Errorf("%w: it has the number %d, and %d was the last", ErrOld, f.Number, r.number)
	case full:
		return nil
	case r.said == nil:
		return fmt.Errorf("%w: there was no full one yet", ErrGap)
	case !same:
		return fmt.Errorf("%w: this one is of another primary, and no full one of it was here", ErrGap)
	case f.Number != r.number+1:
		return fmt.Errorf("%w: it has the number %d, and %d was the last", ErrGap, f.Number, r.number)
	}
	return nil
}

// become makes the world that of parts.
func (r *Replica) become(parts []fragment, said *declaration, f *header) error {
	raw := r.world.Raw()
	own := raw.Declared()
	own.Random = r.world.Random().State()
	ids, err := said.fits(own)
	if err != nil {
		return err
	}
	state, err := join(parts, said, own, ids, r.codecs, int(min(r.options.Bytes, 1<<62)))
	if err != nil {
		return err
	}
	if state.Clock.Tick != f.Tick || uint64(state.Tag) != f.Tag {
		return damaged("it says that it is of tick %d and tag %d, its state %d and %d", f.Tick, f.Tag, state.Clock.Tick, state.Tag)
	}
	image, err := raw.Compose(state)
	if errors.Is(err, ecs.ErrRange) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	} else if err != nil {
		return err
	}
	return raw.Restore(image)
}
