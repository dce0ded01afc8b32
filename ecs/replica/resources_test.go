package replica_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/replica"
)

// TestResourcesOfTypesOfOneName: no resource gets the value of another one whose type nothing tells apart from its own.
func TestResourcesOfTypesOfOneName(t *testing.T) {
	w, err := ecs.Open(ecs.Options{MaxBytes: 16 << 20})
	must(t, err)
	defer w.Close()
	{
		type config struct{ N int }
		ecs.Provide(w, &config{1})
	}
	{
		type config struct{ N int }
		ecs.Provide(w, &config{2})
	}
	p, err := replica.NewPrimary(w, replica.PrimaryOptions{})
	must(t, err)
	if _, err := p.Next(); !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), "replica_test.config") {
		t.Error(err)
	}
}
