//go:build raft35 || raft36

package lib

// EntryIndex and its like give the parts of an entry.
func EntryIndex(e Entry) uint64 { return e.Index }
func EntryTerm(e Entry) uint64  { return e.Term }
func EntryType(e Entry) int     { return int(e.Type) }
func EntryData(e Entry) []byte  { return e.Data }
func EntrySize(e Entry) uint64  { return uint64(e.Size()) }

// EncodeEntry and DecodeEntry translate an entry to protocol buffers and back.
func EncodeEntry(e Entry) []byte { return encode(&e) }
func DecodeEntry(data []byte) (e Entry, err error) {
	err = e.Unmarshal(data)
	return e, err
}

// NewHardState makes a hard state; EncodeHardState and DecodeHardState translate it.
func NewHardState(term, vote, commit uint64) HardState {
	return HardState{Term: term, Vote: vote, Commit: commit}
}
func EncodeHardState(hs HardState) []byte { return encode(&hs) }
func DecodeHardState(data []byte) (hs HardState, err error) {
	err = hs.Unmarshal(data)
	return hs, err
}

// NewConfState makes a configuration of voters; Voters gives them.
func NewConfState(voters []uint64) ConfState { return ConfState{Voters: voters} }
func Voters(cs ConfState) []uint64           { return cs.Voters }

// NewSnapshot makes a snapshot. The functions after it give its parts and translate it.
func NewSnapshot(index, term uint64, cs ConfState, data []byte) Snapshot {
	return Snapshot{Data: data, Metadata: snapshotMetadata{ConfState: cs, Index: index, Term: term}}
}
func SnapshotIndex(s Snapshot) uint64        { return s.Metadata.Index }
func SnapshotTerm(s Snapshot) uint64         { return s.Metadata.Term }
func SnapshotConfState(s Snapshot) ConfState { return s.Metadata.ConfState }
func SnapshotData(s Snapshot) []byte         { return s.Data }
func EncodeSnapshot(s Snapshot) []byte       { return encode(&s) }
func DecodeSnapshot(data []byte) (s Snapshot, err error) {
	err = s.Unmarshal(data)
	return s, err
}

// MessageType and its like give the parts of a message; EncodeMessage and DecodeMessage translate it.
func MessageType(m Message) int        { return int(m.Type) }
func MessageTo(m Message) uint64       { return m.To }
func MessageEntries(m Message) []Entry { return m.Entries }
func EncodeMessage(m Message) []byte   { return encode(&m) }
func DecodeMessage(data []byte) (m Message, err error) {
	err = m.Unmarshal(data)
	return m, err
}
