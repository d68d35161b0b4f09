interface Policy {
  createScriptURL(url: string): string;
}

let policy: Policy | undefined;
const admitted = new Set<string>();

/**
 * Starts one of the app's own workers. `url` must come from an `?worker&url` import, because the page has
 * `require-trusted-types-for 'script'` and its only policy admits exactly these URLs.
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
