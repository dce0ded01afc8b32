package replica

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/codec"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// PrimaryOptions say what a primary sends. The zero value is the whole world, not compressed.
type PrimaryOptions struct {
	// Interest has the primary send a part of the world only.
	Interest *Interest
	// Codecs say how values of types with Go pointers are written, where the type does not say it: see
	// package codec. The replicas need the same.
	Codecs []codec.Codec
	// Compress has messages compressed by zstd at its fastest level: where values that change are alike
	// that saves half of the bytes and more, at some 500 MB/s. Moving positions become a fifth smaller.
	Compress bool
}

// Primary makes the messages of a world. It belongs to the goroutine of its world, but for Encode.
//
// Invariants: before are the parts of the state that has the number; now and was are snapshots in which
// their columns lie, and those of the state that was captured last.
type Primary struct {
	world    *ecs.World
	options  PrimaryOptions
	codecs   *codec.Set
	view     *selection // with an interest
	now, was *snapshot.Snapshot
	said     []byte // the declaration that replicas know

	source   uint64
	number   uint64
	before   []fragment
	room     []fragment // that is used again
	captured bool       // a state waits to be encoded
	stats    Stats
}

// Stats are what a primary did at last.
type Stats struct {
	Number  uint64        // of the last message
	Full    bool          // it was a full one
	Bytes   int           // of it
	State   int           // bytes of the state, which a full message has before it is compressed
	Capture time.Duration // how long the world was needed
	Encode  time.Duration // how long making the message took beside that
}

// NewPrimary makes a source of a world. The error wraps [ecs.ErrConflict] for a nil world and for a component of
// another world, [ecs.ErrClosed], or [errors.ErrUnsupported] on a machine that stores the high byte of
// numbers first.
func NewPrimary(w *ecs.World, options PrimaryOptions) (*Primary, error) {
	if w == nil {
		return nil, fmt.Errorf("replica: primary: %w: the world is nil", ecs.ErrConflict)
	}
	if err := w.Raw().Ready(); errors.Is(err, ecs.ErrClosed) {
		return nil, fmt.Errorf("replica: primary: %w", err)
	}
	if !capture.LittleEndian {
		return nil, fmt.Errorf("replica: primary: %w: this machine has another order of bytes than messages", errors.ErrUnsupported)
	}
	s := &Primary{world: w, options: options, codecs: codec.NewSet(options.Codecs), now: &snapshot.Snapshot{}, was: &snapshot.Snapshot{}}
	var id [8]byte
	rand.Read(id[:]) // it never fails
	s.source = binary.LittleEndian.Uint64(id[:])
	if f := options.Interest; f != nil {
		var err error
		if s.view, err = newSelection(w, f, s.codecs); err != nil {
			return nil, fmt.Errorf("replica: primary: %w", err)
		}
	}
	return s, nil
}

// Next captures the world and encodes a message: the first one is full, and so is one after something was
// registered; others are deltas. The errors are those of Capture and Encode.
func (s *Primary) Next() ([]byte, error) {
	if err := s.Capture(); err != nil {
		return nil, err
	}
	return s.Encode()
}

// Capture takes the state of the world, between two steps, for the next Encode. A state that was captured and not
// encoded is forgotten. With an interest, the error may wrap [codec.ErrNone]; the others are those of [snapshot.Capture].
func (s *Primary) Capture() error {
	if s == nil || s.world == nil {
		return fmt.Errorf("replica: %w: a Primary that NewPrimary has not made", ecs.ErrConflict)
	}
	began := time.Now()
	err := error(nil)
	switch {
	case s.view != nil:
		err = s.view.capture()
	case s.captured:
		err = s.now.Update(s.world) // in the other one are columns of the last message
	default:
		if err = s.was.Follow(s.world, s.now); err == nil {
			s.now, s.was = s.was, s.now
		}
	}
	if err != nil {
		return fmt.Errorf("replica: primary: %w", err)
	}
	s.captured, s.stats.Capture = true, time.Since(began)
	return nil
}

// Encode makes the message of the state that was captured last. It may run on any goroutine while the game goes
// on, as long as the primary is not used elsewhere. The error wraps [codec.ErrNone] for a value that cannot
// be written, [ErrTooLarge] for more than a message can hold, [ecs.ErrConflict] if nothing was
// captured, or is one of a codec. Then the state is forgotten, and the next message is a full one.
func (s *Primary) Encode() ([]byte, error) {
	if s == nil || !s.captured {
		return nil, fmt.Errorf("replica: primary: %w: nothing was captured", ecs.ErrConflict)
	}
	began := time.Now()
	s.captured = false
	parts, said, err := s.cut()
	if err != nil {
		s.before = nil // the snapshot in which its columns lie is filled again by the next capture
		return nil, fmt.Errorf("replica: primary: %w", err)
	}
	was := s.before
	full := was == nil || string(said) != string(s.said)
	s.before, s.said, s.room = parts, said, was
	s.number++
	var m []byte
	if full {
		m = s.full()
	} else {
		m = s.message(0, appendChanges(nil, was, parts))
	}
	s.stats.Encode, s.stats.State = time.Since(began), sizeOf(parts)
	return m, nil
}

// cut returns the parts of the state that was captured, and its declaration.
func (s *Primary) cut() (parts []fragment, said []byte, err error) {
	if s.view != nil {
		return s.view.parts, s.view.said, nil
	}
	st := s.now.Content()
	parts, err = cut(st, s.codecs, s.room)
	d := declarationOf(st)
	if i := slices.IndexFunc(d.Resources, func(r declaredResource) bool { return r.Type == "" }); err == nil && i >= 0 {
		err = fmt.Errorf("%w: there are two resources of types that are called %s: give one of the types another name", ecs.ErrConflict, st.Resources[i].Type)
	}
	return parts, d.bytes(), err
}

// Full makes a full message of the state of the last message, for a new replica, or one that has lost something. It
// has the number of that message, and fits before the next one. The error wraps [ecs.ErrConflict] when there was
// no message yet.
func (s *Primary) Full() ([]byte, error) {
	if s == nil || s.before == nil {
		return nil, fmt.Errorf("replica: primary: %w: there is no message yet", ecs.ErrConflict)
	}
	return s.full(), nil
}

// full makes a full message: the declaration, and all parts.
func (s *Primary) full() []byte {
	to := binary.AppendUvarint(nil, uint64(len(s.said)))
	return s.message(fullFlag, appendChanges(append(to, s.said...), nil, s.before))
}

// message makes a message.
func (s *Primary) message(flags uint64, payload []byte) []byte {
	h, _ := readHead(s.before)
	f := header{Flags: flags, Primary: s.source, Number: s.number, Tick: h.Tick, Tag: h.Tag, Sum: sumOf(s.before)}
	m := f.message(payload, s.options.Compress)
	s.stats.Number, s.stats.Full, s.stats.Bytes = s.number, flags&fullFlag != 0, len(m)
	return m
}

// sizeOf returns how many bytes parts have.
func sizeOf(parts []fragment) (n int) {
	for i := range parts {
		n += len(parts[i].bytes)
	}
	return n
}

// Stats says what the last message has cost.
func (s *Primary) Stats() Stats {
	if s == nil {
		return Stats{}
	}
	return s.stats
}
