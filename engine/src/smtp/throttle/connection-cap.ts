/**
 * Recognises a reply that refuses a connection only because others are open: "too many connections". While another
 * connection of ours is open at the host, that is the host's cap and no reason to slow down.
 *
 * Reads the subject only; that the reply is about a limit at all is decided in ../meaning/rules/rate-limited.ts. What
 * follows from it is in throttle-state.ts.
 */
import type { MailboxFinding } from "../../evidence.ts";

const CONNECTIONS = /\b(?:connections?|sessions?|concurren\w*|simultaneous\w*)\b/i;
const PER_TIME = /\b(?:rates?|frequen\w*|fast|often|per (?:second|minute|hour|day))\b/i;
/** Of one session, which may have had too many recipients. */
const IN_SESSION = /\b(?:this|per|closing|close) (?:connection|session)\b/i;

export function isConnectionCap({ answer, reply }: MailboxFinding): boolean {
  if (answer !== "rate_limited" || !reply) return false;
  return CONNECTIONS.test(reply.text.replace(IN_SESSION, " ")) && !PER_TIME.test(reply.text);
}
