package saves_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/internal/misuse"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/saves"
)

// TestWrongUsesHaveDocumentedOutcomes: a named error or success; and then the worlds are whole.
func TestWrongUsesHaveDocumentedOutcomes(t *testing.T) {
	named := misuse.Among(save.ErrFormat, save.ErrVersion, save.ErrDamaged, save.ErrTooLarge, save.ErrLoss, scripting.ErrClosed,
		ecs.ErrIterating, ecs.ErrClosed, ecs.ErrArenaFull, ecs.ErrEntityLimit, ecs.ErrConflict, ecs.ErrRange, ecs.ErrUnknown, fs.ErrInvalid)
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
			for _, where := range api.Situations {
				c := newWrongUses(t, api, seed*100)
				for name := c.Next(where); name != "" && !t.Failed(); name = c.Next(where) {
					c.in(where, name)
				}
			}
		})
	}
	api.Print(t)
}

// wrongUses are calls for two hosts.
type wrongUses struct {
	*misuse.Calls
	of, other *scripting.Host
}

// without is a world whose host is gone.
func without(t testing.TB) *scripting.Host {
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	h, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	must(t, h.Close())
	return h
}

func newWrongUses(t *testing.T, api *misuse.API, seed uint64) *wrongUses {
	c := &wrongUses{Calls: misuse.NewCalls(t, api, seed), of: open(t, 3, growth), other: open(t, 4, growth)}
	step(t, c.of, 3)
	s, err := c.of.Capture()
	must(t, err)
	dir := filepath.Join(t.TempDir(), "slots")
	must(t, os.Mkdir(dir, 0o777))
	t.Chdir(dir) // names of files without a folder
	var text bytes.Buffer
	must(t, saves.Write(&text, s, save.Options{}))
	must(t, saves.ToFile(filepath.Join(dir, "a.save"), s, save.Options{}))
	file, err := save.Open(bytes.NewReader(text.Bytes()), int64(text.Len()))
	must(t, err)
	folder, err := saves.OpenFolder(c.of, dir, saves.Options{Every: 0.01})
	must(t, err)
	t.Cleanup(func() { _ = folder.Wait() })
	c.Receivers = map[string][]any{"Folder": {folder}, "Keyframes": {saves.Keyframes{}, saves.Keyframes{Most: 10}}}
	misuse.Offer(c.Calls, c.of, c.other, without(t), &scripting.Host{}, nil)
	misuse.Offer(c.Calls, s, &scripting.Snapshot{}, nil)
	misuse.Offer(c.Calls, file, &save.File{}, nil)
	misuse.Offer[io.Writer](c.Calls, io.Discard, nil)
	misuse.Offer[io.Reader](c.Calls, bytes.NewReader(text.Bytes()), strings.NewReader("?"), nil)
	misuse.Offer(c.Calls, "a", "b", "", "../a", ".a", dir, filepath.Join(dir, "more"), filepath.Join(dir, "a.save"), dir+"/\x00")
	misuse.Offer(c.Calls, saves.SceneOptions{}, saves.SceneOptions{Queries: []string{""}}, saves.SceneOptions{Scenes: []string{"a"}, Syntax: 9}, saves.SceneOptions{Entities: []string{"1v1"}, Children: true})
	misuse.Offer(c.Calls, saves.Options{}, saves.Options{Every: -1}, saves.Options{Auto: "../x"})
	for name, f := range map[string]any{"Write": saves.Write, "ToFile": saves.ToFile, "Load": saves.Load, "Check": saves.Check, "List": saves.List, "OpenFolder": saves.OpenFolder, "WriteScene": saves.WriteScene} {
		c.Functions[name] = f
	}
	return c
}

// in makes a call where a world may be.
func (c *wrongUses) in(where, name string) {
	call := func() { c.Call(name, where, where == "elsewhere") }
	w := c.of.World()
	switch where {
	case "outside", "elsewhere":
		call()
	case "loop":
		for range w.Query().Chunks() {
			call()
			break
		}
	case "system", "goroutine":
		c.Expect("Run", w.Run("misuse", func(*ecs.Tick) error {
			done := make(chan bool)
			if where == "system" {
				call()
				return nil
			}
			go func() { defer close(done); call() }()
			<-done
			return nil
		}))
	case "closed":
		c.Expect("Close", c.of.Close())
		c.Expect("Close", w.Close())
		call()
		return
	case "zero":
		c.Receivers = map[string][]any{"Folder": {&saves.Folder{}, (*saves.Folder)(nil)}, "Keyframes": {saves.Keyframes{}}}
		call()
	}
	for _, h := range []*scripting.Host{c.of, c.other} {
		if err := h.World().Check(); err != nil {
			c.Fault("the world is broken: %v", err)
		}
	}
}
