package vector

import (
	"fmt"
	"strings"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file says what has become of f32 fields: whether they are computed in float32 without
// that being asked for, and what is in the way where they are not.

// inSingle makes the plans in which float32 takes the place of float64 where the
// result is the same, and notes in all plans what has become of f32 fields.
func inSingle(f *ir.Func, g *Graph, double []*Plan) (plans []*Plan) {
	single, wide := round(f, g)
	// wide are the f32 fields that keep float64, each with a reason; same are those that do
	// not. Plans of either precision have the same note: it is about the function.
	var kept, same []string
	for i := range f.Fields {
		name := f.Locals[f.Fields[i].Local].Name
		switch why, is := wide[i]; {
		case is:
			kept = append(kept, fmt.Sprintf("%s (%s)", name, why))
		case single != nil && f.Fields[i].Kind == schema.F32:
			if _, stored := single.Final[i]; stored {
				same = append(same, name)
			}
		}
	}
	note := ""
	if len(kept) > 0 {
		note = "; float64 for " + strings.Join(kept, ", ")
	}
	for _, p := range double {
		p.note = note
	}
	if single == nil {
		return nil
	}
	if len(same) > 0 {
		note = "; float32 gives the same for " + strings.Join(same, ", ") + note
	}
	plans, _ = arrangements(f, single, 4)
	for _, p := range plans {
		p.note = note
	}
	return plans
}
