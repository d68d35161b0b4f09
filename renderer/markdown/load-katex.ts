type Katex = typeof import('katex').default;

let loaded: Katex | null = null;
let loading: Promise<Katex> | null = null;

/** KaTeX, if it is loaded. */
export const katexNow = (): Katex | null => loaded;

/** Loads KaTeX and its styles with the first formula. */
export function loadKatex(): Promise<Katex> {
  loading ??= Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(([{ default: katex }]) => {
    loaded = katex;
    return katex;
  });
  return loading;
}
