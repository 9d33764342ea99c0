/**
 * What a mail server's own log says about our visits: how many there were, how each of them ended, and
 * whether they were encrypted. Each server has its own words for that.
 */

export type Visits = {
  connections: number;
  /** Visits that ended with our QUIT. */
  quits: number;
  /** Visits under TLS; undefined where the log does not say. */
  encrypted: number | undefined;
  /** Lines in which the server complains: cut off, timed out, shown out, spoken to in the clear. */
  complaints: string[];
};

export type LogWords = {
  connection: RegExp;
  quit: RegExp;
  encrypted: RegExp | undefined;
  complaint: RegExp;
  /** A session that went beyond what the server answers without a delay, by the counts in this line. */
  isDelayed?: (line: string) => boolean;
};

const POSTFIX = {
  connection: /smtpd\[\d+\]: connect from/,
  quit: /smtpd\[\d+\]: disconnect from .* quit=1/,
  encrypted: /smtpd\[\d+\]: disconnect from .* starttls=1/,
  complaint: /lost connection|timeout after|too many errors|improper command|SSL_accept|PREGREET|HANGUP/,
  isDelayed: isDelayedByPostfix,
} as const satisfies LogWords;

export const LOG_WORDS = {
  postfix: POSTFIX,
  dovecot: POSTFIX,
  exim: {
    connection: /SMTP connection from .*TCP\/IP connection count/,
    quit: /SMTP connection from .* closed by QUIT/,
    encrypted: undefined, // it notes the cipher with what it refuses, so a refusal without one is the complaint
    complaint:
      /SMTP connection from .* lost|timeout|too many|protocol error|syntax error|dropped|rejected RCPT(?<! X=TLS.*)/,
  },
  opensmtpd: {
    connection: /smtp connected/,
    quit: /smtp disconnected reason=quit/,
    encrypted: /smtp tls ciphers=/,
    complaint: /smtp disconnected reason=(?!quit)/,
  },
  sendmail: {
    connection: /NOQUEUE: connect from/,
    quit: /<-- QUIT/,
    encrypted: /STARTTLS=server, relay=.* version=/,
    complaint:
      /lost input channel|timeout waiting|did not issue MAIL|possible SMTP attack|rejecting commands|improper command/,
  },
  mailfront: {
    connection: /tcpsvd: info: start/,
    quit: /^QUIT\r?$/,
    encrypted: undefined,
    complaint: /tcpsvd: info: end \d+ (?!exit 0)|tcpsvd: (warning|fatal)|Timeout|Not implemented/,
  },
  courier: {
    connection: /courieresmtpd: started,/,
    quit: /courieresmtpd:.*QUIT/,
    encrypted: /courieresmtpd:.*STARTTLS/,
    complaint: /courieresmtpd:.*(Timeout|unexpected|Connection reset|too many)/i,
  },
} as const satisfies Record<string, LogWords>;

export function visitsIn(log: string, words: LogWords): Visits {
  const lines = log.split("\n");
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  return {
    connections: count(words.connection),
    quits: count(words.quit),
    encrypted: words.encrypted && count(words.encrypted),
    complaints: lines.filter((line) => words.complaint.test(line) || words.isDelayed?.(line)),
  };
}

/** `disconnect from … mail=3 rcpt=5/14 …`: ten refusals or a hundred transactions, and every reply waits a second. */
function isDelayedByPostfix(line: string): boolean {
  const [, accepted, asked] = / rcpt=(\d+)\/(\d+)/.exec(line) ?? [];
  return Number(asked) - Number(accepted) >= 10 || / mail=(\d+\/)?\d{3}/.test(line);
}
