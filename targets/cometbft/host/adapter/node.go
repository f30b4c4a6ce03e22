// Package adapter runs CometBFT's consensus as a node of Shakedown: its State, its Reactor, its block executor, stores
// and signer, and its example application. Of the library, only sockets, files, clocks and goroutines are left out.
package adapter

import (
	"fmt"
	"math"
	"os"
	"time"

	"github.com/cosmos/gogoproto/proto"

	"github.com/cometbft/cometbft/consensus"
	cstypes "github.com/cometbft/cometbft/consensus/types"
	"github.com/cometbft/cometbft/crypto/ed25519"
	cmtjson "github.com/cometbft/cometbft/libs/json"
	cmtrand "github.com/cometbft/cometbft/libs/rand"
	"github.com/cometbft/cometbft/libs/tempfile"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/privval"
	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	sm "github.com/cometbft/cometbft/state"
	"github.com/cometbft/cometbft/store"
	"github.com/cometbft/cometbft/types"
	cmttime "github.com/cometbft/cometbft/types/time"
	"shakedown.dev/go"
)

// Node is one validator.
type Node struct {
	env      *shakedown.Env
	settings settings
	own      int
	life     uint64
	keys     []ed25519.PrivKey
	driven   *consensus.Driven
	store    *store.BlockStore
	peers    []consensus.DrivenPeer
	// The numbers of the blocks that it has heard of, by their hashes.
	values map[string]uint64
	// What was decided, from height 1 on.
	decisions []decision
	// Where it was when that was last reported.
	reported position
	// The timer that is set.
	timer string
	// Which time-out that is.
	timeout consensus.Timeout
	// What is sent when the call ends.
	outbox []parcel
}

type parcel struct {
	to      int
	kind    string
	message message
}

type decision struct {
	Height int64  `json:"height"`
	Value  uint64 `json:"value"`
	Round  int32  `json:"round"`
}

type position struct {
	height int64
	round  int32
	step   int
}

// current is the node that is called: a host does one call after the other. The library's clock and files are
// variables, and lead here.
var current *Node

func now() time.Time { return genesisTime.Add(time.Duration(current.env.Now()) * tick) }

const signerKey = "signer"

// The bus of events is for clients of a node. It is stopped: whatever is published there is dropped.
var bus = types.NewEventBus()

func init() {
	cmttime.Now = now
	tempfile.WriteFileAtomic = func(_ string, data []byte, _ os.FileMode) error {
		current.env.Write(shakedown.Put(signerKey, data))
		return nil
	}
	if err := bus.Start(); err != nil {
		panic(err)
	}
	if err := bus.Stop(); err != nil {
		panic(err)
	}
}

// enter prepares for a call.
func (n *Node) enter(env *shakedown.Env) {
	n.env, current = env, n
	// The library draws which of several votes is sent first.
	cmtrand.Seed(int64(env.Random().Below(math.MaxInt64)))
}

// Boot starts a validator with what is left on its disk.
func Boot(env *shakedown.Env, old *shakedown.Disk) (*Node, error) {
	settings, err := readSettings(env)
	if err != nil {
		return nil, err
	}
	n := &Node{
		settings: settings, own: env.ID(), life: env.Life(), keys: keysOf(env.Nodes()), values: map[string]uint64{},
	}
	n.enter(env)
	if err := n.assemble(old); err != nil {
		return nil, err
	}
	if err := n.driven.Start(env.Life() > 1); err != nil {
		return nil, err
	}
	for number := 1; number <= env.Nodes(); number++ {
		if number != n.own {
			peer := newPeer(n, number)
			n.peers = append(n.peers, peer)
			if err := n.driven.AddPeer(peer); err != nil {
				return nil, err
			}
		}
	}
	n.settle()
	return n, nil
}

// assemble puts the parts of a node together, as the library's package node does.
func (n *Node) assemble(old *shakedown.Disk) error {
	disk := &disk{write: func(changes ...shakedown.Change) { n.env.Write(changes...) }}
	blocks, err := disk.database("blocks", old)
	if err != nil {
		return err
	}
	states, err := disk.database("states", old)
	if err != nil {
		return err
	}
	log, err := disk.log(old, n.settings.keepsLog)
	if err != nil {
		return err
	}
	n.store = store.NewBlockStore(blocks)
	n.readDecisions()
	stateStore := sm.NewStore(states, sm.StoreOptions{})
	doc := genesis(n.keys)
	state, err := stateStore.LoadFromDBOrGenesisDoc(doc)
	if err != nil {
		return err
	}
	logger := logger{n}
	app := newApplication()
	handshaker := consensus.NewHandshaker(stateStore, state, n.store, doc)
	if err := handshaker.Handshake(app); err != nil {
		return err
	}
	if state, err = stateStore.Load(); err != nil {
		return err
	}
	pool := &transactions{next: func() uint64 {
		return madeBy(n.driven.State.Height, n.driven.State.Round, n.own)
	}}
	executor := sm.NewBlockExecutor(stateStore, logger, app.Consensus(), pool, sm.EmptyEvidencePool{}, n.store)
	consensusState := consensus.NewState(
		n.settings.config, state, executor, n.store, pool, sm.EmptyEvidencePool{},
	)
	consensusState.SetLogger(logger)
	consensusState.SetEventBus(bus)
	signer, err := n.signer(old)
	if err != nil {
		return err
	}
	consensusState.SetPrivValidator(signer)
	n.driven, err = consensus.NewDriven(consensusState, log, n.made)
	if err != nil {
		return err
	}
	n.driven.Reactor.SetLogger(logger)
	return n.driven.OnStep(n.step)
}

// signer is the library's signer, which remembers in a file what it signed last.
func (n *Node) signer(old *shakedown.Disk) (*privval.FilePV, error) {
	signer := privval.NewFilePV(n.keys[n.own-1], "", signerKey)
	if !old.Has(signerKey) || !n.settings.keepsSigner {
		return signer, nil
	}
	data, err := old.Raw(signerKey).Bytes()
	if err != nil {
		return nil, err
	}
	var last privval.FilePVLastSignState
	if err := cmtjson.Unmarshal(data, &last); err != nil {
		return nil, err
	}
	kept := &signer.LastSignState
	kept.Height, kept.Round, kept.Step = last.Height, last.Round, last.Step
	kept.Signature, kept.SignBytes = last.Signature, last.SignBytes
	return signer, nil
}

// Receive passes a message to the library's reactor.
func (n *Node) Receive(env *shakedown.Env, from int, raw shakedown.Message) {
	n.enter(env)
	packed, err := shakedown.Decode[message](raw.Raw)
	if err != nil {
		panic(err)
	}
	peer := n.peer(from)
	if packed.Life < peer.life {
		return
	}
	if packed.Life > peer.life {
		isBack := peer.life > 0
		peer.life = packed.Life
		if isBack {
			if err := n.driven.AddPeer(peer); err != nil {
				panic(err)
			}
		}
	}
	m, err := n.unpack(from, packed)
	if err != nil {
		n.env.Emit("error", shakedown.F("reason", err.Error()))
		n.settle()
		return
	}
	messages := []proto.Message{m}
	for _, wire := range packed.More {
		if m, err = decode(wire); err == nil {
			messages = append(messages, m)
		}
	}
	for _, m := range messages {
		_, channel := kindOf(m)
		n.driven.Reactor.Receive(p2p.Envelope{Src: peer, Message: m, ChannelID: channel})
		n.driven.Handle()
	}
	n.settle()
}

// Fire lets a time-out go off.
func (n *Node) Fire(env *shakedown.Env, timer string) {
	n.enter(env)
	if timer != n.timer {
		return
	}
	n.timer = ""
	if err := n.driven.Fire(); err != nil {
		panic(err)
	}
	n.settle()
}

// Tick lets the clock go on.
func (n *Node) Tick(env *shakedown.Env) {
	n.enter(env)
	if every := n.settings.query; every > 0 && env.Now()%every == 0 {
		n.driven.Query(n.peers)
		n.empty()
	}
}

func (n *Node) peer(number int) *peer {
	index := number - 1
	if number > n.own {
		index--
	}
	return n.peers[index].(*peer)
}

// settle lets the library do everything that it can do now, and sets its timer.
func (n *Node) settle() {
	n.driven.Handle()
	n.learn()
	n.report()
	n.driven.Gossip(n.peers)
	n.empty()
	timeout, isPending := n.driven.Pending()
	isPending = isPending && timeout.Height <= n.settings.heights
	name := ""
	if isPending {
		name = timerOf(timeout)
	}
	if n.timer != "" && (n.timer != name || n.timeout != timeout) {
		n.env.CancelTimer(n.timer)
		n.timer = ""
	}
	if name != "" && n.timer == "" {
		n.timer, n.timeout = name, timeout
		n.env.SetTimer(name, uint64(max(1, math.Ceil(timeout.Duration.Seconds()))))
	}
}

func timerOf(timeout consensus.Timeout) string {
	switch timeout.Step {
	case cstypes.RoundStepNewHeight:
		return "new-height"
	case cstypes.RoundStepPropose:
		return "propose"
	case cstypes.RoundStepPrevoteWait:
		return "prevote"
	case cstypes.RoundStepPrecommitWait:
		return "precommit"
	}
	return fmt.Sprintf("step-%d", timeout.Step)
}

// send takes a message of the library to be sent.
func (n *Node) send(to int, m proto.Message) {
	kind, channel := kindOf(m)
	if last := len(n.outbox) - 1; last >= 0 && channel == consensus.DataChannel && kind != "Proposal" &&
		n.outbox[last].to == to && n.outbox[last].kind == "Proposal" {
		more := &n.outbox[last].message.More
		*more = append(*more, encode(m))
		return
	}
	n.learn()
	n.outbox = append(n.outbox, parcel{to, kind, n.pack(m)})
}

func (n *Node) empty() {
	for _, p := range n.outbox {
		n.env.Send(p.to, p.kind, p.message)
	}
	n.outbox = n.outbox[:0]
}

// learn notes the numbers of the blocks that the node has.
func (n *Node) learn() {
	state := n.driven.State
	for _, block := range []*types.Block{state.ProposalBlock, state.LockedBlock, state.ValidBlock} {
		if block != nil {
			n.values[string(block.Hash())] = valueOf(block)
		}
	}
}

// made reports what the node makes itself: proposals and votes.
func (n *Node) made(m consensus.Message) {
	var name string
	var height int64
	var round int32
	var id types.BlockID
	switch m := m.(type) {
	case *consensus.ProposalMessage:
		p := m.Proposal
		name, height, round, id = "propose", p.Height, p.Round, p.BlockID
		n.learn()
		if _, known := n.values[string(id.Hash)]; !known {
			n.values[string(id.Hash)] = madeBy(height, round, n.own)
		}
	case *consensus.VoteMessage:
		v := m.Vote
		name, height, round, id = "prevote", v.Height, v.Round, v.BlockID
		if v.Type == cmtproto.PrecommitType {
			name = "precommit"
		}
		n.learn()
	default:
		return
	}
	var value any = "nil"
	if len(id.Hash) > 0 {
		value = n.values[string(id.Hash)]
	}
	n.env.Emit(name, shakedown.F("height", height), shakedown.F("round", round), shakedown.F("value", value))
}

// step reports that the node is in a later step.
func (n *Node) step(state *cstypes.RoundState) {
	step := stepOf(state.Step)
	at := position{state.Height, state.Round, step}
	old := n.reported
	isLater := at.height > old.height || at.height == old.height &&
		(at.round > old.round || at.round == old.round && at.step > old.step)
	if isLater && at.height <= n.settings.heights {
		n.reported = at
		n.env.Emit("step", shakedown.F("height", at.height), shakedown.F("round", at.round), shakedown.F("step", stepNames[step]))
	}
}

var stepNames = []string{"unstarted", "propose", "prevote", "precommit", "commit"}

func stepOf(step cstypes.RoundStepType) int {
	switch step {
	case cstypes.RoundStepPropose:
		return 1
	case cstypes.RoundStepPrevote, cstypes.RoundStepPrevoteWait:
		return 2
	case cstypes.RoundStepPrecommit, cstypes.RoundStepPrecommitWait:
		return 3
	case cstypes.RoundStepCommit:
		return 4
	}
	return 0
}

// report reports new decisions.
func (n *Node) report() {
	known := len(n.decisions)
	n.readDecisions()
	for _, d := range n.decisions[known:] {
		n.env.Emit("commit", shakedown.F("height", d.Height), shakedown.F("value", d.Value), shakedown.F("round", d.Round))
	}
}

func (n *Node) readDecisions() {
	for height := int64(len(n.decisions)) + 1; height <= n.store.Height(); height++ {
		block, commit := n.store.LoadBlock(height), n.store.LoadSeenCommit(height)
		n.values[string(block.Hash())] = valueOf(block)
		n.decisions = append(n.decisions, decision{height, valueOf(block), commit.Round})
	}
}

type roundValue struct {
	Value uint64 `json:"value"`
	Round int32  `json:"round"`
}

// State shows what the target tendermint shows.
func (n *Node) State(state *shakedown.State) {
	s := n.driven.State
	state.Set("height", s.Height)
	state.Set("round", s.Round)
	state.Set("step", stepNames[stepOf(s.Step)])
	if s.LockedBlock != nil {
		state.Set("locked", roundValue{n.values[string(s.LockedBlock.Hash())], s.LockedRound})
	}
	if s.ValidBlock != nil {
		state.Set("valid", roundValue{n.values[string(s.ValidBlock.Hash())], s.ValidRound})
	}
	state.Set("decisions", n.decisions)
}
