/**
 * Transcript of a mail server: counts, and the last lines received.
 *
 * Tests use it to check how a client behaves. Its size is bounded.
 */
export type Transcript = {
  readonly counts: ServerCounts;
  /** The last lines received, in order, each cut at 512 characters. */
  readonly received: readonly string[];
  /** Sessions of a client address that the server has not ended yet, for the connection cap. */
  activeSessionsOf(client: string): number;
  connectionOpened(client: string): void;
  connectionRefused(): void;
  /** The server has ended the session, or the client is gone. */
  sessionEnded(client: string): void;
  connectionClosed(hasQuit: boolean): void;
  lineReceived(line: string, verb: string): void;
  inputBeforeBanner(): void;
  commandPipelined(): void;
};

export type ServerCounts = {
  connections: number;
  openConnections: number;
  /** A session that the server has ended, for example after QUIT, no longer counts, even if the client stays connected. */
  maxConcurrentConnections: number;
  /** Refused because too many were open at once. */
  refusedConnections: number;
  /** Ended without QUIT, for any reason. */
  endedWithoutQuit: number;
  /** Clients that sent data before the banner. */
  sentBeforeBanner: number;
  /** Commands sent before the reply to the previous one (pipelining). */
  earlyCommands: number;
  commands: Record<string, number>;
  /** By client address. */
  clients: Record<string, { connections: number; maxConcurrentConnections: number }>;
};

const MAX_LINES = 2_000;
const MAX_LINE_CHARACTERS = 512;

export function openTranscript(): Transcript {
  const counts: ServerCounts = {
    connections: 0,
    openConnections: 0,
    maxConcurrentConnections: 0,
    refusedConnections: 0,
    endedWithoutQuit: 0,
    sentBeforeBanner: 0,
    earlyCommands: 0,
    commands: {},
    clients: {},
  };
  const lines: string[] = [];
  let next = 0;
  let activeSessions = 0;
  const activeByClient = new Map<string, number>();
  return {
    counts,
    activeSessionsOf: (client) => activeByClient.get(client) ?? 0,
    get received() {
      return lines.length < MAX_LINES ? [...lines] : [...lines.slice(next), ...lines.slice(0, next)];
    },
    connectionOpened(client) {
      counts.connections += 1;
      counts.openConnections += 1;
      activeSessions += 1;
      counts.maxConcurrentConnections = Math.max(counts.maxConcurrentConnections, activeSessions);
      const active = (activeByClient.get(client) ?? 0) + 1;
      activeByClient.set(client, active);
      counts.clients[client] ??= { connections: 0, maxConcurrentConnections: 0 };
      const ofClient = counts.clients[client];
      ofClient.connections += 1;
      ofClient.maxConcurrentConnections = Math.max(ofClient.maxConcurrentConnections, active);
    },
    connectionRefused() {
      counts.refusedConnections += 1;
    },
    sessionEnded(client) {
      activeSessions -= 1;
      activeByClient.set(client, activeByClient.get(client)! - 1);
    },
    connectionClosed(hasQuit) {
      counts.openConnections -= 1;
      if (!hasQuit) counts.endedWithoutQuit += 1;
    },
    lineReceived(line, verb) {
      counts.commands[verb] = (counts.commands[verb] ?? 0) + 1;
      lines[next] = line.slice(0, MAX_LINE_CHARACTERS);
      next = (next + 1) % MAX_LINES;
    },
    inputBeforeBanner() {
      counts.sentBeforeBanner += 1;
    },
    commandPipelined() {
      counts.earlyCommands += 1;
    },
  };
}
