package kit

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/asset"
	"github.com/perigee-ecs/perigee/ecs/sketch"
)

// Shape is how an entity looks. A view draws it where the entity's GlobalTransform says, or its
// Position. In Lua, alpha is 1 and size is 10 where nothing else is said; a Shape of Go has what is written, so one without Alpha and Size is
// not to be seen.
type Shape struct {
	Form  Figure  `ecs:"form,enum=circle|ring|square|triangle|diamond|star|arrow|dot"`
	Turns bool    // its front is where its Velocity leads; else its angle alone counts
	Layer uint8   // higher ones are drawn above lower ones
	Color uint32  // 0xRRGGBB
	Alpha float32 // 0: nothing to see, to 1: nothing to see behind it
	Size  float32 // from one side to the other, world units
	Angle float32 // radians; that of a GlobalTransform is added
	Glow  float32 // light around it, 0 to 1
}

// Figure is the outline of a Shape.
type Figure uint8

// The forms, in the order of their names in Lua.
const (
	Circle Figure = iota
	Ring
	Square
	Triangle // its front is where the angle leads, as of Arrow
	Diamond
	Star
	Arrow
	Dot // a soft point of light
)

// Label writes a text at an entity. One of an entity without a place stands in the corner of the
// view, in the order of their handles: for scores.
type Label struct {
	Text  string
	Size  float32 // of the letters, in pixels; 0: 13
	Color uint32  // 0xRRGGBB; 0: white
	DX    float32 `ecs:"dx"` // from the place of the entity, world units
	DY    float32 `ecs:"dy"`
}

// Bar shows a part of a whole at an entity, such as its health.
type Bar struct {
	Value, Max    float32
	Width, Height float32 // world units
	Color         uint32  // 0xRRGGBB
	DY            float32 `ecs:"dy"` // above the place of the entity, world units
}

// Trail is a line behind an entity that moves, along the places where it was. It fades out and gets narrower
// towards its end. It begins anew where the entity jumps: farther in one picture than a twelfth of what is seen.
type Trail struct {
	Seconds float32 // of simulation that a place stays in it, at most 10
	Width   float32 // at the entity, world units
	Color   uint32  // 0xRRGGBB
	Alpha   float32 // at the entity: 0: nothing to see, to 1
}

// Camera makes a view look at its entity: at the first one that has it. Without one, a view shows
// the whole Arena.
type Camera struct {
	Height     float32 // of what is seen, world units
	Background uint32  // 0xRRGGBB
}

// Screen is what a world has for those who look at it and play: components to draw, and what players do.
// It outlives no world. Feed may be called from any goroutine.
type Screen struct {
	inputs  *inputs
	sketch  *sketch.Sketch
	images  *asset.Cache[*ImageFile] // nil before ShowImages, as missing is
	missing *missingImages
}

// InstallView registers the components Shape, Sprite, Trail, Label, Bar and Camera, the resource Input and the event
// Key, adds the system kit.input, in the phase "input", and opens the world's sketch, if it has none. It fails, and changes nothing, when the
// world has a system of that name, as after another InstallView (the error wraps ecs.ErrConflict), and
// while the world is closed or runs. It panics as ecs.Register does when a type's name is taken.
func InstallView(w *ecs.World) (*Screen, error) {
	if w == nil {
		return nil, fmt.Errorf("kit: InstallView: %w: the world is nil", ecs.ErrConflict)
	}
	if err := w.Raw().Ready(); err != nil {
		return nil, fmt.Errorf("kit: InstallView: %w", err)
	}
	if slices.Contains(w.Schedule().Names(), "kit.input") {
		return nil, fmt.Errorf("kit: InstallView: %w: the world has a system %q", ecs.ErrConflict, "kit.input")
	}
	ecs.Register[Shape](w, ecs.Default(Shape{Color: 0xffffff, Alpha: 1, Size: 10}))
	ecs.Register[Label](w)
	ecs.Register[Bar](w, ecs.Default(Bar{Value: 1, Max: 1, Width: 24, Height: 3, Color: 0x66dd88, DY: 16}))
	ecs.Register[Camera](w, ecs.Default(Camera{Height: 600, Background: 0x0b0f1a}))
	ecs.Register[Sprite](w, ecs.Default(Sprite{Columns: 1, Rows: 1, Color: 0xffffff, Alpha: 1, Size: 20}))
	ecs.Register[Trail](w, ecs.Default(Trail{Seconds: 0.5, Width: 3, Color: 0xffffff, Alpha: 0.5}))
	board := sketch.Of(w)
	if board == nil {
		var err error
		if board, err = sketch.Open(w); err != nil {
			return nil, fmt.Errorf("kit: InstallView: %w", err)
		}
	}
	in := &inputs{to: ecs.Provide(w, &Input{}), keys: ecs.RegisterEvent[Key](w)}
	return &Screen{inputs: in, sketch: board}, w.Schedule().Add(ecs.System{Name: "kit.input", Phase: ecs.Input, Run: in.run})
}

// Draw draws strokes over the game, as ecs.draw does for scripts, and returns how many were taken; see
// [sketch.Sketch.Draw]. Views do not move them between two pictures, as they do entities.
func (v *Screen) Draw(t *ecs.Tick, strokes ...sketch.Stroke) (taken int) {
	if v == nil {
		return 0
	}
	return v.sketch.Draw(t, strokes...)
}

// Feed leaves what a player has done for the next tick. It reports whether it was taken: 1,024 wait
// at a time, and more are dropped, as is what cannot be. A pointer or a stick that moves on takes the place of its last
// move. What ends something that is held, such as a key that goes up, is never dropped: where there is no place, all keys and buttons are
// up. It may be called from any goroutine.
func (v *Screen) Feed(s Signal) bool { return v != nil && v.inputs != nil && v.inputs.feed(s) }
