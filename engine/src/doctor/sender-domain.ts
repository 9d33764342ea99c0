/** Checks that the domain of MAIL_FROM receives mail and publishes a DMARC policy. */
import { specialUseOf } from "../address/special-use-domains.ts";
import { findMailPolicies } from "../dns/mail-policies.ts";
import { findMailRoute, type MailRoute, type MailRouteDeps } from "../dns/mail-route.ts";
import type { Diagnosis, FindingStatus } from "./finding.ts";

export async function examineSenderDomain(
  deps: MailRouteDeps & { exemptSpecialUse: readonly string[] },
  domain: string,
): Promise<Diagnosis> {
  const name = "sender domain";
  const specialUse = specialUseOf(domain, deps.exemptSpecialUse);
  if (specialUse !== undefined) {
    return {
      name,
      outcome: "bad",
      found: `${domain} cannot receive mail: ${specialUse}.`,
      advice: OWN_DOMAIN,
    };
  }
  const route = await findMailRoute(deps, domain);
  if (route.kind === "mail_hosts") {
    const hosts = route.hosts.map((host) => host.name).join(", ");
    if (!route.implicit) return { name, outcome: "good", found: `${domain} receives mail at ${hosts}.` };
    const advice = `Some mail servers reject senders whose domain has no MX record. Add one to ${domain}.`;
    return { name, outcome: "warning", found: `${domain} has no MX record, only an address record.`, advice };
  }
  const [outcome, found, advice] = WITHOUT_MAIL[route.kind];
  return { name, outcome, found: `${domain} ${found}.`, advice };
}

export async function examineDmarc(
  deps: Pick<MailRouteDeps, "resolver">,
  domain: string,
): Promise<Diagnosis> {
  const name = "DMARC";
  const { dmarc } = await findMailPolicies(deps.resolver, domain);
  if (dmarc === undefined)
    return { name, outcome: "unknown", found: `The DMARC lookup for ${domain} failed.` };
  if (dmarc) return { name, outcome: "good", found: `${domain} has a DMARC record.` };
  const advice = `Large providers prefer domains with DMARC. Start with a TXT record at _dmarc.${domain}: v=DMARC1; p=none`;
  return {
    name,
    outcome: "warning",
    found: `${domain} has no valid DMARC record, or more than one.`,
    advice,
  };
}

/** Whether the domain exists; true when the lookup fails. */
export async function senderDomainExists(
  deps: Pick<MailRouteDeps, "resolver"> & { exemptSpecialUse: readonly string[] },
  domain: string,
): Promise<boolean> {
  if (specialUseOf(domain, deps.exemptSpecialUse) !== undefined) return false;
  return (await deps.resolver.query(domain, "MX")).status !== "nxdomain";
}

export function senderDomainOf(mailFrom: string): string {
  return mailFrom.slice(mailFrom.lastIndexOf("@") + 1).toLowerCase();
}

const OWN_DOMAIN =
  "Mail servers reject senders whose domain cannot receive mail. Set MAIL_FROM to an address at a domain of yours that receives mail.";

const WITHOUT_MAIL: Record<
  Exclude<MailRoute["kind"], "mail_hosts">,
  readonly [outcome: FindingStatus, found: string, advice: string]
> = {
  null_mx: ["bad", "declares that it accepts no mail (null MX)", OWN_DOMAIN],
  domain_not_found: ["bad", "does not exist or has no public address", OWN_DOMAIN],
  no_mail_server: ["bad", "has neither an MX nor an address record", OWN_DOMAIN],
  unroutable: ["bad", "has no mail server with a public address", OWN_DOMAIN],
  dns_error: [
    "unknown",
    "could not be resolved",
    "Fix the DNS servers, or those of the domain, and run the diagnostics again.",
  ],
};
