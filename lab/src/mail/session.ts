/**
 * One visit of a client, from the server's side: lines in, actions out, one after the other.
 *
 * Every line is looked at one round trip after it came, and its reply leaves before the next line is
 * looked at. Decisions are made by the temperaments and in ordinary-server.ts; this file keeps the order.
 */
import type { Socket } from "node:net";
import { type Command, readCommand } from "./command.ts";
import { encrypt } from "./encryption.ts";
import type { GuestBook } from "./guest-book.ts";
import { createLineReader } from "./line-reader.ts";
import type { Mailboxes } from "./mailboxes.ts";
import { objectionTo, ordinaryReply } from "./ordinary-server.ts";
import { createSpeaker } from "./speaker.ts";
import { type Action, answers, type Character } from "./temperament.ts";
import { openVisit, takeEffect } from "./visit.ts";

/** What all visits to one server share. */
export type House = {
  readonly name: string;
  readonly character: Character;
  readonly mailboxes: Mailboxes;
  readonly guestBook: GuestBook;
  readonly latencyMs: number;
  readonly connectionCap: number;
};

/** A line waiting to be looked at; `undefined` was too long to keep. */
type Heard = { readonly line: string | undefined; readonly dueMs: number; readonly early: boolean };

const MAX_LINE_BYTES = 4_096;
/** Beyond this many unanswered lines we stop reading until some are answered. */
const MAX_WAITING_LINES = 1_000;
/** Beyond this many bytes that the client has not fetched we stop answering until it does. */
const MAX_UNFETCHED_BYTES = 256 * 1024;

export function receive(house: House, tcp: Socket): void {
  const { character, guestBook, latencyMs } = house;
  guestBook.arrive();
  const visit = openVisit({
    number: guestBook.counts.connections,
    host: house.name,
    client: tcp.remoteAddress ?? "",
    words: character.words,
    mailboxes: house.mailboxes,
  });
  let socket = tcp;
  const speaker = createSpeaker({ socket: () => socket, tcp, pace: character.pace });
  const reader = createLineReader(MAX_LINE_BYTES);
  let waiting: Heard[] = [];
  let state: "greeting" | "busy" | "listening" | "leaving" = "greeting";
  let spokeTooSoon = false;
  let attending = false;
  let saidQuit = false;
  let timer: NodeJS.Timeout | undefined;

  tcp.on("error", () => {}); // clients break off as they please; "close" follows
  tcp.once("close", () => {
    depart();
    speaker.stop();
    clearTimeout(timer);
    waiting.forEach(answer); // said before they left, QUIT above all
    guestBook.close(saidQuit);
  });
  listenOn(tcp);
  greet();

  function listenOn(next: Socket): void {
    socket = next;
    socket.on("data", hear);
    socket.setTimeout(character.idleMs, () => {
      if (state === "leaving") return;
      act({ reply: `421 4.4.2 ${house.name} Error: timeout exceeded`, close: "politely" });
    });
  }

  function greet(): void {
    // On a real network connecting alone takes a round trip; on loopback it takes none, so the banner pays.
    const travelMs = latencyMs * 2;
    if (guestBook.present > house.connectionCap) {
      guestBook.turnAway();
      act({ delayMs: travelMs, reply: visit.say("too_many_connections"), close: "politely" });
      return;
    }
    const mood = character.ask("banner", visit);
    const action = mood && answers(mood) ? mood : { ...mood, reply: visit.say("banner") };
    act({ ...action, delayMs: travelMs + (action.delayMs ?? 0) });
  }

  function hear(bytes: Buffer): void {
    if (state === "greeting" && !spokeTooSoon) {
      spokeTooSoon = true;
      guestBook.talkedBeforeBanner();
    }
    const dueMs = performance.now() + latencyMs;
    for (const line of reader.push(bytes)) {
      waiting.push({ line, dueMs, early: state !== "listening" || waiting.length > 0 });
    }
    if (waiting.length > MAX_WAITING_LINES) socket.pause();
    attend();
  }

  /** Looks at the lines that are due; their replies leave in one packet as long as nothing has to be waited for. */
  function attend(): void {
    if (attending) return;
    attending = true;
    const corked = socket;
    corked.cork();
    while ((state === "listening" || state === "leaving") && waiting[0]) {
      const waitMs = waiting[0].dueMs - performance.now();
      if (waitMs > 0) {
        clearTimeout(timer);
        timer = setTimeout(attend, Math.ceil(waitMs));
        break;
      }
      if (socket.writableLength > MAX_UNFETCHED_BYTES) {
        socket.off("drain", attend).once("drain", attend);
        break;
      }
      answer(waiting.shift() as Heard);
    }
    corked.uncork();
    attending = false;
    if (state === "listening" && waiting.length <= MAX_WAITING_LINES && socket.isPaused()) socket.resume();
  }

  function answer({ line, early }: Heard): void {
    if (line === undefined) {
      if (state === "listening") act({ reply: "500 5.5.2 Error: line too long" });
      return;
    }
    const command = readCommand(line);
    guestBook.hear(line, command.verb);
    if (early) guestBook.talkedEarly();
    if (command.stage === "quit") saidQuit = true;
    if (state === "leaving") return; // heard, and too late for an answer
    if (command.stage === "rcpt") visit.recipientsAsked += 1;
    visit.early = early;
    visit.address = command.address ?? "";
    act(decide(command), command);
  }

  function decide(command: Command): Action {
    const offer = {
      extensions: character.extensions,
      startTls: character.tls !== undefined && !visit.secure,
    };
    const mood = character.ask("command", visit);
    if (mood && answers(mood)) return mood;
    const objection = objectionTo(command, visit, offer);
    const answer = objection === undefined ? character.ask(command.stage, visit) : { reply: objection };
    const delayMs = (mood?.delayMs ?? 0) + (answer?.delayMs ?? 0);
    if (answer && answers(answer)) return { ...answer, delayMs };
    const reply = ordinaryReply(command, visit, offer);
    return command.stage === "quit" ? { delayMs, reply, close: "politely" } : { delayMs, reply };
  }

  function act(action: Action, command?: Command): void {
    const code = codeOf(action);
    if (state !== "greeting") state = "busy";
    if (code >= 400) visit.refusals += 1;
    speaker.perform(action, (hungUp) => {
      state = "busy";
      const granted = !hungUp && command && code > 0 && code < 400;
      if (granted) takeEffect(visit, command);
      if (granted && command.stage === "starttls") {
        startTls();
        return;
      }
      const afterthought = !hungUp && command ? character.ask("answered", visit) : undefined;
      if (afterthought && answers(afterthought)) {
        act(afterthought);
        return;
      }
      if (hungUp) depart();
      else state = "listening";
      attend();
    });
  }

  function depart(): void {
    if (state !== "leaving") guestBook.depart();
    state = "leaving";
  }

  function startTls(): void {
    waiting = []; // what was slipped in before the handshake must not count after it
    tcp.off("data", hear);
    tcp.pause();
    tcp.setTimeout(0);
    timer = setTimeout(shakeHands, latencyMs);
  }

  function shakeHands(): void {
    const secure = encrypt(tcp, character.tls ?? "self_signed");
    if (!secure) return;
    listenOn(secure);
    state = "listening";
  }
}

/** 0 when what is said is no reply. */
function codeOf(action: Action): number {
  return action.reply === undefined ? 0 : Number.parseInt(action.reply, 10) || 0;
}
