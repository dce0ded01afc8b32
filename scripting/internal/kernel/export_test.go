package kernel

// Precedents returns how many are kept.
func (t *Translations) Precedents() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.precedents)
}
