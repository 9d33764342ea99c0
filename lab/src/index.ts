/** Simulated mail internet on loopback, for tests, demos and benchmarks. */

export * from "./dns-temperament.ts";
export { type Lab, openLab } from "./lab.ts";
export * from "./mail/index.ts";
export {
  type HostOptions,
  type LabDomain,
  type LabHost,
  type MailDomainOptions,
  type MailWorld,
  mailDomain,
  mailHost,
} from "./mail-world.ts";
export { bindBoth, type ReceivedQuery } from "./name-server.ts";
export { SAMPLE_WORLD, SAMPLES, type Sample } from "./sample-world.ts";
export type { DnsEntry, World } from "./zone.ts";
