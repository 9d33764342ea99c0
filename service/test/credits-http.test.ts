/** Credits over HTTP with concurrent requests. */
import { expect, test } from "vitest";
import { openService } from "./service.ts";

test("of 200 concurrent requests with 50 credits, 50 are answered and 150 refused", async () => {
  await using service = await openService();
  const ann = await service.openAccount({ credits: 50 });

  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      service.ask(`/validation/single?email=valid%2B${index}@mailvet.test`, { key: ann.key }),
    ),
  );

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
  const refused = answers.filter(({ status }) => status === 402);
  expect(refused).toHaveLength(150);
  for (const { body, headers } of refused) {
    expect(body).toMatchObject({ code: "insufficient_credits", required: 1, available: 0 });
    expect(headers.get("x-credits-remaining")).toBe("0");
  }
  const { body: credits } = await service.ask("/credits?limit=100", { key: ann.key });
  expect(credits).toMatchObject({ balance: 0, reserved: 0 });
  expect(credits.ledger).toHaveLength(51);
  expect(credits.ledger.reduce((sum: number, entry: { amount: number }) => sum + entry.amount, 0)).toBe(0);
  const { body: usage } = await service.ask("/usage", { key: ann.key });
  const sumOf = (field: string) =>
    usage.days.reduce((sum: number, day: Record<string, number>) => sum + day[field]!, 0); // two days at midnight
  expect(["valid", "invalid", "risky", "unknown", "credits_used"].map(sumOf)).toEqual([50, 0, 0, 0, 50]);
});

test("refused requests cost nothing", async () => {
  await using service = await openService();
  const ann = await service.openAccount({ credits: 3 });
  const bulk = (emails: unknown[]) => service.ask("/validation/bulk", { key: ann.key, body: { emails } });

  expect((await bulk(["a@mailvet.test", "b@mailvet.test", "c@mailvet.test", "d@mailvet.test"])).status).toBe(
    402,
  );
  expect((await bulk([])).status).toBe(422);
  expect((await bulk(["a@mailvet.test", 7])).status).toBe(422);
  expect((await bulk(Array.from({ length: 1001 }, (_, i) => `${i}@mailvet.test`))).status).toBe(413);
  expect((await service.ask("/validation/single", { key: ann.key, body: {} })).status).toBe(422);

  const { body } = await bulk(["A@mailvet.test", "b@mailvet.test", " a@MAILVET.test ", "c@mailvet.test"]);
  expect(body).toMatchObject({ total: 4, duplicate_count: 1, credits_used: 3 });
  expect((await service.ask("/credits", { key: ann.key })).body).toMatchObject({ balance: 0, reserved: 0 });
});

test("a test key is never charged, and reports what it would have cost", async () => {
  await using service = await openService();
  const ann = await service.openAccount({ credits: 1 });
  const { key } = await ann.makeKey({ mode: "test" });

  const emails = ["catch-all@any.example", "mailbox-not-found@any.example", "greylisted@any.example"];
  const { body } = await service.ask("/validation/bulk", { key, body: { emails } });

  expect(body).toMatchObject({ credits_used: 3, risky_count: 1, invalid_count: 1, unknown_count: 1 });
  expect((await service.ask("/credits", { key: ann.key })).body).toMatchObject({ balance: 1, reserved: 0 });
});
