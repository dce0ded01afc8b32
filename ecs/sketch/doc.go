// Package sketch keeps what a program draws to see what it computes: lines, circles, boxes and texts, for
// one tick or for some seconds of simulation. A view shows them over the game.
//
//	board, err := sketch.Open(world)       // kit.InstallView does it
//	board.Draw(t, sketch.Stroke{Kind: sketch.Line, X1: 0, Y1: 0, X2: 100, Y2: 50, Color: 0xff4060})
//
// There are two nouns.
//
//   - A [Stroke] is one line, circle, box or text.
//   - The [Sketch] of a world has all strokes that are to be seen. It lives as long as the world.
//
// # It is no part of the world
//
// What is drawn changes nothing that a game computes: it is in no checksum, no snapshot, no save and no
// recording, and nothing of it can be read by a system. A sketch keeps nothing until somebody looks, see
// [Sketch.Show]: before that, drawing costs a look at a flag.
//
// # Earlier ticks
//
// A stroke knows the ticks in which it is to be seen. The last 8,192 that are over are kept, so a view
// that goes back to an earlier tick has those of that tick. When the world goes on from there, the strokes of
// the ticks that did not happen are gone.
//
// # Bounds
//
//	at a time    4,096 strokes, of which 512 may be texts; further ones are left out, and counted
//	a text       200 bytes; the rest is cut off
//	a stroke     is seen for an hour at most
//	numbers      a stroke with one that is not finite, or beyond a billion, is not seen
//
// # Goroutines
//
// Draw and Left may be called by all systems, also by those that run at the same time. All else belongs to
// the goroutine of the world.
package sketch
