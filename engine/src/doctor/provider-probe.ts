/**
 * A short visit to a large provider's mail server: connect, read the banner, greet, leave. Nobody is asked for.
 *
 * Port 25, our standing with the provider and the address it sees us under are all told from these visits.
 */
import { findMailRoute, type MailRoute, type MailRouteDeps } from "../dns/mail-route.ts";
import type { Connect } from "../smtp/connect.ts";
import { SmtpConnection } from "../smtp/connection.ts";
import type { Reply } from "../smtp/reply.ts";

export type ProviderProbe = { provider: string } & (
  | Reception
  /** Not even a refusal came back. */
  | { kind: "silent" }
  | { kind: "unreachable"; why: string }
  /** DNS named no mail server to visit. */
  | { kind: "no_route"; why: string }
);

/** What a server that took our call did then. `seenAs` is our address, where it tells. */
type Reception =
  | { kind: "greeted"; bannerName: string; seenAs?: string }
  /** The server spoke, and would not have us. */
  | { kind: "refused"; code: number; words: string; seenAs?: string }
  /** No word of SMTP. */
  | { kind: "mute" };

export type ProviderProbeDeps = MailRouteDeps & { dial: Connect; ehloName: string };

/** Different owners, networks and manners, all with mail servers that answer at once. */
export const PROVIDERS_TO_PROBE: readonly string[] = [
  "gmail.com",
  "outlook.com",
  "yahoo.com",
  "icloud.com",
  "gmx.net",
];

/** How much of the time a connection may take; the rest is for the words. */
const CONNECT_SHARE = 0.6;
const FAREWELL_MS = 1000;
const READY = 220;

export async function probeProvider(
  deps: ProviderProbeDeps,
  provider: string,
  timeoutMs: number,
): Promise<ProviderProbe> {
  const deadline = performance.now() + timeoutMs;
  const left = () => Math.max(1, deadline - performance.now());
  const route = await findMailRoute(deps, provider);
  if (route.kind !== "mail_hosts") return { provider, kind: "no_route", why: whyNot(route) };

  let why = "";
  for (const address of oneOfEachFamily(route.hosts[0]!.addresses)) {
    const dialled = await deps.dial(address, Math.min(left(), timeoutMs * CONNECT_SHARE));
    if (dialled.kind === "timeout") return { provider, kind: "silent" };
    if (dialled.kind === "connected") {
      const conversation = new SmtpConnection(dialled.socket);
      try {
        return { provider, ...(await exchangeGreetings(conversation, deps.ehloName, left)) };
      } finally {
        conversation.close();
      }
    }
    why ||= dialled.kind === "unreachable" ? dialled.why : dialled.kind;
  }
  return { provider, kind: "unreachable", why };
}

function whyNot(route: Exclude<MailRoute, { kind: "mail_hosts" }>): string {
  return "reason" in route ? `${route.kind}: ${route.reason}` : route.kind;
}

/** A machine with IPv6 alone cannot reach the first address, which is IPv4; it learns so at once. */
function oneOfEachFamily(addresses: readonly string[]): string[] {
  const [first = ""] = addresses;
  const other = addresses.find((address) => address.includes(":") !== first.includes(":"));
  return other === undefined ? [first] : [first, other];
}

async function exchangeGreetings(
  conversation: SmtpConnection,
  ehloName: string,
  left: () => number,
): Promise<Reception> {
  const banner = await conversation.receive(left());
  if (banner.kind !== "reply") return { kind: "mute" };
  if (banner.reply.code !== READY) {
    await leave(conversation, left);
    return refusalBy(banner.reply);
  }
  const bannerName = banner.reply.lines[0]?.split(" ", 1)[0]?.toLowerCase() ?? "";

  conversation.send([`EHLO ${ehloName}`]);
  const hello = await conversation.receive(left());
  await leave(conversation, left);
  if (hello.kind !== "reply") return { kind: "greeted", bannerName };
  if (hello.reply.code >= 400) return refusalBy(hello.reply);
  return { kind: "greeted", bannerName, ...addressIn(hello.reply) };
}

async function leave(conversation: SmtpConnection, left: () => number): Promise<void> {
  conversation.send(["QUIT"]);
  await conversation.receive(Math.min(FAREWELL_MS, left()));
}

function refusalBy(reply: Reply): Reception {
  return { kind: "refused", code: reply.code, words: reply.lines.join(" "), ...addressIn(reply) };
}

/** Many servers say whom they see: `mx.example.com at your service, [192.0.2.7]`. */
function addressIn(reply: Reply): { seenAs?: string } {
  for (const line of reply.lines) {
    const seenAs = /\[(?:IPv6:)?([0-9a-f.:]{3,45})[\] ]/i.exec(line)?.[1];
    if (seenAs !== undefined) return { seenAs };
  }
  return {};
}
