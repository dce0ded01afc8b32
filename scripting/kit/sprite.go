package kit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/asset"
)

// Sprite is a picture of an entity. A view draws it where the entity's GlobalTransform says, or its
// Position. An image may hold several frames, in Columns and Rows of the same size: frame 0 is the upper left one, 1
// that on its right, and after the last one comes the first again.
type Sprite struct {
	Image   asset.ID[*ImageFile] // 0: nothing is drawn
	Frame   uint16
	Columns uint8 // 0 counts as 1, as it does for Rows
	Rows    uint8
	Turns   bool    // its right side is where its Velocity leads; else its angle alone counts
	Layer   uint8   // that of a Shape: higher ones are drawn above lower ones
	Color   uint32  // 0xRRGGBB, by which the colors of the image are multiplied; white leaves them
	Alpha   float32 // 0: nothing to see, to 1
	Size    float32 // of the longer side of a frame, world units
	Angle   float32 // radians; that of a GlobalTransform is added
}

// ImageFile is a file that sprites show, as it is: views decode it. It is not changed.
type ImageFile struct {
	Bytes         []byte
	Type          string // "image/png" or "image/jpeg"
	Width, Height int    // pixels, as the head of the file says
	Problem       string // why it cannot be shown, and then there are no bytes; "" for one that can
}

// The bounds of an image.
const (
	mostImageBytes = 4 << 20
	mostImageSide  = 2048 // pixels
)

// ShowImages has sprites show the PNG and JPEG files of a store: it registers a cache of [ImageFile] for "*.png",
// "*.jpg" and "*.jpeg". Call it before other caches are registered that take such names, since the first one counts. A file
// that cannot be shown is loaded all the same: what a game computes does not depend on its pictures. Views draw a pattern in its
// place, and problem, unless it is nil, gets a sentence about it; so it does for what [Screen.ReportMissing] is called for, on any goroutine. The error wraps [ecs.ErrConflict] for a nil store, one that
// has such a cache, and a Screen that InstallView has not made.
//
// An image has 4 MiB and 2,048 by 2,048 pixels at most. It is not decoded here; a file that is cut off, or whose sums are wrong, is found.
func (v *Screen) ShowImages(store *asset.Store, problem func(text string)) error {
	if v == nil || v.inputs == nil {
		return fmt.Errorf("kit: ShowImages: %w: there is no view", ecs.ErrConflict)
	}
	images, err := asset.Register(store, func(files fs.FS, name string) (*ImageFile, error) {
		i, err := readImage(files, name)
		if err == nil && i.Problem != "" && problem != nil {
			problem(fmt.Sprintf("%s is no image for sprites: %s", name, i.Problem))
		}
		return i, err
	}, imageNames...)
	if err != nil {
		return fmt.Errorf("kit: ShowImages: %w", err)
	}
	v.images, v.missing = images, &missingImages{store: store, problem: problem}
	return nil
}

// missingImages says which images cannot be shown, once for each.
type missingImages struct {
	store   *asset.Store
	problem func(text string) // may be nil

	mu   sync.Mutex
	said map[uint32]bool
}

// mostMissing bounds the images of which it is said.
const mostMissing = 256

// ReportMissing tells the function of [Screen.ShowImages] why a sprite shows nothing, once for each image and of 256 at most: a view calls it where
// [Screen.Image] has no image for the number of a sprite. It may be called from any goroutine.
func (v *Screen) ReportMissing(id uint32) {
	if v == nil || v.missing == nil || v.missing.problem == nil || id == 0 {
		return
	}
	if i, _ := v.Image(id); i != nil {
		return // it has come, or its problem was said when it was loaded
	}
	m := v.missing
	m.mu.Lock()
	known := m.said[id] || len(m.said) == mostMissing
	if m.said == nil {
		m.said = map[uint32]bool{}
	}
	if !known {
		m.said[id] = true
	}
	m.mu.Unlock()
	if known {
		return
	}
	switch name := m.store.Path(id); {
	case name == "":
		m.problem(fmt.Sprintf("a sprite has the image %d, which is no asset: expected the number that ecs.asset returns for a PNG or JPEG file", id))
	case !isImageName(name):
		m.problem(fmt.Sprintf("%s is no image for sprites: expected a PNG or JPEG file, whose name ends with .png, .jpg or .jpeg", name))
	default:
		m.problem(fmt.Sprintf("%s is not loaded, and no sprite can show it: ecs.asset loads it", name))
	}
}

// imageNames are the names of files that sprites show.
var imageNames = []string{"*.png", "*.jpg", "*.jpeg"}

// isImageName reports whether a file has such a name.
func isImageName(name string) bool {
	return slices.ContainsFunc(imageNames, func(pattern string) bool {
		ok, _ := path.Match(pattern, path.Base(name))
		return ok
	})
}

// Image returns the image of a number that ecs.asset has returned, and how often its file was loaded; nil for a number of
// no image. It may be called from any goroutine.
func (v *Screen) Image(id uint32) (i *ImageFile, version uint64) {
	if v == nil || v.images == nil {
		return nil, 0
	}
	i, _ = v.images.Get(asset.ID[*ImageFile](id))
	return i, v.images.Version(asset.ID[*ImageFile](id))
}

// readImage reads a file. The error is one of the file system; what is in the file is a Problem at most.
func readImage(files fs.FS, name string) (*ImageFile, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostImageBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > mostImageBytes {
		return &ImageFile{Problem: fmt.Sprintf("it has more than %d bytes", mostImageBytes)}, nil
	}
	i := &ImageFile{Bytes: text, Type: "image/png"}
	read, damage := png.DecodeConfig, damageOfPNG
	if !bytes.HasPrefix(text, pngHead) {
		i.Type, read, damage = "image/jpeg", jpeg.DecodeConfig, damageOfJPEG
		if !bytes.HasPrefix(text, jpegHead) {
			return &ImageFile{Problem: "it is neither a PNG nor a JPEG"}, nil
		}
	}
	problem := damage(text)
	head, err := read(bytes.NewReader(text))
	switch i.Width, i.Height = head.Width, head.Height; {
	case err == nil && !fitsImage(head):
		return &ImageFile{Problem: fmt.Sprintf("it has %d by %d pixels, %d by %d are possible", head.Width, head.Height, mostImageSide, mostImageSide)}, nil
	case problem != "":
		return &ImageFile{Problem: problem}, nil
	case err != nil:
		return &ImageFile{Problem: fmt.Sprintf("it cannot be read: %v", err)}, nil
	}
	return i, nil
}

// How the types begin.
var pngHead, jpegHead = []byte("\x89PNG\r\n\x1a\n"), []byte("\xff\xd8")

// cutOff is what is wrong with a file whose end is missing.
const cutOff = "it is cut off after %d bytes: save or copy it again"

// damageOfPNG says what is wrong with the chunks of a PNG, "" for nothing: they lead to the last one, and the sums of those are right
// without which nothing can be shown. Why not decode it? That takes a hundred times as long, and the game waits.
func damageOfPNG(text []byte) string {
	for at := len(pngHead); at+12 <= len(text); {
		n := int64(binary.BigEndian.Uint32(text[at:]))
		if int64(len(text)-at-12) < n {
			break
		}
		end := at + 8 + int(n)
		kind := string(text[at+4 : at+8])
		if needed := kind[0]&0x20 == 0; needed && crc32.ChecksumIEEE(text[at+4:end]) != binary.BigEndian.Uint32(text[end:]) {
			return fmt.Sprintf("it is damaged: the sum of its part %q is wrong", kind)
		}
		if kind == "IEND" {
			return ""
		}
		at = end + 4
	}
	return fmt.Sprintf(cutOff, len(text))
}

// damageOfJPEG says what is wrong with the segments of a JPEG, "" for nothing: they lead to the mark of its end.
func damageOfJPEG(text []byte) string {
	const end = 0xd9
	for at := len(jpegHead); at+2 <= len(text); {
		mark := text[at+1]
		switch {
		case text[at] != 0xff: // data of a scan
			next := bytes.IndexByte(text[at:], 0xff)
			if next < 0 {
				return fmt.Sprintf(cutOff, len(text))
			}
			at += next
		case mark == 0xff:
			at++
		case mark == end:
			return ""
		case mark == 0 || mark == 1 || mark >= 0xd0 && mark <= 0xd7: // no segment follows
			at += 2
		case at+4 > len(text):
			return fmt.Sprintf(cutOff, len(text))
		default:
			at += 2 + max(int(binary.BigEndian.Uint16(text[at+2:])), 2)
		}
	}
	return fmt.Sprintf(cutOff, len(text))
}

// fitsImage reports whether an image is as large as it may be, and has a size at all.
func fitsImage(head image.Config) bool {
	return 0 < head.Width && head.Width <= mostImageSide && 0 < head.Height && head.Height <= mostImageSide
}
