export { createResolver, type Resolver, type ResolverOptions } from "./dns/resolver.ts";
export { type Doctor, doctorFrom } from "./doctor/doctor.ts";
export type { Finding } from "./doctor/finding.ts";
export { createEgressGuard, type EgressGuard } from "./egress/guard.ts";
export type { Evidence, MailboxFinding } from "./evidence.ts";
export { type RefreshResult, refreshLists } from "./reference/list-refresh.ts";
export { type Asking, reportOf } from "./report.ts";
export {
  BadSettings,
  type EngineSettings,
  type Environment,
  readEngineSettings,
  type SettingsReader,
  settingsFrom,
} from "./settings.ts";
export {
  type MailboxFact,
  type Meaning,
  REPLY_STAGES,
  type ReplyCategory,
  type ReplyStage,
  readReply,
} from "./smtp/meaning.ts";
export { LocalPace, type Pace, type PaceFor } from "./smtp/pace.ts";
export type { Profile } from "./smtp/profile.ts";
export { parseReply, type Reply } from "./smtp/reply.ts";
export {
  afterLesson,
  breakerOf,
  firstStanding,
  isUntroubled,
  type Lesson,
  type Standing,
} from "./smtp/standing.ts";
export { Visitors } from "./smtp/visitors.ts";
export { unsettled } from "./unsettled.ts";
export { decide, type Verdict } from "./verdict.ts";
export {
  type Check,
  createVerifier,
  type Haste,
  LEVELS,
  type Level,
  resolverFrom,
  type Verifier,
  type VerifierDeps,
  verifierFrom,
} from "./verifier.ts";
