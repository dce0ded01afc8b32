//go:build 386 || arm || mips || mipsle

package machine

import "unsafe"

// Value is as in value_64.go, and has 16 bytes here, too: instructions have the offsets of
// registers, and a script may use the same memory on every machine.
type Value struct {
	p unsafe.Pointer
	_ uint32
	n uint64
}
