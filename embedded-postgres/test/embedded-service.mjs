/**
 * A small service on an embedded database, for tests to start and to kill: `ready`, then `saved <n>` for each row that
 * the database has acknowledged; or `refused: <why>`. SIGTERM stops it cleanly. Kills itself at a given event.
 *
 * Plain JavaScript on the build: it is started many times, and compiling took longer than running.
 */
import pg from "pg";
import { EmbeddedPostgresError, startEmbeddedPostgres } from "../dist/index.js";

const say = (text) => process.stdout.write(`${text}\n`);
try {
  const [dataDirectory, orphanGraceSeconds, fatalEvent] = process.argv.slice(2);
  const server = await startEmbeddedPostgres({
    dataDirectory,
    onEvent({ event }) {
      say(event);
      // timing: a little later, when what it announces has begun
      if (event === fatalEvent) setTimeout(() => process.kill(process.pid, "SIGKILL"), 20);
    },
    orphanGraceSeconds: Number(orphanGraceSeconds),
  });
  say("ready");
  const client = new pg.Client(server.connection);
  client.on("error", () => {});
  await client.connect();
  let isStopping = false;
  process.once("SIGTERM", () => {
    isStopping = true;
  });
  await client.query("CREATE TABLE IF NOT EXISTS saved (n int PRIMARY KEY)");
  while (!isStopping) {
    const { rows } = await client.query(
      "INSERT INTO saved SELECT coalesce(max(n), 0) + 1 FROM saved RETURNING n",
    );
    say(`saved ${rows[0]?.n}`);
  }
  await client.end();
  await server.stop();
  say("stopped");
} catch (error) {
  if (!(error instanceof EmbeddedPostgresError)) throw error;
  say(`refused: ${error.message}`);
}
