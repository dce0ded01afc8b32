package hotreload

import (
	"testing"
	"time"
)

// awaitLoss fetches the set which tells that the folder is missing. Files that
// went before the folder itself may have been told as removed.
func (r rig) awaitLoss() {
	r.t.Helper()
	for got := (outcome{}); got["."] == ""; {
		c := <-r.sets
		r.t.Logf("set: %+v", c.Change)
		got.add(c.Change)
	}
}

// awaitContent fetches sets until the file is known as it is on the disk.
func (r rig) awaitContent(name string) {
	r.t.Helper()
	for got := (outcome{}); got[name] != "changed"; {
		c := <-r.sets
		r.t.Logf("set: %+v", c.Change)
		got.add(c.Change)
	}
}

// withBeat makes the check of the folder itself quick.
func withBeat(o Options) Options { o.Interval = 20 * time.Millisecond; return o }

func TestFolderDeletedAndCreatedAgain(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newTree(t), withBeat(opts))
		defer r.close()
		for _, text := range []string{"return 2", "return 3"} {
			r.removeAll(".")
			r.awaitLoss()
			r.mkdir("a/b")
			r.write("a/b/g.lua", text)
			r.awaitContent("a/b/g.lua")
			r.write("a/b/g.lua", text+" -- edited")
			r.awaitContent("a/b/g.lua")
		}
	})
}

func TestFolderMovedAway(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newTree(t), withBeat(opts))
		defer r.close()
		r.rename(".", "../away")
		r.awaitLoss()
		r.write("../away/f.lua", edited)
		r.rename("../away", ".")
		r.await(outcome{"f.lua": "changed"}) // and nothing is called removed
		r.write("a/b/g.lua", edited)
		r.await(outcome{"a/b/g.lua": "changed"})
		r.nothingElse()
	})
}

// TestFolderAboveMovedAway raises no event in the watched folder at all.
func TestFolderAboveMovedAway(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		above := newDisk(t)
		d := disk{t, above.path("scripts")}
		d.mkdir(".")
		d.write("f.lua", "return 1\n")
		r := watching(d, withBeat(opts))
		defer r.close()
		above.rename(".", "../away")
		r.awaitLoss()
		above.rename("../away", ".")
		r.write("f.lua", edited)
		r.await(outcome{"f.lua": "changed"})
		r.nothingElse()
	})
}

// TestFolderSwapped puts another folder in the place of the watched one, as a
// link that is turned around does for a deployment.
func TestFolderSwapped(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		d := newTree(t)
		d.mkdir("../next/a/b")
		d.write("../next/f.lua", "return 1\n")
		d.write("../next/a/b/g.lua", edited)
		d.symlink("scripts", "../current")
		d.symlink("next", "../current~")
		r := watching(disk{t, d.path("../current")}, withBeat(opts))
		defer r.close()
		d.rename("../current~", "../current")
		r.await(outcome{"a/b/g.lua": "changed"})
		d.write("../next/f.lua", edited)
		r.await(outcome{"f.lua": "changed"})
		r.nothingElse()
	})
}

func TestFolderReplacedByFile(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newDisk(t), withBeat(opts))
		defer r.close()
		r.rename(".", "../away")
		r.create("../scripts", "a file")
		r.awaitLoss()
		r.remove("../scripts")
		r.rename("../away", ".")
		r.write("f.lua", edited)
		r.await(outcome{"f.lua": "changed"})
		r.nothingElse()
	})
}

// TestLossIsToldOnceAndRemovesNothing: the scripts of a running game are not to
// be unloaded because a disk went away.
func TestLossIsToldOnceAndRemovesNothing(t *testing.T) {
	simulated(t, Options{}, func(r rig) {
		r.rename(".", "../away")
		got := <-r.sets
		if len(got.Changed)+len(got.Removed) > 0 || len(got.Problems) != 1 || got.Problems[0].Path != "." {
			t.Errorf("set %+v, want one problem", got.Change)
		}
		r.silence()
		r.rename("../away", ".")
		r.silence()
		r.write("f.lua", edited)
		r.expect([]string{"f.lua"}, nil)
	})
}
