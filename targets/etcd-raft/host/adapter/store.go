package adapter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"shakedown.dev/etcd-raft/lib"
	"shakedown.dev/go"
)

// The keys on disk. Indexes are padded, so that the order of keys is the order of entries.
const (
	hardStateKey = "hard-state"
	snapshotKey  = "snapshot"
	entryPrefix  = "entry/"
	indexDigits  = 20
)

func entryKey(index uint64) string {
	digits := strconv.FormatUint(index, 10)
	return entryPrefix + "00000000000000000000"[:indexDigits-len(digits)] + digits
}

// logStore is what raft keeps: hard state, the last snapshot, and the entries after it.
//
// The library's own MemoryStorage makes snapshots of its latest state only, so this one hands out the snapshot that it
// was given, as in the target raft.
type logStore struct {
	hardState lib.HardState
	snapshot  lib.Snapshot
	// Entry i has the index snapshot.index + 1 + i.
	entries []lib.Entry
	// changed is the first index from which on the log is not as it was last shown; 0 if it is.
	changed uint64
}

// readStore reads what is left on a disk. A node whose log has been there from the first entry on began with all nodes as
// voters.
func readStore(disk *shakedown.Disk, nodes int) (*logStore, error) {
	s := &logStore{hardState: lib.NewHardState(0, 0, 0)}
	voters := make([]uint64, nodes)
	for i := range voters {
		voters[i] = uint64(i) + 1
	}
	s.snapshot = lib.NewSnapshot(0, 0, lib.NewConfState(voters), nil)
	var err error
	for _, key := range disk.Keys() {
		data, bytesErr := disk.Raw(key).Bytes()
		if bytesErr != nil {
			return nil, fmt.Errorf("disk: %s: %w", key, bytesErr)
		}
		switch {
		case key == hardStateKey:
			s.hardState, err = lib.DecodeHardState(data)
		case key == snapshotKey:
			s.snapshot, err = lib.DecodeSnapshot(data)
		case strings.HasPrefix(key, entryPrefix):
			var entry lib.Entry
			entry, err = lib.DecodeEntry(data)
			s.entries = append(s.entries, entry)
		default:
			err = fmt.Errorf("nobody wrote it")
		}
		if err != nil {
			return nil, fmt.Errorf("disk: %s: %w", key, err)
		}
	}
	for i, entry := range s.entries {
		if lib.EntryIndex(entry) != s.first()+uint64(i) {
			return nil, fmt.Errorf("disk: entry %d is where entry %d belongs", lib.EntryIndex(entry), s.first()+uint64(i))
		}
	}
	return s, nil
}

func (s *logStore) first() uint64 { return lib.SnapshotIndex(s.snapshot) + 1 }
func (s *logStore) last() uint64  { return lib.SnapshotIndex(s.snapshot) + uint64(len(s.entries)) }

// change notes from which index on the log has changed.
func (s *logStore) change(index uint64) {
	if s.changed == 0 || index < s.changed {
		s.changed = index
	}
}

// batch is one write: what a real implementation puts into one atomic batch. Of two changes of a key the later one counts.
type batch struct {
	changes []change
	// A snapshot that is installed deletes entries that may be written again.
	hasDeletes bool
}

type change struct {
	key     string
	data    []byte
	deletes bool
}

func (b *batch) put(key string, data []byte) {
	if b.hasDeletes {
		b.changes = slices.DeleteFunc(b.changes, func(c change) bool { return c.key == key })
	}
	b.changes = append(b.changes, change{key: key, data: data})
}

func (b *batch) delete(index uint64) {
	b.hasDeletes = true
	b.changes = append(b.changes, change{key: entryKey(index), deletes: true})
}

// write writes the batch to the disk, unless it is empty.
func (b *batch) write(env *shakedown.Env) {
	if len(b.changes) == 0 {
		return
	}
	changes := make([]shakedown.Change, len(b.changes))
	for i, c := range b.changes {
		if c.deletes {
			changes[i] = shakedown.Delete(c.key)
		} else {
			changes[i] = shakedown.Put(c.key, c.data)
		}
	}
	env.Write(changes...)
}

// install replaces everything by the snapshot of another node.
func (s *logStore) install(snapshot lib.Snapshot, b *batch) {
	for i := range s.entries {
		b.delete(s.first() + uint64(i))
	}
	s.entries = nil
	s.snapshot = snapshot
	b.put(snapshotKey, lib.EncodeSnapshot(snapshot))
	s.changed = s.first()
}

// append puts entries into the log, in place of everything from the first of them on.
func (s *logStore) append(entries []lib.Entry, b *batch) {
	if len(entries) == 0 {
		return
	}
	from, last := lib.EntryIndex(entries[0]), s.last()
	if from < s.first() || from > last+1 {
		panic(fmt.Sprintf("entries from %d on do not follow a log of %d to %d", from, s.first(), last))
	}
	if from <= last {
		// Slices that raft has read from here stay as they are.
		s.entries = slices.Clip(s.entries[:from-s.first()])
	}
	s.entries = append(s.entries, entries...)
	for _, entry := range entries {
		b.put(entryKey(lib.EntryIndex(entry)), lib.EncodeEntry(entry))
	}
	for index := s.last() + 1; index <= last; index++ {
		b.delete(index)
	}
	s.change(from)
}

// compact drops the entries that this snapshot of the node's own state stands for.
func (s *logStore) compact(snapshot lib.Snapshot, b *batch) {
	index := lib.SnapshotIndex(snapshot)
	for i := s.first(); i <= index; i++ {
		b.delete(i)
	}
	s.entries = slices.Clone(s.entries[index+1-s.first():])
	s.snapshot = snapshot
	b.put(snapshotKey, lib.EncodeSnapshot(snapshot))
	// The rest is as it was.
	s.change(s.last() + 1)
}

func (s *logStore) setHardState(hs lib.HardState, b *batch) {
	s.hardState = hs
	b.put(hardStateKey, lib.EncodeHardState(hs))
}

// InitialState implements the library's Storage. The configuration is that of the snapshot, because a booting node has
// applied that much and no more.
func (s *logStore) InitialState() (lib.HardState, lib.ConfState, error) {
	return s.hardState, lib.SnapshotConfState(s.snapshot), nil
}

// Entries implements the library's Storage.
func (s *logStore) Entries(low, high, sizeMax uint64) ([]lib.Entry, error) {
	if low < s.first() {
		return nil, lib.ErrCompacted
	}
	if high > s.last()+1 {
		panic(fmt.Sprintf("entries up to %d are wanted, the last one is %d", high, s.last()))
	}
	entries := s.entries[low-s.first() : high-s.first()]
	size := uint64(0)
	for i, entry := range entries {
		if size += lib.EntrySize(entry); i > 0 && size > sizeMax {
			entries = entries[:i]
			break
		}
	}
	return slices.Clip(entries), nil
}

// Term implements the library's Storage.
func (s *logStore) Term(index uint64) (uint64, error) {
	switch {
	case index < s.first()-1:
		return 0, lib.ErrCompacted
	case index == s.first()-1:
		return lib.SnapshotTerm(s.snapshot), nil
	case index > s.last():
		return 0, lib.ErrUnavailable
	}
	return lib.EntryTerm(s.entries[index-s.first()]), nil
}

// FirstIndex implements the library's Storage.
func (s *logStore) FirstIndex() (uint64, error) { return s.first(), nil }

// LastIndex implements the library's Storage.
func (s *logStore) LastIndex() (uint64, error) { return s.last(), nil }

// Snapshot implements the library's Storage.
func (s *logStore) Snapshot() (lib.Snapshot, error) { return s.snapshot, nil }
