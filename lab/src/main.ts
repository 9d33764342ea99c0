/** `npm run lab`: opens the standing world and tells how to visit it, until interrupted. */
import { openLab } from "./lab.ts";
import { SAMPLES, STANDING_WORLD } from "./standing-world.ts";

const lab = await openLab(STANDING_WORLD);

const verdicts = SAMPLES.map(({ email, status, subStatus, because }) => {
  const verdict = subStatus === "" ? status : `${status} ${subStatus}`;
  return `  ${email.padEnd(38)} ${verdict.padEnd(31)} ${because}`;
});
console.log(`A small mail internet, on loopback only, until you press Ctrl-C. Visit it from another terminal:

  export DNS_SERVERS=${lab.nameServer} SMTP_PORT=${lab.smtpPort} EGRESS_ALLOW=127.0.0.0/8
  npx mailvet check ann@polite.example-lab.com

Addresses to try, and the verdict each is there for:

${verdicts.join("\n")}
`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void lab[Symbol.asyncDispose]());
}
