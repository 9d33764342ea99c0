/**
 * A story: the engine let loose in a lab.
 *
 * Every verdict is held against what is true in the lab, so that each story, whatever it is about, fails when
 * a live mailbox is called invalid.
 */
import { type Lab, type LabDomain, type MailWorld, openLab } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createResolver } from "../../src/dns/resolver.ts";
import { createEgressGuard } from "../../src/egress/guard.ts";
import type { Evidence } from "../../src/evidence.ts";
import type { NameModel } from "../../src/plausibility/name-model.ts";
import { loadDisposables } from "../../src/reference/disposable.ts";
import { type Connect, createConnect } from "../../src/smtp/connect.ts";
import type { HostLimiterFor } from "../../src/smtp/host-limiter.ts";
import { createPlanner } from "../../src/smtp/probe-planner.ts";
import { decide } from "../../src/verdict.ts";
import { createVerifier, type DeploymentKnowledge, type Verifier } from "../../src/verifier.ts";
import { until } from "../until.ts";

/** Nothing expires unless the story is about that. */
export type StoryOptions = {
  probeTimeoutMs?: number;
  connectionsPerHost?: number;
  maxSessions?: number;
  dnsTimeoutMs?: number;
  /** What the egress guard lets through. */
  allow?: string[];
  /** Where mail hosts listen, if not where those of this lab do. */
  smtpPort?: number;
  /** Instead of the engine's own way of connecting. */
  dial?: Connect;
  /** Instead of a pace of its own at each host. */
  paceFor?: HostLimiterFor;
  /** Reads mailbox names; without one AI enhancement is off. */
  nameModel?: NameModel;
  /** What the deployment knows. */
  knowledge?: DeploymentKnowledge;
};

export type Engine = Verifier & {
  evidenceFor(email: string): Promise<Evidence>;
  /** Status and sub-status, such as "risky catch_all"; "valid" alone when there is nothing to add. */
  verdictOn(email: string): Promise<string>;
  verdictsOn(emails: readonly string[]): Promise<string[]>;
  /** Everybody says goodbye; afterwards the lab's counts are final. */
  end(): Promise<void>;
};

export type Story = Engine & AsyncDisposable & { readonly lab: Lab };

const disposables = loadDisposables();
const EGRESS = { ehloName: "probe.mailvet-lab.example", mailFrom: "probe@mailvet-lab.example" };

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

/** An engine that knows nothing yet of this lab. */
export function engineIn(lab: Lab, options: StoryOptions = {}): Engine {
  const {
    probeTimeoutMs = 120_000,
    dnsTimeoutMs = 120_000,
    allow = ["127.0.0.0/8"],
    dial,
    ...rest
  } = options;
  const { nameModel, knowledge, ...limits } = rest;
  const port = options.smtpPort ?? lab.smtpPort;
  const resolver = createResolver({ servers: [lab.nameServer], timeoutMs: dnsTimeoutMs });
  const guard = createEgressGuard({ allow });
  const planner = createPlanner({
    dial: dial ?? createConnect({ guard, port, egress: {} }),
    egress: EGRESS,
    probeTimeoutMs,
    ...limits,
  });

  const verifier = createVerifier({
    disposables,
    exemptSpecialUse: ["test"],
    resolver,
    guard,
    planner,
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

function isLive(lab: Lab, email: string): boolean {
  const truth = lab.truth(email);
  return truth === "exists" || truth === "full" || truth === "catch_all";
}

/** Title, the domain it happens at, and by mailbox the verdict it comes to. */
export type Row = readonly [title: string, domain: LabDomain, verdicts: Readonly<Record<string, string>>];

/** One test for each row, all in one lab, each at a domain of its own. */
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
      const told = await story.verdictsOn(mailboxes.map((mailbox) => `${mailbox}@${domainOf(index)}`));
      expect(Object.fromEntries(mailboxes.map((mailbox, i) => [mailbox, told[i]]))).toEqual(verdicts);
    });
  }

  test("in all of these stories we sent no mail, tried no VRFY and let the server speak first", async () => {
    await story.end();
    for (const [index, [title, domain]] of rows.entries()) {
      for (const host of hostsOf(domainOf(index), domain)) {
        const { leftWithoutQuit: _, ...rudeness } = await rudenessAt(story, host);
        const { leftWithoutQuit: __, ...none } = NO_RUDENESS; // whoever is hung up on cannot say goodbye
        expect(rudeness, title).toEqual(none);
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

/** What no server should ever have to complain about, counted once everybody has said goodbye. */
export async function rudenessAt({ lab }: Story, host: string) {
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

export const NO_RUDENESS = { data: 0, vrfy: 0, sentBeforeBanner: 0, leftWithoutQuit: 0, stillThere: 0 };

/** `anna1@domain` … `annaN@domain`. */
export function manyAt(domain: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `anna${i + 1}@${domain}`);
}
