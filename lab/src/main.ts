/** `npm run lab`: starts the sample world and prints how to use it, until interrupted. */
import { openLab } from "./lab.ts";
import { SAMPLE_WORLD, SAMPLES } from "./sample-world.ts";

const lab = await openLab(SAMPLE_WORLD);

const verdicts = SAMPLES.map(({ email, status, subStatus, because }) => {
  const verdict = subStatus === "" ? status : `${status} ${subStatus}`;
  return `  ${email.padEnd(38)} ${verdict.padEnd(31)} ${because}`;
});
console.log(`A simulated mail internet on loopback. Press Ctrl-C to stop it. In another terminal:

  export DNS_SERVERS=${lab.nameServer} SMTP_PORT=${lab.smtpPort} EGRESS_ALLOW=127.0.0.0/8
  npx mailvet check ann@polite.example-lab.com

Sample addresses, with their verdict and its cause:

${verdicts.join("\n")}
`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void lab[Symbol.asyncDispose]());
}
