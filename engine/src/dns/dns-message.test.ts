import { type Answer, decode, encode } from "dns-packet";
import fc from "fast-check";
import { expect, test } from "vitest";
import { growth, LINEAR_AT_FOURFOLD } from "../../test/growth.ts";
import { type DnsQuestion, encodeQuestion, RCODE, readMessage } from "./dns-message.ts";

const question: DnsQuestion = { id: 0x1234, name: "shop.test", type: "MX" };

function reply(parts: {
  id?: number;
  flags?: number;
  name?: string;
  answers?: Answer[];
  authorities?: Answer[];
}) {
  return encode({
    type: "response",
    id: parts.id ?? question.id,
    flags: parts.flags ?? 0,
    questions: [{ name: parts.name ?? "shop.test", type: "MX" }],
    answers: parts.answers ?? [],
    authorities: parts.authorities ?? [],
  });
}

test("a query asks for recursion and, by default, offers a UDP payload of 1232 bytes", () => {
  const modern = decode(encodeQuestion(question, { edns: true }));
  expect(modern).toMatchObject({ id: 0x1234, flag_rd: true, questions: [{ name: "shop.test", type: "MX" }] });
  expect(modern.additionals).toMatchObject([{ type: "OPT", udpPayloadSize: 1232 }]);
  expect(decode(encodeQuestion(question, { edns: false })).additionals).toEqual([]);
});

test("a response is decoded with names in lower case, without other classes and types", () => {
  const answers: Answer[] = [
    { name: "Shop.TEST", type: "MX", ttl: 60, data: { preference: 10, exchange: "MX.Shop.test" } },
    { name: "shop.test", type: "TXT", ttl: 60, data: ["two ", "parts"] },
    { name: "shop.test", type: "A", class: "CH", ttl: 60, data: "192.0.2.1" },
    { name: "shop.test", type: "HINFO", ttl: 60, data: { cpu: "x", os: "y" } },
  ];
  expect(readMessage(reply({ name: "sHop.tesT", answers }), question)).toMatchObject({
    kind: "reply",
    rcode: 0,
    records: [
      { owner: "shop.test", type: "MX", ttlSeconds: 60, data: { preference: 10, exchange: "mx.shop.test" } },
      { owner: "shop.test", type: "TXT", data: "two parts" },
    ],
  });
});

test("a response to another query, or to another client, is a stray", () => {
  expect(readMessage(reply({ id: 0x4321 }), question).kind).toBe("stray");
  expect(readMessage(reply({ name: "other.test" }), question).kind).toBe("stray");
  expect(readMessage(encodeQuestion(question, { edns: true }), question).kind).toBe("stray"); // our own echo
  expect(readMessage(Buffer.from([0x12, 0x34]), question).kind).toBe("stray");
});

test("a truncated response is reported as such, however much of it is missing", () => {
  const cut = reply({ flags: 0x0200 }).subarray(0, 14);
  expect(readMessage(cut, question).kind).toBe("truncated");
});

test("an error response needs no question, an answer does", () => {
  const bare = (rcode: number) => encode({ type: "response", id: question.id, flags: rcode });
  expect(readMessage(bare(5), question)).toMatchObject({ kind: "reply", rcode: 5 });
  expect(readMessage(bare(0), question).kind).toBe("malformed");
  expect(readMessage(bare(3), question).kind).toBe("malformed");
});

test("the negative TTL is the smaller of the SOA's two, and an invalid one counts as zero", () => {
  const soa = (ttl: number, minimum: number): Answer => ({
    name: "test",
    type: "SOA",
    ttl,
    data: { mname: "ns.test", rname: "root.test", minimum },
  });
  const read = (authority: Answer) => readMessage(reply({ authorities: [authority] }), question);
  expect(read(soa(3600, 60))).toMatchObject({ negativeTtlSeconds: 60, isReferral: false });
  expect(read(soa(30, 60))).toMatchObject({ negativeTtlSeconds: 30 });
  expect(read(soa(0xffff_ffff, 60))).toMatchObject({ negativeTtlSeconds: 0 });
  expect(read({ name: "test", type: "NS", data: "ns.test" })).toMatchObject({ isReferral: true });
});

test.each([
  [0x0000, true, "neither authoritative nor recursive"],
  [0x0400, false, "authoritative"],
  [0x0080, false, "recursive, as forwarders answer that leave out the SOA record"],
])("an empty response with flags %i is no answer: %s, %s", (flags, isReferral) => {
  expect(readMessage(reply({ flags }), question)).toMatchObject({ isReferral });
});

test.each([
  [0x0003, { rcode: RCODE.refused }, "neither: it does not know"],
  [0x0403, { rcode: RCODE.nxDomain }, "authoritative"],
  [0x0083, { rcode: RCODE.nxDomain }, "recursive"],
])("that a name does not exist counts with flags %i as %o: %s", (flags, expected) => {
  expect(readMessage(reply({ flags }), question)).toMatchObject(expected);
});

test("a message with too many records is not decoded", () => {
  const address: Answer = { name: "shop.test", type: "A", ttl: 60, data: "192.0.2.1" };
  const kindWith = (count: number) =>
    readMessage(reply({ answers: new Array<Answer>(count).fill(address) }), question).kind;
  expect(kindWith(399)).toBe("reply");
  expect(kindWith(400)).toBe("malformed"); // the question counts too
});

/** 399 names that are chains of compression pointers. */
function chains(links: number): Buffer {
  const chain = Buffer.alloc(2 * links);
  const chainOffset = reply({}).length + 11; // behind the name, type, class, TTL and length of its record
  for (let link = 0; link < links; link++) {
    chain.writeUInt16BE(0xc000 | (link === 0 ? 12 : chainOffset + 2 * (link - 1)), 2 * link);
  }
  const carrier: Answer = { name: ".", type: "NULL", ttl: 0, data: chain };
  const pointer = 0xc000 | (chainOffset + 2 * (links - 1));
  const record = Buffer.from([pointer >> 8, pointer & 0xff, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
  const bytes = Buffer.concat([reply({ answers: [carrier] }), ...new Array<Buffer>(398).fill(record)]);
  bytes.writeUInt16BE(399, 6);
  return bytes;
}

test("the costliest accepted message, 399 names that are chains of 8,000 pointers, is decoded in linear time", async () => {
  const sizes = { from: chains(2000), to: chains(8000) };
  expect(await growth((bytes) => readMessage(bytes, question), sizes)).toBeLessThan(LINEAR_AT_FOURFOLD);
  const message = readMessage(sizes.to, question);
  expect(message).toMatchObject({ kind: "reply" });
  if (message.kind === "reply")
    expect(message.records[397]).toMatchObject({ owner: "shop.test", data: "192.0.2.1" });
});

test("no bytes make the decoder throw", () => {
  const bytes = fc.uint8Array({ maxLength: 600 }).map((array) => Buffer.from(array));
  fc.assert(
    fc.property(bytes, fc.boolean(), (junk, isOurs) => {
      if (isOurs && junk.length >= 12) {
        junk.writeUInt16BE(question.id, 0);
        junk.writeUInt8(0x81, 2);
        junk.writeUInt32BE(0x0001_0003, 4);
        junk.writeUInt32BE(0x0001_0001, 8);
      }
      expect(["stray", "truncated", "malformed", "reply"]).toContain(readMessage(junk, question).kind);
    }),
    { numRuns: 2000 },
  );
});

test("no damage to a valid response makes the decoder throw", () => {
  const sound = reply({
    answers: [
      { name: "shop.test", type: "MX", ttl: 60, data: { preference: 10, exchange: "mx.shop.test" } },
      { name: "shop.test", type: "TXT", ttl: 60, data: ["some text", "more"] },
      { name: "shop.test", type: "AAAA", ttl: 60, data: "2001:db8::1" },
      { name: "shop.test", type: "CNAME", ttl: 60, data: "other.test" },
    ],
  });
  const damage = fc.array(fc.tuple(fc.nat(sound.length - 1), fc.nat(255)), { maxLength: 8 });
  fc.assert(
    fc.property(damage, fc.nat(sound.length), (strikes, cut) => {
      const damaged = Buffer.from(sound);
      for (const [offset, value] of strikes) damaged[offset] = value;
      const message = readMessage(damaged.subarray(0, cut), question);
      if (message.kind !== "reply") return;
      for (const { data } of message.records) expect(data).toBeDefined();
    }),
    { numRuns: 2000 },
  );
});

test("names, addresses and texts are decoded as dns-packet does", () => {
  const label = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
  const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join("."));
  const ttl = fc.nat(0x7fff_ffff);
  const group = fc.oneof(fc.constant(0), fc.nat(0xffff)).map((value) => value.toString(16));
  const ipv6 = fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(":"));
  const answer: fc.Arbitrary<Answer> = fc.oneof(
    fc.record({ name, ttl, type: fc.constant("A" as const), data: fc.ipV4() }),
    fc.record({ name, ttl, type: fc.constant("AAAA" as const), data: ipv6 }),
    fc.record({ name, ttl, type: fc.constantFrom("CNAME" as const, "NS", "PTR"), data: name }),
    fc.record({ name, ttl, type: fc.constant("TXT" as const), data: fc.array(fc.string({ maxLength: 60 })) }),
    fc.record({
      name,
      ttl,
      type: fc.constant("MX" as const),
      data: fc.record({ preference: fc.nat(0xffff), exchange: name }),
    }),
  );
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 6 }), (answers) => {
      const bytes = reply({ answers });
      const message = readMessage(bytes, question);
      expect(message.kind).toBe("reply");
      if (message.kind === "reply") expect(message.records).toEqual(decode(bytes).answers?.map(asRecord));
    }),
  );
});

function asRecord(answer: Answer) {
  if (answer.type === "OPT") throw new Error("not a record");
  const lower = (data: unknown): unknown => (typeof data === "string" ? data.toLowerCase() : data);
  const { data } = answer;
  const owner = answer.name.toLowerCase();
  if (answer.type === "TXT")
    return { owner, type: "TXT", ttlSeconds: answer.ttl, data: [data].flat().join("") };
  if (answer.type !== "MX") return { owner, type: answer.type, ttlSeconds: answer.ttl, data: lower(data) };
  const { preference, exchange } = answer.data;
  return { owner, type: "MX", ttlSeconds: answer.ttl, data: { preference, exchange: lower(exchange) } };
}

test("a query is encoded as dns-packet does", () => {
  const label = fc.stringMatching(/^[a-z0-9_-]{1,63}$/);
  const name = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join("."));
  fc.assert(
    fc.property(name, fc.nat(0xffff), fc.constantFrom("A", "MX", "TXT"), (name, id, type) => {
      const expected = encode({ type: "query", id, flags: 0x0100, questions: [{ name, type }] });
      expect(encodeQuestion({ id, name, type }, { edns: false })).toEqual(expected);
    }),
  );
});

test("a response to a question of another type or class is a stray", () => {
  const other = reply({});
  other.writeUInt16BE(1, other.length - 4);
  expect(readMessage(other, question).kind).toBe("stray");
  const chaos = reply({});
  chaos.writeUInt16BE(3, chaos.length - 2);
  expect(readMessage(chaos, question).kind).toBe("stray");
});

test("an extended RCODE is read from the OPT record, wherever it stands", () => {
  const opt: Answer = {
    name: ".",
    type: "OPT",
    udpPayloadSize: 1232,
    extendedRcode: 1,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
  const glue: Answer = { name: "ns.test", type: "A", ttl: 60, data: "192.0.2.53" };
  const bytes = encode({
    type: "response",
    id: question.id,
    questions: [{ name: "shop.test", type: "MX" }],
    additionals: [glue, opt],
  });
  expect(readMessage(bytes, question)).toMatchObject({ kind: "reply", rcode: 16 });
});
