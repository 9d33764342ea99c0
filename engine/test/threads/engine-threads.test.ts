/** Engine threads: what mail hosts see of them, and what happens when they die or are closed. */
import { Worker } from "node:worker_threads";
import { answersWith, type Lab, type MailWorld, mailDomain, mailHost, openLab } from "@mailvet/lab";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { deferred } from "../../src/deferred.ts";
import type { Evidence } from "../../src/evidence.ts";
import type { NetworkSettings } from "../../src/network-stages.ts";
import { loadDisposables } from "../../src/reference/disposable.ts";
import { readEngineSettings, settingsFrom } from "../../src/settings.ts";
import { HostMemories } from "../../src/smtp/throttle/host-memories.ts";
import { startThread, type ThreadExit } from "../../src/threads/engine-thread.ts";
import { openEngineThreads } from "../../src/threads/engine-threads.ts";
import { decide } from "../../src/verdict.ts";
import { type Check, createVerifier, type Verifier, verifierFrom } from "../../src/verifier.ts";
import { openSilentHost } from "../silent-host.ts";
import { engineIn, openStory } from "../stories/story.ts";
import { until } from "../until.ts";

const isUser = ({ localPart }: { localPart: string }) => localPart.startsWith("ann");
const disposables = loadDisposables();

/** Six hosts with two connections each, and thirty domains on them. */
const CAP = 2;
const HOSTS = Array.from({ length: 6 }, (_, i) => `mx${i}.hosting.test`);
const DOMAINS = Array.from({ length: 30 }, (_, i) => `firm${i}.test`);
function sharedHosts(): MailWorld {
  const world: MailWorld = {};
  for (const host of HOSTS) world[host] = mailHost({ latencyMs: 5, connectionCap: CAP });
  for (const [i, domain] of DOMAINS.entries())
    world[domain] = mailDomain({ mx: [HOSTS[i % HOSTS.length]!], users: isUser });
  return world;
}

type Watched = Verifier & { workers: Worker[]; exits: ThreadExit[] };

/** An engine whose workers the test can end. */
function watchedEngine(lab: Lab, threads: number, start = startThread): Watched {
  const workers: Worker[] = [];
  const exits: ThreadExit[] = [];
  const settings: NetworkSettings = {
    dnsServers: [lab.nameServer],
    dnsTimeoutMs: 120_000,
    egressAllow: ["127.0.0.0/8"],
    smtpPort: lab.smtpPort,
    egress: [
      {
        name: "default",
        share: 1,
        ehloName: "probe.mailvet-lab.example",
        mailFrom: "probe@mailvet-lab.example",
      },
    ],
    probeTimeoutMs: 120_000,
    connectionsPerHost: CAP,
  };
  const network = openEngineThreads({
    settings,
    threads,
    onExit: (exit) => exits.push(exit),
    startWorker(settings, index) {
      const worker = start(settings, index);
      workers.push(worker);
      return worker;
    },
  });
  const verifier = createVerifier({ disposables, exemptSpecialUse: ["test"], openNetwork: () => network });
  return { ...verifier, workers, exits };
}

/**
 * An exception in the thread. Not terminate(): Node 20 aborts the whole process when a thread is terminated while its
 * UDP socket receives.
 */
function crash(worker: Worker | undefined): void {
  worker?.postMessage(null);
}

test.each([1, 3])(
  "with %i threads all addresses at a host share its sessions, within its limit",
  async (threads) => {
    await using story = await openStory(sharedHosts(), { threads, connectionsPerHost: CAP });
    const emails = DOMAINS.flatMap((domain) => Array.from({ length: 20 }, (_, i) => `ann${i}@${domain}`));
    expect(new Set(await story.verdictsOn(emails))).toEqual(new Set(["valid"]));
    await story.end();
    for (const host of HOSTS) {
      const { connections, maxConcurrentConnections, refusedConnections } = story.lab.counts(host);
      expect(maxConcurrentConnections).toBeLessThanOrEqual(CAP);
      expect(refusedConnections).toBe(0);
      expect(connections).toBeLessThanOrEqual(10); // for a hundred addresses
    }
  },
);

test("a host that several threads fail over to never sees more than its limit", async () => {
  const world: MailWorld = { "backup.hosting.test": mailHost({ latencyMs: 10, connectionCap: 1 }) };
  for (let i = 0; i < 12; i++) {
    world[`dead${i}.hosting.test`] = mailHost({ down: true });
    const mx = [`dead${i}.hosting.test`, "backup.hosting.test"];
    world[`firm${i}.test`] = mailDomain({ mx, users: isUser });
  }
  await using story = await openStory(world, { threads: 3 });
  const emails = Array.from({ length: 12 }, (_, i) => [`ann1@firm${i}.test`, `bob@firm${i}.test`]).flat();
  expect(await story.verdictsOn(emails)).toEqual(
    emails.map((email) => (email.startsWith("ann") ? "valid" : "invalid mailbox_not_found")),
  );
  await story.end();
  const { maxConcurrentConnections, refusedConnections } = story.lab.counts("backup.hosting.test");
  expect({ maxConcurrentConnections, refusedConnections }).toEqual({
    maxConcurrentConnections: 1,
    refusedConnections: 0,
  });
});

test("hosts that are silent to one thread count for all: the egress is blocked", async () => {
  await using host = await openSilentHost("127.0.0.89");
  const world: MailWorld = { "mx.silent.test": { A: ["127.0.0.89"] } };
  for (let i = 0; i < 12; i++) {
    world[`mx.shop${i}.test`] = { A: ["127.0.0.89"] };
    world[`shop${i}.test`] = { MX: [{ preference: 10, exchange: `mx.shop${i}.test` }] };
  }
  await using lab = await openLab(world);
  const engine = engineIn(lab, { threads: 3, smtpPort: host.port, probeTimeoutMs: 1500 });
  const five = Array.from({ length: 5 }, (_, i) => `ann@shop${i}.test`);
  // Cached routes: the probes start together, before the first silence is remembered.
  await Promise.all(five.map((email) => engine.verify(email, "dns")));
  expect(new Set(await engine.verdictsOn(five))).toEqual(new Set(["unknown smtp_unreachable"]));
  const others = Array.from({ length: 6 }, (_, i) => `ann@shop${i + 5}.test`);
  expect(new Set(await engine.verdictsOn(others))).toEqual(new Set(["unknown egress_blocked"]));
  await engine.end();
});

test("a device that answered in several threads proves nothing in any of them, nor in one that replaces them", async () => {
  const device = [
    { replies: { banner: "220 filter.isp.test ESMTP" } },
    answersWith({ at: "rcpt", reply: "554 5.7.1 Relay access denied" }),
  ];
  const providers = [
    "gmail-smtp-in.l.google.com",
    "outlook-test.olc.protection.outlook.com",
    "mta5.am0.yahoodns.net",
    "mx00.gmx.net",
  ];
  const shops = Array.from({ length: 8 }, (_, i) => `shop${i}.test`);
  const world: MailWorld = Object.fromEntries(shops.map((name) => [name, mailDomain({ temper: device })]));
  for (const [i, mx] of providers.entries()) {
    world[`provider${i}.test`] = mailDomain({ mx: [mx] });
    world[mx] = mailHost({ temper: device });
  }
  await using lab = await openLab(world);
  const engine = watchedEngine(lab, 4);
  const subStatusOf = async (email: string) => decide(await engine.verify(email, "smtp")).subStatus;
  for (const i of providers.keys()) await subStatusOf(`ann@provider${i}.test`);
  const verdicts = async () => new Set(await Promise.all(shops.map((name) => subStatusOf(`ann@${name}`))));
  expect(await verdicts()).toEqual(new Set(["egress_blocked"]));
  const { length } = engine.workers;
  for (const worker of [...engine.workers]) crash(worker);
  await until(() => engine.exits.length === length);
  expect(await verdicts()).toEqual(new Set(["egress_blocked"]));
  await engine.close();
});

test("a thread that dies is replaced, and what it had not answered is done again", async () => {
  await using lab = await openLab(sharedHosts());
  const engine = watchedEngine(lab, 2);
  const emails = DOMAINS.flatMap((domain) => [`ann1@${domain}`, `ann2@${domain}`, `bob@${domain}`]);
  const checks = emails.map((email) => engine.begin(email, "smtp"));
  await until(() => HOSTS.some((host) => (lab.counts(host).commands.RCPT ?? 0) > 0));
  for (const worker of engine.workers) crash(worker);
  await until(() => engine.exits.length === 2);
  const found = await Promise.all(checks.map(({ done }) => done));
  expect(found.map((evidence) => decide(evidence).subStatus || "valid")).toEqual(
    emails.map((email) => (email.startsWith("ann") ? "valid" : "mailbox_not_found")),
  );
  expect(engine.exits).toHaveLength(2);
  expect(engine.workers).toHaveLength(4);
  for (const host of HOSTS) expect(lab.counts(host).maxConcurrentConnections).toBeLessThanOrEqual(CAP);
  await engine.close();
});

/** It refuses everybody from that moment on. */
function turningHost(): { world: MailWorld; turn(): void } {
  let hasTurned = false;
  const rcpt = () => (hasTurned ? { reply: "550 5.1.1 User unknown" } : undefined);
  const world = { "firm.test": mailDomain({ users: ["ann"], temper: { on: { rcpt } } }) };
  return { world, turn: () => (hasTurned = true) };
}
const DEAD = Array.from({ length: 6 }, (_, i) => `bob${i}@firm.test`);

test("what the threads know of a host is known to the engine that follows", async () => {
  const { world, turn } = turningHost();
  await using lab = await openLab(world);
  const hostMemories = new HostMemories();
  const first = engineIn(lab, { threads: 2, hostMemories });
  expect(await first.verdictsOn(DEAD)).toContain("invalid mailbox_not_found");
  await first.end();
  turn();
  const { entries } = hostMemories;
  const second = engineIn(lab, { threads: 2, hostMemories: new HostMemories(entries) });
  expect(await second.verdictOn("ann@firm.test")).toBe("unknown server_untrusted");
  await second.end();
});

test("what a thread that died knew of a host is known to the one that replaces it", async () => {
  const { world, turn } = turningHost();
  await using lab = await openLab(world);
  const engine = watchedEngine(lab, 1);
  await Promise.all(DEAD.map((email) => engine.verify(email, "smtp")));
  await until(() => lab.counts("mx.firm.test").openConnections === 0);
  turn();
  crash(engine.workers[0]);
  await until(() => engine.exits.length === 1);
  expect(decide(await engine.verify("ann@firm.test", "smtp")).subStatus).toBe("server_untrusted");
  await engine.close();
});

test("threads that cannot run make every check an internal_error, and none hangs", async () => {
  await using lab = await openLab(sharedHosts());
  const engine = watchedEngine(lab, 2, () => new Worker("throw new Error('a bug of ours')", { eval: true }));
  const checks = DOMAINS.slice(0, 6).map((domain) => engine.begin(`ann@${domain}`, "smtp"));
  for (const evidence of await Promise.all(checks.map(({ done }) => done))) {
    expect(evidence.failure).toContain("a bug of ours");
    expect(decide(evidence)).toMatchObject({ status: "unknown", subStatus: "internal_error" });
  }
  expect(engine.exits.map(({ error }) => error.message)).toContain("a bug of ours");
  await engine.close();
});

test("a thread that cannot be started is tried again, and no check hangs", async () => {
  await using lab = await openLab(sharedHosts());
  let refusals = 1;
  const engine = watchedEngine(lab, 1, (settings, index) => {
    if (refusals-- > 0) throw new Error("no more threads: EAGAIN");
    return startThread(settings, index);
  });
  expect(decide(await engine.verify("ann1@firm0.test", "smtp")).status).toBe("valid");
  refusals = 2;
  const lost = engine.begin("ann1@firm1.test", "smtp");
  crash(engine.workers[0]);
  expect((await lost.done).failure).toContain("EAGAIN");
  expect(decide(await engine.verify("ann1@firm2.test", "smtp")).status).toBe("valid");
  expect(engine.exits.filter(({ error }) => error.message.includes("EAGAIN"))).toHaveLength(3);
  await engine.close();
});

test("a thread that runs out of memory ends alone", async () => {
  await using lab = await openLab(sharedHosts());
  const hungry = "const all = []; for (;;) all.push(new Array(1e5).fill({}));";
  let isFirst = true;
  const engine = watchedEngine(lab, 1, (settings, index) => {
    if (!isFirst) return startThread(settings, index);
    isFirst = false;
    return new Worker(hungry, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 32 } });
  });
  expect(decide(await engine.verify("ann@firm0.test", "smtp")).status).toBe("valid");
  expect(engine.exits).toMatchObject([{ thread: 1, error: { code: "ERR_WORKER_OUT_OF_MEMORY" } }]);
  await engine.close();
});

test("close ends every check and every thread, however busy", async () => {
  await using lab = await openLab(sharedHosts());
  const engine = watchedEngine(lab, 2);
  const checks = DOMAINS.flatMap((domain) =>
    Array.from({ length: 30 }, (_, i) => engine.begin(`ann${i}@${domain}`, "smtp", { isUrgent: i === 0 })),
  );
  await until(() => HOSTS.some((host) => (lab.counts(host).commands.RCPT ?? 0) > 0));
  await engine.close();
  const found = await Promise.all(checks.map(({ done }) => done));
  expect(found.filter(({ failure }) => failure !== undefined)).toEqual([]);
  expect(found.map((evidence) => decide(evidence).status).filter((status) => status === "invalid")).toEqual(
    [],
  );
  expect(engine.workers.map(({ threadId }) => threadId)).toEqual([-1, -1]);
  expect(engine.exits).toEqual([]);
  const { route } = await engine.verify("ann@firm0-late.test", "smtp"); // a closed engine starts no thread
  expect(route).toMatchObject({ kind: "dns_error", reason: "closed" });
  expect(engine.workers).toHaveLength(2);
});

test.each([
  ["from its start on", "online", "for (;;);"],
  [
    "any more",
    "message",
    `require("node:worker_threads").parentPort.postMessage([{ type: "ready" }]); for (;;);`,
  ],
])("close ends a thread that does not respond %s", async (_, event, code) => {
  await using lab = await openLab(sharedHosts());
  const started = deferred<void>();
  const engine = watchedEngine(lab, 1, () => {
    const worker = new Worker(code, { eval: true });
    return worker.once(event, () => started.resolve());
  });
  const check = engine.begin("ann@firm0.test", "smtp");
  await started.promise;
  await engine.close();
  expect(decide(await check.done)).toMatchObject({ status: "unknown", subStatus: "dns_error" });
  expect(engine.workers[0]!.threadId).toBe(-1);
});

test("every check ends exactly once, whatever happens to the threads meanwhile", async () => {
  await using lab = await openLab(sharedHosts());
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ begin: fc.nat(DOMAINS.length - 1), isUrgent: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ raise: fc.nat(50) }) },
    { weight: 2, arbitrary: fc.constant({ wait: true }) },
    { weight: 1, arbitrary: fc.record({ kill: fc.nat(3) }) },
  );
  const steps = fc.array(step, { minLength: 30, maxLength: 60 });
  const property = fc.asyncProperty(steps, fc.boolean(), async (steps, closesEarly) => {
    const engine = watchedEngine(lab, 2);
    const checks: Check[] = [];
    const ends: Evidence[] = [];
    for (const step of steps) {
      if ("begin" in step) {
        const email = `ann${checks.length}@${DOMAINS[step.begin]}`;
        const check = engine.begin(email, "smtp", { isUrgent: step.isUrgent });
        checks.push(check);
        void check.done.then((evidence) => ends.push(evidence));
      } else if ("raise" in step) checks[step.raise]?.raisePriority();
      else if ("kill" in step) crash(engine.workers.at(-1 - step.kill));
      else await checks.at(-1)?.done;
    }
    if (closesEarly) await engine.close();
    await Promise.all(checks.map(({ done }) => done));
    await engine.close();
    expect(ends.map(({ email }) => email).sort()).toEqual(
      checks.map(({ evidence }) => evidence.email).sort(),
    );
    for (const evidence of ends) expect(decide(evidence).status).not.toBe("invalid");
    expect(engine.workers.every(({ threadId }) => threadId === -1)).toBe(true);
  });
  await fc.assert(property, { numRuns: 4 });
  await until(() => HOSTS.every((host) => lab.counts(host).openConnections === 0));
  for (const host of HOSTS) expect(lab.counts(host).maxConcurrentConnections).toBeLessThanOrEqual(CAP);
});

test("a verifier from settings starts its threads with the first lookup, from the sources too", async () => {
  vi.stubEnv("ENGINE_THREAD_CODE", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  await using lab = await openLab(sharedHosts());
  const env = { ...lab.env, ENGINE_THREADS: "1", EHLO_NAME: "probe.mailvet-lab.example" };
  const verifier = verifierFrom(readEngineSettings(settingsFrom(env)), { isCallerBusy: true });
  expect(decide(verifier.begin("not an address", "syntax").evidence).status).toBe("invalid");
  expect(decide(await verifier.verify("ann1@firm0.test", "smtp")).status).toBe("valid");
  await verifier.close();
});
