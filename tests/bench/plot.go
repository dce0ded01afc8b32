package main

import (
	"fmt"
	"html"
	"os"
	"strings"
)

// The plot's measures, in pixels.
const (
	plotLeft  = 240 // room for the names
	plotUnit  = 220 // the length of a ratio of 1
	plotMost  = 2.5 // longer bars are cut: one bad bar must not flatten the others
	plotRow   = 20
	plotTop   = 48
	plotRight = 190 // room for the figures
)

// plot draws our time as a multiple of the best peer's: a bar for each line of
// the comparison, a line at 1, and a mark where the operation's target is.
//
// Why by hand? A chart of bars is text here, and the library that drew it before
// brought ten modules and cut the names off.
func (r *report) plot(file string) error {
	b := strings.Builder{}
	width, height := plotLeft+int(plotMost*plotUnit)+plotRight, plotTop+plotRow*len(r.lines)+30
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	put(&b, plotLeft, 20, "start", "Time as a multiple of the best peer's: shorter is better. The dark mark is the target.")
	for tick := 0.0; tick <= plotMost; tick += 0.5 {
		x := plotX(tick)
		color := "#dddddd"
		if tick == 1 {
			color = "#cc0000"
		}
		fmt.Fprintf(&b, `<path d="M%d %d V%d" stroke="%s"/>`+"\n", x, plotTop-8, height-24, color)
		put(&b, x, height-8, "middle", fmt.Sprintf("%.1f", tick))
	}
	for i, l := range r.lines {
		l.bar(&b, plotTop+plotRow*i)
	}
	b.WriteString("</svg>\n")
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// bar draws one line of the comparison: green where the target is reached.
func (l line) bar(b *strings.Builder, y int) {
	who, _ := l.best()
	ratio, color := l.ratio(), "#c8553d"
	if ratio <= l.op.most {
		color = "#4c956c"
	}
	put(b, plotLeft-8, y+11, "end", fmt.Sprintf("%s, %d", l.op.name, l.n))
	end, target := plotX(ratio), plotX(l.op.most)
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", plotLeft, y, end-plotLeft, plotRow-6, color)
	fmt.Fprintf(b, `<path d="M%d %d v%d" stroke="#222222" stroke-width="2"/>`+"\n", target, y-2, plotRow-2)
	put(b, max(end, plotX(1))+6, y+11, "start", fmt.Sprintf("%.2f of %s", ratio, who))
}

func plotX(ratio float64) int { return plotLeft + int(min(ratio, plotMost)*plotUnit) }

func put(b *strings.Builder, x, y int, anchor, text string) {
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(text))
}
