package hotreload

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
)

// A Stager runs the files of a folder and takes over new versions of them. A
// *scripting.Host is one.
type Stager interface {
	// Load runs the files of a folder for the first time. The folder is kept:
	// Stage reads from it.
	Load(folder fs.FS) error
	// Stage announces files that were changed or removed since, as slash-separated
	// paths in the folder. It is called from one goroutine of the Watcher, never
	// before Load has returned.
	Stage(changed, removed []string)
}

// Follow watches a folder, loads it into a host, and stages every later save there
// until the Watcher is closed:
//
//	w, err := hotreload.Follow("scripts", host, hotreload.Options{})
//	defer w.Close() // before the host is closed
//
// No save is lost between the two: the watch begins before the load, and the host
// reads through the Watcher. Saves during the load are staged right after it.
// Options.OnProblem gets what cannot be followed.
//
// The error is that of [Watch], which wraps fs.ErrInvalid for a nil host, too, or the one that
// Load has returned, as it is; nothing is watched then.
func Follow(dir string, host Stager, opts Options) (*Watcher, error) {
	if host == nil {
		return nil, fmt.Errorf("follow %q: %w: the host is nil", dir, fs.ErrInvalid)
	}
	f := &follower{host: host, onProblem: opts.OnProblem, loaded: make(chan struct{})}
	w, err := Watch(dir, f, opts)
	if err != nil {
		return nil, err
	}
	err = host.Load(watchedFolder{os.DirFS(w.folder.root), w})
	f.failed = err != nil
	close(f.loaded)
	if err != nil {
		if failed := w.Close(); failed != nil {
			err = errors.Join(err, failed)
		}
		return nil, err
	}
	return w, nil
}

// follower is the sink that stages what has changed.
type follower struct {
	host      Stager
	onProblem func(Problem)
	loaded    chan struct{} // closed when Load has returned
	failed    bool          // Load has failed; written before loaded is closed
}

// FilesChanged implements Sink. The host reads, compiles and tries the files here, on
// the Watcher's goroutine, so that no step of the game waits for that.
func (f *follower) FilesChanged(c Change) {
	<-f.loaded
	for _, p := range c.Problems {
		f.report(p)
	}
	if len(c.Changed)+len(c.Removed) > 0 && !f.failed {
		f.host.Stage(c.Changed, c.Removed)
	}
}

// report hands a problem to the program, or to the log.
func (f *follower) report(p Problem) {
	if f.onProblem != nil {
		f.onProblem(p)
		return
	}
	slog.Warn(p.Error())
}

// watchedFolder is a folder whose files are read through its Watcher: a save is
// reported if and only if it differs from what was read.
type watchedFolder struct {
	fs.FS
	watcher *Watcher
}

// ReadFile implements fs.ReadFileFS.
func (f watchedFolder) ReadFile(name string) ([]byte, error) {
	text, err := f.watcher.ReadFile(name)
	if _, ok := errors.AsType[*fs.PathError](err); err != nil && !ok {
		err = &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return text, err
}
