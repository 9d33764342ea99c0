export { type Doctor, doctorFrom } from "./doctor/doctor.ts";
export type { Finding } from "./doctor/finding.ts";
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
export { parseReply } from "./smtp/reply.ts";
export { unsettled } from "./unsettled.ts";
export { decide, type Verdict } from "./verdict.ts";
export {
  type Check,
  createVerifier,
  type Haste,
  LEVELS,
  type Level,
  type Verifier,
  type VerifierDeps,
  verifierFrom,
} from "./verifier.ts";
