/**
 * Server side of one SMTP session: reads lines and performs actions, one at a time.
 *
 * Every line is processed one round trip after its arrival, and its reply is sent before the next line is processed.
 * The replies come from the temperaments and default-replies.ts.
 */
import type { Socket } from "node:net";
import { type Command, readCommand } from "./command.ts";
import { defaultReply, protocolErrorFor } from "./default-replies.ts";
import { createLineReader } from "./line-reader.ts";
import type { Mailboxes } from "./mailboxes.ts";
import { createReplyWriter } from "./reply-writer.ts";
import { applyCommand, openSession } from "./session-state.ts";
import { encrypt } from "./starttls.ts";
import { type Action, answers, type ComposedTemperament } from "./temperament.ts";
import type { Transcript } from "./transcript.ts";

/** Shared by all sessions of a server. */
export type ServerContext = {
  readonly name: string;
  readonly temperament: ComposedTemperament;
  readonly mailboxes: Mailboxes;
  readonly transcript: Transcript;
  readonly latencyMs: number;
  readonly connectionCap: number;
};

/** A line to be processed; `undefined` if it was too long. */
type ReceivedLine = { readonly line: string | undefined; readonly dueMs: number; readonly early: boolean };

const MAX_LINE_BYTES = 4_096;
/** Above this number of unanswered lines, reading pauses. */
const MAX_WAITING_LINES = 1_000;
/** Above this number of bytes that the client has not read, replies pause. */
const MAX_UNREAD_BYTES = 256 * 1024;

export function serveConnection(server: ServerContext, tcp: Socket): void {
  const { temperament, transcript, latencyMs } = server;
  const client = tcp.remoteAddress ?? "";
  transcript.connectionOpened(client);
  const session = openSession({
    number: transcript.counts.connections,
    host: server.name,
    client,
    replies: temperament.replies,
    mailboxes: server.mailboxes,
  });
  let socket = tcp;
  const writer = createReplyWriter({ socket: () => socket, tcp, pace: temperament.pace });
  const reader = createLineReader(MAX_LINE_BYTES);
  let waiting: ReceivedLine[] = [];
  let state: "greeting" | "busy" | "listening" | "closing" = "greeting";
  let hasSentEarly = false;
  let processing = false;
  let hasQuit = false;
  let isEndCounted = false;
  let timer: NodeJS.Timeout | undefined;

  tcp.on("error", () => {}); // "close" follows
  tcp.once("close", () => {
    endSession();
    writer.stop();
    clearTimeout(timer);
    waiting.forEach(answer); // counts commands received before the disconnect, above all QUIT
    transcript.connectionClosed(hasQuit);
  });
  listenOn(tcp);
  greet();

  function listenOn(next: Socket): void {
    socket = next;
    socket.on("data", onData);
    socket.once("end", countEnd); // "close" may come after the next connection
    socket.setTimeout(temperament.idleMs, () => {
      if (state === "closing") return;
      act({ reply: `421 4.4.2 ${server.name} Error: timeout exceeded`, close: "politely" });
    });
  }

  function greet(): void {
    // On a real network the TCP handshake takes a round trip, on loopback none: the banner is delayed instead.
    const networkMs = latencyMs * 2;
    if (transcript.activeSessionsOf(client) > server.connectionCap) {
      transcript.connectionRefused();
      act({ delayMs: networkMs, reply: session.reply("too_many_connections"), close: "politely" });
      return;
    }
    const override = temperament.ask("banner", session);
    const action = override && answers(override) ? override : { ...override, reply: session.reply("banner") };
    act({ ...action, delayMs: networkMs + (action.delayMs ?? 0) });
  }

  function onData(bytes: Buffer): void {
    if (state === "greeting" && !hasSentEarly) {
      hasSentEarly = true;
      transcript.inputBeforeBanner();
    }
    const nowMs = performance.now();
    const dueMs = nowMs + latencyMs;
    for (const line of reader.push(bytes)) {
      waiting.push({ line, dueMs, early: state !== "listening" || waiting.length > 0 });
    }
    if (waiting.length > MAX_WAITING_LINES) socket.pause();
    processLines(nowMs);
  }

  /** Processes the lines that are due. Replies without a delay are sent in one packet. */
  function processLines(nowMs = performance.now()): void {
    if (processing) return;
    processing = true;
    const corked = socket;
    corked.cork();
    while ((state === "listening" || state === "closing") && waiting[0]) {
      const waitMs = waiting[0].dueMs - nowMs;
      if (waitMs > 0) {
        clearTimeout(timer);
        timer = setTimeout(processLines, Math.ceil(waitMs));
        break;
      }
      if (socket.writableLength > MAX_UNREAD_BYTES) {
        socket.off("drain", processLines).once("drain", processLines);
        break;
      }
      answer(waiting.shift() as ReceivedLine);
    }
    corked.uncork();
    processing = false;
    if (state === "listening" && waiting.length <= MAX_WAITING_LINES && socket.isPaused()) socket.resume();
  }

  function answer({ line, early }: ReceivedLine): void {
    if (line === undefined) {
      if (state === "listening") act({ reply: "500 5.5.2 Error: line too long" });
      return;
    }
    const command = readCommand(line);
    transcript.lineReceived(line, command.verb);
    if (early) transcript.commandPipelined();
    if (command.stage === "quit") hasQuit = true;
    if (state === "closing") return; // recorded, but too late for a reply
    if (command.stage === "rcpt") session.recipientsAsked += 1;
    session.early = early;
    session.address = command.address ?? "";
    act(decide(command), command);
  }

  function decide(command: Command): Action {
    const capabilities = {
      extensions: temperament.extensions,
      startTls: temperament.tls !== undefined && !session.secure,
    };
    const override = temperament.ask("command", session);
    if (override && answers(override)) return override;
    const protocolError = protocolErrorFor(command, session, capabilities);
    const answer =
      protocolError === undefined ? temperament.ask(command.stage, session) : { reply: protocolError };
    const delayMs = (override?.delayMs ?? 0) + (answer?.delayMs ?? 0);
    if (answer && answers(answer)) return { ...answer, delayMs };
    const reply = defaultReply(command, session, capabilities);
    return command.stage === "quit" ? { delayMs, reply, close: "politely" } : { delayMs, reply };
  }

  function act(action: Action, command?: Command): void {
    const code = codeOf(action);
    if (state !== "greeting") state = "busy";
    if (code >= 400) session.refusals += 1;
    writer.perform(action, (isClosed) => {
      state = "busy";
      const isAccepted = !isClosed && command && code > 0 && code < 400;
      if (isAccepted) applyCommand(session, command);
      if (isAccepted && command.stage === "starttls") {
        startTls();
        return;
      }
      const followUp = !isClosed && command ? temperament.ask("answered", session) : undefined;
      if (followUp && answers(followUp)) {
        act(followUp);
        return;
      }
      if (isClosed) endSession();
      else state = "listening";
      processLines();
    });
  }

  function countEnd(): void {
    if (!isEndCounted) transcript.sessionEnded(client);
    isEndCounted = true;
  }

  function endSession(): void {
    countEnd();
    state = "closing";
  }

  function startTls(): void {
    waiting = []; // commands injected before the handshake must not be executed after it (CVE-2011-0411)
    tcp.off("data", onData);
    tcp.pause();
    tcp.setTimeout(0);
    timer = setTimeout(handshake, latencyMs);
  }

  function handshake(): void {
    const secure = encrypt(tcp, temperament.tls ?? "self_signed");
    if (!secure) return;
    listenOn(secure);
    state = "listening";
  }
}

/** 0 if the action sends no reply. */
function codeOf(action: Action): number {
  return action.reply === undefined ? 0 : Number.parseInt(action.reply, 10) || 0;
}
