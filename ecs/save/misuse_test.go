package save_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/codec"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/internal/misuse"
)

// TestWrongUsesHaveDocumentedOutcomes: a named error or success; and then the worlds are whole.
func TestWrongUsesHaveDocumentedOutcomes(t *testing.T) {
	named := misuse.Among(save.ErrFormat, save.ErrVersion, save.ErrDamaged, save.ErrTooLarge, save.ErrLoss, codec.ErrNone,
		ecs.ErrIterating, ecs.ErrClosed, ecs.ErrArenaFull, ecs.ErrEntityLimit, ecs.ErrUnknown, ecs.ErrConflict, ecs.ErrRange, fs.ErrInvalid, errFull)
	api := &misuse.API{
		Situations: []string{"outside", "elsewhere", "loop", "system", "goroutine", "closed", "zero"},
		Prefix:     "ecs",
		Named: func(err error) bool {
			_, ofFiles := errors.AsType[*fs.PathError](err)
			return ofFiles || named(err)
		},
	}
	api.Exported(t, ".")
	for seed := range uint64(3) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			for round := range uint64(2) {
				for _, where := range api.Situations {
					c := newWrongUses(t, api, seed*100+round)
					for name := c.Next(where); name != "" && !t.Failed(); name = c.Next(where) {
						c.in(where, name)
					}
				}
			}
		})
	}
	api.Print(t)
}

// errFull is what a writer says that has no room.
var errFull = errors.New("no room")

// full is such a writer.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// wrongUses are calls of saves of one world, for it and for another one.
type wrongUses struct {
	*misuse.Calls
	of, other *sample
}

func newWrongUses(t *testing.T, api *misuse.API, seed uint64) *wrongUses {
	c := &wrongUses{Calls: misuse.NewCalls(t, api, seed), of: declare(t, 3).fill(t, 6), other: declare(t, 4)}
	text := c.of.text(t, save.Options{Sections: map[string][]byte{"a": []byte("note")}})
	file := func(text []byte) *save.File {
		f, err := save.Open(bytes.NewReader(text), int64(len(text)))
		must(t, err)
		return f
	}
	damaged := forge(t, text, func(name string, data []byte) []byte {
		if name == "state.json" {
			return append(data, '?')
		}
		return data
	})
	s, err := snapshot.Capture(c.of.World)
	must(t, err)
	dir := t.TempDir()
	t.Chdir(dir) // names of files without a folder
	good := filepath.Join(dir, "good.save")
	must(t, save.ToFile(good, s, save.Options{}))
	c.Receivers = map[string][]any{"File": {file(text), file(damaged)}, "Report": {&save.Report{Changes: []save.Effect{{Name: "a", Lost: true}}}}, "Topic": {save.Topic(1), save.Topic(99)}}
	misuse.Offer(c.Calls, c.of.World, c.other.World, nil)
	misuse.Offer(c.Calls, s, &snapshot.Snapshot{}, nil)
	misuse.Offer(c.Calls, file(text), file(damaged), &save.File{}, nil)
	misuse.Offer[io.Writer](c.Calls, io.Discard, full{}, nil)
	misuse.Offer[io.ReaderAt](c.Calls, bytes.NewReader(text), bytes.NewReader(text[:len(text)/2]), nil)
	misuse.Offer(c.Calls, int64(len(text)), 0, -1, int64(len(text))/2, 1<<62)
	misuse.Offer(c.Calls, good, filepath.Join(dir, "new.save"), filepath.Join(dir, "none", "x.save"), dir, "", "a", "position", "name", "soul", dir+"/\x00")
	misuse.Offer(c.Calls, ecs.Options{MaxBytes: 16 << 20}, ecs.Options{MaxBytes: 1 << 20, Tag: 9}, ecs.Options{MaxBytes: -1})
	misuse.Offer(c.Calls, save.Options{}, save.Options{Sections: map[string][]byte{"../a": nil}}, save.Options{Codecs: []codec.Codec{{}}})
	misuse.Offer(c.Calls, save.LoadOptions{}, save.LoadOptions{Lose: true}, save.LoadOptions{Adopts: func(string, bool) bool { return true }}, save.LoadOptions{
		Codecs: []codec.Codec{{}}, Migrate: func(old, now *ecs.Schema) ecs.Convert { return nil },
		Drops: func(old, now *ecs.Schema) []string { return nil }, Renamed: func(string) string { return "position" },
	})
	for name, f := range map[string]any{"Write": save.Write, "ToFile": save.ToFile, "Open": save.Open, "OpenFile": save.OpenFile, "Diff": save.Diff, "Replace": save.Replace, "MakeDir": save.MakeDir} {
		c.Functions[name] = f
	}
	return c
}

// in makes a call where a world may be.
func (c *wrongUses) in(where, name string) {
	call := func() { c.Call(name, where, where == "elsewhere") }
	switch where {
	case "outside", "elsewhere":
		call()
	case "loop":
		for range c.of.Query().Chunks() {
			call()
			break
		}
	case "system", "goroutine":
		s := c.of.Schedule()
		c.Expect("Change", s.Change(s.Names(), []ecs.System{{Name: "misuse", Run: func(*ecs.Tick) error {
			done := make(chan bool)
			if where == "system" {
				call()
				return nil
			}
			go func() { defer close(done); call() }()
			<-done
			return nil
		}}}))
		c.Expect("Step", c.of.Step(0.1))
	case "closed":
		c.Expect("Close", c.of.Close())
		c.Expect("Close", c.other.Close())
		call()
		return
	case "zero":
		c.Receivers = map[string][]any{"File": {&save.File{}, (*save.File)(nil)}, "Report": {&save.Report{}, (*save.Report)(nil)}, "Topic": {save.Topic(0)}}
		call()
	}
	for _, s := range []*sample{c.of, c.other} {
		if err := s.World.Check(); err != nil {
			c.Fault("the world is broken: %v", err)
		}
	}
}
