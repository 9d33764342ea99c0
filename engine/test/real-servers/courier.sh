#!/bin/sh
# Courier as Debian installs it, with its sessions logged. It reports neither quotas nor disabled accounts at RCPT. Two
# endpoints: one without the delay after every rejection (TARPIT), for the long lists, and one with it, the default.
set -eu
debconf-set-selections <<'ANSWERS'
courier-mta courier-mta/defaultdomain string courier.test
courier-base courier-base/webadmin-configmode boolean false
ANSWERS
apt-get -qq install -y --no-install-recommends courier-mta busybox-syslogd >/var/log/install 2>&1
dpkg-query -W -f '${Version}\n' courier-mta >/var/log/version

cd /etc/courier
printf 'ADDRESS=127.26.5.1\nPORT=2626\nESMTP_LOG_DIALOG=1\nTARPIT=0\n' >>esmtpd
# The second daemon reads esmtpd first; it is meant for submission, which we undo.
printf 'ADDRESS=127.26.5.2\nPORT=2626\nTARPIT=1\nAUTH_REQUIRED=0\nESMTP_LOG_DIALOG=1\n' >>esmtpd-msa
printf 'localhost\ncourier.test\ntarpit.courier.test\n' >locals
printf 'courier.test\ntarpit.courier.test\nanyone.courier.test\n.many.courier.test\n' >esmtpacceptmailfor
printf '@anyone.courier.test: ann.baker\n' >aliases/catch-all
for number in $(seq 1 150); do printf '@m%d.many.courier.test: ann.baker\n' "$number"; done >>aliases/catch-all
# An alias "@domain: user" turns name@domain into user-name, and this file accepts every user-name.
echo ./Maildir >/var/mail/.courier-default
makesmtpaccess
makeacceptmailfor
makealiases

# It logs through /dev/log alone, and /dev is the machine's own: a small one instead, for this namespace.
mount -t tmpfs tmpfs /mnt
cp -a /dev/null /dev/zero /dev/random /dev/urandom /dev/tty /mnt/
mount --bind /mnt /dev
: >/var/log/server
busybox syslogd -O /var/log/server
mkdir -p /run/courier/authdaemon
authdaemond start
courier start
esmtpd start
esmtpd-msa start
exec sleep infinity
