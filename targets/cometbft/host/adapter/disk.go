package adapter

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	dbm "github.com/cometbft/cometbft-db"
	"github.com/cometbft/cometbft/consensus"
	cmttime "github.com/cometbft/cometbft/types/time"
	"shakedown.dev/go"
)

// disk is what survives a crash of a node, and how it is written.
type disk struct{ write func(...shakedown.Change) }

// database keeps its contents in memory and writes every change to the disk.
type database struct {
	*dbm.MemDB
	prefix string
	disk   *disk
}

func (d *disk) database(name string, old *shakedown.Disk) (*database, error) {
	db := &database{dbm.NewMemDB(), name + "/", d}
	for _, key := range old.Keys() {
		digits, ok := strings.CutPrefix(key, db.prefix)
		if !ok {
			continue
		}
		name, err := hex.DecodeString(digits)
		if err != nil {
			return nil, err
		}
		value, err := old.Raw(key).Bytes()
		if err != nil {
			return nil, err
		}
		if err := db.MemDB.Set(name, value); err != nil {
			return nil, err
		}
	}
	return db, nil
}

func (db *database) key(key []byte) string { return db.prefix + hex.EncodeToString(key) }

func (db *database) Set(key, value []byte) error {
	db.disk.write(shakedown.Put(db.key(key), value))
	return db.MemDB.Set(key, value)
}

func (db *database) SetSync(key, value []byte) error { return db.Set(key, value) }

func (db *database) Delete(key []byte) error {
	db.disk.write(shakedown.Delete(db.key(key)))
	return db.MemDB.Delete(key)
}

func (db *database) DeleteSync(key []byte) error { return db.Delete(key) }

func (db *database) NewBatch() dbm.Batch { return &batch{db: db} }

// batch is written at once. Of two changes of a key, the later one counts.
type batch struct {
	db   *database
	keys [][]byte
	// nil where the key is deleted.
	values map[string][]byte
}

func (b *batch) change(key, value []byte) error {
	if b.values == nil {
		b.values = map[string][]byte{}
	}
	if _, known := b.values[string(key)]; !known {
		b.keys = append(b.keys, bytes.Clone(key))
	}
	b.values[string(key)] = value
	return nil
}

func (b *batch) Set(key, value []byte) error { return b.change(key, append([]byte{}, value...)) }
func (b *batch) Delete(key []byte) error     { return b.change(key, nil) }
func (b *batch) WriteSync() error            { return b.Write() }
func (b *batch) Close() error                { return nil }
func (b *batch) GetByteSize() (int, error)   { return 0, nil }

func (b *batch) Write() error {
	var changes []shakedown.Change
	for _, key := range b.keys {
		value, name := b.values[string(key)], b.db.key(key)
		if value == nil {
			changes = append(changes, shakedown.Delete(name))
			_ = b.db.MemDB.Delete(key)
		} else {
			changes = append(changes, shakedown.Put(name, value))
			_ = b.db.MemDB.Set(key, value)
		}
	}
	if len(changes) > 0 {
		b.db.disk.write(changes...)
	}
	return nil
}

const logPrefix = "log/"

// writeAheadLog is in memory. What was written and not flushed is lost in a crash: in a real node, it is in the buffer
// of the process for up to two seconds.
type writeAheadLog struct {
	disk *disk
	// The entries, as the library encodes them; the first `durable` of them are on the disk.
	entries [][]byte
	durable int
}

func (d *disk) log(old *shakedown.Disk, isKept bool) (*writeAheadLog, error) {
	l := &writeAheadLog{disk: d}
	for _, key := range old.Keys() {
		if !isKept || !strings.HasPrefix(key, logPrefix) {
			continue
		}
		entry, err := old.Raw(key).Bytes()
		if err != nil {
			return nil, err
		}
		l.entries = append(l.entries, entry)
	}
	l.durable = len(l.entries)
	if len(l.entries) == 0 {
		return l, l.WriteSync(consensus.EndHeightMessage{Height: 0})
	}
	return l, nil
}

func (l *writeAheadLog) Write(message consensus.WALMessage) error {
	var entry bytes.Buffer
	timed := consensus.TimedWALMessage{Time: cmttime.Now(), Msg: message}
	if err := consensus.NewWALEncoder(&entry).Encode(&timed); err != nil {
		return err
	}
	l.entries = append(l.entries, entry.Bytes())
	return nil
}

func (l *writeAheadLog) WriteSync(message consensus.WALMessage) error {
	if err := l.Write(message); err != nil {
		return err
	}
	return l.FlushAndSync()
}

func (l *writeAheadLog) FlushAndSync() error {
	for ; l.durable < len(l.entries); l.durable++ {
		l.disk.write(shakedown.Put(fmt.Sprintf("%s%06d", logPrefix, l.durable), l.entries[l.durable]))
	}
	return nil
}

// SearchForEndHeight gives what was written after the end of a height.
func (l *writeAheadLog) SearchForEndHeight(height int64, _ *consensus.WALSearchOptions) (io.ReadCloser, bool, error) {
	for i := len(l.entries) - 1; i >= 0; i-- {
		message, err := consensus.NewWALDecoder(bytes.NewReader(l.entries[i])).Decode()
		if err != nil {
			return nil, false, err
		}
		if end, ok := message.Msg.(consensus.EndHeightMessage); ok && end.Height == height {
			rest := bytes.Join(l.entries[i+1:], nil)
			return io.NopCloser(bytes.NewReader(rest)), true, nil
		}
	}
	return nil, false, nil
}

func (l *writeAheadLog) Start() error { return nil }
func (l *writeAheadLog) Stop() error  { return nil }
func (l *writeAheadLog) Wait()        {}
