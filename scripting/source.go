package scripting

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/data"
)

// source is the text of a script, read and compiled, or that of a data file, read, or the reason why it could not be. It
// depends on no Lua state, so it can be made on another goroutine than that of the ticks.
type source struct {
	name     string
	removed  bool
	from     fs.FS // where its text is read, which has not been done yet; nil: it has
	folder   bool  // it is a folder that cannot be read; there is no text
	text     []byte
	program  *program
	data     *data.File // of a data file, in place of a program
	problems []*Error   // why there is neither of the two

	requires []string // the scripts that it required when it last ran; nil if it has not run
	asks     []string // the data files that it asked for then
}

// isScript reports whether a path names a script: it ends in .lua, none of its elements begins
// with a dot, and it is no data file in Lua.
func isScript(path string) bool {
	return strings.HasSuffix(path, ".lua") && path[0] != '.' && !strings.Contains(path, "/.") && !data.Is(path)
}

// isDataFile reports whether a path names a data file, by the same rule.
func isDataFile(path string) bool {
	return data.Is(path) && path[0] != '.' && !strings.Contains(path, "/.")
}

// isSource reports whether a path names what a host reads from its folder.
func isSource(path string) bool { return isScript(path) || isDataFile(path) }

// nameable reports whether a script may have a name. Names stand in messages, which must
// be readable, and the colon after a name ends it.
func nameable(name string) bool {
	return utf8.ValidString(name) && diag.OneLine(name) == name && !strings.ContainsAny(name, ":\t")
}

// folderReader reads scripts from folders within the limits.
type folderReader struct {
	limits *Limits
	logger *slog.Logger
	ctx    context.Context // nil for none
}

// warnName warns that a file or folder is left out because of its name. It does not refuse
// a reload of other files.
func (r folderReader) warnName(name string) {
	r.logger.Warn(fmt.Sprintf("%q is left out: scripts cannot have such a name, with a colon or characters that cannot be shown", name))
}

// readAll lists the scripts of a folder. A folder inside of it that cannot be read is a
// problem, like a script that cannot.
func (r folderReader) readAll(folder fs.FS) (map[string]*source, error) {
	texts := map[string]*source{}
	err := fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == ".":
			return err
		case d.IsDir() && path != "." && d.Name()[0] != '.' && !nameable(path):
			r.warnName(path)
			return fs.SkipDir
		case err != nil:
			texts[path] = &source{name: path, folder: true, problems: []*Error{unreadable(path, "folder", err)}}
			return fs.SkipDir
		case path != "." && d.Name()[0] == '.':
			if d.IsDir() {
				return fs.SkipDir
			}
		case isScript(path) && !d.IsDir() && !nameable(path):
			r.warnName(path)
		case isScript(path) && !d.IsDir():
			texts[path] = &source{name: path, from: folder}
		}
		return nil
	})
	return texts, err
}

// tryRead reads a script or a data file. It returns an error if that is not possible or the
// file is too long.
func (r folderReader) tryRead(folder fs.FS, name string) ([]byte, error) {
	if stats, ok := folder.(fs.StatFS); ok {
		info, err := stats.Stat(name)
		switch {
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, errors.New("not a regular file")
		}
		if err := r.tooLong(name, info.Size()); err != nil {
			return nil, err
		}
	}
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return text, err
	}
	if err := r.tooLong(name, int64(len(text))); err != nil {
		return nil, err
	}
	return text, nil
}

// tooLong returns the error of a file of so many bytes, nil if it may be so long.
func (r folderReader) tooLong(name string, n int64) error {
	limit, most := "FileBytes", r.limits.FileBytes
	if isDataFile(name) {
		limit, most = "DataBytes", r.limits.DataBytes
	}
	if most > 0 && n > most {
		return diag.Reached(limit, "%s bytes, more than %s", diag.Grouped(n), diag.Grouped(most))
	}
	return nil
}

// compiled returns a source with the text and its program, or with what a data file holds, or
// with the problems of the text.
func compiled(name string, text []byte, err error, limits *Limits) *source {
	s := &source{name: name}
	if err != nil {
		s.problems = []*Error{unreadable(name, "file", err)}
		return s
	}
	s.text = text
	if isDataFile(name) {
		return s.readData(limits)
	}
	if s.program, err = compile(name, text); err != nil {
		s.problems = fromSyntax(name, diag.NewText(text), err)
	}
	return s
}

// fill reads and compiles the unread texts of a set. live are the texts in force. If the
// folder would be beyond its limits, fill keeps no text and returns the fault about that
// limit.
func (r folderReader) fill(texts, live map[string]*source) *Error {
	limits := r.limits
	files, bytes, tokens := 0, int64(0), int64(0)
	add := func(s *source) {
		bytes += int64(len(s.text))
		if !isDataFile(s.name) {
			files++
		}
		tokens += s.tokens()
	}
	for name, s := range live {
		if texts[name] == nil {
			add(s)
		}
	}
	var waiting []string
	for name, s := range texts {
		if !s.removed && !s.folder {
			add(s)
		}
		if s.from != nil {
			waiting = append(waiting, name)
		}
	}
	if limits.Files > 0 && files > limits.Files {
		return tooMuch("Files", "%s scripts, more than %s", int64(files), int64(limits.Files))
	}
	slices.Sort(waiting)
	read := make([]*source, len(waiting))
	faults := make([]error, len(waiting))
	for i, name := range waiting { // all of them are counted before one is compiled
		text, err := r.tryRead(texts[name].from, name)
		read[i], faults[i] = &source{name: name, text: text}, err
		bytes, tokens = bytes+int64(len(text)), tokens+weighFile(name, text)
		if over := r.together(bytes, tokens); over != nil {
			return over
		}
	}
	for i, s := range read {
		if r.ctx != nil && r.ctx.Err() != nil {
			return &Error{Script: "folder", Message: "the host has cut this short", Err: ecs.ContextError(r.ctx)}
		}
		texts[s.name] = compiled(s.name, s.text, faults[i], limits)
	}
	return nil
}

// tokens returns how many tokens the text of a script counts as. Data files have limits of their
// own for what is made of them.
func (s *source) tokens() int64 {
	if s.program == nil {
		return 0
	}
	return s.program.tokens
}

// weighFile is weigh for a script, and 0 for a data file.
func weighFile(name string, text []byte) int64 {
	if isDataFile(name) {
		return 0
	}
	return weigh(text)
}

// tokensPerFunction is how many tokens a function counts as. What is kept of a text that was
// read is 60 to 80 bytes for a token, with the syntax tree that a reload keeps, and a thousand for a function; to
// compile one takes twenty times that for a moment.
const tokensPerFunction = 40

// weigh counts the tokens of a text, about, before it is read: names, numbers, signs and
// the words of texts, those of comments to the end of a line not. O(len(text)).
func weigh(text []byte) int64 {
	tokens, word := int64(0), 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && isWord(text[i]) {
			word++
			continue
		}
		if word > 0 {
			tokens++
			if string(text[i-word:i]) == "function" {
				tokens += tokensPerFunction
			}
			word = 0
		}
		switch {
		case i == len(text) || text[i] <= ' ':
		case text[i] == '-' && i+2 < len(text) && text[i+1] == '-' && text[i+2] != '[':
			for i+1 < len(text) && text[i+1] != '\n' && text[i+1] != '\r' {
				i++
			}
		default:
			tokens++
		}
	}
	return tokens
}

// isWord reports whether a byte can belong to a name or a number.
func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
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
