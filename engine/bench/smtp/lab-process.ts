/** Runs the simulated internet of one shape in its own process, and reports on request what its hosts have seen. */
import { errorLimit, type MailWorld, mailDomain, mailHost, openLab } from "@mailvet/lab";
import {
  domainName,
  exists,
  hostName,
  hostOf,
  isCatchAll,
  LATENCY_MS,
  type Shape,
  warmUpDomains,
} from "./shapes.ts";

export type LabRequest = { shape: Shape; ports?: { smtpPort: number; dnsPort: number } };
/** `addresses`: host name → IP address, for the client that does not use DNS. */
export type LabReady = { nameServer: string; smtpPort: number; addresses: Record<string, string> };

/** What the hosts have seen. A command that was not pipelined with the one before it cost a round trip. */
export type HostsSeen = {
  connections: number;
  commands: number;
  roundTrips: number;
  /** Most concurrent connections to one host. */
  mostAtOnce: number;
  refusedConnections: number;
  endedWithoutQuit: number;
  /** CPU time of the lab. */
  labCpuSeconds: number;
};

process.once("message", async ({ shape, ports }: LabRequest) => {
  const hosts = Array.from({ length: shape.hosts }, (_, i) => hostName(i));
  const lab = await openLab(worldOf(shape), ports);
  process.on("message", () => process.send!(seen()));
  const addresses = Object.fromEntries(hosts.map((host) => [host, lab.addressOf(host)]));
  process.send!({ nameServer: lab.nameServer, smtpPort: lab.smtpPort, addresses } satisfies LabReady);

  function seen(): HostsSeen {
    const counts = hosts.map((host) => lab.counts(host));
    const sum = (of: (one: (typeof counts)[number]) => number) =>
      counts.reduce((total, one) => total + of(one), 0);
    const connections = sum((one) => one.connections);
    const commands = sum((one) => Object.values(one.commands).reduce((total, count) => total + count, 0));
    const { user, system } = process.cpuUsage();
    return {
      connections,
      commands,
      roundTrips: 2 * connections + commands - sum((one) => one.earlyCommands), // connecting and the banner are two
      mostAtOnce: Math.max(...counts.map((one) => one.maxConcurrentConnections)),
      refusedConnections: sum((one) => one.refusedConnections),
      endedWithoutQuit: sum((one) => one.endedWithoutQuit),
      labCpuSeconds: (user + system) / 1e6,
    };
  }
});
process.on("disconnect", () => process.exit(0));

/** Hosts with Postfix's error limit. */
function worldOf(shape: Shape): MailWorld {
  const world: MailWorld = {};
  const domains = shape.domains + warmUpDomains(shape);
  for (let i = 0; i < domains; i++) {
    world[hostOf(shape, i)] ??= mailHost({
      latencyMs: LATENCY_MS,
      temper: errorLimit(),
      ...(shape.hostCap !== undefined && { connectionCap: shape.hostCap }),
    });
  }
  for (let i = 0; i < domains; i++) {
    const name = domainName(shape, i);
    world[name] = mailDomain({
      mx: [hostOf(shape, i)],
      users: ({ localPart }) => isCatchAll(name) || exists(shape, localPart, name),
    });
  }
  return world;
}
