/** Builds the web app when one of its sources is newer than the last build. */
export function buildWebApp(): Promise<void>;
/** Builds the programs when one of their sources is newer than the last build. */
export function buildPrograms(): Promise<void>;
