/**
 * Detects a device in the network that answers for all mail servers, as some firewalls and providers of Internet access
 * have: the banners of different mail providers name the same host. What it replies is not about the mailboxes.
 */
import { getDomain } from "../../address/public-suffix.ts";
import { mailProviderOf } from "../../reference/mail-provider.ts";

/** So many different providers do not name the same host. Two may, where one runs the servers of the other. */
export const MIN_SHARED_BANNERS = 3;

export class Interception {
  /** By provider: the host that its last banner named, where that is none of its own. */
  readonly #foreignNames = new Map<string, string>();
  #device: string | undefined;

  /** `bannerName`: the host that the banner of this mail host names. */
  greeted(host: string, bannerName: string | undefined): void {
    const provider = mailProviderOf([host], "");
    if (provider === "other" || bannerName === undefined) return;
    const known = this.#foreignNames.get(provider);
    const isOwn = getDomain(bannerName) === getDomain(host);
    if (isOwn && known === undefined) return;
    if (isOwn) this.#foreignNames.delete(provider);
    else this.#foreignNames.set(provider, bannerName);
    this.#device = sharedName([...this.#foreignNames.values()]);
  }

  /** Whether a server with this banner is the device. */
  isDevice(bannerName: string | undefined): boolean {
    return this.#device !== undefined && bannerName === this.#device;
  }
}

function sharedName(names: readonly string[]): string | undefined {
  return names.find((name) => names.filter((other) => other === name).length >= MIN_SHARED_BANNERS);
}
