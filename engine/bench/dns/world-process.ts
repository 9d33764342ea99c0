/** The lab's name server for 2,000 domains on 1,738 mail hosts, in its own process. */
import { openLab, slow, type World } from "@mailvet/lab";

const DOMAINS = 2000;
const HOSTS = 1738;
const answers = slow(5);

const world: World = {};
for (let i = 0; i < HOSTS; i++) {
  const name = `mx${i}.hosting.test`;
  world[name] = { A: [`127.1.${i >> 8}.${i & 255}`], ...(i % 4 === 0 && { AAAA: ["::1"] }), answers };
}
// Four in five with SPF, half of them with DMARC, one in twenty with MTA-STS; the rest is negative answers.
for (let i = 0; i < DOMAINS; i++) {
  const name = `domain${i}.test`;
  const TXT = i % 5 === 0 ? ["verification=1"] : ["verification=1", "v=spf1 include:_spf.hosting.test -all"];
  world[name] = { MX: [{ preference: 10, exchange: `mx${i % HOSTS}.hosting.test` }], TXT, answers };
  if (i % 2 === 0) world[`_dmarc.${name}`] = { TXT: ["v=DMARC1; p=none"], answers };
  if (i % 20 === 0) world[`_mta-sts.${name}`] = { TXT: ["v=STSv1; id=1"], answers };
}
const lab = await openLab(world);
process.on("disconnect", () => process.exit(0));
process.send!(lab.nameServer);
