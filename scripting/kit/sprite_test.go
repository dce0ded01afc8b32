package kit_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
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

// TestShowImagesRefuses what cannot be; without images, there are none.
func TestShowImagesRefuses(t *testing.T) {
	p, store, _ := gallery(t, fstest.MapFS{})
	for _, err := range []error{p.v.ShowImages(store, nil), p.v.ShowImages(nil, nil), (*kit.Screen)(nil).ShowImages(store, nil), (&kit.Screen{}).ShowImages(store, nil)} {
		if !errors.Is(err, ecs.ErrConflict) {
			t.Error(err)
		}
	}
	for _, v := range []*kit.Screen{nil, {}, newPlayer(t).v, p.v} {
		if i, version := v.Image(7); i != nil || version != 0 {
			t.Errorf("%v", i)
		}
	}
}
