package game

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"

	"github.com/perigee-ecs/perigee/hotreload"
	"github.com/perigee-ecs/perigee/scripting"
)

// Follow loads the scripts of a folder on disk and reloads them as they change,
// until Close. With poll, it looks at the files again and again instead of
// asking the system for events, which network disks do not send.
func (g *Game) Follow(dir string, poll bool) error {
	s := &stager{host: g.host, log: g.options.Log, loaded: make(chan struct{})}
	defer close(s.loaded) // on failure too, or Close would wait for the sink
	w, err := hotreload.Watch(dir, s, hotreload.Options{Poll: poll})
	if err != nil {
		return err
	}
	g.watcher = w
	return g.Load(watched{os.DirFS(dir), w})
}

// stager hands changed files to the host, which reads, compiles and rehearses
// them here, on the watcher's goroutine, and swaps them at its next step.
type stager struct {
	host   *scripting.Host
	log    *slog.Logger
	loaded chan struct{} // closed once there is something to reload
}

// FilesChanged implements hotreload.Sink.
func (s *stager) FilesChanged(c hotreload.Change) {
	<-s.loaded
	for _, p := range c.Problems {
		s.log.Warn(p.Error())
	}
	if len(c.Changed)+len(c.Removed) > 0 {
		s.host.Stage(c.Changed, c.Removed)
	}
}

// watched is a folder whose scripts are read through its watcher: a save is
// reported if and only if it differs from what was read.
type watched struct {
	fs.FS
	watcher *hotreload.Watcher
}

// ReadFile implements fs.ReadFileFS.
func (w watched) ReadFile(name string) ([]byte, error) {
	text, err := w.watcher.ReadFile(name)
	if _, ok := errors.AsType[*fs.PathError](err); err != nil && !ok {
		err = &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return text, err
}
