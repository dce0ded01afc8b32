package bindings

import (
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// TestListsOfEntitiesCostWhatTheirEntitiesDo: a list that is filled by whole chunks holds the same,
// takes as much memory, and is charged the same steps and bytes as one that gets its entities one
// by one, in whatever pieces they come.
func TestListsOfEntitiesCostWhatTheirEntitiesDo(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	vm := lua.VM(L)
	fill := func(pieces ...int) (l entityList, steps, bytes int64) {
		steps, bytes = vm.Steps(), vm.Bytes()
		for _, n := range pieces {
			more := make([]ecs.Entity, n)
			for i := range more {
				more[i] = ecs.Entity(len(l.all) + i + 1)
			}
			l.add(L, more...)
		}
		return l, vm.Steps() - steps, vm.Bytes() - bytes
	}
	for _, pieces := range [][]int{{}, {0}, {1}, {7}, {8}, {9}, {3, 5}, {3, 6}, {64, 1}, {1, 64}, {100, 0, 1000, 17}, {16384, 16384, 5}} {
		n := 0
		for _, piece := range pieces {
			n += piece
		}
		one, steps, bytes := fill(slices.Repeat([]int{1}, n)...)
		list, chunkSteps, chunkBytes := fill(pieces...)
		if !slices.Equal(list.all, one.all) || list.Held() != one.Held() {
			t.Errorf("%v: %d entities, %d bytes held; one by one %d, %d", pieces, len(list.all), list.Held(), len(one.all), one.Held())
		}
		if steps != chunkSteps || bytes != chunkBytes || n > 0 && bytes == 0 {
			t.Errorf("%v: %d steps, %d bytes; one by one %d, %d", pieces, chunkSteps, chunkBytes, steps, bytes)
		}
	}
}
