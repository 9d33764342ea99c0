/** A correct installation in the lab; doctor tests change one thing of it. */
import { gmx, google, icloud, type Lab, type MailWorld, mailDomain, openLab } from "@mailvet/lab";
import { createResolver } from "../src/dns/resolver.ts";
import { examine } from "../src/doctor/doctor.ts";
import type { Diagnosis } from "../src/doctor/finding.ts";
import { createEgressGuard } from "../src/egress/guard.ts";
import type { EgressIdentity } from "../src/egress/identity.ts";
import { createConnect, type Egress } from "../src/smtp/client/connect.ts";

/** Another loopback address serves as the public IP. */
export const PUBLIC_IP = "127.0.0.77";
export const REVERSED = "77.0.0.127";
export const BLOCKLISTS = ["zen.spamhaus.org", "bl.spamcop.net", "b.barracudacentral.org"] as const;
export const PROVIDERS = ["big.test", "blue.test", "fruit.test"] as const;

export const CORRECT_SETUP: MailWorld = {
  "big.test": mailDomain({ temper: google }),
  "blue.test": mailDomain({ temper: gmx }),
  "fruit.test": mailDomain({ temper: icloud }),
  "probe.firm.test": { A: [PUBLIC_IP] },
  [`${REVERSED}.in-addr.arpa`]: { PTR: ["probe.firm.test"] },
  "firm.test": mailDomain({ records: { TXT: [`v=spf1 ip4:${PUBLIC_IP} -all`] } }),
  "_dmarc.firm.test": { TXT: ["v=DMARC1; p=reject"] },
  ...Object.fromEntries(BLOCKLISTS.map((zone) => [`2.0.0.127.${zone}`, { A: ["127.0.0.2"] }])),
};

export type Installation = {
  egress?: Partial<Egress>;
  /** Instead of the one that `egress` describes. Its name is part of the name of each finding. */
  identities?: readonly EgressIdentity[];
  nameServers?: readonly string[];
  /** Port to connect to, whatever `smtpPort` says. */
  connectPort?: number;
  roundMs?: number;
  dnsTimeoutMs?: number;
  slowNameServerMs?: number;
};

export type Findings = Readonly<Record<string, Diagnosis>>;

/** By name, in order of appearance. */
export async function examineIn(lab: Lab, installation: Installation = {}): Promise<Findings> {
  const { nameServers = [lab.nameServer], connectPort = lab.smtpPort } = installation;
  const { roundMs = 120_000, dnsTimeoutMs = 120_000, slowNameServerMs = 120_000 } = installation;
  const egress: Egress = {
    ehloName: "probe.firm.test",
    mailFrom: "ask@firm.test",
    sourceAddress: PUBLIC_IP,
    ...installation.egress,
  };
  const resolver = createResolver({ servers: nameServers, timeoutMs: dnsTimeoutMs });
  const guard = createEgressGuard({ allow: ["127.0.0.0/8"] });
  const findings: Record<string, Diagnosis> = {};
  try {
    for await (const finding of examine({
      nameServers,
      resolver,
      guard,
      connectFrom: (identity) => createConnect({ guard, port: connectPort, egress: identity }),
      smtpPort: 25,
      egress: installation.identities ?? [{ name: "default", share: 1, ...egress }],
      exemptSpecialUse: ["test"],
      listsDirectory: undefined,
      localListsFile: undefined,
      providers: PROVIDERS,
      roundMs,
      slowNameServerMs,
    })) {
      findings[finding.identity ? `${finding.identity}: ${finding.name}` : finding.name] = finding;
    }
  } finally {
    resolver.close();
  }
  return findings;
}

/** Examines the correct setup with these changes. */
export async function examineChanged(world: MailWorld, installation?: Installation): Promise<Findings> {
  await using lab = await openLab({ ...CORRECT_SETUP, ...world });
  return await examineIn(lab, installation); // the lab stays open until then
}

/** Name and outcome of all findings that are not good, except the reference lists, which age. */
export function problemsIn(findings: Findings): Record<string, string> {
  const wrong = Object.values(findings).filter(
    ({ name, outcome }) => outcome !== "good" && name !== "reference lists",
  );
  return Object.fromEntries(wrong.map(({ name, outcome }) => [name, outcome]));
}
