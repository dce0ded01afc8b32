package kit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// Seen is what the systems of these tests find out.
type Seen struct{ Near, Count, At float64 }

// seekers is a script whose each functions ask the index, compiled or not.
const seekers = `
local Seen = ecs.native("Seen")
ecs.system "nearest" { query = { Position, Seen }, kernel = %[1]q, each = function(e, p, s)
  s.near = host.nearest(p.x + 3, p.y, 40, 2)
end }
ecs.system "count" { query = { Position, Seen }, kernel = %[1]q, each = function(e, p, s)
  local n, whole = host.count_within(p.x, p.y, 25, 3)
  if whole then s.count = n end
end }
ecs.system "chase" { query = { Position, Seen }, kernel = %[1]q, each = function(e, p, s)
  local other = host.nearest(p.x, p.y, 1/0, 2)
  if other ~= 0 then
    local at = ecs.get(other, Position)
    if at then s.at = at.x end
  end
end }
`

// newSeekers fills a field with entities that look for others.
func newSeekers(t testing.TB, limits scripting.Limits, mode string, n int, extent float64) (*scripted, ecs.Component[Seen]) {
	t.Helper()
	s := newScriptedWith(t, limits, fmt.Sprintf(seekers, mode), func(w *ecs.World) { ecs.Register[Seen](w) })
	seen := ecs.Register[Seen](s.World)
	ecs.Resource[kit.Arena](s.World).Edge = kit.None // an edge would gather those who are far out
	r := rand.New(rand.NewPCG(5, 5))
	for range n {
		s.Spawn(s.position.With(kit.Position{X: r.Float64() * extent, Y: r.Float64() * extent}), seen.With(Seen{}),
			s.velocity.With(kit.Velocity{X: r.NormFloat64() * 20}), s.collider.With(kit.Collider{Radius: 1, Layer: 1 + r.Uint32N(3)}))
	}
	return s, seen
}

// TestKernelsSearch: compiled functions ask the index without the VM, and find what the VM finds;
// in a crowd, too, where the VM takes rows over.
func TestKernelsSearch(t *testing.T) {
	for _, extent := range []float64{400, 3, 1e7} {
		kernels, seen := newSeekers(t, scripting.Limits{Instructions: -1, TickInstructions: -1}, "require", 600, extent)
		vm, _ := newSeekers(t, scripting.Limits{Instructions: -1, TickInstructions: -1}, "off", 600, extent)
		ecs.Resource[kit.Collisions](kernels.World).Work, ecs.Resource[kit.Collisions](vm.World).Work = 50_000, 50_000
		found := 0.0
		for range 20 {
			kernels.step(t, 1.0/16)
			vm.step(t, 1.0/16)
			if kernels.Checksum() != vm.Checksum() {
				t.Fatalf("extent %g: kernels leave another world than the VM", extent)
			}
		}
		for _, r := range ecs.Rows(kernels.Query(ecs.Read(seen)), seen) {
			found += r.Near + r.Count + r.At
		}
		if len(kernels.faults)+len(vm.faults) > 0 || found == 0 {
			t.Fatalf("extent %g: %v %v, found %g", extent, kernels.faults, vm.faults, found)
		}
		if cut := kernels.kit.Index().Cut(); cut != vm.kit.Index().Cut() || (cut > 0) != (extent == 3) {
			t.Errorf("extent %g: %d searches were cut by kernels, %d by the VM", extent, cut, vm.kit.Index().Cut())
		}
		for _, r := range kernels.host.Ran() {
			if extent == 400 && (r.Kernel.Rows == 0 || r.VM.Rows > r.Kernel.Rows/100) {
				t.Errorf("%s: %+v", r.System, r)
			}
		}
	}
}

// BenchmarkSeekers has 10,000 entities that all look for the nearest one and count those around them.
func BenchmarkSeekers(b *testing.B) {
	for _, mode := range []string{"require", "off"} {
		b.Run("kernel "+mode, func(b *testing.B) {
			s, _ := newSeekers(b, scripting.Limits{Instructions: -1, TickInstructions: -1, TickRows: -1}, mode, 10_000, 2000)
			s.step(b, 1.0/60)
			for b.Loop() {
				s.step(b, 1.0/60)
			}
			for _, st := range s.Schedule().Stats(nil) {
				b.ReportMetric(float64(st.Total.Nanoseconds())/float64(st.Runs)/10_000, st.Name+"-ns/entity")
			}
		})
	}
}

// TestWhichSearchesAreCompiled: what the package's text and the handbook of scripts say of each.
func TestWhichSearchesAreCompiled(t *testing.T) {
	for search, compiled := range map[string]bool{
		"nearest(p.x, p.y, 5, 3)": true, "count_within(p.x, p.y, 5, 3)": true, "ray(p.x, p.y, 0, 0, 3)": false,
		"within(p.x, p.y, 5, 3)": false, "k_nearest(p.x, p.y, 2, 5, 3)": false, "in_box(p.x, p.y, 0, 0, 3)": false, "ray_all(p.x, p.y, 0, 0, 3)": false,
	} {
		text := `local Seen = ecs.native("Seen")
ecs.system "always" { query = { Position, Seen }, each = function(e, p, s) local found = host.` + search + ` s.near = 1 end }
ecs.system "seldom" { query = { Position, Seen }, each = function(e, p, s) if p.x < 0 then local found = host.` + search + ` s.near = 1 end end }`
		s := newScriptedWith(t, scripting.Limits{}, text, func(w *ecs.World) { ecs.Register[Seen](w) })
		name, _, _ := strings.Cut(search, "(")
		for _, k := range s.host.Kernels() {
			whole, reason := compiled || k.System == "seldom", "a call of host."+name
			if k.Compiled != whole || !compiled != strings.Contains(k.Reason, reason) {
				t.Errorf("host.%s: %v, want compiled: %v", search, k, whole)
			}
		}
	}
}
