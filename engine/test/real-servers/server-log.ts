/**
 * What a mail server's own log says about our sessions: their number, how each of them ended, and whether they were
 * encrypted. Each server has its own log format.
 */

export type LoggedSessions = {
  connections: number;
  /** Sessions that ended with QUIT. */
  quits: number;
  /** Sessions under TLS; undefined where the log does not say. */
  encrypted: number | undefined;
  /** Lines in which the server reports a problem: lost connection, timeout, dropped, not encrypted. */
  problems: string[];
};

export type LogWords = {
  connection: RegExp;
  quit: RegExp;
  encrypted: RegExp | undefined;
  problem: RegExp;
  /** A session beyond what the server answers without a delay, by the counts in this line. */
  isDelayed?: (line: string) => boolean;
};

const POSTFIX = {
  connection: /smtpd\[\d+\]: connect from/,
  quit: /smtpd\[\d+\]: disconnect from .* quit=1/,
  encrypted: /smtpd\[\d+\]: disconnect from .* starttls=1/,
  problem: /lost connection|timeout after|too many errors|improper command|SSL_accept|PREGREET|HANGUP/,
  isDelayed: isDelayedByPostfix,
} as const satisfies LogWords;

export const LOG_WORDS = {
  postfix: POSTFIX,
  dovecot: POSTFIX,
  exim: {
    connection: /SMTP connection from .*TCP\/IP connection count/,
    quit: /SMTP connection from .* closed by QUIT/,
    encrypted: undefined, // it logs the cipher with each rejection, so a rejection without one is the problem
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
} as const satisfies Record<string, LogWords>;

/** sealed-machine.ts waits for the banner from this address; its session may be logged during the first trial. */
const NOT_THE_ENGINE = /\b127\.0\.0\.1\b/;

export function sessionsIn(log: string, words: LogWords): LoggedSessions {
  const lines = log.split("\n").filter((line) => !NOT_THE_ENGINE.test(line));
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  return {
    connections: count(words.connection),
    quits: count(words.quit),
    encrypted: words.encrypted && count(words.encrypted),
    problems: lines.filter((line) => words.problem.test(line) || words.isDelayed?.(line)),
  };
}

/**
 * `disconnect from … mail=3 rcpt=5/14 …`: after ten rejections or a hundred transactions, every reply is delayed by a
 * second.
 */
function isDelayedByPostfix(line: string): boolean {
  const [, accepted, asked] = / rcpt=(\d+)\/(\d+)/.exec(line) ?? [];
  return Number(asked) - Number(accepted) >= 10 || / mail=(\d+\/)?\d{3}/.test(line);
}
