/**
 * Ends event streams and long polls within a second when the key or session that opened them no longer may: revoked,
 * signed out, or a plan without access.
 *
 * Checked again when a notification says that something about the account changed; without notifications, every half
 * second.
 */
import { SESSION_ENDED } from "../../accounts/sessions.ts";
import type { Refusal } from "../../base/refusal.ts";
import { ACCOUNT_CHANGED, type PubSub } from "../../db/pubsub.ts";
import { KEY_CHANGED } from "../../keys/key-cache.ts";

export type CredentialWatch = {
  /** Calls `onEnd` once, as soon as the credential is refused. Stop following when the response has ended. */
  follow(credential: FollowedCredential, onEnd: OnCredentialEnd): () => void;
};

export type FollowedCredential = {
  accountId: string;
  /** Undefined while it is accepted. */
  refusal(): Promise<Refusal | undefined>;
};

export type OnCredentialEnd = (refusal: Refusal) => void;

type Follower = FollowedCredential & { onEnd: OnCredentialEnd };

const CHECK_WITHOUT_NOTIFICATIONS_MS = 500;

export function createCredentialWatch({
  notices,
}: {
  notices: Pick<PubSub, "on" | "onGap" | "isListening">;
}): CredentialWatch {
  const followers = new Set<Follower>();
  let timer: NodeJS.Timeout | undefined;

  const check = async (follower: Follower) => {
    // If the database is unavailable, notifications are too, and the timer checks again.
    const refusal = await follower.refusal().catch(() => undefined);
    if (refusal && followers.delete(follower)) follower.onEnd(refusal);
  };
  const checkAll = (accountId?: string) => {
    for (const follower of followers) {
      if (accountId === undefined || follower.accountId === accountId) void check(follower);
    }
  };
  notices.on(KEY_CHANGED, () => checkAll()); // its payload is the key's hash
  notices.on(ACCOUNT_CHANGED, checkAll);
  notices.on(SESSION_ENDED, checkAll);
  notices.onGap(() => checkAll());

  const stopIfIdle = () => {
    if (followers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    follow(credential, onEnd) {
      const follower = { ...credential, onEnd };
      followers.add(follower);
      timer ??= setInterval(() => {
        if (!notices.isListening) checkAll();
        stopIfIdle();
      }, CHECK_WITHOUT_NOTIFICATIONS_MS).unref();
      void check(follower); // it may have ended between authentication and now
      return () => {
        followers.delete(follower);
        stopIfIdle();
      };
    },
  };
}
