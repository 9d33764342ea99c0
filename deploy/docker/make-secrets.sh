#!/bin/sh
# Writes the secrets of compose.yaml into the folder secrets, one file each. Files that exist are kept.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p secrets
chmod 700 secrets # the files in it are readable in the containers, whose users have other ids

random() {
  od -An -N24 -tx1 /dev/urandom | tr -d ' \n'
}

write() {
  [ -e "secrets/$1" ] || printf '%s\n' "$2" >"secrets/$1"
  chmod 644 "secrets/$1"
}

write postgres_password "$(random)"
write database_url "postgres://mailvet:$(cat secrets/postgres_password)@postgres:5432/mailvet"
write metrics_token "$(random)"
write admin_password "$(random)"
write bootstrap_api_key "mv_live_$(random)"
write grafana_password "$(random)"
echo "The secrets are in $(pwd)/secrets."
