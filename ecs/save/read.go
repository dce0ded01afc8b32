package save

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"reflect"
	"slices"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/codec"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
)

// The most that parts of JSON may have, in bytes, and how many nodes may be in one, see bounded: what
// they make in memory is a few hundred bytes for each of these.
const (
	mostManifest = 16 << 20
	mostState    = 64 << 20
	mostText     = 16 << 20
	mostNodes    = 1 << 20
	mostValues   = 1 << 22 // of JSON that is compared value by value
)

// File is a save that was opened: its manifest is read and in order, the rest is where it was. It
// reads from what it was opened with, which must stay as it is. It may be used by one goroutine at a
// time.
type File struct {
	manifest manifest
	parts    map[string]*zip.File
	sums     map[string]*partEntry // of the manifest, by name
	opened   map[string]bool       // parts that were read since a load has begun
	close    io.Closer
}

// Open reads the manifest of a save of a size, which may come from anybody. What else is in it is
// checked when it is read, by [File.Verify], [File.Check] and [File.Load]. The error wraps ErrFormat,
// ErrVersion or ErrDamaged. O(parts).
func Open(r io.ReaderAt, size int64) (*File, error) {
	f, err := open(r, size)
	if err != nil {
		return nil, fmt.Errorf("save: %w", err)
	}
	return f, nil
}

// open is Open without the name of the package in errors.
func open(r io.ReaderAt, size int64) (*File, error) {
	if r == nil || size <= 0 {
		return nil, fmt.Errorf("%w: it is empty", ErrFormat)
	}
	if !capture.LittleEndian {
		return nil, fmt.Errorf("%w: this machine has another order of bytes than saves", errors.ErrUnsupported)
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w: it is no whole ZIP archive", ErrFormat, err)
	}
	if !alone(z, r, size) {
		return nil, fmt.Errorf("%w: something stands before or behind the ZIP archive, as in a recording with keyframes", ErrFormat)
	}
	f := &File{parts: map[string]*zip.File{}}
	total := uint64(0)
	for _, p := range z.File {
		if f.parts[p.Name] != nil || p.Method != zip.Store || p.CompressedSize64 != p.UncompressedSize64 || p.UncompressedSize64 > uint64(size) {
			return nil, fmt.Errorf("%w: its part %q is there twice, or is not what a save has", ErrDamaged, p.Name)
		}
		f.parts[p.Name] = p
		if total += p.UncompressedSize64; total > uint64(size) {
			return nil, fmt.Errorf("%w: its parts lie over each other", ErrDamaged)
		}
	}
	if f.parts[manifestPart] == nil {
		return nil, fmt.Errorf("%w: there is no %s in it", ErrFormat, manifestPart)
	}
	if err := f.readManifest(z.Comment); err != nil {
		return nil, err
	}
	return f, f.checkParts()
}

// alone reports whether an archive is all that a file has: the file begins with its first part, and has no more
// bytes behind the last one than the directory takes.
func alone(z *zip.Reader, r io.ReaderAt, size int64) bool {
	const header, descriptor, entry, end = 30, 24, 46, 22 + 20 + 56 // with those of large archives
	last, directory := int64(0), int64(end+len(z.Comment))
	for i, p := range z.File {
		at, err := p.DataOffset()
		if err != nil || i == 0 && at > int64(header+len(p.Name)+mostExtra) {
			return false
		}
		last = max(last, at+int64(p.CompressedSize64)+descriptor)
		directory += int64(entry + len(p.Name) + len(p.Extra) + len(p.Comment))
	}
	var begin, close [4]byte
	_, err := r.ReadAt(begin[:], 0)
	_, err2 := r.ReadAt(close[:], size-int64(22+len(z.Comment)))
	return errors.Join(err, err2) == nil && string(begin[:]) == "PK\x03\x04" && string(close[:]) == "PK\x05\x06" && size-last <= directory
}

// mostExtra is how many bytes a part may have between its name and its data, as other programs write there.
const mostExtra = 256

// readManifest reads the manifest, whose sum the comment of the archive has.
func (f *File) readManifest(comment string) error {
	text, err := f.raw(manifestPart, mostManifest)
	if err != nil {
		return err
	}
	if comment != fmt.Sprintf("perigee save, manifest crc32c %08x", crc32.Checksum(text, castagnoli)) {
		return fmt.Errorf("%w: its manifest has another sum than it had", ErrDamaged)
	}
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := bounded(text, reflect.TypeOf(&f.manifest), mostNodes); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, manifestPart, err)
	}
	if err := json.Unmarshal(text, &head); err == nil && head.Format == formatName && head.Version != formatVersion {
		return fmt.Errorf("%w: it has version %d of the format, this program reads version %d", ErrVersion, head.Version, formatVersion)
	}
	if err := codec.FromJSON(text, &f.manifest); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, manifestPart, err)
	}
	return f.manifest.check()
}

// checkParts holds the manifest against what the archive has.
func (f *File) checkParts() error {
	known := map[string]bool{manifestPart: true}
	f.sums = make(map[string]*partEntry, len(f.manifest.Parts))
	for i := range f.manifest.Parts {
		p := &f.manifest.Parts[i]
		have := f.parts[p.Name]
		if known[p.Name] || have == nil || int64(have.UncompressedSize64) != p.Bytes {
			return fmt.Errorf("%w: its part %q is missing, or has another length", ErrDamaged, p.Name)
		}
		known[p.Name], f.sums[p.Name] = true, p
	}
	for name := range f.parts {
		if !known[name] {
			return fmt.Errorf("%w: its part %q is not in the manifest", ErrDamaged, name)
		}
	}
	for _, name := range slices.Concat([]string{statePart, resourcesPart, entitiesPart, freePart}, f.sectionParts()) {
		if !known[name] {
			return fmt.Errorf("%w: its part %q is missing", ErrDamaged, name)
		}
	}
	return nil
}

// sectionParts lists the parts of the sections.
func (f *File) sectionParts() (list []string) {
	for _, name := range f.manifest.Sections {
		list = append(list, sectionFolder+name)
	}
	return list
}

// raw reads a part that has at most so many bytes; only the archive's own sum is checked.
func (f *File) raw(name string, most int64) ([]byte, error) {
	p := f.parts[name]
	if p == nil {
		return nil, fmt.Errorf("%w: its part %q is missing", ErrDamaged, name)
	}
	if int64(p.UncompressedSize64) > most {
		return nil, fmt.Errorf("%w: %s has %d bytes, %d are possible", ErrTooLarge, name, p.UncompressedSize64, most)
	}
	r, err := p.Open()
	if err != nil {
		return nil, damaged(name, err)
	}
	defer r.Close()
	text := make([]byte, p.UncompressedSize64)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, damaged(name, err)
	}
	if _, err := r.Read(make([]byte, 1)); err != io.EOF {
		return nil, damaged(name, err)
	}
	return text, nil
}

// damaged says that a part cannot be read.
func damaged(name string, err error) error {
	if err == nil {
		err = errors.New("it is longer than it says")
	}
	return fmt.Errorf("%w: %s: %w", ErrDamaged, name, err)
}

// partReader is a part that is read from its beginning to its end.
type partReader struct {
	name string
	from io.ReadCloser
	left int64
	crc  uint32
	want string
	err  error
	cut  bool // err says that nothing more can be read
}

// part opens a part.
func (f *File) part(name string) (*partReader, error) {
	p := f.sums[name]
	if p == nil || f.parts[name] == nil {
		return nil, fmt.Errorf("%w: its part %q is missing", ErrDamaged, name)
	}
	if f.opened != nil {
		f.opened[name] = true
	}
	from, err := f.parts[name].Open()
	if err != nil {
		return nil, damaged(name, err)
	}
	return &partReader{name: name, from: from, left: p.Bytes, want: p.Sum}, nil
}

// read fills bytes, of which there must be as many.
func (p *partReader) read(b []byte) error {
	if p.err == nil && int64(len(b)) > p.left {
		p.err = fmt.Errorf("%w: %s ends too early", ErrDamaged, p.name)
	}
	if p.err != nil {
		return p.err
	}
	if _, err := io.ReadFull(p.from, b); err != nil {
		p.err, p.cut = damaged(p.name, err), true
		return p.err
	}
	p.left -= int64(len(b))
	p.crc = crc32.Update(p.crc, castagnoli, b)
	return nil
}

// expect reads what can only be so.
func (p *partReader) expect(want []byte) error {
	got := make([]byte, len(want))
	if err := p.read(got); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		p.err = fmt.Errorf("%w: %s has not the columns, or rows, that the manifest says", ErrDamaged, p.name)
	}
	return p.err
}

// end reads the rest, and checks the sums. A part of another sum is damaged, whatever else was found
// in it; if it has its sum, end returns the first error of the part.
func (p *partReader) end() error {
	defer p.from.Close()
	found := p.err
	if p.cut {
		return found
	}
	p.err = nil
	for buffer := make([]byte, min(p.left, 1<<20)); p.left > 0; {
		if err := p.read(buffer[:min(p.left, int64(len(buffer)))]); err != nil {
			return err
		}
	}
	if _, err := p.from.Read(make([]byte, 1)); err != io.EOF { // here the archive checks its own sum
		return damaged(p.name, err)
	}
	if got := fmt.Sprintf("%08x", p.crc); got != p.want {
		return fmt.Errorf("%w: %s has the sum %s, and had %q", ErrDamaged, p.name, got, p.want)
	}
	return found
}

// text reads a whole part of at most so many bytes.
func (f *File) text(name string, most int64) ([]byte, error) {
	p, err := f.part(name)
	if err != nil {
		return nil, err
	}
	if p.left > most {
		p.err = fmt.Errorf("%w: %s has %d bytes, %d are possible", ErrTooLarge, name, p.left, most)
		return nil, p.end()
	}
	text := make([]byte, p.left)
	_ = p.read(text)
	return text, p.end()
}

// json reads a part of JSON.
func (f *File) json(name string, most int64, to any) error {
	text, err := f.text(name, most)
	if err != nil {
		return err
	}
	if err = bounded(text, reflect.TypeOf(to), mostNodes); err == nil {
		err = codec.FromJSON(text, to)
	}
	if err != nil {
		return damaged(name, err)
	}
	return nil
}

// readState reads what a world is beside its tables, and refuses a manifest that says something else of their rows.
func (f *File) readState(e *stateEntry) error {
	if err := f.json(statePart, mostState, e); err != nil {
		return err
	}
	c := rowCounter{manifest: &f.manifest, having: make([]int, len(f.manifest.Components))}
	for i := range e.Sets {
		c.entities += c.chunks(setPart(i), &e.Sets[i])
	}
	for i := range e.Pools {
		c.chunks(poolPart(i), &e.Pools[i])
	}
	for i := range e.Heaps {
		c.table(heapPart(i), []uint32{uint32(e.Heaps[i].Component)}, e.Heaps[i].Rows)
	}
	for i := range c.having {
		c.wrong = c.wrong || c.having[i] != f.manifest.Components[i].Entities
	}
	if c.wrong || c.tables != len(f.manifest.Tables) || c.entities+len(e.Slots.Reserved) != f.manifest.Entities {
		return wrong("%s and %s count other rows", manifestPart, statePart)
	}
	return nil
}

// rowCounter counts the rows of tables.
type rowCounter struct {
	manifest *manifest
	tables   int
	entities int
	having   []int // by component
	wrong    bool
}

// chunks counts the rows of a set of components, or of a pool.
func (c *rowCounter) chunks(part string, from *capture.Rows) int {
	rows := make([]int, len(from.Chunks))
	for i := range rows {
		rows[i] = from.Chunks[i].N
	}
	return c.table(part, from.Components, rows)
}

// table counts the rows of a table, which has some in each batch.
func (c *rowCounter) table(part string, components []uint32, batches []int) (rows int) {
	for _, n := range batches {
		c.wrong = c.wrong || n < 0 || n > mostRows
		rows += n
	}
	for _, id := range components {
		if int64(id) < int64(len(c.having)) {
			c.having[id] += rows
		}
	}
	if c.tables < len(c.manifest.Tables) {
		t := &c.manifest.Tables[c.tables]
		c.wrong = c.wrong || t.Part != part || t.Rows != rows
	}
	c.tables++
	return rows
}

// resources reads the list of resources.
func (f *File) resources() (list []resourceEntry, err error) {
	err = f.json(resourcesPart, mostText, &list)
	return list, err
}

// known refuses a file that was not opened.
func (f *File) known() error {
	if f == nil || f.parts == nil {
		return fmt.Errorf("%w: the file was not opened", ecs.ErrConflict)
	}
	return nil
}

// said returns the manifest, an empty one of a file that was not opened.
func (f *File) said() *manifest {
	if f == nil {
		return &manifest{}
	}
	return &f.manifest
}

// Verify reads all of the save, and compares the sums of its parts. The error wraps ErrDamaged, or
// [ecs.ErrConflict] for a file that was not opened, as it does in all methods that return one. The others return
// zeros then. O(bytes).
func (f *File) Verify() error {
	if err := f.known(); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	for i := range f.manifest.Parts {
		p, err := f.part(f.manifest.Parts[i].Name)
		if err == nil {
			err = p.end()
		}
		if err != nil {
			return fmt.Errorf("save: %w", err)
		}
	}
	return nil
}

// Tick returns the number of the tick after which the world was saved, and the simulation time.
func (f *File) Tick() (number uint64, seconds float64) {
	return f.said().Tick, float64(f.said().Seconds)
}

// Seconds returns the simulation time as a duration.
func (f *File) Seconds() time.Duration {
	return time.Duration(float64(f.said().Seconds) * float64(time.Second))
}

// Seed returns the seed of the world.
func (f *File) Seed() uint64 { return f.said().Seed }

// Tag returns the tag of the handles. The world that it is loaded into must be opened with it: see
// [ecs.Options].
func (f *File) Tag() uint16 { return f.said().Tag }

// Entities returns how many are alive in it.
func (f *File) Entities() int { return f.said().Entities }

// Component is a component type of a save.
type Component struct {
	Name     string
	Version  int
	Kept     string // "chunks", "pool", "heap" or "storage"
	Relation bool   // its values are the links of the relation of that name
	Type     string // the Go type, of values that are copied by it
	Entities int    // that have it
	Fields   string // as "x f64, y f64"
}

// Components returns the component types, in the order of their numbers.
func (f *File) Components() (list []Component) {
	for i := range f.said().Components {
		e := &f.manifest.Components[i]
		c := Component{Name: e.Name, Version: e.Version, Kept: e.Kept, Relation: e.Relation, Type: e.Type, Entities: e.Entities}
		for j := range e.Fields {
			if j > 0 {
				c.Fields += ", "
			}
			c.Fields += e.Fields[j].String()
		}
		if e.Mark {
			c.Name = "(prefab)"
		}
		list = append(list, c)
	}
	return list
}

// String shows a field.
func (e *fieldEntry) String() string {
	text := e.Name + " " + e.Kind
	if e.Len > 0 {
		text += fmt.Sprintf("[%d]", e.Len)
	}
	return text
}

// Names returns the names of all that a [Difference] may be of: components, relations, events, resources, sections, and
// what makes progress. The error wraps ErrDamaged.
func (f *File) Names() (list []string, err error) {
	if err := f.known(); err != nil {
		return nil, fmt.Errorf("save: %w", err)
	}
	resources, err := f.resources()
	if err != nil {
		return nil, fmt.Errorf("save: %w", err)
	}
	for _, c := range f.Components() {
		list = append(list, c.Name)
	}
	for i := range f.manifest.Events {
		list = append(list, f.manifest.Events[i].Name)
	}
	for i := range resources {
		list = append(list, resources[i].called())
	}
	return slices.Concat(list, f.manifest.Sections, progressNames), nil
}

// Sections returns the names of the sections, in alphabetical order.
func (f *File) Sections() []string { return slices.Clone(f.said().Sections) }

// Section reads a section; nil if there is none of that name. The error wraps ErrDamaged.
func (f *File) Section(name string) ([]byte, error) {
	if err := f.known(); err != nil {
		return nil, fmt.Errorf("save: %w", err)
	}
	if !slices.Contains(f.manifest.Sections, name) {
		return nil, nil
	}
	text, err := f.text(sectionFolder+name, 1<<62)
	if err != nil {
		return nil, fmt.Errorf("save: %w", err)
	}
	return text, nil
}

// Close closes what [OpenFile] has opened; after Open it does nothing.
func (f *File) Close() error {
	if f == nil || f.close == nil {
		return nil
	}
	return f.close.Close()
}

// arrowReader reads a table that was written by this package: what it expects stands there byte for
// byte, and nothing of Arrow's own metadata is believed.
type arrowReader struct {
	*partReader
	fields []arrowField
	blocks []batchPlace
	at     int
	body   []byte
}

// arrow opens a table.
func (f *File) arrow(name string, fields []arrowField) (*arrowReader, error) {
	p, err := f.part(name)
	if err != nil {
		return nil, err
	}
	a := &arrowReader{partReader: p, fields: fields}
	head := arrowHead(fields)
	a.at = len(head)
	_ = p.expect(head)
	return a, nil
}

// batch reads a batch, and returns its buffers, which are good until the next call.
func (a *arrowReader) batch(b *arrowBatch) ([][]byte, error) {
	size := b.body()
	if a.err == nil && (size < 0 || int64(size) > a.left) {
		a.err = fmt.Errorf("%w: %s has fewer rows than the manifest says", ErrDamaged, a.name)
	}
	if a.err != nil {
		return nil, a.err
	}
	head := arrowBatchHead(b)
	a.blocks = append(a.blocks, batchPlace{a.at, len(head), size})
	a.at += len(head) + size
	if err := a.expect(head); err != nil {
		return nil, err
	}
	if cap(a.body) < size {
		a.body = capture.Bytes(make([]uint64, size/8+1))
	}
	body := a.body[:size]
	if err := a.read(body); err != nil {
		return nil, err
	}
	var buffers [][]byte
	for _, n := range b.buffers {
		buffers = append(buffers, body[:n:n])
		body = body[aligned(n):]
	}
	return buffers, nil
}

// finish reads the end of the table.
func (a *arrowReader) finish() error {
	if a.err == nil {
		_ = a.expect(arrowTail(a.fields, a.blocks))
	}
	if a.err == nil && a.left > 0 {
		a.err = fmt.Errorf("%w: %s is longer than a table of its rows", ErrDamaged, a.name)
	}
	return a.end()
}
