package shakedown

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Marshaler is a type that travels as another value, for example an enumeration that travels as its name.
type Marshaler interface {
	// MarshalShakedown gives the value that travels.
	MarshalShakedown() (any, error)
}

// Marshal encodes a value as MessagePack, the way messages and states are encoded.
//
// A value is nil, a truth value, an integer, a floating point number (not NaN, not infinite), a string of UTF-8, bytes
// ([]byte), a slice or an array of values, a map from strings to values, a struct, a pointer to a value, a [Raw], or a
// [Marshaler]. A struct is a map of its exported fields; the tag `json:"name,omitempty"` renames a field, leaves it
// out when it is zero, or (`json:"-"`) hides it. Maps are encoded in the order of their keys.
func Marshal(value any) ([]byte, error) {
	return appendAny(nil, value, 0)
}

// appendAny is Marshal with short ways for the common types, which need no reflection.
func appendAny(b []byte, value any, depth int) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return appendNil(b), nil
	case bool:
		return appendBool(b, v), nil
	case int:
		return appendInt(b, int64(v)), nil
	case int64:
		return appendInt(b, v), nil
	case uint64:
		return appendUint(b, v), nil
	case uint32:
		return appendUint(b, uint64(v)), nil
	case string:
		return appendString(b, v)
	case []byte:
		return appendBytes(b, v), nil
	case Raw:
		return v.appendTo(b)
	case Marshaler:
		return appendMarshaler(b, v, depth)
	}
	return appendReflected(b, reflect.ValueOf(value), depth)
}

func appendString(b []byte, v string) ([]byte, error) {
	if !utf8.ValidString(v) {
		return b, fmt.Errorf("the text %q is not UTF-8; send bytes", v)
	}
	return appendText(b, v), nil
}

func appendMarshaler(b []byte, v Marshaler, depth int) ([]byte, error) {
	if depth >= depthMax {
		return b, errDeep
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() {
		return appendNil(b), nil
	}
	other, err := v.MarshalShakedown()
	if err != nil {
		return b, err
	}
	return appendAny(b, other, depth+1)
}

var marshalerType = reflect.TypeFor[Marshaler]()
var rawType = reflect.TypeFor[Raw]()

func appendReflected(b []byte, v reflect.Value, depth int) ([]byte, error) {
	switch v.Kind() {
	case reflect.Bool:
		return appendBool(b, v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return appendInt(b, v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return appendUint(b, v.Uint()), nil
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return b, fmt.Errorf("%v is no value of the protocol", f)
		}
		return appendFloat(b, v.Float()), nil
	case reflect.String:
		return appendString(b, v.String())
	}
	if depth >= depthMax {
		return b, errDeep
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return appendNil(b), nil
		}
		return appendItem(b, v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		return appendItems(b, v, depth)
	case reflect.Map:
		return appendPairs(b, v, depth)
	case reflect.Struct:
		return appendStruct(b, v, depth)
	}
	return b, fmt.Errorf("a %v is no value of the protocol", v.Type())
}

// appendItem appends a part of a value. Its type may have a way of its own.
func appendItem(b []byte, v reflect.Value, depth int) ([]byte, error) {
	if t := v.Type(); v.Kind() == reflect.Interface || t == rawType || t.Implements(marshalerType) {
		if v.Kind() == reflect.Interface && v.IsNil() {
			return appendNil(b), nil
		}
		return appendAny(b, v.Interface(), depth)
	}
	return appendReflected(b, v, depth)
}

func appendItems(b []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.Type().Elem().Kind() == reflect.Uint8 && v.Kind() == reflect.Slice {
		return appendBytes(b, v.Bytes()), nil
	}
	b = appendList(b, v.Len())
	var err error
	for i := 0; i < v.Len() && err == nil; i++ {
		b, err = appendItem(b, v.Index(i), depth+1)
	}
	return b, err
}

func appendPairs(b []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.Type().Key().Kind() != reflect.String {
		return b, fmt.Errorf("the keys of a %v are no texts", v.Type())
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	b = appendMap(b, len(keys))
	for _, key := range keys {
		var err error
		if b, err = appendString(b, key.String()); err != nil {
			return b, err
		}
		if b, err = appendItem(b, v.MapIndex(key), depth+1); err != nil {
			return b, err
		}
	}
	return b, nil
}

// field is a field of a struct as it travels.
type field struct {
	name      string
	index     int
	omitEmpty bool
}

// fieldsByType remembers fieldsOf.
var fieldsByType sync.Map

func fieldsOf(t reflect.Type) []field {
	if known, ok := fieldsByType.Load(t); ok {
		return known.([]field)
	}
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		fields = append(fields, field{name, i, slices.Contains(strings.Split(rest, ","), "omitempty")})
	}
	fieldsByType.Store(t, fields)
	return fields
}

func appendStruct(b []byte, v reflect.Value, depth int) ([]byte, error) {
	fields := fieldsOf(v.Type())
	count := 0
	for _, f := range fields {
		if !f.omitEmpty || !v.Field(f.index).IsZero() {
			count++
		}
	}
	b = appendMap(b, count)
	for _, f := range fields {
		part := v.Field(f.index)
		if f.omitEmpty && part.IsZero() {
			continue
		}
		var err error
		if b, err = appendItem(appendText(b, f.name), part, depth+1); err != nil {
			return b, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return b, nil
}
