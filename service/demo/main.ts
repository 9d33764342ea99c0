/**
 * `npm run demo`: the complete service with sample data and no outside connections. Its mail internet is the lab, on
 * loopback; its data is in ./data-demo and is kept between starts. Delete that folder to start over.
 */
import { API_PREFIX } from "@mailvet/contract";
import { defaultDataDirectory } from "@mailvet/embedded-postgres";
import { openLab, SAMPLES } from "@mailvet/lab";
import { assemble } from "../src/assembly.ts";
import { createLog } from "../src/base/log.ts";
import { readConfig } from "../src/config.ts";
import { openStorage } from "../src/database-storage.ts";
import { assertPortFree } from "../src/free-port.ts";
import { databaseEventMessage, terminalText } from "../src/start-message.ts";
import { DEMO, OPERATOR } from "./demo-accounts.ts";
import { setUpDemo } from "./demo-setup.ts";
import { writeHistory } from "./history.ts";
import { openReceiver } from "./receiver.ts";
import { DEMO_WORLD, EHLO_NAME, PROVIDER_WAIT_HOURS } from "./world.ts";

const print = (text: string) => console.log(text);
const interrupted = new Promise<void>((resolve) => {
  // Handlers stay installed: Ctrl-C reaches the whole process group, and npm forwards the signal once more.
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
      ...lab.env,
      EHLO_NAME,
      PROVIDER_WAIT_HOURS,
      PROBE_TIMEOUT_SECONDS: "10",
    },
    process.cwd(),
  );
  await assertPortFree(config);
  const storage = await openStorage(config.storage, {
    onEvent: (event) => print(databaseEventMessage(event)),
    maxConnections: 4,
  });
  await writeHistory(storage.database, new Date()).finally(() => storage.close());

  const service = await assemble(config, createLog(config.log), (message) => print(terminalText(message)));
  try {
    const url = await service.app.listen({ host: config.host, port: config.port });
    await service.welcome();
    print(`mailvet: preparing the demo at ${url} …`);
    const isReady = setUpDemo({ url, receiverUrl: receiver.url }).then(() => true);
    isReady.catch(() => {}); // rethrown by the race below, unless interrupted first
    if (await Promise.race([isReady, interrupted])) print(guideTo(url));
    await interrupted;
    print("mailvet: stopping …");
  } finally {
    await service.close();
  }
}

function guideTo(url: string): string {
  const one = (status: string) => SAMPLES.find((sample) => sample.status === status)!.email;
  return `
Open ${url} and sign in:

  as a customer    ${DEMO.email.padEnd(24)} password: ${DEMO.password}
  as the operator  ${OPERATOR.email.padEnd(24)} password: ${OPERATOR.password}

Or ask the API:

  curl -H "X-API-Key: ${DEMO.apiKey}" "${url}${API_PREFIX}/validation/single?email=${one("valid")}"

Addresses to try: ${one("valid")}, ${one("risky")}, eve@polite.example-lab.com, ${one("unknown")};
maria.gonzalez@open.example-lab.com and xkqzvwpl@open.example-lab.com, a catch-all domain, where the name model affects the score;
or greylisted@mailvet.test, catch-all@mailvet.test and so on, one for every verdict.

Nothing leaves this machine: its mail internet is a lab on loopback. Ctrl-C stops it; the next start continues from here.
`;
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "EADDRINUSE") return `${error.message}; set PORT to a free port`;
  return error.stack ?? error.message;
}
