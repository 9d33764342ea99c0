/**
 * Reply templates of the lab's mail servers.
 *
 * `{host}` is the name of the server, `{client}` the IP address of the client, `{address}` and `{domain}` those of the
 * current command, `{sender}` the MAIL FROM, `{id}` an ID that differs by session. The defaults are those of Postfix;
 * temperaments/providers.ts has those of others.
 */
export type ReplyTemplates = {
  readonly banner: string;
  /** First line of the EHLO reply, without its code. */
  readonly hello: string;
  readonly mail: string;
  readonly exists: string;
  readonly does_not_exist: string;
  readonly full: string;
  readonly disabled: string;
  /** The recipient domain is not served here. */
  readonly not_here: string;
  /** About the IP address of the client, not about a mailbox. */
  readonly blocked: string;
  readonly greylisted: string;
  readonly temporary: string;
  readonly too_many_recipients: string;
  readonly too_many_connections: string;
  readonly too_many_errors: string;
  /** Recipient limit of the session reached. */
  readonly enough: string;
  readonly quit: string;
};

export const DEFAULT_REPLIES: ReplyTemplates = {
  banner: "220 {host} ESMTP Postfix",
  hello: "{host}",
  mail: "250 2.1.0 Ok",
  exists: "250 2.1.5 Ok",
  does_not_exist: "550 5.1.1 <{address}>: Recipient address rejected: User unknown in virtual mailbox table",
  full: "452 4.2.2 <{address}>: Recipient address rejected: Mailbox full, quota exceeded",
  disabled: "550 5.2.1 <{address}>: Recipient address rejected: This mailbox has been disabled",
  not_here: "554 5.7.1 <{address}>: Relay access denied",
  blocked:
    "554 5.7.1 Service unavailable; Client host [{client}] blocked using bl.mailvet-lab.example; see https://bl.mailvet-lab.example/query/{client}",
  greylisted:
    "450 4.2.0 <{address}>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/{domain}.html",
  temporary: "451 4.3.0 <{address}>: Temporary lookup failure",
  too_many_recipients: "452 4.5.3 Error: too many recipients",
  too_many_connections: "421 4.7.0 {host} Error: too many connections from {client}",
  too_many_errors: "421 4.7.0 {host} Error: too many errors",
  enough: "421 4.7.0 {host} Too many recipients received this session, closing connection",
  quit: "221 2.0.0 Bye",
};

export type ReplyValues = {
  readonly host: string;
  readonly client: string;
  readonly address: string;
  readonly sender: string;
  readonly id: string;
};

/** Values from the client are inserted verbatim; they cannot contain line breaks. */
export function fill(template: string, values: ReplyValues): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    if (name === "domain") return values.address.slice(values.address.lastIndexOf("@") + 1);
    return values[name as keyof ReplyValues] ?? placeholder;
  });
}
