/**
 * The lab: a small mail internet on loopback, opened for a test or a demonstration and closed after it.
 *
 * ```ts
 * await using lab = await openLab({
 *   "shop.test": mailDomain({ users: ["ann"], temper: greylists({ delayMs: 300 }) }),
 *   "nomail.test": { MX: [{ preference: 0, exchange: "." }] },
 * });
 * const resolver = createResolver({ servers: [lab.nameServer] });
 * ```
 */
import { type Counts, startMailServers, type Truth } from "./mail/index.ts";
import { type MailWorld, settle } from "./mail-world.ts";
import { type NameServer, openNameServer } from "./name-server.ts";

export type Lab = AsyncDisposable & {
  /** Where the name server listens, as `127.0.0.1:port`. */
  readonly nameServer: string;
  readonly questions: NameServer["questions"];
  /** The port of every mail host, each on its own 127.x address; 0 when the world has none. */
  readonly smtpPort: number;
  /** What clients last said to a mail host, in order. */
  heard(host: string): readonly string[];
  counts(host: string): Readonly<Counts>;
  /** What is so, whatever a server says; `undefined` when no domain of the lab holds the address. */
  truth(email: string): Truth | undefined;
};

export async function openLab(world: MailWorld, options: { smtpPort?: number } = {}): Promise<Lab> {
  const { names, servers, hostOf } = settle(world);
  const nameServer = await openNameServer(names);
  const mailServers = await startMailServers(servers, options.smtpPort);
  const byName = new Map(mailServers.map((server) => [server.name, server]));

  const host = (name: string) => {
    const server = byName.get(name);
    if (!server) throw new Error(`No mail host ${name} in this lab, only ${[...byName.keys()].join(", ")}`);
    return server;
  };
  return {
    nameServer: nameServer.address,
    questions: nameServer.questions,
    smtpPort: mailServers[0]?.port ?? 0,
    heard: (name) => host(name).heard,
    counts: (name) => host(name).counts,
    truth: (email) => {
      const name = hostOf.get(email.slice(email.lastIndexOf("@") + 1).toLowerCase());
      return name === undefined ? undefined : byName.get(name)?.truth(email);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([nameServer, ...mailServers].map((server) => server[Symbol.asyncDispose]()));
    },
  };
}
