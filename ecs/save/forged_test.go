package save_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// forge writes a save anew with other parts, and with sums that are right: as somebody does who wants
// to hurt the program.
func forge(t testing.TB, text []byte, change func(name string, data []byte) []byte) []byte {
	t.Helper()
	from, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	must(t, err)
	var to bytes.Buffer
	w := zip.NewWriter(&to)
	write := func(name string, data []byte) {
		p, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		must(t, err)
		_, err = p.Write(data)
		must(t, err)
	}
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	var manifest []byte
	sums := map[string][2]any{}
	for _, p := range from.File {
		r, err := p.Open()
		must(t, err)
		data, err := io.ReadAll(r)
		must(t, err)
		if data = change(p.Name, data); p.Name == "manifest.json" {
			manifest = data
			continue
		}
		if data == nil {
			continue
		}
		write(p.Name, data)
		sums[p.Name] = [2]any{len(data), fmt.Sprintf("%08x", crc32.Checksum(data, castagnoli))}
	}
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(manifest))
	d.UseNumber()
	if d.Decode(&m) == nil {
		if parts, ok := m["parts"].([]any); ok {
			for _, p := range parts {
				if part, ok := p.(map[string]any); ok {
					if sum, ok := sums[fmt.Sprint(part["name"])]; ok {
						part["bytes"], part["crc32c"] = sum[0], sum[1]
					}
				}
			}
		}
		if again, err := json.Marshal(m); err == nil {
			manifest = again
		}
	}
	write("manifest.json", manifest)
	must(t, w.SetComment(fmt.Sprintf("perigee save, manifest crc32c %08x", crc32.Checksum(manifest, castagnoli))))
	must(t, w.Close())
	return to.Bytes()
}

var numbers = regexp.MustCompile(`-?\d+(\.\d+)?`)

// odd are numbers that programs do not expect.
var odd = []string{"0", "1", "-1", "2", "7", "255", "65535", "16777215", "16777216", "4294967295", "4294967296", "9007199254740993", "18446744073709551615", "1e300", "0.5", "null"}

// twist changes a few numbers of JSON, or a few bytes of a table.
func twist(random *rand.Rand, name string, data []byte) []byte {
	data = slices.Clone(data)
	for range 1 + random.IntN(2) {
		if strings.HasSuffix(name, ".json") {
			at := numbers.FindAllIndex(data, -1)
			if len(at) == 0 {
				return data
			}
			i := at[random.IntN(len(at))]
			data = slices.Replace(data, i[0], i[1], []byte(odd[random.IntN(len(odd))])...)
			continue
		}
		if len(data) == 0 {
			return data
		}
		i := random.IntN(len(data))
		switch random.IntN(3) {
		case 0:
			data[i] = byte(random.Uint32())
		case 1: // a value of another row, or another column
			j := random.IntN(len(data)) &^ 7
			copy(data[i&^7:], data[j:min(j+8, len(data))])
		default:
			copy(data[i&^7:], make([]byte, 8))
		}
	}
	return data
}

// judgeForged loads a forged save: it is refused, or makes a world that is in order and goes on.
func judgeForged(t *testing.T, w *ecs.World, text []byte) bool {
	t.Helper()
	judgeRead(t, text)
	before := w.Checksum()
	report, err := load(w, text, save.LoadOptions{Lose: true})
	if err != nil {
		if w.Checksum() != before {
			t.Fatalf("%v, and the world has changed", err)
		}
		for _, known := range []error{save.ErrDamaged, save.ErrFormat, save.ErrVersion, save.ErrTooLarge, ecs.ErrConflict, ecs.ErrArenaFull, ecs.ErrEntityLimit} {
			if errors.Is(err, known) {
				return false
			}
		}
		t.Fatalf("an error without a name: %v", err)
	}
	if err := w.Check(); err != nil {
		t.Fatalf("a world that is not in order: %v (%s)", err, report)
	}
	if err := w.Step(0.1); err != nil {
		t.Fatalf("the world does not go on: %v", err)
	}
	must(t, w.Check())
	s, err := snapshot.Capture(w)
	must(t, err)
	must(t, save.Write(io.Discard, s, save.Options{}))
	return true
}

// judgeRead reads a forged save without the program: as text, beside itself, from which it has no
// difference, and as a world of its own, which is refused or in order.
func judgeRead(t *testing.T, text []byte) {
	t.Helper()
	f, err := save.Open(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return
	}
	known := func(err error) {
		if err != nil && !errors.Is(err, save.ErrDamaged) && !errors.Is(err, save.ErrTooLarge) && !errors.Is(err, ecs.ErrUnknown) {
			t.Fatalf("an error without a name: %v", err)
		}
	}
	for _, c := range f.Components() {
		known(f.CSV(io.Discard, c.Name))
	}
	known(save.Diff(f, f, func(d save.Difference) error {
		t.Fatalf("a save differs from itself: %s", line(d))
		return nil
	}))
	w, _, err := f.World(ecs.Options{MaxBytes: 16 << 20})
	if err == nil {
		must(t, w.Check())
		must(t, w.Step(0.1))
		must(t, errors.Join(w.Check(), w.Close()))
	} else if !errors.Is(err, ecs.ErrConflict) && !errors.Is(err, ecs.ErrArenaFull) && !errors.Is(err, ecs.ErrEntityLimit) {
		known(err)
	}
}

// TestForgedSaves: saves whose sums are right and whose parts are not.
func TestForgedSaves(t *testing.T) {
	s := declare(t, 3).fill(t, 12)
	good := s.text(t, save.Options{})
	must(t, s.Close())
	other := declare(t, 3)
	if !judgeForged(t, other.World, forge(t, good, func(_ string, data []byte) []byte { return data })) {
		t.Fatal("a save that is only packed anew is refused")
	}
	random := rand.New(rand.NewPCG(5, 6))
	taken, rounds := 0, *damages*600
	for round := range rounds {
		names := partsOf(t, good)
		name := names[random.IntN(len(names))]
		if random.IntN(3) == 0 {
			name = "state.json"
		}
		text := forge(t, good, func(n string, data []byte) []byte {
			if n == name {
				return twist(random, n, data)
			}
			return data
		})
		ok := t.Run(fmt.Sprint(round), func(t *testing.T) {
			if judgeForged(t, other.World, text) {
				taken++
			}
		})
		if !ok {
			t.Fatalf("round %d changes %s", round, name)
		}
	}
	if taken < rounds/20 || taken > rounds*9/10 {
		t.Errorf("%d of %d forged saves are taken: the judge sees too little", taken, rounds)
	}
}

// partsOf lists the parts of a save.
func partsOf(t testing.TB, text []byte) (names []string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	must(t, err)
	for _, p := range z.File {
		names = append(names, p.Name)
	}
	return names
}

// TestBombs: small saves that say they are large are refused before the memory is taken.
func TestBombs(t *testing.T) {
	s := declare(t, 3).fill(t, 6)
	good := s.text(t, save.Options{})
	must(t, s.Close())
	other := declare(t, 3)
	for what, change := range map[string]func(name string, data []byte) []byte{
		"rows":   replacing("state.json", `"rows":`, `"rows":1600000`),
		"slots":  replacing("state.json", `"slot_count":`, `"slot_count":1600000`),
		"huge":   replacing("state.json", `"slot_count":`, `"slot_count":9223372036854775`),
		"fields": replacing("manifest.json", `"kind": "f32"`, `"kind": "f32", "len": 2000000000`),
		"many": func(name string, data []byte) []byte {
			if name != "manifest.json" {
				return data
			}
			entry := `{"name":"%d","kept":"chunks","size":16777216,"entities":0,"fields":[{"name":"s","kind":"struct","len":16777216,"fields":[{"name":"x","kind":"u8"}]}]},`
			var list []byte
			for i := range 20_000 {
				list = fmt.Appendf(list, entry, i)
			}
			return bytes.Replace(data, []byte(`"components": [`), append([]byte(`"components": [`), list...), 1)
		},
		"columns": replacing("manifest.json", `"components": [`, `"components": [{"name":"wide","kept":"chunks","size":16000000,"entities":0,"fields":[{"name":"x","kind":"u8","len":16000000}]},`),
		"events":  replacing("manifest.json", `"waiting": 1`, `"waiting": 16000000`),
		"nesting": replacing("state.json", `"reserved":`, `"deferred":`+strings.Repeat("[", 2<<20)),
		"lists": func(name string, data []byte) []byte {
			if name != "state.json" {
				return data
			}
			return append(data[:len(data)-2], []byte(`,"looks":[`+strings.Repeat(`{},`, 3<<20)+`{}]}`)...)
		},
		"names": func(name string, data []byte) []byte {
			if name == "resources.json" {
				return append([]byte(`[{"type":"`), append(bytes.Repeat([]byte("x"), 17<<20), []byte(`"}]`)...)...)
			}
			return data
		},
	} {
		text := forge(t, good, change)
		if bytes.Equal(text, good) {
			t.Errorf("%s: nothing was changed", what)
		}
		before := memory()
		if judgeForged(t, other.World, text) && what != "nesting" {
			t.Errorf("%s: it was loaded", what)
		}
		if took := memory() - before; took > 64<<20+8*uint64(len(text)) {
			t.Errorf("%s: it took %d MB", what, took>>20)
		}
	}
}

// replacing changes some text of a part.
func replacing(part, old, now string) func(string, []byte) []byte {
	return func(name string, data []byte) []byte {
		if name == part {
			return bytes.ReplaceAll(data, []byte(old), []byte(now))
		}
		return data
	}
}

// FuzzLoad: whatever a file is, it is refused, or makes a world that is in order.
func FuzzLoad(f *testing.F) {
	s := declare(f, 3).fill(f, 4)
	good := s.text(f, save.Options{})
	must(f, s.Close())
	for _, name := range partsOf(f, good) {
		f.Add(name, uint64(1), []byte{})
	}
	f.Add("", uint64(0), good)
	f.Fuzz(func(t *testing.T, name string, seed uint64, text []byte) {
		w := declare(t, 3).World
		if name == "" {
			_, _ = load(w, text, save.LoadOptions{})
			must(t, w.Check())
			return
		}
		random := rand.New(rand.NewPCG(seed, 1))
		judgeForged(t, w, forge(t, good, func(n string, data []byte) []byte {
			switch {
			case n != name:
				return data
			case len(text) > 0:
				return text
			}
			return twist(random, n, data)
		}))
	})
}

// TestEachHandleExchanged: in a save of a hierarchy whose children come before their parents, each number of 8 bytes in
// each table is exchanged for each handle: of another entity, of a dead one, of one that never was.
func TestEachHandleExchanged(t *testing.T) {
	open := func() *ecs.World {
		w, err := ecs.Open(ecs.Options{Tag: 3, MaxBytes: 16 << 20})
		must(t, err)
		t.Cleanup(func() { w.Close() })
		ecs.Register[struct{ N uint64 }](w, ecs.Named("N"))
		return w
	}
	from := open()
	var list []ecs.Entity
	for range 5 {
		list = append(list, from.Spawn())
	}
	must(t, from.Despawn(list[4]))
	must(t, from.SetParent(list[2], list[1]))
	must(t, from.SetParent(list[1], list[0]))
	must(t, from.SetParent(list[3], list[1]))
	handles := []uint64{0, 1, uint64(list[0]) + 200, math.MaxUint64}
	for _, e := range list {
		handles = append(handles, uint64(e))
	}
	var good bytes.Buffer
	s, err := snapshot.Capture(from)
	must(t, err)
	must(t, save.Write(&good, s, save.Options{}))
	w, tried, taken := open(), 0, 0
	for _, name := range partsOf(t, good.Bytes()) {
		if !strings.HasSuffix(name, ".arrow") {
			continue
		}
		size := 0
		forge(t, good.Bytes(), func(n string, data []byte) []byte {
			if n == name {
				size = len(data)
			}
			return data
		})
		for at := 0; at+8 <= size; at += 8 {
			for _, h := range handles {
				changed := false
				text := forge(t, good.Bytes(), func(n string, data []byte) []byte {
					if n == name && slices.Contains(handles[1:], binary.LittleEndian.Uint64(data[at:])) {
						data, changed = slices.Clone(data), true
						binary.LittleEndian.PutUint64(data[at:], h)
					}
					return data
				})
				if !changed {
					break // no handle stands here
				}
				if tried++; judgeForged(t, w, text) {
					taken++
				}
			}
		}
	}
	t.Logf("%d saves, %d are taken", tried, taken)
	if tried < 100 || taken < 5 {
		t.Error("the judge sees too little")
	}
}
