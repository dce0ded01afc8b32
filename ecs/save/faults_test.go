package save_test

import (
	"flag"
	"testing"

	"github.com/perigee-ecs/perigee/internal/planted"
)

var plantFaults = flag.Bool("faults", false, "build package save with one fault after the other and demand that its tests find it")

// fault is a mistake of this package.
func fault(what, file, old, new string) planted.Fault {
	return planted.Fault{Says: what, File: "ecs/save/" + file, Old: old, New: new}
}

// faults are what a hand could leave out: sums, bounds, states, steps of the disk.
var faults = []planted.Fault{
	fault("the sum of a part is not compared", "read.go", "got != p.want {", "got != p.want && p.want == \"\" {"),
	fault("the sum of the manifest is not compared", "read.go", "if comment != fmt.Sprintf(", "if comment == \"\" && comment != fmt.Sprintf("),
	fault("a part may be there twice", "read.go", "if f.parts[p.Name] != nil || p.Method", "if p.Method"),
	fault("parts may be compressed", "read.go", "p.Method != zip.Store || p.CompressedSize64 != p.UncompressedSize64 || ", ""),
	fault("parts may lie over each other", "read.go", "total += p.UncompressedSize64; total > uint64(size)", "total += p.UncompressedSize64; total > 1<<62"),
	fault("parts may be unknown", "read.go", "\t\tif !known[name] {\n\t\t\treturn fmt.Errorf(\"%w: its part %q is not in the manifest\"", "\t\tif false {\n\t\t\treturn fmt.Errorf(\"%w: its part %q is not in the manifest\""),
	fault("brackets in texts are counted", "nodes.go", "case '\"':", "case 0:"),
	fault("JSON may have any number of lists", "nodes.go", "left: most, fields", "left: most<<10, fields"),
	fault("null in place of an object is not counted", "nodes.go", "&& large(inner)", "&& large(nil)"),
	fault("the metadata of a table is not compared", "read.go", "if !bytes.Equal(got, want) {", "if !bytes.Equal(got[:0], want[:0]) || len(got) != len(want) {"),
	fault("a table may be longer than it is", "read.go", "if a.err == nil && a.left > 0 {", "if a.err == nil && a.left < 0 {"),
	fault("parts that nobody reads are not checked", "load.go", "if l.opened[name] {", "if l.opened[name] || true {"),
	fault("what is written cannot be read", "write.go", "\tif err := bounded(text, reflect.TypeOf(of), mostNodes); err != nil {\n\t\treturn fmt.Errorf(\"%s: %w\", name, err)\n\t}\n", ""),
	fault("shapes may have any number of places", "columns.go", "*b < 0 {", "*b > 0 && *b < 0 {"),
	fault("components may have bytes in no column", "manifest.go", "if !e.onHeap() && (h.size > 0) != (e.Size > 0) {", "if false {"),
	fault("what no load takes is written", "write.go", "if err := x.checkValues(); err != nil {", "if err := x.checkValues(); err != nil && false {"),
	fault("a component may be there twice", "load.go", "if t.to >= 0 && taken[t.to] {", "if t.to < -1 && taken[t.to] {"),
	fault("a save may take any memory", "load.go", "l.left < 0 || bytes < 0", "bytes < 0"),
	fault("manifest and state may contradict each other", "load.go", "e.Clock.Tick != m.Tick || e.Clock.Time != m.Seconds || e.Tag != m.Tag || e.Seed != m.Seed || ", ""),
	fault("the manifest may count other rows", "read.go", "c.wrong || c.having[i] !=", "c.wrong || false && c.having[i] !="),
	fault("the manifest may count other entities", "read.go", "c.entities+len(e.Slots.Reserved) != f.manifest.Entities {", "c.entities < 0 {"),
	fault("what is lost is not said", "load.go", "len(lost) > 0 && !options.Lose", "len(lost) > 1<<20 && !options.Lose"),
	fault("fields are lost in silence", "convert.go", "\t\t\tlost = true\n\t\t\tparts = append(parts, fmt.Sprintf(\"field %s would be lost\", field))", "\t\t\tparts = append(parts, fmt.Sprintf(\"field %s would be lost\", field))"),
	fault("hidden bytes are lost in silence", "convert.go", "\t\tlost = true\n\t\tparts = append(parts, \"fields that are not exported would be lost\")", "\t\tparts = append(parts, \"fields that are not exported would be lost\")"),
	fault("random numbers begin anew", "load.go", "e.Random, e.Clock, e.Systems", "st.Random, e.Clock, e.Systems"),
	fault("the past of systems is forgotten", "load.go", "e.Clock, e.Systems, e.Watchers", "e.Clock, st.Systems, e.Watchers"),
	fault("the health of observers is forgotten", "load.go", "e.Systems, e.Watchers, e.Deferred", "e.Systems, st.Watchers, e.Deferred"),
	fault("nobody dies later", "load.go", "e.Watchers, e.Deferred\n", "e.Watchers, st.Deferred\n"),
	fault("handles that are nowhere are forgotten", "load.go", "\tst.Slots.Reserved = e.Slots.Reserved\n", ""),
	fault("what queries have seen is forgotten", "load.go", "st.Looks = append(st.Looks, k)", "_ = k"),
	fault("policies are forgotten", "load.go", "st.Relations[i].Policy = r.Policy", "_ = r.Policy"),
	fault("columns have no versions", "tables.go", "c.Versions = append(c.Versions, versions[i])", "c.Versions = append(c.Versions, versions[i]*0)"),
	fault("rows have no versions", "tables.go", "Versions: from.Versions[:1:1]", "Versions: []uint64{0}"),
	fault("values on the heap have no version", "encoded.go", "h := &capture.Typed{Version: e.Version}", "h := &capture.Typed{}"),
	fault("new fields have no defaults", "convert.go", "copy(dst, c.Now.Default)", "copy(dst, c.Now.Default[:0])"),
	fault("fields are not converted", "convert.go", "\t\tc.Apply(at, now)\n", ""),
	fault("a failed migration is no error", "convert.go", "return fmt.Errorf(\"%v: %w\", e, err)\n\t\t}\n\t}\n\treturn nil\n}\n\n// values", "return nil\n\t\t}\n\t}\n\treturn nil\n}\n\n// values"),
	fault("removed values are forgotten", "write.go", "return removed{true, x.shapes[n.Component].packed(n.Value, 1)}, nil", "return removed{}, nil"),
	fault("changes that wait are forgotten", "load.go", "l.state.Notices = append(l.state.Notices, n)", "_ = n"),
	fault("texts that are no UTF-8 are written as text", "write.go", "e.Text, e.Binary = nil, data", "_ = data"),
	fault("the file is not synced", "file.go", "[]func() error{b.Flush, file.Sync}", "[]func() error{b.Flush}"),
	fault("the file is not flushed", "file.go", "[]func() error{b.Flush, file.Sync}", "[]func() error{file.Sync}"),
	fault("the folder is not synced", "file.go", "if err := d.syncFolder(filepath.Dir(path)); err != nil {", "if err := error(nil); err != nil {"),
	fault("half a file stays", "file.go", "return errors.Join(err, d.remove(temporary))", "return err"),
	fault("a file that cannot be closed is taken", "file.go", "err == nil && closed != nil", "err != nil && closed != nil"),
	fault("the save is written in place", "file.go", "file, err := d.create(temporary, path)", "temporary = path\n\tfile, err := d.create(temporary, path)"),
}

// TestFaultsCanBePlanted: the file of each fault exists and has the piece that is replaced.
func TestFaultsCanBePlanted(t *testing.T) { planted.Stand(t, faults) }

// TestTheTestsFindFaults builds this package with each of the faults in turn: a test of it must fail, or one of package
// snapshot, whose games go on from saves.
//
//	go test -count=1 ./ecs/save -run FindFaults -faults -timeout 0 -v
func TestTheTestsFindFaults(t *testing.T) {
	if !*plantFaults {
		t.Skip("runs with -faults only: it builds the package once for each fault")
	}
	planted.Find(t, faults, "-skip", "Faults", ".", "../snapshot")
}
