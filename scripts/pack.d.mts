/** Types of pack.mjs for the tests that use it. */
export function packAll(folder: string): Promise<Map<string, string>>;
export function stageLibrary(workspace: string, stages: string): string;
