/** The emails about jobs, lists and credits, from requests over HTTP to the mailbox of the owner. */
import { expect, test } from "vitest";
import { openBoss } from "../src/queue/boss.ts";
import { listsOf } from "./jobs-http-world.ts";
import { openMailServer } from "./mail-server.ts";
import { expectProblem } from "./problems.ts";
import { cookieOf, openService, type TestService } from "./service.ts";

const EMAIL = "ann@team.example";
const PASSWORD = "a long enough password";
const FILE = "email\nvalid@mailvet.test\nmailbox-not-found@mailvet.test\n";

/** The run that is otherwise due at the next minute. */
async function runMaintenance({ database }: TestService): Promise<void> {
  await openBoss(database.pool).send("maintenance", { every: "minute" }, { group: { id: "maintenance" } });
}

test("the owner is emailed about finished jobs, changed lists, and credits that are low or missing", async () => {
  await using mailbox = await openMailServer();
  const { url, sender } = mailbox.mail;
  await using service = await openService({
    env: { MAIL_URL: url, MAIL_SENDER: sender, PUBLIC_URL: "https://mailvet.example", SIGN_UP_CREDITS: "5" },
  });
  const { ask, database } = service;
  await ask("/auth/sign-up", { body: { email: EMAIL, password: PASSWORD } });
  const token = /token=([\w-]+)/.exec((await mailbox.received(1)).content)?.[1];
  const cookie = cookieOf(await ask("/auth/confirm-email", { body: { token } }));
  await ask("/account/notifications", { method: "PATCH", cookie, body: { low_credits_threshold: 4 } });
  const { body: account } = await ask("/account", { cookie });
  const operator = { cookie: await service.operatorCookie() };
  await ask(`/operator/accounts/${account.id}`, {
    ...operator,
    method: "PATCH",
    body: { plan: "growth" },
  });
  const { body: created } = await ask("/keys", { cookie, body: { name: "nightly" } });
  const lists = listsOf(service, created);
  const mailAbout = async (subject: string) => {
    const mail = await mailbox.with(`Subject: ${subject}`);
    expect(mail).toMatchObject({ to: [EMAIL], from: sender });
    return mail.content;
  };

  // Completed; it has taken the balance from 5 to 3, below the threshold.
  const done = await lists.ended((await lists.confirm(await lists.upload(FILE, "people.csv"))).id);
  expect(done).toMatchObject({ status: "completed", credits_used: 2 });
  await runMaintenance(service);
  const completed = await mailAbout("people.csv is validated");
  expect(completed).toContain("Valid: 1\r\nRisky: 0\r\nInvalid: 1\r\nUnknown: 0\r\n");
  expect(completed).toContain(`https://mailvet.example/bulk/${done.id}`);
  const low = await mailAbout("Your Mailvet credits are low");
  expect(low).toContain("balance of your account is 3, which is below your threshold of 4");
  expect(low).toContain("https://mailvet.example/usage");

  // A saved list whose results were the other way round a month ago.
  const { body: list } = await ask("/lists", {
    cookie,
    body: { job_id: done.id, name: "customers", schedule: "daily" },
  });
  const makeDue = async () => {
    await database.pool.query(
      `update results set checked_at = now() - interval '30 days',
         status = case status when 'valid' then 'invalid' else 'valid' end,
         sub_status = case status when 'valid' then 'mailbox_not_found' else '' end`,
    );
    await database.pool.query("update saved_lists set next_run_at = now()");
    await runMaintenance(service);
  };
  await makeDue();
  await lists.until(done.id, ({ attempt, phase }) => attempt === 2 && phase === "done");

  // One credit is left, and each of these needs two.
  const program = { key: created.key };
  const refused = async (path: string, body: unknown) =>
    expectProblem(service, await ask(path, { ...program, body }), "insufficient_credits");
  const emails = ["valid@mailvet.test", "greylisted@mailvet.test"];
  await refused("/bulk/jobs", { emails, name: "nightly.json" });
  await refused("/bulk/jobs", { emails, name: "nightly2.json" });
  await refused(`/bulk/jobs/${done.id}/recheck`, { which: "all" });
  await makeDue();

  const changed = await mailAbout("customers has changed");
  expect(changed).toContain("Newly invalid: 1\r\nRecovered: 1");
  expect(changed).toContain(`https://mailvet.example/lists/${list.id}`);
  const needed = await mailAbout("nightly.json needs credits");
  expect(needed).toContain("The validation did not start. This costs 2 credits, and the balance is 1.");
  const notRun = await mailAbout("customers needs credits");
  expect(notRun).toContain("This costs 2 credits, and the balance is 1.");
  expect(notRun).toContain(`https://mailvet.example/lists/${list.id}`);
  expect(mailbox.mails.filter(({ content }) => /Subject: .* needs credits/.test(content))).toHaveLength(2);
});
