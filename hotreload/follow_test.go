package hotreload

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeHost is a Stager that keeps what it was given.
type fakeHost struct {
	mu     sync.Mutex
	folder fs.FS
	texts  map[string]string
	during func()        // called while Load runs
	err    error         // of Load
	staged chan struct{} // gets a token for each Stage
	early  bool          // Stage was called before Load returned
	loaded bool
}

func newFakeHost() *fakeHost {
	return &fakeHost{texts: map[string]string{}, staged: make(chan struct{}, 100)}
}

func (h *fakeHost) Load(folder fs.FS) error {
	h.folder = folder
	names, err := fs.Glob(folder, "*.lua")
	if err != nil {
		return err
	}
	for _, name := range names {
		h.read(name)
	}
	if h.during != nil {
		h.during()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.loaded = true
	return h.err
}

func (h *fakeHost) read(name string) {
	text, err := fs.ReadFile(h.folder, name)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		h.texts[name] = err.Error()
		return
	}
	h.texts[name] = string(text)
}

func (h *fakeHost) Stage(changed, removed []string) {
	h.mu.Lock()
	h.early = h.early || !h.loaded
	for _, name := range removed {
		delete(h.texts, name)
	}
	h.mu.Unlock()
	for _, name := range changed {
		h.read(name)
	}
	h.staged <- struct{}{}
}

// await returns once the host has these texts.
func (h *fakeHost) await(want map[string]string) {
	for {
		h.mu.Lock()
		same := len(h.texts) == len(want)
		for name, text := range want {
			same = same && h.texts[name] == text
		}
		h.mu.Unlock()
		if same {
			return
		}
		<-h.staged
	}
}

// TestFollowStagesEverySave: the host has what is on the disk: after the load, after a
// save that came during the load, and after later saves and removals.
func TestFollowStagesEverySave(t *testing.T) {
	d, h := newDisk(t), newFakeHost()
	h.during = func() { d.write("f.lua", "return 2\n") }
	w, err := Follow(d.root, h, Options{Settle: time.Millisecond})
	d.must(err)
	h.await(map[string]string{"f.lua": "return 2\n"})
	d.write("g.lua", "return 3\n")
	h.await(map[string]string{"f.lua": "return 2\n", "g.lua": "return 3\n"})
	d.remove("f.lua")
	h.await(map[string]string{"g.lua": "return 3\n"})
	d.must(w.Close())
	if h.early {
		t.Error("Stage was called before Load had returned")
	}
}

// TestFollowEndsWithAFailedLoad: the error is the host's own, and nothing is watched:
// TestMain sees that no goroutine is left.
func TestFollowEndsWithAFailedLoad(t *testing.T) {
	d, h := newDisk(t), newFakeHost()
	h.err = errors.New("a mistake in f.lua")
	h.during = func() { d.write("f.lua", "return 2\n") }
	w, err := Follow(d.root, h, Options{Settle: time.Millisecond})
	if w != nil || err != h.err {
		t.Errorf("Follow returned %v, %v", w, err)
	}
	if len(h.staged) > 0 {
		t.Error("a save was staged in a host whose load has failed")
	}
}

// TestFollowRefuses: a folder that is not there, and no host.
func TestFollowRefuses(t *testing.T) {
	if w, err := Follow(t.TempDir()+"/none", newFakeHost(), Options{}); w != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v, %v", w, err)
	}
	if w, err := Follow(t.TempDir(), nil, Options{}); w != nil || err == nil || !strings.Contains(err.Error(), "the host is nil") {
		t.Errorf("no host: %v, %v", w, err)
	}
}

// TestFollowReportsProblems: what cannot be read is reported, and the rest is staged.
func TestFollowReportsProblems(t *testing.T) {
	d, h := newDisk(t), newFakeHost()
	var mu sync.Mutex
	var problems []string
	w, err := Follow(d.root, h, Options{Settle: time.Millisecond, MaxFile: 20, OnProblem: func(p Problem) {
		mu.Lock()
		defer mu.Unlock()
		problems = append(problems, p.Error())
	}})
	d.must(err)
	d.append("f.lua", "-- more than twenty bytes") // at once: a write that cuts the file first may be seen half done
	d.write("g.lua", "return 3\n")
	h.await(map[string]string{"f.lua": "return 1\n", "g.lua": "return 3\n"})
	d.must(w.Close())
	if want := []string{`"f.lua": 34 bytes, more than the limit of 20`}; !slices.Equal(problems, want) {
		t.Errorf("problems: %q, want %q", problems, want)
	}
}

// TestFollowedFolderNamesTheFile: the host sees the errors of an fs.FS.
func TestFollowedFolderNamesTheFile(t *testing.T) {
	d, h := newDisk(t), newFakeHost()
	w, err := Follow(d.root, h, Options{})
	d.must(err)
	defer w.Close()
	for name, reason := range map[string]error{"none.lua": fs.ErrNotExist, "../f.lua": fs.ErrInvalid} {
		_, err := fs.ReadFile(h.folder, name)
		if p, ok := errors.AsType[*fs.PathError](err); !ok || p.Path != name || !errors.Is(err, reason) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
