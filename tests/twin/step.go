package twin

import (
	"errors"
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
)

// errPlanned is the error of a twin's system that fails on purpose.
var errPlanned = errors.New("planned failure")

// step advances the world by a tick. Changes since the last step are reported first. For
// the kind System, a system then records commands and succeeds, fails or panics.
func (tw *Twin) step(t T, op Op) {
	t.Helper()
	tw.expect = tw.Model.deliver()
	var want error
	tw.program = func(tick *ecs.Tick) error { tw.flush(); return nil }
	if op.Kind == System && !tw.tight { // what a refusal undid could not be told
		want = map[byte]error{1: errPlanned, 2: errPlanned}[op.D%4]
		tw.program = func(tick *ecs.Tick) error {
			defer tw.flush()
			return tw.perform(t, tick, op)
		}
	}
	err := tw.World.Step(float64(op.A) / 256)
	tw.program = nil
	for i := range tw.boxes {
		tw.boxes[i].tick()
	}
	if want != nil {
		agree(t, op, err, want)
	} else {
		agreeAll(t, op, err, tw.answers)
	}
	tw.answers = nil
	if tw.wrong != nil {
		t.Fatalf("%v: %v", op, tw.wrong)
	}
	if len(tw.expect) > 0 {
		t.Fatalf("%v: observers were not told of %+v", op, tw.expect[0])
	}
}

// flush does in the model what the world does at the end of the tick.
func (tw *Twin) flush() {
	_, errs := tw.Model.Flush()
	tw.answers = append(tw.answers, errs...)
	tw.expect = append(tw.expect, tw.Model.deliver()...)
}

// perform is the body of the twin's system. The model keeps the commands of the
// twin's own buffer aside meanwhile: those of the tick are applied first.
func (tw *Twin) perform(t T, tick *ecs.Tick, op Op) error {
	t.Helper()
	m := tw.Model
	aside := m.pending
	m.pending = batch{}
	defer func() { m.pending = aside }()
	var half mark
	for i := range op.B%4 + 1 {
		if op.A%4 == 3 && i == op.B%4/2 {
			half = tw.markCommands(tick.Commands)
		}
		kind := RecordSpawn + (Kind(op.C)+Kind(i))%(RecordDo-RecordSpawn+1)
		tw.record(t, tick.Commands, Op{kind, op.A + i*3, op.B + i, op.C * (i + 1), op.D})
	}
	if half.set { // the rest of the work failed
		tw.rewindTo(t, op, tick.Commands, half)
	}
	switch {
	case op.D%4 == 1:
		m.Drop()
		return errPlanned
	case op.D%4 == 2:
		m.Drop()
		panic(fmt.Errorf("in a panic: %w", errPlanned))
	}
	tw.answers = m.Apply()
	tw.expect = append(tw.expect, m.deliver()...)
	return nil
}
