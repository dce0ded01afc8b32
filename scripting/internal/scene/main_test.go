package scene

import (
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/internal/testmain"
)

func TestMain(m *testing.M) {
	testmain.Collector()
	m.Run()
}

func pointer[T any](v *T) unsafe.Pointer { return unsafe.Pointer(v) }
