// Etcd-raft is etcd's raft as a host of Shakedown.
package main

import (
	"log"
	"runtime/debug"

	"shakedown.dev/etcd-raft/adapter"
	"shakedown.dev/etcd-raft/lib"
	"shakedown.dev/go"
)

// build is set by a build of a changed library: what was changed.
var build string

func main() {
	host := shakedown.Host[*adapter.Node]{
		Name: "etcd-raft", Version: version(), Kinds: adapter.Kinds(), Boot: adapter.Boot,
	}
	if err := host.Serve(); err != nil {
		log.Fatal(err)
	}
}

// version names the release that the program was built with.
func version() string {
	name := lib.Module
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == lib.Module {
				name += " " + module.Version
			}
		}
	}
	if build != "" {
		name += " (" + build + ")"
	}
	return name
}
