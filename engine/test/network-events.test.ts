/** Events about SMTP sessions and lookups, as metrics and traces get them: from the calling thread and from others. */
import { greylists, type Lab, mailDomain, mailHost, openLab, type Temperament } from "@mailvet/lab";
import { expect, test } from "vitest";
import type { DnsLookupEvent, NetworkEvent, SmtpSessionEvent } from "../src/egress/network-event.ts";
import { readEngineSettings, settingsFrom } from "../src/settings.ts";
import { verifierFrom } from "../src/verifier.ts";
import { identityOf } from "./stories/story.ts";

const WORLD = {
  "plain.test": mailDomain({ users: ({ localPart }) => localPart.startsWith("ann") }),
  "grey.test": mailDomain({ temper: greylists({ delayMs: 3_600_000 }) }),
  "down.test": mailDomain({ mx: ["mx.down.test"] }),
  "mx.down.test": mailHost({ down: true }),
};

function settingsFor(lab: Lab) {
  const env = { ...lab.env, ENGINE_THREADS: "1", PROBE_TIMEOUT_SECONDS: "120" };
  return { ...readEngineSettings(settingsFrom(env)), exemptSpecialUse: ["test"] };
}

test.each([false, true])(
  "sessions and lookups are reported with their traces; threads: %s",
  async (isCallerBusy) => {
    await using lab = await openLab(WORLD);
    const events: NetworkEvent[] = [];
    const verifier = verifierFrom(settingsFor(lab), {
      isCallerBusy,
      observe: (event) => void events.push(event),
    });
    const traced = (email: string, trace: string) => verifier.begin(email, "smtp", { trace }).done;
    await Promise.all([
      traced("ann@plain.test", "list one"),
      traced("ann.two@plain.test", "list one"),
      traced("gone@plain.test", "list two"),
      traced("ann@grey.test", "list two"),
      traced("ann@down.test", "list three"),
    ]);
    await verifier.close();

    const sessions = events.filter((event): event is SmtpSessionEvent => event.kind === "smtp_session");
    const at = (host: string) => sessions.filter((session) => session.host === host);
    const plain = at("mx.plain.test");
    expect(new Set(plain.flatMap(({ traces }) => traces))).toEqual(new Set(["list one", "list two"]));
    const accepted = plain.reduce((sum, { replies }) => sum + (replies.accepted ?? 0), 0);
    expect(accepted).toBe(2);
    for (const { outcome, provider, identity, startedAtMs, endedAtMs, slotWaitMs } of plain) {
      expect({ outcome, provider, identity }).toEqual({
        outcome: "completed",
        provider: "other",
        identity: "default",
      });
      expect(endedAtMs).toBeGreaterThanOrEqual(startedAtMs);
      expect(slotWaitMs).toBeGreaterThanOrEqual(0);
    }
    expect(at("mx.grey.test")).toMatchObject([{ traces: ["list two"], outcome: "completed" }]);
    expect(at("mx.grey.test")[0]!.replies.greylisted).toBeGreaterThan(0);
    expect(at("mx.down.test")[0]).toMatchObject({
      traces: ["list three"],
      outcome: "unreachable",
      recipients: 0,
    });

    const lookups = events.filter((event): event is DnsLookupEvent => event.kind === "dns_lookup");
    const routes = lookups.filter(({ lookup }) => lookup === "mail_route");
    expect(routes.map(({ outcome }) => outcome)).toEqual(["mail_hosts", "mail_hosts", "mail_hosts"]);
    expect(lookups.filter(({ lookup }) => lookup === "mail_policies")).toHaveLength(3);
    expect(JSON.stringify(events)).not.toMatch(/ann|gone/);
  },
);

test.each([false, true])("every session names its egress identity; threads: %s", async (isCallerBusy) => {
  const blocked = "554 5.7.1 Service unavailable; client host blocked using zen.spamhaus.org";
  let first: string | undefined;
  const temper: Temperament = {
    on: {
      banner({ client }) {
        first ??= client;
        return client === first ? { reply: blocked } : undefined;
      },
    },
  };
  await using lab = await openLab({ "plain.test": mailDomain({ users: ["ann"], temper }) });
  const nameOf: Record<string, string> = { "127.0.0.2": "two", "127.0.0.3": "three" };
  const egress = Object.entries(nameOf).map(([sourceAddress, name]) => identityOf(name, { sourceAddress }));
  const sessions: SmtpSessionEvent[] = [];
  const verifier = verifierFrom(
    { ...settingsFor(lab), egress },
    { isCallerBusy, observe: (event) => void (event.kind === "smtp_session" && sessions.push(event)) },
  );
  await verifier.begin("ann@plain.test", "smtp").done;
  await verifier.close();

  const outcomes = new Map(sessions.map(({ identity, outcome }) => [identity, outcome]));
  const refused = nameOf[first!]!;
  const other = refused === "two" ? "three" : "two";
  expect(outcomes).toEqual(
    new Map([
      [refused, "refused"],
      [other, "completed"],
    ]),
  );
});
