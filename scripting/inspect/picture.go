package inspect

import (
	"encoding/binary"
	"math"
	"strings"
	"unicode/utf8"
)

// The form of a picture, as the page reads it: little-endian, every part at a multiple of 4 bytes.
//
//	head     64  "PGV1", tick u32, time f64, box 4·f32, camera x y height f32, background u32,
//	             sprites u32, styles u16, labels u16, bars u16, flags u16, 4 bytes of nothing
//	sprite   12  slot u32, x u16, y u16, angle u16, style u16
//	style    16  size f32, color u32 (0xRRGGBB and glow above), form, alpha, layer, 0, 4 bytes of nothing
//	bar      20  slot u32, x u16, y u16, width f32, height f32, color u32 (and the part above)
//	label        slot u32, x u16, y u16, hud u8, size u8, length u16, color u32, text, to a multiple of 4
//
// Places are parts of the box: 0 is its left or lower edge, 65535 the other one. Angles are parts
// of a turn. Why a table of styles? Ten thousand shapes have a few looks: 12 bytes for each are
// 120 KB a picture.
const (
	headSize   = 64
	spriteSize = 12
	styleSize  = 16
	barSize    = 20
	labelSize  = 16
)

// Flags of a picture.
const (
	flagMore   = 1 // something was left out
	flagCamera = 2 // there is a camera; else the box is to be shown whole
)

// spriteStyle is the style of a sprite.
type spriteStyle struct {
	size                     float32
	color                    uint32
	glow, form, alpha, layer uint8
}

// pictureMaker makes pictures of scenes. It has memory that it uses again.
type pictureMaker struct {
	looks  map[spriteStyle]uint16
	order  []spriteStyle
	recent [256]recentLook
	counts [256]int
	sorted []spriteAt
}

// recentLook is a look that was found, with its number. Why beside the map? Ten thousand shapes
// have a few looks by turns, and asking a map takes several times as long.
type recentLook struct {
	spriteStyle
	number uint16
	is     bool
}

// spriteAt is where a sprite stands in the columns of a scene.
type spriteAt struct{ part, row int32 }

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

// encode makes the picture of a scene, in memory of its own.
func (c *pictureMaker) encode(s *scene) []byte {
	if c.looks == nil {
		c.looks = map[spriteStyle]uint16{}
	}
	clear(c.looks)
	c.order, c.recent = c.order[:0], [256]recentLook{}
	b := s.seen()
	text := make([]byte, headSize, headSize+len(s.entities)*spriteSize+len(s.bars)*barSize+4096)
	text, sprites := c.sprites(text, s, b)
	for _, l := range c.order {
		text = binary.LittleEndian.AppendUint32(text, math.Float32bits(l.size))
		text = binary.LittleEndian.AppendUint32(text, l.color&0xffffff|uint32(l.glow)<<24)
		text = append(text, l.form, l.alpha, l.layer, 0, 0, 0, 0, 0)
	}
	text, bars := appendBars(text, s, b)
	text, labels := appendLabels(text, s, b)
	flags := uint16(0)
	if s.more {
		flags |= flagMore
	}
	if s.looks {
		flags |= flagCamera
	}
	h := append(text[:0], "PGV1"...)
	h = binary.LittleEndian.AppendUint32(h, uint32(s.tick))
	h = binary.LittleEndian.AppendUint64(h, math.Float64bits(s.time))
	for _, v := range []float64{b.x, b.y, b.width, b.height, s.eye[0], s.eye[1], float64(s.camera.Height)} {
		h = binary.LittleEndian.AppendUint32(h, math.Float32bits(float32(v)))
	}
	h = binary.LittleEndian.AppendUint32(h, s.camera.Background)
	h = binary.LittleEndian.AppendUint32(h, uint32(sprites))
	for _, v := range []int{len(c.order), labels, bars, int(flags)} {
		h = binary.LittleEndian.AppendUint16(h, uint16(v))
	}
	return text
}

// sprites appends those that are in the box, lower layers first.
func (c *pictureMaker) sprites(text []byte, s *scene, b region) ([]byte, int) {
	c.sort(&s.sprites)
	n := 0
	for _, at := range c.sorted {
		r := s.at(&s.parts[at.part], int(at.row))
		x, okX := unit(r.x, b.x, b.width)
		y, okY := unit(r.y, b.y, b.height)
		if !okX || !okY || !(r.shape.Alpha > 0) {
			continue
		}
		var record [spriteSize]byte
		binary.LittleEndian.PutUint32(record[0:], r.e.Index())
		binary.LittleEndian.PutUint16(record[4:], x)
		binary.LittleEndian.PutUint16(record[6:], y)
		binary.LittleEndian.PutUint16(record[8:], turn(&r))
		binary.LittleEndian.PutUint16(record[10:], c.style(lookOf(&r)))
		text = append(text, record[:]...)
		n++
	}
	return text, n
}

// sort orders sprites by layer; those of one layer stay in order.
func (c *pictureMaker) sort(s *sprites) {
	c.counts = [256]int{}
	for k := range s.shapes {
		c.counts[s.shapes[k].Layer]++
	}
	at := 0
	for l, n := range c.counts {
		c.counts[l] = at
		at += n
	}
	if cap(c.sorted) < len(s.shapes) {
		c.sorted = make([]spriteAt, len(s.shapes))
	}
	c.sorted = c.sorted[:len(s.shapes)]
	for n := range s.parts {
		p := &s.parts[n]
		for k := range p.n {
			l := s.shapes[p.row+k].Layer
			c.sorted[c.counts[l]] = spriteAt{int32(n), int32(k)}
			c.counts[l]++
		}
	}
}

// lookOf returns the style of a sprite.
func lookOf(r *sprite) spriteStyle {
	s := r.shape
	return spriteStyle{finite(s.Size * r.scale), s.Color & 0xffffff, part8(s.Glow), uint8(s.Form), part8(s.Alpha), s.Layer}
}

// style returns the number of a style. When there are as many as numbers, further ones look like the last.
func (c *pictureMaker) style(l spriteStyle) uint16 {
	hash := math.Float32bits(l.size)>>16 ^ l.color ^ l.color>>11 ^ uint32(l.layer)<<3 ^ uint32(l.alpha) ^ uint32(l.form)<<5 ^ uint32(l.glow)
	recent := &c.recent[(hash^hash>>8)&255]
	if recent.is && recent.spriteStyle == l {
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

// turn is where the front of a sprite is, as a part of a turn.
func turn(r *sprite) uint16 {
	angle := float64(r.angle + r.shape.Angle)
	if r.shape.Turns && (r.vx != 0 || r.vy != 0) {
		angle += math.Atan2(r.vy, r.vx)
	}
	if !(math.Abs(angle) < 1e9) {
		return 0
	}
	return uint16(int64(math.Floor(angle / (2 * math.Pi) * 65536)))
}

func appendBars(text []byte, s *scene, b region) ([]byte, int) {
	n := 0
	for k := range s.bars {
		r := &s.bars[k]
		x, okX := unit(r.x, b.x, b.width)
		y, okY := unit(r.y, b.y, b.height)
		if !okX || !okY {
			continue
		}
		text = binary.LittleEndian.AppendUint32(text, r.e.Index())
		text = binary.LittleEndian.AppendUint16(text, x)
		text = binary.LittleEndian.AppendUint16(text, y)
		text = binary.LittleEndian.AppendUint32(text, math.Float32bits(finite(r.Width)))
		text = binary.LittleEndian.AppendUint32(text, math.Float32bits(finite(r.Height)))
		text = binary.LittleEndian.AppendUint32(text, r.Color&0xffffff|uint32(part8(r.Value/r.Max))<<24)
		n++
	}
	return text, n
}

func appendLabels(text []byte, s *scene, b region) ([]byte, int) {
	n := 0
	for k := range s.labels {
		r := &s.labels[k]
		x, okX := unit(r.x, b.x, b.width)
		y, okY := unit(r.y, b.y, b.height)
		if !r.hud && (!okX || !okY) || r.Text == "" {
			continue
		}
		words := strings.ToValidUTF8(r.Text, "\uFFFD")
		if len(words) > longestHud {
			end := longestHud
			for !utf8.RuneStart(words[end]) {
				end--
			}
			words = words[:end]
		}
		text = binary.LittleEndian.AppendUint32(text, r.e.Index())
		text = binary.LittleEndian.AppendUint16(text, x)
		text = binary.LittleEndian.AppendUint16(text, y)
		hud, size, color := uint8(0), finite(r.Size), r.Color&0xffffff
		if size == 0 {
			size = 13
		}
		if color == 0 {
			color = 0xffffff
		}
		if r.hud {
			hud = 1
		}
		text = append(text, hud, uint8(min(size, 255)))
		text = binary.LittleEndian.AppendUint16(text, uint16(len(words)))
		text = binary.LittleEndian.AppendUint32(text, color)
		text = append(text, words...)
		for len(text)%4 != 0 {
			text = append(text, 0)
		}
		n++
	}
	return text, n
}
