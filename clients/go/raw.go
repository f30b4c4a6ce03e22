package shakedown

import (
	"errors"
	"reflect"
)

// Raw is a value that has arrived and is not decoded yet. It is well-formed: that was checked when it arrived.
//
// A Raw that a node gets is valid until the call returns. What is decoded from it stays.
type Raw struct {
	data []byte
	// text: it came as JSON, where bytes are a text in base64.
	text bool
}

// Unmarshaler is a type that decodes itself: the counterpart of [Marshaler].
type Unmarshaler interface {
	UnmarshalShakedown(raw Raw) error
}

// Unmarshal decodes MessagePack, as [Marshal] encodes it, into what target points to. See [Raw.Decode].
func Unmarshal(data []byte, target any) error {
	r := reader{data: data}
	if _, err := r.value(); err != nil {
		return err
	}
	if r.left() > 0 {
		return errors.New("something follows the value")
	}
	return Raw{data: data}.Decode(target)
}

// Decode decodes the value into what target points to: a variable of any type that [Marshal] takes. Numbers must fit.
// Fields that a struct does not have are ignored, and fields that are missing are left as they are. A variable of type
// any gets nil, a bool, an int64 (a uint64 if it is larger), a float64, a string, a []byte, a []any or a
// map[string]any.
func (raw Raw) Decode(target any) error {
	if raw.data == nil {
		return errors.New("there is no value")
	}
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return errors.New("a value is decoded into what a pointer points to")
	}
	d := decoder{reader{data: raw.data}, raw.text}
	return d.decode(v.Elem(), 0)
}

// Decode decodes a value as a T: see [Raw.Decode].
func Decode[T any](raw Raw) (T, error) {
	var value T
	err := raw.Decode(&value)
	return value, err
}

// Bytes decodes the value as bytes.
func (raw Raw) Bytes() ([]byte, error) {
	d := decoder{reader{data: raw.data}, raw.text}
	return d.bytes()
}

// IsNil reports whether the value is null, or not there.
func (raw Raw) IsNil() bool { return len(raw.data) == 0 || raw.data[0] == 0xc0 }

func (raw Raw) appendTo(b []byte) ([]byte, error) {
	if raw.data == nil {
		return appendNil(b), nil
	}
	return append(b, raw.data...), nil
}

// NewRaw encodes a value that is sent often and seldom changes: a Raw costs nothing to encode.
func NewRaw(value any) (Raw, error) {
	data, err := Marshal(value)
	return Raw{data: data}, err
}
