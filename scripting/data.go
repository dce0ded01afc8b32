package scripting

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/scripting/internal/data"
)

// Data files are JSON and CSV that lie beside the scripts, and tables in Lua in the folders data and
// scenes. A script reads one at its top level with ecs.data, and gets tables that never change. A changed data file is staged as a script is:
// the scripts that have asked for it run again, and when it is broken, they and the old values
// stay.
//
// A file is read when the first script asks for it, which in a reload is in the dry run, beside
// the ticks. What was read, a [data.File], depends on no Lua state: the rooms of a Program share
// it. The tables are made of it once in each state, and all scripts there share them.
//
// Why are the tables not shared between states, too? A table belongs to the heap of its machine:
// the machine notes in it what a walk has met, and where pairs has been. Two goroutines could not
// read it without a lock.

// readData reads a data file from its text.
func (s *source) readData(limits *Limits) *source {
	f, err := data.Read(s.name, s.text, data.Limits{Values: limits.DataValues})
	if err != nil {
		s.problems = []*Error{err}
	}
	s.data = f
	return s
}

// dataFolder is where an interpreter finds the data files that nobody has asked for before.
type dataFolder struct {
	reader  folderReader
	fs      fs.FS
	program *Program // whose files the rooms share; nil for none
}

// read reads a data file. A file that does not exist has neither data nor problems.
func (d *dataFolder) read(name string) *source {
	if d.program != nil {
		return d.program.readData(d, name)
	}
	if d.fs == nil {
		return &source{name: name}
	}
	text, err := d.reader.tryRead(d.fs, name)
	if errors.Is(err, fs.ErrNotExist) {
		return &source{name: name}
	}
	return compiled(name, text, err, d.reader.limits)
}

// names lists the data files of the folder. O(files of the folder).
func (d *dataFolder) names() (names []string) {
	if d.fs == nil {
		return nil
	}
	_ = fs.WalkDir(d.fs, ".", func(path string, e fs.DirEntry, err error) error { // it is for a hint
		switch {
		case err != nil || path != "." && e.Name()[0] == '.':
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
		case !e.IsDir() && isDataFile(path) && nameable(path):
			names = append(names, path)
		}
		return nil
	})
	return names
}

// scenes lists the files of scenes: those of a Program are the ones that there were when it was compiled.
// O(files of the folder) where there is none.
func (d *dataFolder) scenes() []string {
	if d.program != nil {
		return d.program.data.scenes
	}
	return slices.DeleteFunc(d.names(), func(name string) bool { return !isScene(name) })
}

// programData are the data files of a Program that a host has asked for.
type programData struct {
	mu     sync.Mutex
	files  map[string]*source
	scenes []string // the files of scenes
}

// readData reads a data file once for all hosts. Its limits are those of the host that is the
// first to ask for it; the others hold what was read against theirs.
func (p *Program) readData(d *dataFolder, name string) *source {
	p.data.mu.Lock()
	defer p.data.mu.Unlock()
	if s := p.data.files[name]; s != nil && (s.data != nil || len(s.problems) == 0) {
		return s.within(d.reader)
	}
	own := *d
	own.program = nil
	s := own.read(name)
	if p.data.files == nil {
		p.data.files = map[string]*source{}
	}
	p.data.files[name] = s
	return s
}

// readNamedData reads the scenes, and the data files whose names the scripts spell out, so that all hosts have them
// as they were when the folder was compiled. What is wrong with one is said to who asks for it.
func (p *Program) readNamedData(d dataFolder) {
	p.data.scenes = d.scenes()
	for _, name := range p.data.scenes {
		p.readData(&d, name)
	}
	for script, s := range p.sources {
		named := []*lua.FunctionProto{s.program.Proto}
		for len(named) > 0 {
			fn := named[len(named)-1]
			named = append(named[:len(named)-1], fn.FunctionPrototypes...)
			for _, c := range fn.Constants {
				text, ok := c.(lua.LString)
				if name, err := dataName(script, string(text)); ok && err == nil {
					p.readData(&d, name)
				}
			}
		}
	}
}

// within returns a source that was read under other limits, or what is wrong with it here.
func (s *source) within(r folderReader) *source {
	if s.data == nil {
		return s
	}
	err := r.tooLong(s.name, int64(len(s.text)))
	if err == nil && r.limits.DataValues > 0 && s.data.Values > r.limits.DataValues {
		err = diag.Reached("DataValues", "the file has more than %s values", diag.Grouped(int64(r.limits.DataValues)))
	}
	if err != nil {
		return &source{name: s.name, problems: []*Error{unreadable(s.name, "file", err)}}
	}
	return s
}

// dataSet are the data files of one load.
type dataSet struct {
	changed map[string]*source         // files that were staged, removed ones too
	read    map[string]*source         // files that nobody had asked for before
	asked   map[string][]string        // by script
	tables  map[*data.File]*dataTables // made in this load
	names   []string                   // of the folder, for hints; nil: nobody has needed them

	reported map[*source]bool // files whose faults a script of the load has got
}

func (d *dataSet) begin(vm *interpreter) {
	*d = dataSet{changed: map[string]*source{}, read: maps.Clone(vm.offered), asked: map[string][]string{}, tables: map[*data.File]*dataTables{}, reported: map[*source]bool{}}
	if d.read == nil {
		d.read = map[string]*source{}
	}
}

// dataFile returns a data file: the one that was staged, the one that is in force, or what the folder
// has. A file that does not exist has neither data nor problems.
func (l *loader) dataFile(name string) (*source, *Error) {
	for _, known := range []map[string]*source{l.data.changed, l.vm.dataFiles, l.data.read} {
		if s := known[name]; s != nil {
			return s, nil
		}
	}
	if most := l.vm.limits.Files; most > 0 && len(l.data.read)+len(l.vm.dataFiles) >= most {
		return nil, diag.Reached("Files", "the scripts ask for more than %s data files", diag.Grouped(int64(most)))
	}
	s := l.vm.dataFolder.read(name)
	bytes := int64(len(s.text))
	for _, known := range []map[string]*source{l.data.changed, l.vm.dataFiles, l.data.read} {
		for _, other := range known {
			bytes += int64(len(other.text))
		}
	}
	if most := l.vm.limits.FolderBytes; most > 0 && bytes > most {
		return nil, diag.Reached("FolderBytes", "the data files have more than %s bytes together", diag.Grouped(most))
	}
	l.data.read[name] = s
	return s, nil
}

// stepsToAsk is what it counts as to ask for a file that nobody has asked for before.
const stepsToAsk = 2000

// readData is ecs.data: what a data file holds, for a script that asks for it at its top level.
func (vm *interpreter) readData(L *lua.LState, script, file, key string) (lua.LValue, *Error) {
	l := vm.loader
	if l == nil {
		return nil, diag.New("data files are read at the top level of a script")
	}
	name, err := dataName(script, file)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(l.data.asked[script], name) {
		charge(L, stepsToAsk)
		l.data.asked[script] = append(l.data.asked[script], name)
	}
	s, err := l.dataFile(name)
	switch {
	case err != nil:
		return nil, err
	case len(s.problems) > 0:
		problem := *s.problems[0]
		if problem.Line == 0 { // it cannot be read
			problem.Line, problem.Column = 1, 1
		}
		problem.Echo = l.data.reported[s] // by another script that has asked for the file
		l.data.reported[s] = true
		return nil, &problem
	case s.data == nil:
		return nil, l.noDataFile(L, name, s.removed)
	}
	return l.dataTables(s.data).value(L, key)
}

// longestDataName is how many bytes the path of a data file may have.
const longestDataName = 1 << 10

// dataName turns what a script asks for into the path of a file: from the root of the folder, or
// with ./ or ../ from the folder of the script.
func dataName(script, file string) (string, *Error) {
	name := file[:min(len(file), longestDataName)]
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		name = path.Join(path.Dir(script), name)
	}
	switch {
	case !data.Is(name):
		return "", diag.New("%q is no data file: its name ends in .json or .csv, or it is a table in Lua in the folder data, as in \"data/units.lua\"", diag.Cut(file))
	case !fs.ValidPath(name) || !isDataFile(name) || !nameable(name):
		return "", diag.New("%q is no path in the folder of the scripts: write it with /, as in \"tables/units.json\", and with no name that begins with a dot", diag.Cut(file))
	}
	return name, nil
}

// noDataFile says that a data file does not exist.
func (l *loader) noDataFile(L *lua.LState, name string, removed bool) *Error {
	if removed {
		return diag.New("the data file %q is removed by the same load", name)
	}
	if l.data.names == nil {
		l.data.names = append([]string{}, l.vm.dataFolder.names()...)
	}
	for _, known := range l.data.names {
		if path.Base(known) == name {
			return diag.New("the folder has no data file %q (did you mean %q?)", name, known)
		}
	}
	return diag.New("the folder has no data file %q%s", name, suggestion(L, name, l.data.names))
}

// dataTables returns the tables of a data file, made or not.
func (l *loader) dataTables(f *data.File) *dataTables {
	t := l.vm.tables[f]
	if t == nil {
		t = l.data.tables[f]
	}
	if t == nil {
		t = &dataTables{file: f}
		l.data.tables[f] = t
	}
	return t
}

// adoptData puts the data files of a load in force, and lets go of those that no live script has
// asked for.
func (vm *interpreter) adoptData(l *loader) {
	asked := map[string]bool{}
	for _, m := range vm.live {
		for _, name := range m.asks {
			asked[name] = true
		}
	}
	for _, from := range []map[string]*source{l.data.read, l.data.changed} {
		for name, s := range from {
			if asked[name] {
				vm.dataFiles[name] = s
			}
		}
	}
	maps.Copy(vm.tables, l.data.tables)
	maps.DeleteFunc(vm.dataFiles, func(name string, s *source) bool { return !asked[name] || s.data == nil })
	inForce := map[*data.File]bool{}
	for _, s := range vm.dataFiles {
		inForce[s.data] = true
	}
	maps.DeleteFunc(vm.tables, func(f *data.File, _ *dataTables) bool { return !inForce[f] })
}

// dataTables are the tables that a state has made of a data file: of all of it, and of the rows by
// a key column.
type dataTables struct {
	file  *data.File
	whole lua.LValue
	by    map[string]lua.LValue
}

// value returns the table of the file, or that of its rows by a column. It is made, and charged,
// when it is first asked for.
func (t *dataTables) value(L *lua.LState, column string) (lua.LValue, *Error) {
	if t.whole == nil {
		m := newDataMaker(L, t.file, t.file.Values, t.file.Texts)
		t.whole = lua.FromValue(m.value(&t.file.Root))
	}
	switch {
	case column == "":
		return t.whole, nil
	case t.by[column] != nil:
		return t.by[column], nil
	}
	table, err := t.rowsBy(L, column)
	if err != nil {
		return nil, err
	}
	if t.by == nil {
		t.by = map[string]lua.LValue{}
	}
	t.by[column] = table
	return table, nil
}

// rowsBy makes the table of the rows of a CSV file by the values of a column.
func (t *dataTables) rowsBy(L *lua.LState, column string) (lua.LValue, *Error) {
	f := t.file
	switch {
	case f.Columns == nil:
		return nil, diag.New("the option key is for tables of rows, in .csv; the keys of %q are those in the file", f.Name)
	case !slices.Contains(f.Columns, column):
		return nil, diag.New("%q has no column %q%s", f.Name, diag.Cut(column), suggestion(L, column, f.Columns))
	}
	m := newDataMaker(L, f, len(f.Root.Items), 0)
	rows := (*machine.Table)(t.whole.(*lua.LTable))
	by := m.heap.NewFixed(0, 0)
	first := map[machine.Value]uint32{}
	for i := range f.Root.Items {
		row := &f.Root.Items[i]
		v, ok := row.Get(column)
		switch {
		case !ok:
			return nil, diag.New("the row has no value in the key column %q", column).On(f.Place(row.Offset))
		case v.Kind == data.Truth:
			return nil, diag.New("a key is a number or a text; column %q has a truth here", column).On(f.Place(v.Offset))
		}
		key := m.value(v)
		if !by.Get(key).IsNil() {
			return nil, diag.New("two rows have the key %s in column %q: the other one stands in line %d", shownKey(v), column, f.Place(first[key]).Line).On(f.Place(v.Offset))
		}
		first[key] = v.Offset
		by.Set(key, rows.GetInt(i+1))
	}
	by.Fix(m.meta)
	return (*lua.LTable)(by), nil
}

func shownKey(v *data.Datum) string {
	if v.Kind == data.Number {
		return lua.LNumber(v.Number).String()
	}
	return diag.Format("%q", diag.Cut(v.Text))
}

// dataMaker makes tables of a data file. Equal texts are one value.
type dataMaker struct {
	heap  *machine.Heap
	meta  *machine.Table
	texts map[string]*machine.Str
}

const (
	// stepsPerValue is what it counts as to make a value of a data file, with its place in a table.
	stepsPerValue = 10
	// textBytes is about what a text takes beside its bytes.
	textBytes = 48
)

// newDataMaker charges for so many values, with so many bytes of texts, before one is made. Tables
// count their own bytes as they grow.
func newDataMaker(L *lua.LState, f *data.File, values, texts int) *dataMaker {
	charge(L, values*stepsPerValue)
	lua.Alloc(L, texts+values*textBytes)
	meta := L.CreateTable(0, 4)
	meta.RawSetString("__newindex", L.NewFunction(func(L *lua.LState) int {
		key := fault.Written(L.Get(2))
		fault.Raisef(L, "%q cannot be assigned: this table is the data of %q, which does not change; keep what changes in a table of your own, or in components", diag.Cut(key), f.Name)
		return 0
	}))
	meta.RawSetString("__metatable", lua.LFalse)
	meta.RawSetString(proxy.SealedKey, lua.LTrue)
	meta.RawSetString(proxy.DataKey, lua.LString(f.Name))
	return &dataMaker{lua.VM(L).Heap, (*machine.Table)(meta), map[string]*machine.Str{}}
}

// text returns the value of a text.
func (m *dataMaker) text(s string) *machine.Str {
	t := m.texts[s]
	if t == nil {
		t = machine.NewStr(s)
		m.texts[s] = t
	}
	return t
}

// value makes a value. It is so deep in others as the file allows.
func (m *dataMaker) value(v *data.Datum) machine.Value {
	switch v.Kind {
	case data.Number:
		return machine.Number(v.Number)
	case data.Truth:
		return machine.Bool(v.Number == 1)
	case data.Text:
		return machine.Text(m.text(v.Text))
	case data.List:
		m.heap.Fit(len(v.Items))
		t := m.heap.NewFixed(len(v.Items), 0)
		for i := range v.Items {
			t.SetInt(i+1, m.value(&v.Items[i]))
		}
		t.Fix(m.meta)
		return machine.OfTable(t)
	case data.Record:
		m.heap.Fit(len(v.Items))
		t := m.heap.NewFixed(0, len(v.Items))
		for i := range v.Items {
			t.SetStr(m.text(v.Keys[i]), m.value(&v.Items[i]))
		}
		t.Fix(m.meta)
		return machine.OfTable(t)
	}
	return machine.Nil
}
