/**
 * Tells operators when a mail provider begins to refuse an egress identity or a blocklist lists it, and when that ends: an
 * event in the log and an email, once each.
 *
 * Providers are looked at every minute, in the throttle states; blocklists once a day, by the diagnostics.
 */
import type { HostPace, ProviderState } from "@mailvet/contract";
import { BLOCKLIST_ZONES, DEFAULT_IDENTITY, type Doctor } from "@mailvet/engine";
import { and, eq } from "drizzle-orm";
import type { LogEvent } from "../base/log-events.ts";
import type { Database, Orm } from "../db/database.ts";
import { emailTemplates } from "../mail/email-templates.ts";
import type { Notifications } from "../notifications/notifications.ts";
import { providerStates, removalUrl } from "./provider-states.ts";
import { egressStates } from "./schema.ts";

export type EgressWatch = {
  noteRefusals(): Promise<void>;
  askBlocklists(): Promise<void>;
};

export type EgressWatchDeps = {
  database: Pick<Database, "orm">;
  listThrottles: () => HostPace[] | Promise<HostPace[]>;
  openDoctor: () => Doctor;
  notifications: Pick<Notifications, "tellOperators">;
  publicUrl: string;
  log: LogEvent;
};

type Known = typeof egressStates.$inferSelect;

export function createEgressWatch(deps: EgressWatchDeps): EgressWatch {
  const { database, listThrottles, openDoctor, notifications, publicUrl, log } = deps;

  /** Saves and tells what is new among the states, and what of the same kind `isOver`. */
  async function note(
    kind: Known["state"],
    states: readonly ProviderState[],
    isOver: (known: Known) => boolean,
  ): Promise<void> {
    const told = await database.orm.transaction(async (tx) => {
      const began: ProviderState[] = [];
      for (const one of states) if (await insert(tx, one)) began.push(one);
      const known = await tx.select().from(egressStates).where(eq(egressStates.state, kind)).for("update");
      const ended = known.filter(isOver);
      for (const { identity, provider } of ended)
        await tx.delete(egressStates).where(isOf(identity, provider));
      for (const one of began)
        await notifications.tellOperators(tx, emailTemplates.egressRefused(one, publicUrl));
      for (const one of ended)
        await notifications.tellOperators(tx, emailTemplates.egressAccepted(one, publicUrl));
      return { began, ended };
    });
    for (const one of told.began) log("egress_refused", one);
    for (const { reply: _, ...one } of told.ended) log("egress_accepted", one);
  }

  return {
    async noteRefusals() {
      const refused = providerStates(await listThrottles()).filter(({ state }) => state === "refused");
      await note("refused", refused, (known) => !refused.some((one) => isSame(one, known)));
    },

    async askBlocklists() {
      const listed: ProviderState[] = [];
      const clear: Pick<ProviderState, "identity" | "provider">[] = [];
      const doctor = openDoctor();
      try {
        for await (const {
          name: provider,
          identity = DEFAULT_IDENTITY,
          outcome,
          found,
        } of doctor.examine()) {
          if (!BLOCKLIST_ZONES.includes(provider)) continue;
          if (outcome === "bad")
            listed.push(listing({ identity, provider, reply: found, since: new Date() }));
          else if (outcome === "good") clear.push({ identity, provider });
        }
      } finally {
        doctor.close();
      }
      await note("listed", listed, (known) => clear.some((one) => isSame(one, known)));
    },
  };
}

/** Identities that blocklists listed when they were asked last. */
export async function listedIdentities({ orm }: Pick<Database, "orm">): Promise<ProviderState[]> {
  const rows = await orm.select().from(egressStates).where(eq(egressStates.state, "listed"));
  return rows.map(listing);
}

function listing({ identity, provider, since, reply }: Omit<Known, "state">): ProviderState {
  return {
    identity,
    provider,
    state: "listed",
    since: since.toISOString(),
    retry_at: null,
    reply,
    removal_url: removalUrl("", provider),
  };
}

/** False: operators were told already. */
async function insert(tx: Orm, { identity, provider, state, since, reply }: ProviderState): Promise<boolean> {
  if (state === "slowed") return false;
  const row = { identity, provider, state, since: new Date(since!), reply };
  return (await tx.insert(egressStates).values(row).onConflictDoNothing().returning()).length > 0;
}

const isOf = (identity: string, provider: string) =>
  and(eq(egressStates.identity, identity), eq(egressStates.provider, provider));

const isSame = (one: Pick<ProviderState, "identity" | "provider">, { identity, provider }: Known) =>
  one.identity === identity && one.provider === provider;
