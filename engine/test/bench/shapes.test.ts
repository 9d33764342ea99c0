import { expect, test } from "vitest";
import { CLI, cpuSecondsIn, LIBRARY, measure, RAW_CLIENT, SERVICE } from "../../bench/smtp/measure.ts";
import {
  hostOf,
  listOf,
  SHAPES,
  type Shape,
  scaled,
  shapesNamed,
  warmUpList,
} from "../../bench/smtp/shapes.ts";

const shapeNamed = (name: string): Shape => SHAPES.find((one) => one.name === name)!;

test("a list has as many addresses, domains and hosts as its shape says, none twice", () => {
  for (const shape of SHAPES) {
    const list = listOf(shape);
    const perDomain = new Map<string, number>();
    for (const { email } of list) {
      const domain = email.slice(email.indexOf("@") + 1);
      perDomain.set(domain, (perDomain.get(domain) ?? 0) + 1);
    }
    expect(new Set(list.map(({ email }) => email)).size).toBe(list.length);
    expect(perDomain.size).toBe(shape.domains);
    expect(new Set(list.map(({ host }) => host)).size).toBe(shape.hosts);
    if (typeof shape.addresses === "number") expect(list).toHaveLength(shape.addresses);
    else expect(new Set(perDomain.values())).toEqual(new Set([1, 2, 3]));
  }
});

test("the warm-up uses none of the domains and hosts of the list", () => {
  for (const shape of SHAPES) {
    const domains = new Set(listOf(shape).map(({ email }) => email.split("@")[1]));
    const hosts = new Set(listOf(shape).map(({ host }) => host));
    const warmUp = warmUpList(shape).map((email) => email.split("@")[1]!);
    expect(warmUp.filter((domain) => domains.has(domain))).toEqual([]);
    const used = warmUp.map((domain) => hostOf(shape, Number(/\d+/.exec(domain)![0])));
    expect(used.filter((host) => hosts.has(host))).toEqual([]);
  }
});

test("another list of a shape is as long, at other domains", () => {
  const [shape, other] = ["1", "2"].map((list) => shapesNamed(["strict"], "1", list)[0]!) as [Shape, Shape];
  const emails = new Set(listOf(shape).map(({ email }) => email));
  expect(listOf(other)).toHaveLength(emails.size);
  expect(listOf(other).filter(({ email }) => emails.has(email))).toEqual([]);
  expect(() => shapesNamed(["strict"], "1", "x")).toThrow("--list x");
});

test("a scaled list keeps the hosts, except in the long tail", () => {
  expect(scaled(shapeNamed("shared"), 0.1)).toMatchObject({ addresses: 1000, domains: 500, hosts: 40 });
  expect(scaled(shapeNamed("tail"), 0.1)).toMatchObject({ domains: 200, hosts: 174 });
});

test("dead domains lose most of their mailboxes, and a list as many as any other", () => {
  const shape = shapeNamed("dead");
  const list = listOf(shape).filter(({ answer }) => answer !== "uncertain");
  const missing = list.filter(({ answer }) => answer === "undeliverable");
  expect(missing.length / list.length).toBeCloseTo(0.2, 1);
  const lost = new Map<string, number>();
  for (const { email } of missing) {
    const domain = email.split("@")[1]!;
    lost.set(domain, (lost.get(domain) ?? 0) + 1);
  }
  const perDomain = list.length / new Set(list.map(({ email }) => email.split("@")[1])).size;
  const dead = [...lost.values()].filter((count) => count > perDomain / 2);
  expect(dead.length).toBeGreaterThan(shape.domains / 10);
  expect(dead.length).toBeLessThan(shape.domains / 3);
});

test("the CPU time of a program is read from the second line of the shell's times", () => {
  expect(cpuSecondsIn("0m0.01s 0m0.02s\n1m2.50s 0m0.25s\n")).toBe(62.75);
  expect(cpuSecondsIn("")).toBe(0); // the program was stopped
});

const RUNS = [
  ["shared", LIBRARY],
  ["dead", LIBRARY],
  ["loose", CLI],
  ["tail", LIBRARY],
  ["tail", SERVICE],
  ["strict", RAW_CLIENT],
  ["strict-two", RAW_CLIENT],
  ["strict-over", LIBRARY],
] as const;

for (const [name, checker] of RUNS) {
  test(`the shape ${name} with the ${checker.name}: every address has a verdict and no host sees too many connections`, async () => {
    const shape = scaled(shapeNamed(name), 0.02);
    const result = await measure(checker, shape, { settings: { PROBE_TIMEOUT_SECONDS: "120" } });
    expect(result).toMatchObject({ addresses: listOf(shape).length, unanswered: 0, liveCalledDead: 0 });
    expect(result.connections).toBeGreaterThan(0);
    expect(result.mostAtOnce).toBeLessThanOrEqual(shape.connections);
    expect(result.cpuSeconds).toBeGreaterThan(0);
  });
}
