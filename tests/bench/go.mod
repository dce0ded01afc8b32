module github.com/perigee-ecs/perigee/tests/bench

go 1.26.0

require (
	github.com/akmonengine/volt v1.7.0
	github.com/marioolofo/go-gameengine-ecs v0.9.0
	github.com/mlange-42/ark v0.8.0
	github.com/perigee-ecs/perigee v0.0.0
	github.com/unitoftime/ecs v0.0.3
	github.com/yohamta/donburi v1.15.7
)

require (
	github.com/unitoftime/cod v0.0.0-20240909130117-f553b1d09d22 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/perigee-ecs/perigee => ../..
