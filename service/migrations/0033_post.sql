-- All processes of the earlier release must be stopped: it does not know the columns of the ledger.
-- Of runs that have not ended. By a join: a lookup per entry would read all jobs for each.
UPDATE "ledger" l SET "key_id" = j.key_id FROM jobs j
WHERE l.account_id = j.account_id and l.idempotency_key = 'job reserve ' || j.reservation_id;--> statement-breakpoint
DROP INDEX "ledger_account_id_idempotency_key_index";--> statement-breakpoint
ALTER TABLE "ledger" ADD COLUMN "key" text;--> statement-breakpoint
ALTER TABLE "ledger" ADD COLUMN "subject" text;--> statement-breakpoint
-- Only a reservation, or what was charged under an Idempotency-Key, is ever looked for again: that of a run ("job reserve <id>"), and
-- those of checks in the table of reservations. A part that was refunded has "part <key>". Other entries need a unique key only.
UPDATE "ledger" l SET
  "subject" = case when kind in ('grant', 'adjust') then 'grant' when idempotency_key like 'job %' then 'run' else 'check' end,
  "key" = case
    when idempotency_key like 'job %' then split_part(idempotency_key, ' ', 3)
    when idempotency_key like 'part %' then substr(idempotency_key, 6)
    when idempotency_key is not null then idempotency_key
    when kind = 'reserve' and exists (
      select from reservations r where r.account_id = l.account_id and r.reference = l.reference
    ) then reference
    else number || ' ' || reference
  end;--> statement-breakpoint
ALTER TABLE "ledger" ALTER COLUMN "key" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "ledger" ALTER COLUMN "subject" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "ledger" DROP COLUMN "idempotency_key";--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_key" ON "ledger" USING btree ("account_id","key","kind");--> statement-breakpoint
/*
 * The only writer of the ledger: writes a batch of entries, and tells of each its outcome and the balance after it. Outcomes:
 *   known: the key has an entry of this kind; nothing: nothing is left to refund, settle or release; refused: more than there is;
 *   written.
 *
 * Each balance is locked by a statement of its own, in the order of the accounts, so that later statements see what was committed
 * while it waited. Plans are made once per connection, perhaps while the tables are empty, and must not read a whole ledger later:
 * only lookups by key, no joins.
 *
 * Never changed in place: a release with other rules adds post_2 beside it.
 */
CREATE FUNCTION "post"(asked json) RETURNS TABLE (n int, outcome text, balance_after bigint)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
declare
  a record; -- what is asked
  b balances; -- its account, as the items before have left it
  origin ledger; -- the entry that a refund, settle or release is a part of
  written text;
  most bigint;
  change bigint;
  held bigint;
  -- Credits used by the account in this batch. A refund is subtracted from the day of what it returns.
  days date[];
  keys uuid[];
  credits bigint[];
begin
  for a in
    select * from json_to_recordset(asked) as item
      (n int, account_id uuid, kind text, key text, amount bigint, subject text, reference text, key_id uuid)
    union all select null, null, null, null, null, null, null, null -- ends the last account
    order by account_id, n
  loop
    if b.account_id is distinct from a.account_id then
      update balances x set balance = b.balance, reserved = b.reserved, entries = b.entries
      where x.account_id = b.account_id and x.entries < b.entries;
      insert into usage_days as u (account_id, day, key_id, valid, invalid, risky, unknown, credits_used)
      select b.account_id, used.day, used.key_id, 0, 0, 0, 0, sum(used.credits)
      from unnest(days, keys, credits) as used (day, key_id, credits)
      group by used.day, used.key_id order by used.day, used.key_id
      on conflict on constraint usage_day do update set credits_used = u.credits_used + excluded.credits_used;
      days := '{}'; keys := '{}'; credits := '{}';
      exit when a.account_id is null;
      select x.* into b from balances x where x.account_id = a.account_id for update;
    end if;
    if a.kind in ('refund', 'settle', 'release') then
      select l.* into origin from ledger l where l.account_id = a.account_id and l.key = a.key
        and l.kind = case a.kind when 'refund' then 'settle' else 'reserve' end;
      if a.kind = 'refund' then most := -origin.amount - origin.reserved_change;
      else most := (select sum(l.reserved_change) from ledger l where l.account_id = a.account_id and l.key = a.key);
      end if;
      a.amount := coalesce(a.amount, most);
      a.subject := origin.subject;
      a.reference := origin.reference;
      a.key_id := origin.key_id;
    else
      most := case a.kind when 'grant' then a.amount else b.balance end;
    end if;
    written := case a.kind when 'charge' then 'settle' else a.kind end;
    outcome := case
      when exists (select from ledger l where l.account_id = a.account_id and l.key = a.key and l.kind = written) then 'known'
      when coalesce(a.amount, 0) = 0 then 'nothing'
      when a.amount <= most then 'written'
      else 'refused' end;
    if outcome = 'written' then
      change := case when a.kind in ('grant', 'release', 'refund') then a.amount when a.kind = 'settle' then 0 else -a.amount end;
      held := case when a.kind = 'reserve' then a.amount when a.kind in ('settle', 'release') then -a.amount else 0 end;
      b.balance := b.balance + change;
      b.reserved := b.reserved + held;
      b.entries := b.entries + 1;
      insert into ledger (account_id, number, kind, amount, reserved_change, balance_after, key, subject, reference, key_id)
      values (a.account_id, b.entries, written, change, held, b.balance, a.key, a.subject, a.reference, a.key_id);
      if written in ('settle', 'refund') then
        days := days || (case written when 'refund' then origin.created_at else now() end at time zone 'utc')::date;
        keys := keys || a.key_id;
        credits := credits || -change - held;
      end if;
    end if;
    n := a.n;
    balance_after := coalesce(b.balance, 0);
    return next;
  end loop;
end $$;--> statement-breakpoint
-- What checks of killed processes held.
SELECT "post"(json_agg(json_build_object(
  'n', row_number, 'account_id', account_id, 'kind', 'release', 'key', reference
)))
FROM (SELECT account_id, reference, row_number() over () FROM "reservations" WHERE expires_at is not null) held;--> statement-breakpoint
-- Of charges that were not confirmed, those with an Idempotency-Key are found by the repetition; others stand from now on.
DROP TABLE "reservations";--> statement-breakpoint
DROP TABLE "unanswered_batches";--> statement-breakpoint
DROP TABLE "unanswered_charges";
