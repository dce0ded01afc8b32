module github.com/perigee-ecs/perigee/tests/bench

go 1.26.0

require (
	github.com/akmonengine/volt v1.7.0
	github.com/marioolofo/go-gameengine-ecs v0.9.0
	github.com/mlange-42/ark v0.8.0
	github.com/perigee-ecs/perigee v0.0.0
	github.com/unitoftime/ecs v0.0.3
	github.com/yohamta/donburi v1.15.7
	gonum.org/v1/plot v0.17.0
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.2.0 // indirect
	codeberg.org/go-pdf/fpdf v0.11.1 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/unitoftime/cod v0.0.0-20240909130117-f553b1d09d22 // indirect
	golang.org/x/image v0.30.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.28.0 // indirect
)

replace github.com/perigee-ecs/perigee => ../..
