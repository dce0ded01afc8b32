package inspect

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/kit"
)

// The form of a picture, as the page reads it: little-endian, every part at a multiple of 4 bytes.
//
//	head     64  "PGV1", tick u32, time f64, box 4·f32, camera x y height f32, background u32,
//	             visuals u32, styles u16, labels u16, bars u16, flags u16, where the rest begins u32
//	visual   12  slot u32, x u16, y u16, angle u16, style u16
//	style    16  size f32, color u32 (0xRRGGBB and glow above), form, alpha, layer, 0, sheet u16, frame u16
//	bar      20  slot u32, x u16, y u16, width f32, height f32, color u32 (and the part above)
//	label        slot u32, x u16, y u16, hud u8, size u8, length u16, color u32, text, to a multiple of 4
//	rest     8   sheets u16, trails u16, strokes u16, 2 bytes of nothing
//	sheet    8   image u32, version of it u16, columns u8, rows u8
//	trail    20  slot u32 (and a part of the generation above), x u16, y u16, seconds f32, width f32, color u32 (and alpha above)
//	stroke       kind u8, 0, length u16, color u32, x1 y1 x2 y2 f32, text, to a multiple of 4; a circle has its radius in x2
//
// Places are parts of the box: 0 is its left or lower edge, 65535 the other one; those of strokes are world units
// from its lower left corner. Angles are parts of a turn. A style of the form 255 is a sprite: a frame of a sheet. Why a
// table of styles? Ten thousand shapes have a few looks: 12 bytes for each are 120 KB a picture. A stroke that is seen for
// some seconds has the same bytes in each picture of them, unless the box moves.
const (
	headSize   = 64
	visualSize = 12
	styleSize  = 16
	sheetSize  = 8
	barSize    = 20
	trailSize  = 20
	labelSize  = 16
	strokeSize = 24
)

// formSprite is the form of a style that is a sprite.
const formSprite = 255

// mostSheets bounds the images of a picture, counted once for each way in which they are divided into frames.
const mostSheets = 256

// Flags of a picture.
const (
	flagMore   = 1 // something was left out
	flagCamera = 2 // there is a camera; else the box is to be shown whole
)

// visualStyle is the style of a visual.
type visualStyle struct {
	size                     float32
	color                    uint32
	glow, form, alpha, layer uint8
	sheet, frame             uint16
}

// sheet is an image, and how it is divided into frames.
type sheet struct {
	image         uint32
	columns, rows uint8
}

// pictureMaker makes pictures of what is to be drawn. It has memory that it uses again.
type pictureMaker struct {
	version func(image uint32) uint64 // how often the file of an image was loaded; nil: there are none

	looks  map[visualStyle]uint16
	order  []visualStyle
	recent [256]recentLook
	sheets []sheet
	last   int  // the sheet of the sprite before
	over   bool // there were too many sheets
}

// recentLook is a look that was found, with its number. Why beside the map? Ten thousand shapes
// have a few looks by turns, and asking a map takes several times as long.
type recentLook struct {
	visualStyle
	number uint16
	is     bool
}

// region is a part of the world.
type region struct{ x, y, width, height float64 }

// seen is the part of the world that a picture has: what the camera sees on a screen of any form, or all that is worth seeing.
func seen(s *kit.DrawList) region {
	if h := float64(s.Camera.Height); s.HasCamera && h > 0 && h < 1e9 {
		return region{s.EyeX - 1.3*h, s.EyeY - 1.3*h, 2.6 * h, 2.6 * h}
	}
	x, y, width, height := s.Bounds()
	return region{x, y, width, height}
}

// unit is a part of a range as 16 bits; ok is false outside of it, and for what is not a number.
func unit(v, from, length float64) (u uint16, ok bool) {
	part := (v - from) / length
	if !(part >= 0 && part <= 1) {
		return 0, false
	}
	return uint16(part*65535 + 0.5), true
}

// part8 is a number from 0 to 1 as 8 bits.
func part8(v float32) uint8 {
	if !(v > 0) {
		return 0
	}
	return uint8(min(v, 1)*255 + 0.5)
}

// finite is a size that a page can draw.
func finite(v float32) float32 {
	if !(v > 0) {
		return 0
	}
	return min(v, 1e6)
}

// encode makes the picture of what is to be drawn, in memory of its own.
func (c *pictureMaker) encode(s *kit.DrawList) []byte {
	if c.looks == nil {
		c.looks = map[visualStyle]uint16{}
	}
	clear(c.looks)
	c.order, c.recent, c.sheets, c.last, c.over = c.order[:0], [256]recentLook{}, c.sheets[:0], 0, false
	b := seen(s)
	text := make([]byte, headSize, headSize+s.Len()*visualSize+len(s.Bars)*barSize+len(s.Trails)*trailSize+len(s.Strokes)*strokeSize+4096)
	text, visuals := c.visuals(text, s, b)
	text = c.appendStyles(text)
	text, bars := appendBars(text, s, b)
	text, labels := appendLabels(text, s, b)
	rest := len(text)
	text = c.appendSheets(append(text, 0, 0, 0, 0, 0, 0, 0, 0))
	text, trails := appendTrails(text, s, b)
	text, strokes := appendStrokes(text, s, b)
	for i, n := range []int{len(c.sheets), trails, strokes} {
		binary.LittleEndian.PutUint16(text[rest+2*i:], uint16(n))
	}
	flags := 0
	if s.More || c.over {
		flags |= flagMore
	}
	if s.HasCamera {
		flags |= flagCamera
	}
	h := append(text[:0], "PGV1"...)
	h = binary.LittleEndian.AppendUint32(h, uint32(s.Tick))
	h = binary.LittleEndian.AppendUint64(h, math.Float64bits(s.Time))
	for _, v := range []float64{b.x, b.y, b.width, b.height, s.EyeX, s.EyeY, float64(s.Camera.Height)} {
		h = appendFloat(h, v)
	}
	h = binary.LittleEndian.AppendUint32(h, s.Camera.Background)
	h = binary.LittleEndian.AppendUint32(h, uint32(visuals))
	for _, v := range []int{len(c.order), labels, bars, flags} {
		h = binary.LittleEndian.AppendUint16(h, uint16(v))
	}
	binary.LittleEndian.PutUint32(text[len(h):], uint32(rest))
	return text
}

// appendFloat appends a number in 32 bits.
func appendFloat(text []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint32(text, math.Float32bits(float32(v)))
}

// appendStyles appends the table of styles.
func (c *pictureMaker) appendStyles(text []byte) []byte {
	for _, l := range c.order {
		text = binary.LittleEndian.AppendUint32(text, math.Float32bits(l.size))
		text = binary.LittleEndian.AppendUint32(text, l.color&0xffffff|uint32(l.glow)<<24)
		text = append(text, l.form, l.alpha, l.layer, 0)
		text = binary.LittleEndian.AppendUint16(text, l.sheet)
		text = binary.LittleEndian.AppendUint16(text, l.frame)
	}
	return text
}

// appendSheets appends the table of sheets.
func (c *pictureMaker) appendSheets(text []byte) []byte {
	for _, s := range c.sheets {
		version := uint64(0)
		if c.version != nil {
			version = c.version(s.image)
		}
		text = binary.LittleEndian.AppendUint32(text, s.image)
		text = binary.LittleEndian.AppendUint16(text, uint16(version))
		text = append(text, s.columns, s.rows)
	}
	return text
}

// visuals appends those that are in the box, lower layers first.
func (c *pictureMaker) visuals(text []byte, s *kit.DrawList, b region) ([]byte, int) {
	n := 0
	for k := range s.Len() {
		r := s.At(k)
		x, okX := unit(r.X, b.x, b.width)
		y, okY := unit(r.Y, b.y, b.height)
		if !okX || !okY {
			continue
		}
		look, ok := c.lookOf(&r)
		if !ok {
			continue
		}
		var record [visualSize]byte
		binary.LittleEndian.PutUint32(record[0:], r.Entity.Index())
		binary.LittleEndian.PutUint16(record[4:], x)
		binary.LittleEndian.PutUint16(record[6:], y)
		binary.LittleEndian.PutUint16(record[8:], turn(&r))
		binary.LittleEndian.PutUint16(record[10:], c.style(look))
		text = append(text, record[:]...)
		n++
	}
	return text, n
}

// lookOf returns the style of a visual; ok is false for one of which nothing is to be seen.
func (c *pictureMaker) lookOf(r *kit.Drawable) (look visualStyle, ok bool) {
	if s := r.Sprite; s != nil {
		if !(s.Alpha > 0) || s.Image == 0 {
			return look, false
		}
		of := sheet{uint32(s.Image), max(s.Columns, 1), max(s.Rows, 1)}
		look.sheet, ok = c.sheetOf(of)
		look.frame = uint16(int(s.Frame) % (int(of.columns) * int(of.rows)))
		look.size, look.color, look.form, look.alpha, look.layer = finite(s.Size*r.Scale), s.Color&0xffffff, formSprite, part8(s.Alpha), s.Layer
		return look, ok
	}
	s := r.Shape
	return visualStyle{finite(s.Size * r.Scale), s.Color & 0xffffff, part8(s.Glow), uint8(s.Form), part8(s.Alpha), s.Layer, 0, 0}, s.Alpha > 0
}

// sheetOf returns the number of a sheet; ok is false when there are too many.
func (c *pictureMaker) sheetOf(of sheet) (n uint16, ok bool) {
	if c.last < len(c.sheets) && c.sheets[c.last] == of {
		return uint16(c.last), true
	}
	c.last = slices.Index(c.sheets, of)
	if c.last < 0 {
		if len(c.sheets) == mostSheets {
			c.last, c.over = 0, true
			return 0, false
		}
		c.last, c.sheets = len(c.sheets), append(c.sheets, of)
	}
	return uint16(c.last), true
}

// style returns the number of a style. When there are as many as numbers, further ones look like the last.
func (c *pictureMaker) style(l visualStyle) uint16 {
	hash := math.Float32bits(l.size)>>16 ^ l.color ^ l.color>>11 ^ uint32(l.layer)<<3 ^ uint32(l.alpha) ^ uint32(l.form)<<5 ^ uint32(l.glow) ^ uint32(l.frame)<<1 ^ uint32(l.sheet)<<6
	recent := &c.recent[(hash^hash>>8)&255]
	if recent.is && recent.visualStyle == l {
		return recent.number
	}
	n, ok := c.looks[l]
	if !ok {
		if len(c.order) == math.MaxUint16 {
			return math.MaxUint16 - 1
		}
		n = uint16(len(c.order))
		c.looks[l], c.order = n, append(c.order, l)
	}
	*recent = recentLook{l, n, true}
	return n
}

// turn is where the front of a visual is, as a part of a turn.
func turn(r *kit.Drawable) uint16 {
	return uint16(int64(math.Floor(r.Angle() / (2 * math.Pi) * 65536)))
}
