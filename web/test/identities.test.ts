/** The System page with several egress identities. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
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
