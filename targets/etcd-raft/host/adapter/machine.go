package adapter

import (
	"encoding/binary"
	"slices"

	"shakedown.dev/etcd-raft/lib"
)

// putLength is the number of bytes of a put: the key, then the value.
const putLength = 9

func encodePut(b []byte, key uint8, value uint64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, key), value)
}

func decodePut(data []byte) (pair, bool) {
	if len(data) != putLength {
		return pair{}, false
	}
	return pair{data[0], binary.LittleEndian.Uint64(data[1:])}, true
}

// pair is a key with its value.
type pair struct {
	key   uint8
	value uint64
}

// values are what every key holds: no key twice, in order. A key that is missing holds 0.
type values []pair

func (v values) place(key uint8) (int, bool) {
	return slices.BinarySearchFunc(v, key, func(p pair, key uint8) int { return int(p.key) - int(key) })
}

func (v values) get(key uint8) uint64 {
	if at, ok := v.place(key); ok {
		return v[at].value
	}
	return 0
}

func (v *values) set(key uint8, value uint64) {
	at, ok := v.place(key)
	switch {
	case ok && value == 0:
		*v = slices.Delete(*v, at, at+1)
	case ok:
		(*v)[at].value = value
	case value != 0:
		*v = slices.Insert(*v, at, pair{key, value})
	}
}

// shown is the form in which the target reads values.
func (v values) shown() [][2]uint64 {
	shown := make([][2]uint64, len(v))
	for i, p := range v {
		shown[i] = [2]uint64{uint64(p.key), p.value}
	}
	return shown
}

func valuesOf(snapshot lib.Snapshot) values {
	var v values
	for part := range slices.Chunk(lib.SnapshotData(snapshot), putLength) {
		if p, ok := decodePut(part); ok {
			v.set(p.key, p.value)
		}
	}
	return v
}

// machine is the replicated state machine: a small key-value map and the configuration that goes with it.
type machine struct {
	values    values
	applied   uint64
	confState lib.ConfState
	// version changes whenever the values or the configuration do.
	version uint64
}

// restore takes the machine to where a snapshot is. A snapshot of index 0 has no data: an empty map.
func (m *machine) restore(snapshot lib.Snapshot) {
	m.values = valuesOf(snapshot)
	m.applied = lib.SnapshotIndex(snapshot)
	m.confState = lib.SnapshotConfState(snapshot)
	m.version++
}

// snapshot is a snapshot of the machine. The term is that of the last entry applied.
func (m *machine) snapshot(term uint64) lib.Snapshot {
	var data []byte
	for _, p := range m.values {
		data = encodePut(data, p.key, p.value)
	}
	return lib.NewSnapshot(m.applied, term, m.confState, data)
}

func (m *machine) put(p pair) {
	m.values.set(p.key, p.value)
	m.version++
}

func (m *machine) setConfState(cs lib.ConfState) {
	m.confState = cs
	m.version++
}

func (m *machine) voters() []uint64 {
	return slices.Sorted(slices.Values(lib.Voters(m.confState)))
}

// isOnlyVoter: without this node the configuration would be empty. The library panics when such a change is applied,
// and leaves it to its user to reject it.
func (m *machine) isOnlyVoter(node uint64) bool {
	voters := lib.Voters(m.confState)
	return len(voters) == 1 && voters[0] == node
}
