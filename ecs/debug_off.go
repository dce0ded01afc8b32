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

func (*debugState) changeEnded(string, int) bool { return false }

func (s *store) rowFreed(*Chunk, int)  {}
func (s *store) chunkFreed(*Chunk)     {}
func (s *store) checkFreed()           {}
func (s *store) findFreedWrite() error { _ = s.debug; return nil }
func (c *Chunk) inUse()                {}
func (c *Chunk) lend(*bool)            {}
