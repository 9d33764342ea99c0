/** Two engines that share one host limiter, like the processes of a deployment. */
import { answersSlowly, mailDomain, openLab } from "@mailvet/lab";
import { expect, test } from "vitest";
import { type HostLimiterFor, LocalHostLimiter } from "../src/smtp/host-limiter.ts";
import { decide } from "../src/verdict.ts";
import { engineIn, manyAt } from "./stories/story.ts";

const ROUND_TRIP_MS = 40;

function sharedPace(): HostLimiterFor {
  const paces = new Map<string, LocalHostLimiter>();
  return (key, profile) => {
    const pace = paces.get(key) ?? new LocalHostLimiter(profile);
    paces.set(key, pace);
    return pace;
  };
}

test("a list yields to an interactive check of another process, and the host never sees both at once", async () => {
  const isUser = ({ localPart }: { localPart: string }) => /^(anna|single)\d/.test(localPart);
  await using lab = await openLab({ "shop.test": mailDomain({ users: isUser, latencyMs: ROUND_TRIP_MS }) });
  const paceFor = sharedPace();
  const [listing, asking] = [engineIn(lab, { paceFor }), engineIn(lab, { paceFor })];
  const asked = () => lab.counts("mx.shop.test").commands.RCPT ?? 0;
  const list = Promise.all(manyAt("shop.test", 600).map((email) => listing.verify(email, "smtp")));
  await expect.poll(asked, { interval: 1 }).toBeGreaterThan(0); // it is running
  const askedBefore = asked();
  const single = await asking.verify("single1@shop.test", "smtp", { isUrgent: true });
  const askedMeanwhile = asked() - askedBefore;
  const evidences = await list;
  await Promise.all([listing.end(), asking.end()]);

  expect(askedMeanwhile).toBeLessThan(150); // a few batches; the list alone would have taken 500
  expect(decide(single).status).toBe("valid");
  expect(new Set(evidences.map((evidence) => decide(evidence).status))).toEqual(new Set(["valid"]));
  expect(lab.counts("mx.shop.test").maxConcurrentConnections).toBe(1);
});

test("a session admitted behind an open breaker stops, also if the breaker closes while all connections are busy", async () => {
  const temper = answersSlowly({ delayMs: 300, at: "rcpt" });
  await using lab = await openLab({
    "slow.test": mailDomain({ users: ["ann"], temper }),
    "stern.test": mailDomain({ users: ["ann"] }),
  });
  const refusal = { code: 554, lines: ["your address is blocked"] };
  class TrippedPace extends LocalHostLimiter {
    isTripped = false;
    override get openBreaker() {
      return this.isTripped ? refusal : undefined;
    }
    override enter(...how: Parameters<LocalHostLimiter["enter"]>) {
      this.isTripped = true; // meanwhile, by another process
      setTimeout(() => (this.isTripped = false), 100);
      return super.enter(...how);
    }
  }
  const paceFor: HostLimiterFor = (key, profile) =>
    key === "mx.stern.test" ? new TrippedPace(profile) : new LocalHostLimiter(profile);
  const engine = engineIn(lab, { paceFor, maxSessions: 1 });
  const slow = engine.verdictOn("ann@slow.test");
  await expect.poll(() => lab.counts("mx.slow.test").connections).toBe(1);
  expect(await engine.verdictOn("ann@stern.test")).toBe("unknown probe_blocked");
  expect(await slow).toBe("valid");
  await engine.end();
  expect(lab.counts("mx.stern.test").connections).toBe(0);
});

test("a probe after the pause that a host asked for is admitted, however long the next pause will be", async () => {
  await using lab = await openLab({ "touchy.test": mailDomain({ users: ["ann"] }) });
  class RestingPace extends LocalHostLimiter {
    hasStarted = false;
    override get restLeftMs() {
      return this.hasStarted ? 60_000 : 0;
    }
    override enter(...how: Parameters<LocalHostLimiter["enter"]>) {
      const entered = super.enter(...how);
      this.hasStarted = true;
      return entered;
    }
  }
  const engine = engineIn(lab, { paceFor: (_key, profile) => new RestingPace(profile) });
  expect(await engine.verdictOn("ann@touchy.test")).toBe("valid");
  await engine.end();
});
