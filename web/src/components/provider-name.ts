/** Display name of a mail provider: "google_workspace" is "Google Workspace". A mail host keeps its name. */
import { common } from "../messages.ts";

export function providerName(slug: string): string {
  if (slug.includes(".")) return slug;
  return (
    common.providers[slug] ??
    slug
      .split("_")
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join(" ")
  );
}
