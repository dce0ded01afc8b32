package scripting

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// source is the text of a script, read and compiled, or the reason why it could not be. It
// depends on no Lua state, so it can be made on another goroutine than that of the ticks.
type source struct {
	name     string
	removed  bool
	unread   bool // its text has not been read yet
	folder   bool // it is a folder that cannot be read; there is no text
	text     []byte
	program  *program
	problems []*Error // why there is no program

	requires []string // the scripts that it required when it last ran; nil if it has not run
}

// isScript reports whether a path names a script: it ends in .lua, and none of its
// elements begins with a dot.
func isScript(path string) bool {
	return strings.HasSuffix(path, ".lua") && path[0] != '.' && !strings.Contains(path, "/.")
}

// nameable reports whether a script may have a name. Names stand in messages, which must
// be readable, and the colon after a name ends it.
func nameable(name string) bool {
	return diag.OneLine(name) == name && !strings.ContainsAny(name, ":\t")
}

// warnName warns that a file or folder is left out because of its name. It does not refuse
// a reload of other files.
func (h *Host) warnName(name string) {
	h.opts.Logger.Warn(fmt.Sprintf("%q is left out: scripts cannot have such a name, with a colon or characters that cannot be shown", name))
}

// tryRead reads a script. It returns an error if that is not possible or the script is too
// long.
func (h *Host) tryRead(folder fs.FS, name string) ([]byte, error) {
	limit := h.opts.Limits.FileBytes
	tooLong := func(n int64) error {
		return diag.Reached("FileBytes", "%s bytes, more than %s", diag.Grouped(n), diag.Grouped(limit))
	}
	if stats, ok := folder.(fs.StatFS); ok {
		info, err := stats.Stat(name)
		switch {
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, errors.New("not a regular file")
		case limit > 0 && info.Size() > limit:
			return nil, tooLong(info.Size())
		}
	}
	text, err := fs.ReadFile(folder, name)
	if n := int64(len(text)); err == nil && limit > 0 && n > limit {
		return nil, tooLong(n)
	}
	return text, err
}

// compiled returns a source with the text and its program, or with the problems of the
// text.
func (h *Host) compiled(name string, text []byte, err error) *source {
	s := &source{name: name}
	if err != nil {
		s.problems = []*Error{unreadable(name, "file", err)}
		return s
	}
	s.text = text
	if s.program, err = compile(h.library, name, text); err != nil {
		s.problems = fromSyntax(name, text, err)
	}
	return s
}

// fill reads and compiles the unread texts of a set. live are the texts in force. If the
// folder would be beyond its limits, fill keeps no text and returns the fault about that
// limit.
func (h *Host) fill(folder fs.FS, texts, live map[string]*source) *Error {
	limits := &h.opts.Limits
	files, bytes := 0, int64(0)
	for name, s := range live {
		if texts[name] == nil {
			files++
			bytes += int64(len(s.text))
		}
	}
	var waiting []string
	for name, s := range texts {
		if !s.removed && !s.folder {
			files++
			bytes += int64(len(s.text))
		}
		if s.unread {
			waiting = append(waiting, name)
		}
	}
	if limits.Files > 0 && files > limits.Files {
		return tooMuch("Files", "%s scripts, more than %s", int64(files), int64(limits.Files))
	}
	slices.Sort(waiting)
	for _, name := range waiting {
		text, err := h.tryRead(folder, name)
		if bytes += int64(len(text)); limits.FolderBytes > 0 && bytes > limits.FolderBytes {
			for _, name := range waiting {
				texts[name] = &source{name: name, unread: true}
			}
			return tooMuch("FolderBytes", "scripts of more than %s bytes together: at least %s", limits.FolderBytes, bytes)
		}
		texts[name] = h.compiled(name, text, err)
	}
	return nil
}

func tooMuch(limit, format string, a, b int64) *Error {
	e := diag.Reached(limit, "the folder has "+format, diag.Grouped(a), diag.Grouped(b))
	e.Script = "folder"
	e.Message += ": move what the game does not need to another folder"
	return e
}

func unreadable(path, what string, err error) *Error {
	e := &Error{Script: path, Message: "the " + what + " cannot be read: " + reason(err), Err: err}
	if known, ok := err.(*Error); ok {
		e.Kind, e.Limit = known.Kind, known.Limit
	}
	return e
}

// reason returns the text of an error without the path, which the message has already.
func reason(err error) string {
	switch err := err.(type) {
	case *fs.PathError:
		return err.Err.Error()
	case *Error:
		return err.Message
	}
	return err.Error()
}
