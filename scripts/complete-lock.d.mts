type Lock = { packages: Record<string, { optionalDependencies?: Record<string, string>; dev?: true }> };

export function missingOptionals(lock: Lock): Record<string, object>;
