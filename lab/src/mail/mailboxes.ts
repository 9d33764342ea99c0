/**
 * The mailboxes that a lab server really has, so that tests can compare verdicts with the truth.
 *
 * Its replies may differ: some servers accept every recipient.
 */
export type Truth = "exists" | "does_not_exist" | "full" | "disabled" | "catch_all";

export type Mailbox = { readonly localPart: string; readonly domain: string };

/** `"ann"` exists at every served domain, `"ann@one.example"` only there. A function suits millions of users. */
export type Users = readonly string[] | ((mailbox: Mailbox) => boolean);

export type Mailboxes = {
  /** `undefined` if the domain is not served. */
  truth(address: string): Truth | undefined;
};

export function createMailboxes(options: {
  domains: readonly string[];
  users: Users;
  /** Overrides of the list of users by temperaments. */
  exception: (mailbox: Mailbox) => Truth | undefined;
}): Mailboxes {
  const domains = new Set(options.domains.map((domain) => domain.toLowerCase()));
  const isUser = amongUsers(options.users);
  return {
    truth(address) {
      const mailbox = mailboxOf(address);
      if (!domains.has(mailbox.domain)) return undefined;
      return options.exception(mailbox) ?? (isUser(mailbox) ? "exists" : "does_not_exist");
    },
  };
}

export function mailboxOf(address: string): Mailbox {
  const at = address.lastIndexOf("@");
  return { localPart: address.slice(0, at).toLowerCase(), domain: address.slice(at + 1).toLowerCase() };
}

export function amongUsers(users: Users): (mailbox: Mailbox) => boolean {
  if (typeof users === "function") return users;
  const known = new Set(users.map((user) => user.toLowerCase()));
  return ({ localPart, domain }) => known.has(localPart) || known.has(`${localPart}@${domain}`);
}
