import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../test/any-character.ts";
import { type Address, parseAddress } from "./address.ts";

function addressOf(text: string): Address {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new Error(`${JSON.stringify(text)}: ${parsed.error.message}`);
  return parsed.address;
}

function syntaxErrorOf(text: string) {
  const parsed = parseAddress(text);
  if (parsed.ok) throw new Error(`${JSON.stringify(text)} was read as an address`);
  return parsed.error;
}

test("a syntax error gives the position in the typed text", () => {
  expect(syntaxErrorOf("ann lee@example.com")).toMatchObject({ rule: "local_white_space", position: 3 });
  expect(syntaxErrorOf("  ann@exa mple.com")).toMatchObject({ rule: "domain_white_space", position: 9 });
  expect(syntaxErrorOf("ann@a.b..example.com")).toMatchObject({ rule: "domain_double_dot", position: 7 });
});

test("a syntax error quotes the offending text without control characters", () => {
  expect(syntaxErrorOf("an\u0007n@example.com").message).toBe("It contains a control character (U+0007).");
  expect(syntaxErrorOf("ann@exam_ple.com").message).toContain("“_”");
});

test.each([
  ["ann..lee@docomo.ne.jp", '"ann..lee"'],
  [" Ann-lee.@DoCoMo.ne.jp ", '"Ann-lee."'],
  ["a...b.@ezweb.ne.jp", '"a...b."'],
  ['"ann..lee"@docomo.ne.jp', '"ann..lee"'],
])("%s was issued that way, and is sent in quotes", (typed, local) => {
  const domain = typed.trim().split("@")[1]!.toLowerCase();
  expect(addressOf(typed)).toMatchObject({ local, domain, normalized: `${local.toLowerCase()}@${domain}` });
});

test.each([
  ["ann..lee@example.com", "local_double_dot", 4],
  [".ann@docomo.ne.jp", "local_leading_dot", 0],
  ["ann..le e@docomo.ne.jp", "local_double_dot", 4],
  ["ann..lee@bob@docomo.ne.jp", "local_double_dot", 4],
])("%s is not well-formed", (typed, rule, position) => {
  expect(syntaxErrorOf(typed)).toMatchObject({ rule, position });
});

test("the domain is returned as A-labels for DNS and as U-labels for display", () => {
  expect(addressOf("ann@Bücher.Example")).toMatchObject({
    domain: "xn--bcher-kva.example",
    unicodeDomain: "bücher.example",
  });
});

test("the local part keeps its case and is composed, because some servers are case-sensitive", () => {
  expect(addressOf("Ann.Lee@Example.COM")).toMatchObject({
    local: "Ann.Lee",
    normalized: "ann.lee@example.com",
  });
  expect(addressOf("Rene\u0301@example.com").local).toBe("René");
});

test("redundant quotes are omitted in RCPT and in the normalised form, necessary ones are kept", () => {
  expect(addressOf('"Ann"@example.com')).toMatchObject({ local: "Ann", normalized: "ann@example.com" });
  expect(addressOf('"a\\nn"@example.com')).toMatchObject({ local: "ann", normalized: "ann@example.com" });
  expect(addressOf('"ann lee"@example.com').local).toBe('"ann lee"');
  expect(addressOf('"ann lee"@example.com').normalized).toBe('"ann lee"@example.com');
  expect(addressOf('"a\\"b"@example.com').normalized).toBe('"a\\"b"@example.com');
});

test("composing never turns a local part into something else", () => {
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
/** Near misses, where errors are likely. */
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

test("every RFC 5321 mailbox is parsed back part by part", () => {
  const needsQuotes = quoted.map((local) => `${local.slice(0, -1)} "`);
  fc.assert(
    fc.property(fc.oneof(dotAtom, needsQuotes), domain, (local, name) => {
      expect(addressOf(`${local}@${name}`)).toMatchObject({ local, domain: name, needsSmtpUtf8: false });
    }),
  );
});

test("no text makes the parser throw, and an error position is always inside the text", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), nearAddress), (text) => {
      const parsed = parseAddress(text);
      if (parsed.ok) return;
      expect(parsed.error.position).toBeGreaterThanOrEqual(0);
      expect(parsed.error.position).toBeLessThanOrEqual(text.length);
      expect(parsed.error.message).not.toMatch(/[\p{Cc}\p{Cs}]/u);
    }),
    { numRuns: 2000 },
  );
});

test("the normalised form is an address, and normalising is idempotent", () => {
  fc.assert(
    fc.property(fc.oneof(address, nearAddress, fc.emailAddress()), (text) => {
      const parsed = parseAddress(text);
      if (!parsed.ok) return;
      expect(addressOf(parsed.address.normalized).normalized).toBe(parsed.address.normalized);
    }),
    { numRuns: 2000 },
  );
});

test("upper and lower case have the same normalised form", () => {
  fc.assert(
    fc.property(address, (text) => {
      expect(addressOf(text.toUpperCase()).normalized).toBe(addressOf(text.toLowerCase()).normalized);
    }),
  );
});

test("a control character inside an address is always an error", () => {
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

test("nothing longer than SMTP allows is an address", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 90 }), domain, (local, name) => {
      const parsed = parseAddress(`${local}@${name}`);
      if (parsed.ok) expect(Buffer.byteLength(parsed.address.local)).toBeLessThanOrEqual(64);
    }),
  );
});
