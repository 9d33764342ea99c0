/** Runs checks one at a time and stores their results in this tab. */
import { createIdempotencyKey } from "@mailvet/sdk";
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

  pendingEmail: string | undefined;
  /** Set when the latest check failed. */
  failure: { email: string; error: unknown } | undefined;
  check(email: string): void;
};

export function useChecks(): Checks {
  const accountId = useQuery(sessionQuery).data?.account.id ?? "";
  const storedKey = ["checks", accountId];
  const { data: stored } = useQuery({
    queryKey: storedKey,
    queryFn: () => readChecks(accountId),
    initialData: () => readChecks(accountId),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const update = (change: (stored: StoredChecks) => StoredChecks) => {
    const next = change(queries.getQueryData<StoredChecks>(storedKey) ?? readChecks(accountId));
    queries.setQueryData(storedKey, next);
    storeChecks(next);
  };

  const { mutate, error, variables } = useMutation({
    mutationKey: CHECK,
    mutationFn: ({ email, idempotencyKey }: PendingCheck) => service.validate(email, { idempotencyKey }),
    onMutate: (pending) => update((before) => ({ ...before, pending })),
    onSuccess: (result) => update((before) => withCheck(before, { result, receivedAtMs: Date.now() })),
    onError: () => update((before) => ({ ...before, pending: undefined })),
    onSettled() {
      for (const queryKey of [accountQuery.queryKey, ["usage"], ["credits"]])
        void queries.invalidateQueries({ queryKey });
    },
  });
  // From the mutation cache: a check continues while another page is open.
  const [running] = useMutationState({
    filters: { mutationKey: CHECK, status: "pending" },
    select: ({ state }) => state.variables as PendingCheck,
  });

  const { pending } = stored;
  // biome-ignore lint/correctness/useExhaustiveDependencies: on mount only, for a check interrupted by a reload
  useEffect(() => {
    if (pending && queries.isMutating({ mutationKey: CHECK }) === 0) mutate(pending);
  }, []);

  return {
    checks: stored.checks,
    pendingEmail: running?.email,
    failure: error && variables ? { email: variables.email, error } : undefined,
    check: (email) => mutate({ email, idempotencyKey: createIdempotencyKey() }),
  };
}
