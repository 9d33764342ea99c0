#!/bin/sh
# Postfix as Debian installs it for an "Internet Site", with five endpoints: the plain one, one behind postgrey, one
# behind postscreen, one that verifies recipients by probing itself, and one without extensions.
set -eu
debconf-set-selections <<'ANSWERS'
postfix postfix/main_mailer_type select Internet Site
postfix postfix/mailname string postfix.test
ANSWERS
apt-get -qq install -y --no-install-recommends postfix postgrey ssl-cert >/var/log/install 2>&1
dpkg-query -W -f '${Version}\n' postfix >/var/log/version

# 127.0.0.0/8 is a trusted network otherwise, and we come from there.
postconf -e 'mynetworks = 127.0.0.1/32' 'myhostname = mx.postfix.test' 'maillog_file = /var/log/server' \
  'mydestination = localhost, postfix.test, regexp:/etc/postfix/endpoints' \
  'virtual_alias_domains = hash:/etc/postfix/virtual-domains, regexp:/etc/postfix/many' \
  'virtual_alias_maps = hash:/etc/postfix/virtual' \
  'virtual_mailbox_domains = mailboxes.postfix.test' 'virtual_mailbox_maps = hash:/etc/postfix/mailboxes' \
  'relay_domains = relayed.postfix.test' 'relay_recipient_maps = hash:/etc/postfix/relayed' \
  'smtpd_recipient_restrictions = check_recipient_access hash:/etc/postfix/access'

cd /etc/postfix
printf '/^(grey|screened|verified|sober)\\.postfix\\.test$/ endpoint\n' >endpoints
printf 'aliases.postfix.test virtual\nanyone.postfix.test virtual\n' >virtual-domains
printf '/^m[0-9]+\\.many\\.postfix\\.test$/ virtual\n' >many
printf 'ann@aliases.postfix.test ann.baker\n@anyone.postfix.test ann.baker\n' >virtual
for number in $(seq 1 150); do printf '@m%d.many.postfix.test ann.baker\n' "$number"; done >>virtual
printf 'ann@mailboxes.postfix.test ann/\n' >mailboxes
printf 'ann@relayed.postfix.test ok\n' >relayed
# The words are those of Dovecot's quota-status policy service.
printf 'full@postfix.test 552 5.2.2 Mailbox is full\nclosed@postfix.test 550 5.2.1 Mailbox disabled\n' >access
postmap virtual-domains virtual mailboxes relayed access
printf 'full: root\nclosed: root\njürgen: root\n' >>/etc/aliases
newaliases

postconf -MX smtp/inet
endpoint() { postconf -M "127.26.1.$1:2626/inet=127.26.1.$1:2626 inet n - y - $2"; }
endpoint 1 '- smtpd'
endpoint 2 '- smtpd -o smtpd_recipient_restrictions=check_policy_service,inet:127.0.0.1:10023'
endpoint 3 '1 postscreen'
endpoint 4 '- smtpd -o smtpd_recipient_restrictions=reject_unverified_recipient'
endpoint 5 '- smtpd -o smtpd_discard_ehlo_keywords=pipelining,starttls'
postconf -M 'smtpd/pass=smtpd pass - - y - - smtpd'
postconf -e 'postscreen_greet_action = enforce'

/usr/lib/postfix/configure-instance.sh -
postgrey --daemonize --inet=127.0.0.1:10023 --delay=5 --user=postgrey --group=postgrey
exec postfix start-fg
