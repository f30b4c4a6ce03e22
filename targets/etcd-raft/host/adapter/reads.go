package adapter

import (
	"encoding/binary"

	"shakedown.dev/etcd-raft/lib"
	"shakedown.dev/go"
)

// read is a read that raft was asked an index for: once the log is applied up to it, the read may be answered.
type read struct {
	id       uint64
	key      uint8
	index    uint64
	hasIndex bool
}

// readIndex asks raft for an index. The context of the request is its number, so a message of it that the network
// doubles asks the same thing twice, as a user of the library does who asks again.
func (n *Node) readIndex(id uint64, key uint8) {
	n.reads = append(n.reads, read{id: id, key: key})
	n.raw.ReadIndex(binary.LittleEndian.AppendUint32(nil, uint32(id)))
}

// takeIndexes notes the indexes that raft has found.
func (n *Node) takeIndexes(ready *lib.Ready) {
	for _, state := range ready.ReadStates {
		_, id, ok := splitID(state.RequestCtx)
		for i := range n.reads {
			if r := &n.reads[i]; ok && r.id == id && !r.hasIndex {
				r.index, r.hasIndex = state.Index, true
			}
		}
	}
}

// answerReads answers the reads whose index is applied.
func (n *Node) answerReads(env *shakedown.Env) {
	waiting := n.reads[:0]
	for _, r := range n.reads {
		if r.hasIndex && r.index <= n.machine.applied {
			env.Answer(r.id, map[string]any{"value": n.machine.values.get(r.key)})
		} else {
			waiting = append(waiting, r)
		}
	}
	n.reads = waiting
}
