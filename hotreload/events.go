package hotreload

import (
	"fmt"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// A notifier notices that something may have happened, and tells the inbox. It
// may tell too much, never too little.
type notifier interface {
	watch(dir string) error // called before dir is listed; slash path
	forget(dir string)      // dir, without its subfolders, is not of interest any more
	run()                   // until close
	close() error
}

// events is the notifier that listens to the operating system.
//
// Its run drains both channels of fsnotify and does nothing that waits. In
// particular it adds no watches: on Windows, Add waits for the goroutine that
// sends the events.
type events struct {
	folder folder
	box    *inbox
	notify *fsnotify.Watcher
}

// newEvents opens the events of the operating system; no folder is watched yet.
func newEvents(f folder, box *inbox) (*events, error) {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &events{folder: f, box: box, notify: notify}, nil
}

// watch names the way out, because the usual reason is a limit of the system on
// the number of watches, which Linux calls "no space left on device".
func (e *events) watch(dir string) error {
	if err := e.notify.Add(e.folder.local(dir)); err != nil {
		return fmt.Errorf("not watched (Options.Poll needs no watches): %w", err)
	}
	return nil
}

// forget ignores the error, which says that the watch has died on its own.
func (e *events) forget(dir string) { _ = e.notify.Remove(e.folder.local(dir)) }

// close ends the watches; run returns then.
func (e *events) close() error { return e.notify.Close() }

// run ends when fsnotify closes its channels.
func (e *events) run() {
	for {
		select {
		case event, ok := <-e.notify.Events:
			if !ok {
				return
			}
			e.note(event)
		case err, ok := <-e.notify.Errors:
			if !ok {
				return
			}
			e.box.lose(Problem{Path: ".", Err: err})
		}
	}
}

// note passes an event on. A change of attributes counts as well: it may have
// made a file readable, and the content will tell that nothing else happened.
func (e *events) note(event fsnotify.Event) {
	name, err := filepath.Rel(e.folder.root, event.Name)
	if err != nil {
		return // not below the root: a late event of a folder that moved away
	}
	name = filepath.ToSlash(name)
	if name != "." && e.folder.match(name) {
		e.box.touch(name)
	}
	const cameOrWent = fsnotify.Create | fsnotify.Remove | fsnotify.Rename
	if event.Op&cameOrWent != 0 && !hidden(name) {
		e.box.name(name)
	}
}
