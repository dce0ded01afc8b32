// Command 13-opentelemetry makes a span of each tick, with a span in it for each system.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/perigee-ecs/perigee/ecs"
)

type height struct{ M float64 }

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer) (err error) {
	exporter, err := stdouttrace.New(stdouttrace.WithWriter(out), stdouttrace.WithPrettyPrint())
	if err != nil {
		return err
	}
	provider := sdk.NewTracerProvider(sdk.WithSyncer(exporter))
	defer func() { err = errors.Join(err, provider.Shutdown(context.Background())) }()

	world := ecs.NewWorld()
	defer world.Close()
	if err := furnish(world); err != nil {
		return err
	}
	tracer := provider.Tracer("perigee")
	remove, err := world.Schedule().OnTick(func(r *ecs.TickReport) { export(tracer, r) })
	if err != nil {
		return err
	}
	defer remove()
	for range 3 {
		_ = world.Step(1.0 / 60) // its error is in the report
	}
	return nil
}

// export makes the spans of a tick. The report is good during the call only, and spans keep
// no part of it but names and numbers.
func export(tracer trace.Tracer, r *ecs.TickReport) {
	ctx, tick := tracer.Start(context.Background(), "tick", trace.WithTimestamp(r.Began), trace.WithAttributes(
		attribute.Int64("tick", int64(r.N)), attribute.Int("entities", r.Entities)))
	for i := range r.Systems {
		s := &r.Systems[i]
		if s.Runs+s.Passed == 0 && s.Failures == 0 {
			continue
		}
		began := r.Began.Add(s.Began)
		_, span := tracer.Start(ctx, s.Name, trace.WithTimestamp(began), trace.WithAttributes(
			attribute.String("phase", s.Phase.String()), attribute.Int("runs", s.Runs), attribute.Int("rows", s.Rows)))
		if s.Failures > 0 {
			span.SetStatus(codes.Error, s.Health.String())
		}
		span.End(trace.WithTimestamp(began.Add(s.Total())))
	}
	if r.Err != nil {
		tick.RecordError(r.Err)
	}
	tick.End(trace.WithTimestamp(r.Began.Add(r.Took)))
}

// furnish adds a system that works, and one that fails in the second tick.
func furnish(world *ecs.World) error {
	heights := ecs.Register[height](world)
	for range 100 {
		world.Spawn(heights.With(height{M: 10}))
	}
	falling := world.Query(ecs.Write(heights))
	return world.Schedule().Add(
		ecs.System{Name: "fall", Phase: ecs.Physics, Queries: []*ecs.Query{falling}, Run: func(t *ecs.Tick) error {
			for c := range falling.Chunks() {
				list := heights.Mut(c)
				for i := range list {
					list[i].M -= 10 * t.DT
				}
			}
			return nil
		}},
		ecs.System{Name: "save", Phase: ecs.Debug, Run: func(t *ecs.Tick) error {
			if t.N == 2 {
				return errors.New("the disk is full")
			}
			return nil
		}})
}
