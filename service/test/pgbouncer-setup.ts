/** Says after the summary which tests did not run because PgBouncer is missing. */
import { hasPgBouncer, NO_PGBOUNCER } from "./replicated-postgres.ts";

export default function setup(): () => void {
  return () => {
    if (!hasPgBouncer)
      process.stderr.write(`\nmailvet: SKIPPED: service/test/failover.test.ts. ${NO_PGBOUNCER}\n`);
  };
}
