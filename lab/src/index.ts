/** A small mail internet on loopback, for tests, demonstrations and measurements. */

export { type Lab, openLab } from "./lab.ts";
export * from "./mail/index.ts";
export {
  type HostOptions,
  type MailDomain,
  type MailDomainOptions,
  type MailHost,
  type MailWorld,
  mailDomain,
  mailHost,
} from "./mail-world.ts";
export type { HeardQuestion } from "./name-server.ts";
export * from "./name-temper.ts";
export { RCODE, type Rcode } from "./rcode.ts";
export { SAMPLES, type Sample, STANDING_WORLD } from "./standing-world.ts";
export type { NameEntry, World } from "./zone.ts";
