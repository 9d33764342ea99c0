/** Accounts with cached verdicts, so that outcomes can be matched. */
import { type Evidence, readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import { SANDBOX_OUTCOMES } from "../src/validations/sandbox-outcomes.ts";
import { createVerdictCache } from "../src/validations/verdict-cache.ts";
import type { TestService } from "./service.ts";

export type Said = { email: string; subStatus: keyof typeof SANDBOX_OUTCOMES; provider: string };

const verifier = verifierFrom(readEngineSettings(settingsFrom({ AI_ENHANCEMENT: "off" })));

/** Inserts verdicts into an account's cache, as if its addresses had just been checked. */
export async function remember(
  { database }: TestService,
  accountId: string,
  said: readonly Said[],
): Promise<void> {
  const memory = createVerdictCache({ database, log: () => {} });
  const checkedAtMs = Date.now();
  for (const { email, subStatus, provider } of said) {
    const evidence: Evidence = {
      ...SANDBOX_OUTCOMES[subStatus](verifier.begin(email, "syntax").evidence),
      provider,
    };
    memory.store(accountId, email, evidence, checkedAtMs);
  }
  await memory.close();
}

/** The account's stored calibration cells, and the same computed from its outcomes. */
export async function cellsOf({ database }: TestService, accountId: string) {
  const { rows: kept } = await database.pool.query(
    `select provider, band, outcomes, bounced, round(predicted::numeric, 6)::float8 as predicted
     from calibration_cells where account_id = $1 and outcomes <> 0 order by provider, band`,
    [accountId],
  );
  const { rows: counted } = await database.pool.query(
    `select provider, case when sub_status in ('', 'privacy_relay', 'agent_mailbox', 'role_based') then 10 else 0 end
         + least(9, score / 10) as band,
       count(*)::int as outcomes, (count(*) filter (where outcome = 'bounced'))::int as bounced,
       round(sum(1 - score / 100.0), 6)::float8 as predicted
     from outcomes where account_id = $1 and score is not null group by 1, 2 order by 1, 2`,
    [accountId],
  );
  return { kept, counted };
}

/** Deterministic random numbers. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
