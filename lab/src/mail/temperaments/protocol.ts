/** Temperaments about what a server can do: EHLO, pipelining, SMTPUTF8, STARTTLS. */
import type { Temperament, TlsManner } from "../temperament.ts";

/** Has never heard of EHLO; HELO works. */
export const noEhlo: Temperament = { on: { ehlo: () => ({ reply: "500 5.5.1 Command unrecognized" }) } };

export const noPipelining: Temperament = { extensions: { without: ["PIPELINING"] } };

/**
 * Cannot bear a command that comes before its reply to the last one, offered or not: it either leaves with
 * a complaint, as Exim does, or loses what came early and lets the client wait.
 */
export const breaksWhenPipelined = (
  options: { by: "leaving" | "losing" } = { by: "leaving" },
): Temperament => ({
  on: {
    command(visit) {
      if (!visit.early) return undefined;
      if (options.by === "losing") return { silent: true };
      return { reply: "554 SMTP synchronization error", close: "politely" };
    },
  },
});

/** Takes no address outside ASCII. */
export const noSmtpUtf8: Temperament = { extensions: { without: ["SMTPUTF8"] } };

/**
 * Offers STARTTLS. The certificate is signed by itself, or ran out years ago; or only obsolete versions
 * of TLS are spoken; or the handshake is garbled, or never answered.
 */
export const offersTls = (manner: TlsManner = "self_signed"): Temperament => ({ tls: manner });

/** Offers STARTTLS and is then not able to. */
export const failsToStartTls: Temperament = {
  tls: "self_signed",
  on: { starttls: () => ({ reply: "454 4.7.0 TLS not available due to local problem" }) },
};

/** Talks about mail over TLS only. How TLS itself goes can be said by `offersTls` before it. */
export const requiresTls: Temperament = {
  tls: "self_signed",
  on: {
    mail: ({ secure }) => (secure ? undefined : { reply: "530 5.7.0 Must issue a STARTTLS command first" }),
  },
};
