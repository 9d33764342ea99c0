/** The System page with several egress identities, and what refuses them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { beginPaused, listsOf } from "../../service/test/jobs-http-world.ts";
import { journeysIn } from "./journey.ts";

const folder = mkdtempSync(join(tmpdir(), "mailvet-egress-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "egress.json");
const identities = [
  { name: "probe-1", ehlo_name: "probe-1.firm.test", source_address: "127.0.0.2", sessions_per_day: 500 },
  {
    name: "probe-2",
    ehlo_name: "probe-2.firm.test",
    socks_proxy: "socks5://ann:secret@127.0.0.1:1",
    providers: ["google"],
    share: 2,
  },
];
writeFileSync(path, JSON.stringify({ identities }));
const journey = journeysIn({ env: { EGRESS_FILE: path } });

journey(
  "the operator sees each identity, its use today and where it is blocked",
  async ({ service, visit }) => {
    const { pool } = service.database;
    await pool.query("insert into egress_sessions values ('probe-1', (now() at time zone 'utc')::date, 500)");
    await pool.query(
      `insert into throttle_states (key, "limit", rest_ms, refusals, tripped_until, tripped_by)
     values ('mx.strict.test from probe-1', 1, 0, 3, now() + interval '10 minutes', '{"code":554,"lines":["listed"]}')`,
    );
    const { page, open } = await visit({ cookie: await service.operatorCookie() });
    await open("/operator/system");
    const table = page.getByRole("table", { name: "Egress identities" });
    const first = table.getByRole("row", { name: /probe-1/ });
    await first.getByText("127.0.0.2").waitFor();
    await first.getByText("postmaster@probe-1.firm.test", { exact: true }).waitFor();
    await first.getByText("500 of 500").waitFor();
    await first.getByText("Cap reached").waitFor();
    await first.getByText("mx.strict.test").waitFor();
    const second = table.getByRole("row", { name: /probe-2/ });
    await second.getByText("socks5://127.0.0.1:1").waitFor(); // without the password
    await second.getByText("Only google").waitFor();
    await page.getByRole("region", { name: "Throttling" }).getByText("From probe-1").waitFor();
  },
);

journey(
  "the operator sees who refuses the installation, with the reply and where to request removal; the owner of a list, what it waits for",
  async ({ service, visit }) => {
    const { pool } = service.database;
    const reply = "Access denied, banned sending IP [192.0.2.1]";
    await pool.query(
      `insert into throttle_states (key, "limit", rest_ms, refusals, refused_since, tripped_until, tripped_by)
       values ('provider microsoft_365 from probe-1', 1, 0, 3, '2026-11-19T14:05:00Z', now() + interval '10 minutes', $1)`,
      [JSON.stringify({ code: 550, enhanced: "5.7.606", lines: [reply] })],
    );
    await pool.query(
      "insert into egress_states (identity, provider, state, since, reply) values ('probe-2', 'zen.spamhaus.org', 'listed', now(), 'SBL')",
    );
    const operator = await visit({ cookie: await service.operatorCookie() });
    await operator.open("/operator/system");
    const providers = operator.page.getByRole("region", { name: "Mail providers" });
    const refused = providers.getByRole("alert").filter({ hasText: "refuses this installation since" });
    await refused.getByText("Microsoft 365 (from probe-1)").waitFor();
    await refused.getByText(`550 5.7.606 ${reply}`).waitFor();
    const removal = (alert: typeof refused) => alert.getByRole("link", { name: "Request removal" });
    expect(await removal(refused).getAttribute("href")).toBe("https://sender.office.com/");
    const listed = providers.getByRole("alert").filter({ hasText: "The blocklist zen.spamhaus.org" });
    expect(await removal(listed).getAttribute("href")).toBe("https://check.spamhaus.org/");

    const account = await service.openAccount();
    const job = await beginPaused(listsOf(service, account), pool, "email\nslow-3s@mailvet.test\n");
    await pool.query(
      `update slices set waits_for = 'microsoft_365', refused_since = '2026-11-19T14:05:00Z', waiting = '{"probe_blocked": 1}'
       where job_id = $1`,
      [job.id],
    );
    const owner = await visit({ cookie: account.cookie });
    await owner.open(`/bulk/${job.id}`);
    await owner.page
      .getByText(/^Microsoft 365 refuses this installation since .* 1 email waits for it/)
      .waitFor();
  },
);
