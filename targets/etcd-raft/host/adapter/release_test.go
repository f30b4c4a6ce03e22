//go:build !raft36 && !raft35

package adapter

// hasUniqueReads: the release confirms a read by heartbeats that were sent for it.
const hasUniqueReads = true
