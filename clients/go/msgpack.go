package shakedown

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// Inside a host all values are MessagePack. A connection that speaks JSON is translated at its border (json.go).

// The limits of the protocol.
const (
	frameMax = 16 << 20 // bytes of a frame
	depthMax = 128      // lists and maps inside each other
	sendsMax = 10_000   // messages in one reply
)

var (
	errShort = errors.New("the value ends early")
	errDeep  = fmt.Errorf("lists and maps are nested deeper than %d", depthMax)
)

func appendNil(b []byte) []byte { return append(b, 0xc0) }

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 0xc3)
	}
	return append(b, 0xc2)
}

func appendUint(b []byte, v uint64) []byte {
	switch {
	case v < 0x80:
		return append(b, byte(v))
	case v <= math.MaxUint8:
		return append(b, 0xcc, byte(v))
	case v <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, 0xcd), uint16(v))
	case v <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, 0xce), uint32(v))
	}
	return binary.BigEndian.AppendUint64(append(b, 0xcf), v)
}

func appendInt(b []byte, v int64) []byte {
	switch {
	case v >= 0:
		return appendUint(b, uint64(v))
	case v >= -32:
		return append(b, byte(v))
	case v >= math.MinInt8:
		return append(b, 0xd0, byte(v))
	case v >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(b, 0xd1), uint16(v))
	case v >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(b, 0xd2), uint32(v))
	}
	return binary.BigEndian.AppendUint64(append(b, 0xd3), uint64(v))
}

func appendFloat(b []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(append(b, 0xcb), math.Float64bits(v))
}

func appendText(b []byte, v string) []byte {
	switch n := len(v); {
	case n < 32:
		b = append(b, 0xa0|byte(n))
	case n <= math.MaxUint8:
		b = append(b, 0xd9, byte(n))
	case n <= math.MaxUint16:
		b = binary.BigEndian.AppendUint16(append(b, 0xda), uint16(n))
	default:
		b = binary.BigEndian.AppendUint32(append(b, 0xdb), uint32(n))
	}
	return append(b, v...)
}

func appendBytes(b []byte, v []byte) []byte {
	switch n := len(v); {
	case n <= math.MaxUint8:
		b = append(b, 0xc4, byte(n))
	case n <= math.MaxUint16:
		b = binary.BigEndian.AppendUint16(append(b, 0xc5), uint16(n))
	default:
		b = binary.BigEndian.AppendUint32(append(b, 0xc6), uint32(n))
	}
	return append(b, v...)
}

func appendList(b []byte, n int) []byte {
	switch {
	case n < 16:
		return append(b, 0x90|byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, 0xdc), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, 0xdd), uint32(n))
}

func appendMap(b []byte, n int) []byte {
	switch {
	case n < 16:
		return append(b, 0x80|byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, 0xde), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, 0xdf), uint32(n))
}

// form is what a value is.
type form uint8

const (
	formNil form = iota
	formBool
	formInt  // negative
	formUint // not negative
	formFloat
	formText
	formBytes
	formList
	formMap
)

func (f form) String() string {
	names := [...]string{
		"null", "a truth value", "a negative integer", "an integer", "a floating point number", "a text", "bytes",
		"a list", "a map",
	}
	return names[f]
}

// head is the beginning of a value: all of a number or truth value; the length of what follows otherwise.
type head struct {
	form form
	bits uint64 // the number; the bits of a floating point number; a length in bytes, items or pairs
}

func (h head) int() int64 { return int64(h.bits) }

// reader reads MessagePack from a slice.
type reader struct {
	data []byte
	at   int
}

func (r *reader) left() int { return len(r.data) - r.at }

func (r *reader) take(n int) ([]byte, error) {
	if n < 0 || n > r.left() {
		return nil, errShort
	}
	part := r.data[r.at : r.at+n]
	r.at += n
	return part, nil
}

// number reads n bytes, the most significant first.
func (r *reader) number(n int) (uint64, error) {
	part, err := r.take(n)
	if err != nil {
		return 0, err
	}
	var v uint64
	for _, b := range part {
		v = v<<8 | uint64(b)
	}
	return v, nil
}

// head reads the beginning of a value. What it gives as a length is there, as far as bytes can show it.
func (r *reader) head() (head, error) {
	if r.at >= len(r.data) {
		return head{}, errShort
	}
	tag := r.data[r.at]
	r.at++
	switch {
	case tag < 0x80:
		return head{formUint, uint64(tag)}, nil
	case tag < 0x90:
		return r.sized(formMap, uint64(tag&0x0f))
	case tag < 0xa0:
		return r.sized(formList, uint64(tag&0x0f))
	case tag < 0xc0:
		return r.sized(formText, uint64(tag&0x1f))
	case tag >= 0xe0:
		return head{formInt, uint64(int64(int8(tag)))}, nil
	}
	return r.longHead(tag)
}

func (r *reader) longHead(tag byte) (head, error) {
	switch tag {
	case 0xc0:
		return head{formNil, 0}, nil
	case 0xc2, 0xc3:
		return head{formBool, uint64(tag & 1)}, nil
	case 0xc4, 0xc5, 0xc6:
		return r.sizedBy(formBytes, 1<<(tag-0xc4))
	case 0xca:
		bits, err := r.number(4)
		return head{formFloat, math.Float64bits(float64(math.Float32frombits(uint32(bits))))}, err
	case 0xcb:
		bits, err := r.number(8)
		return head{formFloat, bits}, err
	case 0xcc, 0xcd, 0xce, 0xcf:
		v, err := r.number(1 << (tag - 0xcc))
		return head{formUint, v}, err
	case 0xd0, 0xd1, 0xd2, 0xd3:
		return r.signed(1 << (tag - 0xd0))
	case 0xd9, 0xda, 0xdb:
		return r.sizedBy(formText, 1<<(tag-0xd9))
	case 0xdc, 0xdd:
		return r.sizedBy(formList, 2<<(tag-0xdc))
	case 0xde, 0xdf:
		return r.sizedBy(formMap, 2<<(tag-0xde))
	}
	return head{}, fmt.Errorf("no value of the protocol begins with byte %#02x", tag)
}

func (r *reader) signed(n int) (head, error) {
	bits, err := r.number(n)
	if err != nil {
		return head{}, err
	}
	unused := 64 - 8*n
	v := int64(bits<<unused) >> unused
	if v < 0 {
		return head{formInt, uint64(v)}, nil
	}
	return head{formUint, uint64(v)}, nil
}

func (r *reader) sizedBy(f form, n int) (head, error) {
	length, err := r.number(n)
	if err != nil {
		return head{}, err
	}
	return r.sized(f, length)
}

// sized refuses a length that cannot be there: an item has a byte at least, a pair has two.
func (r *reader) sized(f form, length uint64) (head, error) {
	least := length
	if f == formMap {
		least *= 2
	}
	if length > frameMax || least > uint64(r.left()) {
		return head{}, errShort
	}
	return head{f, length}, nil
}

// text reads a text. It is a part of the reader's data.
func (r *reader) text() ([]byte, error) {
	h, err := r.head()
	if err != nil {
		return nil, err
	}
	if h.form != formText {
		return nil, fmt.Errorf("%v where a text belongs", h.form)
	}
	part, err := r.take(int(h.bits))
	if err == nil && !utf8.Valid(part) {
		return nil, errors.New("a text is not UTF-8")
	}
	return part, err
}

// uint reads an integer that is not negative.
func (r *reader) uint() (uint64, error) {
	h, err := r.head()
	if err != nil {
		return 0, err
	}
	if h.form != formUint {
		return 0, fmt.Errorf("%v where a number belongs", h.form)
	}
	return h.bits, nil
}

// pairs reads the beginning of a map.
func (r *reader) pairs() (int, error) {
	h, err := r.head()
	if err != nil {
		return 0, err
	}
	if h.form != formMap {
		return 0, fmt.Errorf("%v where a map belongs", h.form)
	}
	return int(h.bits), nil
}

// value reads over a value and gives its bytes. It checks all of it.
func (r *reader) value() ([]byte, error) {
	begin := r.at
	if err := r.skip(0); err != nil {
		return nil, err
	}
	return r.data[begin:r.at], nil
}

func (r *reader) skip(depth int) error {
	h, err := r.head()
	if err != nil {
		return err
	}
	switch h.form {
	case formText:
		part, err := r.take(int(h.bits))
		if err == nil && !utf8.Valid(part) {
			return errors.New("a text is not UTF-8")
		}
		return err
	case formBytes:
		_, err := r.take(int(h.bits))
		return err
	case formList, formMap:
		if depth >= depthMax {
			return errDeep
		}
	}
	switch h.form {
	case formList:
		for range h.bits {
			if err := r.skip(depth + 1); err != nil {
				return err
			}
		}
	case formMap:
		for range h.bits {
			if _, err := r.text(); err != nil {
				return err
			}
			if err := r.skip(depth + 1); err != nil {
				return err
			}
		}
	}
	return nil
}
