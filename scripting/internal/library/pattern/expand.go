package pattern

import (
	"strings"

	"github.com/perigee-ecs/perigee/internal/numbers"
)

// expandSteps is what it takes to put a replacement together.
const expandSteps = 16

// Expand puts captures of a match into a replacement text, in the place of %0 to %9. The
// text is measured as it grows.
func (m *Matcher) Expand(by string, start, end int) string {
	percent := strings.IndexByte(by, '%')
	if percent < 0 {
		return by
	}
	m.Payer.Charge(expandSteps + 2*len(by))
	var out strings.Builder
	for i := 0; i < len(by); i++ {
		c := by[i]
		if c == '%' && i+1 < len(by) {
			i++
			c = by[i]
			if '0' <= c && c <= '9' {
				inserted := m.inserted(int(c-'0'), start, end)
				m.Payer.Text(out.Len(), len(inserted))
				out.WriteString(inserted)
				continue
			}
		}
		out.WriteByte(c)
	}
	return out.String()
}

// inserted returns the text of %0 to %9 in a replacement.
func (m *Matcher) inserted(n, start, end int) string {
	if n == 0 {
		return m.Text[start:end]
	}
	if n > max(m.Pattern.captures, 1) {
		m.Payer.Fail("invalid capture index")
	}
	from, to := m.Capture(n-1, start, end)
	if to < 0 {
		return numbers.Format(float64(from + 1))
	}
	return m.Text[from:to]
}
