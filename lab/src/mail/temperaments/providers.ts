/**
 * Imitations of large providers and common mail servers: their replies and limits.
 *
 * The replies follow documentation and reports, including IDs and links, because these often confuse reply parsers.
 * Providers change their replies, so these are imitations. Each composes like any temperament:
 * `[overQuota(["ann"]), google]` is Google with a full mailbox.
 */
import type { Temper, Temperament } from "../temperament.ts";
import { oneDomainPerTransaction, recipientLimit } from "./limits.ts";
import { offersTls } from "./protocol.ts";
import { neverRefusesAtRcpt } from "./recipients.ts";

const noEnhancedCodes: Temperament = { extensions: { without: ["ENHANCEDSTATUSCODES"] } };

export const google: Temper = [
  {
    extensions: { with: ["CHUNKING"], without: ["DSN"] },
    replies: {
      banner: "220 mx.google.com ESMTP {id} - gsmtp",
      hello: "mx.google.com at your service, [{client}]",
      mail: "250 2.1.0 OK {id} - gsmtp",
      exists: "250 2.1.5 OK {id} - gsmtp",
      does_not_exist: [
        "550-5.1.1 The email account that you tried to reach does not exist. Please try",
        "550-5.1.1 double-checking the recipient's email address for typos or",
        "550-5.1.1 unnecessary spaces. For more information, go to",
        "550 5.1.1  https://support.google.com/mail/?p=NoSuchUser {id} - gsmtp",
      ].join("\n"),
      full: [
        "452-4.2.2 The recipient's inbox is out of storage space. Please direct the",
        "452-4.2.2 recipient to",
        "452 4.2.2  https://support.google.com/mail/?p=OverQuotaTemp {id} - gsmtp",
      ].join("\n"),
      disabled: [
        "550-5.2.1 The email account that you tried to reach is inactive. For more",
        "550-5.2.1 information, go to",
        "550 5.2.1  https://support.google.com/mail/?p=DisabledUser {id} - gsmtp",
      ].join("\n"),
      not_here: "550 5.1.2 The domain you are trying to contact is not served here. {id} - gsmtp",
      blocked: [
        "421-4.7.0 [{client}      15] Our system has detected an unusual rate of",
        "421-4.7.0 unsolicited mail originating from your IP address. To protect our",
        "421-4.7.0 users from spam, mail sent from your IP address has been temporarily",
        "421-4.7.0 rate limited. For more information, go to",
        "421 4.7.0  https://support.google.com/mail/?p=UnsolicitedRateLimitError {id} - gsmtp",
      ].join("\n"),
      quit: "221 2.0.0 closing connection {id} - gsmtp",
    },
  },
  oneDomainPerTransaction,
  offersTls(),
];

/** With directory edge blocking; a tenant without it is `[acceptsEveryone, microsoft365]`. */
export const microsoft365: Temper = [
  {
    extensions: { with: ["BINARYMIME", "CHUNKING"] },
    replies: {
      banner: "220 {id}.mail.protection.outlook.com Microsoft ESMTP MAIL Service ready",
      hello: "{id}.mail.protection.outlook.com Hello [{client}]",
      mail: "250 2.1.0 Sender OK",
      exists: "250 2.1.5 Recipient OK",
      does_not_exist:
        "550 5.4.1 Recipient address rejected: Access denied. For more information see https://aka.ms/EXOSmtpErrors [{id}.eurprd04.prod.outlook.com]",
      full: "452 4.2.2 Mailbox full [{id}.eurprd04.prod.outlook.com]",
      disabled: "550 5.2.1 Mailbox disabled, not accepting messages [{id}.eurprd04.prod.outlook.com]",
      not_here: "550 5.4.1 [{domain}]: Relay access denied [{id}.eurprd04.prod.outlook.com]",
      blocked:
        "550 5.7.606 Access denied, banned sending IP [{client}]. To request removal from this list please visit https://sender.office.com/ and follow the directions. For more information please go to http://go.microsoft.com/fwlink/?LinkID=526655 AS(1430) [{id}.eurprd04.prod.outlook.com]",
      temporary:
        "451 4.7.500 Server busy. Please try again later from [{client}]. (S77719) [{id}.eurprd04.prod.outlook.com]",
      quit: "221 2.0.0 Service closing transmission channel",
    },
  },
  offersTls(),
];

export const outlookCom: Temper = [
  {
    replies: {
      does_not_exist:
        "550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [{id}.eop-eur04.prod.protection.outlook.com]",
      full: "552 5.2.2 This message is larger than the current system limit or the recipient's mailbox is full.",
      blocked:
        "550 5.7.1 Unfortunately, messages from [{client}] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140). You can also refer your provider to http://mail.live.com/mail/troubleshooting.aspx#errors. [{id}.eop-eur04.prod.protection.outlook.com]",
      too_many_recipients:
        "452 4.5.3 Too many recipients (AS780090) [{id}.eop-eur04.prod.protection.outlook.com]",
    },
  },
  recipientLimit(1),
  microsoft365,
];

/** Yes to every RCPT, and the bounce after DATA. */
export const yahoo: Temper = [
  {
    extensions: { without: ["ENHANCEDSTATUSCODES", "DSN", "SMTPUTF8"] },
    replies: {
      banner: "220 mtaproxy{id}.free.mail.ne1.yahoo.com ESMTP ready",
      hello: "mtaproxy{id}.free.mail.ne1.yahoo.com",
      mail: "250 sender <{sender}> ok",
      exists: "250 recipient <{address}> ok",
      blocked:
        "421 4.7.0 [TSS04] Messages from {client} temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes",
      quit: "221 mtaproxy{id}.free.mail.ne1.yahoo.com",
    },
  },
  neverRefusesAtRcpt,
  offersTls(),
];

export const icloud: Temper = [
  {
    replies: {
      banner: "220 {id}.mail.icloud.com -- Server ESMTP (iCloud inbound)",
      does_not_exist: "550 5.1.1 <{address}>: user does not exist",
      full: "552 5.2.2 <{address}>: user is over quota",
      disabled: "550 5.1.1 <{address}>: inactive email address",
      blocked:
        "554 5.7.1 [HM08] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137",
    },
  },
  offersTls(),
];

/** GMX, WEB.DE, mail.com, IONOS: no enhanced codes, and the reason is on the lines that follow. */
export const gmx: Temper = [
  noEnhancedCodes,
  {
    replies: {
      banner: "220 gmx.net (mxgmx{id}) Nemesis ESMTP Service ready",
      hello: "gmx.net Hello [{client}]",
      mail: "250 Requested mail action okay, completed",
      exists: "250 OK",
      does_not_exist: [
        "550-Requested action not taken: mailbox unavailable",
        "550 For explanation visit https://postmaster.gmx.net/en/case?c=r0103&i=ip&v={client}&r={id}",
      ].join("\n"),
      full: [
        "552-Requested mail action aborted: exceeded storage allocation",
        "552-Quota exceeded. The recipient's mailbox is full.",
        "552 For explanation visit https://postmaster.gmx.net/en/case?c=r0202&i=ip&v={client}&r={id}",
      ].join("\n"),
      blocked: [
        "554-gmx.net (mxgmx{id}) Nemesis ESMTP Service not available",
        "554-No SMTP service",
        "554-IP address is block listed.",
        "554 For explanation visit https://postmaster.gmx.net/en/case?c=r0306&i=ip&v={client}&r={id}",
      ].join("\n"),
      quit: "221 gmx.net Service closing transmission channel",
    },
  },
  offersTls(),
];

export const mimecast: Temper = [
  noEnhancedCodes,
  {
    replies: {
      banner: "220 eu-smtp-1.mimecast.com ESMTP; {id}",
      hello: "eu-smtp-1.mimecast.com Hello [{client}]",
      mail: "250 Sender OK [{id}.eu123]",
      exists: "250 Recipient OK [{id}.eu123]",
      does_not_exist: "550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [{id}.eu123]",
      greylisted:
        "451 Internal resources are temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451 [{id}.eu123]",
      blocked:
        "550 Administrative prohibition - envelope blocked - https://community.mimecast.com/docs/DOC-1369#550 [{id}.eu123]",
      too_many_recipients: "452 Maximum recipients per message exceeded [{id}.eu123]",
      quit: "221 Service closing transmission channel [{id}.eu123]",
    },
  },
  recipientLimit(100),
  offersTls(),
];

export const proofpoint: Temper = [
  {
    replies: {
      banner: "220 mx0a-00191d01.pphosted.com ESMTP mfa-m0045114",
      hello: "mx0a-00191d01.pphosted.com Hello [{client}], pleased to meet you",
      mail: "250 2.1.0 Sender ok",
      exists: "250 2.1.5 Recipient ok",
      does_not_exist: "550 5.1.1 User Unknown",
      blocked: "554 Blocked - see https://ipcheck.proofpoint.com/?ip={client}",
    },
  },
  offersTls(),
];

export const mailRu: Temper = [
  noEnhancedCodes,
  {
    replies: {
      banner: "220 mxs{id}.mail.ru ESMTP ready",
      mail: "250 OK",
      exists: "250 OK",
      does_not_exist:
        "550 Message was not accepted -- invalid mailbox.  Local mailbox {address} is unavailable: user not found",
      full: "550 Message was not accepted -- invalid mailbox.  Local mailbox {address} is unavailable: account is full (quota exceeded)",
      disabled:
        "550 Message was not accepted -- invalid mailbox.  Local mailbox {address} is unavailable: account is disabled",
      blocked: "550 spam message rejected. Please visit https://help.mail.ru/notspam-support/id?c={id}",
    },
  },
  offersTls(),
];

export const yandex: Temper = [
  {
    replies: {
      banner:
        "220 mx-front-{id}.mail.yandex.net (Want to use Yandex.Mail for your domain? Visit http://pdd.yandex.ru)",
      mail: "250 2.1.0 <{sender}> ok",
      exists: "250 2.1.5 <{address}> recipient ok",
      does_not_exist: "550 5.7.1 No such user!",
      greylisted: "451 4.7.1 Sorry, the service is currently unavailable. Please come back later. {id}",
    },
  },
  offersTls(),
];

export const qq: Temper = [
  noEnhancedCodes,
  {
    replies: {
      banner: "220 newxmmxszb{id}.qq.com MX QQ Mail Server.",
      mail: "250 OK.",
      exists: "250 OK",
      does_not_exist:
        "550 Mailbox not found. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000728",
      temporary: "550 Mailbox unavailable or access denied [{id} IP: {client}]",
    },
  },
  offersTls(),
];

/** Orange and Wanadoo: a token at the end decides. */
export const orange: Temper = {
  replies: {
    banner: "220 mwinf5c{id} ME ESMTP server ready",
    does_not_exist:
      "550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR204_416 [416]",
    full: "552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR204_417 [417]",
    disabled: "550 5.1.1 Adresse du destinataire desactivee. Recipient disabled. OFR204_420 [420]",
    blocked:
      "550 5.7.1 Service refuse. Veuillez essayer plus tard. Service refused, please try later. OFR_103 [103]",
  },
};

export const exim: Temper = [
  noEnhancedCodes,
  {
    extensions: { without: ["DSN", "SMTPUTF8"] },
    replies: {
      banner: "220 {host} ESMTP Exim 4.98",
      hello: "{host} Hello [{client}]",
      mail: "250 OK",
      exists: "250 Accepted",
      does_not_exist: "550 Unrouteable address",
      not_here: "550 relay not permitted",
      greylisted: "451 Temporary local problem - please try later",
      quit: "221 {host} closing connection",
    },
  },
];

export const exchange: Temper = [
  {
    replies: {
      banner: "220 {host} Microsoft ESMTP MAIL Service ready",
      hello: "{host} Hello [{client}]",
      mail: "250 2.1.0 Sender OK",
      exists: "250 2.1.5 Recipient OK",
      does_not_exist:
        "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient {address} not found by SMTP address lookup",
      not_here: "550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain",
      quit: "221 2.0.0 Service closing transmission channel",
    },
  },
  offersTls(),
];

export const qmail: Temper = {
  extensions: { without: ["SIZE", "ENHANCEDSTATUSCODES", "DSN", "SMTPUTF8"] },
  replies: {
    banner: "220 {host} ESMTP",
    mail: "250 ok",
    exists: "250 ok",
    does_not_exist: "550 sorry, no mailbox here by that name (#5.1.1 - chkuser)",
    full: "552 sorry, recipient mailbox is over quota (#5.2.2 - chkuser)",
    not_here: "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)",
    quit: "221 {host}",
  },
};
