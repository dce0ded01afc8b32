package hotreload

import (
	"io/fs"
	"os"
	"time"
)

// renamed follows names that came or went. All old watches go before any new
// one comes: a folder that was renamed keeps its watch in the kernel, and
// fsnotify would end the new one together with the old one.
func (l *loop) renamed(now time.Time, names map[string]bool) {
	for name := range names {
		if l.dirs[name] {
			l.forget(now, name)
		}
	}
	for name := range names {
		l.survey(now, name)
	}
}

// forget ends the watches in a folder, and lets its known files be looked at:
// no event tells that they went with it.
func (l *loop) forget(now time.Time, name string) {
	for dir := range l.dirs {
		if inside(dir, name) {
			l.notifier.forget(dir)
			delete(l.dirs, dir)
		}
	}
	if paths := l.ledger.below(name); len(paths) > 0 {
		l.pending.move(now, now, paths...)
	}
}

// survey watches what has appeared under a name, if it is a folder, and lets
// all files in it be looked at. Only the outermost of new folders raises an
// event.
func (l *loop) survey(now time.Time, name string) {
	info, err := os.Lstat(l.folder.local(name))
	switch {
	case err != nil:
		return
	case l.folder.linksFolder(name, info.Mode()) && name != ".":
		l.complain(now, Problem{name, errLinked})
	case info.IsDir() || name == ".":
		files, problems := l.folder.walk(name, l.watch)
		if len(files) > 0 {
			l.pending.move(now, now, files...)
		}
		for _, p := range problems {
			l.complain(now, p)
		}
	}
}

// watch puts a watch on one folder, and remembers it.
func (l *loop) watch(dir string) error {
	if err := l.notifier.watch(dir); err != nil {
		return err
	}
	l.dirs[dir] = true
	return nil
}

// complain starts a set if there is none, so that the problem is reported.
func (l *loop) complain(now time.Time, p Problem) {
	l.pending.complain(p)
	l.pending.move(now, now)
}

// replaced is called when the watched folder may be another one now. The look
// that follows finds out, once the dust has settled.
func (l *loop) replaced(now time.Time) {
	l.root = nil
	l.pending.move(now, now)
}

// check compares the path of the folder with the folder that is being watched.
// No event tells that a folder above was renamed, that a disk was taken away,
// or that a missing folder is back: so this is asked from time to time.
func (l *loop) check(now time.Time) {
	if _, pending := l.pending.due(); pending {
		return // the look asks as well, and must not be put off by asking here
	}
	info, err := l.folder.stat()
	if err != nil && !l.lost || err == nil && !l.is(info) {
		l.replaced(now)
	}
}

// is tells whether a folder is the one that is being watched.
func (l *loop) is(root fs.FileInfo) bool {
	return l.root != nil && os.SameFile(l.root, root)
}

// stands tells whether the files can be looked at. If the folder is another
// one, they can after one more settle.
func (l *loop) stands(now time.Time) bool {
	info, err := l.folder.stat()
	if err == nil && l.is(info) {
		return true
	}
	problems := l.pending.problems
	l.pending = newPendingSet(l.opts)
	if err != nil {
		l.lose(err, problems)
		return false
	}
	l.root, l.lost = info, false
	l.forget(now, ".")
	l.survey(now, ".")
	for _, p := range problems {
		l.complain(now, p)
	}
	return false
}

// lose tells once that the folder is missing. Its files are not called removed:
// a disk that went away must not unload a game, and a checkout that puts the
// folder back finds the same scripts running.
func (l *loop) lose(err error, problems []Problem) {
	l.root = nil
	if !l.lost {
		l.lost = true
		problems = append(problems, problem(".", err))
	}
	l.deliver(Change{Problems: problems})
}
