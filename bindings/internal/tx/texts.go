package tx

import "github.com/perigee-ecs/perigee/bindings/diag"

// fieldTexts knows how many bytes the texts in components of Go types may take at most. Scripts put them
// there, and no variable of theirs leads to them, so that limits of their heaps do not see them.
//
// Why not count each text that comes and goes? They go with entities, with what Go replaces in place, and
// with calls that are undone. Here nothing is taken back within a turn of the world, a step or a Run: what
// scripts write in it is added to what there was when the first text was written.
//
// Invariant: both sums depend on nothing but the world at the beginning of the turn, and on what the turn
// has done. No snapshot is taken or restored within one, so a restored world refuses the same texts as one
// that has never stopped.
type fieldTexts struct {
	turn    uint64 // 0: none yet
	there   int64  // bytes, at the first text of the turn
	written int64  // by scripts since, in that turn
}

// HoldText returns the limit that keeps a field of a Go type from taking a text of so many bytes, nil if it
// may take it. O(1), but for the first text of a turn: see [ecs.Raw.TextBytes]. Texts of a top level are
// declarations, which have a limit of their own.
func (r *Runner) HoldText(bytes int) *diag.Error {
	if one := r.Limits.FieldText; one > 0 && bytes > one {
		return diag.Reached("FieldText", "the text has %s bytes, and a field can have %s", diag.Grouped(int64(bytes)), diag.Grouped(int64(one)))
	}
	all, x := r.Limits.FieldTexts, &r.texts
	if all <= 0 || r.World == nil || r.Call == nil {
		return nil
	}
	raw := r.World.Raw()
	if turn := raw.Turn(); turn != x.turn {
		*x = fieldTexts{turn: turn, there: raw.TextBytes()}
	}
	if sum := x.there + x.written + int64(bytes); sum > all {
		return diag.Reached("FieldTexts", "too much: with this text, those in components of the host take %s of %s bytes: despawn what shows them, or write shorter ones",
			diag.Grouped(sum), diag.Grouped(all))
	}
	x.written += int64(bytes)
	return nil
}
