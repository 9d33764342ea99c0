/**
 * The baseline of the benchmark: one connection per address that probes the target and a decoy, as many at once as
 * each host allows. Correct and polite, and nothing is shared.
 */
import { randomUUID } from "node:crypto";
import { findMailRoute } from "#src/dns/mail-route";
import type { Resolver } from "#src/dns/resolver";
import type { EgressGuard } from "#src/egress/guard";
import type { Connect } from "#src/smtp/connect";
import { SmtpConnection } from "#src/smtp/connection";
import { LocalHostLimiter } from "#src/smtp/host-limiter";
import { profileOf } from "#src/smtp/provider-profile";

export function createPlainProber(deps: {
  resolver: Resolver;
  guard: EgressGuard;
  dial: Connect;
  cap: number;
}) {
  const limiters = new Map<string, LocalHostLimiter>();
  return async (email: string): Promise<string> => {
    const domain = email.slice(email.indexOf("@") + 1);
    const route = await findMailRoute(deps, domain);
    if (route.kind !== "mail_hosts") return route.kind;
    const host = route.hosts[0]!;
    const limiter = limiters.get(host.name) ?? new LocalHostLimiter(profileOf("", deps.cap));
    limiters.set(host.name, limiter);
    await limiter.acquire();
    try {
      return await ask(deps.dial, host.addresses[0]!, email, `${randomUUID().slice(0, 12)}@${domain}`);
    } finally {
      limiter.release();
    }
  };
}

async function ask(dial: Connect, address: string, target: string, decoy: string): Promise<string> {
  const dialled = await dial(address, 10_000);
  if (dialled.kind !== "connected") return dialled.kind;
  const connection = new SmtpConnection(dialled.socket);
  const say = async (line?: string) => {
    if (line !== undefined) connection.send([line]);
    const received = await connection.receive(10_000);
    return received.kind === "reply" ? received.reply.code : 0;
  };
  await say();
  await say("EHLO prober.test");
  await say("MAIL FROM:<probe@prober.test>");
  const targetCode = await say(`RCPT TO:<${target}>`);
  const decoyCode = await say(`RCPT TO:<${decoy}>`);
  await say("QUIT");
  connection.close();
  if (targetCode !== 250) return targetCode === 550 ? "mailbox_not_found" : `code ${targetCode}`;
  return decoyCode === 250 ? "catch_all" : "valid";
}
