#!/usr/bin/env bash
# Checks the syntax of everything in deploy/: manifests against the schemas of Kubernetes, units by systemd, configurations by the server.
#
#   scripts/deploy-check.sh
#
# Needs Python with venv, openssl and nats-server (scripts/nats-server.sh); units are left out where there is no systemd-analyze.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${CARGO_TARGET_DIR:-target}/hosts/kubernetes-validate
version=1.32.0
if [ ! -f "$folder/complete-$version" ]; then
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check "kubernetes-validate==$version"
  touch "$folder/complete-$version"
fi
for manifest in deploy/kubernetes/*.yaml; do
  "$folder/bin/kubernetes-validate" --strict --quiet "$manifest"
  echo "valid: $manifest"
done

# What the files name is not there: keys and the program take the place of it.
trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=check \
  -keyout "$trial/server-key.pem" -out "$trial/server.pem" 2>/dev/null
server=$(scripts/nats-server.sh)
for configuration in deploy/*/*.conf; do
  sed "s#/etc/nats/#$trial/#; s#/var/lib/nats#$trial/store#" "$configuration" >"$trial/nats.conf"
  "$server" -c "$trial/nats.conf" -t >/dev/null 2>"$trial/said" || { cat "$trial/said"; exit 1; }
  echo "valid: $configuration"
done

if command -v systemd-analyze >/dev/null; then
  for unit in deploy/systemd/*.service; do
    sed "s#^ExecStart=[^ ]*#ExecStart=/bin/true#" "$unit" >"$trial/$(basename "$unit")"
    systemd-analyze verify "$trial/$(basename "$unit")"
    echo "valid: $unit"
  done
else
  echo "left out: units, there is no systemd-analyze"
fi
