package inspect

import (
	"encoding/binary"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/asset"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// crowd makes a world of n shapes, and the list of what is to be drawn of it.
func crowd(t testing.TB, n int) (*ecs.World, *kit.DrawList) {
	t.Helper()
	w, err := ecs.Open(ecs.Options{MaxBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	list, err := kit.NewDrawList(w)
	if err != nil {
		t.Fatal(err)
	}
	position, velocity, shape := ecs.Register[kit.Position](w), ecs.Register[kit.Velocity](w), ecs.Register[kit.Shape](w)
	for i := range n {
		w.Spawn(position.With(kit.Position{X: float64(i % 100 * 10), Y: float64(i / 100 * 10)}), velocity.With(kit.Velocity{X: 1, Y: float64(i)}),
			shape.With(kit.Shape{Turns: true, Size: float32(8 + i%5), Color: 0xffffff, Alpha: 1, Layer: uint8(i % 3)}))
	}
	list.Update()
	return w, list
}

// TestPicturesUseTheirMemoryAgain: a picture itself is the only thing that is made anew.
func TestPicturesUseTheirMemoryAgain(t *testing.T) {
	_, s := crowd(t, 2000)
	var c pictureMaker
	if first := len(c.encode(s)); first != headSize+2000*visualSize+15*styleSize+8 {
		t.Errorf("%d bytes", first)
	}
	if n := testing.AllocsPerRun(10, func() { c.encode(s) }); n > 1 {
		t.Errorf("a picture allocates %v times", n)
	}
}

// TestSheetsAreBounded: a picture has so many images at most, and says that there are more.
func TestSheetsAreBounded(t *testing.T) {
	w, s := crowd(t, 10)
	position, sprite, trail := ecs.Register[kit.Position](w), ecs.Register[kit.Sprite](w), ecs.Register[kit.Trail](w)
	for i := range 4097 {
		w.Spawn(position.With(kit.Position{}), trail.With(kit.Trail{Seconds: 1, Width: 1, Alpha: 1}),
			sprite.With(kit.Sprite{Image: asset.ID[*kit.ImageFile](i + 1), Size: 1, Alpha: 1}))
	}
	var c pictureMaker
	s.Update()
	if picture := c.encode(s); len(c.sheets) != mostSheets || picture[58]&flagMore == 0 || binary.LittleEndian.Uint32(picture[48:]) != 10+mostSheets {
		t.Errorf("%d sheets", len(c.sheets))
	}
	if n := testing.AllocsPerRun(10, func() { c.encode(s) }); n > 1 {
		t.Errorf("a picture allocates %v times", n)
	}
}

func BenchmarkEncode(b *testing.B) {
	_, s := crowd(b, 10_000)
	var c pictureMaker
	for b.Loop() {
		s.Update() // as each picture is of another tick; see BenchmarkDrawList of package kit for its part
		c.encode(s)
	}
}
