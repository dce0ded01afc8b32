package main

import "strings"

// A figure is one measure of the structure and the most that it may be.
type figure struct {
	name        string
	value, most int
}

// figures lists what the tests hold. A bound is lowered when the structure gets
// better; it is raised only with a reason.
func (h *house) figures() []figure {
	ecs, bindings := h.find("ecs"), h.find("bindings")
	return []figure{
		{"files of ecs", ecs.files, 48},
		{"files of bindings", bindings.files, 27},
		{"backward arrows of ecs, in %", backward(ecs), 14},
		{"backward arrows of bindings, in %", backward(bindings), 7},
		{"exported names of bindings", bindings.exported(), 44},
		{"methods of bindings.Module", bindings.methods("Module", false), 46},
		{"callbacks of bindings.Options", bindings.callbacks("Options"), 6},
		{"exported methods of ecs.World", ecs.methods("World", true), 45},
		{"lines of code without tests", h.code(), 53000},
	}
}

func backward(p *pkg) int {
	forward, back := p.arrows()
	return percent(back, forward+back)
}

// code counts the lines of code of the runtime and its command; examples and what is
// there for tests alone do not count.
func (h *house) code() (n int) {
	for _, p := range h.packages {
		if strings.HasSuffix(p.path, "test") {
			continue
		}
		switch top(p.path) {
		case "ecs", "bindings", "scripting", "hotreload", "scripts", "cmd":
			n += p.code
		}
	}
	return n
}
