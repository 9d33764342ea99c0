/**
 * How to behave at each provider's mail hosts: starting values, which pace.ts lowers when they complain and
 * host-limits.ts refines with what a host has taught us.
 */

export type ProviderProfile = {
  /** Connections at once from one address of ours. */
  connections: number;
  /** The limit holds for all hosts of the provider together, not for each of them. */
  isShared: boolean;
  /** Recipients asked for in one session, and under one MAIL command. */
  recipientsPerSession: number;
  recipientsPerTransaction: number;
  /** Recipients of different domains must not share a MAIL command. */
  oneDomainPerTransaction: boolean;
  /** Refused recipients after which we leave by ourselves, before the server shows us out. */
  refusalsPerSession: number;
  /** How long one session may last. */
  lifetimeMs: number;
  /** Rest between two sessions. */
  gapMs: number;
  /** When to come back after a greylisting reply that names no time. */
  greylistSeconds: number;
  /** Its domains take no made-up names. If one is accepted all the same, they no longer tell us the truth. */
  isNeverCatchAll: boolean;
  /** A made-up name is asked for again after this many acceptances, in case they stopped being honest with us. */
  acceptancesPerDecoy: number;
};

/** Postfix slows down after 10 errors and hangs up at 20; common Exim set-ups are alike. */
const ORDINARY: ProviderProfile = {
  connections: 1,
  isShared: false,
  recipientsPerSession: 500,
  recipientsPerTransaction: 90, // RFC 5321 asks for room for a hundred
  oneDomainPerTransaction: false,
  refusalsPerSession: 9,
  lifetimeMs: 5 * 60_000,
  gapMs: 0,
  greylistSeconds: 360,
  isNeverCatchAll: false,
  acceptancesPerDecoy: 1000,
};

/** A giant watches for dictionary attacks: one target and one made-up name, three at the most. */
const GIANT: ProviderProfile = {
  ...ORDINARY,
  isShared: true,
  recipientsPerSession: 3,
  recipientsPerTransaction: 3,
  oneDomainPerTransaction: true,
  refusalsPerSession: 3,
  lifetimeMs: 60_000,
  gapMs: 200,
  acceptancesPerDecoy: 25,
};

/** A filter in front of many companies' mail hosts. */
const FILTER: ProviderProfile = {
  ...ORDINARY,
  connections: 5,
  recipientsPerSession: 90,
  recipientsPerTransaction: 20,
};

const PROFILES: Readonly<Record<string, ProviderProfile>> = {
  google: { ...GIANT, connections: 2, isNeverCatchAll: true },
  google_workspace: { ...GIANT, connections: 2 },
  microsoft_365: { ...GIANT, connections: 2 },
  outlook: { ...GIANT, connections: 2, recipientsPerTransaction: 1, isNeverCatchAll: true },
  yahoo: GIANT,
  icloud: GIANT,
  gmx: GIANT,
  web_de: GIANT,
  mail_com: GIANT,
  ionos: { ...GIANT, connections: 2 },
  mail_ru: { ...GIANT, connections: 2 },
  yandex: { ...GIANT, connections: 2 },
  qq: GIANT,
  tencent_exmail: GIANT,
  netease: GIANT,
  orange: GIANT,
  laposte: GIANT,
  sfr: GIANT,
  mimecast: { ...FILTER, greylistSeconds: 90 },
  proofpoint: FILTER,
  barracuda: FILTER,
  cisco_ironport: FILTER,
};

/** The profile of a provider's slug. `connections` replaces the limit for hosts that have no profile of their own. */
export function profileOf(provider: string, connections?: number): ProviderProfile {
  return PROFILES[provider] ?? (connections === undefined ? ORDINARY : { ...ORDINARY, connections });
}
