package shakedown

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"reflect"
	"strconv"
	"testing"
)

func readVectors(t *testing.T, name string, target any) {
	t.Helper()
	data, err := os.ReadFile("../vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, target); err != nil {
		t.Fatal(err)
	}
}

func TestRandomDrawsWhatTheVectorsHave(t *testing.T) {
	var vectors []struct {
		Seed  string
		Draws []string
		Below []struct {
			Bound   string
			Numbers []string
		}
	}
	readVectors(t, "random.json", &vectors)
	number := func(text string, base int) uint64 {
		v, err := strconv.ParseUint(text, base, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if len(vectors) == 0 {
		t.Fatal("there are no vectors")
	}
	for _, vector := range vectors {
		seed := number(vector.Seed, 16)
		random := NewRandom(seed)
		for i, draw := range vector.Draws {
			if got := random.Uint64(); got != number(draw, 16) {
				t.Errorf("seed %s, draw %d: %016x, not %s", vector.Seed, i, got, draw)
			}
		}
		for _, below := range vector.Below {
			random := NewRandom(seed)
			for i, want := range below.Numbers {
				if got := random.Below(number(below.Bound, 10)); got != number(want, 10) {
					t.Errorf("seed %s, number %d below %s: %d, not %s", vector.Seed, i, below.Bound, got, want)
				}
			}
		}
	}
}

// typed is a value in the notation of msgpack.json.
type typed map[string]json.RawMessage

// value is what Unmarshal makes of it in a variable of type any.
func (v typed) value(t *testing.T) any {
	t.Helper()
	for kind, content := range v {
		var text string
		_ = json.Unmarshal(content, &text)
		switch kind {
		case "null":
			return nil
		case "bool":
			return string(content) == "true"
		case "int":
			if n, err := strconv.ParseInt(text, 10, 64); err == nil {
				return n
			}
			n, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		case "float":
			f, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			return f
		case "text":
			return text
		case "bytes":
			data, err := hex.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			return data
		case "list":
			var items []typed
			_ = json.Unmarshal(content, &items)
			list := []any{}
			for _, item := range items {
				list = append(list, item.value(t))
			}
			return list
		case "map":
			var pairs [][2]json.RawMessage
			_ = json.Unmarshal(content, &pairs)
			values := map[string]any{}
			for _, pair := range pairs {
				var key string
				var item typed
				_ = json.Unmarshal(pair[0], &key)
				_ = json.Unmarshal(pair[1], &item)
				values[key] = item.value(t)
			}
			return values
		}
	}
	t.Fatalf("%v is no value", v)
	return nil
}

type packedVectors struct {
	Good []struct {
		Value     typed
		Hex, JSON string
	}
	Also []struct {
		Value typed
		Hex   string
	}
	Bad []struct{ Hex, Why string }
}

func decoded(t *testing.T, digits string) any {
	t.Helper()
	data, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := Unmarshal(data, &got); err != nil {
		t.Errorf("%s: %v", digits, err)
	}
	return got
}

func TestMessagePackIsWhatTheVectorsHave(t *testing.T) {
	var vectors packedVectors
	readVectors(t, "msgpack.json", &vectors)
	if len(vectors.Good) == 0 || len(vectors.Also) == 0 || len(vectors.Bad) == 0 {
		t.Fatal("there are no vectors")
	}
	for _, vector := range vectors.Good {
		want := vector.Value.value(t)
		if got := decoded(t, vector.Hex); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is decoded as %#v, not %#v", vector.Hex, got, want)
		}
		packed, err := Marshal(want)
		if err != nil || hex.EncodeToString(packed) != vector.Hex {
			t.Errorf("%#v is encoded as %x, not %s (%v)", want, packed, vector.Hex, err)
		}
	}
	for _, vector := range vectors.Also {
		if got, want := decoded(t, vector.Hex), vector.Value.value(t); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is decoded as %#v, not %#v", vector.Hex, got, want)
		}
	}
	for _, vector := range vectors.Bad {
		data, err := hex.DecodeString(vector.Hex)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := Unmarshal(data, &got); err == nil {
			t.Errorf("%s (%s) is decoded as %#v", vector.Hex, vector.Why, got)
		}
	}
}

func TestJSONIsWhatTheVectorsHave(t *testing.T) {
	var vectors packedVectors
	readVectors(t, "msgpack.json", &vectors)
	for _, vector := range vectors.Good {
		want := vector.Value.value(t)
		packed, err := fromJSON(nil, []byte(vector.JSON))
		if err != nil {
			t.Errorf("%s: %v", vector.JSON, err)
			continue
		}
		if bytesWanted, ok := want.([]byte); ok {
			got, err := Raw{packed, true}.Bytes()
			if err != nil || !bytes.Equal(got, bytesWanted) {
				t.Errorf("%s is read as %x, not %x (%v)", vector.JSON, got, bytesWanted, err)
			}
		} else if got, err := Decode[any](Raw{packed, true}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %#v, not %#v (%v)", vector.JSON, got, want, err)
		}
		data, _ := hex.DecodeString(vector.Hex)
		text, err := toJSON(nil, &reader{data: data})
		if err != nil {
			t.Error(err)
		}
		var got, again any
		if json.Unmarshal(text, &got) != nil || json.Unmarshal([]byte(vector.JSON), &again) != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("%s is written as %s", vector.JSON, text)
		}
	}
}
