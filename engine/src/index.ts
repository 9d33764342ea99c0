export { LEVELS, type Level } from "@mailvet/contract/words";
export { parseAddress } from "./address/address.ts";
export { FifoQueue } from "./base/fifo-queue.ts";
export { linesOf } from "./base/line-reader.ts";
export { entriesUpTo } from "./base/lru-limit.ts";
export { mapByDomain } from "./base/map-by-domain.ts";
export { createSemaphore, type Semaphore } from "./base/semaphore.ts";
export {
  bandOf,
  type Calibration,
  type CalibrationCell,
  calibrateScore,
  calibrationFrom,
  predictedBounceRate,
} from "./calibration.ts";
export { createResolver, type Resolver, type ResolverOptions } from "./dns/resolver.ts";
export { BLOCKLIST_ZONES } from "./doctor/blocklists.ts";
export { type Doctor, doctorFrom } from "./doctor/doctor.ts";
export type { Diagnosis } from "./doctor/finding.ts";
export { type DomainRequest, domainReportOf, domainSyntaxError, postmasterOf } from "./domain-report.ts";
export { createEgressGuard, type EgressGuard } from "./egress/guard.ts";
export {
  DEFAULT_IDENTITY,
  type EgressIdentity,
  originOf,
  partsOfLimiterKey,
} from "./egress/identity.ts";
export type { IdentityEntry } from "./egress/identity-file.ts";
export { isInRange, parseIp, parseIpRange } from "./egress/ip-range.ts";
export type { DnsLookupEvent, NetworkEvent, SmtpSessionEvent } from "./egress/network-event.ts";
export {
  type CheckOptions,
  createEngine,
  type Engine,
  type EngineOptions,
  engineFrom,
  freshResultOf,
  InvalidDomain,
} from "./engine.ts";
export type { Evidence, KnownOutcome, MailboxFinding } from "./evidence.ts";
export { resolverFrom } from "./network-stages.ts";
export {
  ADJUDICATION_REASONS,
  type Adjudication,
  type AdjudicationReason,
} from "./plausibility/adjudication.ts";
export { type MailboxesAt, suggestKnownDomain } from "./plausibility/domain-typo.ts";
export {
  loadNameModel,
  type NameModel,
  type NameScore,
  type NameSignal,
} from "./plausibility/name-model/name-model.ts";
export {
  emptyTally,
  fitOf,
  type PatternFit,
  type PatternTally,
  TEMPLATES,
  type Template,
  tallyOf,
  withMailbox,
} from "./plausibility/naming-pattern.ts";
export {
  hasNamingPattern,
  hasScorableName,
  isAmbiguous,
  type Plausibility,
  plausibilityOf,
} from "./plausibility/plausibility.ts";
export type { ListOrigin } from "./reference/disposable.ts";
export { type RefreshResult, refreshLists } from "./reference/list-refresh.ts";
export { mailProviderOf } from "./reference/mail-provider.ts";
export { listItemOf, type ReportRequest, reportOf } from "./report.ts";
export { verdictScore } from "./score.ts";
export {
  ALIAS_PREFIX,
  BadSettings,
  type EngineSettings,
  type Environment,
  FILE_SUFFIX,
  isServiceLink,
  readEngineSettings,
  type SettingsReader,
  settingsFrom,
} from "./settings.ts";
export { type ExplainedReply, explainReply, type ReplyContext } from "./smtp/explain-reply.ts";
export {
  type MailboxFact,
  type Meaning,
  REPLY_STAGES,
  type ReplyCategory,
  type ReplyStage,
  readReply,
} from "./smtp/meaning.ts";
export { parseReply, type Reply } from "./smtp/reply.ts";
export { EgressHealth } from "./smtp/throttle/egress-health.ts";
export {
  type HostLimiter,
  type HostLimiterFor,
  LocalHostLimiter,
  SlotWaiters,
} from "./smtp/throttle/host-limiter.ts";
export {
  HostMemories,
  type HostMemoryEntry,
  hostMemoryKey,
  MAX_HOST_MEMORIES,
} from "./smtp/throttle/host-memories.ts";
export type { ProviderProfile } from "./smtp/throttle/provider-profile.ts";
export { profileOf } from "./smtp/throttle/provider-profile.ts";
export {
  type GateRefusal,
  RememberedRefusal,
  type SessionGate,
  type SessionGateFor,
} from "./smtp/throttle/session-gate.ts";
export {
  initialThrottleState,
  isUnthrottled,
  nextThrottleState,
  type OpenBreaker,
  openBreakerOf,
  type ThrottleEvent,
  type ThrottleState,
} from "./smtp/throttle/throttle-state.ts";
export type { ThreadExit } from "./threads/engine-threads.ts";
export { timeoutEvidence } from "./timeout-evidence.ts";
export { decide, isUnproven, refusalOfUs, type Verdict } from "./verdict.ts";
export {
  type Check,
  type CheckPriority,
  CONCURRENCY,
  type DeploymentKnowledge,
  type SharedParts,
  type Verifier,
  verifierFrom,
} from "./verifier.ts";
