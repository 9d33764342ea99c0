#!/bin/sh
# Runs as the first process of a mount, process and host-name namespace of its own: lays an empty layer in
# memory over this machine's files, so that everything installed and written stays in there, and hands over
# to the script that sets up a mail server. Whoever ends this process ends all that it started.
#
# Arguments: a directory on this machine, the host name in there, the set-up script, and what it wants to know.
set -eu
directory=$1 host_name=$2 set_up=$3
shift 3

mount -t tmpfs tmpfs "$directory/machine"
cd "$directory/machine"
mkdir upper work root
mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
mount -t proc proc root/proc
mount --rbind /dev root/dev
mount --bind "$directory/log" root/var/log
cp "$set_up" root/root/set-up.sh

hostname "$host_name"
printf '127.0.0.1 localhost %s\n127.26.9.9 probe.prober.test\n' "$host_name" >root/etc/hosts
printf '#!/bin/sh\nexit 101\n' >root/usr/sbin/policy-rc.d
chmod 755 root/usr/sbin/policy-rc.d
# Every mailbox is an ordinary user of the machine, which is what all three servers deliver to by default.
number=20000
while read -r name; do
  printf '%s:x:%d:65534::/var/mail:/usr/sbin/nologin\n' "$name" "$number"
  number=$((number + 1))
done <"$directory/mailboxes" >>root/etc/passwd

export DEBIAN_FRONTEND=noninteractive
chroot root apt-get -qq update
# Not exec: a server that changes its user would no longer end with the one who started us.
chroot root sh /root/set-up.sh "$@"
