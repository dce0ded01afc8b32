package saves

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/scripting"
)

// Keyframes keep a game within a recording, as a save: package record asks for them, in its Options
// and PlayOptions. The zero Keyframes have the default options.
type Keyframes struct {
	Writing save.Options
	Reading save.LoadOptions
	// Most is how many bytes a save that is read may have, zero for 1 GiB: a recording may come from
	// anybody. As much memory is held while it is read.
	Most int64
}

// Save writes a host between two steps. The errors are those of [scripting.Host.Capture] and [Write].
func (k Keyframes) Save(h *scripting.Host, w io.Writer) error {
	s, err := h.Capture()
	if err != nil {
		return err
	}
	return Write(w, s, k.Writing)
}

// Load makes a host what was saved. The errors are those of [Load], or wrap [save.ErrFormat]
// for more than Most bytes, or [ecs.ErrConflict] for a nil reader.
func (k Keyframes) Load(h *scripting.Host, r io.Reader) error {
	if r == nil {
		return fmt.Errorf("saves: keyframe: %w: there is nothing to read", ecs.ErrConflict)
	}
	most := k.Most
	if most <= 0 {
		most = 1 << 30
	}
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return err
	}
	if int64(len(data)) > most {
		return fmt.Errorf("saves: keyframe: %w: it has more than %d bytes", save.ErrFormat, most)
	}
	f, err := save.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	_, err = Load(f, h, k.Reading)
	return errors.Join(err, f.Close())
}
