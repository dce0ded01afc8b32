package hotreload

import (
	"os"
	"testing"
	"time"
)

const edited = "return 2 -- edited\n"

// A writer performs exactly the file operations of one editor or command. Before
// it, the folder holds f.lua.
type writer struct {
	name             string
	save             func(d disk)
	changed, removed []string
}

func writers() []writer {
	f := []string{"f.lua"}
	return []writer{
		{"echo >", func(d disk) { d.write("f.lua", edited) }, f, nil},
		{"echo >>", func(d disk) { d.append("f.lua", edited) }, f, nil},
		{"cp", func(d disk) { d.put("f.lua", edited, os.O_TRUNC) }, f, nil},
		{"VS Code", saveTruncating, f, nil},
		{"vim", saveVim, f, nil},
		{"vim backupcopy=yes", saveVimCopy, f, nil},
		{"tmp and mv", func(d disk) { d.create("tmp1234", edited); d.rename("tmp1234", "f.lua") }, f, nil},
		{"tmp.lua and mv", func(d disk) { d.create("tmp.lua", edited); d.rename("tmp.lua", "f.lua") }, f, nil},
		{"sed -i", saveSed, f, nil},
		{"JetBrains safe write", saveJetBrains, f, nil},
		{"git checkout", func(d disk) { d.remove("f.lua"); d.create("f.lua", edited) }, f, nil},
		{"in two halves", saveHalves, f, nil},
		{"truncate to nothing", func(d disk) { d.write("f.lua", "") }, f, nil},
		{"touch", func(d disk) { d.touch("f.lua") }, nil, nil},
		{"chmod", func(d disk) { d.chmod("f.lua", 0o600) }, nil, nil},
		{"save without an edit", func(d disk) { d.write("f.lua", "return 1\n") }, nil, nil},
		{"edit and undo", func(d disk) { d.write("f.lua", edited); d.write("f.lua", "return 1\n") }, nil, nil},
		{"swap file", func(d disk) { d.create(".f.lua.swp", edited); d.create("f.lua~", edited) }, nil, nil},
		{"rm", func(d disk) { d.remove("f.lua") }, nil, f},
		{"mv f g", func(d disk) { d.rename("f.lua", "g.lua") }, []string{"g.lua"}, f},
		{"create and rm", func(d disk) { d.create("g.lua", edited); d.remove("g.lua") }, nil, nil},
		{"mkdir -p and file", saveDeep, []string{"a/b/c/g.lua"}, nil},
		{"mkdir .git and file", func(d disk) { d.mkdir(".git"); d.create(".git/g.lua", edited) }, nil, nil},
	}
}

// saveTruncating keeps the file open between emptying and writing it.
func saveTruncating(d disk) {
	file, err := os.OpenFile(d.path("f.lua"), os.O_WRONLY|os.O_TRUNC, 0)
	d.must(err)
	_, err = file.WriteString(edited)
	d.must(err)
	d.must(file.Close())
}

// saveVim tries a name to see whether the folder can be written to, and keeps
// the old file under another name until the new one is complete.
func saveVim(d disk) {
	d.create("4913", "")
	d.chmod("4913", 0o644)
	d.remove("4913")
	d.rename("f.lua", "f.lua~")
	d.create("f.lua", edited)
	d.chmod("f.lua", 0o644)
	d.remove("f.lua~")
}

func saveVimCopy(d disk) {
	d.create("f.lua~", d.read("f.lua"))
	d.write("f.lua", edited)
	d.chmod("f.lua", 0o644)
	d.remove("f.lua~")
}

func saveSed(d disk) {
	d.create("sedJ3x0Qv", edited)
	d.chmod("sedJ3x0Qv", 0o644)
	d.rename("sedJ3x0Qv", "f.lua")
}

func saveJetBrains(d disk) {
	d.create("f.lua___jb_tmp___", edited)
	d.rename("f.lua", "f.lua___jb_old___")
	d.rename("f.lua___jb_tmp___", "f.lua")
	d.remove("f.lua___jb_old___")
}

func saveHalves(d disk) {
	d.write("f.lua", edited[:9])
	time.Sleep(40 * time.Millisecond)
	d.append("f.lua", edited[9:])
}

func saveDeep(d disk) {
	d.mkdir("a/b/c")
	d.create("a/b/c/g.lua", edited)
}

// saved watches a folder in which the writer saves. On a busy machine the writer may be held
// up for longer than a save takes to settle; the watcher then takes its middle for its end,
// as it should, and the writer begins again in another folder.
func (by writer) saved(t *testing.T, opts Options) rig {
	for {
		r := watching(newDisk(t), opts)
		began := time.Now()
		by.save(r.disk)
		if time.Since(began) < r.w.loop.opts.Settle {
			return r
		}
		r.close()
	}
}

func TestWritersWithEvents(t *testing.T) {
	t.Parallel()
	for _, by := range writers() {
		t.Run(by.name, func(t *testing.T) {
			t.Parallel()
			r := by.saved(t, Options{})
			defer r.close()
			r.await(amounts(by.changed, by.removed))
			r.nothingElse()
		})
	}
}

// TestWritersInOneSet lets a poll fall into the save of those writers that take
// their time, and demands one set and nothing besides.
func TestWritersInOneSet(t *testing.T) {
	for _, by := range writers() {
		t.Run(by.name, func(t *testing.T) {
			simulated(t, Options{Interval: 500 * time.Millisecond}, func(r rig) {
				time.Sleep(480 * time.Millisecond)
				by.save(r.disk)
				if len(by.changed)+len(by.removed) > 0 {
					r.expect(by.changed, by.removed)
				}
				r.silence()
			})
		})
	}
}

// TestWritersWhilePolled polls so often that it finds saves under way.
func TestWritersWhilePolled(t *testing.T) {
	t.Parallel()
	for _, by := range writers() {
		t.Run(by.name, func(t *testing.T) {
			t.Parallel()
			r := by.saved(t, Options{Poll: true, Interval: time.Millisecond})
			defer r.close()
			r.await(amounts(by.changed, by.removed))
			r.nothingElse()
		})
	}
}
