package loop_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/loop"
)

// TestRunEndsInOrder cancels the context of the loop inside of a step, which returns what it makes of
// that: an end is no error, and what has failed beside it is one.
func TestRunEndsInOrder(t *testing.T) {
	broken := errors.New("a system has failed")
	why := errors.New("the server shuts down")
	for name, c := range map[string]struct {
		err  func(ctx context.Context) error
		want error
	}{
		"the error of the context": {func(ctx context.Context) error { return ctx.Err() }, nil},
		"wrapped":                  {func(ctx context.Context) error { return fmt.Errorf("cut: %w", ctx.Err()) }, nil},
		"the cause":                {func(ctx context.Context) error { return fmt.Errorf("cut: %w", context.Cause(ctx)) }, nil},
		"both":                     {func(ctx context.Context) error { return fmt.Errorf("%w: %w", ctx.Err(), context.Cause(ctx)) }, nil},
		"as a cut step says it": {func(ctx context.Context) error {
			return errors.Join(fmt.Errorf("tick 1 was cut short: %w", fmt.Errorf("%w: %w", ctx.Err(), context.Cause(ctx))))
		}, nil},
		"joined":                    {func(ctx context.Context) error { return errors.Join(ctx.Err(), ctx.Err()) }, nil},
		"joined with another error": {func(ctx context.Context) error { return errors.Join(ctx.Err(), broken) }, broken},
		"another error":             {func(context.Context) error { return broken }, broken},
		"the end of another one":    {func(context.Context) error { return context.DeadlineExceeded }, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			l, err := loop.New(loop.Options{Hz: 1000})
			if err != nil {
				t.Fatal(err)
			}
			err = l.Run(ctx, func(float64) error { cancel(why); return c.err(ctx) })
			if !errors.Is(err, c.want) {
				t.Errorf("Run returns %v, want %v", err, c.want)
			}
		})
	}
}
