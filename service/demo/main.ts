/**
 * `npm run demo`: the service with everything to look at, and nobody outside to ask. Its mail internet is the lab, on
 * loopback; its data is in ./data-demo and stays there for the next time. Delete it to begin anew.
 */
import { API_PREFIX } from "@mailvet/contract";
import { defaultDataDirectory } from "@mailvet/embedded-postgres";
import { openLab, SAMPLES } from "@mailvet/lab";
import { assemble } from "../src/assemble.ts";
import { createLog } from "../src/base/log.ts";
import { readConfig } from "../src/config.ts";
import { openStorage } from "../src/database-storage.ts";
import { databaseEventMessage } from "../src/start-message.ts";
import { writeHistory } from "./history.ts";
import { DEMO, OPERATOR } from "./people.ts";
import { openReceiver } from "./receiver.ts";
import { setStage } from "./stage.ts";
import { DEMO_WORLD, OUR_NAME } from "./world.ts";

const say = (text: string) => console.log(text);
const interrupted = new Promise<void>((resolve) => {
  // Again and again: a terminal tells everybody, and whoever started us passes it on.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve());
});

try {
  await run();
} catch (error) {
  console.error(`mailvet: ${explain(error)}`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  await using lab = await openLab(DEMO_WORLD);
  await using receiver = await openReceiver();
  const { env } = process;
  const config = readConfig(
    {
      HOST: env.HOST,
      PORT: env.PORT,
      DATA_DIR: env.DATA_DIR ?? `${defaultDataDirectory(process.cwd(), "/var/lib/mailvet")}-demo`,
      ADMIN_EMAIL: OPERATOR.email,
      ADMIN_PASSWORD: OPERATOR.password,
      LOG_LEVEL: env.LOG_LEVEL ?? "error",
      DNS_SERVERS: lab.nameServer,
      SMTP_PORT: String(lab.smtpPort),
      EGRESS_ALLOW: "127.0.0.0/8",
      EHLO_NAME: OUR_NAME,
      PROBE_TIMEOUT_SECONDS: "10",
    },
    process.cwd(),
  );
  const storage = await openStorage(config.storage, {
    onEvent: (event) => say(databaseEventMessage(event)),
    maxConnections: 4,
  });
  await writeHistory(storage.database, new Date()).finally(() => storage.close());

  const service = await assemble(config, createLog(config.log), say);
  try {
    const url = await service.app.listen({ host: config.host, port: config.port });
    await service.welcome();
    say(`mailvet: getting the demonstration ready at ${url} …`);
    const isReady = setStage({ url, receiverUrl: receiver.url }).then(() => true);
    isReady.catch(() => {}); // told below, unless we are interrupted before
    if (await Promise.race([isReady, interrupted])) say(guideTo(url));
    await interrupted;
    say("mailvet: stopping …");
  } finally {
    await service.close();
  }
}

function guideTo(url: string): string {
  const one = (status: string) => SAMPLES.find((sample) => sample.status === status)!.email;
  return `
Open ${url} and sign in:

  as a customer    ${DEMO.email.padEnd(24)} password  ${DEMO.password}
  as the operator  ${OPERATOR.email.padEnd(24)} password  ${OPERATOR.password}

Or ask the API:

  curl -H "X-API-Key: ${DEMO.apiKey}" "${url}${API_PREFIX}/validation/single?email=${one("valid")}"

Addresses to try: ${one("valid")}, ${one("risky")}, eve@polite.example-lab.com, ${one("unknown")};
maria.gonzalez@open.example-lab.com and xkqzvwpl@open.example-lab.com, where any name is accepted and the model has a say;
or greylisted@mailvet.test, catch-all@mailvet.test and so on, one for every verdict.

Nothing leaves this machine: its mail internet is a lab on loopback. Ctrl-C ends it; the next start goes on from here.
`;
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "EADDRINUSE") return `${error.message}; set PORT to a free port`;
  return error.stack ?? error.message;
}
