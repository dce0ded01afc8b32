package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Inventory is a resource with fields of Go types that scripts have nothing for.
type Inventory struct {
	Level int8
	Items []int
	Rates map[string]float64
	Next  *Inventory
	Box   struct {
		Size  uint8
		Names []string
	}
	Rows [2]struct {
		N    uint8
		Tags map[string]bool
	}
}

// TestAnUnreadableFieldOfAResourceIsRefused: such a field is an error that names it, wherever it
// stands, and the fields beside it are read as ever.
func TestAnUnreadableFieldOfAResourceIsRefused(t *testing.T) {
	for read, want := range map[string]string{
		"cfg.items":        `field "items" of the resource "Inventory" cannot be read`,
		"cfg.rates":        `field "rates" of the resource "Inventory" cannot be read`,
		"cfg.next":         `field "next" of the resource "Inventory" cannot be read`,
		"cfg.box.names":    `field "names" of the resource "Inventory.box" cannot be read`,
		"cfg.rows[2].tags": `field "tags" of the resource "Inventory.rows[2]" cannot be read`,
		"cfg.box.size":     "",
		"cfg.rows[1].n":    "",
		"cfg.level":        "",
	} {
		t.Run(read, func(t *testing.T) {
			r := newGame(t, scripting.Limits{})
			ecs.Provide(r.world, &Inventory{Items: []int{1}})
			r.write("a.lua", `local cfg = ecs.resource("Inventory")
ecs.on_start(function() ecs.log("read", `+read+`) end)`)
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			if err := r.host.Step(1); err != nil {
				t.Fatal(err)
			}
			faults := r.host.Faults()
			if want == "" {
				if faults.Total != 0 {
					t.Errorf("faults: %+v", faults)
				}
				return
			}
			if len(faults.Systems) != 1 || !strings.Contains(faults.Systems[0].Last.Message, want) {
				t.Errorf("faults: %+v, want %q", faults, want)
			}
		})
	}
}
