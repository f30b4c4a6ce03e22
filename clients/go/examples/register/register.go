package main

// Replicate is a message of the primary: hold this value, it has this version.
type Replicate struct {
	Version uint64 `json:"version"`
	Value   uint64 `json:"value"`
}

// Ack is a message of a backup: I hold that version.
type Ack struct {
	Version uint64 `json:"version"`
}

// Register is one node of a replicated register: node 1 is the primary, the others are backups.
type Register struct {
	Version, Value uint64
	// LooksAtVersions: a backup does not let an old message overwrite a newer value.
	LooksAtVersions bool
	// At the primary: how many backups hold each version that not all of them hold.
	acks []acks
}

type acks struct {
	version uint64
	count   int
}

// Write is called at the primary when a client writes. It gives what is to be sent to every backup.
func (r *Register) Write(value uint64) Replicate {
	r.Version++
	r.Value = value
	r.acks = append(r.acks, acks{r.Version, 0})
	return Replicate{r.Version, value}
}

// Replicate is called at a backup when the primary has sent a value. It gives what is to be sent back.
func (r *Register) Replicate(m Replicate) Ack {
	if !r.LooksAtVersions || m.Version > r.Version {
		r.Version, r.Value = m.Version, m.Value
	}
	return Ack{m.Version}
}

// Acknowledged is called at the primary when a backup holds a version. It reports whether all of them do now.
func (r *Register) Acknowledged(version uint64, backups int) bool {
	complete := false
	waiting := r.acks[:0]
	for _, a := range r.acks {
		if a.version == version {
			a.count++
		}
		if a.count == backups {
			complete = complete || a.version == version
		} else {
			waiting = append(waiting, a)
		}
	}
	r.acks = waiting
	return complete
}
