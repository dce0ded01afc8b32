package bindings

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/rows"
	lua "github.com/yuin/gopher-lua"
)

// kernel reads the option.
func (r *optionReader) kernel(v lua.LValue) {
	modes := []string{string(exec.KernelAuto), string(exec.KernelRequire), string(exec.KernelOff)}
	if s, ok := v.(lua.LString); ok && slices.Contains(modes, string(s)) {
		r.s.Compiled.Mode = exec.KernelMode(s)
		return
	}
	r.complain("kernel: expected one of %q, got %s", modes, value.Describe(v))
}

// precision reads the option. It is about kernels alone: the VM has one
// kind of numbers.
func (r *optionReader) precision(v lua.LValue) {
	widths := []string{"f64", "f32"}
	if s, ok := v.(lua.LString); ok && slices.Contains(widths, string(s)) {
		r.s.Compiled.Single = s == "f32"
		return
	}
	r.complain("precision: expected one of %q, got %s", widths, value.Describe(v))
}

// compile makes the kernels of a load. The problems are those of systems that
// must have one.
func (m *Module) compile(fresh []*Script) []*diag.Error {
	var problems []*diag.Error
	for _, s := range fresh {
		for _, sys := range append(s.Kernels(), s.Systems...) {
			if len(s.Problems) > 0 || sys.Shape == nil || sys.Compiled.Mode == exec.KernelOff || m.opts.Compile == nil {
				continue
			}
			k := &sys.Compiled
			if k.Made, k.Why = m.kernelOf(sys); k.Made != nil {
				m.staged.kernels = append(m.staged.kernels, k.Made)
			} else if k.Mode == exec.KernelRequire {
				refused := *k.Why
				problems = append(problems, sys.Own(&refused))
			}
		}
	}
	return problems
}

// kernelOf makes the kernel of one system.
func (m *Module) kernelOf(s *exec.System) (rows.Kernel, *diag.Error) {
	source, _ := s.KernelSource()
	made, why := m.opts.Compile(source)
	if why != nil {
		why.Script = s.Script
	}
	return made, why
}
