package hotreload

import (
	"os"
	"testing"
)

const tooLarge = "104857600 bytes, more than the limit of 1048576"

// A mishap makes f.lua unreadable.
type mishap struct {
	name, reason string
	strike       func(d disk)
}

func mishaps() []mishap {
	return []mishap{
		{"folder", errFolder.Error(), func(d disk) { d.mkdir("f.lua") }},
		{"link loop", "too many levels of symbolic links", func(d disk) { d.symlink("f.lua", "f.lua") }},
		{"100 MB", tooLarge, func(d disk) { d.create("f.lua", ""); d.must(os.Truncate(d.path("f.lua"), 100<<20)) }},
	}
}

// TestMishaps replaces the file, and puts it back as it was, edited, and gone:
// what was known before the mishap stays known.
func TestMishaps(t *testing.T) {
	t.Parallel()
	for _, m := range mishaps() {
		t.Run(m.name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, opts Options) {
				r := watching(newDisk(t), opts)
				defer r.close()
				strike := func() {
					r.remove("f.lua")
					m.strike(r.disk)
					r.await(outcome{"f.lua": m.reason})
					r.nothingElse()
					r.remove("f.lua")
				}
				strike()
				r.write("f.lua", "return 1\n")
				r.nothingElse()
				strike()
				r.write("f.lua", edited)
				r.await(outcome{"f.lua": "changed"})
				strike()
				r.await(outcome{"f.lua": "removed"})
				r.nothingElse()
			})
		})
	}
}

// TestMishapsInTheBaseline: they are no Change, but the user must see them.
func TestMishapsInTheBaseline(t *testing.T) {
	t.Parallel()
	for _, m := range mishaps()[1:] { // a folder called f.lua is just a folder
		t.Run(m.name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, opts Options) {
				d := newDisk(t)
				d.remove("f.lua")
				m.strike(d)
				r := watching(d, opts)
				defer r.close()
				r.await(outcome{"f.lua": m.reason})
				r.nothingElse()
				r.remove("f.lua")
				r.nothingElse()
				r.write("f.lua", edited)
				r.await(outcome{"f.lua": "changed"})
			})
		})
	}
}

func TestProblemIsToldOnce(t *testing.T) {
	told(t, Options{MaxFile: 100}, func(r rig) {
		huge := string(make([]byte, 101))
		r.saveAndTell("f.lua", huge)
		want := Change{Problems: []Problem{{"f.lua", reason("101 bytes, more than the limit of 100")}}}
		if got := <-r.sets; !got.is(want) {
			t.Errorf("set %+v", got.Change)
		}
		r.saveAndTell("f.lua", huge)
		r.silence()
		r.saveAndTell("f.lua", "return 1\n") // as it was: readable, and nothing to tell
		r.silence()
		r.saveAndTell("f.lua", huge)
		if got := <-r.sets; !got.is(want) {
			t.Errorf("set %+v", got.Change)
		}
	})
}

func TestPermissionLost(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("root may read a file of mode 000, and Windows has no such modes")
	}
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newTree(t), opts)
		defer r.close()
		r.chmod("f.lua", 0)
		r.await(outcome{"f.lua": "permission denied"})
		r.chmod("f.lua", 0o644)
		r.nothingElse()
		r.chmod("a/b", 0)
		defer r.chmod("a/b", 0o755)
		r.write("f.lua", edited) // and g.lua, which cannot be seen, is not called removed
		for got := (outcome{}); got["f.lua"] != "changed"; {
			got.add((<-r.sets).Change)
			if got["a/b/g.lua"] == "removed" {
				t.Error("a file in an unreadable folder is called removed")
			}
		}
	})
}

func TestEmptyFiles(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newDisk(t), opts)
		defer r.close()
		r.write("f.lua", "")
		r.write("empty.lua", "")
		r.await(outcome{"f.lua": "changed", "empty.lua": "changed"})
		r.remove("empty.lua")
		r.await(outcome{"empty.lua": "removed"})
		r.write("f.lua", edited)
		r.await(outcome{"f.lua": "changed"})
		r.nothingElse()
	})
}

// TestRestlessFileHoldsUpNobody uses a file of the kernel whose size never
// agrees with its content, as that of a file under the pen.
func TestRestlessFileHoldsUpNobody(t *testing.T) {
	const restless = "/proc/version"
	if _, err := os.Stat(restless); err != nil {
		t.Skipf("needs a file whose size lies: %v", err)
	}
	told(t, Options{}, func(r rig) {
		r.remove("f.lua")
		r.symlink(restless, "f.lua")
		r.w.box.touch("f.lua")
		r.saveAndTell("g.lua", edited)
		r.expect([]string{"g.lua"}, nil)
		r.silence()
		r.remove("f.lua")
		r.write("f.lua", edited) // no event: it is looked at until it is at rest
		r.expect([]string{"f.lua"}, nil)
		r.silence()
	})
}
