/**
 * Mutations that a test must detect: file, text that occurs in it exactly once, its replacement, and the nearest tests.
 * A survivor is a gap in the tests, or code that is not needed.
 *
 * @type {readonly (readonly [file: string, from: string, to: string, ...tests: string[]])[]}
 */
export const MUTATIONS = [
  // Verdicts: a live mailbox reported as invalid is the worst error.
  [
    "engine/src/verdict.ts",
    'accepted(e) && e.decoy?.answer === "not_found"',
    "accepted(e)",
    "engine/src/verdict.test.ts",
  ],
  ["engine/src/verdict.ts", '["mailbox_full", mailboxIs("full")],', "", "engine/src/verdict.test.ts"],
  [
    "engine/src/verdict.ts",
    '["dns_error", routeIs("dns_error")],',
    '["no_mail_server", routeIs("dns_error")],',
    "engine/src/verdict.test.ts",
  ],
  [
    "engine/src/verdict.ts",
    'status === "valid" && knownOutcome(evidence) !== "complained"',
    'status === "valid"',
    "engine/src/verdict.test.ts",
  ],
  [
    "engine/src/known-outcome.ts",
    "nowMs - outcome.reportedAtMs <",
    "nowMs - outcome.reportedAtMs >",
    "engine/src/verdict.test.ts",
  ],
  [
    "engine/src/timeout-evidence.ts",
    "!NOT_YET.has(decide(copy).subStatus)",
    "NOT_YET.has(decide(copy).subStatus)",
    "engine/src/timeout-evidence.test.ts",
  ],
  // Egress, DNS and SMTP parsing.
  ["engine/src/egress/guard.ts", "embeddedIpv4(bytes) ?? bytes", "bytes", "engine/src/egress/guard.test.ts"],
  ["engine/src/egress/guard.ts", '["169.254.0.0/16", "link-local"],', "", "engine/src/egress/guard.test.ts"],
  [
    "engine/src/smtp/client/reply-reader.ts",
    "if (this.#replyBytes > MAX_REPLY_BYTES)",
    "if (this.#replyBytes > 2 * MAX_REPLY_BYTES)",
    "engine/src/smtp/client/reply-reader.test.ts",
  ],
  [
    "engine/src/smtp/client/reply-reader.ts",
    "first !== undefined && !line.startsWith(first.slice(0, 3))",
    "false",
    "engine/src/smtp/client/reply-reader.test.ts",
  ],
  [
    "engine/src/smtp/client/reply-reader.ts",
    "    this.#replies = [];\n  }",
    "  }",
    "engine/src/smtp/client/reply-reader.test.ts",
  ],
  [
    "engine/src/smtp/catch-all.ts",
    "++known.acceptances <= acceptancesPerDecoy",
    "++known.acceptances < acceptancesPerDecoy",
    "engine/src/smtp/catch-all.test.ts",
  ],
  [
    "engine/src/smtp/catch-all.ts",
    "if (confidence > 0 && !isDoubtful) return REMEMBER_MS;",
    "return REMEMBER_MS;",
    "engine/src/smtp/catch-all.test.ts",
  ],
  [
    "engine/src/smtp/throttle/throttle-state.ts",
    "blocks < BLOCKS_TO_OPEN",
    "blocks <= BLOCKS_TO_OPEN",
    "engine/src/smtp/throttle/host-limiter.test.ts",
  ],
  [
    "engine/src/smtp/throttle/throttle-state.ts",
    "Math.max(1, Math.floor(was.limit / 2))",
    "Math.floor(was.limit / 2)",
    "engine/src/smtp/throttle/host-limiter.test.ts",
  ],
  [
    "engine/src/smtp/throttle/host-limiter.ts",
    "this.#waiters.count > 0 && this.#sessions < this.limit",
    "this.#waiters.count > 0 && this.#sessions <= this.limit",
    "engine/src/smtp/throttle/host-limiter.test.ts",
  ],
  [
    "engine/src/smtp/session/transaction-plan.ts",
    "transaction.recipients + group.length <= maxRecipients",
    "transaction.recipients + group.length < maxRecipients",
    "engine/src/smtp/session/transaction-plan.test.ts",
  ],
  [
    "engine/src/smtp/session/transaction-plan.ts",
    "limits.oneDomainPerTransaction && transaction.domain !== domain",
    "false",
    "engine/src/smtp/session/transaction-plan.test.ts",
  ],
  [
    "engine/src/smtp/probe-queue.ts",
    "if (request.isInteractive || request.hasEnded) return;",
    "if (request.isInteractive || !request.hasEnded) return;",
    "engine/src/smtp/probe-queue.test.ts",
  ],
  [
    "engine/src/smtp/probe-request.ts",
    "!NEXT_STATES[this.#state].includes(state)",
    "false",
    "engine/src/smtp/probe-request.test.ts",
  ],
  [
    "engine/src/smtp/session/session-controls.ts",
    "? index < confirmed",
    "? true",
    "engine/test/stories/controls.test.ts",
  ],
  [
    "engine/src/smtp/session/session-controls.ts",
    ": index < proven && this",
    ": this",
    "engine/test/stories/controls.test.ts",
  ],
  [
    "engine/src/smtp/session/session-controls.ts",
    'answers.madeUp === "refused" && !this.#deps.isExempt()',
    "false",
    "engine/test/stories/controls.test.ts",
  ],
  [
    "engine/src/smtp/session/session-controls.ts",
    "isRefusal(one) && one.isFirstOfHour && !isDoubtful",
    "isRefusal(one) && !isDoubtful",
    "engine/test/stories/controls.test.ts",
  ],
  [
    "engine/src/smtp/throttle/host-memory.ts",
    "this.refusals < TOLERATED_REFUSALS && !this.doubt",
    "this.refusals < 3 * TOLERATED_REFUSALS && !this.doubt",
    "engine/test/stories/controls.test.ts",
  ],
  // Names and addresses.
  [
    "engine/src/dns/answer-cache.ts",
    "known && remainingMs > 0",
    "known",
    "engine/src/dns/answer-cache.test.ts",
  ],
  [
    "engine/src/dns/answer-cache.ts",
    'if (answer.status === "closed") return answer;',
    "",
    "engine/src/dns/answer-cache.test.ts",
    "engine/test/dns-resolver.test.ts",
  ],
  [
    "engine/src/dns/response-to-answer.ts",
    "isReferral && records.length === 0",
    "records.length === 0 && false",
    "engine/src/dns/response-to-answer.test.ts",
    "engine/test/dns-implausible-answers.test.ts",
  ],
  [
    "engine/src/dns/mail-route.ts",
    "record.preference < known.preference",
    "record.preference > known.preference",
    "engine/test/dns-mail-route.test.ts",
  ],
  [
    "engine/src/base/semaphore.ts",
    "tenant.held < 4 * permitsNow() - 3 * held",
    "tenant.held <= 4 * permitsNow() - 3 * held",
    "engine/src/base/semaphore.test.ts",
  ],
  [
    "engine/src/list-file/csv-parser.ts",
    "if (isEmptyLine) continue;",
    "",
    "engine/src/list-file/csv-parser.test.ts",
  ],
  // Jobs and their tasks: nothing lost, nothing doubled.
  [
    "service/src/jobs/slice-save.ts",
    "if (!isSaved) throw new ClaimLost();",
    "",
    "service/test/jobs-run.test.ts",
  ],
  [
    "service/src/queue/tasks.ts",
    "return locked.length === 1;",
    "return true;",
    "service/test/queue-claims.test.ts",
  ],
  [
    "service/src/validations/retries.ts",
    "elapsedMs + delayMs > PATIENCE_MS",
    "delayMs > PATIENCE_MS",
    "service/src/validations/retries.test.ts",
  ],
  [
    "service/src/jobs/slice-cutter.ts",
    "open.length + ofDomain.length > MAX_SLICE_EMAILS",
    "open.length > MAX_SLICE_EMAILS",
    "service/src/jobs/slice-cutter.test.ts",
  ],
  [
    "service/src/jobs/job-state.ts",
    "if (transition) return transition;",
    "return transition ?? CANCEL;",
    "service/src/jobs/job-state.test.ts",
    "service/test/jobs-run-actions.test.ts",
  ],
  [
    "service/src/queue/tasks.ts",
    "boss.deleteJob(queue, turn, { db: inside(tx) })",
    "boss.deleteJob(queue, turn.id, { db: inside(tx) })",
    "service/test/queue-claims.test.ts",
  ],
  [
    "service/src/queue/feed.ts",
    "share.virtualTime += actual - cost;",
    "",
    "service/test/queue-claims.test.ts",
  ],
  // Authorisation and expiry.
  [
    "service/src/base/cached-lookup.ts",
    "      misses.clear();",
    "",
    "service/src/base/cached-lookup.test.ts",
    "service/src/keys/key-cache.test.ts",
  ],
  [
    "service/src/keys/key-cache.ts",
    "Date.now() < expiresAtMs ? key : undefined",
    "key",
    "service/src/keys/key-cache.test.ts",
  ],
  [
    "service/src/keys/last-used.ts",
    "for (const keyId of keyIds) waiting.delete(keyId);",
    "",
    "service/src/keys/last-used.test.ts",
  ],
  [
    "service/src/request-limits/token-buckets.ts",
    "Math.min(perMinute, bucket.tokens + refill)",
    "bucket.tokens + refill",
    "service/src/request-limits/token-buckets.test.ts",
  ],
  [
    "service/src/http/routes/pagination.ts",
    "skip + limit < total",
    "skip + limit <= total",
    "service/src/http/routes/pagination.test.ts",
  ],
  [
    "service/src/accounts/sessions.ts",
    "and s.expires_at > $2 and s.last_seen_at > $3",
    "and $2::timestamptz is not null and s.last_seen_at > $3",
    "service/test/accounts.test.ts",
  ],
  // Money: the lock, the limits, and what keeps a charge from being paid for nothing or used twice.
  [
    "service/migrations/0033_post.sql",
    "where x.account_id = a.account_id for update;",
    "where x.account_id = a.account_id;",
    "service/test/credits-concurrency.test.ts",
  ],
  [
    "service/migrations/0033_post.sql",
    "when a.amount <= most then 'written'",
    "when a.kind = 'refund' or a.amount <= most then 'written'",
    "service/test/credits-refunds.test.ts",
  ],
  [
    "service/src/credits/request-charge.ts",
    "...(isUncertain ? [this.charge()] : []), ",
    "",
    "service/test/credits-refunds.test.ts",
  ],
  [
    "service/src/credits/ledger.ts",
    "isUncertain ||= client !== undefined && isDatabaseUnavailable(error);",
    "",
    "service/test/credits-refunds.test.ts",
  ],
  [
    "service/src/http/middleware/idempotency.ts",
    "isSuccess || hasNoEffect || isCharged",
    "isSuccess || hasNoEffect",
    "service/test/settle-charges.test.ts",
  ],
  [
    "service/src/http/middleware/idempotency.ts",
    "if (request.charge) request.charge.isSettled = true;",
    "",
    "service/test/settle-charges.test.ts",
  ],
  [
    "service/src/idempotency/idempotent-responses.ts",
    "if (isWritten) await alongside(tx);",
    "await alongside(tx);",
    "service/test/settle-charges.test.ts",
  ],
  [
    "service/src/adjudication/breaker.ts",
    "this.#isHalfOpen = this.#failures >= FAILURES_IN_A_ROW;",
    "",
    "service/src/adjudication/breaker.test.ts",
  ],
  [
    "service/src/validations/freshness.ts",
    "Math.min(FRESH_MS.disposable, FRESH_MS[decide(rest).subStatus])",
    "FRESH_MS.disposable",
    "service/src/validations/freshness.test.ts",
  ],
  [
    "service/src/webhooks/retry-schedule.ts",
    "delaysMs[attempts - 1]",
    "delaysMs[attempts]",
    "service/src/webhooks/retry-schedule.test.ts",
    "service/test/webhooks-delivery.test.ts",
  ],
];
