import { type Evidence, readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import { expect, test } from "vitest";
import { SANDBOX_OUTCOMES } from "../../validations/sandbox-outcomes.ts";
import { restoredEvidence, shareEvidence, storedEvidence } from "./result-evidence.ts";

const inspection = verifierFrom(readEngineSettings(settingsFrom({}))).begin("ann@shop.io", "syntax").evidence;

/** As another process reads it from the database. */
function throughTable(evidence: Evidence): Evidence {
  const stored = storedEvidence(evidence);
  const [columns] = shareEvidence([{ row: 1, status: "valid", stored }]);
  const { evidence: shared, own_evidence: own } = JSON.parse(JSON.stringify(columns));
  return restoredEvidence(inspection, { shared, own });
}

const host = (mxHost: string, flags: { implicit: boolean; isPartial: boolean }): Evidence => ({
  ...inspection,
  route: {
    kind: "mail_hosts",
    hosts: [{ name: "mx.shop.io", preference: 10, addresses: ["192.0.2.1"] }],
    ...flags,
  },
  mailbox: { answer: "accepted", reply: { code: 250, enhanced: "2.1.5", text: "Ok" }, mxHost: "mx.shop.io" },
  decoy: {
    answer: "not_found",
    reply: { code: 550, enhanced: "5.1.1", text: "no such user" },
    mxHost,
    confidence: 0.9,
  },
});

test.each<readonly [string, Evidence]>([
  ["with the decoy at the same host", host("mx.shop.io", { implicit: false, isPartial: false })],
  ["with the decoy at another host", host("mx2.shop.io", { implicit: false, isPartial: false })],
  [
    "with a decoy that was not answered",
    { ...host("", { implicit: false, isPartial: false }), decoy: { answer: "timeout", confidence: 0.5 } },
  ],
  ["with an implicit route", host("mx.shop.io", { implicit: true, isPartial: false })],
  ["with a partial route", host("mx.shop.io", { implicit: false, isPartial: true })],
  ...Object.entries(SANDBOX_OUTCOMES).map(
    ([name, outcome]) => [`of the sandbox: ${name}`, outcome(inspection)] as const,
  ),
])("evidence is restored as it was, %s", (_, evidence) => {
  const { route, policies, provider, mailbox, decoy } = throughTable(evidence);
  expect(withHostNames(route)).toEqual(withHostNames(evidence.route));
  expect({ policies, provider, mailbox, decoy }).toEqual({
    policies: evidence.policies,
    provider: evidence.provider,
    mailbox: evidence.mailbox,
    decoy: evidence.decoy,
  });
});

/** IP addresses of hosts are not stored. */
function withHostNames(route: Evidence["route"]) {
  return route?.kind === "mail_hosts" ? { ...route, hosts: route.hosts.map(({ name }) => name) } : route;
}
