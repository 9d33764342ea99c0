/** The sample world matches its samples. */
import { expect, test } from "vitest";
import { openLab } from "../src/index.ts";
import { SAMPLE_WORLD, SAMPLES } from "../src/sample-world.ts";

/** Actual state of the mailbox that a verdict implies; other verdicts do not depend on it. */
const TRUTH: Record<string, string> = {
  "": "exists",
  privacy_relay: "exists",
  agent_mailbox: "exists",
  role_based: "exists",
  possible_typo: "exists",
  mailbox_not_found: "does_not_exist",
  mailbox_disabled: "disabled",
  mailbox_full: "full",
};

/** All except those about the installation (egress_blocked, smtp_skipped, internal_error) and low_quality of the model. */
const VERDICTS: Record<string, string[]> = {
  valid: ["", "privacy_relay", "agent_mailbox"],
  invalid: [
    ...[
      "syntax_error",
      "provider_syntax",
      "reserved_domain",
      "domain_not_found",
      "no_mail_server",
      "null_mx",
    ],
    ...["unroutable_mail_server", "mailbox_not_found", "mailbox_disabled", "domain_not_accepted"],
    "smtputf8_unsupported",
  ],
  risky: ["disposable", "catch_all", "role_based", "mailbox_full", "restricted", "possible_typo"],
  unknown: [
    ...["greylisted", "rate_limited", "probe_blocked", "temporary_error", "smtp_unreachable", "smtp_timeout"],
    ...["smtp_protocol_error", "dns_error"],
  ],
};

test("the mailbox of every sample matches its verdict, and no existing one is invalid", async () => {
  await using lab = await openLab(SAMPLE_WORLD);
  for (const { email, status, subStatus } of SAMPLES) {
    const truth = lab.truth(email);
    if (TRUTH[subStatus]) expect([email, truth]).toEqual([email, TRUTH[subStatus]]);
    if (status === "invalid") expect([email, truth]).not.toEqual([email, "exists"]);
  }
});

test("there is a sample for every verdict that the lab can produce", () => {
  for (const [status, expected] of Object.entries(VERDICTS)) {
    const shown = SAMPLES.filter((sample) => sample.status === status).map((sample) => sample.subStatus);
    expect([...new Set(shown)].sort()).toEqual(expected.sort());
  }
});
