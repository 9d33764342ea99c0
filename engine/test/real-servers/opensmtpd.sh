#!/bin/sh
# OpenSMTPD as Debian installs it, opened to the outside as the comments in its smtpd.conf describe, and a second
# endpoint with TLS, which is off by default. The one of Debian 12 fails at every TLS handshake (OpenSSL 3); with the
# argument "backports" it is the newer one, which does not.
set -eu
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
if [ "${1-}" = backports ]; then
  printf 'deb http://deb.debian.org/debian %s-backports main\n' "$release" >/etc/apt/sources.list.d/backports.list
  apt-get -qq update
  release=$release-backports
fi
printf 'opensmtpd opensmtpd/mailname string opensmtpd.test\n' | debconf-set-selections
apt-get -qq install -y --no-install-recommends -t "$release" opensmtpd openssl >/var/log/install 2>&1
dpkg-query -W -f '${Version}\n' opensmtpd >/var/log/version

openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=mx.opensmtpd.test \
  -keyout /etc/smtpd.key -out /etc/smtpd.crt 2>/dev/null
chmod 600 /etc/smtpd.key
cat >/etc/smtpd.conf <<'CONF'
pki mx.opensmtpd.test cert "/etc/smtpd.crt"
pki mx.opensmtpd.test key "/etc/smtpd.key"
table aliases file:/etc/aliases
table anyone { "@" = "ann.baker" }
table many file:/etc/many
listen on 127.26.3.1 port 2626 hostname mx.opensmtpd.test
listen on 127.26.3.2 port 2626 tls pki mx.opensmtpd.test hostname mx.opensmtpd.test
action "local" maildir alias <aliases>
action "anyone" maildir virtual <anyone>
action "relay" relay
match from any for domain { "opensmtpd.test", "secure.opensmtpd.test" } action "local"
match from any for domain "anyone.opensmtpd.test" action "anyone"
match from any for domain <many> action "anyone"
match for local action "local"
match from local for any action "relay"
CONF
for number in $(seq 1 150); do printf 'm%d.many.opensmtpd.test\n' "$number"; done >/etc/many
printf 'closed: error:550 Mailbox disabled\nfull: error:452 Mailbox is full\n' >>/etc/aliases

exec smtpd -d >/var/log/server 2>&1
