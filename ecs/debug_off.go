//go:build !ecsdebug

package ecs

// debugging says whether this build watches its users: see debug_on.go. What
// follows costs nothing without the tag: empty fields, empty functions, and
// branches that the compiler leaves out.
const debugging = false

type (
	debugState struct{}
	lease      struct{}
)

func (w *World) committed(string, Entity)      {}
func (w *World) rowFreed(*Chunk, int)          {}
func (w *World) chunkFreed(*Chunk)             {}
func (w *World) checkFreed()                   {}
func (w *World) findFreedWrite() error         { _ = w.debug; return nil }
func (c *Chunk) inUse()                        {}
func (q *Query) alter(string)                  {}
func (q *Query) eachWatched(func(*Chunk) bool) {}
