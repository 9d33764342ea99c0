/** Runs the benchmark's simulated internet in its own process, and reports on request what its hosts have seen. */
import { errorLimit, type MailWorld, mailDomain, mailHost, openLab } from "@mailvet/lab";
import {
  CONNECTIONS_PER_HOST,
  DOMAINS,
  domainName,
  exists,
  HOSTS,
  hostName,
  isCatchAll,
  LATENCY_MS,
  type Seen,
} from "./world.ts";

const world: MailWorld = {};
for (let i = 0; i < HOSTS; i++) {
  world[hostName(i)] = mailHost({
    latencyMs: LATENCY_MS,
    connectionCap: CONNECTIONS_PER_HOST,
    temper: errorLimit(),
  });
}
for (let i = 0; i < DOMAINS; i++) {
  const name = domainName(i);
  world[name] = mailDomain({
    mx: [hostName(i % HOSTS)],
    users: ({ localPart }) => isCatchAll(name) || exists(localPart, name),
  });
}
const lab = await openLab(world);
process.on("message", () => process.send!(seen()));
process.on("disconnect", () => process.exit(0));
process.send!({ nameServer: lab.nameServer, smtpPort: lab.smtpPort });

function seen(): Seen {
  const counts = Array.from({ length: HOSTS }, (_, i) => lab.counts(hostName(i)));
  const sum = (of: (one: (typeof counts)[number]) => number) =>
    counts.reduce((total, one) => total + of(one), 0);
  const connections = sum((one) => one.connections);
  const commands = sum((one) => Object.values(one.commands).reduce((total, count) => total + count, 0));
  return {
    connections,
    commands,
    roundTrips: 2 * connections + commands - sum((one) => one.earlyCommands), // connecting and the banner are two
    mostAtOnce: Math.max(...counts.map((one) => one.maxConcurrentConnections)),
    withoutQuit: sum((one) => one.endedWithoutQuit),
  };
}
