//go:build !linux || race || !(amd64 || arm64 || riscv64 || ppc64le || s390x || loong64 || 386 || arm)

package arena

// preferHuge does nothing here: the system chooses its pages itself, or leaves no
// choice.
func (r addressRange) preferHuge(bool) {}
