/** The API role: all middleware and routes, with the parts they need. */
import type { FastifyInstance } from "fastify";
import { createPresentAccount } from "./accounts/present-account.ts";
import type { Config } from "./config.ts";
import { statementOf } from "./credits/statement.ts";
import { buildApp } from "./http/app.ts";
import { createSessionCookie } from "./http/middleware/session-cookie.ts";
import { aboutRoutes } from "./http/routes/about-routes.ts";
import { accountRoutes } from "./http/routes/account-routes.ts";
import { auditRoutes } from "./http/routes/audit-routes.ts";
import { authRoutes } from "./http/routes/auth-routes.ts";
import { creditRoutes } from "./http/routes/credit-routes.ts";
import { domainRoutes } from "./http/routes/domain-routes.ts";
import { feedbackRoutes } from "./http/routes/feedback-routes.ts";
import { jobRoutes } from "./http/routes/job-routes.ts";
import { keyRoutes } from "./http/routes/key-routes.ts";
import { lifecycleRoutes } from "./http/routes/lifecycle-routes.ts";
import { listRoutes } from "./http/routes/list-routes.ts";
import { mcpRoutes } from "./http/routes/mcp/mcp-routes.ts";
import { operatorJobRoutes } from "./http/routes/operator-job-routes.ts";
import { operatorKeyRoutes } from "./http/routes/operator-key-routes.ts";
import { operatorRoutes } from "./http/routes/operator-routes.ts";
import { reacherRoutes } from "./http/routes/reacher/reacher-routes.ts";
import { systemRoutes } from "./http/routes/system-routes.ts";
import { uploadRoutes } from "./http/routes/upload-routes.ts";
import { validationRoutes } from "./http/routes/validation-routes.ts";
import { webhookRoutes } from "./http/routes/webhook-routes.ts";
import type { WorkerAppDeps } from "./http/worker-app.ts";
import { createStartListJob } from "./jobs/start/start-list-job.ts";
import { createAccountLimits } from "./request-limits/account-limits.ts";
import { type Parts, version } from "./shared-parts.ts";
import { createEstimateUpload } from "./uploads/estimate.ts";

/** The HTTP server of the roles "all" and "api". */
export function buildApiRole(config: Config, parts: Parts, watched: WorkerAppDeps): FastifyInstance {
  const { database, ledger, apiKeys, sessions, credentialWatch, accounts, mailer, webhooks } = parts;
  const { auditLog, validations, feedback, uploads, confirmUpload, files, watch, jobActions } = parts;
  const { usageExchange, idempotentResponses, system, deadLetters, tracing } = parts;
  const { lists, notifications, recheckJob, verdictCounts, repeatedWrites } = parts;
  const presentAccount = createPresentAccount(config.jobs);
  const cookie = createSessionCookie(config.publicUrl);
  const startListJob = createStartListJob({ uploads, confirmUpload, webhooks });
  const results = { database, inspect: validations.answers.inspect };
  const adapters = { validations, startListJob, results };
  return buildApp({
    ...watched,
    adapterRoutes: [
      mcpRoutes({ ...adapters, version }),
      ...(config.isReacherCompatible
        ? [reacherRoutes({ ...adapters, serverName: config.engine.egress[0]?.ehloName ?? "" })]
        : []),
    ],
    tracing,
    accountLimits: createAccountLimits(usageExchange),
    apiKeys,
    operatorKeys: parts.operatorKeys,
    sessions,
    credentialWatch,
    cookie,
    ledger,
    verdictCounts,
    repeatedWrites,
    idempotentResponses,
    version,
    routes: [
      validationRoutes({ validations }),
      domainRoutes({ validations }),
      uploadRoutes({
        uploads,
        confirmUpload,
        startListJob,
        estimateUpload: createEstimateUpload({ database, files, answers: validations.answers }),
        downloadLink: parts.downloadLink,
        maxUploadBytes: config.jobs.maxUploadBytes,
      }),
      jobRoutes({
        database,
        files,
        watch,
        inspect: validations.answers.inspect,
        actions: jobActions,
        recheckJob,
        log: watched.log,
      }),
      feedbackRoutes({ feedback, maxUploadBytes: config.jobs.maxUploadBytes }),
      listRoutes({ lists }),
      webhookRoutes({ webhooks }),
      aboutRoutes({
        name: "Mailvet",
        version,
        sign_up: config.signUp.mode,
        mail: mailer.reachesPeople,
        retention_days: config.jobs.retentionDays,
        max_csv_emails: config.jobs.maxEmailsPerFile,
        max_upload_bytes: config.jobs.maxUploadBytes,
      }),
      accountRoutes({ accounts, presentAccount, notifications }),
      creditRoutes({
        ledger,
        usageOf: parts.usage,
        statementOf: (accountId, wanted) => statementOf(database, accountId, wanted),
      }),
      keyRoutes({ apiKeys }),
      authRoutes({ accounts, sessions, cookie, publicUrl: config.publicUrl, presentAccount }),
      operatorKeyRoutes({ operatorKeys: parts.operatorKeys, accounts }),
      auditRoutes({ database, auditLog, accounts, log: watched.log }),
      operatorRoutes({ accounts, ledger, apiKeys, presentAccount, signUpCredits: config.signUp.credits }),
      lifecycleRoutes({
        database,
        accounts,
        presentAccount,
        lifecycle: parts.lifecycle,
        exportFiles: parts.exportFiles,
        cookie,
        log: watched.log,
      }),
      operatorJobRoutes({ database, actions: jobActions }),
      systemRoutes({ system, deadLetters }),
    ],
  });
}
