// Package record writes down what a game gets from outside, tick by tick, so that the game can be run
// again: a bug report that plays, a test of a game, a rollback with other inputs.
//
//	s, err := record.New(host)
//	move, err := record.Command(s, "move", func(t *ecs.Tick, from uint64, m Move) error { … })
//	rec, err := s.Record(file, record.Options{})
//	… // move.Post(player, m); s.Step(dt)
//	err = rec.Close()
//
// and later, in another process, on another machine:
//
//	r, err := record.Open(file, size)
//	p, err := r.Play(s, record.PlayOptions{}) // s as above, its host without scripts
//	d, err := p.Bisect(ctx, 0)                // the first tick, system, entity and field that differ
//
// There are six nouns.
//
//   - A [Session] is a host whose inputs are declared. Steps go through it.
//   - A [CommandInput] posts what the host gives to the game between two steps; so does an [EventInput],
//     and a [Resource] is a value that the host writes. These are the inputs of a session.
//   - A [Recorder] writes a session to a file.
//   - A [Recording] is such a file, opened.
//   - A [Player] runs a recording again, and compares; a [Divergence] is what it finds.
//   - A [Rollback] keeps the last ticks of a session, to look at them, and to go back and forward again.
//
// # What makes a run repeatable
//
// A world with scripts is a function of how it was filled, the texts of the scripts, the seed and the
// inputs. A recording holds the last three, and the program does the first again: it opens the world
// with the seed and the tag of the [Header], installs the same kits and Go systems, declares the same
// inputs. Then the replay has the same bytes after each tick, with any number of workers, with
// kernels and without, on any machine.
//
// What a program does to the world beside its inputs is not recorded: direct writes between two
// steps, functions of the host that return the time or what a file holds, random numbers of Go. So is what a
// clock decides: see [scripting.Host.Unrepeatable]. A replay finds these, because each tick has a digest.
//
// # A recording
//
// It holds the scripts' texts, each tick's length and inputs, the texts of reloaded scripts in the tick
// that took them over, and after each tick a digest. Where the program gives [Keyframes], it holds the whole
// game from time to time, so that a replay can begin in the middle.
//
// A recording is written at the end of each step, in one piece, and never changed. A program that is
// killed leaves all ticks but the last; a machine that fails, those up to the last sync. Each frame has
// a checksum of all that comes before it: what was cut off, lost, doubled, moved or flipped is
// noticed, the ticks before are used, and [Recording.Damage] says so. Recordings may come from
// anybody: reading one takes no more memory than a multiple of its size, and its inputs go through
// their codecs. Its scripts run under the limits of the host that replays it.
//
// # A digest
//
// Each tick has some sums over all values of all components, a checksum of what scripts keep, and the
// state of the random numbers. The sums are such that the difference of two of them says which value
// differs, if few do, and one that does, if many do; and what it was. So the recording names
// the entity and the field, although it has none of them: see digest.go.
//
// # Looking and going back
//
// [Rollback.Look] shows an earlier tick, and leaves no trace: the world alone is that of the tick, no
// script runs, and before the next step the world is again what it was. [Rollback.Rewind] makes an
// earlier tick the present, with what scripts keep; the next step goes on from there.
//
// # Cost
//
//	Session.Step            as Host.Step, where nothing is kept
//	    while it records    O(values in columns that were written; what scripts keep)
//	    with a rollback     as scripting.Ring.Capture
//	Rollback.Look       as scripting.Ring.Look; the first one as scripting.Ring.Capture, too
//	Rollback.Rewind         as scripting.Ring.Restore, and the ticks that were thinned out
//	Open                    O(bytes)
//	Player.Step             as Host.Step, and a digest
//	Player.Bisect           as Player.Step, and a capture in every 32nd tick
//
// On the demo game, with 10,000 entities that nearly all move, a recorded tick takes two to three times
// as long as one that is not, and 3.5 KB in the file, 40 bytes with Options.Sparse; a capture of a rollback takes about four
// times a memcpy of the bytes, and a third of the tick. What is written in each tick decides: columns that are not written cost nothing.
//
// A recorder holds one tick in memory, and a recording 24 bytes for each. To record calls the on_save
// functions of scripts after each tick; if these return what cannot be kept, the digest goes without what scripts keep.
//
// # Where code lives
//
//	a host with inputs, a step              session
//	commands, events, resources, codecs     input
//	going back and forward                  rollback
//	looking at an earlier tick              look
//	the form of a file                      frame
//	writing                                 recorder
//	reading                                 recording
//	running again                           player
//	sums that say where they differ         digest
//	what differs, and who has written it    divergence
//	scripts of a recording, as a folder     folder
package record
