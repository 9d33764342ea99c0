#!/bin/sh
# Exim as Debian installs it for an "internet site", with TLS enabled as its README describes.
set -eu
debconf-set-selections <<'ANSWERS'
exim4-config exim4/dc_eximconfig_configtype select internet site; mail is sent and received directly using SMTP
exim4-config exim4/mailname string exim.test
exim4-config exim4/dc_other_hostnames string exim.test
exim4-config exim4/dc_local_interfaces string 127.26.2.1.2626
exim4-config exim4/dc_relay_nets string
exim4-config exim4/use_split_config boolean true
ANSWERS
apt-get -qq install -y --no-install-recommends exim4-daemon-light openssl >/var/log/install 2>&1
dpkg-query -W -f '${Version}\n' exim4-daemon-light >/var/log/version

# A self-signed certificate, where Debian's own exim-gencert puts it.
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=mx.exim.test \
  -keyout /etc/exim4/exim.key -out /etc/exim4/exim.crt 2>/dev/null
chown root:Debian-exim /etc/exim4/exim.key /etc/exim4/exim.crt
chmod 640 /etc/exim4/exim.key
cat >/etc/exim4/conf.d/main/000_local <<'LOCAL'
MAIN_TLS_ENABLE = yes
MAIN_LOG_SELECTOR = +smtp_connection +smtp_protocol_error +smtp_syntax_error +tls_cipher
MAIN_LOCAL_DOMAINS = @:localhost:exim.test:anyone.exim.test:^m\\d+\\.many\\.exim\\.test\$
LOCAL
# The usual way to a catch-all: a router before the ones for users.
cat >/etc/exim4/conf.d/router/350_local_anyone <<'LOCAL'
anyone:
  driver = redirect
  domains = anyone.exim.test : ^m\\d+\\.many\\.exim\\.test\$
  data = ann.baker@exim.test
LOCAL
printf 'closed: :fail: Mailbox disabled for this recipient\nfull: :defer: Mailbox is full\n' >>/etc/aliases

update-exim4.conf
ln -s exim4/mainlog /var/log/server
exec exim4 -bdf -q30m
