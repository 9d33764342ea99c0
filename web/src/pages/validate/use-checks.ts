/** Checking addresses, one at a time, and remembering what came of it. */
import { useMutation, useMutationState, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { accountQuery, queries, service, sessionQuery } from "../../queries.ts";
import {
  type Check,
  type PendingCheck,
  readChecks,
  type StoredChecks,
  storeChecks,
  withCheck,
} from "./check-storage.ts";

const CHECK = ["check"];

export type Checks = {
  /** Newest first. */
  checks: Check[];
  /** The address that is being asked about at this moment. */
  pendingEmail: string | undefined;
  /** The last check that failed, if it was the last one. */
  failure: { email: string; error: unknown } | undefined;
  check(email: string): void;
};

export function useChecks(): Checks {
  const accountId = useQuery(sessionQuery).data?.account.id ?? "";
  const memoryKey = ["checks", accountId];
  const { data: memory } = useQuery({
    queryKey: memoryKey,
    queryFn: () => readChecks(accountId),
    initialData: () => readChecks(accountId),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const change = (next: (memory: StoredChecks) => StoredChecks) => {
    const kept = next(queries.getQueryData<StoredChecks>(memoryKey) ?? readChecks(accountId));
    queries.setQueryData(memoryKey, kept);
    storeChecks(kept);
  };

  const { mutate, error, variables } = useMutation({
    mutationKey: CHECK,
    mutationFn: ({ email, onceKey }: PendingCheck) => service.validate(email, { idempotencyKey: onceKey }),
    onMutate: (underWay) => change((before) => ({ ...before, underWay })),
    onSuccess: (result) => change((before) => withCheck(before, { result, receivedAtMs: Date.now() })),
    onError: () => change((before) => ({ ...before, underWay: undefined })),
    onSettled() {
      for (const queryKey of [accountQuery.queryKey, ["usage"], ["credits"]])
        void queries.invalidateQueries({ queryKey });
    },
  });
  // Of the whole app rather than of this page: a check goes on while one looks at another page.
  const [pending] = useMutationState({
    filters: { mutationKey: CHECK, status: "pending" },
    select: ({ state }) => state.variables as PendingCheck,
  });

  const { underWay } = memory;
  // biome-ignore lint/correctness/useExhaustiveDependencies: on arrival only, what a reload has left behind
  useEffect(() => {
    if (underWay && queries.isMutating({ mutationKey: CHECK }) === 0) mutate(underWay);
  }, []);

  return {
    checks: memory.checks,
    pendingEmail: pending?.email,
    failure: error && variables ? { email: variables.email, error } : undefined,
    check: (email) => mutate({ email, onceKey: onceKey() }),
  };
}

/** Browsers keep crypto.randomUUID from pages that came over plain http. */
function onceKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
