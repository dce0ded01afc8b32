package bridge_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/internal/testmain"
)

func TestMain(m *testing.M) {
	testmain.Collector()
	m.Run()
}
