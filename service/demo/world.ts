/** The demo's simulated internet: the lab's sample domains, companies with many mailboxes, slow ones, and the probe host. */
import { answersSlowly, type MailWorld, mailDomain, SAMPLE_WORLD } from "@mailvet/lab";

export const EHLO_NAME = "probe.example-lab.com";
/** Four seconds: the imitation of GMX never accepts this installation, and lists with an address there are to end. */
export const PROVIDER_WAIT_HOURS = "0.001";

export const COMPANIES = ["north", "south", "harbour", "garden"].map((name) => `${name}.example-lab.com`);
export const SLOW_COMPANIES = ["snail", "turtle", "sloth"].map((name) => `${name}.example-lab.com`);
const SLOW_REPLY_MS = 3000;

export const FIRST =
  "anna ben carla david emma felix greta hugo ida jonas klara leon mia noah olga paul".split(" ");
export const LAST = "adler berg conrad dorn ebert funk gross hahn jung kern lang moser noll otto pohl".split(
  " ",
);

/** Mailboxes exist for every combination of these names and a number; `former.` ones and decoys do not. */
const isUser = ({ localPart }: { localPart: string }) => {
  const [, first = "", last = ""] = /^([a-z]+)\.([a-z]+)\d+$/.exec(localPart) ?? [];
  return FIRST.includes(first) && LAST.includes(last);
};

/** DNS records of the probe host, so that the diagnostics pass. */
const PROBE_HOST: MailWorld = {
  [EHLO_NAME]: {
    A: ["127.0.0.1"],
    MX: [{ preference: 10, exchange: "mx.polite.example-lab.com" }],
    TXT: ["v=spf1 ip4:127.0.0.0/8 -all"],
  },
  [`_dmarc.${EHLO_NAME}`]: { TXT: ["v=DMARC1; p=reject"] },
  "1.0.0.127.in-addr.arpa": { PTR: [EHLO_NAME] },
  // The test entries of two blocklists; the third does not answer, as with unregistered clients.
  "2.0.0.127.zen.spamhaus.org": { A: ["127.0.0.2"] },
  "2.0.0.127.bl.spamcop.net": { A: ["127.0.0.2"] },
};

export const DEMO_WORLD: MailWorld = {
  ...SAMPLE_WORLD,
  ...Object.fromEntries(COMPANIES.map((domain) => [domain, mailDomain({ users: isUser })])),
  ...Object.fromEntries(
    SLOW_COMPANIES.map((domain) => [
      domain,
      mailDomain({ users: isUser, temper: answersSlowly({ delayMs: SLOW_REPLY_MS, at: "rcpt" }) }),
    ]),
  ),
  "icloud.com": mailDomain({ users: ["annabel.lab"] }),
  "gmx.net": mailDomain({ mx: ["mx00.emig.gmx.net"], users: ["annabel.lab"] }),
  ...PROBE_HOST,
};
