/**
 * Detects a device in the network that answers for all mail servers, as some firewalls and providers of Internet access
 * have: the banners of different mail providers name the same host. What it replies is not about the mailboxes.
 */
import { getDomain } from "../../address/public-suffix.ts";
import { mailProviderOf } from "../../reference/mail-provider.ts";

/** So many different providers do not name the same host. Two may, where one runs the servers of the other. */
export const MIN_SHARED_BANNERS = 3;

/** A mail host, and the host that its banner names. */
export type Greeting = { host: string; bannerName: string | undefined };

export class Interception {
  /** By provider: its last greeting, where that names a host that is none of its own. */
  readonly #foreign = new Map<string, Greeting>();
  #device: string | undefined;

  /** True if it was news. */
  greeted({ host, bannerName }: Greeting): boolean {
    const provider = mailProviderOf([host], "");
    if (provider === "other" || bannerName === undefined) return false;
    const known = this.#foreign.get(provider);
    const isOwn = namesItself({ host, bannerName });
    if (isOwn ? known === undefined : known?.bannerName === bannerName) return false;
    if (isOwn) this.#foreign.delete(provider);
    else this.#foreign.set(provider, { host, bannerName });
    this.#device = sharedName(this.foreignGreetings.map((greeting) => greeting.bannerName));
    return true;
  }

  get foreignGreetings(): Greeting[] {
    return [...this.#foreign.values()];
  }

  /** Whether the device has answered for this host. One that names itself is believed: banners can be forged. */
  isDevice(greeting: Greeting): boolean {
    return this.#device !== undefined && greeting.bannerName === this.#device && !namesItself(greeting);
  }
}

function namesItself({ host, bannerName = "" }: Greeting): boolean {
  return getDomain(bannerName) === getDomain(host);
}

function sharedName(names: readonly Greeting["bannerName"][]): string | undefined {
  return names.find((name) => names.filter((other) => other === name).length >= MIN_SHARED_BANNERS);
}
