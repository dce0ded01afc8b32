package inspect

import (
	"encoding/binary"
	"strings"

	"github.com/perigee-ecs/perigee/ecs/sketch"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// This file writes the parts of a picture that are drawn above and below its visuals.

// appendBars appends the bars that are in the box.
func appendBars(text []byte, s *kit.DrawList, b region) ([]byte, int) {
	n := 0
	for k := range s.Bars {
		r := &s.Bars[k]
		x, okX := unit(r.X, b.x, b.width)
		y, okY := unit(r.Y, b.y, b.height)
		if !okX || !okY {
			continue
		}
		text = binary.LittleEndian.AppendUint32(text, r.Entity.Index())
		text = binary.LittleEndian.AppendUint16(text, x)
		text = binary.LittleEndian.AppendUint16(text, y)
		text = appendFloat(text, float64(finite(r.Width)))
		text = appendFloat(text, float64(finite(r.Height)))
		text = binary.LittleEndian.AppendUint32(text, r.Color&0xffffff|uint32(part8(r.Value/r.Max))<<24)
		n++
	}
	return text, n
}

// appendLabels appends the labels that are in the box, and those without a place.
func appendLabels(text []byte, s *kit.DrawList, b region) ([]byte, int) {
	n := 0
	for k := range s.Labels {
		r := &s.Labels[k]
		x, okX := unit(r.X, b.x, b.width)
		y, okY := unit(r.Y, b.y, b.height)
		if !r.Corner && (!okX || !okY) {
			continue
		}
		words := shortText(r.Text)
		text = binary.LittleEndian.AppendUint32(text, r.Entity.Index())
		text = binary.LittleEndian.AppendUint16(text, x)
		text = binary.LittleEndian.AppendUint16(text, y)
		corner := uint8(0)
		if r.Corner {
			corner = 1
		}
		text = append(text, corner, uint8(min(r.Size, 255)))
		text = binary.LittleEndian.AppendUint16(text, uint16(len(words)))
		text = binary.LittleEndian.AppendUint32(text, r.Color&0xffffff)
		text = appendWords(text, words)
		n++
	}
	return text, n
}

// shortText is as much of a text as a picture has of one.
func shortText(text string) string {
	return sketch.CutText(strings.ToValidUTF8(text, "\uFFFD"))
}

// appendWords appends a text, up to a multiple of 4 bytes.
func appendWords(text []byte, words string) []byte {
	text = append(text, words...)
	for len(text)%4 != 0 {
		text = append(text, 0)
	}
	return text
}

// longestTrail is how many seconds a place stays in a trail at most.
const longestTrail = 10

// appendTrails appends the trails whose entities are in the box.
func appendTrails(text []byte, s *kit.DrawList, b region) ([]byte, int) {
	n := 0
	for k := range s.Trails {
		r := &s.Trails[k]
		x, okX := unit(r.X, b.x, b.width)
		y, okY := unit(r.Y, b.y, b.height)
		if !okX || !okY {
			continue
		}
		text = binary.LittleEndian.AppendUint32(text, r.Entity.Index()|uint32(r.Entity.Generation())<<24)
		text = binary.LittleEndian.AppendUint16(text, x)
		text = binary.LittleEndian.AppendUint16(text, y)
		text = appendFloat(text, float64(min(r.Seconds, longestTrail)))
		text = appendFloat(text, float64(finite(r.Width)))
		text = binary.LittleEndian.AppendUint32(text, r.Color&0xffffff|uint32(part8(r.Alpha))<<24)
		n++
	}
	return text, n
}

// usualColor is the color of strokes that have none.
const usualColor = 0xffd866

// appendStrokes appends the strokes of which a part may be in the box.
func appendStrokes(text []byte, s *kit.DrawList, b region) ([]byte, int) {
	n := 0
	for k := range s.Strokes {
		r := &s.Strokes[k]
		x1, y1, x2, y2 := r.X1-b.x, r.Y1-b.y, r.X2-b.x, r.Y2-b.y
		if !meets(r, x1, y1, x2, y2, b) {
			continue
		}
		words := ""
		switch r.Kind {
		case sketch.Circle:
			x2, y2 = r.Radius, 0
		case sketch.Text:
			x2, y2, words = 0, 0, shortText(r.Text)
		}
		color := r.Color & 0xffffff
		if color == 0 {
			color = usualColor
		}
		text = append(text, byte(r.Kind), 0)
		text = binary.LittleEndian.AppendUint16(text, uint16(len(words)))
		text = binary.LittleEndian.AppendUint32(text, color)
		for _, v := range [...]float64{x1, y1, x2, y2} {
			text = appendFloat(text, v)
		}
		text = appendWords(text, words)
		n++
	}
	return text, n
}

// meets reports whether a stroke may have a part in the box: places are from its corner.
func meets(r *sketch.Stroke, x1, y1, x2, y2 float64, b region) bool {
	switch r.Kind {
	case sketch.Circle:
		x1, y1, x2, y2 = x1-r.Radius, y1-r.Radius, x1+r.Radius, y1+r.Radius
	case sketch.Text:
		x2, y2 = x1, y1
	}
	return min(x1, x2) <= b.width && max(x1, x2) >= 0 && min(y1, y2) <= b.height && max(y1, y2) >= 0
}
