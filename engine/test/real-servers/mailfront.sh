#!/bin/sh
# Debian 12 has no qmail. It has mailfront, an SMTP front end for qmail in place of qmail-smtpd, and cvm-qmail, which
# looks up recipients in qmail's own files. Two endpoints: one with that lookup, and one that checks only the domain
# (rcpthosts), as qmail-smtpd does.
set -eu
apt-get -qq install -y --no-install-recommends mailfront cvm ipsvd >/var/log/install 2>&1
dpkg-query -W -f '${Version}\n' mailfront >/var/log/version

mkdir -p /var/qmail/control /var/qmail/users /var/qmail/alias
cd /var/qmail/control
echo mx.mailfront.test >me
printf 'mailfront.test\nunchecked.mailfront.test\n' >locals
printf 'anyone.mailfront.test:ann.baker\n' >virtualdomains
for number in $(seq 1 150); do printf 'm%d.many.mailfront.test:ann.baker\n' "$number"; done >>virtualdomains
{ cat locals; sed 's/:.*//' virtualdomains; } >rcpthosts
echo closed@unchecked.mailfront.test >badrcptto
# A virtual domain turns name@domain into ann.baker-name, and this file accepts every such name.
echo ./Maildir/ >/var/mail/.qmail-default
useradd --system --home-dir /var/qmail/alias alias

# Its log does not tell a QUIT from a connection that was cut off, so tee adds what the client says.
: >/var/log/server
chmod 666 /var/log/server
serve() {
  env SMTPGREETING=mx.mailfront.test QMAILHOME=/var/qmail "$2" \
    tcpsvd -v -l mx.mailfront.test -u nobody:nogroup "127.26.7.$1" 2626 \
    sh -c 'tee -a /var/log/server | smtpfront-qmail' >>/var/log/server 2>&1
}
serve 2 NO_LOOKUP= &
serve 1 CVM_LOOKUP=/usr/bin/cvm-qmail
