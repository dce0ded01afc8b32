package hotreload

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
)

// TestReadNoticesAWriter reads a file to which somebody appends without a pause,
// until a reading was refused, and then reads it whole.
func TestReadNoticesAWriter(t *testing.T) {
	d := newDisk(t)
	opts := Options{MaxFile: 1 << 30}.filled()
	f := folder{d.root, opts.Match, opts.MaxFile}
	d.write("f.lua", "")
	var writer sync.WaitGroup
	stop := make(chan struct{})
	writer.Go(func() { d.appendUntil(stop) })
	for {
		text, err := f.read("f.lua")
		if err == errUnsettled {
			break
		}
		if err != nil || strings.Trim(string(text), "x") != "" {
			t.Fatalf("read %d bytes, %v", len(text), err)
		}
	}
	close(stop)
	writer.Wait()
	text, err := f.read("f.lua")
	if err != nil || string(text) != d.read("f.lua") {
		t.Errorf("read %d bytes, %v", len(text), err)
	}
}

// appendUntil starts anew at 1 MB, so that a slow reader does not fill the disk.
func (d disk) appendUntil(stop <-chan struct{}) {
	file, err := os.Create(d.path("f.lua"))
	if err != nil {
		d.t.Error(err)
		return
	}
	defer file.Close()
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		_, err := file.WriteAt([]byte("x"), int64(i%(1<<20)))
		if i%(1<<20) == 0 {
			err = errors.Join(err, file.Truncate(1))
		}
		if err != nil {
			d.t.Error(err)
			return
		}
	}
}

func TestWalkEntersBeforeItLists(t *testing.T) {
	d := newTree(t)
	opts := Options{}.filled()
	f := folder{d.root, opts.Match, opts.MaxFile}
	files, problems := f.walk(".", func(dir string) error {
		d.write(dir+"/late.lua", "return 1")
		if dir == "a/b" {
			return errors.New("no watch left")
		}
		return nil
	})
	want := "a/b/g.lua a/b/late.lua a/late.lua f.lua late.lua"
	if got := strings.Join(files, " "); got != want {
		t.Errorf("files are %q, want %q", got, want)
	}
	if len(problems) != 1 || problems[0].Error() != `"a/b": no watch left` {
		t.Errorf("problems are %v", problems)
	}
}

func TestIsScript(t *testing.T) {
	for name, want := range map[string]bool{
		"f.lua": true, "a/b/f.lua": true, "f g.lua": true, "é.lua": true,
		"f.lua~": false, ".f.lua": false, "a/.#f.lua": false, "f.lua___jb_tmp___": false, "4913": false, ".lua": false, "f.LUA": false,
	} {
		if isSource(name) != want {
			t.Errorf("%q is a script: %v", name, !want)
		}
	}
}
