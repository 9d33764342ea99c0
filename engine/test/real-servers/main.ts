/**
 * The engine against mail servers as Debian packages them: `npm run try:servers [NAME…]`. SERVERS lists them.
 *
 * Installs each server in an isolated copy of this machine, runs a table of trials through the engine, and compares
 * verdicts and the server's own log with what is expected. Needs root and a Debian mirror, so it is a program and not
 * a test; the exit code is 1 if anything was not as expected.
 */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { decide, type Evidence, readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import { type Lab, type MailWorld, openLab } from "@mailvet/lab";
import { MAILBOXES } from "./mailboxes.ts";
import { openSealedMachine, type SealedMachine } from "./sealed-machine.ts";
import { LOG_WORDS, type LoggedSessions, sessionsIn } from "./server-log.ts";
import { type Trial, type TrialSet, trialsOf } from "./trials.ts";

const PORT = 2626;
const SHOWN_FAULTS = 8;
const LOG_MS = 60_000;
const LOOK_MS = 200;
/** Servers trust 127.0.0.1 and relay for it; this address is not trusted. */
const SOURCE_ADDRESS = "127.26.9.9";

/** Where each server listens; the first address is its main one, the others are named in EXTRA_ENDPOINTS. */
const SERVERS = {
  postfix: {
    script: "postfix",
    addresses: ["127.26.1.1", "127.26.1.2", "127.26.1.3", "127.26.1.4", "127.26.1.5"],
  },
  exim: { script: "exim", addresses: ["127.26.2.1"] },
  opensmtpd: { script: "opensmtpd", addresses: ["127.26.3.1", "127.26.3.2"] },
  "opensmtpd-backports": {
    script: "opensmtpd",
    addresses: ["127.26.3.1", "127.26.3.2"],
    release: "backports",
  },
  sendmail: { script: "sendmail", addresses: ["127.26.4.1"] },
  courier: { script: "courier", addresses: ["127.26.5.1", "127.26.5.2"] },
  mailfront: { script: "mailfront", addresses: ["127.26.7.1", "127.26.7.2"] },
  dovecot: { script: "dovecot", addresses: ["127.26.6.1", "127.26.6.2", "127.26.6.3"] },
} as const satisfies Record<TrialSet, { script: Script; addresses: readonly string[]; release?: string }>;
type Script = keyof typeof LOG_WORDS;

const EXTRA_ENDPOINTS: Record<Script, readonly string[]> = {
  postfix: ["grey", "screened", "verified", "sober"],
  exim: [],
  opensmtpd: ["secure"],
  sendmail: [],
  courier: ["tarpit"],
  mailfront: ["unchecked"],
  dovecot: ["default", "quota"],
};

const mx = (exchange: string) => ({ MX: [{ preference: 10, exchange }] });

/**
 * Everything under S.test is served at the main address of S, except for the domains named after its other addresses.
 */
const WORLD: MailWorld = Object.fromEntries(
  Object.values(SERVERS).flatMap(({ script, addresses: [main, ...others] }) => [
    [`${script}.test`, mx(`mx.${script}.test`)],
    [`*.${script}.test`, mx(`mx.${script}.test`)],
    [`*.many.${script}.test`, mx(`mx.${script}.test`)],
    [`mx.${script}.test`, { A: [main] }],
    ...EXTRA_ENDPOINTS[script].flatMap((endpoint, index) => [
      [`${endpoint}.${script}.test`, mx(`mx.${endpoint}.${script}.test`)],
      [`mx.${endpoint}.${script}.test`, { A: [others[index]!] }],
    ]),
  ]),
);

type Outcome = { evidence: Evidence[]; wrong: string[]; seconds: number; sessions: LoggedSessions };

const chosen = process.argv.slice(2);
const all = Object.keys(SERVERS) as TrialSet[];
await using lab = await openLab(WORLD);
for (const name of all.filter((one) => chosen.length === 0 || chosen.includes(one)))
  await tryServer(name, lab);

async function tryServer(name: TrialSet, lab: Lab): Promise<void> {
  const { script, addresses, ...more } = SERVERS[name];
  await using machine = await openSealedMachine({
    hostName: `mx.${script}.test`,
    setUp: join(import.meta.dirname, `${script}.sh`),
    setUpArguments: Object.values(more),
    mailboxes: MAILBOXES,
    endpoints: addresses.map((address) => ({ address, port: PORT })),
  });
  console.log(`\n${name} ${machine.version}`);
  console.log("   addresses  connections  quit  TLS  seconds  trial");
  const replies = new Map<string, string>();
  for (const trial of trialsOf(name)) {
    const outcome = await undergo(trial, script, machine, lab);
    show(trial, outcome);
    for (const one of outcome.evidence) collectReply(replies, one);
  }
  console.log("   what it said:");
  for (const [reply, answer] of replies) console.log(`   ${answer.padEnd(20)} ${reply}`);
}

async function undergo(trial: Trial, script: Script, machine: SealedMachine, lab: Lab): Promise<Outcome> {
  await pause(trial.afterMs);
  const logBefore = (await machine.log()).length;
  const start = performance.now();
  const verifier = verifierFrom(
    readEngineSettings(
      settingsFrom({
        ...lab.env,
        SMTP_PORT: String(PORT),
        SOURCE_ADDRESS,
        EHLO_NAME: "probe.prober.test",
        MAIL_FROM: "probe@prober.test",
      }),
    ),
  );
  const evidence: Evidence[] = [];
  for await (const one of verifier.verifyMany(trial.emails, "smtp")) evidence.push(one);
  const seconds = (performance.now() - start) / 1000;
  await verifier.close();
  const wrong = evidence.flatMap((one) => {
    const { subStatus } = decide(one);
    const expected = trial.expected(one.email);
    if (subStatus === expected) return [];
    return [
      `${one.email}: ${subStatus || "valid"} instead of ${expected || "valid"}: ${one.mailbox?.reply?.text}`,
    ];
  });
  const sessions = await untilAllEnded(async () =>
    sessionsIn((await machine.log()).slice(logBefore), LOG_WORDS[script]),
  );
  return { evidence, wrong, seconds, sessions };
}

/** The log is written a little after the last reply: read it until every connection in it has ended. */
async function untilAllEnded(read: () => Promise<LoggedSessions>): Promise<LoggedSessions> {
  const deadline = performance.now() + LOG_MS;
  for (;;) {
    const sessions = await read();
    const { connections, quits, problems } = sessions;
    if (connections > 0 && quits + problems.length >= connections) return sessions;
    if (performance.now() > deadline) return sessions;
    await pause(LOOK_MS);
  }
}

function show(trial: Trial, outcome: Outcome): void {
  const { seconds, sessions } = outcome;
  const cells = [
    String(trial.emails.length).padStart(9),
    String(sessions.connections).padStart(11),
    String(sessions.quits).padStart(4),
    String(sessions.encrypted ?? "?").padStart(3),
    seconds.toFixed(2).padStart(7),
  ];
  const faults = faultsOf(trial, outcome);
  if (faults.length > 0) process.exitCode = 1;
  console.log(`${faults.length > 0 ? "BAD" : "ok "}${cells.join("  ")}  ${trial.title}`);
  for (const fault of faults.slice(0, SHOWN_FAULTS)) console.log(`       ${fault}`);
  if (faults.length > SHOWN_FAULTS) console.log(`       … ${faults.length} in all`);
}

/** Everything unexpected, wrong verdicts first. */
function faultsOf(trial: Trial, { evidence, wrong, sessions }: Outcome): string[] {
  const { connections, quits, encrypted = connections } = sessions;
  const problems = sessions.problems.filter((line) => !trial.excuses?.test(line));
  const excused = sessions.problems.length - problems.length;
  const missing = trial.emails.length - evidence.length;
  return [
    ...(missing > 0 ? [`${missing} without a verdict`] : []),
    ...wrong,
    ...(quits + excused < connections ? [`${connections - quits - excused} visits without QUIT`] : []),
    ...(trial.isEncrypted && encrypted < connections
      ? [`${connections - encrypted} visits in the clear`]
      : []),
    ...(connections > trial.atMostConnections ? [`more than ${trial.atMostConnections} connections`] : []),
    ...problems,
  ];
}

/** One line per distinct reply. */
function collectReply(replies: Map<string, string>, { mailbox, email }: Evidence): void {
  if (!mailbox?.reply) return;
  const { code, enhanced, text } = mailbox.reply;
  const plain = text.replaceAll(email, "ADDRESS").replaceAll(`<${email.split("@")[0]}>`, "<NAME>");
  replies.set(`${code} ${enhanced === undefined ? "" : `${enhanced} `}${plain}`, mailbox.answer);
}
