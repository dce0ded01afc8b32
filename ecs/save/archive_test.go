package save_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/save"
)

// archived is a part of an archive.
type archived struct {
	name   string
	data   []byte
	method uint16
}

// unpacked returns the parts of a save, and what its comment says.
func unpacked(t testing.TB, text []byte) (parts []archived, comment string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	must(t, err)
	for _, p := range z.File {
		r, err := p.Open()
		must(t, err)
		data, err := io.ReadAll(r)
		must(t, err)
		parts = append(parts, archived{p.Name, data, p.Method})
	}
	return parts, z.Comment
}

// packed makes an archive, whose own sums are right.
func packed(t testing.TB, parts []archived, comment string) []byte {
	t.Helper()
	var to bytes.Buffer
	w := zip.NewWriter(&to)
	for _, p := range parts {
		f, err := w.CreateHeader(&zip.FileHeader{Name: p.name, Method: p.method})
		must(t, err)
		_, err = f.Write(p.data)
		must(t, err)
	}
	must(t, w.SetComment(comment))
	must(t, w.Close())
	return to.Bytes()
}

// refused demands that a save is damaged for all who read it whole.
func refused(t testing.TB, what string, text []byte) {
	t.Helper()
	f, err := save.Open(bytes.NewReader(text), int64(len(text)))
	if err == nil {
		err = f.Verify()
	}
	if !errors.Is(err, save.ErrDamaged) {
		t.Errorf("%s: it is read: %v", what, err)
	}
	notLoaded(t, what, text)
}

// notLoaded demands that a save is damaged for a load.
func notLoaded(t testing.TB, what string, text []byte) {
	t.Helper()
	w := declare(t, 3).World
	before := w.Checksum()
	if _, err := load(w, text, save.LoadOptions{}); !errors.Is(err, save.ErrDamaged) || w.Checksum() != before {
		t.Errorf("%s: it is loaded: %v", what, err)
	}
}

// TestOtherArchives: archives whose own sums are right, and which are not what was written.
func TestOtherArchives(t *testing.T) {
	s := declare(t, 3).fill(t, 6)
	good := s.text(t, save.Options{Sections: map[string][]byte{"note": bytes.Repeat([]byte("n"), 5000)}})
	must(t, s.Close())
	parts, comment := unpacked(t, good)
	if _, err := load(declare(t, 3).World, packed(t, parts, comment), save.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	changed := func(change func(p *archived)) []archived {
		list := append([]archived(nil), parts...)
		for i := range list {
			list[i].data = bytes.Clone(list[i].data)
			change(&list[i])
		}
		return list
	}
	for _, part := range parts {
		if len(part.data) == 0 {
			continue
		}
		refused(t, "a byte of "+part.name+" is another one", packed(t, changed(func(p *archived) {
			if p.name == part.name {
				p.data[len(p.data)/2] ^= 1
			}
		}), comment))
	}
	refused(t, "the manifest has another time", packed(t, changed(func(p *archived) {
		if p.name == "manifest.json" {
			p.data = bytes.Replace(p.data, []byte(`"seconds": `), []byte(`"seconds": 1`), 1)
		}
	}), comment))
	refused(t, "parts are compressed", packed(t, changed(func(p *archived) { p.method = zip.Deflate }), comment))
	refused(t, "a part is compressed", packed(t, changed(func(p *archived) {
		if p.name == "resources.json" { // so short that all parts together are no longer than the file
			p.method = zip.Deflate
		}
	}), comment))
	refused(t, "a part is there twice", packed(t, append(parts[:len(parts):len(parts)], parts[0]), comment))
	refused(t, "a part is unknown", packed(t, append(parts[:len(parts):len(parts)], archived{name: "more.bin", data: []byte("?")}), comment))
	refused(t, "a part is missing", packed(t, parts[1:], comment))
	refused(t, "parts lie over each other", overlapping(t, good, "sections/note"))
}

// TestTheMetadataOfTables is what was written, byte for byte: nobody reads it.
func TestTheMetadataOfTables(t *testing.T) {
	s := declare(t, 3).fill(t, 6)
	good := s.text(t, save.Options{})
	must(t, s.Close())
	for _, part := range partsOf(t, good) {
		if !strings.HasSuffix(part, ".arrow") {
			continue
		}
		for _, at := range []int{0, 40, -9, -40} {
			notLoaded(t, fmt.Sprintf("byte %d of %s", at, part), forge(t, good, func(name string, data []byte) []byte {
				if name == part {
					data = bytes.Clone(data)
					data[(at+len(data))%len(data)] ^= 1
				}
				return data
			}))
		}
		notLoaded(t, part+" is longer", forge(t, good, func(name string, data []byte) []byte {
			if name == part {
				data = append(data[:len(data):len(data)], make([]byte, 64)...)
			}
			return data
		}))
	}
}

// overlapping returns an archive in whose directory and manifest a part is many times, under other names.
func overlapping(t testing.TB, text []byte, name string) []byte {
	t.Helper()
	const n = 40
	text = forge(t, text, jsonWith(t, "manifest.json", func(m map[string]any) {
		for _, p := range items(m["parts"]) {
			if p := p.(map[string]any); p["name"] == name {
				for i := range n {
					m["parts"] = append(items(m["parts"]), map[string]any{"name": string(rune('A'+i)) + name[1:], "bytes": p["bytes"], "crc32c": p["crc32c"]})
				}
			}
		}
	}))
	end := bytes.LastIndex(text, []byte("PK\x05\x06"))
	directory := int(binary.LittleEndian.Uint32(text[end+16:]))
	at := directory + bytes.Index(text[directory:end], []byte(name)) - 46
	record := text[at : at+46+len(name)+int(binary.LittleEndian.Uint16(text[at+30:]))+int(binary.LittleEndian.Uint16(text[at+32:]))]
	to := bytes.Clone(text[:end])
	for i := range byte(n) {
		more := bytes.Clone(record)
		more[46] = 'A' + i
		to = append(to, more...)
	}
	tail := bytes.Clone(text[end:])
	for _, at := range []int{8, 10} {
		binary.LittleEndian.PutUint16(tail[at:], binary.LittleEndian.Uint16(tail[at:])+n)
	}
	binary.LittleEndian.PutUint32(tail[12:], uint32(len(to)-directory))
	return append(to, tail...)
}
