package main

import "github.com/akmonengine/volt"

// The components of every contender: two float64 each, as in the benchmarks
// that the peers publish. Volt wants a number from the type itself.
type (
	Position struct{ X, Y float64 }
	Velocity struct{ X, Y float64 }

	// C1 to C8 tell archetypes apart: the i-th entity has the components whose
	// bits are set in i.
	C1 struct{ X, Y float64 }
	C2 struct{ X, Y float64 }
	C3 struct{ X, Y float64 }
	C4 struct{ X, Y float64 }
	C5 struct{ X, Y float64 }
	C6 struct{ X, Y float64 }
	C7 struct{ X, Y float64 }
	C8 struct{ X, Y float64 }
)

func (Position) GetComponentId() volt.ComponentId { return 0 }
func (Velocity) GetComponentId() volt.ComponentId { return 1 }
func (C1) GetComponentId() volt.ComponentId       { return 2 }
func (C2) GetComponentId() volt.ComponentId       { return 3 }
func (C3) GetComponentId() volt.ComponentId       { return 4 }
func (C4) GetComponentId() volt.ComponentId       { return 5 }
func (C5) GetComponentId() volt.ComponentId       { return 6 }
func (C6) GetComponentId() volt.ComponentId       { return 7 }
func (C7) GetComponentId() volt.ComponentId       { return 8 }
func (C8) GetComponentId() volt.ComponentId       { return 9 }

// start is the i-th entity's position, speed its velocity: small whole numbers,
// so that sums over them are exact in any order.
func start(i int) Position { return Position{float64(i % 1000), 1} }

var speed = Velocity{2, 3}

// born is what entities of the creating operations begin with.
var born = Position{5, 7}

// step is the loop that stands for all, over columns.
func step(p []Position, v []Velocity) {
	v = v[:len(p)]
	for i := range p {
		p[i].X += v[i].X
		p[i].Y += v[i].Y
	}
}

// sumOf adds up what a world holds.
func sumOf(p Position) float64 { return p.X + p.Y }

// The components of the goals, which no peer shares.
type (
	Transform struct{ X, Y, Angle, Scale float64 }
	Health    struct{ Now, Max float64 }
)
