/** Two engines that share one limiter, as the processes of a deployment do. */
import { answersSlowly, mailDomain, openLab } from "@mailvet/lab";
import { expect, test } from "vitest";
import { type HostLimiterFor, LocalHostLimiter } from "../src/smtp/throttle/host-limiter.ts";
import { decide } from "../src/verdict.ts";
import { engineIn, manyAt } from "./stories/story.ts";

const ROUND_TRIP_MS = 40;

function sharedLimiters(): HostLimiterFor {
  const limiters = new Map<string, LocalHostLimiter>();
  return (key, profile) => {
    const limiter = limiters.get(key) ?? new LocalHostLimiter(profile);
    limiters.set(key, limiter);
    return limiter;
  };
}

test("a list releases its slot for an interactive check in another engine, and the host never sees both at once", async () => {
  const isUser = ({ localPart }: { localPart: string }) => /^(anna|single)\d/.test(localPart);
  await using lab = await openLab({ "shop.test": mailDomain({ users: isUser, latencyMs: ROUND_TRIP_MS }) });
  const limiterFor = sharedLimiters();
  const [listing, asking] = [engineIn(lab, { limiterFor }), engineIn(lab, { limiterFor })];
  await asking.start(); // so that its check does not wait for a thread to start
  const recipients = () => lab.counts("mx.shop.test").commands.RCPT ?? 0;
  const list = Promise.all(manyAt("shop.test", 600).map((email) => listing.verify(email, "smtp")));
  await expect.poll(recipients, { interval: 1 }).toBeGreaterThan(0); // it is running
  const recipientsBefore = recipients();
  const single = await asking.verify("single1@shop.test", "smtp", { isUrgent: true });
  const recipientsMeanwhile = recipients() - recipientsBefore;
  const evidences = await list;
  await Promise.all([listing.end(), asking.end()]);

  expect(recipientsMeanwhile).toBeLessThan(400); // a few batches; the list alone would have sent 500
  expect(decide(single).status).toBe("valid");
  expect(new Set(evidences.map((evidence) => decide(evidence).status))).toEqual(new Set(["valid"]));
  expect(lab.counts("mx.shop.test").maxConcurrentConnections).toBe(1);
});

test("a slot granted behind an open breaker is not used, even when the breaker closes during the wait for a global slot", async () => {
  const temper = answersSlowly({ delayMs: 300, at: "rcpt" });
  await using lab = await openLab({
    "slow.test": mailDomain({ users: ["ann"], temper }),
    "strict.test": mailDomain({ users: ["ann"] }),
  });
  const refusal = { reply: { code: 554, lines: ["your address is blocked"] }, openForMs: 0, leftMs: 60_000 };
  class BlockedLimiter extends LocalHostLimiter {
    isOpen = false;
    override get openBreaker() {
      return this.isOpen ? refusal : undefined;
    }
    override acquire(...args: Parameters<LocalHostLimiter["acquire"]>) {
      this.isOpen = true; // by another process meanwhile
      setTimeout(() => (this.isOpen = false), 100);
      return super.acquire(...args);
    }
  }
  const limiterFor: HostLimiterFor = (key, profile) =>
    key === "mx.strict.test" ? new BlockedLimiter(profile) : new LocalHostLimiter(profile);
  const engine = engineIn(lab, { limiterFor, sessionLimits: { working: 1, open: 1 } });
  const slow = engine.verdictOn("ann@slow.test");
  await expect.poll(() => lab.counts("mx.slow.test").connections).toBe(1);
  expect(await engine.verdictOn("ann@strict.test")).toBe("unknown probe_blocked");
  expect(await slow).toBe("valid");
  await engine.end();
  expect(lab.counts("mx.strict.test").connections).toBe(0);
});

test("a session whose delay has passed starts, however long the next delay is", async () => {
  await using lab = await openLab({ "delayed.test": mailDomain({ users: ["ann"] }) });
  class DelayedLimiter extends LocalHostLimiter {
    hasStarted = false;
    override get delayLeftMs() {
      return this.hasStarted ? 60_000 : 0;
    }
    override acquire(...args: Parameters<LocalHostLimiter["acquire"]>) {
      const acquired = super.acquire(...args);
      this.hasStarted = true;
      return acquired;
    }
  }
  const engine = engineIn(lab, { limiterFor: (_key, profile) => new DelayedLimiter(profile) });
  expect(await engine.verdictOn("ann@delayed.test")).toBe("valid");
  await engine.end();
});
