//go:build !ecsdebug

package ecs

// debugging says whether this build watches its users: see debug_on.go. What
// follows costs nothing without the tag: empty fields, empty functions, and
// branches that the compiler leaves out.
const debugging = false

type (
	vigil struct{}
	lease struct{}
)

func (w *World) committed(string, Entity) {}
func (w *World) vacated(*Chunk, int)      {}
func (w *World) abandoned(*Chunk)         {}
func (w *World) patrol()                  {}
func (w *World) checkVacated() error      { _ = w.vigil; return nil }
func (c *Chunk) inUse()                   {}
func (q *Query) alter(string)             {}
func (q *Query) lend(func(*Chunk) bool)   {}
