package adapter

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	abcicli "github.com/cometbft/cometbft/abci/client"
	"github.com/cometbft/cometbft/abci/example/kvstore"
	"github.com/cometbft/cometbft/crypto/ed25519"
	"github.com/cometbft/cometbft/libs/service"
	"github.com/cometbft/cometbft/mempool"
	"github.com/cometbft/cometbft/proxy"
	"github.com/cometbft/cometbft/types"
)

const chainID = "shakedown"

// genesisTime is when the chain and every clock begin.
var genesisTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// chains are the validators of chains, by their number.
var chains = map[int][]ed25519.PrivKey{}

// keysOf gives the keys of the validators. They are in the order of their addresses, which is the order in which
// validators of equal power propose: n1 in round 0 of height 1, n2 in round 1.
func keysOf(nodes int) []ed25519.PrivKey {
	keys := chains[nodes]
	if keys == nil {
		for i := range nodes {
			keys = append(keys, ed25519.GenPrivKeyFromSecret(fmt.Appendf(nil, "validator %d", i)))
		}
		slices.SortFunc(keys, func(a, b ed25519.PrivKey) int {
			return bytes.Compare(a.PubKey().Address(), b.PubKey().Address())
		})
		chains[nodes] = keys
	}
	return keys
}

func genesis(keys []ed25519.PrivKey) *types.GenesisDoc {
	doc := &types.GenesisDoc{
		GenesisTime: genesisTime, ChainID: chainID, InitialHeight: 1, ConsensusParams: types.DefaultConsensusParams(),
	}
	for _, key := range keys {
		public := key.PubKey()
		doc.Validators = append(doc.Validators, types.GenesisValidator{Address: public.Address(), PubKey: public, Power: 1})
	}
	return doc
}

// application is the library's key-value store, in this process. It forgets everything in a crash; what was decided is
// then played to it again.
type application struct {
	service.BaseService
	client abcicli.Client
}

func newApplication() *application {
	a := &application{client: abcicli.NewLocalClient(nil, kvstore.NewInMemoryApplication())}
	a.BaseService = *service.NewBaseService(nil, "application", a)
	return a
}

func (a *application) Consensus() proxy.AppConnConsensus {
	return proxy.NewAppConnConsensus(a.client, proxy.NopMetrics())
}

func (a *application) Query() proxy.AppConnQuery {
	return proxy.NewAppConnQuery(a.client, proxy.NopMetrics())
}

func (a *application) Mempool() proxy.AppConnMempool {
	return proxy.NewAppConnMempool(a.client, proxy.NopMetrics())
}

func (a *application) Snapshot() proxy.AppConnSnapshot {
	return proxy.NewAppConnSnapshot(a.client, proxy.NopMetrics())
}

var _ proxy.AppConns = (*application)(nil)

// valuePrefix begins the one transaction of a block: it sets a key to the number of the block.
const valuePrefix = "value="

// transactions is a mempool: there is one transaction for every block, and it names who makes the block in which round.
type transactions struct {
	mempool.NopMempool
	next func() uint64
}

func (t *transactions) ReapMaxBytesMaxGas(int64, int64) types.Txs {
	return types.Txs{fmt.Appendf(nil, "%s%d", valuePrefix, t.next())}
}

// valueOf gives the number of a block, 0 if it has none.
func valueOf(block *types.Block) uint64 {
	if len(block.Txs) == 1 {
		if text, ok := strings.CutPrefix(string(block.Txs[0]), valuePrefix); ok {
			value, _ := strconv.ParseUint(text, 10, 64)
			return value
		}
	}
	return 0
}

// madeBy is the number of what a validator proposes: 1002003 is what n3 makes for height 1 and round 2.
func madeBy(height int64, round int32, node int) uint64 {
	return uint64(height)*1_000_000 + uint64(round)*1_000 + uint64(node)
}
