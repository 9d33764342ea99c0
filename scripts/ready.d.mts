/** Builds the web app when one of its sources is newer than the last build. */
export function buildWebApp(): Promise<void>;
