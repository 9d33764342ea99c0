/**
 * A mail server of the lab: a real listener on a loopback address of its own, with a temperament.
 *
 * It takes no messages. It knows the truth about its mailboxes, counts its visitors, and remembers what
 * they said last.
 */
import { createServer, type Socket } from "node:net";
import { commonPort, isTaken, listen } from "./common-port.ts";
import { type Counts, openGuestBook } from "./guest-book.ts";
import { createMailboxes, type Mailboxes, type Users } from "./mailboxes.ts";
import { receive } from "./session.ts";
import { compose, type Temper } from "./temperament.ts";

export type MailServerOptions = {
  /** A 127.x address that no other server of this port has. */
  address: string;
  /** 0 for any free one. */
  port: number;
  /** The name in the banner; `mx.` and the first domain otherwise. */
  name?: string;
  domains: readonly string[];
  users?: Users;
  temper?: Temper;
  /** Time that every round trip takes. */
  latencyMs?: number;
  /** Connections beyond this many at once are told 421. */
  connectionCap?: number;
};

export type MailServer = Mailboxes &
  AsyncDisposable & {
    readonly name: string;
    readonly address: string;
    readonly port: number;
    readonly counts: Readonly<Counts>;
    readonly heard: readonly string[];
    close(): Promise<void>;
  };

export async function startMailServer(options: MailServerOptions): Promise<MailServer> {
  const { address, domains, users = [], temper = [], latencyMs = 0, connectionCap = Infinity } = options;
  const name = options.name ?? `mx.${domains[0] ?? "mailvet-lab.example"}`;
  const character = compose(temper);
  const mailboxes = createMailboxes({ domains, users, exception: character.mailbox });
  const guestBook = openGuestBook();
  const house = { name, character, mailboxes, guestBook, latencyMs, connectionCap };

  const sockets = new Set<Socket>();
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    receive(house, socket);
  });
  const port = await listen(listener, address, options.port);

  const close = async () => {
    const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    ...mailboxes,
    name,
    address,
    port,
    counts: guestBook.counts,
    get heard() {
      return guestBook.heard;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const ATTEMPTS = 5;

/** Several, each on its own address and all on one port: the given one, or any that is free everywhere. */
export async function startMailServers(
  hosts: readonly Omit<MailServerOptions, "port">[],
  port?: number,
): Promise<MailServer[]> {
  for (let attempt = 1; ; attempt += 1) {
    const shared = port ?? (await commonPort(hosts.map(({ address }) => address)));
    const starts = await Promise.allSettled(hosts.map((host) => startMailServer({ ...host, port: shared })));
    const servers = starts.filter((start) => start.status === "fulfilled").map((start) => start.value);
    const failure = starts.find((start) => start.status === "rejected");
    if (!failure) return servers;
    await Promise.all(servers.map((server) => server.close()));
    // A port found free can be taken by another process before we listen on it.
    if (port !== undefined || !isTaken(failure.reason) || attempt === ATTEMPTS) throw failure.reason;
  }
}
