/**
 * Counts our sessions in a mail server's own log: how many there were, how they ended, and whether they were encrypted.
 * Each server has its own log format.
 */

export type SessionCounts = {
  connections: number;
  /** Sessions that ended with QUIT. */
  quits: number;
  /** Sessions with TLS; undefined where the log does not show it. */
  encrypted: number | undefined;
  /** Lines that report a problem: lost connection, timeout, too many errors, plain text. */
  problems: string[];
};

export type LogPatterns = {
  connection: RegExp;
  quit: RegExp;
  encrypted: RegExp | undefined;
  problem: RegExp;
  /** Whether the counts in this line show that the server delayed its replies. */
  isDelayed?: (line: string) => boolean;
};

const POSTFIX = {
  connection: /smtpd\[\d+\]: connect from/,
  quit: /smtpd\[\d+\]: disconnect from .* quit=1/,
  encrypted: /smtpd\[\d+\]: disconnect from .* starttls=1/,
  problem: /lost connection|timeout after|too many errors|improper command|SSL_accept|PREGREET|HANGUP/,
  isDelayed: isDelayedByPostfix,
} as const satisfies LogPatterns;

export const LOG_PATTERNS = {
  postfix: POSTFIX,
  dovecot: POSTFIX,
  exim: {
    connection: /SMTP connection from .*TCP\/IP connection count/,
    quit: /SMTP connection from .* closed by QUIT/,
    encrypted: undefined, // the cipher is logged with each refusal, so a refusal without one is a problem
    problem:
      /SMTP connection from .* lost|timeout|too many|protocol error|syntax error|dropped|rejected RCPT(?<! X=TLS.*)/,
  },
  opensmtpd: {
    connection: /smtp connected/,
    quit: /smtp disconnected reason=quit/,
    encrypted: /smtp tls ciphers=/,
    problem: /smtp disconnected reason=(?!quit)/,
  },
  sendmail: {
    connection: /NOQUEUE: connect from/,
    quit: /<-- QUIT/,
    encrypted: /STARTTLS=server, relay=.* version=/,
    problem:
      /lost input channel|timeout waiting|did not issue MAIL|possible SMTP attack|rejecting commands|improper command/,
  },
  mailfront: {
    connection: /tcpsvd: info: start/,
    quit: /^QUIT\r?$/,
    encrypted: undefined,
    problem: /tcpsvd: info: end \d+ (?!exit 0)|tcpsvd: (warning|fatal)|Timeout|Not implemented/,
  },
  courier: {
    connection: /courieresmtpd: started,/,
    quit: /courieresmtpd:.*QUIT/,
    encrypted: /courieresmtpd:.*STARTTLS/,
    problem: /courieresmtpd:.*(Timeout|unexpected|Connection reset|too many)/i,
  },
} as const satisfies Record<string, LogPatterns>;

export function countSessions(log: string, patterns: LogPatterns): SessionCounts {
  const lines = log.split("\n");
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  return {
    connections: count(patterns.connection),
    quits: count(patterns.quit),
    encrypted: patterns.encrypted && count(patterns.encrypted),
    problems: lines.filter((line) => patterns.problem.test(line) || patterns.isDelayed?.(line)),
  };
}

/** `disconnect from … mail=3 rcpt=5/14 …`: after ten errors or a hundred transactions every reply takes a second. */
function isDelayedByPostfix(line: string): boolean {
  const [, accepted, total] = / rcpt=(\d+)\/(\d+)/.exec(line) ?? [];
  return Number(total) - Number(accepted) >= 10 || / mail=(\d+\/)?\d{3}/.test(line);
}
