package twin

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestChangesWaitInSnapshotsOfQuietWorlds: changes that wait for their report are part of a snapshot.
// One that is restored while nobody observes, and captured again, still has them, and whoever
// observes after the next restore gets them. The model once forgot them where nobody observed,
// and then took right reports for wrong ones.
func TestChangesWaitInSnapshotsOfQuietWorlds(t *testing.T) {
	waiting := []Op{{Kind: Spawn, C: 1}, {Kind: Capture}}
	quiet := []Op{{Kind: Quiet}, {Kind: Restore}, {Kind: Capture}}
	for name, ops := range map[string][]Op{
		"observed again":       {{Kind: Quiet}, {Kind: Restore}, {Kind: Step}},
		"reported with others": {{Kind: Quiet}, {Kind: Despawn}, {Kind: Restore}, {Kind: Despawn}, {Kind: Spawn, C: 1}, {Kind: Step}},
		"reported to nobody":   {{Kind: Step}, {Kind: Quiet}, {Kind: Step}},
		"restored twice":       {{Kind: Restore}, {Kind: Quiet}, {Kind: Restore}, {Kind: Capture}, {Kind: Step}, {Kind: Restore}, {Kind: Step}},
	} {
		t.Run(name, func(t *testing.T) {
			all := append(append(append([]Op{}, waiting...), quiet...), ops...)
			Run(t, ecs.Options{MaxBytes: 32 << 20, ReuseAfter: -1}, all)
		})
	}
}
