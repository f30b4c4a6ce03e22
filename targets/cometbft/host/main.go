// Cometbft is CometBFT's consensus as a host of Shakedown.
package main

import (
	"log"
	"runtime/debug"

	"shakedown.dev/cometbft/adapter"
	"shakedown.dev/go"
)

func main() {
	host := shakedown.Host[*adapter.Node]{
		Name: "cometbft", Version: version(), Kinds: adapter.Kinds(), Boot: adapter.Boot,
	}
	if err := host.Serve(); err != nil {
		log.Fatal(err)
	}
}

// version names the release that the program was built with.
func version() string {
	const library = "github.com/cometbft/cometbft"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == library {
				return library + " " + module.Version
			}
		}
	}
	return library
}
