import { createHash } from 'node:crypto';
// biome-ignore lint/style/noRestrictedImports: rules of our own
import { html, raw } from 'hono/html';
import type { Html } from '#shared/markdown/to-html.ts';

/** Returns a style element, and the policy source that allows exactly this style. */
export function getStyle(rules: string): { element: Html; source: string } {
  const hash = createHash('sha256').update(rules).digest('base64');
  return { element: html`<style>${raw(rules)}</style>`, source: `'sha256-${hash}'` };
}
