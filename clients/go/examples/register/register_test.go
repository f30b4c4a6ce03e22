package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"shakedown.dev/go"
)

type vectors struct {
	Handshake  map[string]any
	Transcript []struct{ Call, Reply map[string]any }
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	data, err := os.ReadFile("../../../vectors/register.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	if len(v.Transcript) == 0 {
		t.Fatal("the transcript is empty")
	}
	return v
}

// normal brings a value into one form, whatever it was decoded from.
func normal(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var again any
	if err := decoder.Decode(&again); err != nil {
		panic(err)
	}
	return again
}

// packable replaces the numbers of encoding/json by integers.
func packable(value any) any {
	switch v := value.(type) {
	case json.Number:
		number, err := v.Int64()
		if err != nil {
			panic(err)
		}
		return number
	case []any:
		for i := range v {
			v[i] = packable(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = packable(v[key])
		}
	}
	return value
}

func TestTranscriptIsThatOfTheVectors(t *testing.T) {
	for _, encoding := range []string{"json", "msgpack"} {
		t.Run(encoding, func(t *testing.T) {
			v := readVectors(t)
			var in, out bytes.Buffer
			in.WriteString(`{"call":"hello","protocol":1,"encoding":"` + encoding + "\"}\n")
			for _, line := range v.Transcript {
				if encoding == "json" {
					text, _ := json.Marshal(line.Call)
					in.Write(append(text, '\n'))
					continue
				}
				packed, err := shakedown.Marshal(packable(line.Call))
				if err != nil {
					t.Fatal(err)
				}
				in.Write(binary.BigEndian.AppendUint32(nil, uint32(len(packed))))
				in.Write(packed)
			}
			if err := host().ServeOn(&in, &out); err != nil {
				t.Fatal(err)
			}
			compare(t, v, encoding, &out)
		})
	}
}

func compare(t *testing.T, v vectors, encoding string, out *bytes.Buffer) {
	t.Helper()
	line, err := out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var welcome map[string]any
	if err := json.Unmarshal(line, &welcome); err != nil {
		t.Fatal(err)
	}
	for name, want := range v.Handshake {
		if !reflect.DeepEqual(normal(welcome[name]), normal(want)) {
			t.Errorf("handshake: %s is %v, not %v", name, welcome[name], want)
		}
	}
	for _, line := range v.Transcript {
		if line.Reply == nil {
			continue
		}
		var reply any
		if encoding == "json" {
			text, err := out.ReadBytes('\n')
			if err != nil {
				t.Fatal(err)
			}
			reply = json.RawMessage(text)
		} else {
			packed := out.Next(int(binary.BigEndian.Uint32(out.Next(4))))
			if err := shakedown.Unmarshal(packed, &reply); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := normal(reply), normal(line.Reply); !reflect.DeepEqual(got, want) {
			t.Errorf("%v:\n  reply %v\n  not   %v", line.Call, got, want)
		}
	}
	if out.Len() > 0 {
		t.Errorf("%d bytes follow", out.Len())
	}
}
