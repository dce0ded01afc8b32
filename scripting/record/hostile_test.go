package record_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/scripting/record"
)

// frame is a frame of a recording, whose checksum record.Repair makes right.
func frame(kind byte, content []byte) []byte {
	head := make([]byte, 9)
	head[0] = kind
	binary.LittleEndian.PutUint32(head[1:], uint32(len(content)))
	return append(head, content...)
}

// fileFrame is a frame of a file.
func fileFrame(name, content string) []byte {
	to := append(binary.AppendUvarint(nil, uint64(len(name))), name...)
	to = append(binary.AppendUvarint(to, uint64(len(content))), content...)
	return frame('F', to)
}

// with returns a recording with frames after its header, and others before its end.
func with(t testing.TB, first, last []byte) []byte {
	t.Helper()
	data := small(t, 5)
	at := len("perigee recording 1\n")
	at += 9 + int(binary.LittleEndian.Uint32(data[at+1:]))
	end := len(data) - 9
	return record.Repair(bytes.Join([][]byte{data[:at], first, data[at:end], last, data[end:]}, nil))
}

// TestDeepFolders: a path of a hundred thousand folders is refused by Open. Who walks it would need more stack than there is.
func TestDeepFolders(t *testing.T) {
	for _, name := range []string{strings.Repeat("a/", 100_000) + "x.lua", strings.Repeat("x", 5000) + ".lua"} {
		data := with(t, fileFrame(name, "-- nothing"), nil)
		if _, err := record.Open(bytes.NewReader(data), int64(len(data))); !errors.Is(err, record.ErrDamaged) {
			t.Error(err)
		}
	}
}

// TestManyFolders: each of many files in a folder of its own costs no more than a few do.
func TestManyFolders(t *testing.T) {
	took := func(n int) time.Duration {
		var files []byte
		for i := range n {
			files = append(files, fileFrame(fmt.Sprintf("f%d/x.txt", i), "")...)
		}
		r := open(t, with(t, files, nil))
		g := newGame(t, setting{workers: 1, seed: 5})
		began := time.Now()
		_, err := r.Play(g.s, record.PlayOptions{})
		must(t, err)
		return time.Since(began)
	}
	if few, many := took(500), took(15_000); many > 150*few+time.Second {
		t.Errorf("500 folders take %v, 15,000 %v", few, many)
	}
}

// TestManyKeyframes: to go back to the tick at hand drops nothing, however many keyframes there are and
// however often it comes.
func TestManyKeyframes(t *testing.T) {
	const n = 150_000
	keys := bytes.Repeat(frame('K', []byte{1}), n)
	back := bytes.Repeat(frame('W', binary.AppendUvarint(nil, 5)), n)
	began := time.Now()
	r := open(t, with(t, nil, append(keys, back...)))
	if _, last := r.Range(); last != 5 || r.Damage() != nil {
		t.Fatal(last, r.Damage())
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("%v", took)
	}
}

// TestFoldersOfRecordings are what fs.FS demands, also where a file and a folder have one name.
func TestFoldersOfRecordings(t *testing.T) {
	files := bytes.Join([][]byte{fileFrame("x/y/z.lua", "1"), fileFrame("x/y/w.lua", "2"), fileFrame("x/b.txt", ""), fileFrame("deep/er/est/c.txt", "3")}, nil)
	must(t, fstest.TestFS(open(t, with(t, files, nil)).Folder(), "a.lua", "x/y/z.lua", "x/y/w.lua", "x/b.txt", "deep/er/est/c.txt"))
	files = append(files, append(fileFrame("x/y", ""), fileFrame("deep/er/est", "")...)...)
	seen := map[string]bool{}
	must(t, fs.WalkDir(open(t, with(t, files, nil)).Folder(), ".", func(path string, _ fs.DirEntry, err error) error {
		if seen[path] {
			t.Errorf("%s is there twice", path)
		}
		seen[path] = true
		return err
	}))
	if !seen["x/b.txt"] || !seen["x/y"] || !seen["deep/er/est"] {
		t.Error(seen)
	}
}

// damaged opens a recording that is damaged after a tick.
func damaged(t testing.TB, data []byte, after uint64) {
	t.Helper()
	r, err := record.Open(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	if _, last := r.Range(); last != after || !errors.Is(r.Damage(), record.ErrDamaged) {
		t.Errorf("good up to tick %d, want %d: %v", last, after, r.Damage())
	}
}

// tickFrame is a frame of a tick without inputs, whose digest has n components without a name and without sums.
func tickFrame(tick uint64, n int) []byte {
	content := binary.AppendUvarint(nil, tick)
	content = append(content, make([]byte, 8+2+24)...) // dt; not ended, no inputs; random, scripts, world
	content = binary.AppendUvarint(content, uint64(n))
	return frame('T', append(content, make([]byte, 2*n)...))
}

// TestDigestsAreBounded: a digest has no more components than a world can have, and Open makes nothing of them.
func TestDigestsAreBounded(t *testing.T) {
	damaged(t, with(t, nil, tickFrame(6, 500_000)), 5)
	var ticks []byte
	for n := range uint64(500) {
		ticks = append(ticks, tickFrame(6+n, 1000)...)
	}
	data := with(t, nil, ticks)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := open(t, data)
	runtime.ReadMemStats(&after)
	if _, last := r.Range(); last != 505 || r.Damage() != nil {
		t.Errorf("%d: %v", last, r.Damage())
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(4*len(data)) {
		t.Errorf("to open %d bytes takes %d", len(data), took)
	}
}

// reloadFrame is a frame of a reload that puts n files, in 250 folders each, in force, or takes them out.
func reloadFrame(n int, there bool) []byte {
	content := binary.AppendUvarint([]byte{0, 0}, uint64(n)) // nothing is staged
	for i := range n {
		name := fmt.Sprintf("%d/", i) + strings.Repeat("b/", 249) + "x.txt"
		content = append(binary.AppendUvarint(content, uint64(len(name))), name...)
		if there {
			content = append(content, 1)
		}
		content = append(content, 0)
	}
	return frame('R', content)
}

// TestFoldersOfReloadsAreBounded: files that come with reloads are bounded as those at the beginning are, and do not count once they
// are gone.
func TestFoldersOfReloadsAreBounded(t *testing.T) {
	come := append(reloadFrame(700, true), tickFrame(6, 0)...)
	come = append(come, append(reloadFrame(700, false), tickFrame(7, 0)...)...)
	come = append(come, append(reloadFrame(1000, true), tickFrame(8, 0)...)...)
	damaged(t, with(t, nil, append(come, append(reloadFrame(1100, true), tickFrame(9, 0)...)...)), 8)
}
