import type { LanguageInput } from 'shiki/core';

/** Grammars for highlighting by the names of `getLanguage`; each is loaded on first use. */
const list: readonly (readonly [name: string, load: LanguageInput])[] = [
  ['shellscript', () => import('shiki/langs/shellscript.mjs')],
  ['shellsession', () => import('shiki/langs/shellsession.mjs')],
  ['c', () => import('shiki/langs/c.mjs')],
  ['cpp', () => import('shiki/langs/cpp.mjs')],
  ['csharp', () => import('shiki/langs/csharp.mjs')],
  ['css', () => import('shiki/langs/css.mjs')],
  ['dart', () => import('shiki/langs/dart.mjs')],
  ['diff', () => import('shiki/langs/diff.mjs')],
  ['dockerfile', () => import('shiki/langs/docker.mjs')],
  ['elixir', () => import('shiki/langs/elixir.mjs')],
  ['go', () => import('shiki/langs/go.mjs')],
  ['graphql', () => import('shiki/langs/graphql.mjs')],
  ['haskell', () => import('shiki/langs/haskell.mjs')],
  ['html', () => import('shiki/langs/html.mjs')],
  ['http', () => import('shiki/langs/http.mjs')],
  ['ini', () => import('shiki/langs/ini.mjs')],
  ['java', () => import('shiki/langs/java.mjs')],
  ['javascript', () => import('shiki/langs/javascript.mjs')],
  ['json', () => import('shiki/langs/json.mjs')],
  ['jsonc', () => import('shiki/langs/jsonc.mjs')],
  ['jsx', () => import('shiki/langs/jsx.mjs')],
  ['julia', () => import('shiki/langs/julia.mjs')],
  ['kotlin', () => import('shiki/langs/kotlin.mjs')],
  ['latex', () => import('shiki/langs/latex.mjs')],
  ['lua', () => import('shiki/langs/lua.mjs')],
  ['makefile', () => import('shiki/langs/make.mjs')],
  ['markdown', () => import('shiki/langs/markdown.mjs')],
  ['nginx', () => import('shiki/langs/nginx.mjs')],
  ['perl', () => import('shiki/langs/perl.mjs')],
  ['php', () => import('shiki/langs/php.mjs')],
  ['powershell', () => import('shiki/langs/powershell.mjs')],
  ['proto', () => import('shiki/langs/proto.mjs')],
  ['python', () => import('shiki/langs/python.mjs')],
  ['r', () => import('shiki/langs/r.mjs')],
  ['ruby', () => import('shiki/langs/ruby.mjs')],
  ['rust', () => import('shiki/langs/rust.mjs')],
  ['scala', () => import('shiki/langs/scala.mjs')],
  ['scss', () => import('shiki/langs/scss.mjs')],
  ['sql', () => import('shiki/langs/sql.mjs')],
  ['swift', () => import('shiki/langs/swift.mjs')],
  ['terraform', () => import('shiki/langs/terraform.mjs')],
  ['toml', () => import('shiki/langs/toml.mjs')],
  ['tsx', () => import('shiki/langs/tsx.mjs')],
  ['typescript', () => import('shiki/langs/typescript.mjs')],
  ['vue', () => import('shiki/langs/vue.mjs')],
  ['xml', () => import('shiki/langs/xml.mjs')],
  ['yaml', () => import('shiki/langs/yaml.mjs')],
  ['zig', () => import('shiki/langs/zig.mjs')],
];

export const grammars: ReadonlyMap<string, LanguageInput> = new Map(list);

/** The time limit per line. The rest of a line that exceeds it gets one colour. */
const lineLimitMs = 500;
/** The first code of a language gets more time, because its patterns are compiled then. */
const firstLimitMs = 10_000;

/** Creates the time limits for the lines of one highlighter. The first code of each language gets a longer limit. */
export function createLineLimits() {
  const built = new Set<string>();
  return {
    /** Returns the limit in milliseconds for the next code of this language. */
    next(language: string): number {
      const limit = built.has(language) ? lineLimitMs : firstLimitMs;
      built.add(language);
      return limit;
    },
  };
}
