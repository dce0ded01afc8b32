package scripting

// LoadedKernels returns how many different kernels the host's engine holds.
func (h *Host) LoadedKernels() int { return h.kernels.engine.Modules() }
