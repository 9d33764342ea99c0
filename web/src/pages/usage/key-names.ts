/** What to call a key in lists. Those revoked long ago have no name any more. */
import type { ApiKey } from "@mailvet/contract";

export const WEB_APP = "web";

export function keyNames(keys: readonly ApiKey[] | undefined): (keyId: string | null) => string {
  const names = new Map(
    keys?.map(({ id, name, revoked_at }) => [id, revoked_at ? `${name} (revoked)` : name]),
  );
  return (keyId) => (keyId === null ? "Web app" : (names.get(keyId) ?? `Key ${keyId.slice(0, 8)}`));
}
