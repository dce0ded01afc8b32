// A module of its own, so that nobody who embeds Perigee downloads a WebSocket library. This one
// is small, has no dependencies and takes a context everywhere, as the rooms do.
module github.com/perigee-ecs/perigee/examples/10-rooms

go 1.26.0

require (
	github.com/coder/websocket v1.8.15
	github.com/perigee-ecs/perigee v0.0.0
)

require (
	github.com/tetratelabs/wazero v1.12.0 // indirect
	github.com/yuin/gopher-lua v1.1.2 // indirect
	golang.org/x/sys v0.49.0 // indirect
	layeh.com/gopher-luar v1.0.11 // indirect
)

replace github.com/perigee-ecs/perigee => ../..
