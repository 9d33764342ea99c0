/**
 * Provider profiles: the limits to start with at each provider's mail hosts.
 *
 * Data only. throttle-state.ts lowers concurrency after rate-limit replies, learned-limits.ts keeps what a host has shown
 * beyond that.
 */

export type ProviderProfile = {
  /** Concurrent connections from one source address. */
  connections: number;
  /** The limit applies to all hosts of the provider together, not to each of them. */
  isShared: boolean;
  /** Recipients in one session, and in one transaction. */
  recipientsPerSession: number;
  recipientsPerTransaction: number;
  /** Recipients of different domains must not share a transaction. */
  oneDomainPerTransaction: boolean;
  /** Recipients of the first batch at a host, of the second, and so on; the last is for all others. */
  batches: readonly number[];
  /** Refused recipients after which the session quits, before the server ends it. */
  refusalsPerSession: number;
  /** The most that are tried where the host shows no such limit. */
  maxRefusalsPerSession: number;
  /** Maximum duration of a session. */
  lifetimeMs: number;
  /** Delay between the starts of two sessions. */
  gapMs: number;
  /** When to retry after a greylisting reply that names no time. */
  greylistSeconds: number;
  /** Its domains are never catch-all. If a decoy is accepted, the answers are no longer reliable. */
  isNeverCatchAll: boolean;
  /** The decoy is sent again after this many cached uses, in case the answers became unreliable. */
  acceptancesPerDecoy: number;
};

/** Postfix slows down after 10 errors and closes at 20; common Exim configurations are similar. */
const DEFAULT: ProviderProfile = {
  connections: 1,
  isShared: false,
  recipientsPerSession: 500,
  recipientsPerTransaction: 90, // RFC 5321, 4.5.3.1.8 requires 100
  oneDomainPerTransaction: false,
  batches: [5, 10, 20, 40],
  refusalsPerSession: 9,
  maxRefusalsPerSession: 19,
  lifetimeMs: 5 * 60_000,
  gapMs: 0,
  greylistSeconds: 360,
  isNeverCatchAll: false,
  acceptancesPerDecoy: 1000,
};

/** Large providers detect dictionary attacks: one target and one decoy per session, at most three recipients. */
const LARGE: ProviderProfile = {
  ...DEFAULT,
  isShared: true,
  recipientsPerSession: 3,
  recipientsPerTransaction: 3,
  oneDomainPerTransaction: true,
  batches: [3],
  refusalsPerSession: 3,
  maxRefusalsPerSession: 3,
  lifetimeMs: 60_000,
  gapMs: 200,
  acceptancesPerDecoy: 25,
};

/** Mail filters in front of the hosts of many companies. */
const FILTER: ProviderProfile = {
  ...DEFAULT,
  connections: 5,
  batches: [5, 10, 20],
  maxRefusalsPerSession: DEFAULT.refusalsPerSession,
  recipientsPerSession: 90,
  recipientsPerTransaction: 20,
};

const PROFILES: Readonly<Record<string, ProviderProfile>> = {
  google: { ...LARGE, connections: 2, isNeverCatchAll: true },
  google_workspace: { ...LARGE, connections: 2 },
  microsoft_365: { ...LARGE, connections: 2 },
  outlook: { ...LARGE, connections: 2, recipientsPerTransaction: 1, isNeverCatchAll: true },
  yahoo: LARGE,
  icloud: LARGE,
  gmx: LARGE,
  web_de: LARGE,
  mail_com: LARGE,
  ionos: { ...LARGE, connections: 2 },
  mail_ru: { ...LARGE, connections: 2 },
  yandex: { ...LARGE, connections: 2 },
  qq: LARGE,
  tencent_exmail: LARGE,
  netease: LARGE,
  orange: LARGE,
  laposte: LARGE,
  sfr: LARGE,
  mimecast: { ...FILTER, greylistSeconds: 90 },
  proofpoint: FILTER,
  barracuda: FILTER,
  cisco_ironport: FILTER,
};

/** The profile of a provider by its slug. `connections` replaces the limit of the default profile. */
export function profileOf(provider: string, connections?: number): ProviderProfile {
  return PROFILES[provider] ?? (connections === undefined ? DEFAULT : defaultWith(connections));
}

const defaults = new Map<number, ProviderProfile>();

/** The same object each time: a thread sends it once for all hosts of a batch of messages. */
function defaultWith(connections: number): ProviderProfile {
  let profile = defaults.get(connections);
  if (!profile) {
    profile = { ...DEFAULT, connections };
    defaults.set(connections, profile);
  }
  return profile;
}
