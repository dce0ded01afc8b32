// Package save writes worlds to files, and reads them again: in the same program, in another run of
// it, or in a later version.
//
//	s, err := snapshot.Capture(w)              // between two ticks; the tick waits for this alone
//	err = save.ToFile("slots/one.save", s, save.Options{})   // on any goroutine
//
//	f, err := save.OpenFile("slots/one.save")
//	defer f.Close()
//	report, err := f.Load(w, save.LoadOptions{})
//
// There are three nouns.
//
//   - A save is a file: all that a snapshot has, and sections of bytes that the program adds.
//   - A [File] is a save that was opened. [File.Load] makes a world of it, [File.Check] only says what
//     would come of that, in a [Report].
//   - A [codec.Codec] says how values of a Go type with pointers are written.
//
// # What a load brings back
//
// What a restore does: see package snapshot. Entities have their old handles, and the world goes on as one that
// never stopped: rows are in the same order, the next entity gets the same handle, readers go on
// where they were. The program declares its components, systems and readers before it loads, as it
// does in a new game; for handles to be the same, the world has to be opened with [File.Tag] as its
// Options.Tag.
//
// A load is all or nothing. The whole file is read, its sums compared, each handle, row, link and
// number checked, all values made, before the world is touched.
//
// # Another version of the program
//
// Components, relations, events and resources are found by name, whatever the order in which they are registered. Fields
// are converted by the rules of a reload ([schema.Conversion]), and by LoadOptions.Migrate. What
// is new begins empty, and new fields have their defaults. What the program does not know any more is lost: a load says so, by [ErrLoss],
// and goes on only with LoadOptions.Lose.
// Types of which the program says that nothing declared them when the game was saved are defined anew: LoadOptions.Adopts. A component that has moved between chunks, a pool and Go's
// heap is refused.
//
// # The file
//
// A save is a ZIP archive whose parts are not compressed, so that nothing in it is larger than the
// file.
//
//	archetypes/N.arrow   the entities of a set of components, a column for each component
//	pools/N.arrow        the values of a component, or of a relation, in a pool
//	heap/N.arrow         values with Go pointers, encoded
//	events/N.arrow       the events of a type that wait
//	entities.arrow       by slot: the last life that was issued, and when one ended
//	free.arrow           the slots that wait to be issued again, in order
//	resources.json       resources
//	state.json           the clock, the past of systems, how far readers have come, chunks
//	sections/NAME        what the program has added
//	manifest.json        what is in all this, with a sum for each part
//
// The tables are files of Apache Arrow, which other tools read without knowing anything of Perigee: a
// struct for each component, a list of fixed size for each array, no nulls. Entities and enums are
// numbers; the metadata of the column says so (perigee.kind, perigee.enum). Bytes of a Go struct that are in no field that scripts see are the
// column _hidden.
//
// Why do we write Arrow ourselves? Of that format a save needs structs, lists of fixed size and numbers:
// two messages, three hundred lines. The library has fifty megabytes, and its reader can be made to ask
// for more memory than there is by one changed byte, which ends the process. Here, a reader
// knows from the manifest what each byte of Arrow's metadata must be, and compares; it follows nothing that a file
// says about itself.
//
// # Files that cannot be trusted
//
// A save may come from anybody. What it makes in memory is bounded by its own size, by Options.MaxBytes of the world, and by
// limits on its parts of JSON: 16 MiB for the manifest and for resources, 64 MiB for the state, a million lists and objects in
// each, with what stands in their places, four million values of structs in the fields that the manifest describes. Values that
// codecs have written may take 64 bytes for each of theirs, and MaxBytes all together.
//
// What a load brings is what a world can have: bools are true or false, enums one of their words. A field of entities may
// hold any number, as it may in a world. [Write] refuses with [ErrTooLarge] and [ecs.ErrRange] what would
// be refused when it is read. Codecs of the program get such bytes, too, and what they make is theirs to bound; their panics
// become errors.
//
// # Cost
//
//	Capture    see package snapshot: the time for which the world is held
//	Write      O(bytes), 1.9 GB/s of processor time for a million entities, on any goroutine; a megabyte of memory beside the snapshot
//	ToFile     as Write, and what the disk takes
//	Load       O(bytes), 0.8 GB/s; as much memory again as the world has
//	World      as Load, twice: values that are withheld are looked for first
//	Diff       O(bytes), with twice the largest component in memory
//
// # Where code lives
//
//	a world written                          write, file
//	a save opened, its sums                  read, manifest
//	JSON counted before it is read           nodes
//	a save made a world                      load, report
//	a save as a world without the program    world
//	components in another version            convert
//	types that nothing declares any more     adopt
//	rows of sets and pools                   tables
//	values that codecs have written          encoded
//	values as columns, and back              columns
//	the values of a save, without a world    rows
//	values as text                           export
//	what is different in two saves           diff, progress
//	files of Arrow, and what they are made of  arrow, flat
//	errors                                   errors
package save
