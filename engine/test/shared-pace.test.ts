/** Two engines that keep one pace between them, as the processes of a deployment do. */
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

test("a list makes room when somebody elsewhere waits in person, and the host never sees both at once", async () => {
  const isUser = ({ localPart }: { localPart: string }) => /^(anna|single)\d/.test(localPart);
  await using lab = await openLab({ "shop.test": mailDomain({ users: isUser, latencyMs: ROUND_TRIP_MS }) });
  const limiterFor = sharedPace();
  const [listing, asking] = [engineIn(lab, { limiterFor }), engineIn(lab, { limiterFor })];
  const asked = () => lab.counts("mx.shop.test").commands.RCPT ?? 0;
  const list = Promise.all(manyAt("shop.test", 600).map((email) => listing.verify(email, "smtp")));
  await expect.poll(asked, { interval: 1 }).toBeGreaterThan(0); // it is under way
  const askedBefore = asked();
  const single = await asking.verify("single1@shop.test", "smtp", { isUrgent: true });
  const askedMeanwhile = asked() - askedBefore;
  const evidences = await list;
  await Promise.all([listing.end(), asking.end()]);

  expect(askedMeanwhile).toBeLessThan(150); // a few rounds; the list alone would have stayed for 500
  expect(decide(single).status).toBe("valid");
  expect(new Set(evidences.map((evidence) => decide(evidence).status))).toEqual(new Set(["valid"]));
  expect(lab.counts("mx.shop.test").maxConcurrentConnections).toBe(1);
});

test("whoever was let in behind an open breaker turns round, also when it closes while all lines are busy", async () => {
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
    override acquire(...how: Parameters<LocalHostLimiter["acquire"]>) {
      this.isTripped = true; // meanwhile, by somebody else
      setTimeout(() => (this.isTripped = false), 100);
      return super.acquire(...how);
    }
  }
  const limiterFor: HostLimiterFor = (key, profile) =>
    key === "mx.stern.test" ? new TrippedPace(profile) : new LocalHostLimiter(profile);
  const engine = engineIn(lab, { limiterFor, maxSessions: 1 });
  const slow = engine.verdictOn("ann@slow.test");
  await expect.poll(() => lab.counts("mx.slow.test").connections).toBe(1);
  expect(await engine.verdictOn("ann@stern.test")).toBe("unknown probe_blocked");
  expect(await slow).toBe("valid");
  await engine.end();
  expect(lab.counts("mx.stern.test").connections).toBe(0);
});

test("who comes after the rest that a host asked for is let in, however long the next one will have to rest", async () => {
  await using lab = await openLab({ "touchy.test": mailDomain({ users: ["ann"] }) });
  class RestingPace extends LocalHostLimiter {
    hasStarted = false;
    override get delayLeftMs() {
      return this.hasStarted ? 60_000 : 0;
    }
    override acquire(...how: Parameters<LocalHostLimiter["acquire"]>) {
      const entered = super.acquire(...how);
      this.hasStarted = true;
      return entered;
    }
  }
  const engine = engineIn(lab, { limiterFor: (_key, profile) => new RestingPace(profile) });
  expect(await engine.verdictOn("ann@touchy.test")).toBe("valid");
  await engine.end();
});
