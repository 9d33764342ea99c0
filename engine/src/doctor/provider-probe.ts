/**
 * Probes a large provider's mail server: connect, read the banner, EHLO, QUIT. No mailbox is probed.
 *
 * Port 25, acceptance by the provider and our public IP are all derived from these probes.
 */
import { findMailRoute, type MailRoute, type MailRouteDeps } from "../dns/mail-route.ts";
import type { Connect } from "../smtp/client/connect.ts";
import { SmtpConnection } from "../smtp/client/connection.ts";
import type { Reply } from "../smtp/reply.ts";

export type ProviderProbe = { provider: string } & (
  | SmtpExchange
  /** No response at all, not even a TCP reset. */
  | { kind: "silent" }
  | { kind: "unreachable"; why: string }
  /** DNS returned no mail server. */
  | { kind: "no_route"; why: string }
);

/** The SMTP exchange after a successful connect. `seenAs` is our IP, if the server states it. */
type SmtpExchange =
  | { kind: "greeted"; bannerName: string; seenAs?: string }
  /** The server replied with an error. */
  | { kind: "refused"; code: number; text: string; seenAs?: string }
  /** No SMTP reply. */
  | { kind: "mute" };

export type ProviderProbeDeps = MailRouteDeps & { dial: Connect; ehloName: string };

/** Different owners, networks and policies, all with mail servers that respond at once. */
export const PROVIDERS_TO_PROBE: readonly string[] = [
  "gmail.com",
  "outlook.com",
  "yahoo.com",
  "icloud.com",
  "gmx.net",
];

/** Share of the time limit for connecting; the rest is for the replies. */
const CONNECT_SHARE = 0.6;
const QUIT_TIMEOUT_MS = 1000;
const READY = 220;

export async function probeProvider(
  deps: ProviderProbeDeps,
  provider: string,
  timeoutMs: number,
): Promise<ProviderProbe> {
  const deadline = performance.now() + timeoutMs;
  const remainingMs = () => Math.max(1, deadline - performance.now());
  const route = await findMailRoute(deps, provider);
  if (route.kind !== "mail_hosts") return { provider, kind: "no_route", why: routeProblem(route) };

  let why = "";
  for (const address of oneOfEachFamily(route.hosts[0]!.addresses)) {
    const connected = await deps.dial(address, Math.min(remainingMs(), timeoutMs * CONNECT_SHARE));
    if (connected.kind === "timeout") return { provider, kind: "silent" };
    if (connected.kind === "connected") {
      const connection = new SmtpConnection(connected.socket);
      try {
        return { provider, ...(await exchangeGreeting(connection, deps.ehloName, remainingMs)) };
      } finally {
        connection.close();
      }
    }
    why ||= "why" in connected ? connected.why : connected.kind;
  }
  return { provider, kind: "unreachable", why };
}

function routeProblem(route: Exclude<MailRoute, { kind: "mail_hosts" }>): string {
  return "reason" in route ? `${route.kind}: ${route.reason}` : route.kind;
}

/** An IPv6-only machine cannot reach the first address, which is IPv4; that fails immediately. */
function oneOfEachFamily(addresses: readonly string[]): string[] {
  const [first = ""] = addresses;
  const other = addresses.find((address) => address.includes(":") !== first.includes(":"));
  return other === undefined ? [first] : [first, other];
}

async function exchangeGreeting(
  connection: SmtpConnection,
  ehloName: string,
  remainingMs: () => number,
): Promise<SmtpExchange> {
  const banner = await connection.receive(remainingMs());
  if (banner.kind !== "reply") return { kind: "mute" };
  if (banner.reply.code !== READY) {
    await quit(connection, remainingMs);
    return rejection(banner.reply);
  }
  const bannerName = banner.reply.lines[0]?.split(" ", 1)[0]?.toLowerCase() ?? "";

  connection.send([`EHLO ${ehloName}`]);
  const hello = await connection.receive(remainingMs());
  await quit(connection, remainingMs);
  if (hello.kind !== "reply") return { kind: "greeted", bannerName };
  if (hello.reply.code >= 400) return rejection(hello.reply);
  return { kind: "greeted", bannerName, ...addressIn(hello.reply) };
}

async function quit(connection: SmtpConnection, remainingMs: () => number): Promise<void> {
  connection.send(["QUIT"]);
  await connection.receive(Math.min(QUIT_TIMEOUT_MS, remainingMs()));
}

function rejection(reply: Reply): SmtpExchange {
  return { kind: "refused", code: reply.code, text: reply.lines.join(" "), ...addressIn(reply) };
}

/** Many servers state the client's IP: `mx.example.com at your service, [192.0.2.7]`. */
function addressIn(reply: Reply): { seenAs?: string } {
  for (const line of reply.lines) {
    const seenAs = /\[(?:IPv6:)?([0-9a-f.:]{3,45})[\] ]/i.exec(line)?.[1];
    if (seenAs !== undefined) return { seenAs };
  }
  return {};
}
