package adapter

import (
	"fmt"

	"github.com/cometbft/cometbft/p2p"
	cmtcons "github.com/cometbft/cometbft/proto/tendermint/consensus"
)

// patience is how often the gossip may look for something to send and find nothing: it once passes over what it has
// noted of the peer in between.
const patience = 2

// peer is another validator, as the library's reactor sees it. What is sent to it becomes a message of Shakedown.
//
// The reactor asks it nothing but what is here.
type peer struct {
	p2p.Peer
	node   *Node
	number int
	// The life of the validator that was heard of last.
	life   uint64
	values map[string]any
	// How often IsRunning is true from now on, if nothing is sent; with gossip, sending makes it patient again.
	left      int
	gossiping bool
}

func newPeer(node *Node, number int) *peer {
	return &peer{node: node, number: number, values: map[string]any{}}
}

func (p *peer) ID() p2p.ID                { return p2p.ID(fmt.Sprintf("n%d", p.number)) }
func (p *peer) String() string            { return string(p.ID()) }
func (p *peer) GetRemovalFailed() bool    { return false }
func (p *peer) Get(key string) any        { return p.values[key] }
func (p *peer) Set(key string, value any) { p.values[key] = value }
func (p *peer) Begin()                    { p.left, p.gossiping = patience, true }
func (p *peer) Once()                     { p.left, p.gossiping = 1, false }

// IsRunning ends the reactor's loops when there is nothing to send any more.
func (p *peer) IsRunning() bool {
	if p.left == 0 {
		p.gossiping = false
		return false
	}
	p.left--
	return true
}

func (p *peer) Send(envelope p2p.Envelope) bool {
	if p.gossiping {
		p.left = patience
	}
	message := envelope.Message
	if step, ok := message.(*cmtcons.NewRoundStep); ok {
		// The library computes this from the real clock.
		changed := *step
		since := now().Sub(p.node.driven.State.StartTime)
		changed.SecondsSinceStartTime = int64(max(since, 0).Seconds())
		message = &changed
	}
	p.node.send(p.number, message)
	return true
}

func (p *peer) TrySend(envelope p2p.Envelope) bool { return p.Send(envelope) }
