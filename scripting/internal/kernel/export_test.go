package kernel

import "fmt"

// Precedents returns how many are kept.
func (t *Translations) Precedents() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.precedents)
}

// Bytes returns what all that is kept counts.
func (t *Translations) Bytes() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}

// Sound says what is wrong with the invariants.
func (t *Translations) Sound() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	bytes, of := 0, 0
	for key, e := range t.known {
		if bytes, of = bytes+len(key), of+len(e.precedents); e.at == nil || e.at.Value != any(e) || e.key != key {
			return fmt.Errorf("an entry is not in order")
		}
	}
	for key, p := range t.precedents {
		if bytes += p.bytes; p.key != key || p.at == nil || p.at.Value != any(p) || t.known[p.entry.key] != p.entry {
			return fmt.Errorf("the precedent of %s is not in order, or its kernel is gone", key.system)
		}
	}
	if bytes != t.bytes || of != len(t.precedents) || t.order.Len() != len(t.known)+len(t.precedents) {
		return fmt.Errorf("%d entries and %d precedents, of entries %d, are %d in order; they have %d bytes, counted as %d", len(t.known), len(t.precedents), of, t.order.Len(), bytes, t.bytes)
	}
	if most := t.most(); t.bytes > most && len(t.known)+len(t.precedents) > 1 {
		return fmt.Errorf("%d of %d bytes", t.bytes, most)
	}
	return nil
}
