//go:build !machine

package unboxed_test

import (
	"os"
	"testing"

	"github.com/perigee-ecs/perigee/internal/testmain"
)

func TestMain(m *testing.M) {
	testmain.Collector()
	os.Exit(m.Run())
}
