/** Inspects a domain with the engine on this machine. */
import { randomUUID } from "node:crypto";
import type { DomainReport } from "@mailvet/contract";
import { domainReportOf, domainSyntaxError, postmasterOf, verifierFrom } from "@mailvet/engine";
import { localSettings } from "../local-settings.ts";
import { badUsage } from "../remote/service.ts";

export async function inspectLocally(name: string): Promise<DomainReport> {
  const verifier = verifierFrom({ ...localSettings(), threads: 1 }); // one domain: a thread would take longer to start
  try {
    const started = performance.now();
    const evidence = await verifier.verify(postmasterOf(name), "smtp", { isUrgent: true });
    const complaint = domainSyntaxError(evidence);
    if (complaint !== undefined) throw badUsage(complaint);
    if (evidence.failure !== undefined) throw new Error(evidence.failure);
    const responseTimeMs = performance.now() - started;
    return domainReportOf(evidence, { requestId: randomUUID(), planTier: "local", responseTimeMs });
  } finally {
    await verifier.close();
  }
}
