package machine

// Shape says which text keys a table has, and in which order they were first assigned.
// Tables that got the same keys in the same order share it.
type Shape struct {
	heap *Heap
	keys []*Str
}

// find returns the place of a text among the keys, -1 if it is none of them.
func (s *Shape) find(k *Str) int { return -1 }

// add returns the shape with one more key, nil if there are too many: the table keeps its
// keys in a dictionary then.
func (s *Shape) add(k *Str) *Shape { return nil }
