#!/bin/sh
# Postfix in front of Dovecot: only Dovecot knows the mailboxes, Postfix delivers over LMTP and verifies
# every recipient with a trial delivery before it accepts it (reject_unverified_recipient). Three endpoints: permanent
# rejections as Postfix's documentation advises, with a result polled every second; Postfix's own defaults for
# both (450, every three seconds); and Dovecot's quota-status service instead of the verification.
set -eu
debconf-set-selections <<'ANSWERS'
postfix postfix/main_mailer_type select Internet Site
postfix postfix/mailname string mx.dovecot.test
ANSWERS
apt-get -qq install -y --no-install-recommends postfix dovecot-lmtpd ssl-cert >/var/log/install 2>&1
dpkg-query -W -f '${Version} ' dovecot-lmtpd postfix >/var/log/version

cat >/etc/dovecot/local.conf <<'CONF'
log_path = /var/log/dovecot
mail_location = maildir:/srv/mail/%d/%n
mail_plugins = quota
lmtp_rcpt_check_quota = yes
userdb {
  driver = passwd-file
  args = /etc/dovecot/users
}
passdb {
  driver = passwd-file
  args = /etc/dovecot/users
}
plugin {
  quota = maildir:User quota
  quota_rule = *:storage=1M
  quota_status_success = DUNNO
  quota_status_nouser = DUNNO
  quota_status_overquota = 552 5.2.2 Mailbox is full
}
service lmtp {
  unix_listener /var/spool/postfix/private/dovecot-lmtp {
    mode = 0666
  }
}
service quota-status {
  executable = quota-status -p postfix
  client_limit = 10
  inet_listener {
    address = 127.0.0.1
    port = 12340
  }
}
CONF
# The users of the machine are not users of Dovecot's, but their names are.
sed -i 's/^!include auth-system/#&/' /etc/dovecot/conf.d/10-auth.conf
names=$(awk -F: '$3 >= 20000 && $3 < 30000 { print $1 }' /etc/passwd)
for domain in dovecot.test default.dovecot.test quota.dovecot.test; do
  for name in $names full; do printf '%s@%s:{PLAIN}x:65534:65534::/srv/mail::\n' "$name" "$domain"; done
  mkdir -p "/srv/mail/$domain/full/cur" "/srv/mail/$domain/full/new" "/srv/mail/$domain/full/tmp"
  head -c 2000000 /dev/zero >"/srv/mail/$domain/full/cur/1.M1.mx,S=2000000:2,S"
done >/etc/dovecot/users
chown -R nobody:nogroup /srv/mail

postconf -e 'mynetworks = 127.0.0.1/32' 'myhostname = mx.dovecot.test' 'maillog_file = /var/log/server' \
  'mydestination = localhost' 'virtual_transport = lmtp:unix:private/dovecot-lmtp' \
  'virtual_mailbox_domains = dovecot.test, default.dovecot.test, quota.dovecot.test, down.dovecot.test' \
  'virtual_alias_domains = anyone.dovecot.test' 'virtual_alias_maps = hash:/etc/postfix/virtual' \
  'transport_maps = hash:/etc/postfix/transport'
cd /etc/postfix
printf '@anyone.dovecot.test ann.baker@dovecot.test\n' >virtual
printf 'down.dovecot.test lmtp:unix:private/stopped\n' >transport
postmap virtual transport

postconf -MX smtp/inet
endpoint() { postconf -M "127.26.6.$1:2626/inet=127.26.6.$1:2626 inet n - y - - smtpd -o smtpd_recipient_restrictions=$2"; }
endpoint 1 'reject_unverified_recipient -o unverified_recipient_reject_code=550 -o address_verify_poll_delay=1s'
endpoint 2 'reject_unverified_recipient'
endpoint 3 'check_policy_service,inet:127.0.0.1:12340'

/usr/lib/postfix/configure-instance.sh -
dovecot
exec postfix start-fg
