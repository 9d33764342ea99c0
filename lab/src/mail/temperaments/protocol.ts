/** Protocol features: EHLO, pipelining, SMTPUTF8, STARTTLS. */
import type { Temperament, TlsMode } from "../temperament.ts";

/** Supports HELO only. */
export const noEhlo: Temperament = { on: { ehlo: () => ({ reply: "500 5.5.1 Command unrecognized" }) } };

export const noPipelining: Temperament = { extensions: { without: ["PIPELINING"] } };

/**
 * Fails when a command arrives before the reply to the previous one, even if PIPELINING is offered: closes with an
 * error, like Exim, or ignores the command.
 */
export const breaksWhenPipelined = (
  options: { by: "leaving" | "losing" } = { by: "leaving" },
): Temperament => ({
  on: {
    command(session) {
      if (!session.early) return undefined;
      if (options.by === "losing") return { silent: true };
      return { reply: "554 SMTP synchronization error", close: "politely" };
    },
  },
});

/** Accepts no non-ASCII address. */
export const noSmtpUtf8: Temperament = { extensions: { without: ["SMTPUTF8"] } };

/**
 * Offers STARTTLS with a self-signed or expired certificate, with obsolete TLS versions only, or with a handshake that
 * is garbled or never answered.
 */
export const offersTls = (mode: TlsMode = "self_signed"): Temperament => ({ tls: mode });

/** Offers STARTTLS, then fails. */
export const failsToStartTls: Temperament = {
  tls: "self_signed",
  on: { starttls: () => ({ reply: "454 4.7.0 TLS not available due to local problem" }) },
};

/** Accepts MAIL over TLS only. Combine with `offersTls` before it to choose the TLS mode. */
export const requiresTls: Temperament = {
  tls: "self_signed",
  on: {
    mail: ({ secure }) => (secure ? undefined : { reply: "530 5.7.0 Must issue a STARTTLS command first" }),
  },
};
