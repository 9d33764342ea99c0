/** Does the domain of MAIL_FROM take mail, and does it say what to do with forged mail (DMARC)? */
import { specialUseOf } from "../address/special-use.ts";
import { findMailPolicies } from "../dns/mail-policies.ts";
import { findMailRoute, type MailRoute, type MailRouteDeps } from "../dns/mail-route.ts";
import type { Finding, FindingStatus } from "./finding.ts";

export async function examineSenderDomain(
  deps: MailRouteDeps & { exemptSpecialUse: readonly string[] },
  domain: string,
): Promise<Finding> {
  const name = "sender domain";
  const specialUse = specialUseOf(domain, deps.exemptSpecialUse);
  if (specialUse !== undefined) {
    return {
      name,
      outcome: "bad",
      found: `${domain} is no domain for mail: ${specialUse}.`,
      advice: OWN_DOMAIN,
    };
  }
  const route = await findMailRoute(deps, domain);
  if (route.kind === "mail_hosts") {
    const hosts = route.hosts.map((host) => host.name).join(", ");
    if (!route.implicit) return { name, outcome: "good", found: `${domain} takes its mail at ${hosts}.` };
    const advice = `Some mail servers refuse senders whose domain has no MX record. Give ${domain} one.`;
    return { name, outcome: "warning", found: `${domain} has no MX record, only an address.`, advice };
  }
  const [outcome, found, advice] = WITHOUT_MAIL[route.kind];
  return { name, outcome, found: `${domain} ${found}.`, advice };
}

export async function examineDmarc(deps: Pick<MailRouteDeps, "resolver">, domain: string): Promise<Finding> {
  const name = "DMARC";
  const { dmarc } = await findMailPolicies(deps.resolver, domain);
  if (dmarc === undefined)
    return { name, outcome: "unknown", found: `The policy of ${domain} could not be looked up.` };
  if (dmarc) return { name, outcome: "good", found: `${domain} has a policy.` };
  const advice = `Large providers trust domains with one more. Start with a TXT record at _dmarc.${domain}: v=DMARC1; p=none`;
  return {
    name,
    outcome: "warning",
    found: `${domain} has no policy, or several, which is as good as none.`,
    advice,
  };
}

/** Whether there is a domain to publish anything at; without an answer we take it that there is. */
export async function senderDomainExists(
  deps: Pick<MailRouteDeps, "resolver"> & { exemptSpecialUse: readonly string[] },
  domain: string,
): Promise<boolean> {
  if (specialUseOf(domain, deps.exemptSpecialUse) !== undefined) return false;
  return (await deps.resolver.ask(domain, "MX")).status !== "nxdomain";
}

export function senderDomainOf(mailFrom: string): string {
  return mailFrom.slice(mailFrom.lastIndexOf("@") + 1).toLowerCase();
}

const OWN_DOMAIN =
  "Mail servers refuse senders at domains without mail. Set MAIL_FROM to an address at a domain of yours that takes mail.";

const WITHOUT_MAIL: Record<
  Exclude<MailRoute["kind"], "mail_hosts">,
  readonly [outcome: FindingStatus, found: string, advice: string]
> = {
  null_mx: ["bad", "says that it takes no mail (null MX)", OWN_DOMAIN],
  domain_not_found: ["bad", "does not exist", OWN_DOMAIN],
  no_mail_server: ["bad", "has neither a mail server nor an address", OWN_DOMAIN],
  unroutable: ["bad", "has no mail server that the world can reach", OWN_DOMAIN],
  dns_error: [
    "unknown",
    "could not be looked up",
    "Put the name servers right, or those of the domain, and look again.",
  ],
};
