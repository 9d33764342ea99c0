/** The demonstration's Internet: the lab's standing world, a few firms with many mailboxes, some slow ones, and ourselves. */
import { answersSlowly, type MailWorld, mailDomain, SAMPLE_WORLD } from "@mailvet/lab";

/** By this name we greet mail servers. */
export const OUR_NAME = "probe.example-lab.com";

export const FIRMS = ["north", "south", "harbour", "garden"].map((name) => `${name}.example-lab.com`);
export const SLOW_FIRMS = ["snail", "turtle", "sloth"].map((name) => `${name}.example-lab.com`);
const SLOW_REPLY_MS = 3000;

export const FIRST =
  "anna ben carla david emma felix greta hugo ida jonas klara leon mia noah olga paul".split(" ");
export const LAST = "adler berg conrad dorn ebert funk gross hahn jung kern lang moser noll otto pohl".split(
  " ",
);

/** They know everybody who is called like this, and nobody else: not those who have left, nor a name that is made up. */
const isUser = ({ localPart }: { localPart: string }) => {
  const [, first = "", last = ""] = /^([a-z]+)\.([a-z]+)\d+$/.exec(localPart) ?? [];
  return FIRST.includes(first) && LAST.includes(last);
};

/** What the world knows about us, so that the doctor has something to praise. */
const OURSELVES: MailWorld = {
  [OUR_NAME]: {
    A: ["127.0.0.1"],
    MX: [{ preference: 10, exchange: "mx.polite.example-lab.com" }],
    TXT: ["v=spf1 ip4:127.0.0.0/8 -all"],
  },
  [`_dmarc.${OUR_NAME}`]: { TXT: ["v=DMARC1; p=reject"] },
  "1.0.0.127.in-addr.arpa": { PTR: [OUR_NAME] },
  // The test entries of two blocklists; the third one does not answer, as it is with strangers.
  "2.0.0.127.zen.spamhaus.org": { A: ["127.0.0.2"] },
  "2.0.0.127.bl.spamcop.net": { A: ["127.0.0.2"] },
};

export const DEMO_WORLD: MailWorld = {
  ...SAMPLE_WORLD,
  ...Object.fromEntries(FIRMS.map((domain) => [domain, mailDomain({ users: isUser })])),
  ...Object.fromEntries(
    SLOW_FIRMS.map((domain) => [
      domain,
      mailDomain({ users: isUser, temper: answersSlowly({ delayMs: SLOW_REPLY_MS, at: "rcpt" }) }),
    ]),
  ),
  "icloud.com": mailDomain({ users: ["annabel.lab"] }),
  "gmx.net": mailDomain({ mx: ["mx00.emig.gmx.net"], users: ["annabel.lab"] }),
  ...OURSELVES,
};
