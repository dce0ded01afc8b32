package pattern

import (
	"strings"
	"testing"
)

type free struct{}

func (free) Charge(int)    {}
func (free) Text(int, int) {}
func (free) Fail(string)   {}

// BenchmarkFirst finds all matches of a pattern in a text of 1,840 bytes.
func BenchmarkFirst(b *testing.B) {
	text := strings.Repeat("hello world from key=val, 12 apples and x_y; ", 40)
	for _, source := range []string{"%w+", "(%w+)=(%w+)", "o", "zebra%d", "(.-)zebra", "[aeiou]"} {
		p, err := Compile(source, true)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(source, func(b *testing.B) {
			for range b.N {
				m := Matcher{Pattern: p, Text: text, Payer: free{}}
				for at := 0; at >= 0; {
					_, at = m.First(at)
				}
			}
		})
	}
}
