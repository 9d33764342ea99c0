/**
 * One measured run in its own process: a number of addresses, by the planner or by the plain prober.
 *
 * A service is warm when a list arrives, so a short run with separate parts comes first and is not measured; only the
 * compiled code is kept.
 */
import { createResolver } from "#src/dns/resolver";
import { createEgressGuard } from "#src/egress/guard";
import { networkStages } from "#src/network-stages";
import { loadDisposables } from "#src/reference/disposable";
import { createConnect, type Egress } from "#src/smtp/client/connect";
import { createPlanner } from "#src/smtp/probe-planner";
import { decide } from "#src/verdict";
import { createVerifier } from "#src/verifier";
import { createPlainProber } from "./plain-prober.ts";
import { CONNECTIONS_PER_HOST, DOMAINS, domainName, exists, isCatchAll } from "./world.ts";

export type RunRequest = {
  how: "planner" | "plain";
  addresses: number;
  nameServer: string;
  smtpPort: number;
};
export type RunResult = { seconds: number; peakRssMiB: number; right: number; wrong: string[] };

const PLAIN_UNDER_WAY = 400;

const WARM_UP_ADDRESSES = 1500;

process.once("message", async (request: RunRequest) => {
  await run({ ...request, addresses: WARM_UP_ADDRESSES });
  process.once("message", async () => {
    process.send!(await run(request));
    process.exit(0);
  });
  process.send!("warm");
});

async function run({ how, addresses, nameServer, smtpPort }: RunRequest): Promise<RunResult> {
  const guard = createEgressGuard({ allow: ["127.0.0.0/8"] });
  const egress: Egress = { ehloName: "prober.test", mailFrom: "probe@prober.test" };
  const dial = createConnect({ guard, port: smtpPort, egress });
  const resolver = createResolver({ servers: [nameServer] });
  const result: RunResult = { seconds: 0, peakRssMiB: 0, right: 0, wrong: [] };
  const watch = setInterval(() => {
    result.peakRssMiB = Math.max(result.peakRssMiB, process.memoryUsage.rss() / 2 ** 20);
  }, 50);
  const judge = (email: string, got: string) => {
    if (got === truth(email)) result.right++;
    else if (result.wrong.length < 10) result.wrong.push(`${email}: ${got}, not ${truth(email)}`);
  };

  const started = performance.now();
  if (how === "planner") {
    const planner = createPlanner({
      dial,
      egress,
      probeTimeoutMs: 30_000,
      connectionsPerHost: CONNECTIONS_PER_HOST,
    });
    const verifier = createVerifier({
      disposables: loadDisposables(),
      exemptSpecialUse: ["test"],
      openNetwork: () => networkStages({ resolver, guard, planner }),
    });
    for await (const evidence of verifier.verifyMany(list(addresses), "smtp")) {
      judge(evidence.email, decide(evidence).subStatus || "valid");
    }
    await verifier.close();
  } else {
    const probe = createPlainProber({ resolver, guard, dial, cap: CONNECTIONS_PER_HOST });
    const source = list(addresses);
    const walk = async () => {
      for (const email of source) judge(email, await probe(email));
    };
    await Promise.all(Array.from({ length: PLAIN_UNDER_WAY }, walk));
    resolver.close();
  }
  result.seconds = (performance.now() - started) / 1000;
  clearInterval(watch);
  return result;
}

/** Like a real list: the domains mixed. */
function* list(addresses: number): Generator<string> {
  for (let i = 0; i < addresses; i++) yield `ann${Math.floor(i / DOMAINS)}@${domainName((i * 7) % DOMAINS)}`;
}

function truth(email: string): string {
  const [localPart = "", domain = ""] = email.split("@");
  if (isCatchAll(domain)) return "catch_all";
  return exists(localPart, domain) ? "valid" : "mailbox_not_found";
}
