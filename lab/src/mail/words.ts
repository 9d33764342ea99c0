/**
 * The sentences a mail server of the lab says, one for each occasion, as templates.
 *
 * `{host}` is the server's name, `{client}` the visitor's address, `{address}` and `{domain}` those of the
 * command at hand, `{sender}` the MAIL FROM, `{id}` a word that differs from visit to visit. The ordinary
 * sentences are those of Postfix; temperaments/providers.ts has those of others.
 */
export type Words = {
  readonly banner: string;
  /** First line of the EHLO reply, without its code. */
  readonly hello: string;
  readonly mail: string;
  readonly exists: string;
  readonly does_not_exist: string;
  readonly full: string;
  readonly disabled: string;
  /** A recipient domain that this server does not serve. */
  readonly not_here: string;
  /** Aimed at the visitor's address, not at a mailbox. */
  readonly blocked: string;
  readonly greylisted: string;
  readonly temporary: string;
  readonly too_many_recipients: string;
  readonly too_many_connections: string;
  readonly too_many_errors: string;
  /** Enough recipients for one visit. */
  readonly enough: string;
  readonly quit: string;
};

export const ORDINARY_WORDS: Words = {
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

export type Occasion = {
  readonly host: string;
  readonly client: string;
  readonly address: string;
  readonly sender: string;
  readonly id: string;
};

/** What a client said is filled in as it is; a line break cannot be in it. */
export function fill(template: string, occasion: Occasion): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    if (name === "domain") return occasion.address.slice(occasion.address.lastIndexOf("@") + 1);
    return occasion[name as keyof Occasion] ?? placeholder;
  });
}
