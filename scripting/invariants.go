package scripting

import (
	"errors"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/ecs"
)

// watchInvariants has the host get what breaks invariants, from the first step on, and has the world keep
// to Limits.Checks. Why not in New? A host may be made while its world makes a step.
func (h *Host) watchInvariants() error {
	if h.unwatch != nil {
		return nil
	}
	s := h.world.Schedule()
	remove, err := s.OnViolation(h.violated)
	if err != nil {
		return err
	}
	h.unwatch = remove
	if checks := h.opts.Limits.Checks; checks > 0 {
		s.LimitChecks(checks)
		h.unwatch = func() { remove(); s.LimitChecks(0) }
	}
	return nil
}

// violated takes a violation that the end of the world's step has found. In a step of the world
// without its host there is nobody to report it to.
func (h *Host) violated(v *ecs.Violation) {
	if activity(h.doing.Load()) != stepping {
		return
	}
	var declared *bindings.Declarations
	if m := h.live[v.Owner]; v.Owner != "" && m != nil {
		declared = m.script
	}
	e := h.binding.Violated(declared, v)
	if declared == nil {
		e.Script = goCode
	}
	h.violations = append(h.violations, e)
}

// takeViolations returns the violations of the tick.
func (h *Host) takeViolations() []*Error {
	list := h.violations
	h.violations = nil
	return list
}

// violationsIn takes out of joined errors those that are violations, as a world returns them with
// ecs.Options.StrictInvariants: the host has got them already.
func violationsIn(err error) (broken []error, others error) {
	if !errors.Is(err, ecs.ErrInvariant) {
		return nil, err
	}
	var rest []error
	for _, one := range apart(err) {
		if v, ok := one.(*ecs.Violation); ok {
			broken = append(broken, v)
		} else {
			rest = append(rest, one)
		}
	}
	return broken, errors.Join(rest...)
}
