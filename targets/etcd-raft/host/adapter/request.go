package adapter

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"shakedown.dev/go"
)

// registerOp is a request to registers as it travels in the log. Exactly one field is set.
type registerOp struct {
	Read  *uint8    `json:"read,omitempty"`
	Write *keyValue `json:"write,omitempty"`
	When  *when     `json:"when,omitempty"`
}

type when struct {
	Key   uint8    `json:"key"`
	Is    uint64   `json:"is"`
	Write keyValue `json:"write"`
}

// keyValue is a pair that travels as a list of two numbers.
type keyValue pair

// UnmarshalShakedown implements [shakedown.Unmarshaler].
func (p *keyValue) UnmarshalShakedown(raw shakedown.Raw) error {
	numbers, err := shakedown.Decode[[2]uint64](raw)
	if err == nil && numbers[0] > 255 {
		err = fmt.Errorf("key %d is above 255", numbers[0])
	}
	p.key, p.value = uint8(numbers[0]), numbers[1]
	return err
}

// MarshalJSON writes it as a list.
func (p keyValue) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "[%d,%d]", p.key, p.value), nil
}

// UnmarshalJSON reads it from a list.
func (p *keyValue) UnmarshalJSON(data []byte) error {
	var numbers []uint64
	if err := json.Unmarshal(data, &numbers); err != nil {
		return err
	}
	if len(numbers) != 2 || numbers[0] > 255 {
		return fmt.Errorf("%s is no key with a value", data)
	}
	p.key, p.value = uint8(numbers[0]), numbers[1]
	return nil
}

// encode writes the request as the target raft does.
func (op registerOp) encode() []byte {
	data, err := json.Marshal(op)
	if err != nil {
		panic(err)
	}
	return data
}

func decodeRegisterOp(data []byte) (registerOp, bool) {
	var op registerOp
	// A new leader's entry is empty: every term has one.
	if len(data) == 0 {
		return op, false
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&op); err != nil {
		return op, false
	}
	return op, op.Read != nil || op.Write != nil || op.When != nil
}

// String is how facts show the request.
func (op registerOp) String() string {
	switch {
	case op.Read != nil:
		return fmt.Sprintf("read k%d", *op.Read)
	case op.Write != nil:
		return fmt.Sprintf("write k%d=%d", op.Write.key, op.Write.value)
	}
	w := op.When
	return fmt.Sprintf("when k%d=%d write k%d=%d", w.Key, w.Is, w.Write.key, w.Write.value)
}

// apply does the request to the machine and gives its answer.
func (op registerOp) apply(m *machine) any {
	switch {
	case op.Read != nil:
		return map[string]any{"value": m.values.get(*op.Read)}
	case op.Write != nil:
		m.put(pair(*op.Write))
		return "done"
	}
	holds := m.values.get(op.When.Key) == op.When.Is
	if holds {
		m.put(pair(op.When.Write))
	}
	return map[string]any{"applied": holds}
}

// number is the number that a specification knows the request by.
func (op registerOp) number() uint64 {
	switch {
	case op.Read != nil:
		return uint64(*op.Read)
	case op.Write != nil:
		return op.Write.value
	}
	return op.When.Write.value
}

// request is what a client asks. Exactly one field is set, unless it compacts.
type request struct {
	Put      *keyValue `json:"put"`
	Add      *nodeName `json:"add"`
	Remove   *nodeName `json:"remove"`
	Transfer *nodeName `json:"transfer"`
	Read     *uint8    `json:"read"`
	Write    *keyValue `json:"write"`
	When     *when     `json:"when"`
	compact  bool
}

// nodeName is a node by its name, "n3".
type nodeName uint64

// UnmarshalShakedown implements [shakedown.Unmarshaler].
func (n *nodeName) UnmarshalShakedown(raw shakedown.Raw) error {
	text, err := shakedown.Decode[string](raw)
	if err != nil {
		return err
	}
	number, ok := strings.CutPrefix(text, "n")
	id, err := strconv.ParseUint(number, 10, 16)
	if !ok || err != nil || id == 0 {
		return fmt.Errorf("%q is no node", text)
	}
	*n = nodeName(id)
	return nil
}

func decodeRequest(raw shakedown.Raw) (request, error) {
	if word, err := shakedown.Decode[string](raw); err == nil {
		if word != "compact" {
			return request{}, fmt.Errorf("there is no request %q", word)
		}
		return request{compact: true}, nil
	}
	return shakedown.Decode[request](raw)
}

// idLength is the number of bytes of a request's number. Entries of this library have no context, so the number is the
// end of an entry's data.
const idLength = 4

func appendID(data []byte, id uint64) []byte {
	return binary.LittleEndian.AppendUint32(data, uint32(id))
}

// splitID takes a request's number off the end of an entry's data.
func splitID(data []byte) (payload []byte, id uint64, ok bool) {
	if len(data) < idLength {
		return data, 0, false
	}
	at := len(data) - idLength
	return data[:at], uint64(binary.LittleEndian.Uint32(data[at:])), true
}
