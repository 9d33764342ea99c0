#!/bin/sh
# Runs as the first process of a mount, process and host-name namespace of its own: lays an empty layer in
# memory over this machine's files, so that everything installed and written stays in there, and hands over
# to the script that sets up a mail server. Ending this process ends everything it started.
#
# Arguments: a directory on this machine, the host name in there, the set-up script, and the script's own arguments.
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
# Everything in here has loopback only; apt-get alone is run in the network that has the mirror, with its name server.
: >root/run/mirror-network
mount --bind "$MIRROR_NETWORK" root/run/mirror-network
cp root/etc/resolv.conf root/run/mirror-resolv.conf
cat >root/usr/local/sbin/apt-get <<'WRAPPER'
#!/bin/sh
cp /run/mirror-resolv.conf /etc/resolv.conf
nsenter --net=/run/mirror-network /usr/bin/apt-get "$@"
status=$?
echo 'nameserver 127.0.0.1' >/etc/resolv.conf
exit $status
WRAPPER
chmod 755 root/usr/local/sbin/apt-get

hostname "$host_name"
printf '127.0.0.1 localhost %s\n127.26.9.9 probe.prober.test\n' "$host_name" >root/etc/hosts
printf '#!/bin/sh\nexit 101\n' >root/usr/sbin/policy-rc.d
chmod 755 root/usr/sbin/policy-rc.d
# Every mailbox is an ordinary user of the machine, which is what most of the servers deliver to by default.
number=20000
while read -r name; do
  printf '%s:x:%d:65534::/var/mail:/usr/sbin/nologin\n' "$name" "$number"
  number=$((number + 1))
done <"$directory/mailboxes" >>root/etc/passwd

export DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
chroot root apt-get -qq update
# A name server that knows the client and denies every other name in .test: without an answer Sendmail accepts every
# recipient ("will queue"), and Courier looks up the domain of every sender.
chroot root apt-get -qq install -y --no-install-recommends dnsmasq-base >/dev/null 2>&1
chroot root dnsmasq --no-resolv --no-hosts --listen-address=127.0.0.1 --bind-interfaces --local=/test/in-addr.arpa/ \
  --mx-host=prober.test,probe.prober.test --host-record=probe.prober.test,127.26.9.9
# Not exec: a server that changes its user would no longer end with the one who started us.
chroot root sh /root/set-up.sh "$@"
