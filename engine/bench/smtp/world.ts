/**
 * The simulated internet of the benchmark: 500 domains on 40 mail hosts, 40 ms per round trip, hosts with Postfix's error
 * limit and a connection limit.
 */
export const DOMAINS = 500;
export const HOSTS = 40;
export const LATENCY_MS = 40;
export const CONNECTIONS_PER_HOST = 2;

/** One mailbox in five does not exist, and one domain in ten is a catch-all, as in real lists. */
export const domainName = (index: number) => `domain${index}.test`;
export const hostName = (index: number) => `mx${index}.hosting.test`;
export const isCatchAll = (domain: string) => hashOf(domain) % 10 === 0;
export const exists = (localPart: string, domain: string) =>
  /^ann\d+$/.test(localPart) && hashOf(`${localPart}@${domain}`) % 5 !== 0;

/** Both are spread over hosts and list, the same in every run. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** What the hosts have seen. A command that was not pipelined with the one before it cost a round trip. */
export type Seen = {
  connections: number;
  commands: number;
  roundTrips: number;
  mostAtOnce: number;
  withoutQuit: number;
};
