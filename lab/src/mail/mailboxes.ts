/**
 * Which mailboxes a lab server really has, so that a test can hold a verdict against the truth.
 *
 * What the server says about them is another matter: some say yes to everyone.
 */
export type Truth = "exists" | "does_not_exist" | "full" | "disabled" | "catch_all";

export type Mailbox = { readonly localPart: string; readonly domain: string };

/** `"ann"` is known at every domain served, `"ann@one.example"` at that one; a function suits millions. */
export type Users = readonly string[] | ((mailbox: Mailbox) => boolean);

export type Mailboxes = {
  /** `undefined` when the domain is not served here. */
  truth(address: string): Truth | undefined;
};

export function createMailboxes(options: {
  domains: readonly string[];
  users: Users;
  /** What the temperaments know better than the list of users. */
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
