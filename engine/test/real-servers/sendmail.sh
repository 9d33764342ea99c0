#!/bin/sh
# Sendmail as Debian installs it, with its own certificate and a log of every command.
set -eu
apt-get -qq install -y --no-install-recommends sendmail-bin sendmail-cf m4 openssl busybox-syslogd >/var/log/install 2>&1
dpkg-query -W -f '${Version}\n' sendmail-bin >/var/log/version

openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=mx.sendmail.test \
  -keyout /etc/mail/tls.key -out /etc/mail/tls.crt 2>/dev/null
chmod 600 /etc/mail/tls.key
cat >/etc/mail/sendmail.mc <<'MC'
include(`/usr/share/sendmail/cf/m4/cf.m4')
OSTYPE(`debian')
DOMAIN(`debian-mta')
undefine(`confHOST_STATUS_DIRECTORY')
define(`confLOG_LEVEL', `20')
define(`confPRIVACY_FLAGS', `noexpn,novrfy')
define(`confCACERT_PATH', `/etc/ssl/certs')
define(`confSERVER_CERT', `/etc/mail/tls.crt')
define(`confSERVER_KEY', `/etc/mail/tls.key')
define(`confCACERT', `/etc/mail/tls.crt')
dnl The load is that of the machine we are a copy of.
define(`confREFUSE_LA', `1000')
define(`confQUEUE_LA', `1000')
define(`confDELAY_LA', `1000')
FEATURE(`no_default_msa')
DAEMON_OPTIONS(`Family=inet, Name=MTA, Port=2626, Addr=127.26.4.1')
FEATURE(`accept_unresolvable_domains')
FEATURE(`use_cw_file')
FEATURE(`access_db', , `skip')
FEATURE(`blocklist_recipients')
FEATURE(`virtusertable', `hash -o /etc/mail/virtusertable')
VIRTUSER_DOMAIN_FILE(`/etc/mail/virtuser-domains')
MAILER(`local')
MAILER(`smtp')
MC
printf 'sendmail.test\n' >/etc/mail/local-host-names
{
  echo anyone.sendmail.test
  for number in $(seq 1 150); do echo "m$number.many.sendmail.test"; done
} >/etc/mail/virtuser-domains
sed 's/.*/@& ann.baker/' /etc/mail/virtuser-domains >/etc/mail/virtusertable
printf 'To:closed@sendmail.test ERROR:5.2.1:550 Mailbox disabled for this recipient\nTo:full@sendmail.test ERROR:5.2.2:552 Mailbox is full\n' >/etc/mail/access
printf 'closed: ann.baker\nfull: ann.baker\n' >>/etc/aliases
(cd /etc/mail && m4 sendmail.mc >sendmail.cf && makemap hash virtusertable <virtusertable && makemap hash access <access)
newaliases

mkdir -p /var/run/sendmail/mta /var/spool/mqueue
# It logs through /dev/log alone, and /dev is the machine's own: a small one instead, for this namespace.
mount -t tmpfs tmpfs /mnt
cp -a /dev/null /dev/zero /dev/random /dev/urandom /dev/tty /mnt/
mount --bind /mnt /dev
: >/var/log/server
busybox syslogd -n -O /var/log/server &
sleep 1
exec "$(readlink -f /usr/sbin/sendmail)" -bD -q30m
