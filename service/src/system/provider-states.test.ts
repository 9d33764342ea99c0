import type { HostPace } from "@mailvet/contract";
import { expect, test } from "vitest";
import { providerStates, removalUrl } from "./provider-states.ts";

const SINCE = "2026-11-19T14:05:00.000Z";
const UNTIL = "2026-11-19T14:20:00.000Z";
const pace = (key: string, provider: string, changes: Partial<HostPace> = {}): HostPace => ({
  key,
  provider,
  identity: "default",
  limit: 2,
  rest_ms: 200,
  refused_since: null,
  breaker_open_until: null,
  last_reply: null,
  ...changes,
});
const refused = { refused_since: SINCE, breaker_open_until: UNTIL, last_reply: "550 5.7.606 Access denied" };

test("a provider that refuses an identity is named, with its reply and where to request removal", () => {
  expect(providerStates([pace("provider microsoft_365", "microsoft_365", refused)])).toEqual([
    {
      identity: "default",
      provider: "microsoft_365",
      state: "refused",
      since: SINCE,
      retry_at: UNTIL,
      reply: "550 5.7.606 Access denied",
      removal_url: "https://sender.office.com/",
    },
  ]);
});

test("it stays refused after the breaker has closed, until a session is ok", () => {
  const [state] = providerStates([
    pace("provider outlook", "outlook", { ...refused, breaker_open_until: null }),
  ]);
  expect(state).toMatchObject({ state: "refused", since: SINCE, retry_at: null });
});

test("slowed is what is below the provider's profile, and the profile's own gap is not", () => {
  const paces = [
    pace("provider google", "google"),
    pace("provider outlook", "outlook", { limit: 1 }),
    pace("provider yahoo", "yahoo", { limit: 1, rest_ms: 400 }),
    pace("provider outlook", "outlook", { ...refused, identity: "two" }),
  ];
  expect(providerStates(paces).map(({ identity, provider, state }) => [identity, provider, state])).toEqual([
    ["two", "outlook", "refused"],
    ["default", "outlook", "slowed"],
    ["default", "yahoo", "slowed"],
  ]);
});

test("single hosts are not their filter, and hosts of no provider are not named", () => {
  const host = (n: number) => pace(`mx${n}.pphosted.com`, "proofpoint", refused);
  expect(providerStates([host(1), host(2), pace("mx.firm.example", "other", refused)])).toEqual([]);
  expect(providerStates([host(1), host(2), host(3)])).toMatchObject([
    { provider: "proofpoint", state: "refused" },
  ]);
});

test.for([
  [
    "icloud",
    "550 5.7.0 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1",
    "https://ipcheck.proofpoint.com/",
  ],
  ["microsoft_365", "550 5.7.1 blocked using Spamhaus", "https://check.spamhaus.org/"],
  ["yahoo", "554 5.7.9", "https://senders.yahooinc.com/contact/"],
  ["posteo", "554 no", null],
] as const)("removal at %s after %s: %s", ([provider, reply, url]) => {
  expect(removalUrl(provider, reply)).toBe(url);
});
