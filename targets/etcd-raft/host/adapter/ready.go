package adapter

import (
	"fmt"

	"shakedown.dev/etcd-raft/lib"
	"shakedown.dev/go"
)

// handleReadies does what raft is ready for, by its book: save, send, apply, and let raft know that it was done.
//
// On a synchronous disk a Ready is handled in one go. On a buffered disk raft writes its storage asynchronously: what
// must be durable before it is sent is held until the disk is flushed, and meanwhile raft goes on.
func (n *Node) handleReadies(env *shakedown.Env) {
	for n.raw.HasReady() {
		ready := n.raw.Ready()
		n.takeIndexes(&ready)
		if n.settings.buffered {
			n.handleBuffered(env, &ready)
		} else {
			n.handleAtOnce(env, &ready)
		}
		n.stepDownIfRemoved()
	}
	n.answerReads(env)
}

func (n *Node) handleAtOnce(env *shakedown.Env, ready *lib.Ready) {
	n.save(env, ready.Snapshot, ready.Entries, ready.HardState)
	for _, m := range ready.Messages {
		n.send(env, m)
	}
	n.applyAll(env, ready.CommittedEntries)
	n.raw.Advance(*ready)
}

func (n *Node) handleBuffered(env *shakedown.Env, ready *lib.Ready) {
	for _, m := range ready.Messages {
		switch lib.MessageType(m) {
		case lib.MsgStorageAppend:
			n.saveBuffered(env, m, ready.MustSync)
		case lib.MsgStorageApply:
			n.applyAll(env, lib.MessageEntries(m))
			n.deliver(env, lib.Responses(m))
		default:
			n.send(env, m)
		}
	}
}

// saveBuffered writes what a message to the library's append thread asks for.
func (n *Node) saveBuffered(env *shakedown.Env, m lib.Message, mustSync bool) {
	snapshot := lib.MessageSnapshot(m)
	n.save(env, snapshot, lib.MessageEntries(m), lib.MessageHardState(m))
	n.held = append(n.held, lib.Responses(m)...)
	n.isUnflushed = n.isUnflushed || mustSync
	if !lib.IsEmptySnapshot(snapshot) {
		// As in the target raft: a snapshot is applied before the node does anything else, and what is applied is
		// durable.
		env.Flush()
		n.persisted(env)
	} else if !n.isUnflushed {
		// What raft need not sync is as good as durable, unless something before it is not durable yet.
		n.persisted(env)
	}
}

// persisted: every write so far is durable.
func (n *Node) persisted(env *shakedown.Env) {
	n.isUnflushed = false
	held := n.held
	n.held = nil
	n.deliver(env, held)
}

// deliver passes on what the library's storage threads answer: to the node itself, or to others.
func (n *Node) deliver(env *shakedown.Env, messages []lib.Message) {
	for _, m := range messages {
		if lib.MessageTo(m) == uint64(env.ID()) {
			_ = n.raw.Step(m)
		} else {
			n.send(env, m)
		}
	}
}

// save writes what raft wants to be saved, as one batch. The running node reads it from now on.
func (n *Node) save(env *shakedown.Env, snapshot lib.Snapshot, entries []lib.Entry, hs lib.HardState) {
	var b batch
	if !lib.IsEmptySnapshot(snapshot) {
		n.machine.restore(snapshot)
		n.store.install(snapshot, &b)
	}
	n.store.append(entries, &b)
	if !lib.IsEmptyHardState(hs) && !n.settings.forgetsHardState {
		n.store.setHardState(hs, &b)
	}
	b.write(env)
}

func (n *Node) send(env *shakedown.Env, m lib.Message) {
	env.Send(int(lib.MessageTo(m)), kindOf(m), lib.EncodeMessage(m))
}

// stepDownIfRemoved makes a leader that was removed step down, in a release that has no option for it.
func (n *Node) stepDownIfRemoved() {
	if n.settings.stepDownWhenRemoved && *n.private.State == lib.StateLeader &&
		n.private.Tracker.Progress[uint64(n.own)] == nil {
		lib.StepDown(n.private)
	}
}

func (n *Node) applyAll(env *shakedown.Env, entries []lib.Entry) {
	for _, entry := range entries {
		index := lib.EntryIndex(entry)
		fields := []shakedown.Field{shakedown.F("index", index), shakedown.F("term", lib.EntryTerm(entry))}
		fields, answer, id, asked := n.apply(entry, fields)
		n.machine.applied = index
		env.Emit("commit", fields...)
		if asked {
			n.answer(env, id, answer)
		}
	}
}

// apply applies an entry: it adds to the fact what the entry holds, and gives the answer to it and whom it answers.
func (n *Node) apply(entry lib.Entry, fact []shakedown.Field) (_ []shakedown.Field, answer any, id uint64, asked bool) {
	answer = map[string]any{"applied": lib.EntryIndex(entry)}
	switch lib.EntryType(entry) {
	case lib.EntryConfChange:
		var text string
		text, id, asked = n.changeConfiguration(lib.EntryData(entry))
		return append(fact, shakedown.F("change", text)), answer, id, asked
	case lib.EntryConfChangeV2:
		return append(fact, shakedown.F("change", "joint")), answer, 0, false
	}
	payload, id, asked := splitID(lib.EntryData(entry))
	if put, ok := decodePut(payload); ok {
		n.machine.put(put)
		fact = append(fact, shakedown.F("key", uint64(put.key)), shakedown.F("value", put.value))
	} else if op, ok := decodeRegisterOp(payload); ok {
		answer = op.apply(&n.machine)
		fact = append(fact, shakedown.F("op", op.String()))
	}
	return fact, answer, id, asked
}

func (n *Node) changeConfiguration(data []byte) (text string, id uint64, asked bool) {
	change, err := lib.DecodeChange(data)
	if err != nil {
		panic(err)
	}
	node := lib.ChangeNode(change)
	verb := [...]string{"add", "remove", "update", "add learner"}[lib.ChangeType(change)]
	// A change that makes no sense is rejected on every node alike.
	if verb != "remove" || !n.machine.isOnlyVoter(node) {
		n.machine.setConfState(lib.ApplyChange(n.raw, change))
	}
	text = verb + " nobody"
	if node > 0 {
		text = fmt.Sprintf("%s n%d", verb, node)
	}
	_, id, asked = splitID(lib.ChangeContext(change))
	return text, id, asked
}

// Kinds are the kinds of messages on the network, by the numbers of their types.
var kinds = [...]string{
	"Hup", "Beat", "Propose", "Append", "AppendResponse", "RequestVote", "RequestVoteResponse", "Snapshot", "Heartbeat",
	"HeartbeatResponse", "Unreachable", "SnapshotStatus", "CheckQuorum", "TransferLeader", "TimeoutNow", "ReadIndex",
	"ReadIndexResponse", "PreVote", "PreVoteResponse",
}

// Kinds are the kinds of messages that nodes send each other.
func Kinds() []string {
	return []string{
		"Propose", "Append", "Heartbeat", "Snapshot", "RequestVote", "PreVote", "TransferLeader", "TimeoutNow",
		"ReadIndex", "AppendResponse", "HeartbeatResponse", "RequestVoteResponse", "PreVoteResponse",
		"ReadIndexResponse",
	}
}

func kindOf(m lib.Message) string {
	if number := lib.MessageType(m); number < len(kinds) {
		return kinds[number]
	}
	return fmt.Sprintf("Other%d", lib.MessageType(m))
}
