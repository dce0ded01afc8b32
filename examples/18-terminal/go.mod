module github.com/perigee-ecs/perigee/examples/18-terminal

go 1.26.0

require (
	github.com/gdamore/tcell/v2 v2.13.10
	github.com/perigee-ecs/perigee v0.0.0
)

require (
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	github.com/gdamore/encoding v1.0.1 // indirect
	github.com/lucasb-eyer/go-colorful v1.3.0 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/tetratelabs/wazero v1.12.0 // indirect
	github.com/yuin/gopher-lua v1.1.2 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/term v0.47.0 // indirect
	golang.org/x/text v0.31.0 // indirect
	layeh.com/gopher-luar v1.0.11 // indirect
)

replace github.com/perigee-ecs/perigee => ../..
