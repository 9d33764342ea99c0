/** Hourly upkeep repairs what only a fault can leave behind. */
import { expect, test } from "vitest";
import { keepUpQueues } from "../src/queue/upkeep.ts";
import { openQueueWorld, type QueueWorld } from "./queue-world.ts";

const keepUp = ({ database, boss, feed }: QueueWorld) => keepUpQueues({ pool: database.pool, boss, feed });

async function counts({ database }: QueueWorld): Promise<[counted: number, real: number][]> {
  const text = `select turns, (
      select count(*) from pgboss.job where name = 'slice' and group_id = account_id::text and state = 'created'
    ) as real from queue_shares where queue = 'slice' order by account_id`;
  return (await database.pool.query(text)).rows.map(({ turns, real }) => [turns, real]);
}

test("an account whose turns were lost gets them again", async () => {
  await using world = await openQueueWorld();
  const [hit, other] = [await world.account(), await world.account()];
  await world.group(hit, 30);
  await world.group(other, 5);
  await world.claim(2);
  await world.database.pool.query("delete from pgboss.job where group_id = $1 and state = 'created'", [hit]);
  expect((await world.claim(50)).every(({ accountId }) => accountId === other)).toBe(true);

  await keepUp(world);

  const claimed = await world.claim(50);
  expect(claimed.length).toBeGreaterThanOrEqual(28);
  expect(claimed.every(({ accountId }) => accountId === hit)).toBe(true);
  for (const [counted, real] of await counts(world)) expect(counted).toBe(real);
});

test("tasks that are ready get turns although their account has no share", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 3);
  await world.database.pool.query("update tasks set state = 'ready'");
  expect(await world.claim(3)).toEqual([]);

  await keepUp(world);

  expect(await world.claim(3)).toHaveLength(3);
});

test("counts that are right, also of claimed and released turns, stay as they are", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 50);
  const [lost] = await world.claim(3);
  await world.lose(lost!);
  const before = await counts(world);

  await keepUp(world);

  expect(await counts(world)).toEqual(before);
  expect(before).toEqual([[32, 32]]);
});

test("upkeep while processes claim leaves every count right", async () => {
  await using world = await openQueueWorld();
  const { tasks, database } = world;
  for (let account = 0; account < 3; account++) await world.group(await world.account(), 60);
  const work = async () => {
    for (let claims = 0; claims < 20; claims++) {
      for (const task of await world.claim(3)) await tasks.postpone(database.orm, task, {});
    }
  };
  const disturb = async () => {
    for (let round = 0; round < 5; round++) {
      // One row at a time: in another order than the claims, all of them would be a deadlock.
      for (const { id } of (await database.pool.query("select account_id as id from queue_shares")).rows)
        await database.pool.query("update queue_shares set turns = turns + 5 where account_id = $1", [id]);
      await keepUp(world);
    }
  };
  await Promise.all([work(), work(), disturb()]);
  await keepUp(world);
  for (const [counted, real] of await counts(world)) expect(counted).toBe(real);
});
