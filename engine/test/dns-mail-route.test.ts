/** Mail routes: one case for every verdict that DNS alone can lead to. */
import {
  aliasOnly,
  type DnsEntry,
  garbage,
  openLab,
  refused,
  servfail,
  silent,
  slow,
  type World,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { findMailRoute } from "../src/dns/mail-route.ts";
import { createResolver } from "../src/dns/resolver.ts";
import { createEgressGuard } from "../src/egress/guard.ts";

const guard = createEgressGuard();

/** The route of `shop.test` in a world. */
async function routeIn(world: World, { allow = [] as string[], timeoutMs = 120_000, hasIpv6 = true } = {}) {
  await using lab = await openLab(world);
  const resolver = createResolver({ servers: [lab.nameServer], timeoutMs });
  try {
    const egress = allow.length > 0 ? createEgressGuard({ allow }) : guard;
    const route = await findMailRoute({ resolver, guard: egress, hasIpv6: () => hasIpv6 }, "shop.test");
    return { route, questions: lab.questions() };
  } finally {
    resolver.close();
  }
}

const mx = (...exchanges: [preference: number, exchange: string][]): DnsEntry => ({
  MX: exchanges.map(([preference, exchange]) => ({ preference, exchange })),
});
const PUBLIC: DnsEntry = { A: ["9.9.9.9"] };

/** Long enough for the other answers; only a missing response has to be waited for. */
const SILENCE_MS = 3000;
const FAILURES = [
  ["servfail", servfail, 120_000],
  ["refused", refused, 120_000],
  ["timeout", silent, SILENCE_MS],
  ["malformed", garbage, 120_000],
] as const;

test("mail hosts come in order of preference, each with its addresses, IPv4 first", async () => {
  const { route } = await routeIn({
    "shop.test": mx([20, "b.shop.test"], [10, "a.shop.test"], [20, "A2.shop.test"]),
    "a.shop.test": { A: ["9.9.9.9", "9.9.9.10"], AAAA: ["2620:fe::9"] },
    "a2.shop.test": { AAAA: ["2620:fe::fe"] },
    "b.shop.test": PUBLIC,
  });
  expect(route).toEqual({
    kind: "mail_hosts",
    implicit: false,
    hosts: [
      { name: "a.shop.test", preference: 10, addresses: ["9.9.9.9", "9.9.9.10", "2620:fe::9"] },
      { name: "a2.shop.test", preference: 20, addresses: ["2620:fe::fe"] },
      { name: "b.shop.test", preference: 20, addresses: ["9.9.9.9"] },
    ],
    isPartial: false,
  });
});

test("a domain that does not exist is domain_not_found, after one query", async () => {
  const { route, questions } = await routeIn({ "other.test": PUBLIC });
  expect(route).toEqual({ kind: "domain_not_found" });
  expect(questions).toHaveLength(1);
});

test("a CNAME to a missing name is domain_not_found too", async () => {
  const { route } = await routeIn({ "shop.test": { CNAME: "nowhere.test" } });
  expect(route).toEqual({ kind: "domain_not_found" });
});

test("a CNAME has the mail hosts of its target", async () => {
  const { route } = await routeIn({
    "shop.test": { CNAME: "real.test", answers: aliasOnly },
    "real.test": mx([10, "mx.real.test"]),
    "mx.real.test": PUBLIC,
  });
  expect(route).toMatchObject({ kind: "mail_hosts", hosts: [{ name: "mx.real.test" }] });
});

test("no MX and no address is no_mail_server", async () => {
  const { route } = await routeIn({ "shop.test": { TXT: ["here we are"] } });
  expect(route).toEqual({ kind: "no_mail_server" });
});

test("no MX but an address: the domain itself is the mail host", async () => {
  const itself = (addresses: string[]) => ({
    kind: "mail_hosts",
    implicit: true,
    hosts: [{ name: "shop.test", preference: 0, addresses }],
    isPartial: false,
  });
  const { route: ipv4 } = await routeIn({ "shop.test": PUBLIC });
  expect(ipv4).toEqual(itself(["9.9.9.9"]));
  const { route: ipv6 } = await routeIn({ "shop.test": { AAAA: ["2620:fe::fe"] } });
  expect(ipv6).toEqual(itself(["2620:fe::fe"]));
});

test("no MX and a private address is like a missing name, not an implicit mail host", async () => {
  const { route } = await routeIn({ "shop.test": { A: ["127.0.0.1"] } });
  expect(route).toEqual({ kind: "domain_not_found" });
});

test("a null MX alone means that the domain accepts no mail, even with an address", async () => {
  const { route, questions } = await routeIn({ "shop.test": { ...mx([0, "."]), ...PUBLIC } });
  expect(route).toEqual({ kind: "null_mx" });
  expect(questions).toHaveLength(1);
  expect((await routeIn({ "shop.test": mx([10, "."]) })).route).toEqual({ kind: "null_mx" });
});

test("a null MX among others is ignored, and never becomes a host", async () => {
  const { route } = await routeIn({
    "shop.test": mx([0, "."], [10, "mx.shop.test"]),
    "mx.shop.test": PUBLIC,
  });
  expect(route).toMatchObject({ kind: "mail_hosts", hosts: [{ name: "mx.shop.test" }] });
});

const USELESS_HOSTS: [string, World][] = [
  ["is not there", {}],
  ["has no address", { "mx.shop.test": { TXT: ["nothing"] } }],
  ...["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "100.64.0.1", "0.0.0.0"].map(
    (address): [string, World] => [`is at ${address}`, { "mx.shop.test": { A: [address] } }],
  ),
  ...["::1", "fd00::1", "::ffff:127.0.0.1"].map((address): [string, World] => [
    `is at ${address}`,
    { "mx.shop.test": { AAAA: [address] } },
  ]),
];

test.each(USELESS_HOSTS)(
  "a mail host that %s: the domain is unroutable if it is public",
  async (_, world) => {
    const domain = mx([10, "mx.shop.test"]);
    const { route } = await routeIn({ "shop.test": { ...domain, ...PUBLIC }, ...world });
    expect(route).toEqual({ kind: "unroutable", hosts: [] });
    for (const own of [{}, { A: ["10.0.0.9"] }, { answers: { A: servfail } }]) {
      const { route: inside } = await routeIn({ "shop.test": { ...domain, ...own }, ...world });
      expect(inside).toEqual({ kind: "domain_not_found" });
    }
  },
);

test("a mail host with public and private addresses keeps the public ones only", async () => {
  const { route } = await routeIn({
    "shop.test": mx([10, "mx.shop.test"], [20, "inside.shop.test"]),
    "mx.shop.test": { A: ["10.0.0.1", "9.9.9.9", "127.0.0.1"], AAAA: ["::1"] },
    "inside.shop.test": { A: ["10.0.0.2"] },
  });
  expect(route).toEqual({
    kind: "mail_hosts",
    implicit: false,
    hosts: [{ name: "mx.shop.test", preference: 10, addresses: ["9.9.9.9"] }],
    isPartial: false, // nothing failed: the private one is known to be private
  });
});

test("a range allowed by the operator is routable", async () => {
  const world = { "shop.test": mx([10, "mx.shop.test"]), "mx.shop.test": { A: ["127.0.0.7"] } };
  const { route } = await routeIn(world, { allow: ["127.0.0.0/8"] });
  expect(route).toMatchObject({ kind: "mail_hosts", hosts: [{ addresses: ["127.0.0.7"] }] });
});

test.each(["127.1", "bad host.test", "-.test"])(
  "an MX of %j is not a host name and is not looked up",
  async (exchange) => {
    const { route, questions } = await routeIn({ "shop.test": { ...mx([10, exchange]), ...PUBLIC } });
    expect(route).toEqual({ kind: "unroutable", hosts: [] });
    expect(questions.map(({ type }) => type)).toEqual(["MX", "AAAA", "A"]); // of the domain itself
  },
);

test("an MX that is an IP address is not connected to, but some senders deliver there: the route is unknown", async () => {
  const { route, questions } = await routeIn({ "shop.test": mx([10, "9.9.9.9"]) });
  expect(route).toEqual({ kind: "dns_error", hosts: ["9.9.9.9"], reason: "unaskable" });
  expect(questions).toHaveLength(1);
});

test("an MX that is an IP address which is not public is unroutable", async () => {
  const { route } = await routeIn({ "shop.test": { ...mx([10, "127.0.0.1"]), ...PUBLIC } });
  expect(route).toEqual({ kind: "unroutable", hosts: [] });
});

test("one usable mail host is enough, whatever the state of the others", async () => {
  const { route } = await routeIn({
    "shop.test": mx([1, "gone.test"], [2, "broken.test"], [3, "private.test"], [4, "mx.shop.test"]),
    "broken.test": { answers: servfail },
    "private.test": { A: ["10.0.0.1"] },
    "mx.shop.test": PUBLIC,
  });
  expect(route).toMatchObject({ kind: "mail_hosts", hosts: [{ name: "mx.shop.test", preference: 4 }] });
});

test.concurrent.each(FAILURES)(
  "%s for one mail host of two makes the route partial",
  async (_, answers, timeoutMs) => {
    const world = {
      "shop.test": mx([1, "broken.test"], [2, "mx.shop.test"]),
      "broken.test": { answers },
      "mx.shop.test": PUBLIC,
    };
    const { route } = await routeIn(world, { timeoutMs });
    expect(route).toMatchObject({ hosts: [{ name: "mx.shop.test" }], isPartial: true });
  },
);

test("a mail host that does not exist does not make the route partial", async () => {
  const world = { "shop.test": mx([1, "gone.test"], [2, "mx.shop.test"]), "mx.shop.test": PUBLIC };
  const { route } = await routeIn(world);
  expect(route).toMatchObject({ hosts: [{ name: "mx.shop.test" }], isPartial: false });
});

/** Mail hosts that do not exist, by preference. */
const gone = (count: number) =>
  Array.from({ length: count }, (_, i): [number, string] => [i, `gone${i}.test`]);

test.each([10, 11, 29])("a usable mail host behind %i missing ones is found", async (count) => {
  const { route } = await routeIn({
    "shop.test": mx(...gone(count), [99, "mx.shop.test"]),
    "mx.shop.test": PUBLIC,
  });
  expect(route).toMatchObject({ kind: "mail_hosts", hosts: [{ name: "mx.shop.test" }], isPartial: false });
});

test("thirty mail hosts, all missing, are unroutable", async () => {
  const { route } = await routeIn({ "shop.test": { ...mx(...gone(30)), ...PUBLIC } });
  expect(route).toMatchObject({ kind: "unroutable" });
});

test("with more missing hosts than are looked up, the route is dns_error: the next might be usable", async () => {
  const { route, questions } = await routeIn({ "shop.test": mx(...gone(31)) });
  const hosts = gone(30).map(([, name]) => name);
  expect(route).toEqual({ kind: "dns_error", hosts, reason: "too_many_hosts" });
  expect(questions.filter(({ transport }) => transport === "udp")).toHaveLength(1 + 2 * 30);
});

test("usable mail hosts from two batches are at most ten, and the route is then partial", async () => {
  const good = Array.from({ length: 10 }, (_, i): [number, string] => [50 + i, `mx${i}.shop.test`]);
  const world = {
    "shop.test": mx([0, "first.shop.test"], ...gone(9), ...good),
    "*.shop.test": PUBLIC,
  };
  const { route } = await routeIn(world);
  const names = ["first.shop.test", ...good.slice(0, 9).map(([, name]) => name)];
  expect(route).toMatchObject({ hosts: names.map((name) => ({ name })), isPartial: true });
});

test("a mail host that is a CNAME is tolerated", async () => {
  const { route } = await routeIn({
    "shop.test": mx([10, "mx.shop.test"]),
    "mx.shop.test": { CNAME: "mx.host.test" },
    "mx.host.test": PUBLIC,
  });
  expect(route).toMatchObject({ hosts: [{ name: "mx.shop.test", addresses: ["9.9.9.9"] }] });
});

test.concurrent.each(FAILURES)(
  "%s for the domain is dns_error, never domain_not_found",
  async (reason, answers, timeoutMs) => {
    const { route } = await routeIn({ "shop.test": { answers } }, { timeoutMs });
    expect(route).toEqual({ kind: "dns_error", hosts: [], reason });
  },
);

test.concurrent.each(FAILURES)(
  "%s for the only mail host is dns_error, never unroutable",
  async (reason, answers, timeoutMs) => {
    const world = { "shop.test": mx([10, "gone.test"], [20, "mx.shop.test"]), "mx.shop.test": { answers } };
    const { route } = await routeIn(world, { timeoutMs });
    expect(route).toEqual({ kind: "dns_error", hosts: ["gone.test", "mx.shop.test"], reason });
  },
);

test.concurrent.each(FAILURES)(
  "%s for the address of a domain without MX is dns_error, never no_mail_server",
  async (reason, answers, timeoutMs) => {
    const { route } = await routeIn({ "shop.test": { answers: { A: answers } } }, { timeoutMs });
    expect(route).toEqual({ kind: "dns_error", hosts: ["shop.test"], reason });
  },
);

test("a private IPv4 address and a failed IPv6 lookup is dns_error: there might be a public one", async () => {
  const { route } = await routeIn({
    "shop.test": mx([10, "mx.shop.test"]),
    "mx.shop.test": { A: ["10.0.0.1"], answers: { AAAA: servfail } },
  });
  expect(route).toEqual({ kind: "dns_error", hosts: ["mx.shop.test"], reason: "servfail" });
});

test("a host with IPv4 does not wait for the retry of an unanswered IPv6 query", async () => {
  const { route, questions } = await routeIn({
    "shop.test": mx([10, "mx.shop.test"]),
    "mx.shop.test": { ...PUBLIC, answers: { AAAA: silent } },
  });
  expect(route).toMatchObject({ kind: "mail_hosts", hosts: [{ addresses: ["9.9.9.9"] }] });
  expect(questions.filter(({ type }) => type === "AAAA")).toHaveLength(1);
});

test("without IPv6, only a host without a usable IPv4 address is asked for its IPv6 addresses", async () => {
  const { route, questions } = await routeIn(
    {
      "shop.test": mx([10, "both.shop.test"], [20, "private.shop.test"], [30, "new.shop.test"]),
      "both.shop.test": { ...PUBLIC, AAAA: ["2620:fe::9"] },
      "private.shop.test": { A: ["10.0.0.1"], AAAA: ["2620:fe::fe"] },
      "new.shop.test": { AAAA: ["2620:fe::10"] },
    },
    { hasIpv6: false },
  );
  expect(route).toMatchObject({
    kind: "mail_hosts",
    hosts: [{ addresses: ["9.9.9.9"] }, { addresses: ["2620:fe::fe"] }, { addresses: ["2620:fe::10"] }],
  });
  const asked = questions.filter(({ type }) => type === "AAAA").map(({ name }) => name);
  expect(asked.sort()).toEqual(["new.shop.test", "private.shop.test"]);
});

test("without IPv6, a failed IPv4 lookup is dns_error, whatever IPv6 addresses there are", async () => {
  const { route, questions } = await routeIn(
    {
      "shop.test": mx([10, "mx.shop.test"]),
      "mx.shop.test": { AAAA: ["2620:fe::9"], answers: { A: servfail } },
    },
    { hasIpv6: false },
  );
  expect(route).toEqual({ kind: "dns_error", hosts: ["mx.shop.test"], reason: "servfail" });
  expect(questions.filter(({ type }) => type === "AAAA")).toEqual([]);
});

test("a slow name server is waited for", async () => {
  const { route } = await routeIn(
    { "shop.test": { ...mx([10, "mx.shop.test"]), answers: slow(2000) }, "mx.shop.test": PUBLIC },
    { timeoutMs: 6000 }, // retried after 1500
  );
  expect(route).toMatchObject({ kind: "mail_hosts" });
});

test("a domain with hundreds of mail hosts and addresses costs a bounded number of queries", async () => {
  const many = Array.from({ length: 150 }, (_, i): [number, string] => [i, `mx${i}.shop.test`]);
  const addresses = Array.from({ length: 40 }, (_, i) => `9.9.9.${i}`);
  const { route, questions } = await routeIn({ "shop.test": mx(...many), "*.shop.test": { A: addresses } });
  if (route.kind !== "mail_hosts") throw new Error(`unexpected route: ${route.kind}`);
  expect(route.isPartial).toBe(true);
  expect(route.hosts.map(({ name }) => name)).toEqual(many.slice(0, 10).map(([, name]) => name));
  expect(route.hosts.every((host) => host.addresses.length === 8)).toBe(true);
  expect(questions.filter(({ transport }) => transport === "udp").length).toBeLessThanOrEqual(1 + 2 * 10);
});

test("a host listed twice is one host, at its better preference", async () => {
  const { route } = await routeIn({
    "shop.test": mx([20, "mx.shop.test"], [10, "MX.SHOP.TEST"]),
    "mx.shop.test": PUBLIC,
  });
  expect(route).toMatchObject({ hosts: [{ name: "mx.shop.test", preference: 10 }] });
  if (route.kind === "mail_hosts") expect(route.hosts).toHaveLength(1);
});
