package kit

// Compared returns what the colliders of the last tick have used of their work.
func (k *Kit) Compared() int { return k.collide.counts.Work - k.collide.work.left }
