# `just` lists what there is. Everything here is one command that also works without `just`.

# List the recipes
default:
    @just --list

# Format, lint, test and check everything, as CI does
ci:
    .ci/run

# The tests of one crate: `just test shakedown-explore`
test crate *arguments:
    cargo test --package {{crate}} {{arguments}}

# Format and lint
lint:
    cargo fmt --all
    scripts/wrap.py
    cargo clippy --workspace --all-targets -- -D warnings

# The documentation of all crates, in a browser
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --open

# What a dev-dependency on shakedown costs; with features: `just weight cli,html`
weight features="":
    scripts/weight.sh {{features}}

# Package every library crate, and compile the packages
package:
    scripts/package.sh

# Install the command
install:
    cargo install --locked --path crates/cli

# Benchmarks, with the settings of what is shipped
bench:
    cargo bench --package shakedown-raft

# The table of findings in the README
findings:
    scripts/findings.sh

# The table of explanations in docs/explain.md
explain:
    scripts/explain.sh

# The table of scenarios in docs/scenarios.md
scenarios:
    scripts/scenarios.sh

# The tables of docs/closure.md
closure:
    scripts/closure.sh

# The tables of docs/comparing.md
compare *arguments:
    scripts/compare.sh {{arguments}}

# Kill campaigns at random moments and resume them
kill *arguments:
    scripts/kill.sh {{arguments}}

# HTML reports in a real browser
browser program="target/debug/shakedown":
    scripts/browser-test.sh {{program}}

# What the README's first command costs, and how fast `release` and `dist` run
first-command rounds="5":
    scripts/first-command.sh {{rounds}}

# What each isolation level of PostgreSQL allows, by load on a server (ten minutes)
postgres *arguments:
    scripts/postgres.sh {{arguments}}

# Executions until each isolation fault of txn-store is found, by strategy
isolation-table *arguments:
    cargo build --release -p shakedown-txn-store
    python3 scripts/isolation-table.py {{arguments}}
