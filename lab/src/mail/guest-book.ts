/**
 * What a mail server of the lab remembers of its visitors: counts, and the last lines it heard.
 *
 * Tests read politeness from it. Nothing in it grows with the number of visits.
 */
export type GuestBook = {
  readonly counts: Counts;
  /** The client's last lines in the order they came, each cut at 512 characters. */
  readonly heard: readonly string[];
  /** Visits that the server has not ended yet: those a connection cap is about. */
  readonly present: number;
  arrive(): void;
  turnAway(): void;
  /** The server has ended the visit, or the client is gone. */
  depart(): void;
  /** The connection is closed. */
  close(saidQuit: boolean): void;
  hear(line: string, verb: string): void;
  talkedBeforeBanner(): void;
  talkedEarly(): void;
};

export type Counts = {
  connections: number;
  openConnections: number;
  /** A visit that the server has ended (after QUIT, say) counts no more, though the client may linger. */
  maxConcurrentConnections: number;
  /** Turned away because too many were open at once. */
  refusedConnections: number;
  /** Ended without the client having said QUIT, for whatever reason. */
  endedWithoutQuit: number;
  /** Clients that spoke before the banner was out. */
  talkedBeforeBanner: number;
  /** Commands that came before the reply to the one before: pipelining. */
  earlyCommands: number;
  commands: Record<string, number>;
};

const HEARD_LINES = 2_000;
const HEARD_LINE_CHARACTERS = 512;

export function openGuestBook(): GuestBook {
  const counts: Counts = {
    connections: 0,
    openConnections: 0,
    maxConcurrentConnections: 0,
    refusedConnections: 0,
    endedWithoutQuit: 0,
    talkedBeforeBanner: 0,
    earlyCommands: 0,
    commands: {},
  };
  const lines: string[] = [];
  let next = 0;
  let present = 0;
  return {
    counts,
    get present() {
      return present;
    },
    get heard() {
      return lines.length < HEARD_LINES ? [...lines] : [...lines.slice(next), ...lines.slice(0, next)];
    },
    arrive() {
      counts.connections += 1;
      counts.openConnections += 1;
      present += 1;
      counts.maxConcurrentConnections = Math.max(counts.maxConcurrentConnections, present);
    },
    turnAway() {
      counts.refusedConnections += 1;
    },
    depart() {
      present -= 1;
    },
    close(saidQuit) {
      counts.openConnections -= 1;
      if (!saidQuit) counts.endedWithoutQuit += 1;
    },
    hear(line, verb) {
      counts.commands[verb] = (counts.commands[verb] ?? 0) + 1;
      lines[next] = line.slice(0, HEARD_LINE_CHARACTERS);
      next = (next + 1) % HEARD_LINES;
    },
    talkedBeforeBanner() {
      counts.talkedBeforeBanner += 1;
    },
    talkedEarly() {
      counts.earlyCommands += 1;
    },
  };
}
