//go:build !machine

package fault

import "github.com/perigee-ecs/perigee/bindings/lua"

// serve has what the machine itself raises come from a source: here Intercept does it.
func serve(*lua.LState, Source) {}
