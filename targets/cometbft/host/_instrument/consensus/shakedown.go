// This file is added to CometBFT's package consensus when the host is built. It runs a State and its Reactor on the
// goroutine of the caller: no goroutine is started, and nothing waits for a clock. All decisions stay with the code of
// the package.

package consensus

import (
	"github.com/cometbft/cometbft/config"
	cstypes "github.com/cometbft/cometbft/consensus/types"
	"github.com/cometbft/cometbft/libs/events"
	"github.com/cometbft/cometbft/libs/log"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/types"
)

// Driven is a State with its Reactor.
type Driven struct {
	State   *State
	Reactor *Reactor
	ticker  drivenTicker
	own     func(Message)
}

// DrivenPeer is a peer as the Reactor sees it. While it gossips to the peer, IsRunning is true as long as there is
// something to send.
type DrivenPeer interface {
	p2p.Peer
	// Begin lets IsRunning be true until nothing was sent between two questions.
	Begin()
	// Once lets IsRunning be true one time.
	Once()
}

// Timeout is a time-out that State waits for.
type Timeout = timeoutInfo

// NewDriven takes over a State that was not started. What the node makes itself is passed to own before State handles
// it.
func NewDriven(state *State, wal WAL, own func(Message)) (*Driven, error) {
	d := &Driven{State: state, own: own}
	state.wal = wal
	state.SetTimeoutTicker(&d.ticker)
	d.Reactor = NewReactor(state, false)
	d.Reactor.BaseReactor = *p2p.NewBaseReactor("Consensus", quietReactor{d.Reactor})
	d.Reactor.SetSwitch(p2p.NewSwitch(config.DefaultP2PConfig(), nil))
	return d, d.Reactor.Start()
}

// quietReactor starts without the Reactor's goroutines.
type quietReactor struct{ *Reactor }

func (r quietReactor) OnStart() error {
	r.subscribeToBroadcastEvents()
	return nil
}

// Start does what State.OnStart does: it replays the write-ahead log, if there is one, and schedules round 0. A log that
// is damaged is not mended.
func (d *Driven) Start(replay bool) error {
	if replay {
		err := d.State.catchupReplay(d.State.Height)
		if IsDataCorruptionError(err) {
			return err
		}
		if err != nil {
			d.State.Logger.Error("error on catchup replay; proceeding to start state anyway", "err", err)
		}
	}
	d.State.scheduleRound0(d.State.GetRoundState())
	return nil
}

// AddPeer adds a peer, or one that is back, of which nothing is known.
func (d *Driven) AddPeer(peer DrivenPeer) error {
	peers := d.Reactor.Switch.Peers().(*p2p.PeerSet)
	if !peers.Has(peer.ID()) {
		if err := peers.Add(peer); err != nil {
			return err
		}
	}
	d.Reactor.InitPeer(peer)
	d.Reactor.rs = d.State.GetRoundState()
	d.Reactor.sendNewRoundStepMessage(peer)
	return nil
}

// OnStep reports every step of State.
func (d *Driven) OnStep(report func(*cstypes.RoundState)) error {
	return d.State.evsw.AddListenerForEvent("shakedown", types.EventNewRoundStep, func(data events.EventData) {
		report(data.(*cstypes.RoundState))
	})
}

// Handle handles what is in the queues until they are empty, as State.receiveRoutine does: what the node made itself
// comes first.
func (d *Driven) Handle() {
	cs := d.State
	for {
		select {
		case mi := <-cs.internalMsgQueue:
			if err := cs.wal.WriteSync(mi); err != nil {
				panic(err)
			}
			d.own(mi.Msg)
			cs.handleMsg(mi)
			continue
		default:
		}
		select {
		case mi := <-cs.peerMsgQueue:
			if err := cs.wal.Write(mi); err != nil {
				panic(err)
			}
			cs.handleMsg(mi)
			continue
		default:
		}
		break
	}
	for len(cs.statsMsgQueue) > 0 {
		<-cs.statsMsgQueue
	}
}

// Gossip runs the Reactor's gossip with the peers until it has nothing to send.
func (d *Driven) Gossip(peers []DrivenPeer) {
	d.Reactor.rs = d.State.GetRoundState()
	for _, peer := range peers {
		state := peer.Get(types.PeerStateKey).(*PeerState)
		peer.Begin()
		d.Reactor.gossipDataRoutine(peer, state)
		peer.Begin()
		d.Reactor.gossipVotesRoutine(peer, state)
	}
}

// Query asks the peers which votes they have, where this node has seen a majority.
func (d *Driven) Query(peers []DrivenPeer) {
	d.Reactor.rs = d.State.GetRoundState()
	for _, peer := range peers {
		peer.Once()
		d.Reactor.queryMaj23Routine(peer, peer.Get(types.PeerStateKey).(*PeerState))
	}
}

// Pending is the time-out that State waits for.
func (d *Driven) Pending() (Timeout, bool) { return d.ticker.last, d.ticker.isActive }

// Fire lets the time-out go off that State waits for.
func (d *Driven) Fire() error {
	d.ticker.isActive = false
	if err := d.State.wal.Write(d.ticker.last); err != nil {
		return err
	}
	d.State.handleTimeout(d.ticker.last, d.State.RoundState)
	return nil
}

// drivenTicker keeps one time-out, and takes a new one by the rule of timeoutTicker: if it is of a later step.
type drivenTicker struct {
	last     timeoutInfo
	isActive bool
}

func (t *drivenTicker) ScheduleTimeout(ti timeoutInfo) {
	old := t.last
	isOlder := ti.Height < old.Height ||
		ti.Height == old.Height && (ti.Round < old.Round ||
			ti.Round == old.Round && old.Step > 0 && ti.Step <= old.Step)
	if !isOlder {
		t.last, t.isActive = ti, true
	}
}

func (t *drivenTicker) Start() error             { return nil }
func (t *drivenTicker) Stop() error              { return nil }
func (t *drivenTicker) Chan() <-chan timeoutInfo { return nil }
func (t *drivenTicker) SetLogger(log.Logger)     {}
