package inspect

import (
	"encoding/binary"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/asset"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// crowd makes a world of n shapes, and a painter of it.
func crowd(t testing.TB, n int) *painter {
	t.Helper()
	w, err := ecs.Open(ecs.Options{MaxBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	p, err := newPainter(w)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		w.Spawn(p.position.With(kit.Position{X: float64(i % 100 * 10), Y: float64(i / 100 * 10)}), p.velocity.With(kit.Velocity{X: 1, Y: float64(i)}),
			p.shape.With(kit.Shape{Turns: true, Size: float32(8 + i%5), Color: 0xffffff, Alpha: 1, Layer: uint8(i % 3)}))
	}
	return p
}

// TestScenesAndPicturesUseTheirMemoryAgain: a picture itself is the only thing that is made anew.
func TestScenesAndPicturesUseTheirMemoryAgain(t *testing.T) {
	p := crowd(t, 2000)
	var s scene
	var c pictureMaker
	p.paint(&s)
	if first := len(c.encode(&s)); first != headSize+2000*visualSize+15*styleSize+8 {
		t.Errorf("%d bytes", first)
	}
	if n := testing.AllocsPerRun(10, func() { p.paint(&s) }); n != 0 {
		t.Errorf("a scene allocates %v times", n)
	}
	if n := testing.AllocsPerRun(10, func() { c.encode(&s) }); n > 1 {
		t.Errorf("a picture allocates %v times", n)
	}
}

// TestScenesAreBounded: what is too much is left out, and the picture says so.
func TestScenesAreBounded(t *testing.T) {
	p := crowd(t, mostVisuals)
	p.world.Spawn(p.position.With(kit.Position{}), p.shape.With(kit.Shape{Alpha: 1}))
	for range mostLabels + 1 {
		p.world.Spawn(p.label.With(kit.Label{Text: "x"}))
	}
	var s scene
	p.paint(&s)
	if len(s.entities) > mostVisuals || len(s.labels) != mostLabels || !s.more {
		t.Errorf("%d shapes, %d labels, %v", len(s.entities), len(s.labels), s.more)
	}
}

// TestSpritesAndTrailsAreBounded, and so are the sheets of a picture.
func TestSpritesAndTrailsAreBounded(t *testing.T) {
	p := crowd(t, 10)
	for i := range mostTrails + 1 {
		p.world.Spawn(p.position.With(kit.Position{}), p.trail.With(kit.Trail{Seconds: 1, Width: 1, Alpha: 1}),
			p.sprite.With(kit.Sprite{Image: asset.ID[*kit.ImageFile](i + 1), Size: 1, Alpha: 1}))
	}
	var s scene
	var c pictureMaker
	p.paint(&s)
	if len(s.trails) != mostTrails || !s.more {
		t.Errorf("%d trails, %v", len(s.trails), s.more)
	}
	s.more = false
	if picture := c.encode(&s); len(c.sheets) != mostSheets || picture[58]&flagMore == 0 || binary.LittleEndian.Uint32(picture[48:]) != 10+mostSheets {
		t.Errorf("%d sheets", len(c.sheets))
	}
	if n := testing.AllocsPerRun(10, func() { p.paint(&s) }); n != 0 {
		t.Errorf("a scene allocates %v times", n)
	}
	if n := testing.AllocsPerRun(10, func() { c.encode(&s) }); n > 1 {
		t.Errorf("a picture allocates %v times", n)
	}
	for i := range mostVisuals {
		p.world.Spawn(p.position.With(kit.Position{X: float64(i)}), p.sprite.With(kit.Sprite{Image: 1, Size: 1, Alpha: 1}))
	}
	if p.paint(&s); len(s.entities) > mostVisuals || !s.more {
		t.Errorf("%d shapes and sprites", len(s.entities))
	}
}

func BenchmarkPaint(b *testing.B) {
	p := crowd(b, 10_000)
	var s scene
	for b.Loop() {
		p.paint(&s)
	}
}

func BenchmarkEncode(b *testing.B) {
	p := crowd(b, 10_000)
	var s scene
	var c pictureMaker
	p.paint(&s)
	for b.Loop() {
		c.encode(&s)
	}
}
