package main

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// plot draws our time as a multiple of the best peer's: a bar for each line of
// the report, and the line at 1 that a bar should not cross.
func (r *report) plot(file string) error {
	p := plot.New()
	p.Title.Text = "time as a multiple of the best peer (less is better)"
	p.Y.Min = 0
	ratios, names := plotter.Values{}, []string{}
	for _, l := range r.lines {
		ratios = append(ratios, min(l.ratio(), 3)) // one bad bar must not flatten the others
		names = append(names, fmt.Sprintf("%s, %d", l.op.name, l.n))
	}
	bars, err := plotter.NewBarChart(ratios, vg.Points(10))
	if err != nil {
		return err
	}
	bars.Horizontal = true
	bars.Color = color.RGBA{R: 0x3b, G: 0x6e, B: 0xa5, A: 0xff}
	limit, err := plotter.NewLine(plotter.XYs{{X: 1, Y: -0.5}, {X: 1, Y: float64(len(names)) - 0.5}})
	if err != nil {
		return err
	}
	limit.Color = color.RGBA{R: 0xc0, A: 0xff}
	p.Add(bars, limit)
	p.NominalY(names...)
	return p.Save(8*vg.Inch, vg.Length(len(names)+4)*vg.Points(16), file)
}
