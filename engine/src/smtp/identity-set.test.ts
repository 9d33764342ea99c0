import { expect, test } from "vitest";
import type { EgressIdentity } from "../egress/identity.ts";
import { type Identity, IdentitySet } from "./identity-set.ts";
import { profileOf } from "./throttle/provider-profile.ts";
import type { ThrottleEvent } from "./throttle/throttle-state.ts";

const names = { ehloName: "probe.test", mailFrom: "probe@probe.test" };
const identity = (name: string, options: Partial<EgressIdentity> = {}): EgressIdentity => ({
  name,
  share: 1,
  ...names,
  ...options,
});

function setOf(...identities: EgressIdentity[]) {
  const connectFrom = () => async () => ({ kind: "timeout" as const });
  return new IdentitySet({ identities, connectFrom });
}

const FREELY = { maxDelayMs: 2500, isSticky: false };
const NONE: ReadonlySet<Identity> = new Set();
const BLOCKED: ThrottleEvent = { kind: "blocked", reply: { code: 554, lines: ["blocked"] } };

test("at a provider, sessions are divided by share while slots are free", () => {
  const set = setOf(identity("large", { share: 3 }), identity("small"));
  const google = set.at("provider google", profileOf("google"));
  const chosen = Array.from({ length: 400 }, () => google.choose(set.for("google"), NONE, FREELY)!.name);
  expect(chosen.filter((name) => name === "large")).toHaveLength(300);
  expect(chosen.slice(0, 8).filter((name) => name === "small")).toHaveLength(2); // evenly, not in one piece
});

test("an identity that was not available does not catch up on its share", () => {
  const set = setOf(identity("one"), identity("two"));
  const google = set.at("provider google", profileOf("google"));
  const [one, two] = set.for("google") as [Identity, Identity];
  google.slotsOf(two).load = 2;
  for (let i = 0; i < 100; i++) expect(google.choose([one, two], NONE, FREELY)).toBe(one);
  google.slotsOf(two).load = 0;
  const chosen = Array.from({ length: 10 }, () => google.choose([one, two], NONE, FREELY));
  expect(chosen.filter((identity) => identity === two).length).toBeLessThanOrEqual(6);
});

test("a host is asked by the same identity as long as that has a free slot", () => {
  const set = setOf(identity("one"), identity("two"), identity("three"));
  const all = set.for("other");
  const host = set.at("mx.firm.test", profileOf("other", 2));
  const first = host.choose(all, NONE, FREELY)!;
  expect(host.choose(all, NONE, FREELY)).toBe(first);
  host.slotsOf(first).load = 2;
  const second = host.choose(all, NONE, FREELY)!;
  expect(second).not.toBe(first);
  expect(host.choose(all, NONE, { ...FREELY, isSticky: true })).toBe(first);
  // Without a free slot, the one with the fewest sessions and waiters.
  for (const one of all) host.slotsOf(one).load = one === second ? 2 : 3;
  expect(host.choose(all, NONE, FREELY)).toBe(second);
});

test("an identity with an open breaker is chosen only when there is no other, and then once", () => {
  const set = setOf(identity("one"), identity("two"));
  const all = set.for("other");
  const host = set.at("mx.firm.test", profileOf("other"));
  const block = (one: Identity) => {
    for (let i = 0; i < 3; i++) host.slotsOf(one).limiter.record(BLOCKED);
  };
  const first = host.choose(all, NONE, FREELY)!;
  block(first);
  const second = host.choose(all, NONE, FREELY)!;
  expect(second).not.toBe(first);
  expect(host.choose(all, new Set([second]), FREELY)).toBeUndefined();
  block(second);
  expect(host.choose(all, NONE, FREELY)).toBe(first);
  expect(host.choose(all, new Set([first]), FREELY)).toBeUndefined();
});

test("limits of all identities add up, and those of other providers do not count", () => {
  const set = setOf(identity("one"), identity("two"), identity("google-only", { providers: ["google"] }));
  expect(set.for("other").map(({ name }) => name)).toEqual(["one", "two"]);
  expect(set.at("mx.firm.test", profileOf("other", 3)).limitOf(set.for("other"))).toBe(6);
  expect(set.at("provider google", profileOf("google")).limitOf(set.for("google"))).toBe(6);
});

test("the limiters of a host are kept while a session has a slot, however many hosts there are", () => {
  const set = setOf(identity("one"));
  const [one] = set.for("other") as [Identity];
  const visitOthers = () => {
    for (let i = 0; i <= 20_000; i++) set.at(`mx${i}.firm.test`, profileOf("other"));
  };
  const host = set.at("mx.shop.test", profileOf("other"));
  host.slotsOf(one).load++;
  visitOthers();
  expect(set.at("mx.shop.test", profileOf("other"))).toBe(host);
  host.slotsOf(one).load--;
  expect(set.at("mx.shop.test", profileOf("other"))).toBe(host);
  visitOthers();
  expect(set.at("mx.shop.test", profileOf("other"))).not.toBe(host);
});
