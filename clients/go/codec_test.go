package shakedown

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
)

type inner struct {
	Name  string            `json:"name"`
	Flags []bool            `json:"flags"`
	Deep  map[string]uint16 `json:"deep"`
}

type outer struct {
	A      int64   `json:"a"`
	B      uint64  `json:"b,omitempty"`
	C      float64 `json:"c"`
	D      []byte  `json:"d"`
	E      *inner  `json:"e"`
	F      []inner `json:"f"`
	G      [3]int8 `json:"g"`
	H      any     `json:"h"`
	Hidden int     `json:"-"`
	own    int
}

func TestWhatIsEncodedDecodesToTheSame(t *testing.T) {
	same := func(a int64, b uint64, c float64, d []byte, name string, flags []bool, deep map[string]uint16, g [3]int8) bool {
		name = strings.ToValidUTF8(name, "")
		clean := map[string]uint16{}
		for key, value := range deep {
			clean[strings.ToValidUTF8(key, "")] = value
		}
		if d == nil {
			d = []byte{}
		}
		if flags == nil {
			flags = []bool{}
		}
		part := inner{name, flags, clean}
		value := outer{A: a, B: b, C: c, D: d, E: &part, F: []inner{part, part}, G: g, H: "x"}
		packed, err := Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var got outer
		if err := Unmarshal(packed, &got); err != nil || !reflect.DeepEqual(got, value) {
			t.Logf("%v: %#v is not %#v", err, got, value)
			return false
		}
		// The way over JSON ends at the same value.
		text, err := toJSON(nil, &reader{data: packed})
		if err != nil || !json.Valid(text) || bytes.ContainsRune(text, '\n') {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := fromJSON(nil, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var fromText outer
		err = Raw{again, true}.Decode(&fromText)
		return err == nil && reflect.DeepEqual(fromText, value)
	}
	if err := quick.Check(same, nil); err != nil {
		t.Fatal(err)
	}
}

func TestNumbersMustFit(t *testing.T) {
	packed, err := Marshal(300)
	if err != nil {
		t.Fatal(err)
	}
	var small uint8
	if err := Unmarshal(packed, &small); err == nil {
		t.Errorf("300 is decoded as %d", small)
	}
	if packed, err = Marshal(-1); err != nil {
		t.Fatal(err)
	}
	var positive uint64
	if err := Unmarshal(packed, &positive); err == nil {
		t.Errorf("-1 is decoded as %d", positive)
	}
	var large int64
	if packed, err = Marshal(uint64(math.MaxUint64)); err != nil {
		t.Fatal(err)
	}
	if err := Unmarshal(packed, &large); err == nil {
		t.Errorf("2^64-1 is decoded as %d", large)
	}
}

func TestWhatIsNoValueIsRefused(t *testing.T) {
	type circle struct{ Next *circle }
	round := &circle{}
	round.Next = round
	bad := []any{math.NaN(), math.Inf(1), "\xff", func() {}, make(chan int), map[int]int{1: 1}, round, struct{ F any }{func() {}}}
	for _, value := range bad {
		if packed, err := Marshal(value); err == nil {
			t.Errorf("%T is encoded as %x", value, packed)
		}
	}
}

func TestMapsAreEncodedInTheOrderOfTheirKeys(t *testing.T) {
	value := map[string]int{"c": 3, "a": 1, "b": 2}
	for range 20 {
		packed, err := Marshal(value)
		if err != nil || hex.EncodeToString(packed) != "83a16101a16202a16303" {
			t.Fatalf("%x %v", packed, err)
		}
	}
}

func TestBadJSONIsRefused(t *testing.T) {
	bad := []string{
		"", "{", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{a:1}", "nul", "01", "1.", "-", "+1", "\"", "\"\\x\"", "\"\xff\"",
		"1 2", "[1 2]", "{\"a\":1,}", "18446744073709551616", "-9223372036854775809", "1e999", "\"\x01\"", "'a'", "]",
		strings.Repeat("[", 129) + strings.Repeat("]", 129),
	}
	for _, line := range bad {
		if packed, err := fromJSON(nil, []byte(line)); err == nil {
			t.Errorf("%q is read as %x", line, packed)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte{0x83, 0xa1, 'a', 1, 0xa1, 'b', 0x92, 0xc0, 0xc3, 0xa1, 'c', 0xc4, 1, 0xff})
	f.Add([]byte{0xdd, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		var value any
		if Unmarshal(data, &value) != nil {
			return
		}
		var typed outer
		_ = Unmarshal(data, &typed)
		packed, err := Marshal(value)
		if err != nil {
			// Only floating point numbers that are no numbers decode and do not encode.
			return
		}
		var again any
		if err := Unmarshal(packed, &again); err != nil || !reflect.DeepEqual(value, again) {
			t.Fatalf("%#v is not %#v: %v", again, value, err)
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"call":"boot","seq":1,"options":{"a":"\u00e9\n"},"x":[1,-2,3.5e2,null,true]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		packed, err := fromJSON(nil, line)
		if err != nil {
			return
		}
		if !json.Valid(line) {
			t.Fatalf("%q is read, and is no JSON", line)
		}
		text, err := toJSON(nil, &reader{data: packed})
		if err != nil {
			t.Fatal(err)
		}
		again, err := fromJSON(nil, text)
		if err != nil || !bytes.Equal(packed, again) {
			t.Fatalf("%q is written as %q: %v", line, text, err)
		}
	})
}
