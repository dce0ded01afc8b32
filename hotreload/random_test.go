package hotreload

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFollowingTheSetsYieldsTheFolder performs random operations and keeps a
// copy of the folder from what the sets tell. In the end both must be the same.
func TestFollowingTheSetsYieldsTheFolder(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	bothWays(t, func(t *testing.T, opts Options) {
		r := watching(newTree(t), opts)
		defer r.close()
		random := rand.New(rand.NewPCG(seed, 0))
		copied := r.onDisk()
		for i := range 400 {
			r.operate(random, i)
			if random.IntN(20) == 0 {
				time.Sleep(time.Duration(random.IntN(150)) * time.Millisecond)
			}
		}
		for want := r.onDisk(); !maps.Equal(r.visible(copied), want); {
			r.follow(copied, (<-r.sets).Change)
		}
		r.write("zz.lua", "return 1")
		for copied["zz.lua"] == "" {
			r.follow(copied, (<-r.sets).Change)
		}
		if !maps.Equal(r.visible(copied), r.onDisk()) {
			t.Error("the copy was right, and went wrong again")
		}
	})
}

// operate ignores errors: an operation that cannot be done is none.
func (d disk) operate(random *rand.Rand, i int) {
	pick := func(names ...string) string { return names[random.IntN(len(names))] }
	dir := func() string { return d.path(pick("a", "b", "a/b", "b/a", "a/c")) }
	file := func() string { return d.path(pick("", "a/", "b/", "a/b/", "b/a/") + pick("f", "g", "h") + ".lua") }
	switch random.IntN(10) {
	case 0:
		_ = os.MkdirAll(dir(), 0o755)
	case 1:
		_ = os.Rename(dir(), dir())
	case 2:
		_ = os.RemoveAll(dir())
	case 3:
		_ = os.Rename(file(), file())
	case 4:
		_ = os.Remove(file())
	case 5:
		_ = os.Rename(dir(), file()) // a folder called like a script
	default:
		_ = os.WriteFile(file(), fmt.Append(nil, "return ", i), 0o644)
	}
}

// follow applies one set to the copy.
func (r rig) follow(copied map[string]string, c Change) {
	for _, name := range c.Removed {
		delete(copied, name)
	}
	for _, name := range c.Changed {
		if text, err := r.w.ReadFile(name); err == nil {
			copied[name] = string(text)
		}
	}
}

// visible leaves out files of the copy at whose place a folder stands: such a
// file is reported as a problem, not as removed.
func (d disk) visible(copied map[string]string) map[string]string {
	files := maps.Clone(copied)
	maps.DeleteFunc(files, func(name, _ string) bool {
		info, err := os.Stat(d.path(name))
		return err == nil && info.IsDir()
	})
	return files
}

// onDisk leaves out nothing but folders.
func (d disk) onDisk() map[string]string {
	files := map[string]string{}
	d.must(filepath.WalkDir(d.root, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name := strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(d.root)+"/")
			files[name] = d.read(name)
		}
		return err
	}))
	return files
}
