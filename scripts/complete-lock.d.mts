type Package = {
  optionalDependencies?: Record<string, string>;
  dev?: true;
  integrity?: string;
  link?: true;
  hasInstallScript?: true;
};
type Lock = { packages: Record<string, Package> };

export function missingOptionals(lock: Lock): Record<string, object>;
export function withoutIntegrity(lock: Lock): string[];
export function withInstallScript(lock: Lock): string[];
