package scripting

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/ecs"
)

// format is the version of what Encode writes.
const format = 1

// Encode writes the scripts' part of a snapshot as JSON, for a save. All values come back exactly:
// numbers with their bits, texts of any bytes, keys of all kinds, tables that contain each other.
// Other goroutines may encode while the game goes on, as long as the snapshot is not updated.
//
// Of faults that were reported the traces are not written, nor more than 1 KB of the text.
func (x *Scripts) Encode() []byte {
	if x == nil {
		return nil
	}
	to := append([]byte(nil), `{"format":`...)
	to = strconv.AppendInt(to, format, 10)
	to = strconv.AppendUint(append(to, `,"tick":`...), x.tick, 10)
	to = strconv.AppendBool(append(to, `,"fresh":`...), x.fresh)
	to = append(to, `,"scripts":[`...)
	for i, s := range x.list {
		if i > 0 {
			to = append(to, ',')
		}
		to = append(x.kept.AppendText(append(to, "\n{\"name\":"...), s.name), `,"hash":"`...)
		to = s.appendStarted(append(hex.AppendEncode(to, s.digest[:]), '"'))
		if at := slices.Index(x.starting, s.name); at >= 0 {
			to = strconv.AppendInt(append(to, `,"starting":`...), int64(at), 10)
		}
		to = append(to, '}')
	}
	return append(x.kept.AppendTo(x.appendFaults(x.appendGone(x.appendScenes(append(to, ']'))))), "}\n"...)
}

// appendStarted appends how many on_start functions have run, null for all.
func (s *keptScript) appendStarted(to []byte) []byte {
	to = append(to, `,"started":`...)
	if s.started == everything {
		return append(to, "null"...)
	}
	return strconv.AppendInt(to, int64(s.started), 10)
}

// ReadScripts reads what [Scripts.Encode] has written. The input may come from anybody. Tables and texts of
// scripts are bounded by Limits.Saved, by the count of a capture: what was captured within a limit is read within it. What stands around them is
// bounded by the length of the input. The error wraps [ecs.ErrConflict], and is [ErrLimit]
// if the limit was reached.
func ReadScripts(data []byte, limits Limits) (*Scripts, error) {
	limits.fill()
	x, err := readScripts(data, &limits)
	if err != nil {
		return nil, fmt.Errorf("scripting: what scripts keep cannot be read: %w: %w", ecs.ErrConflict, err)
	}
	return x, nil
}

// roomUnlimited is how many bytes tables may take by their room, beside what the input has, where
// Limits.Saved is no limit: they may have more room than the input has bytes, but not for ever.
const roomUnlimited = 1 << 30

func readScripts(data []byte, limits *Limits) (*Scripts, error) {
	most := limits.Saved
	if most <= 0 {
		most = roomUnlimited + 64*int64(len(data))
	}
	x, r := &Scripts{}, &bindings.KeptReader{}
	r.Begin(data, most, limits.Table)
	places, scenes, version := map[string]uint64{}, map[string]bool{}, uint64(0)
	err := r.Object(func(key string) (err error) {
		if version != format && key != "format" {
			return errors.New("the format has to come first")
		}
		switch key {
		case "format":
			version, err = r.Integer(format, format)
		case "tick":
			x.tick, err = r.Integer(0, 1<<63)
		case "fresh":
			x.fresh, err = r.Truth()
		case "scripts":
			return r.List(func() error { return x.readScript(r, places) })
		case "gone":
			return r.List(func() error { return x.readGone(r) })
		case "scenes":
			return r.List(func() error { return x.readScene(r, scenes) })
		case "scenes_asked":
			return r.List(func() error { return x.readAsked(r) })
		case "faults":
			return x.readFaults(r)
		case "faults_dropped":
			var n uint64
			n, err = r.Integer(0, mostCount)
			x.faults.dropped = int(n)
		case "faults_next":
			x.faults.next, err = r.Seconds()
		case "unseen":
			return r.List(func() error { return x.readUnseen(r) })
		default:
			return r.Field(key)
		}
		return err
	})
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return nil, err
	}
	k, err := r.Finish()
	if err != nil {
		return nil, err
	}
	if version != format {
		return nil, errors.New("it has no format")
	}
	x.kept = *k
	return x, x.inOrder(places)
}

// readScript reads a script that was loaded.
func (x *Scripts) readScript(r *bindings.KeptReader, places map[string]uint64) error {
	var s keptScript
	err := s.read(r, func(key string) (err error) {
		if key != "starting" {
			return r.Unknown()
		}
		places[s.name], err = r.Integer(0, 1<<31)
		return err
	})
	x.list = append(x.list, s)
	return err
}

// read reads what is known of all scripts; more reads the other keys.
func (s *keptScript) read(r *bindings.KeptReader, more func(key string) error) error {
	if err := r.Note(200); err != nil {
		return err
	}
	return r.Object(func(key string) (err error) {
		switch key {
		case "name":
			s.name, err = r.Text()
		case "started":
			s.started, err = readStarted(r)
		case "hash":
			var word string
			if word, err = r.Text(); err == nil {
				err = s.readHash(word)
			}
		default:
			err = more(key)
		}
		return err
	})
}

// readStarted reads how many on_start functions have run, null for all.
func readStarted(r *bindings.KeptReader) (int, error) {
	v, err := r.Value()
	switch n := v.Float(); {
	case err != nil:
		return 0, err
	case v.IsNil():
		return everything, nil
	case v.IsNumber() && n >= 0 && n < 1<<31 && n == float64(int(n)):
		return int(n), nil
	}
	return 0, errors.New("expected a whole number, or null")
}

// readHash reads the digest of a text.
func (s *keptScript) readHash(word string) error {
	digest, err := hex.DecodeString(word)
	if err != nil || len(digest) != len(s.digest) {
		return errors.New("expected 64 digits")
	}
	copy(s.digest[:], digest)
	return nil
}

// inOrder checks the order of the scripts, and puts those in order that have not started.
func (x *Scripts) inOrder(places map[string]uint64) error {
	if !ascending(x.list, byName) || !ascending(x.gone, func(a, b goneScript) int { return byName(a.keptScript, b.keptScript) }) {
		return errors.New("scripts: they are not in the order of their names")
	}
	if slices.ContainsFunc(x.gone, func(s goneScript) bool { return x.find(s.name) != nil }) {
		return errors.New("scripts: one is loaded, and gone")
	}
	for i := range x.list {
		if _, waits := places[x.list[i].name]; waits {
			x.starting = append(x.starting, x.list[i].name)
		}
	}
	slices.SortStableFunc(x.starting, func(a, b string) int { return int(places[a]) - int(places[b]) })
	return nil
}

// ascending reports whether a list has an order, and nothing twice.
func ascending[T any](list []T, order func(a, b T) int) bool {
	for i := 1; i < len(list); i++ {
		if order(list[i-1], list[i]) >= 0 {
			return false
		}
	}
	return true
}
