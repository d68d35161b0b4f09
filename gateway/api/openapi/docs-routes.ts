import { Hono } from 'hono';
import type { AppEnv } from '../../http/context.ts';
import { explorerScript, explorerStyle } from './explorer-assets.ts';

/** Nothing from elsewhere, nothing inline, and the page can speak to this gateway only. */
const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'",
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
].join('; ');

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/** The interface, for programs (`/openapi.json`) and for people (`/docs`). Loaded and made once, at the first request. */
export function docsRoutes(): Hono<AppEnv> {
  let made: Promise<{ json: string; page: string }> | null = null;
  const documents = () => {
    made ??= makeDocuments();
    return made;
  };
  return new Hono<AppEnv>()
    .get('/openapi.json', async (context) =>
      context.body((await documents()).json, 200, { 'content-type': 'application/json' }),
    )
    .get('/docs', async (context) => context.body((await documents()).page, 200, pageHeaders))
    .get('/docs/explorer.js', (context) =>
      context.body(explorerScript, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
    )
    .get('/docs/explorer.css', (context) =>
      context.body(explorerStyle, 200, { 'content-type': 'text/css; charset=utf-8' }),
    );
}

async function makeDocuments() {
  const [{ openApiDocument }, { explorerPage }] = await Promise.all([
    import('./document.ts'),
    import('./explorer-page.ts'),
  ]);
  const document = openApiDocument();
  return { json: JSON.stringify(document), page: String(await explorerPage(document)) };
}
