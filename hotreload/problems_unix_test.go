//go:build unix

package hotreload

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// TestPipeIsNotOpened: opening one waits for a writer, perhaps for ever.
func TestPipeIsNotOpened(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newDisk(t), opts)
		defer r.close()
		r.remove("f.lua")
		r.must(syscall.Mkfifo(r.path("f.lua"), 0o644))
		r.await(outcome{"f.lua": errIrregular.Error()})
		r.nothingElse()
	})
}

// devices are names that a link may lead to, of which opening or reading might
// never end.
var devices = []string{"/dev/zero", "/dev/tty", "/dev/random", "/proc/kmsg", "/dev/full", "/dev/ptmx", "/proc/self/mem", "/", "f.lua"}

// TestALinkToADeviceHoldsUpNobody: it is told of, and the next save of another
// file comes through.
func TestALinkToADeviceHoldsUpNobody(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newDisk(t), opts)
		defer r.close()
		for i, device := range devices {
			r.remove("f.lua")
			r.symlink(device, "f.lua")
			other := fmt.Sprintf("g%d.lua", i)
			r.write(other, "return 1\n")
			for got := (outcome{}); got[other] != "changed"; {
				got.add((<-r.sets).Change)
				if got["f.lua"] == "changed" {
					t.Errorf("%s was read", device)
				}
			}
		}
	})
}

// TestFolderWaitsForNothing is the same for a folder that is not watched.
func TestFolderWaitsForNothing(t *testing.T) {
	d := newDisk(t)
	d.must(syscall.Mkfifo(d.path("pipe.lua"), 0o644))
	d.create("huge.lua", "")
	d.must(os.Truncate(d.path("huge.lua"), 10<<30))
	names := []string{"pipe.lua", "huge.lua", "none.lua", "../f.lua"}
	for i, device := range devices[:len(devices)-1] {
		name := fmt.Sprintf("d%d.lua", i)
		d.symlink(device, name)
		names = append(names, name)
	}
	folder := Folder(d.root, Options{})
	for _, name := range names {
		if text, err := fs.ReadFile(folder, name); err == nil {
			t.Errorf("%s was read: %d bytes", name, len(text))
		}
	}
	if text, err := fs.ReadFile(folder, "f.lua"); err != nil || string(text) != "return 1\n" {
		t.Errorf("f.lua: %q, %v", text, err)
	}
}

// TestNamesThatCannotBeShown are refused alone.
func TestNamesThatCannotBeShown(t *testing.T) {
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newDisk(t), opts)
		defer r.close()
		for i, name := range []string{"a\xff.lua", "b\n.lua", "c\x1b[2J.lua", "d\u202e.lua"} {
			if err := os.WriteFile(r.path(name), nil, 0o644); err != nil {
				t.Skipf("this system has no such names: %v", err)
			}
			r.await(outcome{name: errName.Error()})
			other := fmt.Sprintf("g%d.lua", i)
			r.write(other, "return 1\n")
			r.await(outcome{other: "changed"})
			r.remove(name)
			r.nothingElse()
		}
	})
}
