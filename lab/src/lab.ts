/**
 * The lab: a simulated mail internet on loopback, started for a test or a demo and disposed afterwards.
 *
 * ```ts
 * await using lab = await openLab({
 *   "shop.test": mailDomain({ users: ["ann"], temper: greylists({ delayMs: 300 }) }),
 *   "nomail.test": { MX: [{ preference: 0, exchange: "." }] },
 * });
 * const resolver = createResolver({ servers: [lab.nameServer] });
 * ```
 */
import { type ServerCounts, startMailServers, type Truth } from "./mail/index.ts";
import { type MailWorld, resolveWorld } from "./mail-world.ts";
import { type LabNameServer, openNameServer } from "./name-server.ts";

export type Lab = AsyncDisposable & {
  /** Address of the name server, as `127.0.0.1:port`. */
  readonly nameServer: string;
  readonly questions: LabNameServer["questions"];
  /** SMTP port of all mail hosts, each on its own 127.x address; 0 if the world has none. */
  readonly smtpPort: number;
  /** Settings with which the engine and the service use this lab. */
  readonly env: Record<string, string>;
  /** IP address of a mail host. */
  addressOf(host: string): string;
  /** Lines last received by a mail host, in order. */
  received(host: string): readonly string[];
  counts(host: string): Readonly<ServerCounts>;
  /** Actual state of a mailbox, whatever the server replies; `undefined` if no domain of the lab has it. */
  truth(email: string): Truth | undefined;
  close(): Promise<void>;
};

export async function openLab(
  world: MailWorld,
  options: { smtpPort?: number; dnsPort?: number } = {},
): Promise<Lab> {
  const { names, servers, hostOf } = resolveWorld(world);
  const nameServer = await openNameServer(names, options.dnsPort);
  const mailServers = await startMailServers(servers, options.smtpPort);
  const byName = new Map(mailServers.map((server) => [server.name, server]));

  const host = (name: string) => {
    const server = byName.get(name);
    if (!server) throw new Error(`No mail host ${name} in this lab, only ${[...byName.keys()].join(", ")}`);
    return server;
  };
  const smtpPort = mailServers[0]?.port ?? 0;
  const close = async () => {
    await Promise.all([nameServer, ...mailServers].map((server) => server[Symbol.asyncDispose]()));
  };
  return {
    nameServer: nameServer.address,
    questions: nameServer.questions,
    smtpPort,
    env: {
      DNS_SERVERS: nameServer.address,
      EGRESS_ALLOW: "127.0.0.0/8",
      ...(smtpPort > 0 && { SMTP_PORT: String(smtpPort) }),
    },
    addressOf: (name) => host(name).address,
    received: (name) => host(name).received,
    counts: (name) => host(name).counts,
    truth: (email) => {
      const name = hostOf.get(email.slice(email.lastIndexOf("@") + 1).toLowerCase());
      return name === undefined ? undefined : byName.get(name)?.truth(email);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
