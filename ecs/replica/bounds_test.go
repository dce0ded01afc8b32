package replica_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/codec"
	"github.com/perigee-ecs/perigee/ecs/replica"
)

// folded is a value of few bytes in a message, and of many in memory.
type folded struct {
	Name string
	Rest [4000]byte
}

// foldedCodec writes the name alone, and fails while a flag is set.
func foldedCodec(fails *bool) codec.Codec {
	return codec.Of(func(v folded) ([]byte, error) {
		if *fails {
			return nil, errors.New("not now")
		}
		return []byte(v.Name), nil
	}, func(b []byte) (folded, error) { return folded{Name: string(b)}, nil })
}

// TestWhatMessagesBecomeIsBounded: a message of few bytes whose state takes many is refused.
func TestWhatMessagesBecomeIsBounded(t *testing.T) {
	never := false
	codecs := []codec.Codec{foldedCodec(&never)}
	for _, c := range []struct {
		name   string
		spawn  func(w *ecs.World, f ecs.Component[folded], p ecs.Component[position])
		filter func(w *ecs.World, p ecs.Component[position]) *replica.Interest
		bytes  int64
	}{
		{"decoded values", func(w *ecs.World, f ecs.Component[folded], _ ecs.Component[position]) {
			for range 200 {
				w.Spawn(f.With(folded{Name: "a"}))
			}
		}, nil, 400_000},
		{"JSON", func(w *ecs.World, _ ecs.Component[folded], _ ecs.Component[position]) {
			for i := range 1000 {
				must(t, w.Run(fmt.Sprintf("function %d", i), func(*ecs.Tick) error { return nil }))
			}
		}, nil, 400_000},
		{"slots of an interest", func(w *ecs.World, _ ecs.Component[folded], p ecs.Component[position]) {
			for range 50_000 {
				w.Spawn()
			}
			w.Spawn(p.With(position{1, 2}))
		}, func(w *ecs.World, p ecs.Component[position]) *replica.Interest {
			return &replica.Interest{Components: []ecs.ComponentRef{p}}
		}, 400_000},
	} {
		open := func() (*ecs.World, ecs.Component[folded], ecs.Component[position]) {
			w, err := ecs.Open(ecs.Options{Tag: 2})
			must(t, err)
			t.Cleanup(func() { w.Close() })
			return w, ecs.Register[folded](w), ecs.Register[position](w)
		}
		w, f, p := open()
		c.spawn(w, f, p)
		options := replica.PrimaryOptions{Codecs: codecs}
		if c.filter != nil {
			options.Interest = c.filter(w, p)
		}
		primary, err := replica.NewPrimary(w, options)
		must(t, err)
		m, err := primary.Next()
		must(t, err)
		if len(m) > 150_000 {
			t.Errorf("%s: the message has %d bytes", c.name, len(m))
		}
		for _, bytes := range []int64{c.bytes, 1 << 30} {
			other, _, _ := open()
			r, err := replica.New(other, replica.Options{Bytes: bytes, Codecs: codecs})
			must(t, err)
			want := error(nil)
			if bytes == c.bytes {
				want = replica.ErrTooLarge
			}
			if err := r.Apply(m); !errors.Is(err, want) {
				t.Errorf("%s within %d bytes: %v, want %v", c.name, bytes, err, want)
			}
		}
	}
}

// TestAFailedEncodeIsNoBase: after a state that could not be encoded the next message is a full one, and right.
func TestAFailedEncodeIsNoBase(t *testing.T) {
	fails, never := false, false
	open := func(fails *bool) (*ecs.World, ecs.Component[folded], ecs.Component[position], codec.Codec) {
		w, err := ecs.Open(ecs.Options{Tag: 2})
		must(t, err)
		t.Cleanup(func() { w.Close() })
		return w, ecs.Register[folded](w), ecs.Register[position](w), foldedCodec(fails)
	}
	w, f, p, c := open(&fails)
	other, _, _, c2 := open(&never)
	var es []ecs.Entity
	for i := range 100 {
		es = append(es, w.Spawn(f.With(folded{Name: "a"}), p.With(position{X: float32(i)})))
	}
	primary, err := replica.NewPrimary(w, replica.PrimaryOptions{Codecs: []codec.Codec{c}})
	must(t, err)
	r, err := replica.New(other, replica.Options{Codecs: []codec.Codec{c2}})
	must(t, err)
	for round, full := range []bool{true, false, false, true, false} {
		fails = round == 2
		for _, e := range es {
			p.Edit(e).X++
			f.Edit(e).Name = fmt.Sprint(round)
		}
		must(t, w.Step(1))
		m, err := primary.Next()
		if fails {
			if err == nil {
				t.Fatal("the codec has failed, and the message was made")
			}
			continue
		}
		must(t, err)
		if primary.Stats().Full != full {
			t.Errorf("round %d: full %v", round, primary.Stats().Full)
		}
		must(t, r.Apply(m))
		if w.Checksum() != other.Checksum() {
			t.Fatalf("round %d: not alike", round)
		}
	}
}

// TestInterestSendsWhatItSays: all bytes of the fields and none between them, no prefabs, and no component twice.
func TestInterestSendsWhatItSays(t *testing.T) {
	type gapped struct {
		Flag  bool
		Level float64
		X, Y  float32
	}
	open := func() (*ecs.World, ecs.Component[gapped]) {
		w, err := ecs.Open(ecs.Options{Tag: 2})
		must(t, err)
		t.Cleanup(func() { w.Close() })
		return w, ecs.Register[gapped](w)
	}
	w, g := open()
	prefab := w.Spawn(g.With(gapped{X: 9}))
	must(t, w.MarkPrefab(prefab))
	e := w.Spawn(g.With(gapped{true, 2, 3, 4}))
	secret := []byte("secrets")
	copy(unsafe.Slice((*byte)(w.Raw().Pointer(e, g.ID())), 8)[1:], secret)
	primary, err := replica.NewPrimary(w, replica.PrimaryOptions{Interest: &replica.Interest{
		Components: []ecs.ComponentRef{g},
		Entities:   func(yield func(ecs.Entity) bool) { _ = yield(prefab) && yield(e) },
	}})
	must(t, err)
	m, err := primary.Next()
	must(t, err)
	if bytes.Contains(m, secret) {
		t.Error("bytes between fields are in the message")
	}
	other, h := open()
	r, err := replica.New(other, replica.Options{})
	must(t, err)
	must(t, r.Apply(m))
	if got := h.Peek(e); got == nil || *got != (gapped{true, 2, 3, 4}) || other.Len() != 1 {
		t.Errorf("%v, %d entities", got, other.Len())
	}
}

// TestAComponentIsDeclaredOnce: a message whose declaration names a component twice is damaged.
func TestAComponentIsDeclaredOnce(t *testing.T) {
	open := func() (*ecs.World, []ecs.ComponentRef) {
		w, err := ecs.Open(ecs.Options{Tag: 2})
		must(t, err)
		t.Cleanup(func() { w.Close() })
		type one struct{ V int32 }
		type two struct{ V int32 }
		return w, []ecs.ComponentRef{ecs.Register[one](w), ecs.Register[two](w)}
	}
	w, refs := open()
	primary, err := replica.NewPrimary(w, replica.PrimaryOptions{Interest: &replica.Interest{Components: refs}})
	must(t, err)
	m, err := primary.Next()
	must(t, err)
	other, _ := open()
	r, err := replica.New(other, replica.Options{})
	must(t, err)
	payload := replica.Payload(m)
	n, at := binary.Uvarint(payload)
	said := bytes.Replace(payload[at:at+int(n)], []byte(`"two"`), []byte(`"one"`), 1)
	forged := append(append(binary.AppendUvarint(nil, uint64(len(said))), said...), payload[at+int(n):]...)
	if err := r.Apply(replica.Sign(forged, true, r)); !errors.Is(err, replica.ErrDamaged) {
		t.Errorf("a component that is there twice: %v", err)
	}
	must(t, r.Apply(m))
}
