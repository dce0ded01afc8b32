package scripting

import (
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"sync"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
)

// Program is a folder of scripts, read and compiled once for any number of hosts: the rooms of
// a server. [Host.Load] of a Program leaves the same world as Load of the folder that it was made
// of, byte for byte, and takes a fraction of the time and the memory.
//
// Hosts share what no script can change: texts, what was found out about them, prototypes, data
// files as they were read, what
// the compiler makes of a kernel, and its machine code. A kernel is made once for all hosts in
// which the values that are part of it are the same, from the text on unless it reads a list. Nothing that is shared leads to a host: a
// host that is closed is freed, and rooms can neither see nor change anything of each other.
//
// Each host has its own Lua state: variables, modules, tables of the library and of ecs, the code
// of functions that have run, and instances of kernels in the memory of its world. A reload
// in one room changes that room only.
//
// A Program never changes: scripts, scenes, and data files that scripts name are those of the moment at which it was
// compiled. It has no end: what it has is freed when neither it nor a host that runs
// it is reachable. Any number of hosts on any goroutines may use it at the same
// time.
//
// [Host.Stage] reads from the folder behind the Program, and changes one host only. When
// the folder has changed for good, compile it anew for the rooms that open from then on, and bring
// the others to it by [Host.StageProgram]: they share the new texts as they did the old ones.
type Program struct {
	folder       fs.FS
	sources      map[string]*source
	runtime      func() (*kernel.Runtime, error) // made for the first kernel
	translations kernel.Translations             // of kernels
	data         programData
}

// compiled reports whether Compile has made the program.
func (p *Program) compiled() bool { return p != nil && p.folder != nil }

// Compile reads and compiles a folder within Limits.Files, FileBytes and FolderBytes; each host
// that loads it has limits of its own for what the scripts do. No script runs. The error is a
// *LoadError with what is wrong in the texts, or says why the folder cannot be read.
func Compile(folder fs.FS, limits Limits) (*Program, error) {
	switch given := folder.(type) {
	case nil:
		return nil, fmt.Errorf("scripting: Compile of no folder: %w", ecs.ErrConflict)
	case *Program:
		if !given.compiled() {
			return nil, fmt.Errorf("scripting: Compile of a *Program that Compile has not made: %w", ecs.ErrConflict)
		}
		folder = given.folder
	}
	limits.fill()
	r := folderReader{limits: &limits, logger: slog.Default()}
	texts, err := r.readAll(folder)
	if err != nil {
		return nil, fmt.Errorf("scripting: the folder of scripts cannot be read: %w", err)
	}
	if over := r.fill(texts, nil); over != nil {
		return nil, &LoadError{[]*Error{over}}
	}
	var problems []*Error
	for _, s := range texts {
		for _, p := range s.problems {
			p.Quote()
			problems = append(problems, p)
		}
		if s.program != nil {
			s.program.shared = true
		}
	}
	if len(problems) > 0 {
		return nil, &LoadError{sortProblems(problems)}
	}
	p := &Program{folder: folder, sources: texts, runtime: sync.OnceValues(kernel.NewRuntime)}
	p.readNamedData(dataFolder{reader: r, fs: folder})
	return p, nil
}

// Open opens a file of the folder behind the Program, as it is now: a Program is an [fs.FS], so
// that Host.Load takes it.
func (p *Program) Open(name string) (fs.File, error) {
	if !p.compiled() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return p.folder.Open(name)
}

// texts returns the texts of the program for one host.
func (p *Program) texts() map[string]*source { return maps.Clone(p.sources) }

// within holds the texts of a program against the limits of a host, which need not be those
// that it was compiled under.
func (r folderReader) within(texts map[string]*source) *Error {
	if over := r.fill(texts, nil); over != nil {
		return over
	}
	bytes, tokens := int64(0), int64(0)
	for _, s := range texts {
		n := int64(len(s.text))
		if err := r.tooLong(s.name, n); err != nil {
			return unreadable(s.name, "file", err)
		}
		bytes, tokens = bytes+n, tokens+s.program.tokens
	}
	return r.together(bytes, tokens)
}

// together returns the fault of a folder whose texts are too long together, nil if they are not.
func (r folderReader) together(bytes, tokens int64) *Error {
	switch most := r.limits.FolderBytes; {
	case most <= 0:
		return nil
	case bytes > most:
		return tooMuch("FolderBytes", "scripts of more than %s bytes together: at least %s", most, bytes)
	case tokens > r.limits.folderTokens():
		return tooMuch("FolderBytes", "scripts of more than %s names, numbers and signs together, where a function counts as several: at least %s", r.limits.folderTokens(), tokens)
	}
	return nil
}
