package adapter

import (
	"fmt"

	"github.com/cosmos/gogoproto/proto"

	"github.com/cometbft/cometbft/consensus"
	"github.com/cometbft/cometbft/p2p"
	cmtcons "github.com/cometbft/cometbft/proto/tendermint/consensus"
	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	"github.com/cometbft/cometbft/types"
)

// Kinds are the kinds of messages that nodes send: those of the library, with one for each kind of vote.
func Kinds() []string {
	return []string{
		"Proposal", "BlockPart", "Prevote", "Precommit", "NewRoundStep", "NewValidBlock", "HasVote", "ProposalPOL",
		"VoteSetMaj23", "VoteSetBits",
	}
}

// message is a message on its way. The fields beside the wire are what is in it: where they differ when it arrives,
// they count, and the sender signs anew.
type message struct {
	// Life is that of the sender: a message of an earlier life belongs to a connection that is gone.
	Life   uint64 `json:"life"`
	Height int64  `json:"height"`
	Round  int32  `json:"round"`
	// Block is what a proposal or a vote is for; nothing stands for nil.
	Block *block `json:"block,omitempty"`
	// Signer is the validator that a proposal or a vote is of, 0 for other messages.
	Signer int `json:"signer,omitempty"`
	// IsOwn: the sender is the signer. Others pass it on.
	IsOwn bool `json:"own,omitempty"`
	// Wire is the message as the library encodes it.
	Wire []byte `json:"wire"`
	// More is what the sender sends right after a proposal, on the same channel: parts of the block, and which prevotes
	// there are. A connection keeps their order, so they travel together.
	More [][]byte `json:"more,omitempty"`
}

type block struct {
	// Value is the number of the block.
	Value uint64 `json:"value"`
	// ID is the identity of the block, as the library encodes it.
	ID []byte `json:"id"`
}

// kindOf gives the kind of a message, and the channel that it belongs to.
func kindOf(m proto.Message) (string, byte) {
	switch m := m.(type) {
	case *cmtcons.Proposal:
		return "Proposal", consensus.DataChannel
	case *cmtcons.BlockPart:
		return "BlockPart", consensus.DataChannel
	case *cmtcons.ProposalPOL:
		return "ProposalPOL", consensus.DataChannel
	case *cmtcons.Vote:
		if m.Vote.Type == cmtproto.PrevoteType {
			return "Prevote", consensus.VoteChannel
		}
		return "Precommit", consensus.VoteChannel
	case *cmtcons.VoteSetBits:
		return "VoteSetBits", consensus.VoteSetBitsChannel
	case *cmtcons.NewRoundStep:
		return "NewRoundStep", consensus.StateChannel
	case *cmtcons.NewValidBlock:
		return "NewValidBlock", consensus.StateChannel
	case *cmtcons.HasVote:
		return "HasVote", consensus.StateChannel
	case *cmtcons.VoteSetMaj23:
		return "VoteSetMaj23", consensus.StateChannel
	}
	panic(fmt.Sprintf("the library sends %T", m))
}

func encode(m proto.Message) []byte {
	wire, err := m.(p2p.Wrapper).Wrap().(*cmtcons.Message).Marshal()
	if err != nil {
		panic(err)
	}
	return wire
}

func decode(data []byte) (proto.Message, error) {
	var wire cmtcons.Message
	if err := wire.Unmarshal(data); err != nil {
		return nil, err
	}
	return wire.Unwrap()
}

// pack makes a message ready for its way.
func (n *Node) pack(m proto.Message) message {
	packed := message{Life: n.life, Wire: encode(m)}
	switch m := m.(type) {
	case *cmtcons.Proposal:
		p := &m.Proposal
		packed.Height, packed.Round, packed.Block = p.Height, p.Round, n.block(&p.BlockID)
		packed.Signer = n.numberOf(n.driven.State.Validators.GetProposer().Address)
	case *cmtcons.Vote:
		v := m.Vote
		packed.Height, packed.Round, packed.Block = v.Height, v.Round, n.block(&v.BlockID)
		packed.Signer = n.numberOf(v.ValidatorAddress)
	case *cmtcons.BlockPart:
		packed.Height, packed.Round = m.Height, m.Round
	case *cmtcons.ProposalPOL:
		packed.Height, packed.Round = m.Height, m.ProposalPolRound
	case *cmtcons.VoteSetBits:
		packed.Height, packed.Round = m.Height, m.Round
	case *cmtcons.NewRoundStep:
		packed.Height, packed.Round = m.Height, m.Round
	case *cmtcons.NewValidBlock:
		packed.Height, packed.Round = m.Height, m.Round
	case *cmtcons.HasVote:
		packed.Height, packed.Round = m.Height, m.Round
	case *cmtcons.VoteSetMaj23:
		packed.Height, packed.Round = m.Height, m.Round
	}
	packed.IsOwn = packed.Signer == n.own
	return packed
}

// block is what a message is for: nothing if it is for nil.
func (n *Node) block(id *cmtproto.BlockID) *block {
	if len(id.Hash) == 0 {
		return nil
	}
	bytes, err := id.Marshal()
	if err != nil {
		panic(err)
	}
	return &block{n.values[string(id.Hash)], bytes}
}

// unpack gives the message as it is to arrive.
func (n *Node) unpack(from int, packed message) (proto.Message, error) {
	m, err := decode(packed.Wire)
	if err != nil {
		return nil, err
	}
	var id cmtproto.BlockID
	if packed.Block != nil {
		if err := id.Unmarshal(packed.Block.ID); err != nil {
			return nil, err
		}
		n.values[string(id.Hash)] = packed.Block.Value
	}
	key := n.keys[from-1]
	switch m := m.(type) {
	case *cmtcons.Proposal:
		p := &m.Proposal
		if changes(packed, p.Height, p.Round, &id, &p.BlockID) {
			p.Height, p.Round, p.BlockID = packed.Height, packed.Round, id
			p.Signature, err = key.Sign(types.ProposalSignBytes(chainID, p))
		}
	case *cmtcons.Vote:
		v := m.Vote
		if changes(packed, v.Height, v.Round, &id, &v.BlockID) {
			v.Height, v.Round, v.BlockID = packed.Height, packed.Round, id
			v.Signature, err = key.Sign(types.VoteSignBytes(chainID, v))
		}
	}
	return m, err
}

func changes(packed message, height int64, round int32, id, old *cmtproto.BlockID) bool {
	return packed.Height != height || packed.Round != round || !proto.Equal(id, old)
}

// numberOf gives the node of a validator, 0 if it is none.
func (n *Node) numberOf(address []byte) int {
	for i, key := range n.keys {
		if string(key.PubKey().Address()) == string(address) {
			return i + 1
		}
	}
	return 0
}
