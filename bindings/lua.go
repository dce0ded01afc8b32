package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	lua "github.com/yuin/gopher-lua"
)

// Numbers makes Lua numbers one by one with less garbage. The zero Numbers is ready.
type Numbers = value.Numbers

// Unwrap returns the table that has the content of t: t itself, unless t is a proxy.
// Whoever bypasses metatables must ask it.
func Unwrap(t *lua.LTable) *lua.LTable { return value.Unwrap(t) }

// Over says what is wrong with a table that a script must not use any more, and nothing
// for all other tables. Whoever bypasses metatables must ask it.
func Over(t *lua.LTable) string { return value.Over(t) }
