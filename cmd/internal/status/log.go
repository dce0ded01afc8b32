package status

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// Log records as lines for people. A record's script, line and column become the place
// at the beginning of its line; all other attributes follow the message.

// NewLogger returns a logger whose records become lines of the screen. The place comes
// first, as every editor understands it:
//
//	waves.lua:14: wave 3 begins
//	waves.lua:20: warning: the arena is full
//	waves.lua:31:9: note: system "waves" is not compiled: a string is not available in kernels
func NewLogger(s *Screen) *slog.Logger { return slog.New(&logHandler{screen: s}) }

// logHandler is a slog.Handler for people.
type logHandler struct {
	screen *Screen
	attrs  []slog.Attr
	group  string
}

// Enabled leaves out what is meant for those who debug Perigee itself.
func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo
}

// Handle prints the record.
func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	var at diag.Place
	var rest string
	note := func(a slog.Attr) bool {
		switch a.Key {
		case "script":
			at.Script = a.Value.String()
		case "line":
			at.Line = number(a.Value)
		case "column":
			at.Column = number(a.Value)
		default:
			rest += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		}
		return true
	}
	for _, a := range h.attrs {
		note(a)
	}
	r.Attrs(note)
	where := ""
	if at.Script != "" {
		where = at.String() + ":"
	}
	h.screen.Print(diag.OneLine(strings.TrimSpace(where + " " + severity(r.Level) + r.Message + rest)))
	return nil
}

// number returns the number in an attribute, 0 for anything else.
func number(v slog.Value) int {
	if v.Kind() == slog.KindInt64 {
		return int(v.Int64())
	}
	return 0
}

// severity names a level as it stands at the beginning of a line.
func severity(level slog.Level) string {
	switch {
	case level >= slog.LevelError:
		return "error: "
	case level >= slog.LevelWarn:
		return "warning: "
	}
	return ""
}

// WithAttrs returns a handler that adds attributes to each record.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	n := *h
	n.attrs = append([]slog.Attr(nil), h.attrs...)
	for _, a := range attrs {
		a.Key = h.group + a.Key
		n.attrs = append(n.attrs, a)
	}
	return &n
}

// WithGroup returns a handler that puts a name before the keys of attributes
// added later; those of the records keep theirs.
func (h *logHandler) WithGroup(name string) slog.Handler {
	n := *h
	n.group += name + "."
	return &n
}
