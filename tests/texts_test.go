package tests_test

import (
	"context"
	"fmt"
	"log/slog"
)

// texts is a log that is handed over as texts.
type texts struct{ tell func(string) }

func (x *texts) logger() *slog.Logger { return slog.New(x) }

func (x *texts) Enabled(context.Context, slog.Level) bool { return true }

func (x *texts) Handle(_ context.Context, r slog.Record) error {
	x.tell(r.Message)
	r.Attrs(func(a slog.Attr) bool { x.tell(fmt.Sprint(a.Value)); return true })
	return nil
}

func (x *texts) WithAttrs([]slog.Attr) slog.Handler { return x }
func (x *texts) WithGroup(string) slog.Handler      { return x }
