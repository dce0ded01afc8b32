//go:build linux && !race && (amd64 || arm64 || riscv64 || ppc64le || s390x || loong64 || 386 || arm)

package arena

import "golang.org/x/sys/unix" // see range_mmap.go

// preferHuge asks the system for pages of 2 MiB where the range is touched next,
// or for ordinary ones again. An error, as of a kernel built without them, leaves
// pages as they are.
func (r addressRange) preferHuge(on bool) {
	advice := unix.MADV_NOHUGEPAGE
	if on {
		advice = unix.MADV_HUGEPAGE
	}
	if r.bytes != nil {
		_ = unix.Madvise(r.bytes, advice)
	}
}
