package shakedown

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// fromJSON appends the MessagePack of one line of JSON.
func fromJSON(b, line []byte) ([]byte, error) {
	j := jsonReader{line: line, out: b}
	if err := j.value(0); err != nil {
		return b, fmt.Errorf("byte %d of the line: %w", j.at+1, err)
	}
	if j.space(); j.at < len(line) {
		return b, fmt.Errorf("byte %d of the line: something follows the value", j.at+1)
	}
	return j.out, nil
}

type jsonReader struct {
	line []byte
	at   int
	out  []byte
}

func (j *jsonReader) space() {
	for j.at < len(j.line) {
		switch j.line[j.at] {
		case ' ', '\t', '\r', '\n':
			j.at++
		default:
			return
		}
	}
}

// peek gives the next byte that is no space, or 0 at the end.
func (j *jsonReader) peek() byte {
	j.space()
	if j.at < len(j.line) {
		return j.line[j.at]
	}
	return 0
}

func (j *jsonReader) value(depth int) error {
	switch c := j.peek(); {
	case c == '{':
		return j.pairs(depth)
	case c == '[':
		return j.items(depth)
	case c == '"':
		return j.text()
	case c == '-' || c >= '0' && c <= '9':
		return j.number()
	case c == 't':
		return j.word("true", 0xc3)
	case c == 'f':
		return j.word("false", 0xc2)
	case c == 'n':
		return j.word("null", 0xc0)
	}
	return errors.New("a value is missing")
}

func (j *jsonReader) word(word string, tag byte) error {
	if len(j.line)-j.at < len(word) || string(j.line[j.at:j.at+len(word)]) != word {
		return fmt.Errorf("%s is misspelt", word)
	}
	j.at += len(word)
	j.out = append(j.out, tag)
	return nil
}

// open reserves the head of a list or a map, whose length is known at its end.
func (j *jsonReader) open(tag byte, depth int) (int, error) {
	if depth >= depthMax {
		return 0, errDeep
	}
	j.at++
	j.out = append(j.out, tag, 0, 0, 0, 0)
	return len(j.out) - 4, nil
}

func (j *jsonReader) items(depth int) error {
	place, err := j.open(0xdd, depth)
	if err != nil {
		return err
	}
	if j.peek() == ']' {
		j.at++
		return nil
	}
	for count, more := uint32(1), true; more; count++ {
		if err := j.value(depth + 1); err != nil {
			return err
		}
		if more, err = j.more(']'); err != nil {
			return err
		}
		binary.BigEndian.PutUint32(j.out[place:], count)
	}
	return nil
}

func (j *jsonReader) pairs(depth int) error {
	place, err := j.open(0xdf, depth)
	if err != nil {
		return err
	}
	if j.peek() == '}' {
		j.at++
		return nil
	}
	for count, more := uint32(1), true; more; count++ {
		if err := j.pair(depth); err != nil {
			return err
		}
		if more, err = j.more('}'); err != nil {
			return err
		}
		binary.BigEndian.PutUint32(j.out[place:], count)
	}
	return nil
}

func (j *jsonReader) pair(depth int) error {
	if j.peek() != '"' {
		return errors.New("a key is missing")
	}
	if err := j.text(); err != nil {
		return err
	}
	if j.peek() != ':' {
		return errors.New("a colon is missing")
	}
	j.at++
	return j.value(depth + 1)
}

// more reads a comma, or the end of a list or a map.
func (j *jsonReader) more(end byte) (bool, error) {
	switch j.peek() {
	case ',':
		j.at++
		return true, nil
	case end:
		j.at++
		return false, nil
	}
	return false, fmt.Errorf("a comma or %c is missing", end)
}

func (j *jsonReader) text() error {
	begin := j.at + 1
	plain := true
	for end := begin; end < len(j.line); end++ {
		switch c := j.line[end]; {
		case c == '"':
			part := j.line[begin:end]
			j.at = end + 1
			return j.textOf(part, plain)
		case c == '\\':
			plain = false
			end++
		case c < ' ':
			return errors.New("a text has a control character inside")
		}
	}
	return errors.New("a text has no end")
}

func (j *jsonReader) textOf(part []byte, plain bool) error {
	if !utf8.Valid(part) {
		return errors.New("a text is not UTF-8")
	}
	if plain {
		j.out = appendText(j.out, string(part))
		return nil
	}
	// Escapes are rare, so the standard library does them.
	var text string
	quoted := append(append([]byte{'"'}, part...), '"')
	if err := json.Unmarshal(quoted, &text); err != nil {
		return errors.New("a text has a bad escape")
	}
	j.out = appendText(j.out, text)
	return nil
}

func (j *jsonReader) number() error {
	begin := j.at
	whole := true
	for j.at < len(j.line) {
		c := j.line[j.at]
		if c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-' && j.at > begin {
			whole = false
		} else if c != '-' && (c < '0' || c > '9') {
			break
		}
		j.at++
	}
	text := j.line[begin:j.at]
	if !json.Valid(text) {
		return fmt.Errorf("%q is no number", text)
	}
	if whole {
		if v, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			j.out = appendInt(j.out, v)
			return nil
		}
		if v, err := strconv.ParseUint(string(text), 10, 64); err == nil {
			j.out = appendUint(j.out, v)
			return nil
		}
		return fmt.Errorf("%s is outside of -2^63 to 2^64-1", text)
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsInf(v, 0) {
		return fmt.Errorf("%s is too large", text)
	}
	j.out = appendFloat(j.out, v)
	return nil
}

// toJSON appends the JSON of one value in MessagePack, which this library has written or checked.
func toJSON(b []byte, r *reader) ([]byte, error) {
	h, err := r.head()
	if err != nil {
		return b, err
	}
	switch h.form {
	case formNil:
		return append(b, "null"...), nil
	case formBool:
		return strconv.AppendBool(b, h.bits == 1), nil
	case formInt:
		return strconv.AppendInt(b, h.int(), 10), nil
	case formUint:
		return strconv.AppendUint(b, h.bits, 10), nil
	case formFloat:
		return appendJSONFloat(b, math.Float64frombits(h.bits))
	case formText:
		part, err := r.take(int(h.bits))
		return appendJSONText(b, part), err
	case formBytes:
		part, err := r.take(int(h.bits))
		b = append(b, '"')
		b = base64.StdEncoding.AppendEncode(b, part)
		return append(b, '"'), err
	case formList:
		b = append(b, '[')
		for i := range h.bits {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = toJSON(b, r); err != nil {
				return b, err
			}
		}
		return append(b, ']'), nil
	}
	b = append(b, '{')
	for i := range h.bits {
		if i > 0 {
			b = append(b, ',')
		}
		key, err := r.text()
		if err != nil {
			return b, err
		}
		b = append(appendJSONText(b, key), ':')
		if b, err = toJSON(b, r); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}

// appendJSONFloat writes a floating point number so that it reads back as one: with a point or an exponent.
func appendJSONFloat(b []byte, v float64) ([]byte, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return b, fmt.Errorf("%v is no value of the protocol", v)
	}
	begin := len(b)
	b = strconv.AppendFloat(b, v, 'g', -1, 64)
	for _, c := range b[begin:] {
		if c == '.' || c == 'e' {
			return b, nil
		}
	}
	return append(b, ".0"...), nil
}

func appendJSONText(b, text []byte) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
