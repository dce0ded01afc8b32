package hotreload

import (
	"testing"
	"time"
)

// newTree returns a disk with a script in a folder of a folder.
func newTree(t testing.TB) disk {
	d := newDisk(t)
	d.mkdir("a/b")
	d.write("a/b/g.lua", "return 1\n")
	return d
}

func TestFilesInSubfoldersAreWatched(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newTree(t), opts)
		defer r.close()
		r.write("a/b/g.lua", edited)
		r.await(outcome{"a/b/g.lua": "changed"})
		r.nothingElse()
	})
}

func TestNewFolderIsWatched(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newTree(t), opts)
		defer r.close()
		saveDeep(r.disk)
		r.await(outcome{"a/b/c/g.lua": "changed"})
		r.write("a/b/c/g.lua", "return 3")
		r.await(outcome{"a/b/c/g.lua": "changed"})
		r.nothingElse()
	})
}

func TestRemovedFolderIsForgotten(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newTree(t), opts)
		defer r.close()
		r.removeAll("a")
		r.await(outcome{"a/b/g.lua": "removed"})
		r.mkdir("a/b")
		r.write("a/b/g.lua", "return 1\n")
		r.await(outcome{"a/b/g.lua": "changed"})
		r.write("a/b/g.lua", edited)
		r.await(outcome{"a/b/g.lua": "changed"})
		r.nothingElse()
	})
}

// TestSubfolderReplacedByAFile: the files below it are gone, though the system says of
// them that a part of their path is no folder.
func TestSubfolderReplacedByAFile(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newTree(t), opts)
		defer r.close()
		r.removeAll("a")
		r.create("a", "a file")
		r.await(outcome{"a/b/g.lua": "removed"})
		r.nothingElse()
	})
}

// TestRenamedFolder: the kernel's watches move with the folder, and tell the
// names that it had.
func TestRenamedFolder(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newTree(t), opts)
		defer r.close()
		for range 5 {
			r.rename("a", "z")
			r.await(outcome{"a/b/g.lua": "removed", "z/b/g.lua": "changed"})
			r.rename("z", "a")
			r.await(outcome{"z/b/g.lua": "removed", "a/b/g.lua": "changed"})
		}
		r.write("a/b/g.lua", edited)
		r.await(outcome{"a/b/g.lua": "changed"})
		r.nothingElse()
	})
}

// TestFolderReplacedByAnother is how some tools deploy: the new folder is made
// beside the old one, and takes its name.
func TestFolderReplacedByAnother(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newTree(t), opts)
		defer r.close()
		r.mkdir("new/b")
		r.write("new/b/g.lua", edited)
		r.await(outcome{"new/b/g.lua": "changed"})
		r.rename("a", "old")
		r.rename("new", "a")
		r.await(outcome{"a/b/g.lua": "changed", "old/b/g.lua": "changed", "new/b/g.lua": "removed"})
		r.write("a/b/g.lua", "return 3")
		r.await(outcome{"a/b/g.lua": "changed"})
		r.nothingElse()
	})
}

func TestFolderMovedInAndOut(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newTree(t), opts)
		defer r.close()
		r.rename("a", "../outside")
		r.await(outcome{"a/b/g.lua": "removed"})
		r.write("../outside/b/g.lua", edited) // nobody's business any more
		r.nothingElse()
		r.rename("../outside", "a")
		r.await(outcome{"a/b/g.lua": "changed"})
		r.nothingElse()
	})
}

func TestHiddenFoldersAreSkipped(t *testing.T) {
	d := newTree(t)
	d.mkdir(".git/hooks")
	d.write(".git/hooks/g.lua", "return 1")
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(d, opts)
		defer r.close()
		if got := r.w.Files(); len(got) != 2 {
			t.Errorf("files are %q", got)
		}
	})
}

func TestLinkLoopsDoNotHang(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		d := newTree(t)
		d.symlink(".", "a/loop")
		d.symlink("../..", "a/b/up")
		r := watching(d, opts)
		defer r.close()
		want := outcome{"a/loop": errLinked.Error(), "a/b/up": errLinked.Error()}
		r.await(want)
		r.symlink(".", "late")
		r.await(outcome{"late": errLinked.Error()})
		r.nothingElse()
	})
}

// TestLinkedFile: no event names the link when its target is saved.
func TestLinkedFile(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		d := newTree(t)
		d.symlink("a/b/g.lua", "link.lua")
		r := watching(d, opts)
		defer r.close()
		r.write("a/b/g.lua", edited)
		r.await(outcome{"a/b/g.lua": "changed", "link.lua": "changed"})
		r.remove("link.lua")
		r.await(outcome{"link.lua": "removed"})
		r.nothingElse()
	})
}

// TestFileInNewFolderMustSettle: a folder's files are found by looking, and then
// must be quiet like those that events tell of.
func TestFileInNewFolderMustSettle(t *testing.T) {
	told(t, Options{}, func(r rig) {
		start := time.Now()
		r.mkdir("a")
		r.write("a/g.lua", "return")
		r.w.box.name("a")
		time.Sleep(40 * time.Millisecond)
		r.saveAndTell("a/g.lua", "return 2")
		r.after(start, r.expect([]string{"a/g.lua"}, nil), 100*time.Millisecond)
		r.silence()
	})
}
