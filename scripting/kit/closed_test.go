package kit_test

import (
	"errors"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// TestInstallInAClosedWorld is an error, and no panic.
func TestInstallInAClosedWorld(t *testing.T) {
	w := ecs.NewWorld()
	w.Close()
	if _, err := kit.Install(w, kit.Options{}); !errors.Is(err, ecs.ErrClosed) {
		t.Errorf("Install returns %v", err)
	}
}
