package kit

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"

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
// place, and problem, unless it is nil, gets a sentence about it. The error wraps [ecs.ErrConflict] for a nil store, one that
// has such a cache, and a Screen that InstallView has not made.
//
// An image has 4 MiB and 2,048 by 2,048 pixels at most. Nothing but its head is read here.
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
	}, "*.png", "*.jpg", "*.jpeg")
	if err != nil {
		return fmt.Errorf("kit: ShowImages: %w", err)
	}
	v.images = images
	return nil
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
	head, err := png.DecodeConfig(bytes.NewReader(text))
	if _, other := errors.AsType[png.FormatError](err); other {
		i.Type = "image/jpeg"
		head, err = jpeg.DecodeConfig(bytes.NewReader(text))
	}
	switch i.Width, i.Height = head.Width, head.Height; {
	case err != nil:
		return &ImageFile{Problem: "it is neither a PNG nor a JPEG"}, nil
	case !fitsImage(head):
		return &ImageFile{Problem: fmt.Sprintf("it has %d by %d pixels, %d by %d are possible", head.Width, head.Height, mostImageSide, mostImageSide)}, nil
	}
	return i, nil
}

// fitsImage reports whether an image is as large as it may be, and has a size at all.
func fitsImage(head image.Config) bool {
	return 0 < head.Width && head.Width <= mostImageSide && 0 < head.Height && head.Height <= mostImageSide
}
