/** Display name of a mail provider: "google_workspace" is "Google Workspace". */
import { common } from "../messages.ts";

export function providerName(slug: string): string {
  return (
    common.providers[slug] ??
    slug
      .split("_")
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join(" ")
  );
}
