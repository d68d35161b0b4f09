interface Policy {
  createScriptURL(url: string): string;
}

let policy: Policy | undefined;
const admitted = new Set<string>();

/**
 * Starts one of the window's own workers. `url` must come from an `?worker&url` import: the page lives under
 * `require-trusted-types-for 'script'`, and its one policy admits exactly what was named here.
 */
export function startWorker(url: string): Worker {
  const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };
  admitted.add(url);
  policy ??= trustedTypes?.createPolicy('portico', {
    createScriptURL: (asked) => {
      if (!admitted.has(asked)) throw new TypeError('Only the app’s own workers may be started');
      return asked;
    },
  });
  return new Worker(policy?.createScriptURL(url) ?? url, { type: 'module' });
}
