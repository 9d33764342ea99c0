/**
 * A story: the engine against a lab.
 *
 * Every verdict is compared with the truth in the lab, so each story fails if a live mailbox is called invalid.
 */
import { type Lab, type LabDomain, type MailWorld, openLab } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEgressGuard } from "../../src/egress/guard.ts";
import type { EgressIdentity } from "../../src/egress/identity.ts";
import type { Evidence } from "../../src/evidence.ts";
import {
  type NetworkSettings,
  type NetworkStages,
  networkStages,
  networkStagesFrom,
  resolverFrom,
} from "../../src/network-stages.ts";
import type { NameModel } from "../../src/plausibility/name-model/name-model.ts";
import { loadDisposables } from "../../src/reference/disposable.ts";
import type { Connect } from "../../src/smtp/client/connect.ts";
import { createPlanner } from "../../src/smtp/probe-planner.ts";
import type { SessionLimits } from "../../src/smtp/session-limits.ts";
import type { HostLimiterFor } from "../../src/smtp/throttle/host-limiter.ts";
import type { HostMemories } from "../../src/smtp/throttle/host-memories.ts";
import type { SessionGateFor } from "../../src/smtp/throttle/session-gate.ts";
import { openEngineThreads } from "../../src/threads/engine-threads.ts";
import { decide } from "../../src/verdict.ts";
import { createVerifier, type DeploymentKnowledge, type Verifier } from "../../src/verifier.ts";
import { until } from "../until.ts";

/** Nothing expires unless the story sets a limit. */
export type StoryOptions = {
  probeTimeoutMs?: number;
  connectionsPerHost?: number;
  sessionLimits?: SessionLimits;
  idleSessionMs?: number;
  closeGraceMs?: number;
  dnsTimeoutMs?: number;
  maxLookups?: number;
  /** Ranges the egress guard allows. */
  allow?: string[];
  /** Port of the mail hosts, if not the lab's. */
  smtpPort?: number;
  /** Egress identities, if not the usual one. */
  egress?: EgressIdentity[];
  /** Replaces the engine's own session gates. */
  gateFor?: SessionGateFor;
  /** Replaces the engine's own connect. */
  dial?: Connect;
  /** Replaces the engine's own host limiters. */
  limiterFor?: HostLimiterFor;
  /** What the engine knows of mail hosts at its start. */
  hostMemories?: HostMemories;
  /** Scores local parts; AI enhancement is off without it. */
  nameModel?: NameModel;
  /** The deployment's own sources. */
  knowledge?: DeploymentKnowledge;
  /** Runs DNS and SMTP in so many threads; 0 (the default) means in the thread of the test. */
  threads?: number;
};

/** Stories that do not say otherwise run with so many threads (test/threads/). */
let usualThreads = 0;
export function useThreads(threads: number): void {
  usualThreads = threads;
}

export type Engine = Verifier & {
  evidenceFor(email: string): Promise<Evidence>;
  /** Status and sub-status, such as "risky catch_all"; only "valid" when there is no sub-status. */
  verdictOn(email: string): Promise<string>;
  verdictsOn(emails: readonly string[]): Promise<string[]>;
  /** Closes all sessions; the lab's counts are final afterwards. */
  end(): Promise<void>;
};

export type Story = Engine & AsyncDisposable & { readonly lab: Lab };

const disposables = loadDisposables();
const NAMES = { ehloName: "probe.mailvet-lab.example", mailFrom: "probe@mailvet-lab.example" };

/** An identity of EGRESS_FILE. */
export function identityOf(name: string, options: Partial<EgressIdentity>): EgressIdentity {
  return { name, share: 1, isCounted: true, ...NAMES, ...options };
}

export async function openStory(world: MailWorld, options: StoryOptions = {}): Promise<Story> {
  const lab = await openLab(world);
  const engine = engineIn(lab, options);
  return {
    lab,
    ...engine,
    async [Symbol.asyncDispose]() {
      await engine.end();
      await lab[Symbol.asyncDispose]();
    },
  };
}

/** A new engine for this lab, without caches. */
export function engineIn(lab: Lab, options: StoryOptions = {}): Engine {
  const { nameModel, knowledge } = options;
  const verifier = createVerifier({
    disposables,
    exemptSpecialUse: ["test"],
    openNetwork: () => networkIn(lab, options),
    ...(nameModel && { nameModel }),
    ...(knowledge && { knowledge }),
  });
  const evidenceFor = (email: string) => verifier.verify(email, "smtp");
  const verdictOn = async (email: string) => {
    const { status, subStatus } = decide(await evidenceFor(email));
    if (status === "invalid" && isLive(lab, email)) {
      throw new Error(`${email} is alive, and was called invalid (${subStatus})`);
    }
    return subStatus === "" ? status : `${status} ${subStatus}`;
  };
  const verdictsOn = (emails: readonly string[]) => Promise.all(emails.map(verdictOn));
  return { ...verifier, evidenceFor, verdictOn, verdictsOn, end: verifier.close };
}

function networkIn(lab: Lab, options: StoryOptions): NetworkStages {
  const {
    limiterFor,
    gateFor,
    hostMemories,
    threads = usualThreads,
    dial,
    sessionLimits,
    idleSessionMs = 120_000,
  } = options;
  // Hosts that do not respond are those of stories with a limit: the others have time to answer QUIT.
  const { closeGraceMs = options.probeTimeoutMs === undefined ? 60_000 : undefined } = options;
  const settings: NetworkSettings = {
    dnsServers: [lab.nameServer],
    ...(options.maxLookups !== undefined && { maxLookups: options.maxLookups }),
    dnsTimeoutMs: options.dnsTimeoutMs ?? 120_000,
    egressAllow: options.allow ?? ["127.0.0.0/8"],
    smtpPort: options.smtpPort ?? lab.smtpPort,
    egress: options.egress ?? [{ name: "default", share: 1, ...NAMES }],
    probeTimeoutMs: options.probeTimeoutMs ?? 120_000,
    connectionsPerHost: options.connectionsPerHost ?? 1,
    ...(sessionLimits && { sessionLimits }),
    idleSessionMs,
    ...(closeGraceMs !== undefined && { closeGraceMs }),
  };
  const limits = {
    ...(limiterFor && { limiterFor }),
    ...(gateFor && { gateFor }),
    ...(hostMemories && { hostMemories }),
  };
  if (!dial) {
    return threads > 0
      ? openEngineThreads({ settings, threads, ...limits })
      : networkStagesFrom(settings, limits);
  }
  const planner = createPlanner({ ...settings, connectFrom: () => dial, ...limits });
  const guard = createEgressGuard({ allow: settings.egressAllow });
  return networkStages({ resolver: resolverFrom(settings), guard, planner });
}

function isLive(lab: Lab, email: string): boolean {
  const truth = lab.truth(email);
  return truth === "exists" || truth === "full" || truth === "catch_all";
}

/** Title, domain, and expected verdict by mailbox. */
export type Row = readonly [title: string, domain: LabDomain, verdicts: Readonly<Record<string, string>>];

/** One test per row, all in one lab, each at its own domain. */
export function tellStories(rows: readonly Row[], options: StoryOptions = {}): void {
  let story: Story;
  const domainOf = (index: number) => `story-${index + 1}.test`;
  beforeAll(async () => {
    story = await openStory(
      Object.fromEntries(rows.map(([, domain], index) => [domainOf(index), domain])),
      options,
    );
  });
  afterAll(() => story[Symbol.asyncDispose]());

  for (const [index, [title, , verdicts]] of rows.entries()) {
    test.concurrent(title, async () => {
      const mailboxes = Object.keys(verdicts);
      const actual = await story.verdictsOn(mailboxes.map((mailbox) => `${mailbox}@${domainOf(index)}`));
      expect(Object.fromEntries(mailboxes.map((mailbox, i) => [mailbox, actual[i]]))).toEqual(verdicts);
    });
  }

  test("none of these sessions sent DATA or VRFY, or a command before the banner", async () => {
    await story.end();
    for (const [index, [title, domain]] of rows.entries()) {
      for (const host of hostsOf(domainOf(index), domain)) {
        const { leftWithoutQuit: _, ...violations } = await violationsAt(story, host);
        const { leftWithoutQuit: __, ...none } = NO_VIOLATIONS; // QUIT is impossible after a closed connection
        expect(violations, title).toEqual(none);
      }
    }
  });
}

/** The hosts of a domain that are up. */
function hostsOf(name: string, { hosts = { mx: {} }, implicitMx, down }: LabDomain): string[] {
  if (down) return [];
  if (implicitMx) return [name];
  const up = Object.entries(hosts).filter(([, host]) => !host.down);
  return up.map(([label]) => `${label}.${name}`);
}

/** Counts of impolite behaviour, once all sessions are closed. */
export async function violationsAt({ lab }: Story, host: string) {
  const counts = lab.counts(host);
  await until(() => counts.openConnections === 0);
  return {
    data: counts.commands.DATA ?? 0,
    vrfy: counts.commands.VRFY ?? 0,
    sentBeforeBanner: counts.sentBeforeBanner,
    leftWithoutQuit: counts.endedWithoutQuit,
    stillThere: counts.openConnections,
  };
}

export const NO_VIOLATIONS = { data: 0, vrfy: 0, sentBeforeBanner: 0, leftWithoutQuit: 0, stillThere: 0 };

/** `anna1@domain` … `annaN@domain`. */
export function manyAt(domain: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `anna${i + 1}@${domain}`);
}
