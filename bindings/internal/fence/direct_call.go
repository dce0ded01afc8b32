package fence

import (
	"github.com/perigee-ecs/perigee/bindings/running"
	"github.com/perigee-ecs/perigee/ecs"
)

// withCall makes of a function with one of the usual signatures, which asks for the call, one
// that has the other parameters only: [Fence.directly] finds it then. It returns any other
// function as it is.
func (f *Fence) withCall(fn any) any {
	for _, made := range [...]any{
		with0(f, fn),
		with1[float64](f, fn), with1[int](f, fn), with1[string](f, fn), with1[bool](f, fn), with1[ecs.Entity](f, fn),
		withTwo[float64](f, fn), withTwo[int](f, fn), withTwo[string](f, fn), withTwo[bool](f, fn), withTwo[ecs.Entity](f, fn),
		with3[float64, float64, float64](f, fn), with3[int, int, int](f, fn),
		with3[ecs.Entity, float64, float64](f, fn), with3[ecs.Entity, string, float64](f, fn),
		with3[ecs.Entity, ecs.Entity, float64](f, fn), with3[string, float64, float64](f, fn),
	} {
		if made != nil {
			return made
		}
	}
	return fn
}

// withTwo is with2 with any second parameter.
func withTwo[A any](f *Fence, fn any) any {
	for _, made := range [...]any{
		with2[A, float64](f, fn), with2[A, int](f, fn), with2[A, string](f, fn), with2[A, bool](f, fn), with2[A, ecs.Entity](f, fn),
	} {
		if made != nil {
			return made
		}
	}
	return nil
}

// with0 is withCall for no other parameters, with1 for one, with2 for two, with3 for three.
func with0(f *Fence, fn any) any {
	switch fn := fn.(type) {
	case func(*running.Call):
		return func() { fn(f.calls.ForHost()) }
	case func(*running.Call) float64:
		return func() float64 { return fn(f.calls.ForHost()) }
	case func(*running.Call) int:
		return func() int { return fn(f.calls.ForHost()) }
	case func(*running.Call) string:
		return func() string { return fn(f.calls.ForHost()) }
	case func(*running.Call) bool:
		return func() bool { return fn(f.calls.ForHost()) }
	case func(*running.Call) ecs.Entity:
		return func() ecs.Entity { return fn(f.calls.ForHost()) }
	case func(*running.Call) error:
		return func() error { return fn(f.calls.ForHost()) }
	}
	return nil
}

func with1[A any](f *Fence, fn any) any {
	switch fn := fn.(type) {
	case func(*running.Call, A):
		return func(u A) { fn(f.calls.ForHost(), u) }
	case func(*running.Call, A) float64:
		return func(u A) float64 { return fn(f.calls.ForHost(), u) }
	case func(*running.Call, A) int:
		return func(u A) int { return fn(f.calls.ForHost(), u) }
	case func(*running.Call, A) string:
		return func(u A) string { return fn(f.calls.ForHost(), u) }
	case func(*running.Call, A) bool:
		return func(u A) bool { return fn(f.calls.ForHost(), u) }
	case func(*running.Call, A) ecs.Entity:
		return func(u A) ecs.Entity { return fn(f.calls.ForHost(), u) }
	case func(*running.Call, A) error:
		return func(u A) error { return fn(f.calls.ForHost(), u) }
	}
	return nil
}

func with2[A, B any](f *Fence, fn any) any {
	switch fn := fn.(type) {
	case func(*running.Call, A, B):
		return func(u A, v B) { fn(f.calls.ForHost(), u, v) }
	case func(*running.Call, A, B) float64:
		return func(u A, v B) float64 { return fn(f.calls.ForHost(), u, v) }
	case func(*running.Call, A, B) int:
		return func(u A, v B) int { return fn(f.calls.ForHost(), u, v) }
	case func(*running.Call, A, B) string:
		return func(u A, v B) string { return fn(f.calls.ForHost(), u, v) }
	case func(*running.Call, A, B) bool:
		return func(u A, v B) bool { return fn(f.calls.ForHost(), u, v) }
	case func(*running.Call, A, B) ecs.Entity:
		return func(u A, v B) ecs.Entity { return fn(f.calls.ForHost(), u, v) }
	case func(*running.Call, A, B) error:
		return func(u A, v B) error { return fn(f.calls.ForHost(), u, v) }
	}
	return nil
}

func with3[A, B, C any](f *Fence, fn any) any {
	switch fn := fn.(type) {
	case func(*running.Call, A, B, C):
		return func(u A, v B, w C) { fn(f.calls.ForHost(), u, v, w) }
	case func(*running.Call, A, B, C) float64:
		return func(u A, v B, w C) float64 { return fn(f.calls.ForHost(), u, v, w) }
	case func(*running.Call, A, B, C) int:
		return func(u A, v B, w C) int { return fn(f.calls.ForHost(), u, v, w) }
	case func(*running.Call, A, B, C) string:
		return func(u A, v B, w C) string { return fn(f.calls.ForHost(), u, v, w) }
	case func(*running.Call, A, B, C) bool:
		return func(u A, v B, w C) bool { return fn(f.calls.ForHost(), u, v, w) }
	case func(*running.Call, A, B, C) ecs.Entity:
		return func(u A, v B, w C) ecs.Entity { return fn(f.calls.ForHost(), u, v, w) }
	case func(*running.Call, A, B, C) error:
		return func(u A, v B, w C) error { return fn(f.calls.ForHost(), u, v, w) }
	}
	return nil
}
