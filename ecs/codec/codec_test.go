package codec

import (
	"errors"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"
)

type (
	plain struct {
		On    bool
		Small int8
		Large uint64
		F     float32
		D     float64
		Text  string
		Bytes []byte
		List  []plain
		Fixed [3]int16
		By    map[string]float64
		Of    map[int64][]string
	}
	tree   []tree
	closed struct{ hidden int }
	hollow struct{ Open struct{ F []func() } }
)

// roundTrip encodes a value and decodes it.
func roundTrip[T any](t testing.TB, v T, given ...Codec) (T, error) {
	t.Helper()
	c, err := NewSet(given).For(reflect.TypeFor[T]())
	if err != nil {
		return *new(T), err
	}
	data, err := c.Encode(unsafe.Pointer(&v))
	if err != nil {
		return *new(T), err
	}
	var back T
	err = c.Decode(unsafe.Pointer(&back), data)
	return back, err
}

// TestPlainKeepsEveryBit: numbers that JSON does not have, text that is none, nil and empty.
func TestPlainKeepsEveryBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var draw func(depth int) plain
		draw = func(depth int) plain {
			v := plain{
				rapid.Bool().Draw(t, "on"), rapid.Int8().Draw(t, "small"), rapid.Uint64().Draw(t, "large"),
				math.Float32frombits(rapid.Uint32().Draw(t, "f")), math.Float64frombits(rapid.Uint64().Draw(t, "d")),
				string(rapid.SliceOf(rapid.Byte()).Draw(t, "text")), rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"), nil,
				[3]int16{rapid.Int16().Draw(t, "i")}, nil, nil,
			}
			if rapid.Bool().Draw(t, "maps") {
				v.By = rapid.MapOf(rapid.String(), rapid.Float64()).Draw(t, "by")
				v.Of = rapid.MapOf(rapid.Int64(), rapid.SliceOf(rapid.String())).Draw(t, "of")
			}
			for range rapid.IntRange(0, depth).Draw(t, "list") {
				v.List = append(v.List, draw(depth-1))
			}
			return v
		}
		v := draw(2)
		c, err := NewSet(nil).For(reflect.TypeFor[plain]())
		if err != nil {
			t.Fatal(err)
		}
		data, err := c.Encode(unsafe.Pointer(&v))
		if err != nil {
			t.Fatal(err)
		}
		var back plain
		if err := c.Decode(unsafe.Pointer(&back), data); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		again, err := c.Encode(unsafe.Pointer(&back))
		if err != nil || string(again) != string(data) {
			t.Fatalf("%s, then %s: %v", data, again, err)
		}
		if !v.nan() && !reflect.DeepEqual(v, back) {
			t.Fatalf("%+v, want %+v", back, v)
		}
	})
}

// TestPlainKeepsTheBitsOfNaN: of both sizes, quiet or not, alone or in a map; what an older version has written is read.
func TestPlainKeepsTheBitsOfNaN(t *testing.T) {
	type real float32
	for _, bits := range []uint64{0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0x7ff8000000000001, 0xffffffffffffffff} {
		back, err := roundTrip(t, map[string]float64{"x": math.Float64frombits(bits)})
		if got := math.Float64bits(back["x"]); err != nil || got != bits {
			t.Errorf("%#x became %#x: %v", bits, got, err)
		}
	}
	for _, bits := range []uint32{0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff} {
		v := [1]real{}
		*(*uint32)(unsafe.Pointer(&v)) = bits
		back, err := roundTrip(t, v)
		if got := *(*uint32)(unsafe.Pointer(&back)); err != nil || got != bits {
			t.Errorf("%#x became %#x: %v", bits, got, err)
		}
	}
	var d float64
	if err := FromPlain([]byte(`{"float":"nan"}`), &d); err != nil || d == d {
		t.Error(d, err)
	}
	for _, wrong := range []string{"nan ", "nan 0", "nan 3ff0000000000000", "nan fff80000000000000", "nan x", "NaN"} {
		if err := FromPlain([]byte(`{"float":"`+wrong+`"}`), &d); err == nil {
			t.Errorf("%q was read", wrong)
		}
	}
}

// nan reports whether a value is not equal to itself.
func (p plain) nan() bool {
	for _, l := range p.List {
		if l.nan() {
			return true
		}
	}
	for _, v := range p.By {
		if v != v {
			return true
		}
	}
	return p.F != p.F || p.D != p.D
}

// TestWhichCodec: that of the program goes before that of the type.
func TestWhichCodec(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	if back, err := roundTrip(t, at); err != nil || !back.Equal(at) {
		t.Error(back, err)
	}
	addr := netip.MustParseAddr("10.0.0.1")
	if back, err := roundTrip(t, addr); err != nil || back != addr {
		t.Error(back, err)
	}
	year := Of(func(t time.Time) ([]byte, error) { return []byte{byte(t.Year() - 2000)}, nil },
		func(b []byte) (time.Time, error) { return time.Date(2000+int(b[0]), 1, 1, 0, 0, 0, 0, time.UTC), nil })
	if back, err := roundTrip(t, at, year); err != nil || back.YearDay() != 1 || back.Year() != 2026 {
		t.Error(back, err)
	}
	if back, err := roundTrip(t, closed{3}, JSON[closed]()); err != nil || back.hidden != 0 {
		t.Error(back, err)
	}
	for _, c := range []struct {
		err  error
		part string
	}{{second(roundTrip(t, closed{})), "hidden is not exported"}, {second(roundTrip(t, hollow{})), "Open.F[] is a func"},
		{second(roundTrip(t, map[float64]int{})), "keys of type float64"}, {second(roundTrip(t, &plain{})), "is a ptr"}} {
		if !errors.Is(c.err, ErrNone) || !strings.Contains(c.err.Error(), c.part) {
			t.Errorf("%v, want %q in it", c.err, c.part)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestCodecsThatFail: wrong data, values in themselves and panics are errors.
func TestCodecsThatFail(t *testing.T) {
	deep := tree{nil}
	deep[0] = deep
	if _, err := roundTrip(t, deep); err == nil || !strings.Contains(err.Error(), "a list in itself") {
		t.Error(err)
	}
	panics := Of(func(tree) ([]byte, error) { panic("planned") }, func([]byte) (tree, error) { panic("planned") })
	if _, err := roundTrip(t, tree{}, panics); err == nil || !strings.Contains(err.Error(), "planned") {
		t.Error(err)
	}
	c, err := NewSet(nil).For(reflect.TypeFor[plain]())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "1", "{", `{"On":1}`, `{"None":1}`, `{"Small":128}`, `{"Small":1.5}`, `{"F":"x"}`, `{"Fixed":[1,2]}`, `{"By":{}}`,
		`{"By":[["a"]]}`, `{"By":[[1,1]]}`, `{} {}`, `{} ]`, `{}}`, `{"Bytes":"?"}`, `{"Text":{"bytes":"?"}}`, `{"Text":{"bytes":"","more":1}}`, `{"Large":-1}`, `null`, `[]`,
		`{"List":[{"List":[{"On":null}]}]}`, strings.Repeat(`{"List":[`, 20_000)} {
		var v plain
		if err := c.Decode(unsafe.Pointer(&v), []byte(text)); err == nil {
			t.Errorf("%.40s: %+v", text, v)
		}
	}
}

// TestDecodedValuesAreBounded: a short text makes no large value.
func TestDecodedValuesAreBounded(t *testing.T) {
	type large struct{ A [1 << 20]uint8 }
	c, err := NewSet(nil).For(reflect.TypeFor[[]large]())
	if err != nil {
		t.Fatal(err)
	}
	var v []large
	if err := c.Decode(unsafe.Pointer(&v), []byte(`[{},{},{},{},{},{},{},{},{},{}]`)); err == nil || len(v) > 0 {
		t.Error(len(v), err)
	}
}

// TestRoomOfManyValues: what values take is taken from one room, and none takes more than there is.
func TestRoomOfManyValues(t *testing.T) {
	c, err := NewSet(nil).For(reflect.TypeFor[[]string]())
	if err != nil {
		t.Fatal(err)
	}
	text, room, n := []byte(`["`+strings.Repeat("x", 1000)+`","","",""]`), 100_000, 0
	for {
		var v []string
		if err = c.DecodeWithin(unsafe.Pointer(&v), text, &room, nil); err != nil {
			break
		}
		if n++; len(v) != 4 || room < 0 {
			t.Fatalf("%d values, room for %d bytes", len(v), room)
		}
	}
	if !errors.Is(err, ErrMemory) || n < 50 || n > 94 { // each takes 1,064 bytes, and 32 times its text while it is read
		t.Errorf("after %d values: %v", n, err)
	}
	room = 10
	if _, err := roundTrip(t, time.Time{}); err != nil {
		t.Fatal(err)
	}
	of, _ := NewSet(nil).For(reflect.TypeFor[time.Time]())
	var at time.Time
	if err := of.DecodeWithin(unsafe.Pointer(&at), make([]byte, 15), &room, nil); !errors.Is(err, ErrMemory) {
		t.Error(err)
	}
}

// TestFromPlain reads what types are written as that need no codec, and refuses all else.
func TestFromPlain(t *testing.T) {
	type one struct {
		N map[string]int
		S []string
	}
	k, err := NewSet(nil).For(reflect.TypeFor[one]())
	if err != nil {
		t.Fatal(err)
	}
	want := one{map[string]int{"a": 1, "b": 2}, []string{"\xff", "x"}}
	text, err := k.Encode(unsafe.Pointer(&want))
	if err != nil {
		t.Fatal(err)
	}
	var got one
	if err := FromPlain(text, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	var less struct{ S []string }
	if err := FromPlain(text, &less); err == nil || !strings.Contains(err.Error(), `no field "N"`) {
		t.Error(err)
	}
	var pointer struct{ P *int }
	for _, to := range []any{nil, got, (*one)(nil), &pointer} {
		if err := FromPlain(text, to); !errors.Is(err, ErrNone) {
			t.Errorf("%T: %v", to, err)
		}
	}
	for _, wrong := range []string{"", "[]", `{"N":1}`, `{"S":["x"]} 1`} {
		if err := FromPlain([]byte(wrong), &got); err == nil {
			t.Errorf("%q was read", wrong)
		}
	}
}

// TestErrorsOfJSONAreWords: what is wrong with a text of JSON is said without the types and the names of Go.
func TestErrorsOfJSONAreWords(t *testing.T) {
	type Inner struct {
		Deep bool `json:"deep"`
	}
	type clock struct {
		Inner
		Tick uint8             `json:"tick"`
		At   float64           `json:"at"`
		Name string            `json:"name"`
		On   *bool             `json:"on"`
		List []int             `json:"list"`
		Map  map[string]string `json:"map"`
	}
	for text, want := range map[string]string{
		`{"c": {"tick": "x"}}`: "expected a whole number of at most 8 bits at c.tick, got a text",
		`{"c": {"tick": 300}}`: "expected a whole number of at most 8 bits at c.tick, got 300",
		`{"c": {"at": true}}`:  "expected a number at c.at, got true or false",
		`{"c": {"name": []}}`:  "expected a text at c.name, got a list",
		`{"c": {"deep": 1}}`:   "expected true or false at c.deep, got a number",
		`{"c": {"on": {}}}`:    "expected true or false at c.on, got an object",
		`{"c": {"list": 1}}`:   "expected a list at c.list, got a number",
		`{"c": {"map": [1]}}`:  "expected an object at c.map, got a list",
		`[]`:                   "byte 1: expected an object, got a list",
		`{"d": 1}`:             `json: unknown field "d"`,
		`{"c": `:               "it ends too early",
		``:                     "it ends too early",
		`{"c": }`:              "byte 7: it is no JSON: ",
		`{} {}`:                "there is more after it",
	} {
		var to struct {
			C clock `json:"c"`
		}
		err := FromJSON([]byte(text), &to)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
