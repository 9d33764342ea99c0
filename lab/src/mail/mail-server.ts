/**
 * Mail server of the lab: a real listener on its own loopback address, with a temperament.
 *
 * It accepts no messages. It knows the actual state of its mailboxes, counts connections and commands, and records the
 * last lines received.
 */
import { createServer, type Socket } from "node:net";
import { commonPort, isPortInUse, listen } from "./common-port.ts";
import { createMailboxes, type Mailboxes, type Users } from "./mailboxes.ts";
import { serveConnection } from "./session.ts";
import { compose, type Temper } from "./temperament.ts";
import { openTranscript, type ServerCounts } from "./transcript.ts";

export type MailServerOptions = {
  /** A 127.x address, unique among servers on this port. */
  address: string;
  /** 0 picks a free port. */
  port: number;
  /** Host name in the banner. Default: `mx.` and the first domain. */
  name?: string;
  domains: readonly string[];
  users?: Users;
  temper?: Temper;
  /** Simulated round-trip time. */
  latencyMs?: number;
  /** Further concurrent connections from one client address get 421. */
  connectionCap?: number;
};

export type MailServer = Mailboxes &
  AsyncDisposable & {
    readonly name: string;
    readonly address: string;
    readonly port: number;
    readonly counts: Readonly<ServerCounts>;
    readonly received: readonly string[];
    close(): Promise<void>;
  };

export async function startMailServer(options: MailServerOptions): Promise<MailServer> {
  const { address, domains, users = [], temper = [], latencyMs = 0, connectionCap = Infinity } = options;
  const name = options.name ?? `mx.${domains[0] ?? "mailvet-lab.example"}`;
  const temperament = compose(temper);
  const mailboxes = createMailboxes({ domains, users, exception: temperament.mailbox });
  const transcript = openTranscript();
  const server = { name, temperament, mailboxes, transcript, latencyMs, connectionCap };

  const sockets = new Set<Socket>();
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    serveConnection(server, socket);
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
    counts: transcript.counts,
    get received() {
      return transcript.received;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const ATTEMPTS = 5;

/** Starts several servers, each on its own address and all on one port: the given one, or any that is free. */
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
    // Another process may bind the port before the servers do.
    if (port !== undefined || !isPortInUse(failure.reason) || attempt === ATTEMPTS) throw failure.reason;
  }
}
