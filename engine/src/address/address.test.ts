import fc from "fast-check";
import { expect, test } from "vitest";
import { type Address, parseAddress } from "./address.ts";

function addressOf(text: string): Address {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new Error(`${JSON.stringify(text)}: ${parsed.complaint.message}`);
  return parsed.address;
}

function complaintAbout(text: string) {
  const parsed = parseAddress(text);
  if (parsed.ok) throw new Error(`${JSON.stringify(text)} was read as an address`);
  return parsed.complaint;
}

test("a complaint says where in the typed text the mistake is", () => {
  expect(complaintAbout("ann lee@example.com")).toMatchObject({ rule: "local_white_space", position: 3 });
  expect(complaintAbout("  ann@exa mple.com")).toMatchObject({ rule: "domain_white_space", position: 9 });
  expect(complaintAbout("ann@a.b..example.com")).toMatchObject({ rule: "domain_double_dot", position: 7 });
});

test("a complaint quotes the offending text without control characters", () => {
  expect(complaintAbout("an\u0007n@example.com").message).toBe("It contains a control character (U+0007).");
  expect(complaintAbout("ann@exam_ple.com").message).toContain("“_”");
});

test("the domain is given as DNS is asked for it and as people read it", () => {
  expect(addressOf("ann@Bücher.Example")).toMatchObject({
    domain: "xn--bcher-kva.example",
    unicodeDomain: "bücher.example",
  });
});

test("the mailbox name keeps its case and is composed, because some servers care", () => {
  expect(addressOf("Ann.Lee@Example.COM")).toMatchObject({
    local: "Ann.Lee",
    normalized: "ann.lee@example.com",
  });
  expect(addressOf("Rene\u0301@example.com").local).toBe("René");
});

test("needless quotes are left out of the normalised form and needful ones stay", () => {
  expect(addressOf('"ann"@example.com').normalized).toBe("ann@example.com");
  expect(addressOf('"a\\nn"@example.com').normalized).toBe("ann@example.com");
  expect(addressOf('"ann lee"@example.com').normalized).toBe('"ann lee"@example.com');
  expect(addressOf('"a\\"b"@example.com').normalized).toBe('"a\\"b"@example.com');
});

test("composing never turns a mailbox name into something that is no mailbox name", () => {
  expect(addressOf("me.\u037e@example.com")).toMatchObject({ local: "me.\u037e", needsSmtpUtf8: true });
});

const ATEXT = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~";
const atom = fc.string({ unit: fc.constantFrom(...ATEXT), minLength: 1, maxLength: 12 });
const dotAtom = fc.array(atom, { minLength: 1, maxLength: 4 }).map((atoms) => atoms.join("."));
const quoted = fc
  .string({ unit: "grapheme-ascii", maxLength: 20 })
  .map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`);
const label = fc.stringMatching(/^[a-z0-9]([a-z0-9]{0,10}[a-z0-9])?$/);
const domain = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 4 }), fc.stringMatching(/^[a-z]{2,8}$/))
  .map(([labels, tld]) => [...labels, tld].join("."));
const address = fc.tuple(fc.oneof(dotAtom, quoted), domain).map(([local, name]) => `${local}@${name}`);
/** Text that is nearly an address: where mistakes live. */
const nearAddress = fc.string({
  unit: fc.constantFrom(
    ...'ab1@@@...-_"\\ (),:;<>[]',
    "\t",
    "\r",
    "\n",
    "\0",
    "ü",
    "用",
    "\u0301",
    "\ud800",
    "x",
    "n",
    "-",
  ),
  maxLength: 40,
});

test("whatever RFC 5321 can produce is read back part by part", () => {
  fc.assert(
    fc.property(fc.oneof(dotAtom, quoted), domain, (local, name) => {
      expect(addressOf(`${local}@${name}`)).toMatchObject({ local, domain: name, needsSmtpUtf8: false });
    }),
  );
});

test("no text makes the parser throw, and a complaint always points into the text", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), nearAddress), (text) => {
      const parsed = parseAddress(text);
      if (parsed.ok) return;
      expect(parsed.complaint.position).toBeGreaterThanOrEqual(0);
      expect(parsed.complaint.position).toBeLessThanOrEqual(text.length);
      expect(parsed.complaint.message).not.toMatch(/[\p{Cc}\p{Cs}]/u);
    }),
    { numRuns: 2000 },
  );
});

test("the normalised form is an address, and normalising it again changes nothing", () => {
  fc.assert(
    fc.property(fc.oneof(address, nearAddress, fc.emailAddress()), (text) => {
      const parsed = parseAddress(text);
      if (!parsed.ok) return;
      expect(addressOf(parsed.address.normalized).normalized).toBe(parsed.address.normalized);
    }),
    { numRuns: 2000 },
  );
});

test("upper and lower case are one address once normalised", () => {
  fc.assert(
    fc.property(address, (text) => {
      expect(addressOf(text.toUpperCase()).normalized).toBe(addressOf(text.toLowerCase()).normalized);
    }),
  );
});

test("a control character inside an address always spoils it", () => {
  fc.assert(
    fc.property(
      address,
      fc.nat(),
      fc.constantFrom("\0", "\r", "\n", "\r\n", "\u001b", "\u007f"),
      (text, at, control) => {
        const cut = 1 + (at % (text.length - 1));
        expect(parseAddress(text.slice(0, cut) + control + text.slice(cut)).ok).toBe(false);
      },
    ),
  );
});

test("nothing longer than SMTP can carry is an address", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 90 }), domain, (local, name) => {
      const parsed = parseAddress(`${local}@${name}`);
      if (parsed.ok) expect(Buffer.byteLength(parsed.address.local)).toBeLessThanOrEqual(64);
    }),
  );
});
