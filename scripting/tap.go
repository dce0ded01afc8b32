package scripting

import (
	"context"
	"fmt"
	"log/slog"
	"time"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/bindings"
)

// logLimit lets so many log lines of a script through in each second.
type logLimit struct {
	second int64
	lines  int
	lost   int
}

// allow reports whether one more line may pass, and how many were lost in the
// seconds before.
func (t *logLimit) allow(now time.Time, limit int) (ok bool, lost int) {
	if s := now.Unix(); s != t.second {
		lost = t.lost
		*t = logLimit{second: s}
	}
	t.lines++
	if ok = limit < 0 || t.lines <= limit; !ok {
		t.lost++
	}
	return ok, lost
}

// log writes what a script says to the host's log. It counts for the one whose system
// runs, wherever the line stands that says it.
func (h *Host) log(level slog.Level, payer, script string, line int, text string) {
	t := h.logLimits[payer]
	if t == nil {
		t = &logLimit{}
		h.logLimits[payer] = t
	}
	ok, lost := t.allow(time.Now(), h.opts.Limits.LogLines)
	if lost > 0 {
		at := 0
		if script == payer {
			at = line
		}
		h.say(slog.LevelWarn, payer, at, fmt.Sprintf("%d more lines were not written (Limits.LogLines)", lost))
	}
	if ok {
		h.say(level, script, line, shorten(text))
	}
}

func (h *Host) say(level slog.Level, script string, line int, text string) {
	h.opts.Logger.Log(context.Background(), level, bindings.OneLine(text), "script", bindings.OneLine(script), "line", line)
}

// longestLine is how many bytes of one message are shown: of a log line, and of
// what a script passes to error.
const longestLine = 8 << 10

// shorten cuts a text that is too long to be shown, between two characters.
func shorten(text string) string {
	if len(text) <= longestLine {
		return text
	}
	cut := longestLine
	for !utf8.RuneStart(text[cut]) && cut > longestLine-utf8.UTFMax {
		cut--
	}
	return fmt.Sprintf("%s… (%s more bytes)", text[:cut], bindings.Grouped(int64(len(text)-cut)))
}
