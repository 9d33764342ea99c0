#!/bin/sh
# Runs main.ts in a network namespace of its own with nothing but loopback, so no mail server can contact another
# machine, not even a name server. The caller's network stays reachable for apt-get alone, as $MIRROR_NETWORK.
set -eu
if [ "$(id -u)" != 0 ]; then
  echo "npm run try:servers installs mail servers in a sealed copy of this machine, and needs root for that." >&2
  exit 2
fi
export MIRROR_NETWORK="/proc/$$/ns/net"
unshare --net sh -c 'ip link set lo up && exec tsx --conditions=source "$@"' sh "${0%.sh}.ts" "$@"
