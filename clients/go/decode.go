package shakedown

import (
	"encoding/base64"
	"fmt"
	"math"
	"reflect"
)

type decoder struct {
	reader
	fromText bool
}

func (d *decoder) bytes() ([]byte, error) {
	h, err := d.head()
	if err != nil {
		return nil, err
	}
	return d.bytesOf(h)
}

func (d *decoder) bytesOf(h head) ([]byte, error) {
	switch {
	case h.form == formBytes:
		part, err := d.take(int(h.bits))
		return append([]byte{}, part...), err
	case h.form == formText && d.fromText:
		part, err := d.take(int(h.bits))
		if err != nil {
			return nil, err
		}
		return base64.StdEncoding.Strict().DecodeString(string(part))
	}
	return nil, fmt.Errorf("%v where bytes belong", h.form)
}

var unmarshalerType = reflect.TypeFor[Unmarshaler]()

func (d *decoder) decode(v reflect.Value, depth int) error {
	if depth > depthMax {
		return errDeep
	}
	if v.Type() == rawType {
		part, err := d.value()
		v.Set(reflect.ValueOf(Raw{append([]byte{}, part...), d.fromText}))
		return err
	}
	if v.CanAddr() && v.Kind() != reflect.Pointer && v.Addr().Type().Implements(unmarshalerType) {
		part, err := d.value()
		if err != nil {
			return err
		}
		return v.Addr().Interface().(Unmarshaler).UnmarshalShakedown(Raw{part, d.fromText})
	}
	begin := d.at
	h, err := d.head()
	if err != nil {
		return err
	}
	switch v.Kind() {
	case reflect.Pointer:
		if h.form == formNil {
			v.SetZero()
			return nil
		}
		d.at = begin
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return d.decode(v.Elem(), depth+1)
	case reflect.Interface:
		value, err := d.anything(h, depth)
		if err == nil && value != nil {
			if !reflect.TypeOf(value).AssignableTo(v.Type()) {
				return fmt.Errorf("%v cannot be decoded", v.Type())
			}
			v.Set(reflect.ValueOf(value))
		} else if err == nil {
			v.SetZero()
		}
		return err
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		return d.composite(h, v, depth)
	}
	return d.scalar(h, v)
}

func (d *decoder) scalar(h head, v reflect.Value) error {
	wrong := func() error { return fmt.Errorf("%v where a %v belongs", h.form, v.Type()) }
	switch v.Kind() {
	case reflect.Bool:
		if h.form != formBool {
			return wrong()
		}
		v.SetBool(h.bits == 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if h.form != formInt && (h.form != formUint || h.bits > math.MaxInt64) || v.OverflowInt(h.int()) {
			return wrong()
		}
		v.SetInt(h.int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if h.form != formUint || v.OverflowUint(h.bits) {
			return wrong()
		}
		v.SetUint(h.bits)
	case reflect.Float32, reflect.Float64:
		switch h.form {
		case formFloat:
			v.SetFloat(math.Float64frombits(h.bits))
		case formInt:
			v.SetFloat(float64(h.int()))
		case formUint:
			v.SetFloat(float64(h.bits))
		default:
			return wrong()
		}
	case reflect.String:
		if h.form != formText {
			return wrong()
		}
		part, err := d.take(int(h.bits))
		if err != nil {
			return err
		}
		v.SetString(string(part))
	default:
		return fmt.Errorf("a %v cannot be decoded", v.Type())
	}
	return nil
}

func (d *decoder) composite(h head, v reflect.Value, depth int) error {
	switch v.Kind() {
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			part, err := d.bytesOf(h)
			if err == nil {
				v.SetBytes(part)
			}
			return err
		}
		if h.form == formNil {
			v.SetZero()
			return nil
		}
		if h.form != formList {
			return fmt.Errorf("%v where a list belongs", h.form)
		}
		return d.slice(h, v, depth)
	case reflect.Array:
		if h.form != formList || int(h.bits) != v.Len() {
			return fmt.Errorf("%v where a list of %d belongs", h.form, v.Len())
		}
		for i := range v.Len() {
			if err := d.decode(v.Index(i), depth+1); err != nil {
				return err
			}
		}
		return nil
	case reflect.Map:
		return d.pairsInto(h, v, depth)
	}
	if h.form != formMap {
		return fmt.Errorf("%v where a map belongs", h.form)
	}
	return d.structure(h, v, depth)
}

func (d *decoder) slice(h head, v reflect.Value, depth int) error {
	// The sender's length reserves little: what is decoded from a byte may be much larger than a byte.
	slice := reflect.MakeSlice(v.Type(), 0, min(int(h.bits), 64))
	for range h.bits {
		slice = reflect.Append(slice, reflect.Zero(v.Type().Elem()))
		if err := d.decode(slice.Index(slice.Len()-1), depth+1); err != nil {
			return err
		}
	}
	v.Set(slice)
	return nil
}

func (d *decoder) pairsInto(h head, v reflect.Value, depth int) error {
	if h.form == formNil {
		v.SetZero()
		return nil
	}
	if h.form != formMap || v.Type().Key().Kind() != reflect.String {
		return fmt.Errorf("%v where a %v belongs", h.form, v.Type())
	}
	pairs := reflect.MakeMap(v.Type())
	for range h.bits {
		key, err := d.text()
		if err != nil {
			return err
		}
		value := reflect.New(v.Type().Elem()).Elem()
		if err := d.decode(value, depth+1); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		pairs.SetMapIndex(reflect.ValueOf(string(key)).Convert(v.Type().Key()), value)
	}
	v.Set(pairs)
	return nil
}

func (d *decoder) structure(h head, v reflect.Value, depth int) error {
	fields := fieldsOf(v.Type())
	for range h.bits {
		key, err := d.text()
		if err != nil {
			return err
		}
		known := -1
		for i := range fields {
			if fields[i].name == string(key) {
				known = fields[i].index
			}
		}
		if known < 0 {
			if err := d.skip(depth + 1); err != nil {
				return err
			}
			continue
		}
		if err := d.decode(v.Field(known), depth+1); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// anything decodes a value of which no type is known.
func (d *decoder) anything(h head, depth int) (any, error) {
	switch h.form {
	case formNil:
		return nil, nil
	case formBool:
		return h.bits == 1, nil
	case formInt:
		return h.int(), nil
	case formUint:
		if h.bits > math.MaxInt64 {
			return h.bits, nil
		}
		return int64(h.bits), nil
	case formFloat:
		return math.Float64frombits(h.bits), nil
	case formText:
		part, err := d.take(int(h.bits))
		return string(part), err
	case formBytes:
		part, err := d.take(int(h.bits))
		return append([]byte{}, part...), err
	}
	if depth >= depthMax {
		return nil, errDeep
	}
	if h.form == formList {
		items := make([]any, 0, min(int(h.bits), 64))
		for range h.bits {
			item, err := d.next(depth + 1)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		return items, nil
	}
	pairs := map[string]any{}
	for range h.bits {
		key, err := d.text()
		if err != nil {
			return nil, err
		}
		value, err := d.next(depth + 1)
		if err != nil {
			return nil, err
		}
		pairs[string(key)] = value
	}
	return pairs, nil
}

func (d *decoder) next(depth int) (any, error) {
	h, err := d.head()
	if err != nil {
		return nil, err
	}
	return d.anything(h, depth)
}
