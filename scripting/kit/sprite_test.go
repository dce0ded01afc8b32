package kit_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/asset"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// pngOf makes an image of a size.
func pngOf(width, height int) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)))
	return b.Bytes()
}

// bomb makes the head of an image of a size, with nothing behind it.
func bomb(width, height uint32) []byte {
	chunk := []byte("IHDR")
	chunk = binary.BigEndian.AppendUint32(chunk, width)
	chunk = binary.BigEndian.AppendUint32(chunk, height)
	chunk = append(chunk, 8, 6, 0, 0, 0)
	b := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	return binary.BigEndian.AppendUint32(append(b, chunk...), crc32.ChecksumIEEE(chunk))
}

// flipped is a file with other bits at a place.
func flipped(file []byte, at int) []byte {
	file[at] ^= 0xff
	return file
}

// gallery is a world with a store of images.
func gallery(t *testing.T, files fstest.MapFS) (*player, *asset.Store, *[]string) {
	t.Helper()
	p := newPlayer(t)
	store, err := asset.Open(p.w, files)
	must(t, err)
	said := &[]string{}
	must(t, p.v.ShowImages(store, func(text string) { *said = append(*said, text) }))
	return p, store, said
}

// TestImages: what can be shown is kept as it is, and everything else is loaded without its bytes, with a reason.
func TestImages(t *testing.T) {
	var photo bytes.Buffer
	must(t, jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 7, 9)), nil))
	files := fstest.MapFS{
		"art/a.png": {Data: pngOf(30, 20), ModTime: time.Unix(1, 0)}, "b.jpeg": {Data: photo.Bytes()}, "c.png": {Data: photo.Bytes()},
	}
	bad := map[string][]byte{
		"empty.png": nil, "text.png": []byte("no image at all, but a text"), "script.jpg": []byte("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>"),
		"wide.png": bomb(2049, 1), "bomb.png": bomb(60_000, 60_000), "more.png": bomb(1<<31-1, 1<<31-1), "none.png": bomb(0, 5),
		"long.png": append(pngOf(1, 1), make([]byte, 4<<20)...), "cut.png": pngOf(30, 20)[:20], "cut.jpg": photo.Bytes()[:100],
		"end.png": pngOf(30, 20)[:len(pngOf(30, 20))-13], "end.jpg": photo.Bytes()[:photo.Len()-2], "data.png": flipped(pngOf(30, 20), 50),
	}
	for name, text := range bad {
		files[name] = &fstest.MapFile{Data: text}
	}
	p, store, said := gallery(t, files)
	load := func(name string) (*kit.ImageFile, uint64) {
		t.Helper()
		id, err := store.LoadAny(name)
		must(t, err)
		return p.v.Image(id)
	}
	if i, version := load("art/a.png"); i.Type != "image/png" || i.Width != 30 || i.Height != 20 || version != 1 || !bytes.Equal(i.Bytes, pngOf(30, 20)) {
		t.Errorf("%+v", i)
	}
	for _, name := range []string{"b.jpeg", "c.png"} {
		if i, _ := load(name); i.Type != "image/jpeg" || i.Width != 7 || i.Height != 9 || i.Problem != "" {
			t.Errorf("%s: %s %d %d %s", name, i.Type, i.Width, i.Height, i.Problem)
		}
	}
	for name := range bad {
		if i, _ := load(name); i.Problem == "" || i.Bytes != nil {
			t.Errorf("%s: %d bytes, problem %q", name, len(i.Bytes), i.Problem)
		}
	}
	if all := strings.Join(*said, "\n"); len(*said) != len(bad) || !strings.Contains(all, "bomb.png is no image for sprites: it has 60000 by 60000 pixels, 2048 by 2048 are possible") {
		t.Error(all)
	}
	for _, want := range []string{"cut.png is no image for sprites: it is cut off after 20 bytes", "end.png is no image for sprites: it is cut off after", "end.jpg is no image for sprites: it is cut off after", `data.png is no image for sprites: it is damaged: the sum of its part "IDAT" is wrong`} {
		if !strings.Contains(strings.Join(*said, "\n"), want) {
			t.Errorf("nobody says %q", want)
		}
	}
	for _, path := range []string{"../a.png", "/etc/passwd", "art/../art/a.png", "gone.png", "a.svg", "art"} {
		if _, err := store.LoadAny(path); err == nil {
			t.Errorf("%q is loaded", path)
		}
	}
	files["art/a.png"] = &fstest.MapFile{Data: pngOf(4, 4), ModTime: time.Unix(2, 0)}
	if changed, err := store.Reload(); err != nil || len(changed) != 1 {
		t.Error(changed, err)
	}
	if i, version := load("art/a.png"); i.Width != 4 || version != 2 {
		t.Errorf("%+v, %d", i, version)
	}
}

// TestMissingImagesAreReported once for each, with the file and what was expected.
func TestMissingImagesAreReported(t *testing.T) {
	p, store, said := gallery(t, fstest.MapFS{"a.svg": {Data: []byte("<svg/>")}, "b.png": {Data: pngOf(3, 3)}, "bad.png": {}})
	_, err := asset.Register(store, func(fs.FS, string) (string, error) { return "a file", nil }, "*.svg")
	must(t, err)
	for _, name := range []string{"a.svg", "b.png", "bad.png"} {
		id, err := store.LoadAny(name)
		must(t, err)
		for range 3 {
			p.v.ReportMissing(id)
		}
	}
	for range 3 {
		p.v.ReportMissing(0)
		p.v.ReportMissing(7)
	}
	want := []string{
		"a.svg is no image for sprites: expected a PNG or JPEG file, whose name ends with .png, .jpg or .jpeg", "bad.png is no image for sprites: it is neither a PNG nor a JPEG",
		"a sprite has the image 7, which is no asset: expected the number that ecs.asset returns for a PNG or JPEG file",
	}
	slices.Sort(*said)
	slices.Sort(want)
	if !slices.Equal(*said, want) {
		t.Errorf("%q, want %q", *said, want)
	}
	for id := range uint32(1000) {
		p.v.ReportMissing(1000 + id)
	}
	if len(*said) > 260 {
		t.Errorf("it is said %d times", len(*said))
	}
}

// TestShowImagesRefuses what cannot be; without images, there are none.
func TestShowImagesRefuses(t *testing.T) {
	p, store, _ := gallery(t, fstest.MapFS{})
	for _, err := range []error{p.v.ShowImages(store, nil), p.v.ShowImages(nil, nil), (*kit.Screen)(nil).ShowImages(store, nil), (&kit.Screen{}).ShowImages(store, nil)} {
		if !errors.Is(err, ecs.ErrConflict) {
			t.Error(err)
		}
	}
	for _, v := range []*kit.Screen{nil, {}, newPlayer(t).v, p.v} {
		v.ReportMissing(7)
		if i, version := v.Image(7); i != nil || version != 0 {
			t.Errorf("%v", i)
		}
	}
}
