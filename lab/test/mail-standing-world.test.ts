/** The standing world holds what its samples promise. */
import { expect, test } from "vitest";
import { openLab } from "../src/index.ts";
import { SAMPLES, STANDING_WORLD } from "../src/standing-world.ts";

/** What must be true of a mailbox for the verdict to be right; verdicts not named here are about other things. */
const TRUTH: Record<string, string> = {
  "": "exists",
  privacy_relay: "exists",
  role_based: "exists",
  possible_typo: "exists",
  mailbox_not_found: "does_not_exist",
  mailbox_disabled: "disabled",
  mailbox_full: "full",
};

/** All but those about the installation itself (egress_blocked, smtp_skipped, internal_error) and the model's low_quality. */
const VERDICTS: Record<string, string[]> = {
  valid: ["", "privacy_relay"],
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

test("every sample stands on the truth its verdict claims, and no live mailbox is meant to be invalid", async () => {
  await using lab = await openLab(STANDING_WORLD);
  for (const { email, status, subStatus } of SAMPLES) {
    const truth = lab.truth(email);
    if (TRUTH[subStatus]) expect([email, truth]).toEqual([email, TRUTH[subStatus]]);
    if (status === "invalid") expect([email, truth]).not.toEqual([email, "exists"]);
  }
});

test("there is a sample for every verdict that a lab can show", () => {
  for (const [status, expected] of Object.entries(VERDICTS)) {
    const shown = SAMPLES.filter((sample) => sample.status === status).map((sample) => sample.subStatus);
    expect([...new Set(shown)].sort()).toEqual(expected.sort());
  }
});
