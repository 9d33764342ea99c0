/** Actions of the audit log. Without schemas, so that the web app can include the table. */

/** Every action that is recorded, with the text that the web app shows. docs/audit-log.md has the same rows. */
export const AUDIT_ACTIONS = {
  "account.created": "Account created",
  "sign_in.succeeded": "Signed in",
  "sign_in.failed": "Sign-in failed",
  "sign_in.code_requested": "Two-factor code requested",
  "sign_in.code_failed": "Two-factor code rejected",
  sign_out: "Signed out",
  "session.ended": "Session ended",
  "password.changed": "Password changed",
  "password.reset_requested": "Password reset requested",
  "password.reset": "Password reset",
  "two_factor.enabled": "Two-factor sign-in enabled",
  "two_factor.disabled": "Two-factor sign-in disabled",
  "passkey.added": "Passkey added",
  "passkey.removed": "Passkey removed",
  "key.created": "API key created",
  "key.revoked": "API key revoked",
  "operator_key.created": "Operator key created",
  "operator_key.revoked": "Operator key revoked",
  "webhook.created": "Webhook created",
  "webhook.changed": "Webhook changed",
  "webhook.secret_rotated": "Webhook secret rotated",
  "webhook.disabled": "Webhook disabled after failures",
  "webhook.deleted": "Webhook deleted",
  "job.downloaded": "Job results downloaded",
  "job.deleted": "Job deleted",
  "feedback.deleted": "Delivery outcomes deleted",
  "plan.changed": "Plan changed",
  "credits.granted": "Credits granted or deducted",
  "dead_letter.redriven": "Dead letter redriven",
  "audit.exported": "Audit log exported",
} as const satisfies Record<string, string>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
