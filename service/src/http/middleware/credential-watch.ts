/**
 * Ends event streams and long polls within a second when the key or session that opened them no longer may: revoked,
 * signed out, or a plan without access.
 *
 * Checked again when a notification says that something about the account changed; without notifications, or after a check
 * that failed, every half second.
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

type Follower = FollowedCredential & {
  onEnd: OnCredentialEnd;
  /** Something may have changed since the last check began, or that check failed. */
  isDue: boolean;
  isChecking: boolean;
};

const CHECK_EVERY_MS = 500;

export function createCredentialWatch({
  notices,
}: {
  notices: Pick<PubSub, "on" | "onGap" | "isListening">;
}): CredentialWatch {
  const followers = new Set<Follower>();
  let timer: NodeJS.Timeout | undefined;

  /** One at a time for each follower. */
  const check = async (follower: Follower) => {
    follower.isDue = true;
    if (follower.isChecking) return;
    follower.isChecking = true;
    try {
      while (follower.isDue && followers.has(follower)) {
        follower.isDue = false;
        const refusal = await follower.refusal();
        if (refusal && followers.delete(follower)) follower.onEnd(refusal);
      }
    } catch {
      follower.isDue = true; // the database is unavailable or overloaded: the timer checks again
    } finally {
      follower.isChecking = false;
    }
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
      const follower = { ...credential, onEnd, isDue: false, isChecking: false };
      followers.add(follower);
      timer ??= setInterval(() => {
        const { isListening } = notices;
        for (const one of followers) if (one.isDue || !isListening) void check(one);
        stopIfIdle();
      }, CHECK_EVERY_MS).unref();
      void check(follower); // it may have ended between authentication and now
      return () => {
        followers.delete(follower);
        stopIfIdle();
      };
    },
  };
}
