/** The bundler's information on modules while it splits them into chunks. */
interface Context {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

export const firstChunkName = 'first';

/**
 * Puts everything that the window imports before it's drawn into one chunk: a few dozen small chunks
 * compress worse and arrive later.
 */
export function firstChunk(entry: string) {
  const found = new Set<string>();
  function find(id: string, context: Context): void {
    if (found.has(id)) return;
    found.add(id);
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) find(imported, context);
  }
  return {
    name(id: string, context: Context) {
      if (found.size === 0) find(entry, context);
      return found.has(id) ? firstChunkName : null;
    },
  };
}
